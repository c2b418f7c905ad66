//! What one of two agents puts out is relayed to the other and back: whether it is accepted, whole and in its context; which parts
//! are relayed, how long and how many.

use futures_util::future::join;

use super::kept::kept;
use super::relayed::nothing_relayed;
use crate::a2a::binding::ReplyKind;
use crate::a2a::comparable_task;
use crate::a2a::dialect::Dialect;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{Payload, TaskState};
use crate::engine::prelude::{
    Behaviour, Check, Driver, Judged, Scenario, Scope, Step, Transcript, Verdict, count_of, task_of,
};
use crate::engine::run::CALL;
use crate::suite::card_modes::inputs_of_every_skill;
use crate::suite::task_differences::{ABOUT, CONTENT};
use crate::wire::json::Value;
use crate::wire::limits::MOST_PARTS;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "agents-relay",
    title: "Relay what each of two agents puts out to the other, and back",
    scope: Scope::EachAgent,
    messages: 6,
    rounds: 6,
    after: &[CALL],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "pair.accepts",
        title: "Each of two agents answers a message with a task or a message",
        why: "Two agents work together by messages; one that answers none of them takes no part.",
        fix: "Answer SendMessage with a task or a message.",
        judge: accepts,
        ..Check::tripped_by(&["canned-error"])
    },
    Check {
        id: "pair.relay-accepted",
        title: "What one of two agents puts out is accepted by the other",
        why: "What one agent has made is lost when the next one does not take it.",
        fix: "Accept messages with several parts, and parts of every media type that the card declares.",
        judge: accepted,
        ..Check::tripped_by(&["two-parts-refused"])
    },
    Check {
        id: "pair.relay-parts",
        title: "The parts of a relayed message are whole in the receiver's history",
        why: "Whoever reads the task later sees something else than what was sent.",
        fix: "Store messages with all of their parts: text, data, and files with their bytes.",
        judge: |t| kept(t, CONTENT),
        ..Check::tripped_by(&["history-text-only"])
    },
    Check {
        id: "pair.relay-members",
        title: "The parts of a relayed message keep their names, media types and metadata in the receiver's history",
        why: "A file without its name or its media type cannot be passed on or opened.",
        fix: "Store the members filename, mediaType and metadata of every part.",
        judge: |t| kept(t, ABOUT),
        ..Check::tripped_by(&["history-drops-members"])
    },
    Check {
        id: "pair.relay-context",
        title: "What comes back from the other agent stays in the context of its sender",
        why: "An agent that loses the context does not know what the answer belongs to.",
        fix: "Create the task of a message in the context that the message names.",
        requirements: &["context.client-id", "context.new-task-in-context"],
        judge: same_context,
        ..Check::tripped_by(&["context-replaced"])
    },
];

/// The longest part that is relayed, in bytes of JSON.
const LONGEST_PART: usize = 100_000;

async fn drive(d: &Driver) {
    let Some(other) = d.other().filter(|other| !d.is_stopped() && !other.is_stopped()) else { return };
    join(there_and_back(d, other), there_and_back(other, d)).await;
}

/// Has one agent put something out, relays it to the other, and what that makes of it back.
async fn there_and_back(sender: &Driver, receiver: &Driver) {
    let prompts = &sender.facts().prompts;
    let Some(text) = prompts.text(Behaviour::DataTypes).or_else(|| prompts.text(Behaviour::Complete)) else { return };
    let sent = sender.send("produce", &sender.outgoing(text)).await;
    let Some(produced) = outcome(sender, "produced", &sent).await else { return };
    let parts = relayed(&produced.parts, receiver);
    if parts.is_empty() {
        return;
    }
    let Some(message) = receiver.prompt(Behaviour::Complete) else { return };
    let received = receiver.send("received", &Outgoing { more_parts: parts, ..message }).await;
    let Some(result) = outcome(receiver, "reading", &received).await else { return };
    let parts = relayed(&result.parts, sender);
    if parts.is_empty() || produced.context.is_none() {
        return;
    }
    let Some(message) = sender.prompt(Behaviour::Complete) else { return };
    sender.send("returned", &Outgoing { more_parts: parts, context_id: produced.context, ..message }).await;
}

/// What came of a message: the parts, in the words of 1.0, and the context.
struct Produced {
    parts: Vec<Value>,
    context: Option<String>,
}

