//! Fetches the agent card as a client with nothing but an address would: whether it is there, at the well-known paths, public, and
//! with media type, ETag and cache lifetime.

use std::rc::Rc;

use crate::a2a::binding::bars;
use crate::a2a::dialect::Dialect;
use crate::a2a::model::Interface;
use crate::engine::cause::cold_start;
use crate::engine::detect::{NEWER_CARD, detect};
use crate::engine::discover::{CARD_PATH, LEGACY_CARD_PATH};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Scope, Step, Transcript, Verdict};
use crate::engine::transcript::unavailable;
use crate::engine::version_questions::{VersionTarget, ask_version};
use crate::suite::no_card::no_card;
use crate::wire::exchange::{End, TransportErrorKind};
use crate::wire::http::{Headers, Request};
use crate::wire::json::{FlawKind, Value, parse, type_name};
use crate::wire::url::Url;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "discovery",
    title: "Fetch the agent card",
    scope: Scope::Agent,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "discovery.card-available",
        title: "An agent card can be retrieved",
        why: "A client learns everything about an agent from its card; without one there is nothing to call.",
        fix: "Serve the agent card as one JSON object over plain GET at /.well-known/agent-card.json, or give clients \
              the card's own URL.",
        judge: card_available,
        ..Check::tripped_by(&["card-cut-off"])
    },
    Check {
        id: "discovery.well-known-current",
        title: "The card is at /.well-known/agent-card.json",
        why: "Registries and clients look at the well-known path first, and since 0.3 the file name is \
              agent-card.json.",
        fix: "Route GET /.well-known/agent-card.json at the root of the host, not only below the endpoint or under \
              the older name agent.json.",
        judge: well_known,
        ..Check::tripped_by(&["card-legacy-path"])
    },
    Check {
        id: "discovery.well-known-legacy",
        title: "The card is at /.well-known/agent.json",
        why: "Clients of 0.1 and 0.2 look there and nowhere else.",
        fix: "Route GET /.well-known/agent.json at the root of the host.",
        judge: well_known_legacy,
        ..Check::tripped_by(&["card-current-path-only"])
    },
    Check {
        id: "discovery.card-public",
        title: "The card is readable without credentials",
        why: "A client must read the card before it can know which credentials it needs.",
        fix: "Serve the card without authentication, and put confidential details into the extended card.",
        requirements: &["discovery.v01.public"],
        judge: public,
        ..Check::tripped_by(&["card-needs-credentials"])
    },
    Check {
        id: "discovery.well-known-is-card",
        title: "The well-known path serves an agent card",
        why: "Clients treat whatever the well-known path returns as the card; a wrapper, an error object or the \
              fallback page of a web application is not a card.",
        fix: "Return the AgentCard itself from the well-known route, and check that no single-page-app fallback and \
              no envelope gets in the way.",
        judge: is_card,
        ..Check::tripped_by(&["card-wrapped"])
    },
    Check {
        id: "discovery.card-json-media-type",
        title: "The card is served with a JSON media type",
        why: "Generic HTTP tools, browsers and gateways rely on the media type.",
        fix: "Set Content-Type: application/json on the card route.",
        judge: media_type,
        ..Check::tripped_by(&["card-text-plain"])
    },
    Check {
        id: "discovery.cache-control",
        title: "The card response has a cache lifetime",
        why: "Cards are read often and change rarely; without a lifetime, every client fetches the card again each \
              time.",
        fix: "Add Cache-Control: public, max-age=<seconds> to the card route, with a lifetime that suits how often \
              the card changes.",
        judge: cache_control,
        ..Check::tripped_by(&["card-no-cache-control"])
    },
    Check {
        id: "discovery.etag",
        title: "The card has an ETag",
        why: "With an ETag, a client can check whether the card has changed without downloading it again.",
        fix: "Send an ETag derived from the card's version or from a hash of its bytes, and list it in \
              Access-Control-Expose-Headers so that web pages can use it too.",
        judge: etag,
        ..Check::tripped_by(&["card-no-etag"])
    },
];

