//! Which agents the scenarios about push notification configs are for.

use crate::engine::transcript::RunFacts;
use crate::engine::verdict::Verdict;

/// For scenarios that need an agent that keeps push configs.
pub(super) fn declared(facts: &RunFacts) -> Result<(), Verdict> {
    if facts.declares(|card| card.push_notifications) {
        return Ok(());
    }
    Err(Verdict::excluded_by_card("the card does not declare push notifications"))
}
