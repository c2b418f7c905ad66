//! What the scenarios with streams share: who takes part, and what an event tells.

use crate::a2a::model::StreamEvent;
use crate::engine::transcript::{NumberedEvents, RunFacts, Transcript};
use crate::engine::verdict::Verdict;

/// Streaming is optional: agents that do not declare it are not asked for it.
///
/// # Errors
/// *Not applicable* for an agent that does not declare streaming.
pub(in crate::suite) fn declared(facts: &RunFacts) -> Result<(), Verdict> {
    if facts.declares(|card| card.streaming) {
        Ok(())
    } else {
        Err(Verdict::not_applicable("the card does not declare streaming"))
    }
}

/// The events of a stream that shows a task.
///
/// # Errors
/// *Inconclusive* when it holds a single message.
pub(super) fn task_events<'a>(t: &'a Transcript, name: &str) -> Result<NumberedEvents<'a>, Verdict> {
    let (step, events) = t.events(name)?;
    match events.first() {
        Some((_, StreamEvent::Message(_))) => Err(Verdict::inconclusive(
            "the agent streamed a message, which is allowed; to run this check, use a prompt \"stream\" that makes \
             it stream a task",
        )
        .seen_in(step.exchange.id)),
        _ => Ok((step, events)),
    }
}

/// The state an event tells of.
#[must_use]
pub(in crate::suite) fn state_of(event: &StreamEvent) -> Option<crate::a2a::model::TaskState> {
    match event {
        StreamEvent::Task(task) => task.state,
        StreamEvent::Status(update) => update.state,
        _ => None,
    }
}
