//! The agent speaks the instructions of a2aproject/a2a-itk: it is told by which binding to call the beacon, to stream, to subscribe
//! again, to name a webhook, and to call it through other agents.

use super::called_judgement::not_called;
use super::orders::{ARRIVED, DelegationOrder, GivenOrder, beacon, carry_out};
use super::reading::{Agreed, Ending, agreed, calls_with, ending, last_seen, words};
use crate::a2a::itk::{CallManner, InstructedCall, answer_with, call_with, written};
use crate::engine::delegation::{DelegationTemplate, PeerAddress};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Scope, Step, Transcript, Verdict};
use crate::engine::verdict::Outcome;
use crate::host::beacon::BeaconAnswer;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "delegation-instructed",
    title: "Instruct the agent how to call others",
    scope: Scope::Delegation,
    messages: 6,
    rounds: 2,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

/// The orders over each binding, with the binding's name in a card, its name for people, and what its URLs contain.
const BINDINGS: [(DelegationOrder, &str, &str, &str); 3] = [
    (
        DelegationOrder { told: "jsonrpc", read: "jsonrpc-read", agreed: "jsonrpc-agreed" },
        "JSONRPC",
        "JSON-RPC",
        "/rpc",
    ),
    (DelegationOrder { told: "rest", read: "rest-read", agreed: "rest-agreed" }, "HTTP+JSON", "HTTP+JSON", "/rest/"),
    (DelegationOrder { told: "grpc", read: "grpc-read", agreed: "grpc-agreed" }, "GRPC", "gRPC", "A2AService/"),
];
const STREAMED: DelegationOrder =
    DelegationOrder { told: "streamed", read: "streamed-read", agreed: "streamed-agreed" };
const SUBSCRIBED: DelegationOrder =
    DelegationOrder { told: "subscribed", read: "subscribed-read", agreed: "subscribed-agreed" };
const HOPS: DelegationOrder = DelegationOrder { told: "hops", read: "hops-read", agreed: "hops-agreed" };

/// What ends a stream that was subscribed to again, in the words of the format.
const FINISHED: &str = "task-finished";

/// How long the beacon works on what is subscribed to, in milliseconds.
const WORK_MS: u32 = 2_000;

const CHECKS: &[Check] = &[
    Check {
        id: "delegation.bindings",
        title: "The agent calls another by the binding that it is told to use",
        why: "An agent that speaks one binding as a client reaches only those who serve it.",
        fix: "Choose the interface of the card whose binding the instruction names.",
        judge: bindings,
        ..Check::tripped_by(&["delegation-one-binding"])
    },
    Check {
        id: "delegation.streams",
        title: "The agent streams a call when it is told to",
        why: "Who asks for a stream wants to see the progress of the work.",
        fix: "Call SendStreamingMessage where the instruction says streaming and the card declares it.",
        judge: streams,
        ..Check::tripped_by(&["delegation-never-streams"])
    },
    Check {
        id: "delegation.subscribes",
        title: "The agent subscribes to a task again when it is told to",
        why: "A client that lost its connection gets the result only by a new subscription.",
        fix: "Leave the stream after its first event, and call SubscribeToTask with the id of the task.",
        judge: subscribes,
        ..Check::tripped_by(&["delegation-never-subscribes"])
    },
    Check {
        id: "delegation.hops",
        title: "The agent passes an instruction on to the next agent",
        why: "A chain of agents is as long as the first one that does not pass on what it was told.",
        fix: "Send the inner instruction to the agent that the outer one names, and return what comes back.",
        judge: hops,
        ..Check::tripped_by(&["delegation-skips-hops"])
    },
];

async fn drive(d: &Driver) {
    let Some(DelegationTemplate::Itk) = d.delegation().map(|delegation| &delegation.template) else {
        return d.stop(Verdict::not_applicable("the agent is told in words of the user's: this is for --delegate itk"));
    };
    let Some(peer) = beacon(d).await else { return };
    let plain = |transport| InstructedCall { transport, agent: &peer.url, streaming: false, manner: CallManner::Plain };
    let told = |order, call: InstructedCall<'_>| {
        GivenOrder::instructed(d, order, BeaconAnswer::Result, |token| written(&call_with(call, answer_with(token))))
    };
    let streaming = InstructedCall { streaming: true, ..plain("JSONRPC") };
    let mut orders = Vec::from(BINDINGS.map(|(order, transport, ..)| told(order, plain(transport))));
    orders.push(told(STREAMED, streaming));
    orders.push(GivenOrder::instructed(d, HOPS, BeaconAnswer::Result, |token| chain(d, &peer, token)));
    carry_out(d, &peer, &orders, Vec::new()).await;
    // Alone, because a subscription does not carry the token.
    let answer = |text| BeaconAnswer::Late(format!("{text} {FINISHED}"), WORK_MS);
    let again = InstructedCall { manner: CallManner::Resubscribe, ..streaming };
    let subscribed =
        GivenOrder::instructed(d, SUBSCRIBED, answer, |token| written(&call_with(again, answer_with(token))));
    carry_out(d, &peer, &[subscribed], Vec::new()).await;
}

