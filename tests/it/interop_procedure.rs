//! The procedure that the tool began with, as docs/TEST-PROCEDURES.md tells it: every check passes on the agent of 0.1, or on a
//! variant of it, and fails for a fault of its line.

use std::collections::BTreeSet;

use a2a_conformance::agent::fault::VARIANTS;
use a2a_conformance::engine::options::Options;

use crate::support::check_at;

const TEXT: &str = include_str!("../../docs/TEST-PROCEDURES.md");

/// The words in backquotes of a cell that could be names of checks or faults.
fn names(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).filter(|name| !name.contains('*')).collect()
}

#[test]
fn every_step_is_a_check_that_passes_and_can_fail() {
    let variants = [None].into_iter().chain(VARIANTS.iter().map(|variant| Some(variant.id)));
    let passed: BTreeSet<_> = variants
        .flat_map(|variant| check_at("/0.1", variant.as_slice(), Options::default()).passed())
        .map(|(id, _)| id)
        .collect();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for line in TEXT.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| step")) {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let (step, checks, faults) = (cells[1], names(cells[3]), names(cells[4]));
        // Of an agent that is broken at all it cannot always be told what it speaks.
        let options = || Options { version: Some("0.1".to_owned()), ..Options::default() };
        let mut tripped = BTreeSet::new();
        for fault in faults.iter().copied() {
            let does = check_at("/0.1", &[fault], options()).tripped();
            if !checks.iter().any(|check| does.contains(check)) {
                wrong.push(format!("{step}: {fault} trips none of {checks:?}"));
            }
            tripped.extend(does);
        }
        for check in checks {
            seen += 1;
            if !passed.contains(check) {
                wrong.push(format!("{step}: {check} never passes"));
            }
            if !tripped.contains(check) {
                wrong.push(format!("{step}: {check} does not fail for any of {faults:?}"));
            }
        }
    }
    assert!(seen >= 40, "{seen} checks");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
