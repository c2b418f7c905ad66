//! The extended card of 0.2, which has a URL of its own beside the endpoint's.

use futures_util::future::LocalBoxFuture;

use super::extended::{declared, has_scheme};
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::Driver;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};
use crate::wire::http::Request;

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "extended-url",
    title: "Fetch the extended card from its URL",
    scope: Scope::Lane,
    after: &["probe"],
    needs: declared,
    drive,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[
    Check {
        id: "extended.url",
        title: "The extended card is at its URL",
        why: "A client that authenticates replaces its cached card with this one.",
        fix: "Serve the card at agent/authenticatedExtendedCard beside the endpoint, to clients with credentials.",
        requirements: &["extended.v02.endpoint"],
        faults: tripped_by(&["extended-url-missing"]),
        judge: served,
        ..Check::DEFAULTS
    },
    Check {
        id: "extended.url-requires-auth",
        title: "The extended card at its URL requires credentials",
        why: "A card that everybody can read is not an extended card.",
        fix: "Return 401 there to requests without credentials of a declared scheme.",
        requirements: &["extended.v02.closed"],
        faults: tripped_by(&["extended-open"]),
        judge: closed,
        ..Check::DEFAULTS
    },
];

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let Some(card) = &d.facts().card else { return };
        let Some(interface) = card.interfaces.first() else { return };
        let request = || {
            let request = Request::get(beside(&interface.url));
            let required = d.required_extensions();
            match d.dialect().extensions_header.filter(|_| !required.is_empty()) {
                Some(header) => request.with_header(header, required.join(", ")),
                None => request,
            }
        };
        d.fetch("own", request()).await;
        if d.has_credentials() {
            d.fetch_without_credentials("none", request()).await;
        }
    })
}

/// `{url}/../agent/authenticatedExtendedCard` (0.2 §7.10), without the dots.
fn beside(url: &str) -> String {
    let url = url.trim_end_matches('/');
    let start = url.find("://").map_or(0, |at| at + 3);
    let cut = url.rfind('/').filter(|at| *at >= start).unwrap_or(url.len());
    format!("{}/agent/authenticatedExtendedCard", url.get(..cut).unwrap_or(url))
}

fn served(t: &Transcript) -> Judged {
    let step = t.answered_or_unauthorized("own")?;
    match step.exchange.status() {
        Some(401 | 403) => Err(Verdict::inconclusive("the extended card requires credentials, as it should")),
        Some(200) if step.reply.document.as_ref().is_some_and(|card| card.get("name").is_some()) => {
            step.claim(true, "", "", "")
        }
        status => step.claim(false, "the card, or HTTP 401", format!("HTTP {}", status.unwrap_or_default()), ""),
    }
}

/// 0.2 §7.10: the client authenticates by one of the card's schemes.
fn closed(t: &Transcript) -> Judged {
    if !has_scheme(t) {
        return Err(Verdict::excluded_by_card("the card declares no security scheme to authenticate with"));
    }
    // Without credentials of the user's the plain request was one without credentials.
    let step = t.answered_or_unauthorized(if t.every("none").next().is_some() { "none" } else { "own" })?;
    let open = step.exchange.status() == Some(200)
        && step.reply.document.as_ref().is_some_and(|card| card.get("name").is_some());
    step.claim(!open, "a request without credentials to be refused", "HTTP 200 with the card", "")
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn the_url_is_beside_the_endpoint() {
        for (url, extended) in [
            ("https://a.test/rpc", "https://a.test/agent/authenticatedExtendedCard"),
            ("https://a.test/", "https://a.test/agent/authenticatedExtendedCard"),
            ("https://a.test/x/rpc/", "https://a.test/x/agent/authenticatedExtendedCard"),
        ] {
            assert_eq!(beside(url), extended);
        }
    }
}
