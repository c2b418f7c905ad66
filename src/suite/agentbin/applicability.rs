//! Which of AgentBin's agents the card is of, and so which tests of the list apply.

use crate::engine::prelude::{RunFacts, Verdict};

/// Whether the card is that of an agent with a skill for each behaviour, and not that of the echo.
fn is_spec(facts: &RunFacts) -> bool {
    facts.card.iter().flat_map(|card| &card.skills).any(|skill| skill.id == "task-lifecycle")
}

/// For tests of `/spec`.
pub(super) fn spec_only(facts: &RunFacts) -> Result<(), Verdict> {
    if is_spec(facts) {
        return Ok(());
    }
    Err(Verdict::not_applicable("this test is for the agent /spec, whose card has the skill task-lifecycle"))
}

/// For tests of `/echo`.
pub(super) fn echo_only(facts: &RunFacts) -> Result<(), Verdict> {
    if !is_spec(facts) {
        return Ok(());
    }
    Err(Verdict::not_applicable("this test is for the agent /echo, whose card has no skill task-lifecycle"))
}
