//! Agents under load: each fault that shows only then trips its checks, and an agent without a fault trips none.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use a2a_conformance::agent::fault::FAULTS;
use a2a_conformance::engine::event::Event;
use a2a_conformance::engine::load::{LoadFigures, LoadOptions};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::report::{self, ConformanceLevel, Environment, Format, ReportBuilder};
use a2a_conformance::suite;
use serde_json::Value;

use crate::cli::{Served, program, run, stdout};
use crate::support::{AGENT, FinishedRun, check_areas_on, host};

/// As many conversations as keep some forty tasks at work.
fn load() -> LoadOptions {
    LoadOptions { duration_ms: 3_000.0, rate: 80.0, conversations: 200, is_owned: true }
}

/// Puts an agent with these faults under load on one lane, and checks nothing else.
fn under_load(at: &str, binding: &str, faults: &[&str]) -> FinishedRun {
    let options = Options {
        address: format!("{AGENT}{at}"),
        bindings: vec![binding.to_owned()],
        only: vec!["load.*".to_owned()],
        load: Some(load()),
        ..Options::default()
    };
    let (host, clock) = host(faults);
    check_areas_on(host, &clock, suite::areas_for(&options), options)
}

fn figures(told: &FinishedRun) -> Option<Rc<LoadFigures>> {
    told.events.iter().find_map(|event| match event {
        Event::Loaded(figures) => Some(Rc::clone(figures)),
        _ => None,
    })
}

fn outcomes(told: &FinishedRun) -> BTreeMap<&'static str, (Outcome, String)> {
    let of_load = told.results.iter().filter(|result| result.row.area.name == "load");
    of_load.map(|result| (result.row.check.id, (result.verdict.outcome, result.verdict.message.clone()))).collect()
}

const PLACES: [(&str, &str); 4] = [("", "jsonrpc"), ("", "rest"), ("/0.3", "jsonrpc"), ("/0.3", "rest")];

#[test]
fn an_agent_without_fault_passes_whatever_it_can_show() {
    for (at, binding) in PLACES {
        let told = under_load(at, binding, &[]);
        for (check, (outcome, message)) in outcomes(&told) {
            let has_no_such_thing = at == "/0.3" && outcome == Outcome::NotApplicable;
            assert!(outcome == Outcome::Pass || has_no_such_thing, "{check} {at} {binding}: {outcome:?} {message}");
        }
        let figures = figures(&told).expect("the figures of a load");
        let counts = figures.conversations;
        assert_eq!((counts.due, counts.begun, counts.accepted, counts.ended), (240, 240, 240, 240), "{at} {binding}");
        assert!(figures.errors.is_empty() && counts.most_at_once >= 25, "{figures:?}");
        assert_eq!(figures.achieved_rate, 80.0);
        assert!((3_000.0..6_000.0).contains(&figures.took_ms), "{}", figures.took_ms);
        // Of tasks that take a second at most: the load itself lasts longer.
        assert!(figures.latencies.iter().all(|latency| latency.max < 2_000.0), "{:?}", figures.latencies);
    }
}

/// What each fault of a load trips at each place.
fn table() -> String {
    let mut table = String::new();
    for fault in FAULTS.iter().filter(|fault| fault.id.starts_with("load-")) {
        for (at, binding) in PLACES {
            let tripped = under_load(at, binding, &[fault.id]).tripped().join(", ");
            let version = if at.is_empty() { "1.0" } else { "0.3" };
            table.push_str(&format!("{} {binding}-{version}: {tripped}\n", fault.id));
        }
    }
    table
}

#[test]
fn every_fault_of_a_load_trips_the_checks_that_name_it() {
    let table = table();
    insta::assert_snapshot!("load_faults", table);
    for (_, _, check) in suite::load_declarations() {
        for fault in check.faults {
            let trips = |line: &str| line.starts_with(&format!("{fault} ")) && line.contains(check.id);
            assert!(table.lines().any(trips), "{} is not tripped by {fault}", check.id);
        }
    }
}

/// The load comes after everything else, and its figures stand in every report for people.
#[test]
fn a_whole_run_with_a_load_has_a_level_and_figures() {
    let (host, clock) = host(&[]);
    let options = Options { address: AGENT.to_owned(), load: Some(load()), ..Options::default() };
    let told = check_areas_on(host, &clock, suite::areas_for(&options), options);
    let mut builder = ReportBuilder::new(Environment::default());
    told.events.iter().for_each(|event| builder.apply(event));
    let report = builder.report();
    assert_eq!(report.level(), Some(ConformanceLevel::Full), "{:?}", report.assessment);
    assert_eq!(figures(&told).expect("the figures of a load").lane, "jsonrpc-1.0");
    for format in [Format::Json, Format::Markdown, Format::Html] {
        let text = report::write(&report, format);
        for words in ["240", "SendStreamingMessage", "first event"] {
            assert!(text.contains(words), "{format:?} lacks {words}");
        }
    }
}

