//! The declarations of the suite: complete, unique, and true to the requirement tables.

use std::collections::{BTreeMap, BTreeSet};

use a2a_conformance::agent::fault::FAULTS;
use a2a_conformance::engine::plan::scenarios;
use a2a_conformance::engine::requirement::known;
use a2a_conformance::engine::run::EXAMPLES_SCENARIO;
use a2a_conformance::report::assess::{COMPLETES, CORE};
use a2a_conformance::suite;

/// The text that 1.0 was read from is the same in the table and in what is told of a release.
#[test]
fn the_text_of_1_0_is_named_by_date_and_commit() {
    const TEXT: &str = "(its main branch of 2026-08-18, commit 16ba5269)";
    const STATEMENTS: &str = include_str!("../../docs/statements.txt");
    assert!(STATEMENTS.contains("main branch as it was on 2026-08-18 (commit 16ba5269)"), "the head of the table");
    assert!(include_str!("../../CHANGELOG.md").contains(TEXT), "CHANGELOG.md");
    // What that text has and 1.0.1 does not.
    for id in ["auth-required.no-authority", "auth-required.defined-scope"] {
        let block = STATEMENTS.split("\n\n").find(|block| block.starts_with(id));
        let block = block.unwrap_or_else(|| panic!("{id} is missing"));
        assert!(block.contains("MUST explicit") && block.contains("7.6.4 after 1.0.1"), "{block}");
    }
}

#[test]
fn the_example_of_the_contributing_guide_is_still_to_be_written() {
    const GUIDE: &str = include_str!("../../CONTRIBUTING.md");
    for example in ["card.extension-uris-unique", "card-extension-twice"] {
        assert!(GUIDE.contains(example), "the guide has another example than {example}");
        let is_written =
            FAULTS.iter().any(|fault| fault.id == example) || known().iter().any(|known| known.id == example);
        assert!(!is_written, "{example} is written: the guide needs another example");
    }
}

#[test]
fn every_check_has_an_id_of_its_own_known_requirements_a_reason_and_a_fix() {
    let mut ids = BTreeSet::new();
    for (_, scenario, check) in suite::declarations() {
        assert!(ids.insert(check.id), "{} stands twice", check.id);
        assert_eq!(
            check.requirements().len(),
            check.requirement_ids().count(),
            "{} names an unknown requirement",
            check.id
        );
        assert!(check.why.len() > 20, "{} does not say why it matters", check.id);
        assert!(check.fix.len() > 20, "{} does not say how to fix it", check.id);
        assert!(!check.title.ends_with('.'), "{}", check.id);
        assert!(!scenario.id.is_empty());
    }
}

#[test]
fn the_checks_that_decide_whether_a_lane_works_are_in_the_suite() {
    for id in CORE.into_iter().chain([COMPLETES]) {
        assert!(suite::checks().any(|check| check.id == id), "{id}");
    }
}

#[test]
fn scenarios_come_after_scenarios_that_exist_and_never_in_a_circle() {
    // One of them is the engine's own.
    let every = || scenarios(suite::AREAS).map(|(_, scenario)| scenario).chain([&EXAMPLES_SCENARIO]);
    let all: BTreeMap<_, _> = every().map(|scenario| (scenario.id, scenario)).collect();
    assert_eq!(all.len(), every().count(), "a scenario id stands twice");
    let mut done: BTreeSet<&str> = BTreeSet::new();
    while done.len() < all.len() {
        let ready: Vec<&str> = all
            .values()
            .filter(|scenario| !done.contains(scenario.id))
            .filter(|scenario| scenario.after.iter().all(|id| done.contains(id)))
            .map(|scenario| scenario.id)
            .collect();
        assert!(!ready.is_empty(), "these wait for each other, or for nobody: {:?}", {
            let mut left: Vec<_> = all.keys().filter(|id| !done.contains(*id)).collect();
            left.sort();
            left
        });
        done.extend(ready);
    }
}

#[test]
fn every_fault_is_named_by_a_check_or_describes_a_whole_agent() {
    // Whole agents: what they show is in tests/it/uniform_agents.rs and grpc_lanes.rs.
    const WHOLE: [&str; 3] = ["silent", "dies-after-ten", "grpc-unavailable"];
    let named: BTreeSet<&str> = suite::every_declaration()
        .chain(suite::pair_declarations())
        .flat_map(|(.., check)| check.faults.iter().copied())
        .collect();
    let orphans: Vec<_> = FAULTS
        .iter()
        .map(|fault| fault.id)
        .filter(|id| !named.contains(id) && !WHOLE.contains(id) && !id.starts_with("canned-"))
        .collect();
    assert!(orphans.is_empty(), "no check names {orphans:?}");
}

#[test]
fn every_fix_is_something_to_do() {
    for check in suite::checks() {
        assert!(!check.fix.to_lowercase().starts_with("nothing"), "{}: Fix: {}", check.id, check.fix);
    }
}
