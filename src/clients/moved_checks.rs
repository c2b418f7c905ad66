//! Whether a client follows a card that has moved, and fetches the card anew when an interface has.

use super::client_check::{ClientCheck, judge_calls, judge_places};
use super::conversation::{CardFetch, ClientCall, ClientConversation};
use crate::engine::check::Check;
use crate::engine::verdict::Judged;
use crate::wire::received::ClientRequest;

/// The statuses by which an answer sends its client to another place.
const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];

/// The status of a place that is no more.
const GONE: u16 = 410;

pub(super) static CHECKS: &[ClientCheck] = &[
    Check {
        id: "client.card-redirect",
        title: "A client follows a card that has moved",
        why: "The agent answers a redirect where its card was, and a client that does not follow finds no agent.",
        fix: "Follow redirects of the card, a few at most; many HTTP clients do so only when they are told.",
        ..Check::tripped_by(&["redirect-not-followed"])
    }
    .judging_clients_by(redirect_followed),
    Check {
        id: "client.card-refreshed",
        title: "A client whose interface is gone fetches the card again",
        why: "The card has the new URL, and every call to the old one fails.",
        fix: "When an interface returns 410 (Gone), fetch the card again and call the URL that it declares now.",
        ..Check::tripped_by(&["move-not-noticed"])
    }
    .judging_clients_by(card_refreshed),
];

fn redirect_followed(c: &ClientConversation<'_>) -> Judged {
    let cards = &c.session.cards;
    let location = |fetch: &CardFetch| {
        let exchange = &fetch.received.exchange;
        let response = exchange.response.as_ref().filter(|response| REDIRECTS.contains(&response.status))?;
        response.headers.get("location").map(str::to_owned)
    };
    let is_followed = |fetch: &ClientRequest, to: &str| {
        let mut later = c.session.cards_after(fetch.id()).iter().map(|card| &card.received);
        later.any(|later| later.exchange.request.url == to && later.is_client_of(fetch))
    };
    let redirected = cards.iter().filter_map(|fetch| Some((&fetch.received, location(fetch)?)));
    let judged = redirected.filter(|(fetch, to)| is_followed(fetch, to) || c.session.goes_on_after(fetch));
    judge_places(judged, "the agent did not redirect its card; --situation card-redirected does", |fetch, to| {
        (!is_followed(fetch, &to)).then(|| fetch.fail(format!("a request for {to}"), "none").as_note())
    })
}

fn card_refreshed(c: &ClientConversation<'_>) -> Judged {
    let gone = c.session.calls.iter().filter(|call| call.received.exchange.status() == Some(GONE));
    let later_fetch = |call: &ClientCall| {
        let mut cards = c.session.cards_after(call.id()).iter();
        cards.any(|card| card.received.is_client_of(&call.received))
    };
    // A client that tells its user and stops has not gone on with the old card.
    let later_call = |call: &ClientCall| {
        let mut calls = c.session.calls_after(call.id()).iter();
        calls.any(|later| later.received.is_client_of(&call.received))
    };
    let without = "no interface was gone with another request after it; --situation interface-moved moves them";
    judge_calls(gone.filter(|call| later_fetch(call) || later_call(call)), without, |call| {
        (!later_fetch(call)).then(|| call.fail("a request for the card", "calls by the old card").as_note())
    })
}
