//! Push notification configs.

crate::area! {
    /// What is not declared is refused.
    undeclared,
    /// Configs where they are declared.
    configs,
    /// The same before 1.0.
    older,
}

use crate::engine::take::Facts;
use crate::engine::verdict::Verdict;

/// For scenarios that need an agent that keeps push configs.
fn declared(facts: &Facts) -> Result<(), Verdict> {
    if facts.declares(|card| card.push_notifications) {
        return Ok(());
    }
    Err(Verdict::not_applicable("the card does not declare push notifications"))
}
