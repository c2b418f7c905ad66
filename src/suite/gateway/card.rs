//! The card through the gateway: whether it is served, leads through the gateway, and keeps its content, headers and signature;
//! what a gateway may change.

use std::rc::Rc;

use serde_json::Value;

use super::pairs::{Pair, hidden, lasting_differences, shown_at};
use crate::engine::gateway_route::GatewayRoute;
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Scope, Step, Transcript, Verdict};
use crate::engine::run::{DISCOVERY, GATEWAY_CARD};
use crate::suite::card::signature_verifies;
use crate::wire::http::Request;
use crate::wire::json::{ValueDifference, diff};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "gateway-card",
    title: "Fetch the card through the gateway",
    scope: Scope::GatewayCard,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "gateway.card-served",
        title: "The card can be fetched through the gateway",
        why: "Clients that know only the gateway's address do not find the agent.",
        fix: "At the gateway, route /.well-known/agent-card.json to the agent (/.well-known/agent.json for versions before 0.3).",
        judge: served,
        ..Check::tripped_by(&["gateway-hides-card"])
    },
    Check {
        id: "gateway.card-leads-through",
        title: "The card that the gateway shows leads through the gateway",
        why: "Clients call the URLs of the card, so that they go past the gateway, or reach nothing from outside.",
        fix: "Configure the agent with the gateway's URL as its public one, or let the gateway rewrite the URLs of an unsigned \
              card.",
        judge: leads_through,
        ..Check::tripped_by(&["gateway-keeps-card-urls"])
    },
    Check {
        id: "gateway.card-signature",
        title: "The card that the gateway shows is the one that was signed",
        why: "A client that verifies signatures takes a card that was changed on the way for a forgery.",
        fix: "Do not let the gateway rewrite a signed card: configure the agent with the gateway's URL as its public one, and sign \
              that card.",
        judge: signature,
        ..Check::tripped_by(&["gateway-rewrites-signed-card"])
    },
    Check {
        id: "gateway.card-kept",
        title: "The gateway passes on what the card says of the agent",
        why: "Clients learn from the card what the agent can do.",
        fix: "At the gateway, do not remove or change members of the card but URLs and what the gateway itself decides, such as \
              security.",
        judge: kept,
        ..Check::tripped_by(&["gateway-drops-skills"])
    },
    Check {
        id: "gateway.card-headers",
        title: "The gateway passes on the headers of the card",
        why: "Clients read the card by its Content-Type, and cache it by Cache-Control and ETag.",
        fix: "At the gateway, pass the response headers Content-Type, Cache-Control and ETag of the card on.",
        judge: headers,
        ..Check::tripped_by(&["gateway-drops-card-headers"])
    },
];

/// The agent's card once more, as it is now.
const DIRECT: &str = "direct-card";
/// Whether a signature of the gateway's card, or of the agent's, verifies.
const THROUGH_VERIFIES: &str = "through-verifies";
const DIRECT_VERIFIES: &str = "direct-verifies";

async fn drive(d: &Driver) {
    let Some(Ok(card)) = d.earlier(DISCOVERY).map(|discovery| discovery.step("card").cloned()) else { return };
    let Some(route) = d.facts().gateway.clone() else { return };
    let url = card.exchange.asked_url();
    let direct = d.fetch(DIRECT, Request::get(url.as_str())).await;
    for url in route.card_urls(&url) {
        let step = d.fetch(GATEWAY_CARD, Request::get(url)).await;
        if document(&step).is_some() || step.exchange.response.is_none() && !step.is_hidden() {
            break;
        }
    }
    let through = d.last(GATEWAY_CARD);
    let through = through.as_ref().and_then(|step| Some((step, document(step)?)));
    let (Some((step, shown)), Some(own)) = (through, document(&direct)) else { return };
    if has_signatures(shown) && !diff(own, shown).is_empty() {
        for (name, card) in [(THROUGH_VERIFIES, shown), (DIRECT_VERIFIES, own)] {
            let found = signature_verifies(d, card).await;
            d.record_finding(name, step, found.map_or(Value::Null, Value::Bool));
        }
    }
}

