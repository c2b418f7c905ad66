//! The plan: which scenarios run on which lane, what they cost in messages, which rows they fill, and what only a thorough run
//! drives.

use std::rc::Rc;

use super::check::{Area, Scenario, Scope};
use super::event::{LeftOut, Row};
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
    let fits = |scope: Scope| match scope {
        Scope::Agent => lane.is_none(),
        Scope::Lane | Scope::Traffic => lane.is_some(),
        Scope::Pair => peer.is_some(),
        Scope::Gateway => lane.is_some() && facts.gateway.is_some(),
        // `run/gateway.rs` plans what is about a gateway's card, `run/pair.rs` about two agents, `run/on_request.rs` a load or delegation.
        Scope::GatewayCard | Scope::TwoAgents | Scope::EachAgent | Scope::Load | Scope::Delegation => false,
    };
    plan_where(areas, lane, facts, options, fits)
}

/// The plan of those scenarios whose scope fits, on a lane, or without one: every such scenario that has a check for it.
#[must_use]
pub fn plan_where(
    areas: &'static [&'static Area],
    lane: Option<&Rc<Lane>>,
    facts: &RunFacts,
    options: &Options,
    fits: impl Fn(Scope) -> bool,
) -> Vec<Planned> {
    let version = lane.map_or(facts.version, |lane| lane.dialect.version);
    let mut planned: Vec<Planned> = scenarios(areas)
        .filter(|(_, scenario)| fits(scenario.scope) && is_driven(scenario, options))
        .map(|(area, scenario)| {
            let rows = rows(area, scenario, lane, version);
            Planned { scenario, rows, without: (scenario.needs)(facts).err() }
        })
        .filter(|planned| !planned.rows.is_empty())
        .collect();
    if !options.only.is_empty() {
        filter(&mut planned, options);
    }
    planned
}

/// The rows of a scenario: of its checks that apply to the version and to the binding of the lane.
#[must_use]
pub fn rows(
    area: &'static Area,
    scenario: &'static Scenario,
    lane: Option<&Rc<Lane>>,
    version: &'static str,
) -> Vec<Row> {
    let checks = scenario.checks.iter().filter(|check| check.applies(version, lane.map(|lane| lane.binding.slug)));
    checks.map(|check| Row { check, scenario, area, lane: lane.cloned(), version }).collect()
}

/// Whether a scenario belongs to the run. One that only a thorough run drives does so, too, when the user named a check of it.
fn is_driven(scenario: &Scenario, options: &Options) -> bool {
    let is_named = || !options.only.is_empty() && scenario.checks.iter().any(|check| options.wants(check.id));
    !scenario.is_thorough || options.is_thorough || is_named()
}

/// The scenarios that would be driven on these lanes if the run were a thorough one.
#[must_use]
pub fn left_out(
    areas: &'static [&'static Area],
    lanes: &[Rc<Lane>],
    facts: &RunFacts,
    options: &Options,
) -> Vec<LeftOut> {
    if !options.only.is_empty() {
        return Vec::new();
    }
    let applies = |scenario: &Scenario, lane: &Lane| {
        scenario.checks.iter().any(|check| check.applies(lane.dialect.version, Some(lane.binding.slug)))
    };
    scenarios(areas)
        .filter(|(_, scenario)| !is_driven(scenario, options) && (scenario.needs)(facts).is_ok())
        .map(|(_, scenario)| LeftOut {
            title: scenario.title.to_owned(),
            messages: lanes.iter().filter(|lane| applies(scenario, lane)).map(|_| scenario.messages).sum(),
        })
        .filter(|left_out| left_out.messages > 0)
        .collect()
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
    plan.iter().map(|planned| promised(planned) * planned.scenario.attempts).sum()
}

/// How many of them it sends, too, when the run is not a thorough one and nothing comes too late.
#[must_use]
pub fn usual_messages(plan: &[Planned]) -> u32 {
    plan.iter().filter(|planned| !planned.scenario.is_thorough).map(promised).sum()
}

fn promised(planned: &Planned) -> u32 {
    if planned.without.is_none() { planned.scenario.messages } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_that_is_not_driven_sends_no_message() {
        static ONE: Scenario = Scenario { messages: 2, attempts: 3, ..Scenario::judged_by(&[]) };
        static THOROUGH: Scenario = Scenario { messages: 5, is_thorough: true, ..Scenario::judged_by(&[]) };
        let planned = |scenario, without| Planned { scenario, rows: Vec::new(), without };
        let plan = [
            planned(&ONE, None),
            planned(&THOROUGH, None),
            planned(&ONE, Some(Verdict::not_run("no check of this scenario was selected"))),
        ];
        assert_eq!((usual_messages(&plan), messages(&plan)), (2, 2 * 3 + 5));
    }
}
