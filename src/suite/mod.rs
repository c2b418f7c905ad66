//! The suite: what is checked. One folder per area, one file per scenario with its checks.
//!
//! `docs/ADDING-A-CHECK.md` shows how a check comes in.

pub mod agentbin;
pub mod agents;
pub mod areas;
pub mod auth;
pub mod card;
mod card_modes;
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

use crate::engine::check::{Area, Check, DeclaredCheck};
use crate::engine::options::{Options, matches};
use crate::engine::plan::scenarios;
use crate::engine::prompt::Profile;

/// Every area, in the order in which it is shown.
pub static AREAS: &[&Area] = areas::ALL;

/// What stands behind them where the user asks for it: AgentBin's acceptance list, what is compared through a gateway, and what is
/// checked under load and of delegation, of which a page has nothing.
const ON_REQUEST: &[&Area] = if cfg!(target_arch = "wasm32") {
    &[&agentbin::AREA, &gateway::AREA]
} else {
    &[&agentbin::AREA, &gateway::AREA, &load::AREA, &delegation::AREA]
};

// A declaration that lacks something does not compile.
const _: () = assert!(Area::are_complete(ON_REQUEST), "a check has an id, a title, a why, a fix and a fault");

/// Every list of areas: bit n of its place says whether it has `ON_REQUEST[n]`. What a list does not fill stays empty.
#[expect(clippy::indexing_slicing, reason = "this runs while it is compiled, where a wrong index is an error")]
static CHOICES: [[&Area; AREAS.len() + ON_REQUEST.len()]; 1 << ON_REQUEST.len()] = {
    let mut choices = [[&Area::EMPTY; AREAS.len() + ON_REQUEST.len()]; 1 << ON_REQUEST.len()];
    let mut place = 0;
    while place < choices.len() {
        choices[place] = choice(place);
        place += 1;
    }
    choices
};

#[expect(clippy::indexing_slicing, reason = "this runs while it is compiled, where a wrong index is an error")]
const fn choice(place: usize) -> [&'static Area; AREAS.len() + ON_REQUEST.len()] {
    let mut all = [&Area::EMPTY; AREAS.len() + ON_REQUEST.len()];
    let (mut length, mut next) = (0, 0);
    while length < AREAS.len() {
        all[length] = AREAS[length];
        length += 1;
    }
    while next < ON_REQUEST.len() {
        if place >> next & 1 == 1 {
            all[length] = ON_REQUEST[next];
            length += 1;
        }
        next += 1;
    }
    all
}

/// The areas, and behind them those on request for which this says so, in their order.
fn areas_with(wanted: [bool; 4]) -> &'static [&'static Area] {
    let places = wanted.into_iter().enumerate().take(ON_REQUEST.len());
    let place = places.filter(|(_, is_wanted)| *is_wanted).fold(0, |place, (bit, _)| place | 1 << bit);
    let length = AREAS.len() + usize::count_ones(place) as usize;
    CHOICES.get(place).and_then(|areas| areas.get(..length)).unwrap_or(AREAS)
}

/// What is checked with these options: the areas of the specification, and behind them what the user asked for.
#[must_use]
pub fn areas_for(options: &Options) -> &'static [&'static Area] {
    let is_agentbin = options.profile == Some(Profile::AgentBin);
    areas_with([is_agentbin, options.via.is_some(), options.load.is_some(), options.delegation.is_some()])
}

/// The declarations of what is checked under load. A page, which puts no agent under load, has none of them.
pub fn load_declarations() -> impl Iterator<Item = DeclaredCheck> {
    every_declaration().filter(|(area, ..)| area.name == load::AREA.name)
}

/// The declarations of what is checked of delegation. A page has none of them.
pub fn delegation_declarations() -> impl Iterator<Item = DeclaredCheck> {
    every_declaration().filter(|(area, ..)| area.name == delegation::AREA.name)
}

/// The faults of the scripted agent that trip a check; none for an unknown one, and none in a page.
#[must_use]
pub fn faults(check: &str) -> &'static [&'static str] {
    declaration(check).map_or(&[], |(.., check)| check.faults)
}

/// Every check.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    declarations().map(|(_, _, check)| check)
}

/// Every check, with the area and the scenario that it is declared in.
pub fn declarations() -> impl Iterator<Item = DeclaredCheck> {
    checks_of(AREAS)
}

/// The checks of two agents together, with the scenario that each is declared in. They are in no list of a run with one agent.
pub fn pair_declarations() -> impl Iterator<Item = DeclaredCheck> {
    let is_page = cfg!(target_arch = "wasm32");
    checks_of(if is_page { agents::SUITE.agents } else { agents::DELEGATING_SUITE.agents })
}

/// Every check of the catalogue: those of one agent, and behind them those of a gateway, of two agents, of a load and of delegation.
pub fn catalogue() -> impl Iterator<Item = DeclaredCheck> {
    let with_gateway = areas_with([false, true, false, false]);
    checks_of(with_gateway).chain(pair_declarations()).chain(load_declarations()).chain(delegation_declarations())
}

/// Every check of a run with one agent: the same without those of two, and with the tests of acceptance lists.
pub fn every_declaration() -> impl Iterator<Item = DeclaredCheck> {
    checks_of(areas_with([true; 4]))
}

/// The check with that id out of [`every_declaration`].
#[must_use]
pub fn declaration(id: &str) -> Option<DeclaredCheck> {
    every_declaration().find(|(.., check)| check.id == id)
}

/// The first of these patterns that matches no check of a run, of two agents together only where there are two.
#[must_use]
pub fn matching_nothing(only: &[String], are_two: bool) -> Option<&String> {
    only.iter().find(|pattern| {
        let of_pairs = pair_declarations().filter(|_| are_two);
        !every_declaration().chain(of_pairs).any(|(.., check)| matches(pattern, check.id))
    })
}

fn checks_of(areas: &'static [&'static Area]) -> impl Iterator<Item = DeclaredCheck> {
    scenarios(areas).flat_map(|(area, scenario)| scenario.checks.iter().map(move |check| (area, scenario, check)))
}
