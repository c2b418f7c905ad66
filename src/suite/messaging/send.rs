//! One plain message: whether it is accepted, answered by a task or a message when the task has settled, with ids, context and
//! artifacts; `read_back.rs` judges the task read afterwards.

use std::rc::Rc;

use super::read_back::{after_completion, consistent_ids, history_zero, idempotent, latest_state, returns_task};
use super::send_method_names::{ask_other_names, is_unknown_method, known_other_name};
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::Tags;
use crate::a2a::dialect::v0_3::V0_3;
use crate::a2a::model::{ErrorName, Operation, Payload, Task, TaskState};
use crate::a2a::rule::Rule;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Step, Transcript, Verdict, task_of};
use crate::suite::noted_failure::broken;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "send",
    title: "Send one message and read its task back",
    messages: 1,
    rounds: 2,
    after: &["probe", "examples"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "send.accepts-text",
        title: "A plain text message is accepted",
        why: "Sending text is the one thing that every A2A client does.",
        fix: "Accept a user message with one text part and no optional members; if the agent does not accept text, \
              leave text/plain out of its input modes.",
        judge: accepts_text,
        ..Check::tripped_by(&["send-refuses-text", "canned-error"])
    },
    Check {
        id: "send.task-or-message",
        title: "A send returns either a task or a message",
        why: "Clients decide by this member whether to show a reply or follow a task.",
        fix: "Return {\"task\": {...}} or {\"message\": {...}} as result. Over JSON-RPC, 0.2 and 0.3 return the bare \
              object with its kind, and 0.1 the bare Task.",
        requirements: &[
            "send.task-or-message",
            "rest.body-shapes",
            "send.v03.task-or-message",
            "send.v03.rest-wrapper",
            "send.v01.returns-task",
        ],
        judge: task_or_message,
        ..Check::tripped_by(&["send-unwrapped", "send-both", "send-wrapped"])
    },
    Check {
        id: "send.known",
        title: "The send operation has the name its version defines",
        why: "Clients call methods and routes by the names of the version that the interface declares.",
        fix: "Register the names of that version: message/send and so on in 0.2 and 0.3, tasks/send in 0.1, and the \
              routes under /v1 over HTTP.",
        requirements: &[
            "jsonrpc.v03.method-names",
            "jsonrpc.v01.method-names",
            "rest.v03.paths",
            "rest.v03.verbs",
            "interop.v03.core-methods",
        ],
        judge: known,
        ..Check::tripped_by(&["methods-of-1.0", "routes-of-1.0"])
    },
    Check {
        id: "send.client-id",
        title: "The task keeps the client's id",
        why: "In 0.1 the client chooses the task's id and cannot find the task under another one.",
        fix: "Use params.id as the task's id.",
        requirements: &["send.v01.client-id"],
        judge: client_id,
        ..Check::tripped_by(&["task-renamed"])
    },
    Check {
        id: "send.session",
        title: "The task keeps the client's sessionId",
        why: "A session ties the tasks of a conversation together.",
        fix: "Return the sessionId of the request.",
        requirements: &["multi.v01.session"],
        judge: session,
        ..Check::tripped_by(&["session-replaced"])
    },
    Check {
        id: "send.blocking-default",
        title: "A send waits until the task settles",
        why: "A client that did not ask for an early response treats the one it gets as final.",
        fix: "Unless returnImmediately is true, or in 0.2 and 0.3 when blocking is true, hold back the response until \
              the task is terminal or interrupted.",
        requirements: &["send.blocking-default", "send.v03.blocking-flag"],
        judge: blocking,
        ..Check::tripped_by(&["send-returns-early"])
    },
    Check {
        id: "send.blocking-latest-state",
        title: "The response has the task's latest state",
        why: "A client that waited should not have to ask again for the result.",
        fix: "Build the response from the stored task after its last update, artifacts included.",
        judge: latest_state,
        ..Check::tripped_by(&["send-stale-snapshot"])
    },
    Check {
        id: "send.task-id-generated",
        title: "The agent generates the task's id",
        why: "A client needs the id for everything it does with a task.",
        fix: "Generate an id (a UUID) when creating the task, and put it into every response about it.",
        judge: id_generated,
        ..Check::tripped_by(&["task-no-id"])
    },
    Check {
        id: "context.generated-returned",
        title: "The response has a contextId",
        why: "Without a contextId, the next message cannot join the conversation.",
        fix: "Generate a contextId when the client sends none, and return it on the task or the message.",
        advisory: Some("agents may work without contexts (1.0 §3.4.1)"),
        judge: context_returned,
        ..Check::tripped_by(&["task-no-context"])
    },
    Check {
        id: "send.results-in-artifacts",
        title: "Results are artifacts",
        why: "Clients and other agents look for results among the artifacts; a status message only reports progress \
              to people.",
        fix: "Put what the task produces into artifacts.",
        judge: in_artifacts,
        ..Check::tripped_by(&["results-in-status"])
    },
    Check {
        id: "get.returns-task",
        title: "A get returns the bare task",
        why: "Every client that does not stream follows its task with GetTask.",
        fix: "Return the bare Task as result, without a task member around it.",
        judge: returns_task,
        ..Check::tripped_by(&["get-wrapped"])
    },
    Check {
        id: "get.consistent-ids",
        title: "A get returns the ids that the send returned",
        why: "If the ids change between two responses, a client sees two tasks.",
        fix: "Store id and contextId with the task and return them unchanged.",
        judge: consistent_ids,
        ..Check::tripped_by(&["get-other-context"])
    },
    Check {
        id: "get.idempotent",
        title: "Reading a finished task twice returns the same task",
        why: "Reading a task must not change it.",
        fix: "Build the response from stored values only; set timestamps when the state changes, not when the task is \
              read.",
        judge: idempotent,
        ..Check::tripped_by(&["get-changes"])
    },
    Check {
        id: "get.after-completion",
        title: "A finished task stays readable",
        why: "Clients that poll come back for the result after the task has finished.",
        fix: "Keep finished tasks for a while; minutes are enough for clients that poll.",
        judge: after_completion,
        ..Check::tripped_by(&["tasks-vanish"])
    },
    Check {
        id: "get.history-zero",
        title: "historyLength 0 returns no history",
        why: "A client that asks for no history may have no room for it.",
        fix: "Leave history out when historyLength is 0.",
        judge: history_zero,
        ..Check::tripped_by(&["history-zero-ignored"])
    },
];

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::Complete) else { return };
    let first = d.send("send", &message).await;
    let sent = if may_want_modes(&first) { with_modes(d, first).await } else { first };
    d.learn(&message.text, &sent, task_of(&sent.reply));
    if d.has_check("send.known") && is_unknown_method(&sent) {
        ask_other_names(d).await;
    }
    if may_read_older_form(&sent) {
        send_in_older_form(d).await;
    }
    let Some(id) = task_of(&sent.reply).and_then(|task| task.id.clone()) else { return };
    let is_over = |step: &Step| task_of(&step.reply).is_some_and(Task::is_over);
    // None of these readings can change what another of a task that is over shows.
    if is_over(&sent) {
        let again = || [d.get("again", &id, None), d.get("without-history", &id, Some(0))];
        d.together([d.get("get", &id, None)].into_iter().chain(again())).await;
        return;
    }
    let first = d.get("get", &id, None).await;
    if !is_over(&first) {
        // An agent that answered too early: let it finish, so that what comes after has a finished task.
        let settled = d.poll_until_settled("poll", &id).await;
        d.learn(&message.text, &sent, settled.as_ref());
    }
    d.together([d.get("again", &id, None), d.get("without-history", &id, Some(0))]).await;
}

