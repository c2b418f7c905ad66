//! A finished task can still be read, and nothing else.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use serde_json::json;

use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::dialect::write::{Outgoing, PushConfigRequest};
use crate::a2a::model::{ErrorName, Operation, Payload, Task};
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::{Driver, GRACE_MS};
use crate::engine::plural::count_of;
use crate::engine::prompt::Behaviour;
use crate::engine::session::StreamControl;
use crate::engine::transcript::{Step, Transcript};
use crate::engine::verdict::{Judged, Verdict};
use crate::suite::auth::SECOND_IDENTITY_HOOK;
use crate::suite::messaging::finished;
use crate::suite::subscribe::exists;
use crate::wire::exchange::End;

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "finished",
    title: "Try to change a finished task",
    scope: Scope::Lane,
    messages: 2,
    rounds: 6,
    // The message to a finished task comes last: an agent that accepts it changes the task that others read.
    after: &["send", "history"],
    judged_after: &["params"],
    drive,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[
    Check {
        id: "cancel.terminal-refused",
        title: "Cancelling a finished task is refused",
        why: "A client that is told \"canceled\" about a completed task throws its result away.",
        fix: "Refuse to cancel a task in a terminal state.",
        requirements: &["cancel.terminal"],
        faults: tripped_by(&["cancel-terminal-ok"]),
        judge: cancel_refused,
        ..Check::DEFAULTS
    },
    Check {
        id: "cancel.terminal",
        title: "Cancelling a finished task returns TaskNotCancelableError",
        why: "By this code a client knows that it came too late and that nothing failed.",
        fix: "Return -32002 (TaskNotCancelableError).",
        faults: tripped_by(&["cancel-terminal-wrong-code"]),
        judge: cancel_code,
        ..Check::DEFAULTS
    },
    Check {
        id: "send.terminal-task",
        title: "A message to a finished task is refused",
        why: "A finished task is a record; continuing it changes what others have read.",
        fix: "Refuse a message whose taskId belongs to a finished task; a new message in the same context starts a \
              new one.",
        requirements: &["send.terminal-task", "send.v03.terminal-task", "send.v01.terminal-task"],
        faults: tripped_by(&["terminal-accepts-message"]),
        judge: message_refused,
        ..Check::DEFAULTS
    },
    Check {
        id: "send.terminal-code",
        title: "A message to a finished task returns UnsupportedOperationError",
        why: "Clients tell \"not in this state\" from \"malformed\" by the code.",
        fix: "Return -32004 (UnsupportedOperationError).",
        requirements: &["send.terminal-task"],
        faults: tripped_by(&["terminal-wrong-code"]),
        advisory: Some("any refusal protects the task, and servers return -32602 here"),
        judge: message_code,
        ..Check::DEFAULTS
    },
    Check {
        id: "subscribe.terminal",
        title: "Subscribing to a finished task is refused",
        why: "A stream of a task that can no longer change keeps a connection open for nothing.",
        fix: "Refuse to subscribe to a task in a terminal state.",
        faults: tripped_by(&["subscribe-terminal-streams"]),
        judge: subscribe_refused,
        ..Check::DEFAULTS
    },
    Check {
        id: "subscribe.terminal-code",
        title: "Subscribing to a finished task returns UnsupportedOperationError",
        why: "Clients tell \"the task is over\" from \"malformed\" by the code.",
        fix: "Return -32004 (UnsupportedOperationError).",
        requirements: &["subscribe.terminal"],
        faults: tripped_by(&["subscribe-terminal-wrong-code"]),
        advisory: Some("any refusal shows that the task is over, and servers return -32602 here"),
        judge: subscribe_code,
        ..Check::DEFAULTS
    },
    Check {
        id: "subscribe.terminal-ends",
        title: "Resubscribing to a finished task ends quickly",
        why: "A client that comes back too late must not wait forever.",
        fix: "Return an error, or the finished task, and end the response.",
        requirements: &["subscribe.v03.terminal"],
        faults: tripped_by(&["resubscribe-terminal-hangs"]),
        judge: subscribe_ends,
        ..Check::DEFAULTS
    },
    Check {
        id: "task.terminal-immutable",
        title: "A finished task does not change",
        why: "Terminal means that nothing changes any more.",
        fix: "Have the task store itself reject every change to a task in a terminal state.",
        faults: tripped_by(&["terminal-reopens", "cancel-overwrites-finished"]),
        judge: immutable,
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.terminal-task",
        title: "A streamed message to a finished task is refused",
        why: "The client would wait on a stream of a task that can no longer change.",
        fix: "Refuse a streamed message to a finished task with -32004 (UnsupportedOperationError), as for a unary \
              one.",
        faults: tripped_by(&["stream-terminal-accepted"]),
        judge: stream_refused,
        ..Check::DEFAULTS
    },
    Check {
        id: "push.none-uninvited",
        title: "A task sent without a push config has none",
        why: "A config that nobody made calls a webhook that nobody named, or fails to.",
        fix: "Store a config with a send only if configuration.taskPushNotificationConfig is present in it.",
        faults: tripped_by(&["push-uninvited"]),
        judge: uninvited,
        ..Check::DEFAULTS
    },
    Check {
        id: "get.history-negative",
        title: "A negative historyLength is refused",
        why: "A negative history length is meaningless.",
        fix: "Refuse a negative historyLength as an invalid parameter.",
        faults: tripped_by(&["history-negative-accepted"]),
        judge: negative,
        ..Check::DEFAULTS
    },
];

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let before = d.earlier("send").map(|transcript| finished(transcript).cloned());
        let task = match before {
            Some(Ok(task)) => task,
            Some(Err(why)) => return d.stop(why),
            None => return,
        };
        let id = task.id.unwrap_or_default();
        d.cancel("cancel", &id).await;
        let text = d.facts().prompts.text(Behaviour::Complete).unwrap_or_default();
        let context = task.context_id;
        let message = Outgoing { task_id: Some(id.clone()), context_id: context.clone(), ..d.outgoing(text) };
        d.send("message", &message).await;
        let streaming = d.facts().declares(|card| card.streaming);
        let mut reads = vec![d.get("get", &id, None)];
        if d.has_check("push.none-uninvited") && d.facts().declares(|card| card.push_notifications) {
            let target = PushConfigRequest { task_id: id.clone(), config_id: None, url: String::new() };
            let params = (d.dialect().push_params)(Operation::ListPushConfigs, &target);
            reads.push(d.call("push-configs", d.operation(Operation::ListPushConfigs, params)));
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
        if streaming && d.has_check("subscribe.terminal-code") && is_missing(d.last("subscribe")) {
            d.subscribe("subscribe-unknown", &d.fresh_id(), |_| StreamControl::HangUp).await;
        }
        // At the end: an agent that takes these changes the task.
        let mut changes = Vec::new();
        if d.has_check("get.history-negative") {
            let negative = d.operation(Operation::GetTask, json!({ "id": id, "historyLength": -5 }));
            changes.push(d.call("negative", negative.called("historyLength -5")));
        }
        let text = d.facts().prompts.text(Behaviour::Complete).unwrap_or_default();
        let message = Outgoing { task_id: Some(id), context_id: context, ..d.outgoing(text) };
        if streaming && d.has_check("stream.terminal-task") {
            changes.push(d.open("stream-message", &message, |_| StreamControl::HangUp));
        }
        d.together(changes).await;
    })
}

