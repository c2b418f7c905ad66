//! Functions that the scenarios with streams share: which agents take part, and how an event is read.

use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::model::StreamEvent;
use crate::engine::drive::task_of;
use crate::engine::transcript::{NumberedEvents, RunFacts, Step, Transcript};
use crate::engine::verdict::Verdict;

/// Streaming is optional: agents that do not declare it are not asked for it.
///
/// # Errors
/// *Not applicable* for an agent that does not declare streaming.
pub(in crate::suite) fn declared(facts: &RunFacts) -> Result<(), Verdict> {
    facts.declared("streaming", |card| card.streaming)
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

/// The id of the task that a stream showed.
pub(in crate::suite) fn streamed_task(step: &Step) -> Option<String> {
    let ReplyKind::Stream(items) = &step.reply.kind else { return task_of(&step.reply)?.id.clone() };
    items.iter().find_map(|item| match &item.kind {
        StreamItemKind::Event(event) => match event {
            StreamEvent::Task(task) => task.id.clone(),
            StreamEvent::Status(update) => update.task_id.clone(),
            StreamEvent::Artifact(update) => update.task_id.clone(),
            _ => None,
        },
        _ => None,
    })
}

/// Whether the lane's version marks the last event, and lets a stream begin with any.
pub(super) fn is_older(t: &Transcript) -> bool {
    t.lane.as_ref().is_some_and(|lane| lane.dialect.forms.marks_last)
}
