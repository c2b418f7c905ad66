//! A second message in the context of a finished task: a new task there, several parts, metadata, referenceTaskIds, and input and
//! output modes. What it carries is only told apart, at the price of more messages, when the agent refuses it.

use serde_json::json;

use super::send::finished;
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{Content, ErrorName, Operation, TaskState};
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Step, Transcript, Verdict};
use crate::suite::card_modes::outputs;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "context",
    title: "Send a second message in the same context",
    messages: 1,
    after: &["send"],
    judged_after: &THIRDS,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

/// The scenarios that create a third task in the context, by a step called "send".
const THIRDS: [&str; 2] = ["list-moving", "data-types"];

const CHECKS: &[Check] = &[
    Check {
        id: "context.new-task-in-context",
        title: "A contextId without a taskId starts a new task in that context",
        why: "A conversation continues after a task is done, and the context is what ties it together.",
        fix: "Start a new task in the given context when a message has a contextId and no taskId.",
        judge: new_task,
        ..Check::tripped_by(&["context-replaced", "context-old-task", "third-task-new-context"])
    },
    Check {
        id: "send.multiple-parts",
        title: "A message with several parts is accepted",
        why: "People paste text beside a file or write two paragraphs, and clients send these as parts.",
        fix: "Read every part of a message, not only the first.",
        judge: |t| taken(t, "parts", "a message of two text parts"),
        ..Check::tripped_by(&["two-parts-refused"])
    },
    Check {
        id: "send.metadata-accepted",
        title: "Metadata of any kind is accepted",
        why: "Extensions and clients send metadata that an agent may not know; it must not fail on it.",
        fix: "Ignore metadata keys that you do not know, and names of their extensions in a message.",
        judge: |t| taken(t, "metadata", "a message with metadata"),
        ..Check::tripped_by(&["metadata-refused"])
    },
    Check {
        id: "context.reference-task-ids",
        title: "referenceTaskIds are accepted",
        why: "Clients use them to refer to earlier tasks.",
        fix: "Accept referenceTaskIds; use them if you can, and ignore them otherwise.",
        judge: |t| taken(t, "references", "a message with referenceTaskIds"),
        ..Check::tripped_by(&["references-refused"])
    },
    Check {
        id: "send.accepted-output-modes",
        title: "acceptedOutputModes are respected",
        why: "A client that can only display text cannot use a file.",
        fix: "Return output in one of acceptedOutputModes, which here is text/plain alone, and leave out parts of other types.",
        judge: output_modes,
        ..Check::tripped_by(&["output-modes-ignored"])
    },
    Check {
        id: "send.accepts-declared-modes",
        title: "Declared input modes are accepted",
        why: "Clients decide what to send by the declared input modes.",
        fix: "Accept every media type that the card declares, or do not declare it.",
        judge: |t| taken(t, "parts", "parts of a declared input mode"),
        ..Check::tripped_by(&["two-parts-refused"])
    },
];

async fn drive(d: &Driver) {
    let Some(Ok(task)) = d.earlier("send").map(|transcript| finished(transcript).cloned()) else { return };
    let Some(message) = d.prompt(Behaviour::Complete) else { return };
    let text = message.text;
    let id = task.id.unwrap_or_default();
    let plain = || Outgoing { context_id: task.context_id.clone(), ..d.outgoing(text.clone()) };
    let described = || Outgoing {
        metadata: Some(metadata()),
        extensions: vec![EXTENSION.to_owned()],
        request_metadata: Some(metadata()),
        ..plain()
    };
    // Lists are sorted by time: the two tasks of this context must not have the same one.
    if d.dialect().method(Operation::ListTasks).is_some() && has_whole_seconds(task.timestamp.as_deref()) {
        d.pause(NEXT_SECOND_MS).await;
    }
    let whole = Outgoing {
        more_parts: vec![json!({ "text": SECOND_PART, "mediaType": "text/plain", "metadata": metadata() })],
        reference_task_ids: vec![id.clone()],
        accepted_output_modes: vec!["text/plain".to_owned()],
        ..described()
    };
    let sent = d.send("second", &whole).await;
    if !matches!(sent.reply.kind, ReplyKind::Error(_)) {
        return;
    }
    d.send("plain", &plain()).await;
    let part = json!({ "text": SECOND_PART, "mediaType": "text/plain" });
    d.send("parts", &Outgoing { more_parts: vec![part], ..plain() }).await;
    d.send("metadata", &described()).await;
    d.send("references", &Outgoing { reference_task_ids: vec![id], ..plain() }).await;
}

/// A little more than a second: what happens after it has another time in whole seconds.
const NEXT_SECOND_MS: f64 = 1050.0;

