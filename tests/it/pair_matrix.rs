//! The table of pairs: what it says of agents that can and cannot talk, in each format.

use a2a_conformance::engine::options::Options;
use a2a_conformance::report::pair_matrix::{MatrixAgent, MatrixPair, PairMatrix, Talk};
use a2a_conformance::report::{Environment, Report, ReportBuilder, html, markdown};
use serde_json::Value;

use crate::pairs::{HOSTS, PLAIN, Subject, at, pair_with, with};
use crate::support::check_at;

/// An agent alone, under an address of ours.
fn alone(subject: Subject<'_>, number: usize) -> MatrixAgent {
    let mut builder =
        ReportBuilder::new(Environment { tool_version: "0.0.0".to_owned(), host: "test".to_owned(), user_agent: None });
    check_at(subject.at, subject.faults, Options::default()).events.iter().for_each(|event| builder.apply(event));
    let address = format!("http://agent-{number}.test");
    MatrixAgent::new(&address, Some(&Report { address: address.clone(), ..builder.report() }))
}

fn together(subjects: [Subject<'_>; 2], places: [usize; 2]) -> MatrixPair {
    let told = pair_with(subjects, [Options::default(), Options::default()]);
    MatrixPair::new(places[0], places[1], Some(&told.report))
}

/// One of 1.0, one of both versions, one of 0.3 alone, one that asks for credentials, and one that loses contexts.
fn matrix() -> PairMatrix {
    let subjects = [PLAIN, with(&["hybrid"]), at("/0.3"), with(&["protected"]), with(&["context-replaced"])];
    let agents = subjects.iter().enumerate().map(|(place, subject)| alone(*subject, place + 1)).collect();
    let places = (0..subjects.len()).flat_map(|first| (first + 1..subjects.len()).map(move |second| [first, second]));
    let pairs = places.map(|places| together(places.map(|place| subjects[place]), places)).collect();
    PairMatrix { agents, pairs }
}

#[test]
fn the_table_says_who_can_call_whom_and_why_others_cannot() {
    let matrix = matrix();
    let talk = |caller: usize, called: usize| matrix.direction(caller - 1, called - 1).map(|found| found.talk);
    assert_eq!([talk(1, 2), talk(2, 1), talk(2, 3), talk(3, 2)], [Some(Talk::Works); 4]);
    assert_eq!([talk(1, 3), talk(3, 1), talk(1, 4)], [Some(Talk::CannotTalk); 3]);
    // The other direction was never tried, because the pair could not talk.
    assert_eq!(talk(4, 1), Some(Talk::NotJudged));
    // What the fifth loses is lost where it is called.
    assert_eq!([talk(1, 5), talk(5, 1)], [Some(Talk::Broken), Some(Talk::Works)]);
    assert_eq!(talk(1, 1), None);

    let json = matrix.to_json("0.0.0");
    let value: Value = serde_json::from_str(&json).expect("JSON");
    let schema: Value = serde_json::from_str(include_str!("../../docs/pairs-v1.schema.json")).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let problems: Vec<_> = validator.iter_errors(&value).map(|problem| problem.to_string()).collect();
    assert!(problems.is_empty(), "{problems:?}");
    let written = [json, markdown::pair_matrix::write(&matrix), html::pair_matrix::write(&matrix)];
    for text in &written {
        assert!(HOSTS.iter().any(|host| text.contains(host)) && !text.contains("agent A") && !text.contains("--peer"));
        assert!(!text.contains("open-sesame"));
    }
    insta::assert_snapshot!("pair_matrix_markdown", written[1]);
    insta::assert_snapshot!("pair_matrix_json", written[0]);
}

#[test]
fn what_was_not_checked_is_not_judged() {
    let agents = ["http://a.test/?key=canary", "http://b.test"].map(|address| MatrixAgent::new(address, None));
    let matrix = PairMatrix { agents: agents.into(), pairs: vec![MatrixPair::new(0, 1, None)] };
    let found = matrix.direction(1, 0).expect("the pair");
    assert_eq!(found.talk, Talk::NotJudged);
    assert!(found.because.as_deref().is_some_and(|why| why.contains("not checked together")), "{found:?}");
    let json = matrix.to_json("0.0.0");
    assert!(json.contains("\"not-checked\"") && !json.contains("canary"), "{json}");
    assert!(html::pair_matrix::write(&matrix).contains("<em>not checked</em>"));
}
