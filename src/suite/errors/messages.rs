//! Messages that lack something they must have. An agent that takes them may start to work on them.

use futures_util::future::LocalBoxFuture;
use serde_json::json;

use crate::a2a::model::Operation;
use crate::engine::check::anyone;
use crate::engine::drive::Driver;
use crate::engine::prompt::Behaviour;
use crate::engine::take::Take;
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;
use crate::wire::json::Value;

scenario! {
    "incomplete-messages", "Send incomplete messages", in Errors, scope: Lane,
    messages: 0, streams: 0, after: ["send"], needs: anyone, drive: drive,
    checks: {
        /// Without a message there is nothing to work on.
        ///
        /// Fix: Require message in SendMessage and answer Invalid params without it.
        "send.missing-message", "A send without a message is refused",
        requires: ["send.missing-message"], faults: ["send-empty-accepted"], judge: no_message;

        /// A message without an id cannot be told from its repetition, and one without parts says nothing.
        ///
        /// Fix: Require messageId, role and parts, and name the missing one in the error.
        "send.missing-required-fields", "A message that lacks a required member is refused",
        requires: ["send.missing-required-fields"], faults: ["incomplete-message-accepted"], judge: incomplete;

        /// A role that does not exist is a mistake that the client must hear of.
        ///
        /// Fix: Refuse enum names that the proto does not have.
        "send.invalid-enum", "An unknown role is refused",
        requires: ["send.invalid-enum"], faults: ["unknown-role-accepted"], judge: role;
    }
}

const INCOMPLETE: [(&str, &str, &str); 3] = [
    ("no-message-id", "messageId", "a message without messageId"),
    ("no-role", "role", "a message without a role"),
    ("no-parts", "parts", "a message without parts"),
];

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        d.call("empty", d.operation(Operation::SendMessage, json!({}))).await;
        let Some(message) = d.prompt(Behaviour::Complete) else { return };
        let whole = |d: &Driver| {
            let outgoing = d.outgoing(message.text.clone());
            (d.dialect().send_params)(d.dialect(), &outgoing)
        };
        for (step, member, _) in INCOMPLETE {
            let mut params = whole(d);
            if let Some(message) = params.get_mut("message").and_then(Value::as_object_mut) {
                message.remove(member);
            }
            d.call(step, d.operation(Operation::SendMessage, params)).await;
        }
        let mut params = whole(d);
        if let Some(role) = params.pointer_mut("/message/role") {
            *role = Value::from("ROLE_ROBOT");
        }
        d.call("role", d.operation(Operation::SendMessage, params)).await;
    })
}

fn no_message(t: &Take) -> Judged {
    t.refused_somehow("empty", "a send without a message")
}

fn incomplete(t: &Take) -> Judged {
    for (step, _, what) in INCOMPLETE {
        let verdict = t.refused_somehow(step, what)?;
        if verdict.expected.is_some() {
            return Ok(verdict);
        }
    }
    Ok(Verdict::pass())
}

fn role(t: &Take) -> Judged {
    t.refused_somehow("role", "a message with the role ROLE_ROBOT")
}
