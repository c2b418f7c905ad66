//! A completed task can still be read and does not change: cancels, messages and subscriptions are refused, and with which error;
//! also a negative historyLength.

use serde_json::json;

use crate::a2a::binding::StreamItemKind;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{ErrorName, Operation, Payload, Task};
use crate::engine::drive::GRACE_MS;
use crate::engine::prelude::{
    Behaviour, Check, Driver, Judged, Scenario, StreamControl, Transcript, Verdict, count_of,
};
use crate::suite::auth::SECOND_IDENTITY_HOOK;
use crate::suite::messaging::finished;
use crate::suite::subscribe::exists;
use crate::suite::{push, streaming};
use crate::wire::exchange::End;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "finished",
    title: "Try to change a finished task",
    messages: 2,
    rounds: 6,
    // The message to a finished task comes last: an agent that accepts it changes the task that others read.
    after: &["send", "history"],
    judged_after: &["params"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "cancel.terminal-refused",
        title: "Cancelling a finished task is refused",
        why: "A client that is told \"canceled\" about a completed task throws its result away.",
        fix: "Refuse to cancel a task in a terminal state.",
        requirements: &["cancel.terminal"],
        judge: |t| before(t).and_then(|_| t.refused_somehow("cancel", CANCELLING)),
        ..Check::tripped_by(&["cancel-terminal-ok"])
    },
    Check {
        id: "cancel.terminal",
        title: "Cancelling a finished task returns TaskNotCancelableError",
        why: "By this code a client knows that it came too late and that nothing failed.",
        fix: "Return -32002 (TaskNotCancelableError).",
        judge: |t| before(t).and_then(|_| t.refused_with_code("cancel", CANCELLING, &[ErrorName::TaskNotCancelable])),
        ..Check::tripped_by(&["cancel-terminal-wrong-code"])
    },
    Check {
        id: "send.terminal-task",
        title: "A message to a finished task is refused",
        why: "A finished task is a record; continuing it changes what others have read.",
        fix: "Refuse a message whose taskId belongs to a finished task; a new message in the same context starts a \
              new one.",
        requirements: &["send.terminal-task", "send.v03.terminal-task", "send.v01.terminal-task"],
        judge: |t| before(t).and_then(|_| t.refused_somehow("message", "a message to a finished task")),
        ..Check::tripped_by(&["terminal-accepts-message"])
    },
    Check {
        id: "send.terminal-code",
        title: "A message to a finished task returns UnsupportedOperationError",
        why: "Clients tell \"not in this state\" from \"malformed\" by the code.",
        fix: "Return -32004 (UnsupportedOperationError).",
        requirements: &["send.terminal-task"],
        advisory: Some("any refusal protects the task, and servers return -32602 here"),
        judge: message_code,
        ..Check::tripped_by(&["terminal-wrong-code"])
    },
    Check {
        id: "subscribe.terminal",
        title: "Subscribing to a finished task is refused",
        why: "A stream of a task that can no longer change keeps a connection open for nothing.",
        fix: "Refuse to subscribe to a task in a terminal state.",
        judge: |t| subscribed(t).and_then(|()| t.refused_somehow("subscribe", SUBSCRIBING)),
        ..Check::tripped_by(&["subscribe-terminal-streams"])
    },
    Check {
        id: "subscribe.terminal-code",
        title: "Subscribing to a finished task returns UnsupportedOperationError",
        why: "Clients tell \"the task is over\" from \"malformed\" by the code.",
        fix: "Return -32004 (UnsupportedOperationError).",
        requirements: &["subscribe.terminal"],
        advisory: Some("any refusal shows that the task is over, and servers return -32602 here"),
        judge: subscribe_code,
        ..Check::tripped_by(&["subscribe-terminal-wrong-code"])
    },
    Check {
        id: "subscribe.terminal-ends",
        title: "Resubscribing to a finished task ends quickly",
        why: "A client that comes back too late must not wait forever.",
        fix: "Return an error, or the finished task, and end the response.",
        requirements: &["subscribe.v03.terminal"],
        judge: subscribe_ends,
        ..Check::tripped_by(&["resubscribe-terminal-hangs"])
    },
    Check {
        id: "task.terminal-immutable",
        title: "A finished task does not change",
        why: "Terminal means that nothing changes any more.",
        fix: "Have the task store itself reject every change to a task in a terminal state.",
        judge: immutable,
        ..Check::tripped_by(&["terminal-reopens", "cancel-overwrites-finished"])
    },
    Check {
        id: "stream.terminal-task",
        title: "A streamed message to a finished task is refused",
        why: "The client would wait on a stream of a task that can no longer change.",
        fix: "Refuse a streamed message to a finished task with -32004 (UnsupportedOperationError), as for a unary \
              one.",
        // T-ERR-4: which error it is, the unary call shows.
        judge: |t| {
            subscribed(t).and_then(|()| t.refused_somehow("stream-message", "a streamed message to a finished task"))
        },
        ..Check::tripped_by(&["stream-terminal-accepted"])
    },
    Check {
        id: "push.none-uninvited",
        title: "A task sent without a push config has none",
        why: "A config that nobody made calls a webhook that nobody named, or fails to.",
        fix: "Store a config with a send only if configuration.taskPushNotificationConfig is present in it.",
        judge: uninvited,
        ..Check::tripped_by(&["push-uninvited"])
    },
    Check {
        id: "get.history-negative",
        title: "A negative historyLength is refused",
        why: "A negative history length is meaningless.",
        fix: "Refuse a negative historyLength as an invalid parameter.",
        judge: |t| before(t).and_then(|_| t.refused_somehow("negative", "historyLength -5")),
        ..Check::tripped_by(&["history-negative-accepted"])
    },
];

