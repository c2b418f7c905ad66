//! Orders to call the beacon, each with a token that the call must carry and a result that only the call brings; for how long a
//! call may take to arrive.

use std::rc::Rc;

use futures_util::future::join_all;
use serde_json::json;

use crate::a2a::binding::ReplyKind;
use crate::a2a::model::Payload;
use crate::engine::delegation::PeerAddress;
use crate::engine::drive::{Driver, StepFuture, task_of};
use crate::engine::transcript::Step;
use crate::host::beacon::BeaconAnswer;

/// How long a call may take to arrive once the agent has answered, in milliseconds: one that answers with a message may still be at work.
const ARRIVAL_MS: f64 = 15_000.0;

/// The step of what arrived at the beacon.
pub(super) const ARRIVED: &str = "arrived";

/// The steps of an order.
#[derive(Debug, Clone, Copy)]
pub(super) struct DelegationOrder {
    /// The message to the agent.
    pub(super) told: &'static str,
    /// The readings of the task that came of it.
    pub(super) read: &'static str,
    /// What was agreed on: token, result, and the address that the agent was told to call.
    pub(super) agreed: &'static str,
}

pub(super) const ALONE: DelegationOrder = DelegationOrder { told: "alone", read: "alone-read", agreed: "alone-agreed" };

/// Those that are given at the same time.
pub(super) const TOGETHER: [DelegationOrder; 3] = [
    DelegationOrder { told: "first", read: "first-read", agreed: "first-agreed" },
    DelegationOrder { told: "second", read: "second-read", agreed: "second-agreed" },
    DelegationOrder { told: "third", read: "third-read", agreed: "third-agreed" },
];

/// The other messages that are sent at that time.
pub(super) const OTHERS: [&str; 2] = ["other-task", "another-task"];

/// The beacon's address. Without one the conversation stops.
pub(super) async fn beacon(d: &Driver) -> Option<PeerAddress> {
    d.beacon_address().await.map_err(|why| d.stop(why)).ok()
}

pub(super) struct GivenOrder {
    order: DelegationOrder,
    token: String,
    result: String,
    /// The message, if it is not that of the user's template.
    message: Option<String>,
}

impl GivenOrder {
    /// A new token for an order, which the beacon answers so: the argument is the text with the result.
    pub(super) fn new(d: &Driver, order: DelegationOrder, answer: impl FnOnce(String) -> BeaconAnswer) -> Self {
        let (token, result) = (format!("token-{}", d.fresh_id()), format!("result-{}", d.fresh_id()));
        d.answer_at_beacon(&token, answer(format!("Done: {result}")));
        Self { order, token, result, message: None }
    }

    /// The same, given by a message that is made of the token.
    pub(super) fn instructed(
        d: &Driver,
        order: DelegationOrder,
        answer: impl FnOnce(String) -> BeaconAnswer,
        message: impl FnOnce(&str) -> String,
    ) -> Self {
        let given = Self::new(d, order, answer);
        Self { message: Some(message(&given.token)), ..given }
    }

    fn tell<'a>(&self, d: &'a Driver, peer: &PeerAddress) -> Option<StepFuture<'a>> {
        let template = &d.delegation()?.template;
        let of_template = || template.filled(&peer.url, &peer.card_url, &self.token);
        Some(d.send(self.order.told, &d.outgoing(self.message.clone().unwrap_or_else(of_template))))
    }
}

/// Gives orders at the same time, with other messages beside them, and waits until what came of them has settled. What arrived at the
/// beacon is on the record afterwards.
pub(super) async fn carry_out(d: &Driver, peer: &PeerAddress, orders: &[GivenOrder], others: Vec<StepFuture<'_>>) {
    let begun_ms = d.host_now_ms();
    let told: Vec<StepFuture<'_>> = orders.iter().filter_map(|given| given.tell(d, peer)).collect();
    d.together(told.into_iter().chain(others)).await;
    join_all(orders.iter().map(|given| settle(d, given))).await;
    for GivenOrder { order, token, result, .. } in orders {
        let Some(step) = d.last(order.told) else { continue };
        d.record_finding(order.agreed, &step, json!({"token": token, "result": result, "url": peer.url}));
    }
    let tokens: Vec<String> = orders.iter().map(|given| given.token.clone()).collect();
    d.record_arrived_at_beacon(ARRIVED, begun_ms, &tokens);
}

/// Reads the task of an order until it has settled, and waits for the call a little longer.
async fn settle(d: &Driver, given: &GivenOrder) {
    let Some(step) = d.last(given.order.told) else { return };
    if let Some(id) = task_of(&step.reply).and_then(|task| task.id.clone())
        && !has_settled(&step)
    {
        d.poll_until_settled(given.order.read, &id).await;
    }
    if !matches!(step.reply.kind, ReplyKind::Result(_)) {
        return;
    }
    let until_ms = d.host_now_ms() + ARRIVAL_MS;
    while !d.has_arrived_at_beacon(&given.token) && d.host_now_ms() < until_ms && d.has_time() {
        d.pause(100.0).await;
    }
}

/// Whether nothing more is to be expected after an answer.
fn has_settled(step: &Rc<Step>) -> bool {
    match &step.reply.kind {
        ReplyKind::Result(Payload::Sent { task: Some(task), .. }) => {
            task.state.is_none_or(|state| state.is_terminal() || state.is_interrupted())
        }
        _ => true,
    }
}
