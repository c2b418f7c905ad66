//! Ids that the client brings: a message to an unknown task, and a context of its own, in whatever form.

use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{ErrorName, Payload};
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Transcript, Verdict};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "ids",
    title: "Send messages with ids chosen by the client",
    messages: 2,
    after: &["send"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "send.unknown-task-refused",
        title: "A message to an unknown task is refused",
        why: "A message to a task that does not exist is a mistake the client must learn of; creating the task would \
              let strangers choose task ids.",
        fix: "When message.taskId is set, look the task up, and return TaskNotFoundError if it does not exist.",
        requirements: &["send.unknown-task-id", "send.v03.unknown-task-id"],
        judge: refused,
        ..Check::tripped_by(&["unknown-task-id-accepted"])
    },
    Check {
        id: "send.unknown-task-id",
        title: "A message to an unknown task returns TaskNotFoundError",
        why: "Clients tell by the code whether the task is gone or something failed.",
        fix: "Return -32001 (TaskNotFoundError).",
        requirements: &["send.unknown-task-id", "send.v03.unknown-task-id"],
        judge: not_found,
        ..Check::tripped_by(&["unknown-task-id-internal"])
    },
    Check {
        id: "context.client-id",
        title: "A client's own contextId is kept or refused",
        why: "A client groups its conversations by the contextId it chose; replacing it splits them.",
        fix: "Use the contextId that the client sends, or refuse the message; never replace it.",
        judge: client_context,
        ..Check::tripped_by(&["context-replaced"])
    },
    Check {
        id: "context.any-form",
        title: "A contextId of any form is kept or refused",
        why: "The id of a context is a text; a client that names its contexts in words must not break the agent.",
        fix: "Take any text for a contextId, or refuse the message as one with invalid parameters.",
        judge: any_form,
        ..Check::tripped_by(&["context-words-internal"])
    },
];

/// The step that sends a message in a context of the client's, and that asks for the task to be rejected where it is known how.
pub(in crate::suite) const OWN_CONTEXT: &str = "own-context";

/// The step that asks for that in versions whose contexts are the agent's own.
pub(in crate::suite) const REJECTED_MESSAGE: &str = "rejected";

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::Complete) else { return };
    let stray = Outgoing { task_id: Some(d.fresh_id()), message_id: d.fresh_id(), ..message.clone() };
    let mut sends = vec![d.send("unknown-task", &stray)];
    // Which task comes of the message does not matter here, so it is one that other checks want to see rejected.
    let rejected = d.facts().prompts.text(Behaviour::Reject).map(|text| d.outgoing(text));
    let (own, refused);
    if d.has_check("context.client-id") {
        let message = rejected.unwrap_or_else(|| Outgoing { message_id: d.fresh_id(), ..message });
        own = Outgoing { context_id: Some(d.fresh_id()), ..message };
        sends.push(d.send(OWN_CONTEXT, &own));
    } else if let Some(message) = rejected {
        refused = Outgoing { context_id: Some(IN_WORDS.to_owned()), ..message };
        sends.push(d.send(OWN_CONTEXT, &refused));
    }
    d.together(sends).await;
    // An agent may refuse contexts that are not its own.
    if !d.has_check("context.client-id")
        && let Some(refused) = d.last(OWN_CONTEXT)
        && matches!(refused.reply.kind, ReplyKind::Error(_))
        && let Some(text) = d.facts().prompts.text(Behaviour::Reject)
    {
        d.send(REJECTED_MESSAGE, &d.outgoing(text)).await;
    }
}

/// A context of the client's that is named in words.
const IN_WORDS: &str = "a2a-conformance: in words";

/// T-CTX-2: whether contexts of a client's are taken is up to the agent.
fn any_form(t: &Transcript) -> Judged {
    let step = t.answered(OWN_CONTEXT).map_err(|why| match t.facts.prompts.text(Behaviour::Reject) {
        Some(_) => why,
        None => Verdict::not_applicable(
            "no prompt is known for a message whose context does not matter; to run this check, set the prompt \"reject\"",
        ),
    })?;
    let breaks = matches!(&step.reply.kind, ReplyKind::Error(error)
        if error.is(ErrorName::Internal) && error.may_be.is_empty() || error.status >= 500);
    // An agent that breaks without it, too, does so for another reason.
    if breaks {
        t.succeeded(REJECTED_MESSAGE)?;
    }
    let expected = format!("the contextId \"{IN_WORDS}\" to be kept, or refused as the client's mistake");
    step.claim(!breaks, &expected, step.reply.kind.describe(), "")
}

fn refused(t: &Transcript) -> Judged {
    t.refused_somehow("unknown-task", "a message to a task that does not exist")
}

fn not_found(t: &Transcript) -> Judged {
    t.refused("unknown-task")?;
    t.refused_as("unknown-task", "a message to a task that does not exist", &[ErrorName::TaskNotFound])
}

fn client_context(t: &Transcript) -> Judged {
    let step = t.answered(OWN_CONTEXT)?;
    let sent = step.sent.message().and_then(|message| message.get("contextId")?.as_str());
    let (context, at) = match &step.reply.kind {
        // Refusing a foreign context is the agent's right (T-CTX-2).
        ReplyKind::Error(_) => {
            return Ok(step.pass_with("the agent refuses a contextId chosen by the client"));
        }
        ReplyKind::Result(Payload::Sent { task: Some(task), .. }) => (&task.context_id, &task.at),
        ReplyKind::Result(Payload::Sent { message: Some(message), .. }) => (&message.context_id, &message.at),
        other => {
            return Err(step.blocked(format!("the message was answered with {}", other.describe())));
        }
    };
    match context {
        Some(context) => {
            let expected = format!("contextId {}", sent.unwrap_or_default());
            step.claim(sent == Some(context.as_str()), &expected, context.as_str(), at.key("contextId"))
        }
        None => Err(step.inconclusive("the response has no contextId")),
    }
}
