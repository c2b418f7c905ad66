//! For which agents the scenarios about push notifications are, and the message that makes a task live long enough for them.

use crate::a2a::dialect::write::Outgoing;
use crate::engine::check::Drive;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, RunFacts, Scenario, Transcript, Verdict};

/// For scenarios that need an agent that keeps push configs.
pub(in crate::suite) fn declared(facts: &RunFacts) -> Result<(), Verdict> {
    facts.declared("push notifications", |card| card.push_notifications)
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

/// For scenarios that also need somebody who listens for notifications.
pub(super) fn received(facts: &RunFacts) -> Result<(), Verdict> {
    declared(facts)?;
    if facts.receives_notifications {
        return Ok(());
    }
    Err(Verdict::not_observable(
        "nobody listens for notifications in this run; to run this check, use a2a-conformance check URL, which listens for those \
         of an agent on the same machine, and with --webhook-listen and --webhook-url for those of others",
    ))
}

/// The judgement of a check of [`received`] scenarios. A page has no use for it, so its module does without the code.
pub(super) const fn judged_natively(judge: fn(&Transcript) -> Judged) -> fn(&Transcript) -> Judged {
    if cfg!(target_arch = "wasm32") { Check::DEFAULTS.judge } else { judge }
}

/// The same for the conversation.
pub(super) const fn driven_natively(drive: Drive) -> Drive {
    if cfg!(target_arch = "wasm32") { Scenario::DEFAULTS.drive } else { drive }
}
