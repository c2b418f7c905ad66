//! A handler that raises an exception, by each way of sending a message: whether the caller gets an answer, the task ends, and the
//! next caller is served. Only agents of which it is known how to bring that about are asked for it.

use std::rc::Rc;

use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{Operation, Payload, StreamEvent, TaskState};
use crate::engine::prelude::{
    Behaviour, Check, Driver, Judged, Scenario, Step, StreamControl, Transcript, Verdict, task_of,
};
use crate::engine::transcript::whole_ms;
use crate::suite::messaging::accepted;
use crate::suite::streaming::{declared, streamed_task};
use crate::wire::exchange::End;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "raising",
    title: "Make the agent's handler raise an exception",
    messages: 4,
    streams: 1,
    rounds: 6,
    // An agent that breaks must not break what others ask it, so this comes after all other messages.
    after: &[
        "send",
        "ids",
        "context",
        "data-types",
        "message-only",
        "multi-turn",
        "auth-required",
        "cancel",
        "poll",
        "failed",
        "finished",
        "stream",
        "message-stream",
        "stream-options",
        "streams-at-once",
        "burst",
        "sends-at-once",
        "rejected",
        "undeclared-streaming",
        "subscribe",
        "unwatched",
        "list-moving",
        "push-configs",
        "push-older",
        "extensions",
        "auth-tasks",
    ],
    needs: |facts| facts.names_prompt(Behaviour::Raise),
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "raise.answered",
        title: "A caller whose handler raises gets an answer",
        why: "A client that waits for an answer which never comes cannot tell a broken agent from a slow one.",
        fix: "Catch what the handler raises, and return InternalError or a task in the failed state.",
        judge: |t| answered(t, "send", "send-settled"),
        ..Check::tripped_by(&["raise-hangs"])
    },
    Check {
        id: "raise.task-ends",
        title: "A task whose handler raises in the background comes to its end",
        why: "A client that was answered at once polls the task, and would do so for ever.",
        fix: "Catch what the handler raises also where the client no longer waits, and store the failed state.",
        judge: |t| answered(t, "early", "early-settled"),
        ..Check::tripped_by(&["raise-left-working"])
    },
    Check {
        id: "raise.streamed",
        title: "A stream whose handler raises reports the failure",
        why: "A client that reads a stream without an event does not know whether anything was done.",
        fix: "When the handler raises, send an error or the failed status as an event, and end the stream.",
        judge: streamed,
        ..Check::tripped_by(&["raise-stream-empty"])
    },
    Check {
        id: "raise.next-served",
        title: "After a handler raised, the next message is served",
        why: "One message that the agent cannot cope with must not end its service for everybody.",
        fix: "Keep what the handler raises from reaching the server: release locks and queues whether it returned or raised.",
        judge: next_served,
        ..Check::tripped_by(&["raise-fails-next"])
    },
];

/// For how long a task must not have changed until it counts as left behind, in milliseconds.
const STILL_MS: f64 = 10_000.0;

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::Raise) else { return };
    let sent = d.send("send", &message).await;
    settle(d, "send-settled", &sent).await;
    if d.has_check("raise.task-ends") {
        let early = Outgoing { return_immediately: Some(true), ..d.outgoing(message.text.clone()) };
        let sent = d.send("early", &early).await;
        settle(d, "early-settled", &sent).await;
    }
    if d.facts().declares(|card| card.streaming) {
        let stream = d.open("stream", &d.outgoing(message.text), |_| StreamControl::Continue).await;
        settle(d, "stream-settled", &stream).await;
    }
    if let Some(message) = d.prompt(Behaviour::Complete) {
        d.send("next", &message).await;
    }
}

/// Reads a task that an answer left at work, until it is over or nothing happens any more.
async fn settle(d: &Driver, name: &'static str, answer: &Step) {
    let Some(id) = streamed_task(answer) else { return };
    if last_state(answer).is_some_and(|state| matches!(state, TaskState::Submitted | TaskState::Working)) {
        d.poll_while_it_moves(name, &id, Box::new(|| STILL_MS)).await;
    }
}

/// The state of which an answer, or the last event of a stream, tells.
fn last_state(step: &Step) -> Option<TaskState> {
    match &step.reply.kind {
        ReplyKind::Stream(items) => items.iter().rev().find_map(|item| item.kind.event()?.state()),
        _ => task_of(&step.reply)?.state,
    }
}

