//! What AgentBin's tests share: claims about an answer, a state, a message, and the words of their findings. Unlike a check of the
//! specification, a test that names a prompt may expect what the prompt asks for: an agent that answers otherwise fails it.

use std::rc::Rc;

use crate::a2a::binding::ReplyKind;
use crate::a2a::model::{Artifact, Message, Part, Payload, Role, Task, TaskState};
use crate::engine::prelude::{Check, Judged, Step, Transcript, Verdict, task_of};

/// A test of the list: its id there, and the statement that holds when it passes.
pub(super) const fn test(
    id: &'static str,
    title: &'static str,
    fix: &'static str,
    faults: &'static [&'static str],
    judge: fn(&Transcript) -> Judged,
) -> Check {
    let why = "Every SDK is measured by this test, so that clients of one work with agents of another.";
    Check { id, title, why, fix, judge, ..Check::tripped_by(faults) }
}

/// Something that a test expects, whether it holds, and what there is instead.
pub(super) type Claim<'a> = (bool, &'a str, String);

/// The verdict about an answer of which all this is expected. A finding is an error, so that `?` ends the test with it.
pub(super) fn expect(step: &Step, claims: &[Claim<'_>]) -> Judged {
    match claims.iter().find(|(holds, ..)| !holds) {
        Some((_, expected, actual)) => Err(step.fail(*expected, actual.as_str())),
        None => Ok(step.pass()),
    }
}

/// The same about a step of which a task in this state is expected.
pub(super) fn expect_state(t: &Transcript, name: &str, wanted: TaskState, expected: &'static str) -> Judged {
    let (step, answer) = task(t, name)?;
    expect(step, &[in_state(answer, wanted, expected)])
}

/// The task that a step was answered with.
pub(super) fn task<'a>(t: &'a Transcript, name: &str) -> Result<(&'a Rc<Step>, &'a Task), Verdict> {
    let step = t.answered(name)?;
    Ok((step, task_of(&step.reply).ok_or_else(|| step.fail("a task", step.reply.kind.describe()))?))
}

/// The message that a step was answered with, without a task.
pub(super) fn message<'a>(t: &'a Transcript, name: &str) -> Result<(&'a Rc<Step>, &'a Message), Verdict> {
    let step = t.answered(name)?;
    match &step.reply.kind {
        ReplyKind::Result(Payload::Sent { message: Some(message), task: None }) => Ok((step, message)),
        ReplyKind::Result(Payload::Sent { message: Some(_), task: Some(_) }) => {
            Err(step.fail("a message and no task", "both a message and a task"))
        }
        other => Err(step.fail("a message and no task", other.describe())),
    }
}

/// What is expected of every message of an agent.
pub(super) fn of_message(message: &Message) -> [Claim<'static>; 3] {
    let has_id = message.message_id.as_ref().is_some_and(|id| !id.is_empty());
    [
        (message.role == Some(Role::Agent), "the role of the agent", "another role".to_owned()),
        (has_id, "a messageId", "none".to_owned()),
        (!message.parts.is_empty(), "a message with parts", "no parts".to_owned()),
    ]
}

pub(super) fn in_state(task: &Task, wanted: TaskState, expected: &'static str) -> Claim<'static> {
    (task.state == Some(wanted), expected, state(task))
}

/// The state of a task as it was written.
pub(super) fn state(task: &Task) -> String {
    task.state_text.clone().unwrap_or_else(|| "no state".to_owned())
}

pub(super) fn artifacts(task: &Task) -> &[Artifact] {
    task.artifacts.as_deref().unwrap_or_default()
}

/// That a task has an artifact with parts.
pub(super) fn has_output(task: &Task) -> Claim<'static> {
    let holds = artifacts(task).iter().any(|artifact| !artifact.parts.is_empty());
    (holds, "at least one artifact with parts", "none".to_owned())
}

/// The texts of a message, one after another.
pub(super) fn text(message: &Message) -> String {
    message.parts.iter().filter_map(Part::text).collect()
}
