//! Clients are judged: a small client that keeps to the specification trips nothing, in every version and binding, and each of its
//! named misbehaviours trips exactly the checks that name it.

mod growth;
mod misbehaviours;
mod small_client;
mod sockets;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use a2a_conformance::clients::{add_requirements, every_client_check, grounds};
use a2a_conformance::engine::requirement::{Level, further};
use a2a_conformance::engine::verdict::Outcome;

use misbehaviours::MISBEHAVIOURS;
use small_client::{LANES, watched, watched_when};

#[test]
fn an_innocent_client_trips_nothing() {
    let mut seen = BTreeSet::new();
    let mut accused = Vec::new();
    for faults in [
        &[][..],
        &["protected"],
        &["extensions"],
        &["modest"],
        &["tenants"],
        &["plain-json"],
        &["stream-ends-early"],
        &["@card-redirected"],
        &["@interface-moved"],
        &["@calls-redirected"],
        &["@answers-lost"],
        &["@answers-late"],
    ] {
        for lane in LANES {
            let report = watched(lane, "", faults);
            for row in &report.results {
                if matches!(row.outcome, Outcome::Fail | Outcome::Note | Outcome::HarnessError) {
                    accused.push(format!("{lane} {faults:?}: {}: {}", row.check, row.message));
                }
            }
            if report.musts.passed < 2 || report.word.as_str() != "conformant" {
                accused.push(format!("{lane} {faults:?}: {:?}, {}", report.musts, report.word));
            }
            seen.extend(report.results.iter().filter(|row| row.outcome == Outcome::Pass).map(|row| row.check));
        }
    }
    assert!(accused.is_empty(), "{accused:#?}");
    // What the innocent client never shows would be a check that says nothing of it.
    let all: BTreeSet<&str> = every_client_check().map(|(.., check)| check.declared.id).collect();
    let unseen: Vec<_> = all.difference(&seen).collect();
    assert!(unseen.is_empty(), "the innocent client never passes {unseen:?}");
}

#[test]
fn each_misbehaviour_trips_exactly_its_checks() {
    let mut table = String::new();
    let mut findings = String::new();
    let mut tripped_by: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (misbehaviour, faults) in MISBEHAVIOURS {
        let mut tripped: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for lane in LANES {
            let report = watched(lane, misbehaviour, faults);
            for row in &report.results {
                assert_ne!(row.outcome, Outcome::HarnessError, "{misbehaviour} {lane}");
                if matches!(row.outcome, Outcome::Fail | Outcome::Note) {
                    tripped.entry(row.check).or_default().push(lane);
                    tripped_by.entry(row.check).or_default().insert(misbehaviour);
                    let _ = writeln!(findings, "{misbehaviour} {lane} {}: {}", row.check, row.message);
                }
            }
        }
        let told: Vec<String> =
            tripped.iter().map(|(check, lanes)| format!("{check} ({})", lanes.join(", "))).collect();
        let _ = writeln!(
            table,
            "{misbehaviour}: {}",
            if told.is_empty() { "(nothing)".to_owned() } else { told.join("; ") }
        );
    }
    insta::assert_snapshot!("client_misbehaviours", table);
    insta::assert_snapshot!("client_findings", findings);
    for (.., check) in every_client_check() {
        let id = check.declared.id;
        let declared: BTreeSet<&str> = check.declared.faults.iter().copied().collect();
        assert_eq!(tripped_by.get(id).cloned().unwrap_or_default(), declared, "{id}");
    }
}

#[test]
fn a_verdict_does_not_depend_on_when_it_is_judged() {
    for (misbehaviour, faults) in MISBEHAVIOURS {
        let [meanwhile, in_the_end] = [true, false].map(|after_each| {
            let report = watched_when("jsonrpc-1.0", misbehaviour, faults, after_each);
            let rows = report.results.iter().map(|row| (row.check, row.outcome, row.message.clone()));
            (rows.collect::<Vec<_>>(), report.word.as_str())
        });
        assert_eq!(meanwhile, in_the_end, "{misbehaviour}");
    }
}

#[test]
fn every_requirement_of_clients_is_judged_and_each_must_has_its_sentence() {
    add_requirements();
    let judged: BTreeSet<&str> =
        every_client_check().flat_map(|(.., check)| check.declared.requirement_ids()).collect();
    let known: BTreeSet<&str> = further().iter().map(|requirement| requirement.id).collect();
    assert_eq!(judged, known);
    const OBLIGES: [&str; 5] = ["MUST", "REQUIRED", "SHALL", "must ", "authoritative normative"];
    for requirement in further() {
        for (version, _) in &requirement.spec {
            let sentences: Vec<_> = grounds()
                .filter(|ground| ground.requirement == requirement.id && ground.version == *version)
                .map(|ground| ground.sentence)
                .collect();
            let is_must = requirement.level_in(version) == Level::Must;
            let obliges = sentences.iter().any(|sentence| OBLIGES.iter().any(|word| sentence.contains(word)));
            assert!(!is_must || obliges, "{} in {version}: {sentences:?}", requirement.id);
        }
    }
    for ground in grounds() {
        assert!(known.contains(ground.requirement), "{ground:?}");
    }
}
