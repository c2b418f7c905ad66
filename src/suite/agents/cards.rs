//! The two cards: whether both are there, and whether the agents serve an interface in common.

use std::rc::Rc;

use crate::engine::common_interfaces::{common, served_by};
use crate::engine::prelude::{Check, Judged, Scenario, Scope, Transcript, Verdict};
use crate::engine::transcript::Lane;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "agents-cards",
    title: "Compare the cards of two agents",
    scope: Scope::TwoAgents,
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "pair.cards",
        title: "Each of two agents can discover the other's card",
        why: "An agent learns from the card of another how that one is called; without it there is nothing to call.",
        fix: "Serve the agent card as one JSON object over plain GET at /.well-known/agent-card.json.",
        judge: found,
        ..Check::tripped_by(&["card-missing", "card-html"])
    },
    Check {
        id: "pair.common-interface",
        title: "Two agents serve an interface of the same version and binding",
        why: "An agent most likely calls others in the versions and bindings that it serves itself, so two without a common one cannot talk.",
        fix: "Serve one version over one binding at both agents.",
        judge: in_common,
        ..Check::tripped_by(&["only-jsonrpc", "only-http"])
    },
];

/// The two, in the order in which they were given.
const NAMES: [&str; 2] = ["agent A", "agent B"];

/// The last exchange of a search for a card.
fn last_exchange(transcript: &Transcript) -> u32 {
    transcript.steps.last().map_or(0, |step| step.exchange.id)
}

/// Whether the agent answered a request for its card: neither the network in its place, nor a gateway that does not reach it.
fn has_answered(search: &Transcript) -> bool {
    let mut statuses = search.steps.iter().filter_map(|step| step.exchange.status());
    statuses.any(|status| !matches!(status, 429 | 502..=504))
}

fn found(t: &Transcript) -> Judged {
    for (name, search) in NAMES.iter().zip(&t.before) {
        if search.facts.card.is_none() {
            if let Some(step) = search.steps.iter().find(|step| step.is_hidden()) {
                return Err(Verdict::not_observable(format!(
                    "the browser gave this page no card of {name}: the agent may not let other origins read it (CORS), or may be unreachable"
                ))
                .seen_in(step.exchange.id));
            }
            let why = search.stopped.as_ref().map(|stopped| stopped.message.clone()).filter(|why| !why.is_empty());
            let why = why.unwrap_or_else(|| "nothing that can be read as a card".to_owned());
            if !has_answered(search) {
                // As when it is checked alone, nothing was seen of it that could be judged.
                let unreached = format!("{name} cannot be reached: no card was found ({why})");
                return Err(Verdict::blocked(unreached).seen_in(last_exchange(search)));
            }
            let verdict = Verdict::fail(last_exchange(search), format!("the card of {name}"), why.as_str());
            return Ok(verdict.because(format!("{name} cannot be called: no card was found ({why})")));
        }
    }
    Ok(t.before.iter().fold(Verdict::pass(), |verdict, search| verdict.seen_in(last_exchange(search))))
}

fn in_common(t: &Transcript) -> Judged {
    let [first, second] = t.before.as_slice() else { return Err(Verdict::inconclusive("there are no two agents")) };
    if first.facts.card.is_none() || second.facts.card.is_none() {
        return Err(Verdict::blocked("a card is missing: see pair.cards"));
    }
    let (a, b) = (served_by(&first.facts), served_by(&second.facts));
    let seen = |verdict: Verdict| verdict.seen_in(last_exchange(first)).seen_in(last_exchange(second));
    match common(&a, &b) {
        Ok(places) => {
            let lanes: Vec<Rc<Lane>> = places.iter().filter_map(|(place, _)| a.get(*place).cloned()).collect();
            let names = crate::engine::common_interfaces::in_words(&lanes);
            let assumed = "an agent is assumed to be able to call what it serves";
            Ok(seen(Verdict::pass_with(format!("both serve {names}; {assumed}"))))
        }
        Err(none) => {
            let verdict = Verdict::fail(last_exchange(second), "an interface that both serve", none.served.as_str());
            let (reason, served, change) = (none.reason, none.served, none.change);
            let assumed = "an agent is assumed to be able to call only what it serves";
            Ok(seen(verdict.because(format!("{reason}: {served}; {assumed}; the smallest change: {change}"))))
        }
    }
}
