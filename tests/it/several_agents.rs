//! Several agents beside each other: the runs take turns, what is kept is bounded, and tables and files agree with the reports.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::task::Poll;

use a2a_conformance::checker::{AGENTS_AT_ONCE, SeveralAgents, in_turn};
use a2a_conformance::engine::event::{Completion, Event, Tally};
use a2a_conformance::engine::options::Options;
use a2a_conformance::report::{Environment, VerdictWord};
use a2a_conformance::view_model::messages::Opening;
use a2a_conformance::view_model::rows::RowKind;
use a2a_conformance::view_model::several_agents::{AgentLines, Matrix, RunStage, TableTopic};
use a2a_conformance::view_model::text_table::TextCell;
use futures_util::FutureExt;
use futures_util::future::{pending, ready};
use serde_json::Value;

use crate::pairs::{PLAIN, pair_with, with};
use crate::support::check_as_told;

const AGENTS: [(&str, &[&str]); 3] = [
    ("https://a.example", &[]),
    ("https://b.example", &["rpc-version-missing"]),
    ("https://c.example", &["timestamps-seconds"]),
];

fn environment() -> Environment {
    Environment { tool_version: "0.0.0".to_owned(), host: "page".to_owned(), user_agent: None }
}

/// The three agents, checked; a fourth that was stopped before its turn.
fn checked() -> SeveralAgents {
    let addresses = AGENTS.iter().map(|(address, _)| *address).chain(["https://me:canary@d.example"]);
    let mut several = SeveralAgents::new(addresses.map(str::to_owned).collect(), environment());
    for (place, (_, faults)) in AGENTS.iter().enumerate() {
        several.begin(place);
        for event in &check_as_told(faults, Options::default()).events {
            several.apply(place, event);
        }
    }
    several.give_up(3, "It was stopped before its turn.");
    several
}

#[test]
fn a_few_runs_are_under_way_at_once_and_each_has_its_turn() {
    let (now, most, all) = (Rc::new(RefCell::new(0)), Rc::new(RefCell::new(0)), Rc::new(RefCell::new(Vec::new())));
    let run = |place| {
        let (now, most, all) = (Rc::clone(&now), Rc::clone(&most), Rc::clone(&all));
        async move {
            *now.borrow_mut() += 1;
            let under_way = *now.borrow();
            let known = *most.borrow();
            *most.borrow_mut() = known.max(under_way);
            for _ in 0..=place % 3 {
                let mut has_waited = false;
                std::future::poll_fn(|context| {
                    context.waker().wake_by_ref();
                    if std::mem::replace(&mut has_waited, true) { Poll::Ready(()) } else { Poll::Pending }
                })
                .await;
            }
            *now.borrow_mut() -= 1;
            all.borrow_mut().push(place);
        }
        .boxed_local()
    };
    let runs = in_turn(20, run, |_| pending().boxed_local());
    let mut runs = std::pin::pin!(runs);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    for _ in 0..200 {
        if runs.as_mut().poll(&mut context).is_ready() {
            break;
        }
    }
    let mut ended = all.borrow().clone();
    ended.sort_unstable();
    assert_eq!(ended, (0..20).collect::<Vec<_>>());
    assert_eq!((*most.borrow(), *now.borrow()), (AGENTS_AT_ONCE, 0));
}

#[test]
fn a_silent_agent_keeps_no_other_from_its_turn_and_is_waited_for() {
    let (begun, gate) = (Rc::new(RefCell::new(Vec::new())), Rc::new(Cell::new(false)));
    let run = |place: usize| {
        let (begun, gate) = (Rc::clone(&begun), Rc::clone(&gate));
        async move {
            begun.borrow_mut().push(place);
            // The first of them answer nothing until the others are over.
            if place < AGENTS_AT_ONCE {
                std::future::poll_fn(|context| {
                    context.waker().wake_by_ref();
                    if gate.get() { Poll::Ready(()) } else { Poll::Pending }
                })
                .await;
            }
        }
        .boxed_local()
    };
    let silence = |place: usize| if place < AGENTS_AT_ONCE { ready(()).boxed_local() } else { pending().boxed_local() };
    let mut runs = in_turn(2 * AGENTS_AT_ONCE + 1, run, silence).boxed_local();
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    for _ in 0..20 {
        assert!(runs.as_mut().poll(&mut context).is_pending());
    }
    assert_eq!(*begun.borrow(), (0..2 * AGENTS_AT_ONCE + 1).collect::<Vec<_>>());
    gate.set(true);
    assert!((0..20).any(|_| runs.as_mut().poll(&mut context).is_ready()), "those that were silent are waited for");
}

