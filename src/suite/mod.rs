//! The suite: what is checked. One folder per area, one file per scenario with its checks.
//!
//! `docs/ADDING-A-CHECK.md` shows how a check comes in.

pub mod agentbin;
pub mod areas;
pub mod auth;
pub mod card;
mod completed_refusal;
pub mod discovery;
pub mod errors;
pub mod extensions;
pub mod gateway;
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
use crate::engine::options::Options;
use crate::engine::plan::scenarios;
use crate::engine::prompt::Profile;

/// Every area, in the order in which it is shown.
pub static AREAS: &[&Area] = areas::ALL;

/// The same, and behind them AgentBin's acceptance list.
#[expect(clippy::indexing_slicing, reason = "this runs while it is compiled, where a wrong index is an error")]
static WITH_AGENTBIN: &[&Area] = &{
    let mut all = [&Area::EMPTY; AREAS.len() + 1];
    let mut place = 0;
    while place < AREAS.len() {
        all[place] = AREAS[place];
        place += 1;
    }
    all[place] = &agentbin::AREA;
    all
};

/// The areas of the specification, and behind them what is compared through a gateway.
static WITH_GATEWAY: &[&Area] = &with_gateway::<{ AREAS.len() + 1 }>(AREAS);

/// All of them.
static EVERY_AREA: &[&Area] = &with_gateway::<{ AREAS.len() + 2 }>(WITH_AGENTBIN);

#[expect(clippy::indexing_slicing, reason = "this runs while it is compiled, where a wrong index is an error")]
const fn with_gateway<const LENGTH: usize>(areas: &'static [&'static Area]) -> [&'static Area; LENGTH] {
    let mut all: [&Area; LENGTH] = [&gateway::AREA; LENGTH];
    let mut place = 0;
    while place < areas.len() {
        all[place] = areas[place];
        place += 1;
    }
    all
}

/// What is checked with these options: the areas of the specification, the acceptance list of the profile that the user chose where it
/// has one, and what is compared through a gateway if there is one.
#[must_use]
pub fn areas_for(options: &Options) -> &'static [&'static Area] {
    match (options.profile == Some(Profile::AgentBin), options.via.is_some()) {
        (false, false) => AREAS,
        (true, false) => WITH_AGENTBIN,
        (false, true) => WITH_GATEWAY,
        (true, true) => EVERY_AREA,
    }
}

/// The faults of the scripted agent that trip a check; none for an unknown one, and none in a page.
#[must_use]
pub fn faults(check: &str) -> &'static [&'static str] {
    every_declaration()
        .map(|(_, _, check)| check)
        .find(|known| known.id == check)
        .map_or(&[], |check| check.faults.ids())
}

/// Every check.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    declarations().map(|(_, _, check)| check)
}

/// Every check, with the area and the scenario that it is declared in.
pub fn declarations() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    scenarios(AREAS).flat_map(|(area, scenario)| scenario.checks.iter().map(move |check| (area, scenario, check)))
}

/// Every check, and behind them those of a gateway: what is listed for people.
pub fn catalogue() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    scenarios(WITH_GATEWAY)
        .flat_map(|(area, scenario)| scenario.checks.iter().map(move |check| (area, scenario, check)))
}

/// Every check, and behind them the tests of acceptance lists and those of a gateway, with the area and the scenario that each is declared in.
pub fn every_declaration() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    scenarios(EVERY_AREA).flat_map(|(area, scenario)| scenario.checks.iter().map(move |check| (area, scenario, check)))
}
