//! Every fault of the scripted agent, and exactly which checks it trips. A surprise here is looked at before the
//! snapshot is accepted: it is a check that accuses an innocent agent, or one that is blind.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use a2a_conformance::agent::fault::FAULTS;
use a2a_conformance::engine::options::Options;
use a2a_conformance::suite;

use crate::support::check;

/// Which checks each fault trips, and where.
fn table() -> BTreeMap<&'static str, Vec<String>> {
    FAULTS.iter().map(|fault| (fault.id, check(&[fault.id], Options::default()).tripped_on_lanes())).collect()
}

#[test]
fn every_fault_trips_exactly_the_checks_of_the_table() {
    let table = table();
    let mut text = String::new();
    for (fault, checks) in &table {
        let checks = if checks.is_empty() { "(nothing)".to_owned() } else { checks.join(", ") };
        let _ = writeln!(text, "{fault}: {checks}");
    }
    insta::assert_snapshot!("fault_table", text);

    let mut blind = Vec::new();
    for (_, check) in suite::checks() {
        for fault in suite::faults(check.id).iter().copied() {
            match table.get(fault) {
                None => blind.push(format!("{} names the fault {fault}, which does not exist", check.id)),
                Some(tripped) if !tripped.iter().any(|id| id.split('@').next() == Some(check.id)) => {
                    blind.push(format!("{} is not tripped by {fault}, which it names", check.id));
                }
                Some(_) => {}
            }
        }
    }
    assert!(blind.is_empty(), "{}", blind.join("\n"));
}