pub(in crate::suite) async fn drive(d: &Driver) {
    let candidates = d.address().candidates();
    let mut found = None;
    let mut places = Vec::new();
    let mut worst: Option<Verdict> = None;
    for (index, url) in candidates.iter().enumerate() {
        let name = if url.ends_with(LEGACY_CARD_PATH) { "legacy" } else { "well-known" };
        let is_named = index == 0 && d.address().names_card();
        let step = d.fetch(if is_named { "named" } else { name }, Request::get(url)).await;
        if step.exchange.status().is_some_and(|status| (200..300).contains(&status)) && document(&step).is_ok() {
            found = Some(step);
            break;
        }
        // A host that does not answer at all will not answer on its other paths either.
        let hopeless = index == 0 && step.exchange.response.is_none();
        // A path without an answer may have a card, whatever another path says.
        let is_unknown = !step.has_answer() && !step.is_hidden();
        match no_card_from(&step) {
            // The address as it was recorded: the one that was given may hold a key.
            NoCard::Elsewhere(what) => {
                places.push((format!("{} ({what})", step.exchange.asked_url()), step.exchange.id));
            }
            NoCard::Because(why) if worst.is_none() || is_unknown => worst = Some(why),
            NoCard::Because(_) => {}
        }
        if hopeless {
            break;
        }
    }
    let Some(found) = found else {
        return d.stop(worst.unwrap_or_else(|| nowhere(&places)));
    };
    d.record_as("card", &found);
    ask_for_version(d, &found).await;
}

/// Asks for what the card does not tell: whether clients of 1.0 are shown another one, and which of two versions an agent
/// knows whose card could be of both. None of it makes the agent work.
async fn ask_for_version(d: &Driver, found: &Step) {
    let Ok(card) = document(found) else { return };
    let detected = detect(card);
    if d.has_credentials() {
        d.fetch_without_credentials("public", Request::get(found.exchange.asked_url())).await;
    }
    // Clients of older versions look for the card by its older name.
    let asked = found.exchange.asked_url();
    let older = asked.strip_suffix(CARD_PATH).filter(|_| detected.dialect.card_path != CARD_PATH);
    if let Some(base) = older {
        d.fetch("legacy", Request::get(format!("{base}{}", detected.dialect.card_path))).await;
    }
    let newest = Dialect::newest();
    let Some(header) = newest.version_header.filter(|_| !detected.dialect.is_newest()) else { return };
    let url = found.exchange.asked_url();
    d.fetch(NEWER_CARD, Request::get(url).with_header(header, newest.version)).await;
    let endpoint = card.get("url").and_then(Value::as_str).filter(|url| Url::parse(url).is_ok());
    let speaks_json_rpc = card.get("preferredTransport").is_none_or(|name| name.is_null() || name == "JSONRPC");
    if let Some(endpoint) = endpoint.filter(|_| detected.open && speaks_json_rpc && !d.facts().is_version_chosen) {
        let url = endpoint.to_owned();
        let interface = Interface { url, binding: "JSONRPC".to_owned(), ..Interface::default() };
        ask_version(d, &VersionTarget { interface, extensions: Vec::new(), may_be_newest: detected.may_be_newest })
            .await;
    }
}

/// The card's document: one JSON object.
fn document(step: &Step) -> Result<&Value, String> {
    let status = step.exchange.status().unwrap_or_default();
    match &step.reply.document {
        Some(value) if value.is_object() => Ok(value),
        Some(other) => Err(format!("HTTP {status} with {}, not an object", type_name(other))),
        None if is_html(step) => Err(format!("HTTP {status} with an HTML page, not an agent card")),
        None => Err(format!("HTTP {status} with a body that is not JSON")),
    }
}

fn is_html(step: &Step) -> bool {
    let Some(response) = step.exchange.response.as_ref() else { return false };
    let start = String::from_utf8_lossy(&response.body).trim_start().to_ascii_lowercase();
    response.headers.media_type().is_some_and(|media| media.contains("html"))
        || start.starts_with("<!doctype")
        || start.starts_with("<html")
}

fn has_json_type(step: &Step) -> bool {
    let media = headers(step).media_type();
    media.is_some_and(|media| media == "application/json" || media.ends_with("+json"))
}

/// The reason why an answer was not read to its end, if it was not. It may be a card all the same: a broken network or a limit
/// of ours is not a breach.
fn unread(step: &Step) -> Option<Verdict> {
    let url = &step.exchange.asked_url();
    let response = step.exchange.response.as_ref()?;
    let why = match &step.exchange.end {
        End::Deadline(budget) => format!("{url} started to respond and did not finish within {budget}"),
        End::TooLarge(what) => format!("{url} sent more than any card has: {what}, so reading stopped"),
        End::Broken(detail) => format!("the card broke off in the middle ({detail})"),
        _ if step.reply.document.is_some() => return None,
        _ => {
            let too_deep = || {
                let flaw = parse(&response.body).flaws.pop().filter(|flaw| flaw.kind == FlawKind::TooDeep)?;
                Some(format!("the card contains {}, so reading stopped", flaw.detail))
            };
            response.undecoded().or_else(too_deep)?
        }
    };
    Some(step.blocked(why))
}

