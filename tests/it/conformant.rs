//! The conformant scripted agent: nothing fails, nothing is blocked, and no must is left open.

use a2a_conformance::engine::event::{Completion, Event};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::verdict::{Outcome, Status};

use a2a_conformance::report::{ConformanceLevel, Environment, Recorder};

use crate::support::check;

#[test]
fn nothing_fails_nothing_is_blocked_and_no_must_is_inconclusive() {
    let told = check(&[], Options::default());
    assert_eq!(told.completion, Completion::Complete);
    assert_eq!(told.cause, None);
    let mut wrong = Vec::new();
    for result in &told.results {
        let outcome = result.verdict.outcome;
        let open = matches!(outcome, Outcome::Blocked | Outcome::HarnessError | Outcome::NotRun)
            || (outcome == Outcome::Inconclusive && result.level == Level::Must);
        if outcome.status() == Status::Fail || outcome == Outcome::Note || open {
            wrong.push(format!("{} {:?}: {}", result.row.key(), outcome, result.verdict.message));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_binding_of_its_card_is_a_lane_and_both_are_full() {
    let told = check(&[], Options::default());
    let mut recorder =
        Recorder::new(Environment { tool_version: "0".to_owned(), host: "test".to_owned(), user_agent: None });
    told.events.iter().for_each(|event| recorder.apply(event));
    let lanes: Vec<_> =
        recorder.report().lanes.iter().map(|lane| (lane.id.clone(), lane.assessment.rating.level())).collect();
    let full = Some(ConformanceLevel::Full);
    assert_eq!(lanes, [("jsonrpc-1.0".to_owned(), full), ("rest-1.0".to_owned(), full)]);
}

#[test]
fn every_planned_row_is_judged_once_and_the_counts_agree() {
    let told = check(&[], Options::default());
    let mut planned: Vec<String> = Vec::new();
    let mut promised = 0;
    for event in &told.events {
        if let Event::Planned { rows, messages } = event {
            planned.extend(rows.iter().map(|row| row.key()));
            promised += messages;
        }
    }
    let mut judged: Vec<String> = told.results.iter().map(|result| result.row.key()).collect();
    planned.sort();
    judged.sort();
    assert_eq!(planned, judged);
    assert_eq!(told.tally.total as usize, judged.len());
    assert_eq!(told.tally.judged, told.tally.total);
    assert_eq!(told.tally.passed + told.tally.failed + told.tally.skipped, told.tally.total);
    // The plan said what it would cost, and an agent that shows every behaviour costs just that.
    assert_eq!(told.tally.messages, promised);
}

#[test]
fn at_least_sixty_checks_judge_a_1_0_agent_on_each_binding() {
    let told = check(&[], Options::default());
    for lane in ["jsonrpc-1.0", "rest-1.0"] {
        let here = told.results.iter().filter(|result| result.row.lane.as_ref().is_some_and(|known| known.id == lane));
        let judged = here.filter(|result| result.verdict.outcome == Outcome::Pass).count();
        assert!(judged >= 60, "only {judged} checks came to a verdict on {lane}");
    }
}

#[test]
fn a_filtered_run_judges_what_was_asked_for_and_says_that_it_was_filtered() {
    let told = check(&[], Options { only: vec!["card.*".to_owned()], ..Options::default() });
    assert_eq!(told.completion, Completion::Filtered);
    for result in &told.results {
        let asked = result.row.check.id.starts_with("card.");
        assert_eq!(result.verdict.outcome != Outcome::NotRun, asked, "{}", result.row.key());
    }
    // The card and the probe: no message was sent.
    assert_eq!(told.tally.messages, 0);
}
