//! Two tasks at the same time that emit many updates as fast as they can. Only a thorough run asks for them, and only an agent of
//! which it is known how to bring that about.

use futures_util::future::LocalBoxFuture;

use super::at_once::{self, BURST, Steps};
use super::events::declared;
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::Driver;
use crate::engine::prompt::Behaviour;
use crate::engine::transcript::RunFacts;
use crate::engine::verdict::Verdict;

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: BURST,
    title: "Stream two bursts of updates",
    scope: Scope::Lane,
    messages: 2,
    is_thorough: true,
    streams: 2,
    rounds: 2,
    after: &["stream"],
    needs: is_known,
    drive,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[
    Check {
        id: "stream.burst-own-events",
        title: "A burst of updates stays on the stream of its task",
        why: "A client that runs several tasks mixes up their results, or shows them to the wrong user.",
        fix: "Give every stream a queue of its own, and publish the events of a task only to the queues of that task.",
        requirements: &["stream.consistent-ids"],
        faults: tripped_by(&["burst-leaks-update"]),
        judge: |t| at_once::own_events(t, STEPS),
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.burst-complete",
        title: "No update of a burst is lost",
        why: "A client gets a part of the result, and nothing says that something is missing.",
        fix: "Do not drop updates when a queue is full or a task has ended: write what is in the queue before the stream ends.",
        requirements: &["stream.matches-get", "stream.v03.matches-get"],
        faults: tripped_by(&["burst-loses-update", "burst-loses-last"]),
        judge: |t| at_once::complete(t, STEPS, FEWEST),
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.burst-order",
        title: "The updates of a burst come in order",
        why: "A client that appends chunks as they come gets a text that nobody wrote.",
        fix: "Send a task's events through one queue, in the order they were generated.",
        requirements: &["stream.order", "stream.v03.matches-get"],
        faults: tripped_by(&["burst-swaps-updates"]),
        judge: |t| at_once::in_order(t, STEPS, FEWEST),
        ..Check::DEFAULTS
    },
];

const STEPS: Steps = &[("first", "first-read"), ("second", "second-read")];

/// How many chunks are a burst at least.
const FEWEST: usize = 10;

fn is_known(facts: &RunFacts) -> Result<(), Verdict> {
    declared(facts)?;
    match facts.prompts.text(Behaviour::Burst) {
        Some(_) => Ok(()),
        None => Err(Verdict::not_applicable(
            "no prompt is known that makes the agent emit many updates at once; to run this check, set the prompt \"burst\"",
        )),
    }
}

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let Some(message) = d.prompt(Behaviour::Burst) else { return };
        at_once::stream_at_once(d, &message.text, STEPS).await;
    })
}