/// Why an address showed no card.
enum NoCard {
    /// There is something else, in these words: a card may be at another place (1.0 §8.2, 0.3 §5.3), which is not a fault.
    Elsewhere(String),
    /// A finding where what is there is a card that nobody can read; blocked where nothing could be seen.
    Because(Verdict),
}

/// Why a card could not be had from there.
fn no_card_from(step: &Step) -> NoCard {
    let url = &step.exchange.asked_url();
    NoCard::Because(match (&step.exchange.response, &step.exchange.end) {
        (None, End::NoAnswer(trouble)) if trouble.kind == TransportErrorKind::Opaque => step.blocked(format!(
            "the browser gave this page no response from {url}: the agent may not allow other origins to read its \
             card (CORS), or may be unreachable"
        )),
        (None, End::NoAnswer(trouble)) => step.blocked(format!("could not reach {url}: {}", trouble.detail)),
        (None, end) => step.blocked(format!("{url}: {}", end.no_answer())),
        (Some(response), _) if bars(response.status) => unavailable(response.status).seen_in(step.exchange.id),
        (Some(_), _) if !step.has_answer() => step.blocked(format!("{url}: {}", step.reply.kind.describe())),
        (Some(response), _) => match (unread(step), document(step)) {
            (Some(unread), _) => unread,
            (None, Err(what)) if response.status == 200 && has_json_type(step) => {
                let actual = format!("{url} returns {what}");
                step.fail("an agent card: one JSON object", actual.clone()).because(actual)
            }
            (None, Err(what)) if response.status == 200 => return NoCard::Elsewhere(what),
            _ => return NoCard::Elsewhere(format!("HTTP {}", response.status)),
        },
    })
}

/// The verdict where none of these places has a card.
fn nowhere(places: &[(String, u32)]) -> Verdict {
    let tried: Vec<_> = places.iter().map(|(place, _)| place.as_str()).collect();
    let verdict = Verdict::blocked(format!("no agent card found here; tried {}", tried.join(", ")));
    places.iter().fold(verdict, |verdict, (_, exchange)| verdict.seen_in(*exchange))
}

fn card_available(t: &Transcript) -> Judged {
    let step = t.step("card")?;
    let late = t.steps.first().and_then(|first| cold_start(&first.exchange)).map(|late| format!("; {late}"));
    let asked = t.every("named").next().filter(|named| named.exchange.id != step.exchange.id);
    let instead = asked.map(|named| format!("; there is none at {}", named.exchange.asked_url()));
    // Many parsers refuse what has anything behind its value: it is no JSON text (RFC 8259 §2).
    let flaws = step.exchange.response.as_ref().map(|response| parse(&response.body).flaws).unwrap_or_default();
    let flaw = |kind| flaws.iter().find(|flaw| flaw.kind == kind);
    if let Some(behind) = flaw(FlawKind::TrailingText) {
        return Ok(step.fail("an agent card: one JSON object", behind.detail.clone()));
    }
    // Browsers and many libraries take it off, so that the card is there for their clients.
    let mark = flaw(FlawKind::ByteOrderMark)
        .map(|_| "; it starts with a byte order mark, which RFC 8259 §8.1 forbids".to_owned());
    let more = [instead, late, mark].into_iter().flatten().collect::<String>();
    Ok(step.pass_with(format!("read from {}{more}", step.exchange.asked_url())))
}

/// The step that read the card. When there is none, `discovery.card-available` reports it.
fn card(t: &Transcript) -> Result<&Rc<Step>, Verdict> {
    t.step("card").map_err(|why| no_card(&why))
}

fn well_known(t: &Transcript) -> Judged {
    let card = card(t)?;
    let url = &card.exchange.asked_url();
    if url.ends_with(CARD_PATH) {
        return Ok(card.pass());
    }
    if t.every("named").next().is_some() {
        return Ok(Verdict::not_applicable(
            "the address entered is the card's own, so the well-known path was not requested",
        ));
    }
    let tried = t.step("well-known")?;
    let status = tried.exchange.status().unwrap_or_default();
    let actual = format!("HTTP {status} there; the card is at {url}");
    Ok(tried.fail(format!("the card at {CARD_PATH}"), actual).seen_in(card.exchange.id))
}

