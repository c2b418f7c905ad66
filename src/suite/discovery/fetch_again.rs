//! Fetches the agent card once more with its validator, beside the first calls: nothing waits for the answer.

use futures_util::future::LocalBoxFuture;

use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::Driver;
use crate::engine::run::DISCOVERY;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};
use crate::suite::no_card::no_card;
use crate::wire::http::Request;
use crate::wire::json::{diff, parse};

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "card-again",
    title: "Fetch the agent card with its ETag",
    scope: Scope::Agent,
    after: &["discovery"],
    drive,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[Check {
    id: "discovery.conditional-get",
    title: "A conditional request with the ETag works",
    why: "If the ETag does not follow the card, clients keep a stale card or download it for nothing.",
    fix: "Return 304 Not Modified when If-None-Match equals the current ETag, and change the ETag whenever the \
              card changes.",
    faults: tripped_by(&["card-etag-stale"]),
    judge: conditional_get,
    ..Check::DEFAULTS
}];

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let Some(Ok(card)) = d.earlier(DISCOVERY).map(|discovery| discovery.step("card").cloned()) else { return };
        let etag = card.exchange.response.as_ref().and_then(|response| response.headers.get("etag"));
        if let Some(etag) = etag {
            d.fetch("again", Request::get(card.exchange.asked_url()).with_header("if-none-match", etag)).await;
        }
    })
}

fn conditional_get(t: &Transcript) -> Judged {
    let discovery = t.earlier(DISCOVERY)?;
    let card = discovery.step("card").map_err(|why| no_card(&why))?;
    let Some(asked) = discovery.header(card, "ETag")? else {
        return Ok(Verdict::not_applicable("there is no ETag to ask with"));
    };
    let again = t.answered("again")?;
    let id = again.exchange.id;
    let response = again.exchange.response.as_ref();
    match response.map(|response| response.status) {
        Some(304) => Ok(Verdict::pass().seen_in(id)),
        Some(200) => {
            let (old, new) = (card.reply.document.as_ref(), response.and_then(|response| parse(&response.body).value));
            let (Some(old), Some(new)) = (old, new) else {
                return Ok(Verdict::fail(id, "304, or the same card again", "200 with something else")
                    .seen_in(card.exchange.id));
            };
            match diff(old, &new).first() {
                // 1.0 §8.6.1: an ETag comes from the card, so that the same card has the same one. A weak one is as good.
                None => match t.header(again, "ETag")?.filter(|tag| bare(tag) != bare(asked)) {
                    Some(tag) => {
                        let actual = format!("200 with the same card under another ETag, {tag}");
                        let expected = format!("304, or the same card under the same ETag, {asked}");
                        Ok(Verdict::fail(id, expected, actual).seen_in(card.exchange.id))
                    }
                    None => Ok(Verdict::pass_with("answered with the same card instead of 304").seen_in(id)),
                },
                Some(change) => {
                    let actual =
                        format!("200 with a different card under the requested ETag ({} differs)", change.pointer);
                    Ok(Verdict::fail(id, "304, or the same card again", actual).seen_in(card.exchange.id))
                }
            }
        }
        status => {
            Ok(Verdict::fail(id, "304, or 200 with the same card", format!("HTTP {}", status.unwrap_or_default())))
        }
    }
}

/// An ETag without the mark of a weak one.
fn bare(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}
