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
use crate::engine::check::{Check, Scenario};
use crate::engine::plan::scenarios;
use crate::engine::take::Step;
use crate::engine::verdict::Verdict;

/// Every area, in the order in which it is shown.
pub static AREAS: &[&[&Scenario]] = &[
    discovery::SCENARIOS,
    card::SCENARIOS,
    messaging::SCENARIOS,
    tasks::SCENARIOS,
    multi_turn::SCENARIOS,
    list_tasks::SCENARIOS,
    push::SCENARIOS,
    streaming::SCENARIOS,
    subscribe::SCENARIOS,
    errors::SCENARIOS,
    transport::SCENARIOS,
    auth::SCENARIOS,
    versioning::SCENARIOS,
    extensions::SCENARIOS,
    interop::SCENARIOS,
];

/// The failure that a step's reading noted.
fn broken(step: &Step, place: &Deviation) -> Verdict {
    Verdict::fail(step.exchange.id, place.expected.as_str(), place.actual.as_str()).at(place.pointer.as_str())
}

/// The faults of the scripted agent that trip a check; none for an unknown one.
#[must_use]
pub fn faults(check: &str) -> &'static [&'static str] {
    let areas = [
        discovery::FAULTS,
        auth::FAULTS,
        card::FAULTS,
        messaging::FAULTS,
        tasks::FAULTS,
        multi_turn::FAULTS,
        list_tasks::FAULTS,
        push::FAULTS,
        streaming::FAULTS,
        subscribe::FAULTS,
        errors::FAULTS,
        transport::FAULTS,
        versioning::FAULTS,
        extensions::FAULTS,
        interop::FAULTS,
    ];
    let mut all = areas.iter().flat_map(|area| area.iter()).flat_map(|scenario| scenario.iter());
    all.find(|(id, _)| *id == check).map_or(&[], |(_, faults)| *faults)
}

/// Every check with its scenario.
pub fn checks() -> impl Iterator<Item = (&'static Scenario, &'static Check)> {
    scenarios(AREAS).flat_map(|scenario| scenario.checks.iter().map(move |check| (scenario, check)))
}
