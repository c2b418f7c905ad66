//! Each of two agents is told to call the other, in the user's words. The one that is called has to show it: its tasks hold the token
//! that only the caller was told.

use std::rc::Rc;

use futures_util::future::join;
use serde_json::json;

use crate::a2a::dialect::write::ListQuery;
use crate::a2a::model::Operation;
use crate::engine::delegation::PeerAddress;
use crate::engine::drive::{StepFuture, list_of};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Scope, Step, Transcript, Verdict, task_of};
use crate::engine::run::CALL;
use crate::engine::security_schemes::schemes_of;
use crate::suite::delegation::{Ending, ending, holds, words};
use crate::wire::json::Value;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "agents-delegated-call",
    title: "Tell each of two agents to call the other",
    scope: Scope::EachAgent,
    messages: 4,
    rounds: 4,
    after: &[CALL],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[Check {
    id: "pair.delegated-call",
    title: "Each of two agents calls the other when it is told to",
    why: "A result that is said to come from another agent, which was never called, is made up.",
    fix: "Call the agent at the address in the message, and report the task as failed where the call fails.",
    judge: called,
    ..Check::tripped_by(&["delegation-pretended"])
}];

/// How many tasks of the called agent are looked at one by one, the newest ones.
const LOOKED_AT: usize = 10;

/// Where the finding stands on the caller's record.
const FOUND: &str = "found";

async fn drive(d: &Driver) {
    let Some(other) = d.other().filter(|other| !d.is_stopped() && !other.is_stopped()) else { return };
    join(tell(d, other), tell(other, d)).await;
}

/// Tells an agent to call the other, and looks whether that one shows the call: as well as it shows a message of ours.
async fn tell(caller: &Driver, called: &Driver) {
    let Some(delegation) = caller.delegation() else { return };
    let (own, token) = (format!("own-{}", called.fresh_id()), format!("token-{}", caller.fresh_id()));
    let PeerAddress { url, card_url } = called.agent_address();
    let order = caller.outgoing(delegation.template.filled(&url, &card_url, &token));
    let message = called.outgoing(own.as_str());
    let sending = called.send("own", &message);
    join(settled(called, "own-read", sending), settled(caller, "order-read", caller.send("order", &order))).await;
    let shown = look(called).await;
    let is_shown = |token: &str| shown.iter().any(|step| holds(step, token));
    let Some(step) = caller.last("order") else { return };
    let asks = called.has_credentials() || called.facts().card.iter().any(|card| !schemes_of(&card.raw).is_empty());
    let found = json!({"url": url, "own": is_shown(&own), "call": is_shown(&token), "asksForCredentials": asks});
    caller.record_finding(FOUND, &step, found);
}

/// Waits for the end of what a message brought about.
async fn settled(d: &Driver, read: &'static str, sending: StepFuture<'_>) {
    let step = sending.await;
    if let Some(id) = task_of(&step.reply).and_then(|task| task.id.clone()) {
        d.poll_until_settled(read, &id).await;
    }
}

/// What an agent shows of its tasks: the list of them, and the newest of it one by one.
async fn look(d: &Driver) -> Vec<Rc<Step>> {
    if d.dialect().method(Operation::ListTasks).is_none() {
        return Vec::new();
    }
    let query = ListQuery { page_size: Some(50), history_length: Some(10), ..ListQuery::default() };
    let list = d.call("shown", d.list_tasks(&query)).await;
    let ids = list_of(&list.reply).into_iter().flat_map(|list| &list.tasks).filter_map(|task| task.id.as_deref());
    let mut shown = d.together(ids.take(LOOKED_AT).map(|id| d.get("shown", id, Some(10)))).await;
    shown.push(list);
    shown
}

/// Whether the called agent shows the call. One that shows nothing, or each caller its own, proves nothing (T-DEL-2).
fn called(t: &Transcript) -> Judged {
    if t.steps.iter().all(|step| step.name != "order") {
        t.ran_to_its_end()?;
        let why =
            "nothing says how this agent is told to call another: agent A by --delegate, agent B by --peer-delegate";
        return Err(Verdict::not_applicable(why));
    }
    let (order, found) = (t.step("order")?, t.step(FOUND)?);
    let found = found.reply.document.as_deref();
    let holds = |name: &str| found.and_then(|found| found.get(name)).and_then(Value::as_bool) == Some(true);
    let own = t.peer.iter().flat_map(|peer| &peer.transcripts).flat_map(|other| other.every("shown")).last();
    let seen = |verdict: Verdict| match own {
        Some(step) => verdict.seen_in(order.exchange.id).seen_in(step.exchange.id),
        None => verdict.seen_in(order.exchange.id),
    };
    if holds("call") {
        return Ok(seen(Verdict::pass()));
    }
    t.succeeded("order")?;
    let elsewhere = "so that this proves nothing; whether the agent calls an agent of ours says delegation.called";
    if !holds("own") {
        let why = format!("the other agent does not show the messages that it receives, {elsewhere}");
        return Err(seen(Verdict::inconclusive(why)));
    }
    if holds("asksForCredentials") {
        let why = format!("the other agent may show each caller only its own tasks, {elsewhere}");
        return Err(seen(Verdict::inconclusive(why)));
    }
    let last = t.every("order-read").last().unwrap_or(order);
    let said = words(last);
    match ending(t, last) {
        Ending::Done => {
            let actual = format!("none, though the agent answered \"{said}\"");
            Ok(seen(last.fail("a task of the other agent with the token of the message", actual)))
        }
        Ending::Undone(state) | Ending::Open(state) => {
            let why = format!("the agent did not call, and does not say that it did: its task is {state}: \"{said}\"");
            Err(seen(Verdict::inconclusive(why)))
        }
    }
}
