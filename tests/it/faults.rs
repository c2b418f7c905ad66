//! Every fault of the scripted agent, and exactly which checks it trips. A surprise here is looked at before the
//! snapshot is accepted: it is a check that accuses an innocent agent, or one that is blind.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use a2a_conformance::agent::fault::FAULTS;
use a2a_conformance::engine::check::Check;
use a2a_conformance::engine::options::Options;
use a2a_conformance::suite;

use crate::support::{Place, Told, check, check_at};

/// Faults that checks name and the scripted agent does not have yet, or not so that they trip them.
const PENDING: &[&str] = &["card-no-version", "card-skill-no-id", "card-transport-misspelled", "task-never-ends"];

/// Which checks each fault trips, and where.
fn table() -> BTreeMap<&'static str, Told> {
    FAULTS.iter().map(|fault| (fault.id, check_at(fault.at, &[fault.id], Options::default()))).collect()
}

/// Whether a fault trips a check in one of the older versions.
fn trips(fault: &'static str, check: &Check) -> bool {
    ["/0.3", "/0.2", "/0.1"].iter().any(|at| {
        let version = at.trim_start_matches('/');
        let judges = [None, Some("jsonrpc"), Some("rest")].iter().any(|binding| check.applies(version, *binding));
        judges && check_at(at, &[fault], Options::default()).tripped().contains(&check.id)
    })
}

#[test]
fn every_fault_trips_exactly_the_checks_of_the_table() {
    let table = table();
    let mut text = String::new();
    for (fault, told) in &table {
        let checks = told.tripped_on_lanes();
        let checks = if checks.is_empty() { "(nothing)".to_owned() } else { checks.join(", ") };
        let _ = writeln!(text, "{fault}: {checks}");
    }
    insta::assert_snapshot!("fault_table", text);

    let mut blind = Vec::new();
    for (_, check) in suite::checks() {
        for fault in suite::faults(check.id).iter().copied() {
            match table.get(fault) {
                _ if PENDING.contains(&fault) => {}
                None => blind.push(format!("{} names the fault {fault}, which does not exist", check.id)),
                // A fault of several versions shows in the table where the first of them is.
                Some(told) if !told.tripped().contains(&check.id) && !trips(fault, check) => {
                    blind.push(format!("{} is not tripped by {fault}, which it names", check.id));
                }
                Some(_) => {}
            }
        }
    }
    // Whatever judges several lanes must have been seen to fail on each.
    let tripped_by = |id: &str, place: &Place| {
        suite::faults(id).iter().filter_map(|fault| table.get(fault)).any(|told| told.places().contains(place))
    };
    let judged: BTreeSet<Place> = [None, Some("protected"), Some("extensions"), Some("modest"), Some("tenants")]
        .into_iter()
        .flat_map(|variant| check(variant.as_slice(), Options::default()).passed())
        .collect();
    blind.extend(
        judged
            .iter()
            .filter(|place| !suite::faults(place.0).iter().all(|fault| PENDING.contains(fault)))
            .filter(|place| !tripped_by(place.0, place))
            .map(|place| format!("{place:?} never fails")),
    );
    assert!(blind.is_empty(), "{}", blind.join("\n"));
}
