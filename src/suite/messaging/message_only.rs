//! A message that the agent answers with a message, without making a task.

use futures_util::future::LocalBoxFuture;

use crate::a2a::model::Payload;
use crate::a2a::rule::Rule;
use crate::engine::check::anyone;
use crate::engine::drive::Driver;
use crate::engine::prompt::Behaviour;
use crate::engine::take::Take;
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;
use crate::suite::broken;

scenario! {
    "message-only", "Send a message that is answered with a message", in Messaging, scope: Lane,
    messages: 1, streams: 0, after: ["probe"], needs: anyone, drive: drive,
    checks: {
        /// A client that finds the message anywhere else takes the answer for empty.
        ///
        /// Fix: Answer {"message": {...}} in result, with nothing beside it.
        "send.message-answer", "An answering message stands in the member message",
        requires: ["send.task-or-message"], faults: ["send-unwrapped", "send-both"], judge: stands_alone;

        /// By its kind a client tells a message from a task.
        ///
        /// Fix: Answer the message itself as result, with kind "message", messageId, role and parts.
        "send.message-kind", "An answering message says its kind",
        requires: ["send.v03.message-shape"], faults: ["message-no-kind"], judge: says_kind;
    }
}

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        // With an ordinary agent nothing is known that would bring a message about; its first answer may be one.
        let Some(message) = d.prompt(Behaviour::MessageOnly) else { return };
        d.send("send", &message).await;
    })
}

fn stands_alone(t: &Take) -> Judged {
    let (step, payload) = t.succeeded("send")?;
    match (step.reply.notes.broken(Rule::SendPayload), payload) {
        (Some(place), _) => Ok(broken(step, place)),
        (None, Payload::Sent { message: Some(_), .. }) => Ok(Verdict::pass().seen_in(step.exchange.id)),
        (None, _) => Err(Verdict::inconclusive("the agent answered with a task").seen_in(step.exchange.id)),
    }
}

fn says_kind(t: &Take) -> Judged {
    let (step, payload) = t.succeeded("send")?;
    let Payload::Sent { message: Some(_), .. } = payload else {
        return Err(Verdict::inconclusive("the agent made a task, as it may"));
    };
    for rule in [Rule::SendPayload, Rule::Kind, Rule::MessageMembers] {
        if let Some(place) = step.reply.notes.broken(rule) {
            return Ok(broken(step, place));
        }
    }
    Ok(Verdict::pass().seen_in(step.exchange.id))
}