const OUTPUT_MODES: &str = "/configuration/acceptedOutputModes";

/// Whether a message was refused as if it lacked something, and named no output modes, which is optional.
fn may_want_modes(step: &Step) -> bool {
    is_taken_for_malformed(step, &[ErrorName::InvalidParams])
        && step.sent.params.as_ref().is_some_and(|params| params.pointer(OUTPUT_MODES).is_none())
}

/// Whether an answer says that the message itself is wrong: by one of these errors, or by a status.
fn is_taken_for_malformed(step: &Step, errors: &[ErrorName]) -> bool {
    match &step.reply.kind {
        ReplyKind::Unreadable(_) => matches!(step.exchange.status(), Some(400 | 422 | 500)),
        ReplyKind::Error(error) => errors.iter().any(|name| error.is(*name)),
        _ => false,
    }
}

/// The step that sends the message in the form of 0.3, by the method of the lane.
const OLDER_FORM: &str = "older-form";

/// Whether a message was refused as if it were written in a form that the agent does not read.
fn may_read_older_form(step: &Step) -> bool {
    is_taken_for_malformed(step, &[ErrorName::InvalidParams, ErrorName::InvalidRequest])
}

/// Sends the message to an agent of 1.0 as 0.3 has it: who updates the methods and the card may still read the old objects.
async fn send_in_older_form(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::Complete).filter(|_| d.dialect().forms.tags == Tags::Members) else {
        return;
    };
    let params = (V0_3.send_params)(&V0_3, &message);
    d.call(OLDER_FORM, d.operation(Operation::SendMessage, params).called("a message in the form of 0.3")).await;
}

