//! Ids that the client brings: a task that does not exist, a context of its own.

use futures_util::future::LocalBoxFuture;

use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{ErrorName, Payload};
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::Driver;
use crate::engine::prompt::Behaviour;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "ids",
    title: "Send messages with ids of the client's making",
    scope: Scope::Lane,
    messages: 2,
    after: &["send"],
    drive,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[
    Check {
        id: "send.unknown-task-refused",
        title: "A message to an unknown task is refused",
        why: "A message into a task that does not exist is a mistake that the client must hear of; making such a task \
              hands the naming of tasks to strangers.",
        fix: "When message.taskId is set, look the task up, and answer TaskNotFoundError when there is none.",
        requirements: &["send.unknown-task-id", "send.v03.unknown-task-id"],
        faults: tripped_by(&["unknown-task-id-accepted"]),
        judge: refused,
        ..Check::DEFAULTS
    },
    Check {
        id: "send.unknown-task-id",
        title: "A message to an unknown task gives TaskNotFoundError",
        why: "Clients decide by the code whether the task is gone or something broke.",
        fix: "Answer -32001 (TaskNotFoundError).",
        requirements: &["send.unknown-task-id", "send.v03.unknown-task-id"],
        faults: tripped_by(&["unknown-task-id-internal"]),
        judge: not_found,
        ..Check::DEFAULTS
    },
    Check {
        id: "context.client-id",
        title: "A context of the client's is kept or refused",
        why: "A client groups its conversations by the contextId it chose; another one splits them.",
        fix: "Use a contextId that the client brings, or refuse the message; never put another in its place.",
        faults: tripped_by(&["context-replaced"]),
        judge: client_context,
        ..Check::DEFAULTS
    },
];

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let Some(message) = d.prompt(Behaviour::Complete) else { return };
        let stray = Outgoing { task_id: Some(d.fresh()), message_id: d.fresh(), ..message.clone() };
        d.send("unknown-task", &stray).await;
        let own = Outgoing { context_id: Some(d.fresh()), message_id: d.fresh(), ..message };
        if d.asks("context.client-id") {
            d.send("own-context", &own).await;
        }
    })
}

fn refused(t: &Transcript) -> Judged {
    t.refused_somehow("unknown-task", "a message to a task that does not exist")
}

fn not_found(t: &Transcript) -> Judged {
    t.refused("unknown-task")?;
    t.refused_as("unknown-task", "a message to a task that does not exist", &[ErrorName::TaskNotFound])
}

fn client_context(t: &Transcript) -> Judged {
    let step = t.answered("own-context")?;
    let id = step.exchange.id;
    let sent =
        step.sent.params.as_ref().and_then(|params| params.pointer("/message/contextId")?.as_str().map(str::to_owned));
    let (context, at) = match &step.reply.kind {
        // Refusing a foreign context is the agent's right (T-CTX-2).
        ReplyKind::Error(_) => {
            return Ok(Verdict::pass_with("the agent refuses contexts of the client's making").seen_in(id));
        }
        ReplyKind::Result(Payload::Sent { task: Some(task), .. }) => (&task.context_id, &task.at),
        ReplyKind::Result(Payload::Sent { message: Some(message), .. }) => (&message.context_id, &message.at),
        other => {
            return Err(Verdict::blocked(format!("the message was answered with {}", other.describe())).seen_in(id));
        }
    };
    match context {
        Some(context) if Some(context) == sent.as_ref() => Ok(Verdict::pass().seen_in(id)),
        Some(context) => {
            let expected = format!("contextId {}", sent.unwrap_or_default());
            Ok(Verdict::fail(id, expected, context.as_str()).at(at.key("contextId").as_str()))
        }
        None => Err(Verdict::inconclusive("the answer names no context at all").seen_in(id)),
    }
}
