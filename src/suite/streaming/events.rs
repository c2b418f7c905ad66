//! What the scenarios with streams share: which agents take part, and how the task, state and end are read from events.

use crate::a2a::binding::ReplyKind;
use crate::a2a::model::{StreamEvent, TaskState};
use crate::engine::prelude::{RunFacts, Step, Transcript, Verdict, task_of};
use crate::engine::transcript::NumberedEvents;

/// Streaming is optional: agents that do not declare it are not asked for it.
pub(in crate::suite) fn declared(facts: &RunFacts) -> Result<(), Verdict> {
    facts.declared("streaming", |card| card.streaming)
}

/// The events of a stream that shows a task; *inconclusive* when it holds a single message.
pub(super) fn task_events<'a>(t: &'a Transcript, name: &str) -> Result<NumberedEvents<'a>, Verdict> {
    let (step, events) = t.events(name)?;
    match events.first() {
        Some((_, StreamEvent::Message(_))) => Err(step.inconclusive(
            "the agent streamed a message, which is allowed; to run this check, use a prompt \"stream\" that makes \
             it stream a task",
        )),
        _ => Ok((step, events)),
    }
}

/// Whether any of these events tells of the end of a task.
pub(in crate::suite) fn shows_end(events: &[(usize, &StreamEvent)]) -> bool {
    events.iter().any(|(_, event)| is_end(event))
}

pub(in crate::suite) fn is_end(event: &StreamEvent) -> bool {
    event.state().is_some_and(TaskState::is_terminal)
}

/// The id of the task that a stream showed.
pub(in crate::suite) fn streamed_task(step: &Step) -> Option<String> {
    let ReplyKind::Stream(items) = &step.reply.kind else { return task_of(&step.reply)?.id.clone() };
    items.iter().find_map(|item| item.kind.event()?.task_id()).map(str::to_owned)
}

/// Whether the lane's version marks the last event, and lets a stream begin with any.
pub(super) fn is_older(t: &Transcript) -> bool {
    t.lane.as_ref().is_some_and(|lane| lane.dialect.forms.marks_last)
}
