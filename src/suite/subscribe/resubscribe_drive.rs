//! Drives the scenario `subscribe`: drops a stream in the middle, subscribes again, and how often that is tried.

use std::rc::Rc;

use futures_util::future::{Aborted, abortable, join, pending};

use super::after_disconnect::still_ms;
use super::two_subscribers::{Agreement, agreement, updates};
use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{ErrorName, Task};
use crate::engine::prelude::{Behaviour, Driver, Step, StreamControl, task_of};
use crate::suite::streaming::{is_end, streamed_task};
use crate::wire::exchange::End;

/// How often a task is subscribed to at most that should be at work.
pub(super) const ATTEMPTS: u32 = 3;

pub(super) async fn drive(d: &Driver) {
    let mut strays = Vec::new();
    if d.has_check("subscribe.not-found") {
        strays.push(d.subscribe("unknown", &d.fresh_id(), |_| StreamControl::HangUp));
    }
    let message = d.prompt(Behaviour::LongRunning);
    if let Some(message) = message.as_ref().filter(|_| d.has_check("stream.unknown-task")) {
        let stray = Outgoing { task_id: Some(d.fresh_id()), ..d.outgoing(message.text.clone()) };
        strays.push(d.open("stray", &stray, |_| StreamControl::HangUp));
    }
    d.together(strays).await;
    let at_once =
        d.for_unknown_at_once("unknown", |unknown| d.subscribe("unknown-at-once", unknown, |_| StreamControl::HangUp));
    let Some(message) = message else { return at_once.await };
    let (task, ()) = join(attempt(d, &message, Order::AtOnce), at_once).await;
    let Some(mut task) = task else { return };
    for _ in 1..ATTEMPTS {
        let Some(order) = task.again.filter(|_| d.may_try_again(&message.text)) else { break };
        let _alone = d.without_other_requests(&["stream", "subscription", "second", "get", "refused-at"]).await;
        let Some(again) = attempt(d, &d.outgoing(message.text.clone()), order).await else { return };
        task = again;
    }
    match task.end {
        // It will not change any more.
        Some(seen) => d.record_as("settled", &seen),
        None => {
            d.opens_no_more_streams();
            let patience_ms = || still_ms(d.polled_ms().unwrap_or(f64::INFINITY));
            d.poll_while_it_moves("settled", &task.id, Box::new(patience_ms)).await;
        }
    }
}

struct Subscribed {
    id: String,
    /// The reading that showed its end, where the subscription was refused.
    end: Option<Rc<Step>>,
    /// How to try again: the task was over before the subscription, although it need not have been, or the two subscribers saw
    /// nothing in common.
    again: Option<Order>,
}

/// When the second of two subscribers asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Beside the first.
    AtOnce,
    /// As soon as the first has its first event, or got none: what the second sees from then on, the first must see as well.
    OneAfterTheOther,
}

/// Makes a task, drops its stream and subscribes to it.
async fn attempt(d: &Driver, message: &Outgoing, order: Order) -> Option<Subscribed> {
    let stream = d.open("stream", message, |_| StreamControl::HangUp).await;
    let id = streamed_task(&stream)?;
    let _hurry = d.hurry();
    // A second listener, who leaves before the end.
    let mut events = 0;
    let leave = |_: &StreamItemKind| {
        events += 1;
        if events < 3 { StreamControl::Continue } else { StreamControl::HangUp }
    };
    let (first_event, first_is_there) = abortable(pending::<()>());
    let is_there = first_is_there.clone();
    let first = d.subscribe("subscription", &id, move |_| {
        is_there.abort();
        StreamControl::Continue
    });
    let first = async {
        let subscription = first.await;
        first_is_there.abort();
        subscription
    };
    let second = async {
        if order == Order::OneAfterTheOther {
            let _: Result<(), Aborted> = first_event.await;
        }
        d.subscribe("second", &id, leave).await
    };
    let streams = async {
        if d.has_check("subscribe.multi-broadcast") {
            let (first, second) = join(first, second).await;
            (first, Some(second))
        } else {
            (first.await, None)
        }
    };
    // Read meanwhile: before, the task could end over it, and a stream that hangs leaves no time behind it.
    let ((subscription, second), _) = join(streams, d.get("get", &id, None)).await;
    let refusal = match &subscription.reply.kind {
        ReplyKind::Error(error) => Some(error.name),
        _ => None,
    };
    let mut end = None;
    if refusal.is_some() {
        // Was the task over, so that there was nothing to subscribe to?
        let seen = d.get("refused-at", &id, None).await;
        end = task_of(&seen.reply).is_some_and(Task::is_over).then_some(seen);
    }
    let came_late = match refusal {
        Some(name) => end.is_some() && name != Some(ErrorName::MethodNotFound),
        None => {
            begins_with_end(&subscription) || second.as_ref().is_some_and(|second| is_too_late(second, &subscription))
        }
    };
    let again = if second.is_some_and(|second| share_nothing(&subscription, &second)) {
        Some(Order::OneAfterTheOther)
    } else {
        came_late.then_some(Order::AtOnce)
    };
    Some(Subscribed { id, end, again })
}

/// Whether two subscribers each saw updates, and none of them both.
fn share_nothing(first: &Step, second: &Step) -> bool {
    let (first, second) = (updates(first), updates(second));
    !second.is_empty() && agreement(&first, &second) == Agreement::NothingShared
}

/// Whether the first event of a stream shows a finished task.
fn begins_with_end(stream: &Step) -> bool {
    let ReplyKind::Stream(items) = &stream.reply.kind else { return false };
    items.first().is_some_and(|item| matches!(&item.kind, StreamItemKind::Event(event) if is_end(event)))
}

/// Whether the second of two subscriptions was refused when the first was over, or ended before we left it.
fn is_too_late(second: &Step, first: &Step) -> bool {
    match second.reply.kind {
        ReplyKind::Error(_) => second.exchange.end_ms >= first.exchange.end_ms,
        _ => second.exchange.end == End::Complete,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::model::ErrorName;
    use crate::engine::transcript::examples::{error, step};

    #[test]
    fn a_refusal_comes_too_late_only_behind_the_end_of_the_other_subscription() {
        let stream = |number| step("subscribe", number, ReplyKind::Stream(Vec::new()));
        assert!(is_too_late(&step("second", 2, error(ErrorName::UnsupportedOperation)), &stream(1)));
        assert!(!is_too_late(&step("second", 1, error(ErrorName::UnsupportedOperation)), &stream(2)));
        // One that ended by itself, before it was left.
        assert!(is_too_late(&stream(1), &stream(2)));
    }
}