#[test]
fn without_a_load_there_is_nothing_of_one_in_a_run() {
    let (host, clock) = host(&[]);
    let options = Options { address: AGENT.to_owned(), only: vec!["get.*".to_owned()], ..Options::default() };
    let told = check_areas_on(host, &clock, suite::areas_for(&options), options);
    assert!(outcomes(&told).is_empty() && !told.events.iter().any(|event| matches!(event, Event::Loaded(_))));
}

#[test]
fn nothing_is_sent_to_an_agent_of_which_nobody_said_that_it_is_theirs() {
    let (host, clock) = host(&[]);
    let options = Options {
        address: AGENT.to_owned(),
        only: vec!["load.*".to_owned()],
        load: Some(LoadOptions { is_owned: false, ..load() }),
        ..Options::default()
    };
    let told = check_areas_on(host, &clock, suite::areas_for(&options), options);
    let verdicts = outcomes(&told);
    assert!(verdicts.len() > 10 && verdicts.values().all(|(outcome, _)| *outcome == Outcome::NotRun), "{verdicts:?}");
    let (_, why) = verdicts.values().next().expect("a verdict");
    assert!(why.contains("nothing says that http://agent.test is yours"), "{why}");
    assert_eq!(told.tally.messages, 0);
}

/// A fault that every conversation shows is not an effect of the load.
#[test]
fn what_a_conversation_shows_alone_is_no_finding_of_the_load() {
    let told = under_load("", "jsonrpc", &["stream-get-differ"]);
    let (outcome, message) = outcomes(&told).remove("load.states-agree").expect("a verdict");
    assert_eq!(outcome, Outcome::Blocked, "{message}");
    assert!(message.contains("alone shows the same"), "{message}");
}

/// Of hundreds of answers only those are kept that show something, and of those a few.
#[test]
fn only_evidence_is_kept_and_without_its_secrets() {
    let quiet = under_load("", "jsonrpc", &[]);
    assert!(quiet.exchanges.len() < 10, "{}", quiet.exchanges.len());
    let (host, clock) = host(&["protected", "load-swaps-tasks"]);
    let faults = a2a_conformance::agent::fault::Faults::parse(["protected"]).unwrap();
    let options = Options {
        address: AGENT.to_owned(),
        headers: faults.credentials(),
        bindings: vec!["jsonrpc".to_owned()],
        only: vec!["load.*".to_owned()],
        load: Some(load()),
        ..Options::default()
    };
    let told = check_areas_on(host, &clock, suite::areas_for(&options), options);
    let found = told.results.iter().find(|result| result.row.check.id == "load.own-answers").expect("a row");
    assert_eq!(found.verdict.outcome, Outcome::Fail, "{:?}", found.verdict);
    assert!(found.verdict.message.contains("conversations of 240 under load"), "{}", found.verdict.message);
    let shown = |id: &u32| told.exchanges.iter().any(|exchange| exchange.id == *id);
    assert!(!found.verdict.exchanges.is_empty() && found.verdict.exchanges.iter().all(shown));
    assert!(told.exchanges.len() < 20 && !format!("{:?}", told.exchanges).contains("open-sesame"));
}

/// The process's memory in KB as `/proc` tells it now, where there is such a file.
fn resident_kb(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().trim_end_matches(" kB").parse().ok())
}

/// Real sockets: conversations by the hundred, and what they take. Then two such reports are compared.
#[test]
fn hundreds_of_conversations_at_once_take_little_memory() {
    let agent = Served::agent(&[]);
    let folder = std::env::temp_dir().join(format!("a2a-load-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("load.json");
    let prompts = ["--prompt", "complete=tck-long-running please", "--prompt", "stream=tck-long-running please"];
    let mut child = program()
        .args(["check", agent.agent_url(), "--only", "load.*", "--load", "15s", "--rate", "200"])
        .args(["--load-conversations", "500", "--format", "json", "-o"])
        .arg(&file)
        .args(prompts)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut memory = Vec::new();
    while child.try_wait().unwrap().is_none() {
        memory.extend(resident_kb(child.id()));
        thread::sleep(Duration::from_millis(250));
    }
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let load = &report["load"];
    eprintln!("{load:#}\nKB: {memory:?}");
    assert!(load["conversations"]["mostAtOnce"].as_u64().unwrap() >= 100, "{load:#}");
    let schema: Value = serde_json::from_str(include_str!("../../docs/report-v1.schema.json")).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&report));
    // Only conversations under way take memory: two hundred thousand bytes each, at the very most.
    assert!(memory.iter().all(|kb| *kb < 120_000), "{memory:?}");
    let path = file.to_str().unwrap();
    for (format, words) in [("text", "conversations begun"), ("markdown", "| conversations begun |")] {
        let compared = stdout(&run(&["compare", path, path, "--format", format]));
        assert!(compared.contains(words) && compared.contains("GetTask p99 ms"), "{compared}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
