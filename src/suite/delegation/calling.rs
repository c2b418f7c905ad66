//! The agent is told to call the beacon: once alone, and then three times at once while other tasks run.

use super::called_judgement::{apart, called, result};
use super::orders::{ALONE, ARRIVED, GivenOrder, OTHERS, TOGETHER, beacon, carry_out};
use crate::engine::prelude::{Behaviour, Check, Driver, Scenario, Scope};
use crate::host::beacon::BeaconAnswer;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "delegation",
    title: "Tell the agent to call another",
    scope: Scope::Delegation,
    messages: 6,
    rounds: 3,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

/// How long the beacon takes for each of them, in milliseconds, so that they overlap.
const OVERLAP_MS: u32 = 500;

const CHECKS: &[Check] = &[
    Check {
        id: "delegation.called",
        title: "The agent calls the agent that it is told to call",
        why: "A result that is said to come from another agent, which was never called, is made up.",
        fix: "Call the agent at the address in the message, and report the task as failed where the call fails.",
        judge: called,
        ..Check::tripped_by(&["delegation-pretended"])
    },
    Check {
        id: "delegation.result",
        title: "The agent's result has what the agent returned that it called",
        why: "A user who delegates work wants to see what came of it.",
        fix: "Put what the other agent returns into an artifact or a message: the message of its status, its artifacts, or its message.",
        judge: result,
        ..Check::tripped_by(&["delegation-loses-result"])
    },
    Check {
        id: "delegation.apart",
        title: "Calls that the agent is told to make at the same time stay apart",
        why: "What one user delegates is disclosed to another, or answered with the result of another.",
        fix: "Keep what belongs to a call in the task that makes it, and not in a variable that tasks share.",
        judge: apart,
        ..Check::tripped_by(&["delegation-mixes-results"])
    },
];

async fn drive(d: &Driver) {
    let Some(peer) = beacon(d).await else { return };
    let alone = GivenOrder::new(d, ALONE, BeaconAnswer::Result);
    carry_out(d, &peer, &[alone], Vec::new()).await;
    // Without a call there is nothing more to see.
    if !d.has_check("delegation.apart") || d.takes_one_at_a_time() || d.every(ARRIVED).is_empty() {
        return;
    }
    let orders = TOGETHER.map(|order| GivenOrder::new(d, order, |text| BeaconAnswer::Late(text, OVERLAP_MS)));
    let text = d.facts().prompts.text(Behaviour::Complete).unwrap_or_else(|| "Hello".to_owned());
    let others = OTHERS.into_iter().map(|step| d.send(step, &d.outgoing(text.as_str())));
    carry_out(d, &peer, &orders, others.collect()).await;
}
