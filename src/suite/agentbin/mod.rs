//! AgentBin's acceptance list, which every SDK is measured by: the tests under the ids of its dashboard, once for each binding.
//! It is no part of the specification and runs only when the profile is chosen. Which tests apply, the card says: those of
//! `/spec`, those of `/echo`, or in 0.3 those of `/spec03`.

mod answers;
mod cancel;
mod cards;
mod echo;
mod errors;
mod judging;
mod spec03;
mod streams;
mod turns;

use crate::engine::check::{Area, Category};
use crate::engine::transcript::RunFacts;
use crate::engine::verdict::Verdict;

/// AgentBin's acceptance list.
pub static AREA: Area = Area {
    name: "agentbin",
    category: Category::Interop,
    is_optional: true,
    scenarios: &[
        &cards::SCENARIO,
        &echo::SCENARIO,
        &answers::SCENARIO,
        &turns::SCENARIO,
        &cancel::SCENARIO,
        &streams::SCENARIO,
        &errors::SCENARIO,
        &spec03::SCENARIO,
    ],
};

/// Whether the card is that of an agent with a skill for each behaviour, and not that of the echo.
fn is_spec(facts: &RunFacts) -> bool {
    facts.card.iter().flat_map(|card| &card.skills).any(|skill| skill.id == "task-lifecycle")
}

/// For tests of `/spec`.
fn spec_only(facts: &RunFacts) -> Result<(), Verdict> {
    if is_spec(facts) {
        return Ok(());
    }
    Err(Verdict::not_applicable("this test is for the agent /spec, whose card has the skill task-lifecycle"))
}

/// For tests of `/echo`.
fn echo_only(facts: &RunFacts) -> Result<(), Verdict> {
    if !is_spec(facts) {
        return Ok(());
    }
    Err(Verdict::not_applicable("this test is for the agent /echo, whose card has no skill task-lifecycle"))
}