#[test]
fn tables_say_what_the_reports_say_and_open_them_at_a_check() {
    let several = checked();
    let AgentLines { agents, is_over, pairs } = several.lines();
    assert_eq!((is_over, pairs), (true, (0, 0)));
    let words: Vec<_> = agents.iter().map(|agent| agent.word).collect();
    assert_eq!(words[1], Some(VerdictWord::NotConformant));
    assert_ne!(words[0], Some(VerdictWord::NotConformant));
    assert_eq!((agents[3].word, agents[3].reason.as_str()), (None, "It was stopped before its turn."));
    assert_eq!((agents[3].address.as_str(), agents[3].can_open), ("https://[redacted]@d.example", false));
    assert!(several.open(3).is_none());

    let Matrix { checks, all } = several.matrix("", false, 1000);
    assert_eq!(checks.len(), all);
    let found = checks.iter().find(|line| line.check == "jsonrpc.version-member").expect("the fault's own check");
    assert_eq!(checks[0].cells.len(), 4);
    assert!(
        checks
            .iter()
            .map(|line| line.cells.iter().flatten().filter(|(kind, _)| *kind == RowKind::Fail).count())
            .is_sorted_by(|a, b| a >= b)
    );
    let (kind, key) = found.cells[1].clone().unwrap();
    assert_eq!((kind, found.cells[3].clone()), (RowKind::Fail, None));
    let Some(Ok((Some(record), Opening::Report(opened)))) = several.open(1) else { panic!("it is kept") };
    let report = record.report();
    assert!(
        report
            .results
            .iter()
            .any(|row| row.key() == key && RowKind::from_outcome(row.outcome, row.level) == RowKind::Fail)
    );
    assert!(!report.exchanges.is_empty(), "with its evidence");
    assert_eq!(opened.tally.failed_required, report.tally.failed_required);
    assert_eq!(a2a_conformance::report::headline::broken(&report), agents[1].failed);

    let category =
        agents[1].cells.iter().flatten().filter(|cell| cell.kind == RowKind::Fail).map(|cell| cell.count).sum::<u32>();
    assert_eq!(category as usize, agents[1].failed.0);
    assert!(several.matrix("", true, 1000).all > all);
    assert_eq!(several.matrix("", true, 7).checks.len(), 7);
    assert_eq!(several.matrix("JSONRPC.version-member", true, 7).all, 1);
}

#[test]
fn every_file_has_all_agents_and_counts_them_alike() {
    let several = checked();
    let lines = several.lines();
    let file = |format: &str| several.file(format, 1_795_248_000_000.0).expect("a format").text;
    assert_eq!(several.file("json", 1_795_248_000_000.0).unwrap().name, "a2a-report-several-20261121-080000Z.json");
    assert!(several.file("har", 0.0).is_none());
    let json: Value = serde_json::from_str(&file("json")).unwrap();
    let agents = json["agents"].as_array().unwrap();
    assert_eq!((json["kind"].as_str(), agents.len()), (Some("a2a-conformance-several"), 4));
    let junit = file("junit");
    assert_eq!(junit.matches("<testsuite ").count(), 4);
    let markdown = file("markdown");
    for (place, line) in lines.agents.iter().enumerate() {
        assert_eq!(agents[place]["address"].as_str(), Some(line.address.as_str()));
        let failed = agents[place]["report"]["summary"]["failed"].as_u64().unwrap_or_default();
        assert!(failed >= (line.failed.0 + line.failed.1) as u64, "each rule once, whatever interfaces break it");
        let suite = junit.split("<testsuite ").nth(place + 1).unwrap();
        assert_eq!(suite.matches("<failure ").count() as u64, failed, "{place}");
        assert!(markdown.contains(&line.address.replace("https://", "")), "{markdown}");
    }
    for text in [file("json"), junit, markdown] {
        assert!(!text.contains("canary"));
    }
}

/// A table as texts, with the kind before the text of a cell that has one.
fn texts(several: &SeveralAgents, topic: TableTopic, table: usize) -> Vec<Vec<String>> {
    let tables = several.tables(topic);
    let cell = |cell: &TextCell| format!("{} {}", cell.kind, cell.text).trim().to_owned();
    tables[table].rows.iter().map(|row| row.iter().map(cell).collect()).collect()
}

