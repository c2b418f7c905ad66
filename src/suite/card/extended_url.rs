//! The extended card of 0.2, which has a URL of its own beside the endpoint's.

use super::extended::{declared, without_credentials};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Step, Transcript, Verdict};
use crate::wire::http::Request;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "extended-url",
    title: "Fetch the extended card from its URL",
    after: &["probe"],
    needs: declared,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "extended.url",
        title: "The extended card is at its URL",
        why: "A client that authenticates replaces its cached card with this one.",
        fix: "Serve the card at agent/authenticatedExtendedCard beside the endpoint, to clients with credentials.",
        requirements: &["extended.v02.endpoint"],
        judge: served,
        ..Check::tripped_by(&["extended-url-missing"])
    },
    Check {
        id: "extended.url-requires-auth",
        title: "The extended card at its URL requires credentials",
        why: "A card that everybody can read is not an extended card.",
        fix: "Return 401 there to requests without credentials of a declared scheme.",
        requirements: &["extended.v02.closed"],
        judge: closed,
        ..Check::tripped_by(&["extended-open"])
    },
];

async fn drive(d: &Driver) {
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
}

/// `{url}/../agent/authenticatedExtendedCard` (0.2 §7.10), without the dots.
fn beside(url: &str) -> String {
    let url = url.trim_end_matches('/');
    let start = url.find("://").map_or(0, |at| at + 3);
    let cut = url.rfind('/').filter(|at| *at >= start).unwrap_or(url.len());
    format!("{}/agent/authenticatedExtendedCard", url.get(..cut).unwrap_or(url))
}

fn holds_card(step: &Step) -> bool {
    step.reply.document.as_deref().is_some_and(|card| card.get("name").is_some())
}

fn served(t: &Transcript) -> Judged {
    let step = t.answered_or_unauthorized("own")?;
    match step.exchange.status() {
        Some(401 | 403) => Err(Verdict::inconclusive("the extended card requires credentials, as it should")),
        Some(200) if holds_card(step) => Ok(step.pass()),
        status => step.claim(false, "the card, or HTTP 401", format!("HTTP {}", status.unwrap_or_default()), ""),
    }
}

/// 0.2 §7.10: the client authenticates by one of the card's schemes.
fn closed(t: &Transcript) -> Judged {
    let step = without_credentials(t)?;
    let open = step.exchange.status() == Some(200) && holds_card(step);
    step.claim(!open, "a request without credentials to be refused", "HTTP 200 with the card", "")
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use serde_json::json;

    use super::{beside, closed};
    use crate::a2a::binding::ReplyKind;
    use crate::a2a::model::Card;
    use crate::engine::prelude::{RunFacts, Transcript};
    use crate::engine::transcript::examples::{answered, recorded, step};

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

    #[test]
    fn a_card_that_everybody_can_read_is_a_finding() {
        let card = Some(Rc::new(json!({ "name": "a" })));
        for (status, document, is_finding) in
            [(200, card.clone(), true), (200, None, false), (401, None, false), (404, card, false)]
        {
            let mut none = answered(step("none", 2, ReplyKind::Unreadable("a card".to_owned())), status, "");
            none.reply.document = document;
            let own = answered(step("own", 1, ReplyKind::Unreadable("a card".to_owned())), 200, "");
            let card = Card { raw: json!({ "securitySchemes": { "a": {} } }), ..Card::default() };
            let facts = Rc::new(RunFacts { card: Some(Rc::new(card)), ..RunFacts::default() });
            let found = closed(&Transcript { facts, ..recorded("extended-url", [own, none]) });
            assert_eq!(found.is_ok_and(|verdict| verdict.expected.is_some()), is_finding, "{status}");
        }
    }
}
