//! The agent is told to call a beacon that answers with an error, and one that answers late: its own task has to end, and how long
//! that may take.

use super::called_judgement::not_called;
use super::orders::{DelegationOrder, GivenOrder, beacon, carry_out};
use super::reading::{Agreed, Ending, agreed, calls_with, ending, last_seen};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Scope, Transcript};
use crate::engine::transcript::whole_ms;
use crate::host::beacon::BeaconAnswer;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "delegation-troubled",
    title: "Tell the agent to call one that fails, and one that is slow",
    scope: Scope::Delegation,
    messages: 2,
    rounds: 2,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const FAILING: DelegationOrder = DelegationOrder { told: "failing", read: "failing-read", agreed: "failing-agreed" };
const SLOW: DelegationOrder = DelegationOrder { told: "slow", read: "slow-read", agreed: "slow-agreed" };

/// How late the beacon answers, in milliseconds: later than the usual patience of some clients, which is five seconds.
const LATE_MS: u32 = 6_000;

/// So long after the beacon's answer a task that still works is taken to hang, in milliseconds.
const HANGS_AFTER_MS: f64 = 20_000.0;

const CHECKS: &[Check] = &[
    Check {
        id: "delegation.ends-on-error",
        title: "A task ends when the agent returns an error that it has to call",
        why: "A client waits for ever for a task whose work has failed long ago.",
        fix: "Handle the error of the call: end the task, as failed if nothing else can be done.",
        judge: |t| ends(t, &FAILING, 0.0),
        ..Check::tripped_by(&["delegation-hangs-on-error"])
    },
    Check {
        id: "delegation.ends-when-late",
        title: "A task ends when the agent is slow that it has to call",
        why: "A client waits for ever for a task whose call was given up long ago.",
        fix: "Wait for the other agent, or handle the end of your patience: end the task, as failed if nothing else can be done.",
        judge: |t| ends(t, &SLOW, f64::from(LATE_MS)),
        ..Check::tripped_by(&["delegation-hangs-on-wait"])
    },
];

async fn drive(d: &Driver) {
    let Some(peer) = beacon(d).await else { return };
    let failing = GivenOrder::new(d, FAILING, |_| BeaconAnswer::Error);
    let slow = GivenOrder::new(d, SLOW, |text| BeaconAnswer::Late(text, LATE_MS));
    carry_out(d, &peer, &[failing, slow], Vec::new()).await;
}

/// Whether the task of an order has ended, or waits for its client, a while after the beacon's answer.
fn ends(t: &Transcript, order: &DelegationOrder, answered_after_ms: f64) -> Judged {
    let Agreed { told, token, .. } = agreed(t, order)?;
    let Some(call) = calls_with(t, token).last() else { return Err(not_called().seen_in(told.exchange.id)) };
    let last = last_seen(t, order)?;
    let Ending::Open(state) = ending(t, last) else {
        return Ok(call.pass().seen_in(last.exchange.id));
    };
    let waited_ms = last.exchange.end_ms - call.exchange.sent_ms - answered_after_ms;
    if waited_ms < HANGS_AFTER_MS {
        return Err(last.inconclusive("time ran out before the task had ended"));
    }
    let actual = format!("{state} {} s after the other agent had answered", whole_ms(waited_ms / 1000.0));
    Ok(last.fail("a task that has ended", actual).seen_in(call.exchange.id))
}