/// Whether a time has no fraction of a second, or one of zeros only.
fn has_whole_seconds(timestamp: Option<&str>) -> bool {
    timestamp.is_some_and(|text| {
        let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
        fraction.bytes().take_while(u8::is_ascii_digit).all(|digit| digit == b'0')
    })
}

/// The text of the part that is added to a message.
const SECOND_PART: &str = "This is a second part.";

/// An extension that no agent knows, whose metadata a message carries.
const EXTENSION: &str = "https://example.com/a2a-conformance";

fn metadata() -> serde_json::Value {
    json!({ EXTENSION: { "note": "unknown to you", "list": [1, true, null] } })
}

fn new_task(t: &Transcript) -> Judged {
    let before = finished(t.earlier("send")?)?;
    let context = before.context_id.as_ref().ok_or_else(|| Verdict::inconclusive("the first task has no contextId"))?;
    let name = if t.every("plain").next().is_some() { "plain" } else { "second" };
    let (step, task) = match t.answered(name)? {
        step if matches!(step.reply.kind, ReplyKind::Error(_)) => {
            let what = "a message in the context of a finished task to be accepted";
            return step.claim(false, what, step.reply.kind.describe(), "");
        }
        _ => t.task(name)?,
    };
    if task.id == before.id {
        let actual = format!("the finished task {} again", task.id.as_deref().unwrap_or_default());
        return step.claim(false, "a new task", actual, task.at.key("id"));
    }
    let third = THIRDS.iter().filter_map(|scenario| t.earlier(scenario).ok()?.task("send").ok());
    let sent_there = |step: &Step| {
        let given = step.sent.message().and_then(|message| message.get("contextId")?.as_str());
        given == Some(context)
    };
    let others = third.filter(|(step, _)| sent_there(step));
    let mut verdict = Ok(Verdict::pass());
    for (step, task) in [(step, task)].into_iter().chain(others) {
        let actual = task.context_id.clone().unwrap_or_else(|| "none".to_owned());
        let expected = format!("contextId {context}, as in the client's message");
        let is_kept = task.context_id.as_ref() == Some(context);
        verdict = step.claim(is_kept, &expected, actual, task.at.key("contextId"));
        if !is_kept {
            break;
        }
    }
    verdict
}

/// Judges one thing that the message carried: by the whole message if it was taken, else by the one that carried only it.
fn taken(t: &Transcript, alone: &str, what: &str) -> Judged {
    finished(t.earlier("send")?)?;
    let whole = t.answered("second")?;
    // The proto of 0.3 has no such member.
    let sent = whole.exchange.request.body.as_deref().unwrap_or_default();
    if alone == "references" && !String::from_utf8_lossy(sent).contains("referenceTaskIds") {
        return Err(Verdict::not_applicable("messages have no referenceTaskIds in the JSON form of this interface"));
    }
    if !matches!(whole.reply.kind, ReplyKind::Error(_)) {
        return t.succeeded("second").map(|(step, _)| step.pass());
    }
    // When even a plain message is refused here, the content is not the reason.
    t.succeeded("plain")?;
    let step = t.answered(alone)?;
    match &step.reply.kind {
        ReplyKind::Error(error) if error.is(ErrorName::ContentTypeNotSupported) && error.name.is_some() => {
            Err(Verdict::inconclusive("the agent does not accept text, as its card declares"))
        }
        ReplyKind::Error(error) => step.claim(false, &format!("{what} to be accepted"), error.describe(), &error.at),
        _ => Ok(step.pass()),
    }
}

fn output_modes(t: &Transcript) -> Judged {
    let (step, task) = t.task("second")?;
    if task.state != Some(TaskState::Completed) {
        return Err(Verdict::inconclusive("the task did not complete"));
    }
    // An agent is asked for what its card offers, or for nothing.
    let offered = t.facts.card.as_deref().map(outputs).unwrap_or_default();
    if !offered.listed().is_empty() && !offered.takes("text/plain") {
        return Err(Verdict::excluded_by_card("the card offers no text/plain, which is all that this request accepts"));
    }
    let mut seen = false;
    for artifact in task.artifacts.iter().flatten() {
        for part in &artifact.parts {
            seen = true;
            // A part without a media type is known by its content; text was asked for.
            let fits = match (&part.media_type, &part.content) {
                (Some(kind), _) => kind.starts_with("text/plain"),
                (None, content) => matches!(content, Some(Content::Text(_)) | None),
            };
            if !fits {
                let actual = part.media_type.clone().unwrap_or_else(|| "a part that is not text".to_owned());
                return step.claim(false, "text/plain, the only accepted mode", actual, &artifact.at);
            }
        }
    }
    if seen { Ok(step.pass()) } else { Err(Verdict::inconclusive("the task produced no artifact")) }
}