fn document(step: &Step) -> Option<&Value> {
    let is_there = step.exchange.status().is_some_and(|status| (200..300).contains(&status));
    step.reply.document.as_deref().filter(|document| is_there && document.is_object())
}

fn has_signatures(card: &Value) -> bool {
    card.get("signatures").and_then(Value::as_array).is_some_and(|list| !list.is_empty())
}

/// The two answers, and the two cards.
struct Cards<'t> {
    pair: Pair<'t>,
    direct: &'t Value,
    through: &'t Value,
}

impl<'t> Cards<'t> {
    fn from_transcript(t: &'t Transcript) -> Result<Self, Verdict> {
        let direct = t.step(DIRECT)?;
        let own = document(direct).ok_or_else(|| Verdict::blocked("the agent's card could not be read again"))?;
        // The last place where it was looked for, unless it was found.
        let through = t.step(GATEWAY_CARD)?;
        if through.is_hidden() {
            return Err(hidden(t, through));
        }
        let shown = document(through)
            .ok_or_else(|| Verdict::blocked("no card comes through the gateway; see gateway.card-served"))?;
        Ok(Self { pair: Pair { direct, through }, direct: own, through: shown })
    }

    /// Where the gateway's card differs, but for what differs between two cards of the agent itself.
    fn differences(&self, t: &Transcript) -> Vec<ValueDifference> {
        let first = t.earlier(DISCOVERY).ok().and_then(|discovery| discovery.step("card").ok());
        let moving = first.and_then(|step| document(step)).map(|first| diff(first, self.direct)).unwrap_or_default();
        lasting_differences(self.direct, self.through, &moving)
    }

    fn values(&self, change: &ValueDifference) -> [String; 2] {
        [self.direct, self.through].map(|card| shown_at(change, card, 100))
    }
}

fn served(t: &Transcript) -> Judged {
    let direct: &Rc<Step> = t.step(DIRECT)?;
    let all: Vec<_> = t.every(GATEWAY_CARD).collect();
    let found = all.iter().find(|step| document(step).is_some()).or_else(|| all.first());
    let Some(through) = found else { return Err(Verdict::inconclusive("the card was not asked for")) };
    let pair = Pair { direct, through };
    if document(through).is_some() {
        return Ok(pair.holds());
    }
    if through.is_hidden() {
        return Err(hidden(t, through));
    }
    let actual = match (&through.exchange.response, &through.reply.document) {
        (None, _) => through.exchange.end.no_answer(),
        (Some(response), None) => format!("HTTP {} and a body that is not JSON", response.status),
        (Some(response), Some(_)) => format!("HTTP {}", response.status),
    };
    Ok(pair.differs(t, "the card", actual))
}

/// The URLs of a card's interfaces, each with its place.
fn interface_urls(card: &Value) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut add =
        |at: String, url: Option<&Value>| found.extend(url.and_then(Value::as_str).map(|url| (at, url.to_owned())));
    add("/url".to_owned(), card.get("url"));
    for list in ["supportedInterfaces", "additionalInterfaces"] {
        let entries = card.get(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (index, entry) in entries.iter().enumerate() {
            add(format!("/{list}/{index}/url"), entry.get("url"));
        }
    }
    found
}

fn leads_through(t: &Transcript) -> Judged {
    let cards = Cards::from_transcript(t)?;
    let Some(route) = &t.facts.gateway else { return Err(Verdict::not_applicable("no gateway was given")) };
    let urls = interface_urls(cards.through);
    // Another name of the gateway, which the user did not give, is not a way past it.
    let past = |leads_past: fn(&GatewayRoute, &str) -> bool| {
        urls.iter().find(|(_, url)| leads_past(route, url) && is_declared(cards.direct, url))
    };
    let is_same_port = past(GatewayRoute::is_agents_own).is_some();
    match past(GatewayRoute::is_agents_own).or_else(|| past(GatewayRoute::is_on_agents_host)) {
        Some((at, url)) => {
            let verdict = cards.pair.through.fail(
                format!("the URL {} of the gateway", route.through(url)),
                format!("{url}, which leads past {} to the agent itself,", route.name()),
            );
            let verdict = verdict.at(at.as_str()).seen_in(cards.pair.direct.exchange.id);
            // An agent that listens at a second port has something there that this gateway may not be for.
            Ok(if is_same_port { verdict } else { verdict.as_note() })
        }
        None if urls.is_empty() => Err(Verdict::inconclusive("the card has no interfaces")),
        None => Ok(cards.pair.holds()),
    }
}