/// T-PUSH-6: of a task that is over the agent may refuse the list.
fn uninvited(t: &Transcript) -> Judged {
    before(t)?;
    if !t.facts.declares(|card| card.push_notifications) {
        return Err(Verdict::excluded_by_card("the card does not declare push notifications"));
    }
    let (step, payload) = t.succeeded("push-configs")?;
    let Payload::PushConfigs(configs) = payload else {
        return Err(Verdict::blocked("the list of push configs cannot be read").seen_in(step.exchange.id));
    };
    // Where no task lives long enough, the checks of a second identity make their configs for this one, meanwhile.
    let uninvited = configs.iter().filter(|config| config.url.as_deref() != Some(SECOND_IDENTITY_HOOK)).count();
    let count = count_of(uninvited, "config");
    step.claim(uninvited == 0, "no config for a task that was sent without one", count, "")
}

fn negative(t: &Transcript) -> Judged {
    before(t)?;
    t.refused_somehow("negative", "historyLength -5")
}

fn is_missing(step: Option<Rc<Step>>) -> bool {
    step.is_some_and(
        |step| matches!(&step.reply.kind, ReplyKind::Error(error) if error.name == Some(ErrorName::MethodNotFound)),
    )
}

/// The task as it was before, and proof that the scenario got to it.
fn before(t: &Transcript) -> Result<&Task, Verdict> {
    finished(t.earlier("send")?)
}

