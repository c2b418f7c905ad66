//! The first call of each of two agents, on the interface that they have in common: whether each answers, lets the other in, and
//! takes what that one puts out.

use std::rc::Rc;

use crate::a2a::binding::ReplyKind;
use crate::engine::prelude::{Check, Driver, Judged, RunFacts, Scenario, Scope, Transcript, Verdict};
use crate::engine::run::{CALL, CREDENTIAL_OPTIONS};
use crate::engine::security_schemes::schemes_of;
use crate::suite::card_modes::{inputs, outputs};

pub(super) static SCENARIO: Scenario = Scenario {
    id: CALL,
    title: "Call two agents on the interface that they have in common",
    scope: Scope::EachAgent,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "pair.reachable",
        title: "Each of two agents answers at the interface that they have in common",
        why: "An agent whose interface does not answer cannot be called, whatever its card declares.",
        fix: "Serve the interface at the URL that the card declares, and let the other agent reach it.",
        judge: reachable,
        ..Check::tripped_by(&["silent"])
    },
    Check {
        id: "pair.credentials",
        title: "Each of two agents lets the other in",
        why: "An agent that asks for credentials can be called only by agents that have them.",
        fix: "Give the other agent credentials of one of the security schemes in the card. For this check, name those of agent A by \
              --bearer and the like, and those of agent B by --peer-bearer and the like.",
        judge: lets_in,
        ..Check::tripped_by(&["protected"])
    },
    Check {
        id: "pair.modes",
        title: "What one of two agents puts out is something that the other takes",
        why: "Agents whose media types do not meet can call each other, and have nothing to say.",
        fix: "Take one of the media types that the other agent puts out, and declare it in defaultInputModes.",
        judge: modes_meet,
        ..Check::tripped_by(&["modes-apart"])
    },
];

async fn drive(d: &Driver) {
    let calls = [Some(d), d.other()].into_iter().flatten().filter(|driver| !driver.is_stopped());
    d.together(calls.map(|driver| driver.call("call", driver.harmless_call()))).await;
}

pub(super) fn other_facts(t: &Transcript) -> Option<&Rc<RunFacts>> {
    t.peer.as_ref()?.transcripts.first().map(|other| &other.facts)
}

fn reachable(t: &Transcript) -> Judged {
    let step = t.step("call")?;
    let id = step.exchange.id;
    match &step.reply.kind {
        ReplyKind::NoAnswer(_) if step.is_hidden() => Err(Verdict::not_observable(format!(
            "the browser gave this page no answer from {}: the agent may not let other origins read it (CORS), or may be unreachable",
            url(t)
        ))
        .seen_in(id)),
        ReplyKind::NoAnswer(why) => {
            let verdict = step.fail("an answer to the first call", why.as_str());
            Ok(verdict.because(format!("an interface cannot be reached: {}: {why}", url(t))))
        }
        // Many servers answer what they do not know in a form of their own; that is judged where the agent is checked alone.
        ReplyKind::Unreadable(_) => {
            Ok(step.pass_with("it answers, though not in the form of its binding"))
        }
        ReplyKind::Unavailable(status @ (429 | 503)) => {
            Err(step.blocked(format!("the agent is not available (HTTP {status})")))
        }
        _ => Ok(step.pass()),
    }
}

fn url(t: &Transcript) -> &str {
    t.lane.as_ref().map_or("", |lane| lane.interface.url.as_str())
}

fn lets_in(t: &Transcript) -> Judged {
    let step = t.answered_or_unauthorized("call")?;
    let names: Vec<String> =
        t.facts.card.iter().flat_map(|card| schemes_of(&card.raw)).map(|scheme| scheme.name().to_owned()).collect();
    let asks = if names.is_empty() { "no security scheme".to_owned() } else { names.join(", ") };
    match step.reply.kind {
        ReplyKind::Unavailable(status @ (401 | 403)) => {
            let verdict = step.fail("a call that is let in", step.refusal(status));
            let change = format!("give the caller credentials for it (here: {CREDENTIAL_OPTIONS})");
            let place = url(t);
            Ok(verdict.because(format!(
                "credentials needed: {place} refuses the call with {}; its card declares {asks}; the smallest change: {change}",
                step.refusal(status)
            )))
        }
        _ => Ok(step.pass_with(format!("the card declares {asks}, and the call was let in"))),
    }
}

fn modes_meet(t: &Transcript) -> Judged {
    let (Some(card), Some(caller)) = (&t.facts.card, other_facts(t).and_then(|facts| facts.card.as_ref())) else {
        return Err(Verdict::blocked("a card is missing: see pair.cards"));
    };
    let (taken, put_out) = (inputs(card), outputs(caller));
    if taken.listed().is_empty() || put_out.listed().is_empty() {
        return Err(Verdict::not_applicable("a card declares no modes, so nothing is known of them"));
    }
    let shared: Vec<&str> = put_out.listed().iter().map(String::as_str).filter(|mode| taken.takes(mode)).collect();
    let id = t.step("call").map_or(0, |step| step.exchange.id);
    if shared.is_empty() {
        let (taken, put_out) = (taken.listed().join(", "), put_out.listed().join(", "));
        let verdict = Verdict::fail(id, format!("an input mode among {put_out}"), taken.as_str());
        return Ok(verdict.at("/defaultInputModes").because(format!(
            "modes that do not meet: the other agent puts out {put_out}, and the agent at {} takes {taken}; the smallest change: let it take one \
             of the former",
            url(t)
        )));
    }
    Ok(Verdict::pass_with(format!("it takes {} of the other agent", shared.join(", "))).seen_in(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::transcript::examples::{recorded, step};

    #[test]
    fn an_agent_that_is_not_available_cannot_be_said_to_be_reached() {
        let judged = |kind| reachable(&recorded("call", [step("call", 1, kind)]));
        for status in [429, 503] {
            let blocked = judged(ReplyKind::Unavailable(status)).err();
            assert!(blocked.is_some_and(|verdict| verdict.message.contains("is not available")), "{status}");
        }
        // Who asks for credentials is there.
        assert!(judged(ReplyKind::Unavailable(401)).is_ok_and(|verdict| verdict.expected.is_none()));
        assert!(judged(ReplyKind::NoAnswer("reset".to_owned())).is_ok_and(|verdict| verdict.expected.is_some()));
    }
}
