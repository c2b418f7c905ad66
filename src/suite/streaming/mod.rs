//! Streams that a send opens.

pub(super) use stream::streamed_task;

use crate::a2a::model::StreamEvent;
use crate::engine::transcript::{NumberedEvents, RunFacts, Transcript};
use crate::engine::verdict::Verdict;

mod message_stream;
mod options;
mod stream;
mod undeclared;

use crate::engine::check::{Area, Category};

/// Streams that a send opens.
pub static AREA: Area = Area {
    name: "streaming",
    category: Category::Streaming,
    is_optional: true,
    scenarios: &[&stream::SCENARIO, &message_stream::SCENARIO, &options::SCENARIO, &undeclared::SCENARIO],
};

/// Streaming is optional: agents that do not declare it are not asked for it.
///
/// # Errors
/// *Not applicable* for an agent that does not declare streaming.
pub fn declared(facts: &RunFacts) -> Result<(), Verdict> {
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
pub fn task_events<'a>(t: &'a Transcript, name: &str) -> Result<NumberedEvents<'a>, Verdict> {
    let (step, events) = t.events(name)?;
    match events.first() {
        Some((_, StreamEvent::Message(_))) => Err(Verdict::inconclusive(
            "the agent streamed a message, as it may; a prompt that makes it stream a task \
                 would let this be checked",
        )
        .seen_in(step.exchange.id)),
        _ => Ok((step, events)),
    }
}

/// The state an event tells of.
#[must_use]
pub fn state_of(event: &StreamEvent) -> Option<crate::a2a::model::TaskState> {
    match event {
        StreamEvent::Task(task) => task.state,
        StreamEvent::Status(update) => update.state,
        _ => None,
    }
}