/// The finding that nothing came; *blocked* where a browser may only not show us what came.
fn silence(step: &Step, expected: &str) -> Judged {
    if step.is_hidden() {
        return Err(step.blocked("the answer cannot be read by this page, perhaps because it has no CORS headers"));
    }
    Ok(step.fail(expected, step.exchange.end.no_answer()))
}

/// Judges what came of a task that an answer left in this state.
fn ended(t: &Transcript, step: &Rc<Step>, settled: &str) -> Judged {
    let readings: Vec<_> = t.every(settled).collect();
    let (last, state) = match readings.last() {
        Some(read) if task_of(&read.reply).is_some() => (*read, last_state(read)),
        Some(read) => return Err(read.blocked("the task cannot be read")),
        None => (step, last_state(step)),
    };
    match state {
        Some(TaskState::Failed | TaskState::Rejected | TaskState::Canceled) => {
            Ok(step.pass().seen_in(last.exchange.id))
        }
        Some(TaskState::Submitted | TaskState::Working) => {
            let first = readings.first().map_or(last, |first| *first);
            let waited_ms = last.exchange.sent_ms - first.exchange.sent_ms;
            if waited_ms < STILL_MS {
                return Err(step.inconclusive("the task was still running when the time ended"));
            }
            let state = task_of(&last.reply).and_then(|task| task.state_text.clone()).unwrap_or_default();
            let actual = format!("{state} without an end for {} ms", whole_ms(waited_ms));
            Ok(last.fail("a task that failed", actual).seen_in(step.exchange.id))
        }
        _ => Err(step.inconclusive("the task did not end as if its handler had raised an exception")),
    }
}

const FAILURE: &str = "an error, or a task that failed";

fn answered(t: &Transcript, name: &str, settled: &str) -> Judged {
    let step = t.step(name)?;
    if matches!(step.reply.kind, ReplyKind::NoAnswer(_)) {
        return silence(step, FAILURE);
    }
    let step = t.answered(name)?;
    match &step.reply.kind {
        ReplyKind::Error(_) => Ok(step.pass()),
        // An error page is an error; its form is judged elsewhere.
        ReplyKind::Unreadable(_) if step.exchange.status().is_some_and(|status| status >= 400) => Ok(step.pass()),
        ReplyKind::Result(Payload::Sent { task: Some(_), .. }) => ended(t, step, settled),
        other => Err(step.inconclusive(format!("the message was answered with {}", other.describe()))),
    }
}

fn streamed(t: &Transcript) -> Judged {
    declared(&t.facts)?;
    let step = t.step("stream")?;
    let ReplyKind::Stream(items) = &step.reply.kind else { return answered(t, "stream", "stream-settled") };
    if items.iter().any(|item| matches!(item.kind, StreamItemKind::Error(_))) {
        return Ok(step.pass());
    }
    if items.is_empty() {
        return match &step.exchange.end {
            End::Complete => Ok(step.fail(FAILURE, "the end of the stream without an event")),
            End::Deadline(_) => Ok(step.fail(FAILURE, step.exchange.end.cut().unwrap_or_default())),
            end => Err(step.blocked(end.cut().unwrap_or_default())),
        };
    }
    if items.iter().any(|item| matches!(item.kind, StreamItemKind::Event(StreamEvent::Message(_)))) {
        return Err(step.inconclusive("the agent streamed a message"));
    }
    ended(t, step, "stream-settled")
}

fn next_served(t: &Transcript) -> Judged {
    // Whether the agent takes such a message at all, the first one of the run has shown.
    accepted(t.earlier("send")?)?;
    let raised = t.steps.iter().filter(|step| step.sent.operation != Some(Operation::GetTask) && step.name != "next");
    let seen = raised.map(|step| step.exchange.id);
    let step = t.step("next")?;
    let expected = "the message to be served as before";
    let verdict = match &step.reply.kind {
        ReplyKind::NoAnswer(_) => silence(step, expected)?,
        _ => {
            let step = t.answered("next")?;
            let is_served = matches!(step.reply.kind, ReplyKind::Result(_));
            step.claim(is_served, expected, step.reply.kind.describe(), "")?
        }
    };
    Ok(seen.fold(verdict, Verdict::seen_in))
}