async fn drive(d: &Driver) {
    let task = match d.earlier("send").map(|transcript| finished(transcript)) {
        Some(Ok(task)) => task,
        Some(Err(why)) => return d.stop(why),
        None => return,
    };
    let id = task.id.clone().unwrap_or_default();
    d.cancel("cancel", &id).await;
    let text = d.facts().prompts.text(Behaviour::Complete).unwrap_or_default();
    let message =
        || Outgoing { task_id: Some(id.clone()), context_id: task.context_id.clone(), ..d.outgoing(text.as_str()) };
    d.send("message", &message()).await;
    let streaming = d.facts().declares(|card| card.streaming);
    let mut reads = vec![d.get("get", &id, None)];
    if d.has_check("push.none-uninvited") && d.facts().declares(|card| card.push_notifications) {
        reads.push(d.call("push-configs", d.about_push_configs(Operation::ListPushConfigs, &id, None)));
    }
    if streaming {
        // One event is proof enough that it was not refused.
        let to_the_end = d.has_check("subscribe.terminal-ends");
        reads.push(d.subscribe("subscribe", &id, move |item| match item {
            StreamItemKind::Error(_) => StreamControl::Continue,
            _ if to_the_end => StreamControl::Grace(GRACE_MS),
            _ => StreamControl::HangUp,
        }));
    }
    d.together(reads).await;
    // Is it this task, or the operation that does not exist?
    if streaming
        && d.has_check("subscribe.terminal-code")
        && d.last("subscribe").is_some_and(|step| step.reply.kind.is_surely_error(ErrorName::MethodNotFound))
    {
        d.subscribe("subscribe-unknown", &d.fresh_id(), |_| StreamControl::HangUp).await;
    }
    // At the end: an agent that takes these changes the task.
    let mut changes = Vec::new();
    if d.has_check("get.history-negative") {
        let negative = d.operation(Operation::GetTask, json!({ "id": id, "historyLength": -5 }));
        changes.push(d.call("negative", negative.called("historyLength -5")));
    }
    let message = message();
    if streaming && d.has_check("stream.terminal-task") {
        changes.push(d.open("stream-message", &message, |_| StreamControl::HangUp));
    }
    d.together(changes).await;
}

const CANCELLING: &str = "cancelling a finished task";
const SUBSCRIBING: &str = "subscribing to a finished task";

/// T-PUSH-6: of a task that is over the agent may refuse the list.
fn uninvited(t: &Transcript) -> Judged {
    before(t)?;
    push::declared(&t.facts)?;
    let (step, payload) = t.succeeded("push-configs")?;
    let Payload::PushConfigs(configs) = payload else {
        return Err(step.blocked("the list of push configs cannot be read"));
    };
    // Where no task lives long enough, the checks of a second identity make their configs for this one, meanwhile.
    let uninvited = configs.iter().filter(|config| config.url.as_deref() != Some(SECOND_IDENTITY_HOOK)).count();
    let count = count_of(uninvited, "config");
    step.claim(uninvited == 0, "no config for a task that was sent without one", count, "")
}

/// The task as it was before, and proof that the scenario got to it.
fn before(t: &Transcript) -> Result<&Task, Verdict> {
    finished(t.earlier("send")?)
}

fn message_code(t: &Transcript) -> Judged {
    before(t)?;
    t.refused_with_code("message", "a message to a finished task", &[ErrorName::UnsupportedOperation])
}

/// Streaming is what decides whether there is anything to subscribe to.
fn subscribed(t: &Transcript) -> Result<(), Verdict> {
    before(t).and_then(|_| streaming::declared(&t.facts))
}

fn subscribe_ends(t: &Transcript) -> Judged {
    subscribed(t)?;
    let step = t.step("subscribe")?;
    // An error, nothing, or the task and then the end (T-03-5).
    if matches!(step.exchange.end, End::Deadline(_) | End::HungUp) && step.exchange.response.is_some() {
        return step.claim(false, "an error, or the end of the response", "a response that stays open", "");
    }
    Ok(t.answered("subscribe")?.pass())
}

fn subscribe_code(t: &Transcript) -> Judged {
    subscribed(t)?;
    let (step, _) = t.refused("subscribe")?;
    exists(t, step, "subscribe-unknown")?;
    t.refused_as("subscribe", SUBSCRIBING, &[ErrorName::UnsupportedOperation])
}

fn immutable(t: &Transcript) -> Judged {
    let before = before(t)?;
    if t.answered("get")?.reply.kind.is_error(ErrorName::TaskNotFound) {
        // T-ERR-11: gone is not changed.
        return Err(Verdict::inconclusive("the agent does not keep finished tasks"));
    }
    let (step, after) = t.task("get")?;
    let expected = before.state_text.as_deref().unwrap_or_default();
    let expected = format!("{expected}, as before the message and the cancel");
    let actual = after.state_text.clone().unwrap_or_else(|| "no state".to_owned());
    step.claim(after.state == before.state, &expected, actual, after.place_of_state())
}