/// The instruction to call the beacon through further agents, or through the agent itself where there are none.
fn chain(d: &Driver, peer: &PeerAddress, token: &str) -> String {
    let own = d.agent_address().url;
    let further = d.delegation().map(|delegation| delegation.further.clone()).unwrap_or_default();
    // From the last call to the first: the beacon, and before it the agent itself and the others.
    let stops = [peer.url.clone(), own].into_iter().chain(further);
    let instruction = stops.fold(answer_with(token), |inner, url| {
        let call = InstructedCall { transport: "JSONRPC", agent: &url, streaming: false, manner: CallManner::Plain };
        call_with(call, inner)
    });
    written(&instruction)
}

/// Why a call did not arrive: a finding where the agent says that all is done.
fn without_call(t: &Transcript, order: &DelegationOrder, expected: String) -> Verdict {
    let last = match last_seen(t, order) {
        Ok(last) => last,
        Err(why) => return why,
    };
    match ending(t, last) {
        Ending::Done => last.fail(expected, format!("none, though the agent answered \"{}\"", words(last))),
        Ending::Undone(state) | Ending::Open(state) => {
            last.inconclusive(format!("there was no {expected}: the task is {state}, \"{}\"", words(last)))
        }
    }
}

/// The call of an order, and what was agreed on.
fn call<'t>(t: &'t Transcript, order: &DelegationOrder, expected: &str) -> Result<&'t Step, Verdict> {
    let Agreed { token, told, .. } = agreed(t, order)?;
    // One finding for an agent that calls nobody.
    if t.every(ARRIVED).next().is_none() {
        return Err(not_called().seen_in(told.exchange.id));
    }
    let found = calls_with(t, token).next();
    found.map(|step| &**step).ok_or_else(|| without_call(t, order, expected.to_owned()))
}

fn bindings(t: &Transcript) -> Judged {
    let mut verdict = Verdict::pass();
    let mut open = None;
    let mut used = Vec::new();
    for (order, _, title, mark) in &BINDINGS {
        let expected = format!("call over {title}");
        match call(t, order, &expected) {
            Ok(step) if step.exchange.request.url.contains(mark) => {
                verdict = verdict.seen_in(step.exchange.id);
                used.push(*title);
            }
            Ok(step) => return Ok(step.fail(expected, step.exchange.request.url.as_str())),
            Err(why) if why.outcome == Outcome::Fail => return Ok(why),
            Err(why) => open = open.or(Some(why)),
        }
    }
    match open {
        // An agent need not speak every binding as a client, and says which it does not.
        Some(_) if !used.is_empty() => Ok(verdict.because(format!("it calls over {}", used.join(", ")))),
        Some(why) => Err(why),
        None => Ok(verdict),
    }
}

fn streams(t: &Transcript) -> Judged {
    let step = call(t, &STREAMED, "streamed call")?;
    let is_streamed = calls(step, &["SendStreamingMessage", "message:stream"]);
    step.claim(is_streamed, "a call that streams", "a call that does not", "")
}

fn subscribes(t: &Transcript) -> Judged {
    let step = call(t, &SUBSCRIBED, "call")?;
    let after = t.every(ARRIVED).find(|other| {
        other.exchange.sent_ms >= step.exchange.sent_ms && calls(other, &["SubscribeToTask", ":subscribe"])
    });
    let last = last_seen(t, &SUBSCRIBED)?;
    match (after, ending(t, last)) {
        (Some(subscription), _) => Ok(step.pass().seen_in(subscription.exchange.id)),
        (None, Ending::Done) => {
            Ok(step.fail("a subscription to the task after the call", "none").seen_in(last.exchange.id))
        }
        (None, Ending::Undone(state) | Ending::Open(state)) => {
            Err(step.inconclusive(format!("no subscription arrived, and the task is {state}: \"{}\"", words(last))))
        }
    }
}

fn hops(t: &Transcript) -> Judged {
    let step = call(t, &HOPS, "call at the end of the chain")?;
    Ok(step.pass())
}

/// Whether a request is a call of one of these names, in its address or in its body.
fn calls(step: &Step, names: &[&str]) -> bool {
    let body = step.exchange.request.body.as_deref().unwrap_or_default();
    let body = String::from_utf8_lossy(body);
    names.iter().any(|name| step.exchange.request.url.contains(name) || body.contains(&format!("\"{name}\"")))
}
