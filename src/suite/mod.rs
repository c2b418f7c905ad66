//! The suite: what is checked. One folder per area, one file per scenario with its checks.
//!
//! `docs/ADDING-A-CHECK.md` shows how a check comes in.

pub mod agentbin;
pub mod agents;
pub mod areas;
pub mod auth;
pub mod card;
mod completed_refusal;
pub mod delegation;
pub mod discovery;
pub mod errors;
pub mod extensions;
pub mod gateway;
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
use crate::engine::options::Options;
use crate::engine::plan::scenarios;
use crate::engine::prompt::Profile;

/// Every area, in the order in which it is shown.
pub static AREAS: &[&Area] = areas::ALL;

/// The same, and behind them AgentBin's acceptance list.
static WITH_AGENTBIN: &[&Area] = &followed_by::<{ AREAS.len() + 1 }>(AREAS, &agentbin::AREA);

/// The areas, and behind them what is compared through a gateway.
static WITH_GATEWAY: &[&Area] = &followed_by::<{ AREAS.len() + 1 }>(AREAS, &gateway::AREA);

/// All of these.
static WITH_BOTH: &[&Area] = &followed_by::<{ AREAS.len() + 2 }>(WITH_AGENTBIN, &gateway::AREA);

/// The four lists, and behind each what is checked under load.
static UNDER_LOAD: [&[&Area]; 4] = [
    &followed_by::<{ AREAS.len() + 1 }>(AREAS, &load::AREA),
    &followed_by::<{ AREAS.len() + 2 }>(WITH_AGENTBIN, &load::AREA),
    &followed_by::<{ AREAS.len() + 2 }>(WITH_GATEWAY, &load::AREA),
    &followed_by::<{ AREAS.len() + 3 }>(WITH_BOTH, &load::AREA),
];

/// The four lists and those under load, and behind each what is checked of delegation.
static WITH_DELEGATION: [[&[&Area]; 4]; 2] = [
    [
        &followed_by::<{ AREAS.len() + 1 }>(AREAS, &delegation::AREA),
        &followed_by::<{ AREAS.len() + 2 }>(WITH_AGENTBIN, &delegation::AREA),
        &followed_by::<{ AREAS.len() + 2 }>(WITH_GATEWAY, &delegation::AREA),
        &followed_by::<{ AREAS.len() + 3 }>(WITH_BOTH, &delegation::AREA),
    ],
    [
        &followed_by::<{ AREAS.len() + 2 }>(UNDER_LOAD[0], &delegation::AREA),
        &followed_by::<{ AREAS.len() + 3 }>(UNDER_LOAD[1], &delegation::AREA),
        &followed_by::<{ AREAS.len() + 3 }>(UNDER_LOAD[2], &delegation::AREA),
        &followed_by::<{ AREAS.len() + 4 }>(UNDER_LOAD[3], &delegation::AREA),
    ],
];

/// What is checked on request alone, under load and of delegation.
static ON_REQUEST: &[&Area] = &[&load::AREA, &delegation::AREA];

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

/// What is checked with these options: the areas of the specification, the acceptance list of the profile that the user chose where it
/// has one, and what is compared through a gateway if there is one.
#[must_use]
pub fn areas_for(options: &Options) -> &'static [&'static Area] {
    match (options.profile == Some(Profile::AgentBin), options.via.is_some()) {
        (false, false) => AREAS,
        (true, false) => WITH_AGENTBIN,
        (false, true) => WITH_GATEWAY,
        (true, true) => WITH_BOTH,
    }
}

/// The same with what is checked under load and of delegation, for a run in which the user asked for that. A page does neither.
#[must_use]
pub fn areas_on_request(options: &Options) -> &'static [&'static Area] {
    let lists = match (options.load.is_some(), options.delegation.is_some()) {
        (false, false) => return areas_for(options),
        (true, false) => UNDER_LOAD,
        (false, true) => WITH_DELEGATION[0],
        (true, true) => WITH_DELEGATION[1],
    };
    let [plain, agentbin, gateway, both] = lists;
    match (options.profile == Some(Profile::AgentBin), options.via.is_some()) {
        (false, false) => plain,
        (true, false) => agentbin,
        (false, true) => gateway,
        (true, true) => both,
    }
}

/// The declarations of what is checked under load. A page, which puts no agent under load, has none of them.
pub fn load_declarations() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    declarations_on_request().filter(|(area, ..)| area.name == load::AREA.name)
}

/// The declarations of what is checked of delegation. A page has none of them.
pub fn delegation_declarations() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    declarations_on_request().filter(|(area, ..)| area.name == delegation::AREA.name)
}

/// The declarations of what is checked on request. A page has none of them.
fn declarations_on_request() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    checks_of(if cfg!(target_arch = "wasm32") { &[] } else { ON_REQUEST })
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
    checks_of(AREAS)
}

/// The checks of two agents together, with the scenario that each is declared in. They are in no list of a run with one agent.
pub fn pair_declarations() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    let is_page = cfg!(target_arch = "wasm32");
    checks_of(if is_page { agents::SUITE.agents } else { agents::DELEGATING_SUITE.agents })
}

/// Every check of the catalogue: those of one agent, and behind them those of a gateway, of two agents, of a load and of delegation.
pub fn catalogue() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    checks_of(WITH_GATEWAY).chain(pair_declarations()).chain(declarations_on_request())
}

/// Every check of a run with one agent: the same without those of two, and with the tests of acceptance lists.
pub fn every_declaration() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    checks_of(WITH_BOTH).chain(declarations_on_request())
}

fn checks_of(
    areas: &'static [&'static Area],
) -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static Check)> {
    scenarios(areas).flat_map(|(area, scenario)| scenario.checks.iter().map(move |check| (area, scenario, check)))
}
