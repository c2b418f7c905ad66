//! The suite: what is checked. One folder per area, one file per scenario with its checks.
//!
//! `docs/ADDING-A-CHECK.md` shows how a check comes in.

pub mod agentbin;
pub mod agents;
pub mod areas;
pub mod auth;
pub mod card;
mod completed_refusal;
pub mod discovery;
pub mod errors;
pub mod extensions;
pub mod interop;
pub mod list_tasks;
pub mod load;
pub mod messaging;
pub mod multi_turn;
mod no_card;
mod noted_failure;
pub mod push;
mod signing_keys;
pub mod streaming;
pub mod subscribe;
mod task_differences;
pub mod tasks;
pub mod transport;
pub mod versioning;

use crate::engine::check::{Area, Check, Scenario};
use crate::engine::plan::scenarios;
use crate::engine::prompt::Profile;

/// Every area, in the order in which it is shown.
pub static AREAS: &[&Area] = areas::ALL;

/// The same, and behind them AgentBin's acceptance list.
static WITH_AGENTBIN: &[&Area] = &followed_by::<{ AREAS.len() + 1 }>(AREAS, &agentbin::AREA);
/// The areas, and behind them what is checked under load.
static WITH_LOAD: &[&Area] = &followed_by::<{ AREAS.len() + 1 }>(AREAS, &load::AREA);
/// All of these.
static WITH_AGENTBIN_AND_LOAD: &[&Area] = &followed_by::<{ AREAS.len() + 2 }>(WITH_AGENTBIN, &load::AREA);

/// What is checked under load alone.
static ONLY_LOAD: &[&Area] = &[&load::AREA];

/// A list of areas with one more behind them.
#[expect(clippy::indexing_slicing, reason = "this runs while it is compiled, where a wrong index is an error")]
const fn followed_by<const N: usize>(areas: &[&'static Area], last: &'static Area) -> [&'static Area; N] {
    let mut all = [&Area::EMPTY; N];
    let mut place = 0;
    while place < areas.len() {
        all[place] = areas[place];
        place += 1;
    }
    all[place] = last;
    all
}

/// What is checked under the profile that the user chose: the areas of the specification, and the profile's acceptance list where
/// it has one.
#[must_use]
pub fn areas_for(profile: Option<Profile>) -> &'static [&'static Area] {
    if profile == Some(Profile::AgentBin) { WITH_AGENTBIN } else { AREAS }
}

/// The same with what is checked under load, for a run in which the user asked for that.
#[must_use]
pub fn areas_with_load(profile: Option<Profile>) -> &'static [&'static Area] {
    if profile == Some(Profile::AgentBin) { WITH_AGENTBIN_AND_LOAD } else { WITH_LOAD }
}

/// The declarations of what is checked under load. A page, which puts no agent under load, has none of them.
pub fn load_declarations() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    let areas: &'static [&'static Area] = if cfg!(target_arch = "wasm32") { &[] } else { ONLY_LOAD };
    scenarios(areas).flat_map(|(area, scenario)| scenario.checks.iter().map(move |check| (area, scenario, check)))
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

/// The checks of two agents together, with the scenario that each is declared in. They are in no list of a run with one agent.
pub fn pair_declarations() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    scenarios(agents::SUITE.agents)
        .flat_map(|(area, scenario)| scenario.checks.iter().map(move |check| (area, scenario, check)))
}

/// Every check of the catalogue: those of one agent, behind them those of two, and those of a load.
pub fn catalogue() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    declarations().chain(pair_declarations()).chain(load_declarations())
}

/// Every check, and behind them the tests of acceptance lists and what is checked under load, with the area and the scenario that each is declared in.
pub fn every_declaration() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    scenarios(WITH_AGENTBIN)
        .flat_map(|(area, scenario)| scenario.checks.iter().map(move |check| (area, scenario, check)))
        .chain(load_declarations())
}
