//! Which agents the scenarios about push notification configs are for.

use crate::engine::check::{Check, Drive, Scenario};
use crate::engine::transcript::{RunFacts, Transcript};
use crate::engine::verdict::{Judged, Verdict};

/// For scenarios that need an agent that keeps push configs.
pub(super) fn declared(facts: &RunFacts) -> Result<(), Verdict> {
    if facts.declares(|card| card.push_notifications) {
        return Ok(());
    }
    Err(Verdict::excluded_by_card("the card does not declare push notifications"))
}

/// For scenarios that also need somebody who listens for notifications.
pub(super) fn received(facts: &RunFacts) -> Result<(), Verdict> {
    declared(facts)?;
    if facts.receives_notifications {
        return Ok(());
    }
    Err(Verdict::not_observable(
        "no notification can arrive here; to run this check, use the command line: a2a-conformance check URL \
         --webhook-listen 127.0.0.1:0",
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
