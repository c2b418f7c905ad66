//! Incomplete and odd messages: without required members, parts or content, with an unknown role, or of a media type that the agent
//! does not take. An agent that takes them may start to work on them.

use serde_json::json;

use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{ErrorName, Operation, Payload, TaskState};
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Transcript, Verdict};
use crate::engine::shared_requests::SharedQuestion;
use crate::engine::verdict::first_finding;
use crate::wire::json::Value;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "incomplete-messages",
    title: "Send incomplete messages",
    after: &["send"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "send.missing-message",
        title: "A send without a message is refused",
        why: "Without a message, there is nothing to work on.",
        fix: "Require message in SendMessage, and return Invalid params without it.",
        judge: |t| t.refused_somehow("empty", "a send without a message"),
        ..Check::tripped_by(&["send-empty-accepted"])
    },
    Check {
        id: "send.missing-required-fields",
        title: "A message that lacks a required member is refused",
        why: "Without an id, a message cannot be told from a retry; without parts, it has no content.",
        fix: "Require messageId, role and parts, and name the missing one in the error.",
        judge: |t| first_finding(INCOMPLETE.map(|(step, _, what)| t.refused_somehow(step, what))),
        ..Check::tripped_by(&["incomplete-message-accepted"])
    },
    Check {
        id: "send.invalid-enum",
        title: "An unknown role is refused",
        why: "A role that does not exist is a mistake the client must learn of.",
        fix: "Refuse enum names that the proto does not define.",
        judge: |t| t.refused_somehow("role", ODD_ROLE),
        ..Check::tripped_by(&["unknown-role-accepted"])
    },
    Check {
        id: "send.empty-parts",
        title: "A message with an empty parts array is refused",
        why: "A message without parts has no content; an agent that accepts it works on nothing.",
        fix: "Refuse an empty parts array as an invalid parameter.",
        judge: |t| t.refused_somehow("no-part", "a message whose parts are an empty array"),
        ..Check::tripped_by(&["empty-parts-accepted"])
    },
    Check {
        id: "send.part-without-content",
        title: "A part without content is refused",
        why: "A part without text, raw, url or data usually contains a misspelt member.",
        fix: "Require exactly one content member in every part.",
        judge: |t| t.refused_somehow("empty-part", "a part without content"),
        ..Check::tripped_by(&["empty-part-accepted"])
    },
    Check {
        id: "send.content-type-not-supported",
        title: "An undeclared media type returns ContentTypeNotSupportedError",
        why: "A client that sends what the agent cannot read must learn of it before anybody waits for a result.",
        fix: "Compare the media types of parts with your input modes, and return -32005 \
              (ContentTypeNotSupportedError).",
        advisory: Some("an agent may accept anything, or leave out parts that it cannot use"),
        judge: media_type,
        ..Check::tripped_by(&["any-media-type"])
    },
    Check {
        id: "send.media-type-answered",
        title: "A message with an undeclared media type gets a response",
        why: "A client that sends what the agent cannot read must get an error, or a response to the rest of the \
              message.",
        fix: "Return -32005 (ContentTypeNotSupportedError), or ignore the parts you cannot read; never let them crash \
              the server.",
        requirements: &["send.v03.content-type-not-supported"],
        judge: media_type_answered,
        ..Check::tripped_by(&["crash-on-media-type"])
    },
];

const INCOMPLETE: [(&str, &str, &str); 3] = [
    ("no-message-id", "messageId", "a message without messageId"),
    ("no-role", "role", "a message without a role"),
    ("no-parts", "parts", "a message without parts"),
];

async fn drive(d: &Driver) {
    let mut calls = vec![d.ask("empty", SharedQuestion::EmptyMessage)];
    let Some(message) = d.prompt(Behaviour::Complete) else { return };
    let whole = || (d.dialect().send_params)(d.dialect(), &d.outgoing(message.text.clone()));
    let send = |params, what: &'static str| d.operation(Operation::SendMessage, params).called(what);
    let incomplete = if d.has_check("send.missing-required-fields") { INCOMPLETE.as_slice() } else { &[] };
    for (step, member, what) in incomplete {
        let mut params = whole();
        if let Some(message) = params.get_mut("message").and_then(Value::as_object_mut) {
            message.remove(*member);
        }
        calls.push(d.call(step, send(params, what)));
    }
    let mut params = whole();
    if let Some(role) = params.pointer_mut("/message/role") {
        *role = Value::from("ROLE_ROBOT");
    }
    if d.has_check("send.invalid-enum") {
        calls.push(d.call("role", send(params, ODD_ROLE)));
    }
    let odd = json!({ "raw": "AAECAw==", "mediaType": ODD_TYPE, "filename": "probe.bin" });
    if d.has_check("send.media-type-answered") {
        let outgoing = Outgoing { more_parts: vec![odd], ..d.outgoing(message.text.clone()) };
        calls.push(d.call("media-type", send((d.dialect().send_params)(d.dialect(), &outgoing), ODD_PART)));
    } else {
        for (step, what, parts) in [
            ("no-part", "a message whose parts are an empty array", json!([])),
            ("empty-part", "a part without content", json!([{}])),
            ("media-type", ODD_PART, json!([odd])),
        ] {
            let mut params = whole();
            if let Some(place) = params.pointer_mut("/message/parts") {
                *place = parts;
            }
            calls.push(d.call(step, send(params, what)));
        }
    }
    d.together(calls).await;
}

pub(in crate::suite) const ODD_ROLE: &str = "a message with the role ROLE_ROBOT";

/// A media type that no agent has: made up, and registered nowhere.
const ODD_TYPE: &str = "application/x-a2a-conformance-probe";
const ODD_PART: &str = "a part of type application/x-a2a-conformance-probe";

fn media_type(t: &Transcript) -> Judged {
    let takes_all =
        t.facts.declares(|card| card.input_modes.is_empty() || card.input_modes.iter().any(|mode| mode.contains('*')));
    if takes_all {
        return Err(Verdict::not_applicable("the card's input modes accept any media type"));
    }
    let step = t.answered("media-type")?;
    match &step.reply.kind {
        // T-ERR-9: the agent may also decide when the task has begun.
        ReplyKind::Result(Payload::Sent { task: Some(task), .. })
            if matches!(task.state, Some(TaskState::Failed | TaskState::Rejected)) =>
        {
            Ok(step.pass())
        }
        _ => t.refused_as("media-type", &format!("a part of type {ODD_TYPE}"), &[ErrorName::ContentTypeNotSupported]),
    }
}

fn media_type_answered(t: &Transcript) -> Judged {
    let step = t.answered("media-type")?;
    // Any error will do, and so will working on the rest of the message.
    let answered = matches!(step.reply.kind, ReplyKind::Error(_) | ReplyKind::Result(_) | ReplyKind::Stream(_));
    step.claim(answered, "an error, or a response to the rest of the message", step.reply.kind.describe(), "")
}
