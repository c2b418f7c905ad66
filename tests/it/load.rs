//! Agents under load: each fault that shows only then trips its checks, and an agent without fault none.

use std::collections::BTreeMap;
use std::rc::Rc;

use a2a_conformance::agent::fault::FAULTS;
use a2a_conformance::engine::event::Event;
use a2a_conformance::engine::load::{LoadFigures, LoadOptions};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::suite;

use crate::support::{AGENT, Told, check_areas_on, host};

/// As many conversations as keep some forty tasks at work.
fn load() -> LoadOptions {
    LoadOptions { duration_ms: 3_000.0, rate: 80.0, conversations: 200, is_owned: true }
}

/// Puts an agent with these faults under load on one lane, and checks nothing else.
fn under_load(at: &str, binding: &str, faults: &[&str]) -> Told {
    let options = Options {
        address: format!("{AGENT}{at}"),
        bindings: vec![binding.to_owned()],
        only: vec!["load.*".to_owned()],
        load: Some(load()),
        ..Options::default()
    };
    let (host, clock) = host(faults);
    check_areas_on(host, &clock, suite::areas_with_load(None), options)
}

fn figures(told: &Told) -> Rc<LoadFigures> {
    let figures = told.events.iter().find_map(|event| match event {
        Event::Loaded(figures) => Some(Rc::clone(figures)),
        _ => None,
    });
    figures.unwrap_or_else(|| panic!("{:?}", outcomes(told)))
}

fn outcomes(told: &Told) -> BTreeMap<&'static str, (Outcome, String)> {
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
        let figures = figures(&told);
        let counts = figures.conversations;
        assert_eq!((counts.due, counts.begun, counts.accepted, counts.ended), (240, 240, 240, 240), "{at} {binding}");
        assert!(figures.errors.is_empty() && counts.most_at_once >= 25, "{figures:?}");
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
        for fault in check.faults.ids() {
            let trips = |line: &str| line.starts_with(&format!("{fault} ")) && line.contains(check.id);
            assert!(table.lines().any(trips), "{} is not tripped by {fault}", check.id);
        }
    }
}
