//! The suite: what is checked. One folder per area, one file per scenario with its checks.
//!
//! `docs/ADDING-A-CHECK.md` shows how a check comes in.

pub mod auth;
pub mod card;
pub mod discovery;
pub mod errors;
pub mod extensions;
pub mod interop;
pub mod list_tasks;
pub mod messaging;
pub mod multi_turn;
pub mod push;
pub mod streaming;
pub mod subscribe;
pub mod tasks;
pub mod transport;
pub mod versioning;

use crate::a2a::rule::Deviation;
use crate::engine::check::{Area, Check, Scenario};
use crate::engine::plan::scenarios;
use crate::engine::transcript::Step;
use crate::engine::verdict::Verdict;

/// Every area, in the order in which it is shown.
pub static AREAS: &[&Area] = &[
    &discovery::AREA,
    &card::AREA,
    &messaging::AREA,
    &tasks::AREA,
    &multi_turn::AREA,
    &list_tasks::AREA,
    &push::AREA,
    &streaming::AREA,
    &subscribe::AREA,
    &errors::AREA,
    &transport::AREA,
    &auth::AREA,
    &versioning::AREA,
    &extensions::AREA,
    &interop::AREA,
];

// A declaration that lacks something does not compile.
const _: () = {
    let mut area = 0;
    while area < AREAS.len() {
        let scenarios = AREAS[area].scenarios;
        let mut scenario = 0;
        while scenario < scenarios.len() {
            assert!(scenarios[scenario].is_complete(), "a check has an id, a title, a why, a fix and a fault");
            scenario += 1;
        }
        area += 1;
    }
};

/// The failure that a step's reading noted.
fn broken(step: &Step, place: &Deviation) -> Verdict {
    Verdict::fail(step.exchange.id, place.expected.as_str(), place.actual.as_str()).at(place.pointer.as_str())
}

/// The faults of the scripted agent that trip a check; none for an unknown one, and none in a page.
#[must_use]
pub fn faults(check: &str) -> &'static [&'static str] {
    checks().find(|(_, known)| known.id == check).map_or(&[], |(_, check)| check.faults.ids())
}

/// Every check with its scenario.
pub fn checks() -> impl Iterator<Item = (&'static Scenario, &'static Check)> {
    scenarios(AREAS).flat_map(|scenario| scenario.checks.iter().map(move |check| (scenario, check)))
}
