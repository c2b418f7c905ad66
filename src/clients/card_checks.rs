//! Whether a client keeps the card instead of fetching it for every call, and goes where the card sends it.

use std::collections::HashMap;

use super::client_check::{ClientCheck, judge_places};
use super::conversation::{CardFetch, ClientCall, ClientConversation};
use crate::engine::check::Check;
use crate::engine::requirement::find;
use crate::engine::verdict::{Judged, Verdict};

const CACHED: &str = "client.card-cached";
const DECLARED_URL: &str = "client.declared-url";

pub(super) static CHECKS: &[ClientCheck] = &[
    Check {
        id: CACHED,
        title: "A card that is fetched again is asked for by its ETag or date",
        why: "A client that loads every card anew costs the agent and itself time for what it has already.",
        fix: "Keep the card for as long as Cache-Control allows, and send If-None-Match with its ETag after that.",
        ..Check::tripped_by(&["card-refetched"])
    }
    .judging_clients_by(cached),
    Check {
        id: DECLARED_URL,
        title: "Calls go to a URL that the card declares",
        why: "An agent answers nothing at a URL that the client makes up.",
        fix: "Use the URL of the chosen interface as it stands in the card, and append the routes of HTTP+JSON to it.",
        ..Check::tripped_by(&["other-url", "other-binding-url"])
    }
    .judging_clients_by(declared_url),
];

/// Only requests of one connection are compared: they come from one process, which could have kept the card.
fn cached<'a>(c: &ClientConversation<'a>) -> Judged {
    let holds = |version: Option<&str>| {
        version.is_some_and(|version| find(CACHED).is_some_and(|requirement| requirement.holds_for(version, None)))
    };
    let is_gone = |call: &&ClientCall| matches!(call.received.exchange.status(), Some(404 | 410));
    let gone: Vec<u32> = c.session.calls.iter().filter(is_gone).map(ClientCall::id).collect();
    let mut firsts: HashMap<(&str, &str, &str), u32> = HashMap::new();
    let again = |fetch: &'a CardFetch| {
        let received = &fetch.received;
        let key = (received.connection.as_str(), received.exchange.request.url.as_str(), received.user_agent());
        let first = firsts.get(&key).copied();
        if first.is_none() && holds(fetch.version) {
            firsts.insert(key, received.id());
        }
        let first = first?;
        // A client may ask for a fresh one on purpose (RFC 9111 §5.2.1.4).
        // And so it does where an interface was gone.
        if gone.get(gone.partition_point(|id| *id <= first)).is_some_and(|id| *id < received.id()) {
            return None;
        }
        let is_forced = ["cache-control", "pragma"].iter().any(|name| received.header(name).is_some());
        (!is_forced).then_some((received, first))
    };
    let fetched_again = c.session.cards.iter().filter_map(again);
    judge_places(fetched_again, "the client fetched no card twice over one connection", |fetch, first| {
        let is_conditional = ["if-none-match", "if-modified-since"].iter().any(|name| fetch.header(name).is_some());
        (!is_conditional).then(|| {
            fetch
                .fail("If-None-Match or If-Modified-Since, or no request", "neither")
                .at("If-None-Match")
                .seen_in(first)
        })
    })
}

fn declared_url(c: &ClientConversation<'_>) -> Judged {
    // Older versions have one URL and no rule for it.
    let holds = |version: &str| find(DECLARED_URL).is_some_and(|requirement| requirement.holds_for(version, None));
    let has_card = c.session.cards.iter().any(|card| card.version.is_some_and(holds));
    if let Some(stray) = c.session.strays.first().filter(|_| has_card) {
        let request = &stray.exchange.request;
        let actual = format!("{} {}", request.method, request.url);
        let card = c.session.cards.first().map_or_else(|| stray.id(), |card| card.received.id());
        return Ok(stray.fail("a URL that the card declares for this binding", actual).seen_in(card));
    }
    match c.session.calls.first() {
        Some(call) if has_card => Ok(Verdict::pass().seen_in(call.id())),
        Some(_) => {
            Err(Verdict::not_applicable("the client fetched no card, so that its URL comes from somewhere else"))
        }
        None => Err(Verdict::not_applicable("the client called no operation")),
    }
}