fn cancel_refused(t: &Transcript) -> Judged {
    before(t)?;
    t.refused_somehow("cancel", "cancelling a finished task")
}

fn cancel_code(t: &Transcript) -> Judged {
    before(t)?;
    t.refused("cancel")?;
    t.refused_as("cancel", "cancelling a finished task", &[ErrorName::TaskNotCancelable])
}

fn message_refused(t: &Transcript) -> Judged {
    before(t)?;
    t.refused_somehow("message", "a message to a finished task")
}

fn message_code(t: &Transcript) -> Judged {
    before(t)?;
    t.refused("message")?;
    t.refused_as("message", "a message to a finished task", &[ErrorName::UnsupportedOperation])
}

/// Streaming is what decides whether there is anything to subscribe to.
fn subscribed(t: &Transcript) -> Result<(), Verdict> {
    before(t)?;
    if t.facts.declares(|card| card.streaming) {
        Ok(())
    } else {
        Err(Verdict::excluded_by_card("the card does not declare streaming"))
    }
}

fn subscribe_refused(t: &Transcript) -> Judged {
    subscribed(t)?;
    t.refused_somehow("subscribe", "subscribing to a finished task")
}

fn subscribe_ends(t: &Transcript) -> Judged {
    subscribed(t)?;
    let step = t.step("subscribe")?;
    // An error, nothing, or the task and then the end (T-03-5).
    if matches!(step.exchange.end, End::Deadline(_) | End::HungUp) && step.exchange.response.is_some() {
        return step.claim(false, "an error, or the end of the response", "a response that stays open", "");
    }
    t.answered("subscribe")?.claim(true, "", "", "")
}

fn stream_refused(t: &Transcript) -> Judged {
    subscribed(t)?;
    // T-ERR-4: which error it is, the unary call shows.
    t.refused_somehow("stream-message", "a streamed message to a finished task")
}

fn subscribe_code(t: &Transcript) -> Judged {
    subscribed(t)?;
    let (step, _) = t.refused("subscribe")?;
    exists(t, step, "subscribe-unknown")?;
    t.refused_as("subscribe", "subscribing to a finished task", &[ErrorName::UnsupportedOperation])
}

fn immutable(t: &Transcript) -> Judged {
    let before = before(t)?;
    let step = t.answered("get")?;
    match &step.reply.kind {
        // T-ERR-11: gone is not changed.
        ReplyKind::Error(error) if error.is(ErrorName::TaskNotFound) => {
            Err(Verdict::inconclusive("the agent does not keep finished tasks"))
        }
        _ => {
            let (step, after) = t.task("get")?;
            if after.state == before.state {
                return Ok(Verdict::pass().seen_in(step.exchange.id));
            }
            let expected = before.state_text.clone().unwrap_or_default();
            let actual = after.state_text.clone().unwrap_or_else(|| "no state".to_owned());
            let place = format!("{}/status/state", after.at);
            Ok(Verdict::fail(step.exchange.id, format!("{expected}, as before the message and the cancel"), actual)
                .at(place))
        }
    }
}
