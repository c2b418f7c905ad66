//! Who may call.

crate::area! {
    /// Calls without credentials and with made-up ones.
    refused,
    /// The same for a task that is there.
    tasks,
}

use crate::a2a::binding::Said;
use crate::engine::take::{Facts, Step};
use crate::engine::verdict::Verdict;

/// For scenarios that need an agent that asks for credentials.
///
/// # Errors
/// *Not applicable* when the card requires none.
fn required(facts: &Facts) -> Result<(), Verdict> {
    if facts.declares(|card| card.requires_auth) {
        Ok(())
    } else {
        Err(Verdict::not_applicable("the card requires no credentials"))
    }
}

/// Whether the agent let a call in: a result, or a stream.
fn let_in(step: &Step) -> bool {
    matches!(step.reply.said, Said::Result(_) | Said::Stream(_))
}
