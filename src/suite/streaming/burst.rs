//! Two tasks at once that emit many updates as fast as they can, one for a slow reader: whether any is lost, misplaced or out of
//! order. Only a thorough run asks for them, and only an agent of which it is known how to bring that about.

use super::at_once::{self, BURST, Steps};
use super::events::declared;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Transcript, Verdict};

pub(super) static SCENARIO: Scenario = Scenario {
    id: BURST,
    title: "Stream two bursts of updates",
    messages: 2,
    is_thorough: true,
    streams: 2,
    rounds: 2,
    after: &["stream"],
    needs: |facts| declared(facts).and_then(|()| facts.names_prompt(Behaviour::Burst)),
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "stream.burst-own-events",
        title: "A burst of updates stays on the stream of its task",
        why: "A client that runs several tasks mixes up their results, or shows them to the wrong user.",
        fix: "Give every stream a queue of its own, and publish the events of a task only to the queues of that task.",
        requirements: &["stream.consistent-ids"],
        judge: |t| at_once::own_events(t, STEPS),
        ..Check::tripped_by(&["burst-leaks-update"])
    },
    Check {
        id: "stream.burst-complete",
        title: "No update of a burst is lost",
        why: "A client gets a part of the result, and nothing says that something is missing.",
        fix: "Do not drop updates when a queue is full or a task has ended: write what is in the queue before the stream ends.",
        requirements: &["stream.matches-get", "stream.v03.matches-get"],
        judge: |t| at_once::complete(t, &[QUICK], FEWEST),
        ..Check::tripped_by(&["burst-loses-update", "burst-loses-last"])
    },
    Check {
        id: "stream.burst-slow-reader",
        title: "A reader that is slower than a burst gets all of it, in order",
        why: "A phone, a busy server or a slow network gets a part of the result, and nothing says that something is missing.",
        fix: "Let the task wait, or keep its updates, when a reader does not keep up: never drop them.",
        requirements: &["stream.matches-get", "stream.v03.matches-get"],
        judge: slow_reader,
        ..Check::tripped_by(&["burst-drops-unread"])
    },
    Check {
        id: "stream.burst-order",
        title: "The updates of a burst come in order",
        why: "A client that appends chunks as they come gets a text that nobody wrote.",
        fix: "Send a task's events through one queue, in the order they were generated.",
        requirements: &["stream.order", "stream.v03.matches-get"],
        judge: |t| at_once::in_order(t, &[QUICK], FEWEST),
        ..Check::tripped_by(&["burst-swaps-updates"])
    },
];

/// The stream that is read as it comes, and the one that is read slowly.
const STEPS: Steps<'_> = &[QUICK, SLOW];
const QUICK: (&str, &str) = ("quick", "quick-read");
const SLOW: (&str, &str) = ("slow", "slow-read");

/// How many chunks are a burst at least.
const FEWEST: usize = 10;

/// Where the other reader loses updates, too, that is what the check of all bursts finds.
fn slow_reader(t: &Transcript) -> Judged {
    if whole(t, QUICK, FEWEST)?.expected.is_some() {
        return Err(Verdict::blocked("a reader that is not slow does not get all of a burst in order, either"));
    }
    // Chunks that wait for a reader may be put together.
    whole(t, SLOW, 1)
}

/// Whether a stream shows all of its task, in order.
fn whole(t: &Transcript, stream: (&'static str, &'static str), fewest: usize) -> Judged {
    let verdict = at_once::complete(t, &[stream], fewest)?;
    if verdict.expected.is_some() { Ok(verdict) } else { at_once::in_order(t, &[stream], fewest) }
}

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::Burst) else { return };
    at_once::stream_at_once(d, &message.text, STEPS, Some(SLOW.0)).await;
}
