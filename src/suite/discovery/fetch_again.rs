//! Fetches the agent card once more with its ETag: whether a conditional request works; nothing waits for the answer.

use crate::engine::prelude::{Check, Driver, Judged, Scenario, Scope, Transcript, Verdict};
use crate::engine::run::DISCOVERY;
use crate::suite::no_card::no_card;
use crate::wire::http::Request;
use crate::wire::json::{diff, parse};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "card-again",
    title: "Fetch the agent card with its ETag",
    scope: Scope::Agent,
    after: &["discovery"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[Check {
    id: "discovery.conditional-get",
    title: "A conditional request with the ETag works",
    why: "If the ETag does not follow the card, clients keep a stale card or download it for nothing.",
    fix: "Return 304 Not Modified when If-None-Match equals the current ETag, and change the ETag whenever the \
              card changes.",
    judge: conditional_get,
    ..Check::tripped_by(&["card-etag-stale"])
}];

async fn drive(d: &Driver) {
    let Some(Ok(card)) = d.earlier(DISCOVERY).map(|discovery| discovery.step("card").cloned()) else { return };
    let etag = card.exchange.response.as_ref().and_then(|response| response.headers.get("etag"));
    if let Some(etag) = etag {
        d.fetch("again", Request::get(card.exchange.asked_url()).with_header("if-none-match", etag)).await;
    }
}

fn conditional_get(t: &Transcript) -> Judged {
    let discovery = t.earlier(DISCOVERY)?;
    let card = discovery.step("card").map_err(|why| no_card(&why))?;
    let Some(asked) = discovery.header(card, "ETag")? else {
        return Ok(Verdict::not_applicable("there is no ETag to ask with"));
    };
    let again = t.answered("again")?;
    match again.exchange.status() {
        Some(304) => return Ok(again.pass()),
        Some(200) => {}
        status => {
            return Ok(again.fail("304, or 200 with the same card", format!("HTTP {}", status.unwrap_or_default())));
        }
    }
    let differs = |expected: &str, actual: String| Ok(again.fail(expected, actual).seen_in(card.exchange.id));
    let new = again.exchange.response.as_ref().and_then(|response| parse(&response.body).value);
    let (Some(old), Some(new)) = (card.reply.document.as_deref(), new) else {
        return differs("304, or the same card again", "200 with something else".to_owned());
    };
    if let Some(change) = diff(old, &new).first() {
        let actual = format!("200 with a different card under the requested ETag ({} differs)", change.pointer);
        return differs("304, or the same card again", actual);
    }
    // 1.0 §8.6.1: an ETag comes from the card, so that the same card has the same one. A weak one is as good.
    let Some(tag) = t.header(again, "ETag")?.filter(|tag| bare(tag) != bare(asked)) else {
        return Ok(again.pass_with("answered with the same card instead of 304"));
    };
    let expected = format!("304, or the same card under the same ETag, {asked}");
    differs(&expected, format!("200 with the same card under another ETag, {tag}"))
}

/// An ETag without the mark of a weak one.
fn bare(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}