#[test]
fn what_the_agents_support_stands_feature_by_feature_for_each_interface() {
    let nobody = SeveralAgents::new(vec!["https://a.example".to_owned()], environment());
    assert!(nobody.tables(TableTopic::Support).is_empty());
    let several = checked();
    let (interfaces, features) = (texts(&several, TableTopic::Support, 0), texts(&several, TableTopic::Support, 1));
    // Three agents with two interfaces each, and none of the fourth, which was not checked.
    assert_eq!(interfaces.len(), 6);
    assert_eq!((interfaces[2][0].as_str(), interfaces[2][3].as_str()), ("3", "http://agent.test"));
    let row = |name: &str| features.iter().find(|row| row[0] == name).expect(name)[1..].to_vec();
    assert_eq!(row("Form of the binding"), ["pass yes", "pass yes", "fail no", "pass yes", "pass yes", "pass yes"]);
    assert!(features.iter().all(|row| row.len() == 7), "{features:?}");

    let json = several.table_file(TableTopic::Support, "json").expect("a format");
    let value: Value = serde_json::from_str(&json.text).expect("JSON");
    assert_eq!((json.name.as_str(), value["interfaces"].as_array().map(Vec::len)), ("a2a-support.json", Some(6)));
    for format in ["html", "markdown"] {
        let file = several.table_file(TableTopic::Support, format).expect("a format");
        assert!(file.text.contains("Form of the binding") && !file.text.contains("canary"), "{}", file.text);
    }
    assert!(several.table_file(TableTopic::Support, "junit").is_none());
}

#[test]
fn every_two_agents_that_were_checked_are_checked_together() {
    let mut several = checked();
    assert!(several.tables(TableTopic::Pairs).is_empty());
    let rounds = several.plan_pairs();
    let planned: BTreeSet<_> = rounds.iter().flatten().copied().collect();
    assert_eq!(planned, BTreeSet::from([(0, 1), (0, 2), (1, 2)]));
    let lines = several.lines();
    assert_eq!((lines.is_over, lines.pairs), (false, (0, 3)));
    assert!(lines.summary().ends_with("0 of 3 pairs checked."), "{}", lines.summary());

    let told = pair_with([PLAIN, with(&["context-replaced"])], [Options::default(), Options::default()]);
    several.keep_pair(0, 1, &told.report);
    several.stop_pairs();
    let lines = several.lines();
    assert_eq!((lines.is_over, lines.pairs), (true, (1, 1)));
    let pairs = texts(&several, TableTopic::Pairs, 0);
    assert_eq!(pairs[0][1..], ["Conformant", "fail broken", "blocked ?", "blocked ?"].map(str::to_owned));
    assert_eq!((pairs[1][1].as_str(), pairs[3][4].as_str()), ("pass works", "not checked"));
    let why = texts(&several, TableTopic::Pairs, 1);
    assert_eq!(why[0][..3], ["1", "2", "fail broken"].map(str::to_owned));
    assert!(why.iter().any(|row| row[3].contains("not checked together")), "{why:?}");

    let json = several.table_file(TableTopic::Pairs, "json").expect("a format").text;
    let value: Value = serde_json::from_str(&json).expect("JSON");
    let schema: Value = serde_json::from_str(include_str!("../../docs/pairs-v1.schema.json")).expect("a schema");
    assert!(jsonschema::is_valid(&schema, &value), "{json}");
    assert!(!json.contains("canary"));
    // Asked for again, nothing of before stands.
    several.plan_pairs();
    assert_eq!(several.lines().pairs, (0, 3));
}

#[test]
fn no_more_agents_are_checked_in_pairs_than_somebody_can_wait_for() {
    let told = check_as_told(&[], Options::default());
    for (count, pairs) in [(16, 120), (17, 0)] {
        let addresses = (0..count).map(|number| format!("https://a{number}.example")).collect();
        let mut several = SeveralAgents::new(addresses, environment());
        for place in 0..count {
            several.begin(place);
            told.events.iter().for_each(|event| several.apply(place, event));
        }
        let lines = several.lines();
        assert_eq!(
            (lines.can_check_pairs(), several.plan_pairs().iter().map(Vec::len).sum::<usize>()),
            (pairs > 0, pairs)
        );
    }
}

#[test]
fn a_run_that_is_stopped_keeps_what_was_finished() {
    let told = check_as_told(&[], Options::default());
    let mut several = SeveralAgents::new(vec!["https://a.example".to_owned()], environment());
    assert!(several.is_queued(0));
    several.begin(0);
    for event in told.events.iter().take(told.events.len() / 2) {
        several.apply(0, event);
    }
    let line = &several.lines().agents[0];
    assert_eq!(line.stage, RunStage::Running);
    assert!(line.judged.0 > 0 && line.judged.0 < line.judged.1);
    let tally: Tally = several.tally(0);
    several.apply(0, &Event::Finished { completion: Completion::Stopped, tally, cause: None, duration_ms: 5.0 });
    let line = &several.lines().agents[0];
    assert_eq!((line.stage, line.word), (RunStage::Over, Some(VerdictWord::Incomplete)));
    assert!(line.can_open && matches!(several.open(0), Some(Ok(_))));
}