/// Whether the agent declares that URL itself.
fn is_declared(card: &Value, url: &str) -> bool {
    interface_urls(card).iter().any(|(_, known)| known == url)
}

fn signature(t: &Transcript) -> Judged {
    let cards = Cards::from_transcript(t)?;
    if !has_signatures(cards.direct) {
        return Err(Verdict::excluded_by_card("the card is not signed"));
    }
    let changes = cards.differences(t);
    if !has_signatures(cards.through) {
        return Ok(cards.pair.differs(t, "a signed card", "a card without signatures").at("/signatures").as_note());
    }
    let verifies = |name| t.step(name).ok().and_then(|step| step.reply.document.as_deref()?.as_bool());
    match (verifies(DIRECT_VERIFIES), verifies(THROUGH_VERIFIES)) {
        (_, Some(true)) => return Ok(cards.pair.holds()),
        (Some(false), _) => return Err(Verdict::blocked("the signature does not verify without the gateway either")),
        _ => {}
    }
    let is_signature = |change: &&ValueDifference| change.pointer.as_str().starts_with("/signatures");
    match changes.iter().find(|change| !is_signature(change)) {
        None => Ok(cards.pair.holds()),
        Some(_) if changes.iter().any(|change| is_signature(&change)) && verifies(THROUGH_VERIFIES).is_none() => {
            Err(Verdict::inconclusive("the gateway signs the card anew, with a key that is not known"))
        }
        Some(change) => {
            let [direct, through] = cards.values(change);
            let expected = format!("the card as it was signed, with {direct}");
            Ok(cards.pair.differs(t, expected, format!("{through} under the same signature")).at(&change.pointer))
        }
    }
}

/// T-GW-3: the members that a gateway may have its own for.
const ITS_OWN: [&str; 8] = [
    "/url",
    "/preferredTransport",
    "/supportedInterfaces",
    "/additionalInterfaces",
    "/signatures",
    "/security",
    "/securitySchemes",
    "/securityRequirements",
];

fn kept(t: &Transcript) -> Judged {
    let cards = Cards::from_transcript(t)?;
    let is_url = |change: &ValueDifference| {
        let text = |card| change.pointer.resolve(card).and_then(Value::as_str).is_some_and(|text| text.contains("://"));
        text(cards.direct) && text(cards.through)
    };
    let is_its_own = |change: &ValueDifference| {
        let at = change.pointer.as_str();
        ITS_OWN.iter().any(|own| at.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    };
    let changes = cards.differences(t);
    match changes.iter().find(|change| !is_its_own(change) && !is_url(change)) {
        None => Ok(cards.pair.holds()),
        Some(change) => {
            let [direct, through] = cards.values(change);
            Ok(cards.pair.differs(t, direct, through).at(change.pointer.as_str()))
        }
    }
}

fn headers(t: &Transcript) -> Judged {
    let cards = Cards::from_transcript(t)?;
    if let Some(found) = cards.pair.media_types_differ(t) {
        return Ok(found);
    }
    for name in ["Cache-Control", "ETag"] {
        let Some(direct) = t.header(cards.pair.direct, name)? else { continue };
        if t.header(cards.pair.through, name)?.is_none() {
            let verdict = cards.pair.differs(t, format!("{name}: {direct}"), format!("no {name}"));
            return Ok(verdict.at(format!("header {name}")));
        }
    }
    Ok(cards.pair.holds())
}