/// Waits for what an agent makes of a message.
async fn outcome(d: &Driver, reading: &'static str, sent: &Step) -> Option<Produced> {
    let dialect = d.lane()?.dialect;
    if let ReplyKind::Result(Payload::Sent { message: Some(message), task: None }) = &sent.reply.kind {
        let raw = sent.reply.document.as_deref().and_then(|document| message.at.resolve(document));
        let parts = raw.map(|raw| parts_of(&comparable_task::message(dialect, raw))).unwrap_or_default();
        return Some(Produced { parts, context: message.context_id.clone() });
    }
    let task = task_of(&sent.reply)?.clone();
    let settled = match task.id.as_deref() {
        Some(id) => d.poll_until_settled(reading, id).await.unwrap_or(task),
        None => task,
    };
    let form = comparable_task::task(dialect, &settled.raw);
    let artifacts = form.get("artifacts").and_then(Value::as_array).into_iter().flatten();
    let mut parts: Vec<Value> = artifacts.flat_map(parts_of).collect();
    if parts.is_empty() {
        parts = form.pointer("/status/message").map(parts_of).unwrap_or_default();
    }
    Some(Produced { parts, context: settled.context_id })
}

fn parts_of(object: &Value) -> Vec<Value> {
    object.get("parts").and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Those of some parts that the receiver declares to take.
fn relayed(parts: &[Value], receiver: &Driver) -> Vec<Value> {
    let taken = receiver.facts().card.as_deref().map(inputs_of_every_skill).unwrap_or_default();
    let fits = |part: &&Value| {
        let is_short = part.to_string().len() <= LONGEST_PART;
        is_short && media_type(part).is_some_and(|mode| taken.takes(mode))
    };
    parts.iter().filter(fits).take(MOST_PARTS).cloned().collect()
}

/// The media type of a part, named or usual.
fn media_type(part: &Value) -> Option<&str> {
    let usual = [
        ("text", "text/plain"),
        ("data", "application/json"),
        ("raw", "application/octet-stream"),
        ("url", "application/octet-stream"),
    ];
    let named = part.get("mediaType").and_then(Value::as_str);
    named.or_else(|| usual.iter().find(|(member, _)| part.get(*member).is_some()).map(|(_, mode)| *mode))
}

fn accepts(t: &Transcript) -> Judged {
    let step = t.answered("produce")?;
    match &step.reply.kind {
        ReplyKind::Result(Payload::Sent { .. }) => Ok(step.pass()),
        other => Ok(step.fail("a task or a message", other.describe())),
    }
}

fn accepted(t: &Transcript) -> Judged {
    if t.every("received").next().is_none() {
        return Err(nothing_relayed(t));
    }
    // An agent that refuses every message shows so without what the other put out.
    if !t.answered("produce").is_ok_and(|step| matches!(step.reply.kind, ReplyKind::Result(_))) {
        return Err(Verdict::blocked("the agent accepts no message at all: see pair.accepts"));
    }
    let step = t.answered("received")?;
    let parts = step.sent.message().map(|message| parts_in(t, message)).unwrap_or_default();
    let rejected = task_of(&step.reply).is_some_and(|task| task.state == Some(TaskState::Rejected));
    match &step.reply.kind {
        ReplyKind::Result(_) if rejected => {
            Err(step.inconclusive("the agent rejected the task, which it is free to do"))
        }
        ReplyKind::Result(_) => Ok(step.pass_with(format!("{} accepted", count_of(parts, "part")))),
        other => {
            let expected = format!("a task or a message for {} of declared media types", count_of(parts, "part"));
            Ok(step.fail(expected, other.describe()))
        }
    }
}

fn parts_in(t: &Transcript, message: &Value) -> usize {
    let form = |dialect: &'static Dialect| parts_of(&comparable_task::message(dialect, message)).len();
    t.lane.as_ref().map_or(0, |lane| form(lane.request_dialect()))
}

fn same_context(t: &Transcript) -> Judged {
    let step = t.answered("returned").map_err(|_| {
        Verdict::inconclusive("nothing came back from the other agent that could be relayed into a context")
    })?;
    let (Some(wanted), Some(task)) = (wanted_context(t, step), task_of(&step.reply)) else {
        return Err(step.inconclusive("the answer names no context"));
    };
    let actual = task.context_id.as_ref().ok_or_else(|| step.inconclusive("the task names no context"))?;
    let expected = format!("a task in the context {wanted}");
    step.claim(*actual == wanted, &expected, format!("the context {actual}"), task.at.key("contextId"))
}

/// The context that the message of a step names.
fn wanted_context(t: &Transcript, step: &Step) -> Option<String> {
    let dialect = t.lane.as_ref()?.request_dialect();
    let in_message = step.sent.message().and_then(|message| message.get(dialect.forms.context));
    let in_params = || step.sent.params.as_ref().and_then(|params| params.get(dialect.forms.context));
    in_message.or_else(in_params).and_then(Value::as_str).map(str::to_owned)
}
