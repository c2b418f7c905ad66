//! The suite: what is checked. One folder per area, one file per scenario with its checks.
//!
//! `docs/ADDING-A-CHECK.md` shows how a check comes in.

pub mod auth;
pub mod card;
pub mod declared;
pub mod discovery;
pub mod errors;
pub mod extensions;
pub mod interop;
pub mod list_tasks;
pub mod messaging;
pub mod multi_turn;
mod no_card;
mod noted_failure;
pub mod push;
pub mod streaming;
pub mod subscribe;
mod task_differences;
pub mod tasks;
pub mod transport;
pub mod versioning;

use crate::engine::check::{Area, Check, Scenario};
use crate::engine::plan::scenarios;

/// Every area, in the order in which it is shown.
pub static AREAS: &[&Area] = declared::DECLARED;

/// The faults of the scripted agent that trip a check; none for an unknown one, and none in a page.
#[must_use]
pub fn faults(check: &str) -> &'static [&'static str] {
    checks().find(|known| known.id == check).map_or(&[], |check| check.faults.ids())
}

/// Every check.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    declarations().map(|(_, _, check)| check)
}

/// Every check, with the area and the scenario that it is declared in.
pub fn declarations() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    scenarios(AREAS).flat_map(|(area, scenario)| scenario.checks.iter().map(move |check| (area, scenario, check)))
}
