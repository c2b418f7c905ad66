//! Which agents the scenarios about push notification configs are for.

use crate::a2a::dialect::write::Outgoing;
use crate::engine::drive::Driver;
use crate::engine::prompt::Behaviour;
use crate::engine::transcript::RunFacts;
use crate::engine::verdict::Verdict;

/// For scenarios that need an agent that keeps push configs.
pub(super) fn declared(facts: &RunFacts) -> Result<(), Verdict> {
    if facts.declares(|card| card.push_notifications) {
        return Ok(());
    }
    Err(Verdict::excluded_by_card("the card does not declare push notifications"))
}

/// The message that makes a task that stays alive while its configs are changed (T-PUSH-6), and what it brings about. When no
/// prompt is known that does, the conversation stops.
pub(super) fn living_task(d: &Driver) -> Option<(Behaviour, Outgoing)> {
    // One that waits for input stays so for as long as we like.
    let asks = [Behaviour::InputRequired, Behaviour::Cancel, Behaviour::LongRunning];
    let known = asks.into_iter().find(|behaviour| d.facts().prompts.text(*behaviour).is_some());
    let behaviour = known.unwrap_or(Behaviour::InputRequired);
    d.prompt(behaviour).map(|message| (behaviour, message))
}
