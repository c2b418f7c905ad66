//! What a finished task still allows: reading, and nothing else.

use futures_util::future::LocalBoxFuture;

use crate::a2a::binding::{Said, StreamItemKind};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{ErrorName, Task};
use crate::engine::check::anyone;
use crate::engine::drive::{Driver, GRACE_MS};
use crate::engine::prompt::Behaviour;
use crate::engine::record::Flow;
use crate::engine::take::Take;
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;
use crate::suite::messaging::send::finished;
use crate::wire::exchange::End;

scenario! {
    "finished", "Try things with a finished task", in Tasks, scope: Lane,
    messages: 2, streams: 1, after: ["send"], needs: anyone, drive: drive,
    checks: {
        /// A caller that is told "cancelled" of a task that had completed throws its result away.
        ///
        /// Fix: Refuse to cancel a task in a terminal state.
        "cancel.terminal-refused", "Cancelling a finished task is refused",
        requires: ["cancel.terminal"], faults: ["cancel-terminal-ok"], judge: cancel_refused;

        /// By this code a client knows that it came too late, not that something broke.
        ///
        /// Fix: Answer -32002 (TaskNotCancelableError).
        "cancel.terminal", "Cancelling a finished task gives TaskNotCancelableError",
        requires: ["cancel.terminal"], faults: ["cancel-terminal-wrong-code"], judge: cancel_code;

        /// A finished task is a record; going on with it changes what others have read.
        ///
        /// Fix: Refuse a message whose taskId names a finished task; a new message in the same context begins a new one.
        "send.terminal-task", "A message to a finished task is refused",
        requires: ["send.terminal-task", "send.v03.terminal-task", "send.v01.terminal-task"], faults: ["terminal-accepts-message"], judge: message_refused;

        /// Clients tell "not in this state" from "malformed" by the code.
        ///
        /// Fix: Answer -32004 (UnsupportedOperationError).
        "send.terminal-code", "A message to a finished task gives UnsupportedOperationError",
        requires: ["send.terminal-task"], faults: ["terminal-wrong-code"],
        advisory: "any refusal protects the task; servers answer -32602 here", judge: message_code;

        /// A stream of a task that will never change again keeps a connection open for nothing.
        ///
        /// Fix: Refuse to subscribe to a task in a terminal state.
        "subscribe.terminal", "Subscribing to a finished task is refused",
        requires: ["subscribe.terminal"], faults: ["subscribe-terminal-streams"], judge: subscribe_refused;

        /// Clients tell "it is over" from "malformed" by the code.
        ///
        /// Fix: Answer -32004 (UnsupportedOperationError).
        "subscribe.terminal-code", "Subscribing to a finished task gives UnsupportedOperationError",
        requires: ["subscribe.terminal"], faults: ["subscribe-terminal-wrong-code"],
        advisory: "any refusal says that it is over; servers answer -32602 here", judge: subscribe_code;

        /// A client that comes back too late must not wait for ever.
        ///
        /// Fix: Answer an error, or the finished task, and end the response.
        "subscribe.terminal-ends", "Resubscribing to a finished task ends quickly",
        requires: ["subscribe.v03.terminal"], faults: ["resubscribe-terminal-hangs"], judge: subscribe_ends;

        /// Terminal means that nothing changes any more.
        ///
        /// Fix: Reject every change of a task in a terminal state in the store itself.
        "task.terminal-immutable", "A finished task stays as it is",
        requires: ["task.terminal-immutable"], faults: ["terminal-reopens"], judge: immutable;

        /// A stream of a task that will never change again is a client waiting for nothing.
        ///
        /// Fix: Refuse a streamed message to a finished task with -32004 (UnsupportedOperationError), as an unary one.
        "stream.terminal-task", "A streamed message to a finished task is refused",
        requires: ["stream.terminal-task"], faults: ["stream-terminal-accepted"], judge: stream_refused;
    }
}

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let before = d.earlier("send").map(|take| finished(take).cloned());
        let task = match before {
            Some(Ok(task)) => task,
            Some(Err(why)) => return d.stop(why),
            None => return,
        };
        let id = task.id.unwrap_or_default();
        d.cancel("cancel", &id).await;
        let text = d.facts.prompts.text(Behaviour::Complete).unwrap_or_default();
        let context = task.context_id;
        let message = Outgoing { task_id: Some(id.clone()), context_id: context.clone(), ..d.outgoing(text) };
        d.send("message", &message).await;
        d.get("get", &id, None).await;
        if d.facts.declares(|card| card.streaming) {
            // One event is proof enough that it was not refused.
            let to_the_end = d.asks("subscribe.terminal-ends");
            d.subscribe("subscribe", &id, |item| match item {
                StreamItemKind::Error(_) => Flow::Continue,
                _ if to_the_end => Flow::Grace(GRACE_MS),
                _ => Flow::HangUp,
            })
            .await;
            if !d.asks("stream.terminal-task") {
                return;
            }
            let text = d.facts.prompts.text(Behaviour::Complete).unwrap_or_default();
            let message = Outgoing { task_id: Some(id), context_id: context, ..d.outgoing(text) };
            d.open("stream-message", &message, |_| Flow::HangUp).await;
        }
    })
}

/// The task as it was before, and proof that the scenario got to it.
fn before(t: &Take) -> Result<&Task, Verdict> {
    finished(t.earlier("send")?)
}

fn cancel_refused(t: &Take) -> Judged {
    before(t)?;
    t.refused_somehow("cancel", "cancelling a finished task")
}

fn cancel_code(t: &Take) -> Judged {
    before(t)?;
    t.refused("cancel")?;
    t.refused_as("cancel", "cancelling a finished task", &[ErrorName::TaskNotCancelable])
}

fn message_refused(t: &Take) -> Judged {
    before(t)?;
    t.refused_somehow("message", "a message to a finished task")
}

fn message_code(t: &Take) -> Judged {
    before(t)?;
    t.refused("message")?;
    t.refused_as("message", "a message to a finished task", &[ErrorName::UnsupportedOperation])
}

/// Streaming is what decides whether there is anything to subscribe to.
fn subscribed(t: &Take) -> Result<(), Verdict> {
    before(t)?;
    if t.facts.declares(|card| card.streaming) {
        Ok(())
    } else {
        Err(Verdict::not_applicable("the card does not declare streaming"))
    }
}

fn subscribe_refused(t: &Take) -> Judged {
    subscribed(t)?;
    t.refused_somehow("subscribe", "subscribing to a finished task")
}

fn subscribe_ends(t: &Take) -> Judged {
    subscribed(t)?;
    let step = t.step("subscribe")?;
    // An error, nothing, or the task and then the end (T-03-5).
    if matches!(step.exchange.end, End::Deadline(_) | End::HungUp) && step.exchange.response.is_some() {
        return step.claim(false, "an error, or the end of the response", "a response that stays open", "");
    }
    t.answered("subscribe")?.claim(true, "", "", "")
}

fn stream_refused(t: &Take) -> Judged {
    subscribed(t)?;
    // T-ERR-4: which error it is, the unary call shows.
    t.refused_somehow("stream-message", "a streamed message to a finished task")
}

fn subscribe_code(t: &Take) -> Judged {
    subscribed(t)?;
    t.refused("subscribe")?;
    t.refused_as("subscribe", "subscribing to a finished task", &[ErrorName::UnsupportedOperation])
}

fn immutable(t: &Take) -> Judged {
    let before = before(t)?;
    let step = t.answered("get")?;
    match &step.reply.said {
        // T-ERR-11: gone is not changed.
        Said::Error(error) if error.is(ErrorName::TaskNotFound) => {
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
