//! Several short tasks that stream at the same time: whether each stream holds its own updates, all of them, in order. Only a
//! thorough run asks for them.

use super::at_once::{self, STREAMS_AT_ONCE, Steps};
use super::events::declared;
use crate::engine::prelude::{Behaviour, Check, Driver, Scenario};

pub(super) static SCENARIO: Scenario = Scenario {
    id: STREAMS_AT_ONCE,
    title: "Stream several tasks at the same time",
    messages: 3,
    is_thorough: true,
    streams: 3,
    rounds: 2,
    after: &["stream"],
    needs: declared,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "stream.parallel-own-events",
        title: "Streams at the same time hold events of their own task only",
        why: "A client that runs several tasks mixes up their results, or shows them to the wrong user.",
        fix: "Give every stream a queue of its own, and publish the events of a task only to the queues of that task.",
        requirements: &["stream.consistent-ids"],
        judge: |t| at_once::own_events(t, STEPS),
        ..Check::tripped_by(&["crowd-leaks-update"])
    },
    Check {
        id: "stream.parallel-complete",
        title: "Streams at the same time lose no update",
        why: "A client gets a part of the result, and nothing says that something is missing.",
        fix: "Keep the queues of tasks that work at the same time apart, and wait until an update is written before it is dropped.",
        requirements: &["stream.matches-get", "stream.v03.matches-get"],
        judge: |t| at_once::complete(t, STEPS, 1),
        ..Check::tripped_by(&["crowd-loses-update"])
    },
    Check {
        id: "stream.parallel-order",
        title: "Streams at the same time keep the order of their updates",
        why: "A client that appends chunks as they come gets a text that nobody wrote.",
        fix: "Send a task's events through one queue, in the order they were generated.",
        requirements: &["stream.order", "stream.v03.matches-get"],
        judge: |t| at_once::in_order(t, STEPS, 1),
        ..Check::tripped_by(&["crowd-swaps-updates"])
    },
];

const STEPS: Steps<'_> = &[("first", "first-read"), ("second", "second-read"), ("third", "third-read")];

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::Stream) else { return };
    at_once::stream_at_once(d, &message.text, STEPS, None).await;
}
