//! The plan: which scenarios run on which lane, what they cost, and which rows they fill.

use std::rc::Rc;

use super::check::{Area, Scenario, Scope};
use super::event::Row;
use super::options::Options;
use super::transcript::{Lane, RunFacts};
use super::verdict::Verdict;

/// A scenario of the plan.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The scenario.
    pub scenario: &'static Scenario,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Why it is not driven, if it is not: the verdict of all its rows.
    pub without: Option<Verdict>,
}

/// The scenarios of a suite with their areas, in order.
pub fn scenarios(areas: &'static [&'static Area]) -> impl Iterator<Item = (&'static Area, &'static Scenario)> {
    areas.iter().flat_map(|area| area.scenarios.iter().map(|scenario| (*area, *scenario)))
}

/// The plan of one lane, or of the card when there is none: every scenario that has a check for it. `peer` is the lane that
/// this one is compared with.
#[must_use]
pub fn plan(
    areas: &'static [&'static Area],
    lane: Option<&Rc<Lane>>,
    peer: Option<&Rc<Lane>>,
    facts: &RunFacts,
    options: &Options,
) -> Vec<Planned> {
    let fits = |scenario: &Scenario| match scenario.scope {
        Scope::Agent => lane.is_none(),
        Scope::Lane | Scope::Traffic => lane.is_some(),
        Scope::Pair => peer.is_some(),
    };
    let version = lane.map_or(facts.version, |lane| lane.dialect.version);
    let binding = lane.map(|lane| lane.binding.slug);
    let mut planned: Vec<Planned> = scenarios(areas)
        .filter(|(_, scenario)| fits(scenario))
        .map(|(area, scenario)| {
            let checks = scenario.checks.iter().filter(|check| check.applies(version, binding));
            let rows: Vec<Row> =
                checks.map(|check| Row { check, scenario, area, lane: lane.cloned(), version }).collect();
            Planned { scenario, rows, without: (scenario.needs)(facts).err() }
        })
        .filter(|planned| !planned.rows.is_empty())
        .collect();
    if !options.only.is_empty() {
        filter(&mut planned, options);
    }
    planned
}

/// Marks the scenarios that need not be driven: no check of theirs is wanted, and none that is driven builds on them.
fn filter(planned: &mut [Planned], options: &Options) {
    let asked = |planned: &Planned| planned.rows.iter().any(|row| options.wants(row.check.id));
    let mut needed: Vec<&'static str> = Vec::new();
    let mut pending: Vec<&Planned> = planned.iter().filter(|planned| asked(planned)).collect();
    // A check over all traffic needs the traffic of the lane's other scenarios.
    let traffic = pending.iter().any(|planned| planned.scenario.scope == Scope::Traffic);
    while let Some(next) = pending.pop() {
        if !needed.contains(&next.scenario.id) {
            needed.push(next.scenario.id);
            let sources = |other: &Scenario| {
                next.scenario.after.contains(&other.id) || next.scenario.judged_after.contains(&other.id)
            };
            pending.extend(planned.iter().filter(|other| sources(other.scenario)));
        }
    }
    for planned in planned {
        let traffic_source = traffic && planned.scenario.scope == Scope::Lane;
        if !needed.contains(&planned.scenario.id) && !traffic_source && planned.without.is_none() {
            planned.without = Some(Verdict::not_run("no check of this scenario was selected"));
        }
    }
}

/// How many messages a plan sends at most.
#[must_use]
pub fn messages(plan: &[Planned]) -> u32 {
    plan.iter().filter(|planned| planned.without.is_none()).map(|planned| planned.scenario.messages).sum()
}