/// What a message in the form of 0.3 shows of an agent that refuses those of its version.
fn reads_older_form(t: &Transcript) -> Option<&Step> {
    t.step(OLDER_FORM).ok().filter(|step| matches!(step.reply.kind, ReplyKind::Result(_))).map(AsRef::as_ref)
}

/// Sends the message once more with output modes. If that works, every later message names them.
async fn with_modes(d: &Driver, first: Rc<Step>) -> Rc<Step> {
    d.name_output_modes(true);
    let Some(message) = d.prompt(Behaviour::Complete) else { return first };
    let has_modes = (d.dialect().send_params)(d.dialect(), &message).pointer(OUTPUT_MODES).is_some();
    let second = if has_modes { d.send("send", &message).await } else { Rc::clone(&first) };
    if !matches!(second.reply.kind, ReplyKind::Result(_)) {
        d.name_output_modes(false);
    }
    second
}

fn accepts_text(t: &Transcript) -> Judged {
    if t.facts.declares(|card| !card.takes_text()) {
        return Err(Verdict::not_applicable(
            "the card's input modes do not include text; a prompt that is a JSON object is sent as data to an agent that takes JSON",
        ));
    }
    let step = t.answered("send")?;
    if matches!(step.reply.kind, ReplyKind::Result(_))
        && let Some(first) = t.every("send").next().filter(|first| first.exchange.id != step.exchange.id)
    {
        let expected = "a message without the optional acceptedOutputModes to be accepted, as it is with them";
        return Ok(first.fail(expected, first.reply.kind.describe()).seen_in(step.exchange.id));
    }
    let verdict = match &step.reply.kind {
        ReplyKind::Result(_) | ReplyKind::Stream(_) => return Ok(step.pass()),
        ReplyKind::Error(error) => step.fail("the message to be accepted", error.describe()).at(&error.at),
        other => step.fail("a response in the declared binding", other.describe()),
    };
    let Some(older) = reads_older_form(t) else { return Ok(verdict) };
    let message = format!(
        "{}; the same message in the form of 0.3 (kind, role \"user\") is accepted: the agent has the methods of 1.0 and reads the \
         objects of 0.3",
        verdict.message
    );
    Ok(verdict.because(message).seen_in(older.exchange.id))
}

fn known(t: &Transcript) -> Judged {
    let step = t.answered("send")?;
    let missing = match &step.reply.kind {
        ReplyKind::Error(error) => error.name == Some(ErrorName::MethodNotFound) || error.is_no_route(&[404, 405, 501]),
        ReplyKind::Unreadable(_) => matches!(step.exchange.status(), Some(404 | 405 | 501)),
        _ => false,
    };
    let other = known_other_name(t).map(|name| format!("; the agent knows {name}")).unwrap_or_default();
    step.claim(!missing, "a known operation for sending a message", step.reply.kind.describe() + &other, "")
}

/// A text of the parameters that a send carried.
fn sent_text<'a>(step: &'a Step, name: &str) -> Option<&'a str> {
    step.sent.params.as_ref()?.get(name)?.as_str()
}