fn well_known_legacy(t: &Transcript) -> Judged {
    let card = card(t)?;
    if card.exchange.asked_url().ends_with(LEGACY_CARD_PATH) {
        return Ok(card.pass());
    }
    if t.every("named").next().is_some() && t.every("legacy").next().is_none() {
        return Err(Verdict::not_applicable("the address entered is the card's own"));
    }
    let step = t.answered("legacy")?;
    let there = step.exchange.status() == Some(200) && document(step).is_ok();
    let actual = format!("HTTP {} there", step.exchange.status().unwrap_or_default());
    step.claim(there, &format!("the card at {LEGACY_CARD_PATH} too"), actual, "")
}

fn public(t: &Transcript) -> Judged {
    let card = card(t)?;
    // Without credentials of the user's, the card was read without any.
    let Ok(step) = t.step("public") else { return Ok(card.pass()) };
    let status = step.exchange.status().unwrap_or_default();
    step.claim(!matches!(status, 401 | 403), "the card, without credentials too", format!("HTTP {status}"), "")
}

/// Members that every version's card has and hardly anything else has together.
pub(in crate::suite) fn looks_like_a_card(value: &Value) -> bool {
    value.get("name").is_some() && (value.get("skills").is_some() || value.get("capabilities").is_some())
        || value.get("supportedInterfaces").is_some()
}

fn is_card(t: &Transcript) -> Judged {
    // 1.0 §14.3 speaks of what the well-known URI answers, once it answers at all.
    let answers = |step: &&Rc<Step>| step.exchange.status().is_some_and(|status| (200..300).contains(&status));
    let Some(step) = t.every("well-known").find(answers) else {
        return Err(Verdict::not_applicable("nothing is served at the well-known path"));
    };
    if let Some(unread) = unread(step) {
        return Err(unread);
    }
    let value = match document(step) {
        Ok(value) => value,
        // Where no card is found at all, `discovery.card-available` says as much.
        Err(actual) => {
            card(t)?;
            return Ok(step.fail("an AgentCard", actual.clone()).because(actual));
        }
    };
    if looks_like_a_card(value) {
        return Ok(step.pass());
    }
    let members: Vec<_> = value.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).take(8).collect();
    let actual = if members.is_empty() {
        "an empty object".to_owned()
    } else {
        format!("an object with the members {}", members.join(", "))
    };
    Ok(step.fail("an AgentCard with name, supportedInterfaces, capabilities and skills", actual))
}

fn headers(step: &Step) -> Headers {
    step.exchange.response.as_ref().map(|response| response.headers.clone()).unwrap_or_default()
}

fn media_type(t: &Transcript) -> Judged {
    let step = card(t)?;
    let actual = headers(step).media_type().unwrap_or_else(|| "no Content-Type".to_owned());
    step.claim(has_json_type(step), "application/json", actual, "header Content-Type")
}

fn cache_control(t: &Transcript) -> Judged {
    let step = card(t)?;
    // Cache-Control is on the CORS safelist: what a page does not see is not there.
    match headers(step).get("cache-control") {
        Some(value) if value.to_ascii_lowercase().contains("max-age") => Ok(step.pass()),
        Some(value) => Ok(step.fail("a max-age in Cache-Control", format!("\"{value}\"")).at("header Cache-Control")),
        None => Ok(step.fail("a Cache-Control with max-age", "no Cache-Control").at("header Cache-Control")),
    }
}

fn etag(t: &Transcript) -> Judged {
    let step = card(t)?;
    let etag = t.header(step, "ETag")?;
    step.claim(etag.is_some(), "an ETag", "none", "header ETag")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::looks_like_a_card;

    #[test]
    fn a_card_is_told_by_what_hardly_anything_else_has_together() {
        for (document, is_card) in [
            (json!({ "name": "a", "skills": [] }), true),
            (json!({ "name": "a", "capabilities": {} }), true),
            (json!({ "supportedInterfaces": [] }), true),
            (json!({ "name": "a" }), false),
            (json!({ "skills": [], "capabilities": {} }), false),
            (json!(["name", "skills"]), false),
        ] {
            assert_eq!(looks_like_a_card(&document), is_card, "{document}");
        }
    }
}