fn client_id(t: &Transcript) -> Judged {
    let (step, task) = t.task("send")?;
    let wanted = sent_text(step, "id").unwrap_or_default();
    let actual = task.id.clone().unwrap_or_else(|| "none".to_owned());
    step.claim(actual == wanted, &format!("the id {wanted}, which the client chose"), actual, task.at.key("id"))
}

fn session(t: &Transcript) -> Judged {
    let (step, task) = t.task("send")?;
    let wanted = sent_text(step, "sessionId").unwrap_or_default();
    let Some(actual) = task.context_id.clone() else {
        return Err(Verdict::not_applicable("the task has no sessionId, which is allowed"));
    };
    let expected = format!("the sessionId {wanted}, which the client chose");
    step.claim(actual == wanted, &expected, actual, task.at.key("sessionId"))
}

fn task_or_message(t: &Transcript) -> Judged {
    let (step, payload) = t.succeeded("send")?;
    match step.reply.notes.broken(Rule::SendPayload) {
        Some(place) => Ok(broken(step, place)),
        None => {
            let what = if matches!(payload, Payload::Sent { task: Some(_), .. }) { "a task" } else { "a message" };
            Ok(step.pass_with(format!("answered with {what}")))
        }
    }
}

fn blocking(t: &Transcript) -> Judged {
    let (step, task) = t.task("send")?;
    let state = task.state.ok_or_else(|| step.blocked("the task's state is not one that this version defines"))?;
    let actual = task.state_text.clone().unwrap_or_default();
    let place = task.place_of_state();
    step.claim(state.is_terminal() || state.is_interrupted(), "a terminal or interrupted state", actual, place)
}

fn id_generated(t: &Transcript) -> Judged {
    let (step, task) = t.task("send")?;
    step.claim(task.id.is_some(), "an id generated by the agent", "a task without an id", task.at.key("id"))
}

fn context_returned(t: &Transcript) -> Judged {
    let (step, payload) = t.succeeded("send")?;
    let (context, at) = match payload {
        Payload::Sent { task: Some(task), .. } => (&task.context_id, &task.at),
        Payload::Sent { message: Some(message), .. } => (&message.context_id, &message.at),
        _ => return Err(step.blocked("the send returned neither a task nor a message")),
    };
    let is_there = context.as_ref().is_some_and(|id| !id.is_empty());
    step.claim(is_there, "a contextId", "missing or empty", at.key("contextId"))
}

fn in_artifacts(t: &Transcript) -> Judged {
    let (step, task) = t.task("send")?;
    if task.state != Some(TaskState::Completed) {
        return Err(Verdict::inconclusive("the task did not complete"));
    }
    let produced = task.artifacts.as_ref().is_some_and(|artifacts| !artifacts.is_empty());
    let told = task.status_message.as_ref().is_some_and(|message| !message.parts.is_empty());
    if !produced && !told {
        return Err(Verdict::inconclusive("the task produced no visible output"));
    }
    let place = task.at.key("status").key("message");
    step.claim(produced, "the output in artifacts", "no artifact, and output in status.message", place)
}

/// The agent's reaction to the plainest of messages, for scenarios that need a task; *inconclusive* when there is no finished one.
pub(in crate::suite) fn finished(t: &Transcript) -> Result<&Task, Verdict> {
    let (_, announced) = t.task("send")?;
    let last = t.task("again").or_else(|_| t.task("get")).map(|(_, task)| task).unwrap_or(announced);
    match (&last.id, last.state) {
        (Some(_), Some(state)) if state.is_terminal() => Ok(last),
        (None, _) => Err(Verdict::blocked("the task has no id to continue with")),
        _ => Err(Verdict::inconclusive(format!(
            "the task did not finish (it is {}); to run this check, use a prompt \"complete\" that does",
            last.state_text.as_deref().unwrap_or("in no known state")
        ))),
    }
}

/// Whether the plainest of messages was accepted, whatever came of it; *blocked* when it was not.
pub(in crate::suite) fn accepted(t: &Transcript) -> Result<(), Verdict> {
    t.succeeded("send").map(|_| ())
}

/// For scenarios that only make sense with tasks: *inconclusive* when the agent answers with messages.
pub(in crate::suite) fn makes_tasks(t: &Transcript) -> Result<(), Verdict> {
    t.task("send").map(|_| ())
}
