//! The extended card over an interface: whether it is complete, requires credentials, limits caching, and holds no secrets.

use std::rc::Rc;

use serde_json::{Value, json};

use super::members::{lacking, no_secrets};
use super::reading::unless;
use crate::a2a::binding::{Call, Credentials, ReplyKind};
use crate::a2a::cursor::Cursor;
use crate::a2a::model::{ErrorName, Operation, Payload};
use crate::engine::prelude::{Check, Driver, Judged, RunFacts, Scenario, Step, Transcript, Verdict};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "extended-card",
    title: "Fetch the extended card",
    after: &["probe"],
    needs: declared,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "extended.returns-card",
        title: "The extended card is a complete card",
        why: "A client replaces its cached card with this one.",
        fix: "Return a complete AgentCard, not only what it adds to the public one.",
        requirements: &["extended.returns-card", "extended.v03.method", "extended.v03.rest"],
        judge: returns_card,
        ..Check::tripped_by(&["extended-incomplete"])
    },
    Check {
        id: "extended.not-configured",
        title: "A missing extended card is reported as not configured",
        why: "Clients recognise an agent that declares an extended card but has none by this error.",
        fix: "Return -32007 (ExtendedAgentCardNotConfiguredError).",
        requirements: &["extended.not-configured", "extended.v03.not-configured"],
        judge: not_configured,
        ..Check::tripped_by(&["extended-internal-error"])
    },
    Check {
        id: "extended.requires-auth",
        title: "The extended card requires credentials",
        why: "A card that everybody can read is not an extended card.",
        fix: "Require authentication for the extended card, as for every other operation.",
        requirements: &["extended.requires-auth", "extended.v03.unauthenticated"],
        judge: requires_auth,
        ..Check::tripped_by(&["extended-open"])
    },
    Check {
        id: "extended.caching",
        title: "The extended card limits caching",
        why: "A shared cache must not serve one user's card to another.",
        fix: "Send Cache-Control: private with a max-age, or no-store.",
        judge: caching,
        ..Check::tripped_by(&["extended-cached"])
    },
    Check {
        id: "extended.params-omitted",
        title: "GetExtendedAgentCard works without params",
        why: "No member of the request is required, so clients may leave params out.",
        fix: "Treat missing params as an empty object.",
        requirements: &["jsonrpc.params-omitted"],
        judge: params_omitted,
        ..Check::tripped_by(&["extended-params-required"])
    },
    Check {
        id: "extended.no-secrets",
        title: "The extended card contains no credentials",
        why: "Even authenticated clients have no use for the agent's own secrets.",
        fix: "Keep credentials and internal addresses out of the card.",
        judge: |t| extended(t).and_then(|(id, card)| no_secrets(id, &card, "no credentials in the card")),
        ..Check::tripped_by(&["extended-secret"])
    },
];

pub(super) fn declared(facts: &RunFacts) -> Result<(), Verdict> {
    facts.declared("an extended card", |card| card.extended_card)
}

async fn drive(d: &Driver) {
    let call = || d.operation(Operation::GetExtendedCard, json!({}));
    let mut calls = vec![d.call("own", call())];
    // Without params there is no place for the tenant that a request must name.
    if d.has_check("extended.params-omitted") && d.tenant().is_none() {
        calls.push(
            d.call("without-params", Call { params: None, ..d.operation(Operation::GetExtendedCard, Value::Null) }),
        );
    }
    if d.has_credentials() {
        calls.push(d.call("none", Call { credentials: Credentials::None, ..call() }));
    }
    d.together(calls).await;
}

/// The extended card, once it was answered.
fn extended(t: &Transcript) -> Result<(u32, Cursor<'_>), Verdict> {
    let step = t.answered("own")?;
    match &step.reply.kind {
        ReplyKind::Result(Payload::Card(card)) => Ok((step.exchange.id, Cursor::root(card))),
        // T-AUTH-6: from outside one cannot tell why there is no extended card.
        ReplyKind::Error(error) if error.is(ErrorName::ExtendedCardNotConfigured) => {
            Err(Verdict::inconclusive("the agent reports that no extended card is configured"))
        }
        other => {
            Err(Verdict::blocked(format!("the request for the extended card was answered with {}", other.describe())))
        }
    }
}

fn returns_card(t: &Transcript) -> Judged {
    let (id, cursor) = extended(t)?;
    unless(id, lacking(id, &cursor, t.lane.as_ref().map_or("supportedInterfaces", |lane| lane.dialect.card_lists)))
}

fn has_scheme(t: &Transcript) -> bool {
    let some = |map: &Value| map.as_object().is_some_and(|map| !map.is_empty());
    t.facts.declares(|card| card.raw.get("securitySchemes").is_some_and(some))
}

fn params_omitted(t: &Transcript) -> Judged {
    extended(t)?;
    let step = match t.step("without-params") {
        Err(_) => return Err(Verdict::not_applicable("the interface has a tenant, which every request must carry")),
        Ok(_) => t.answered("without-params")?,
    };
    let is_card = matches!(&step.reply.kind, ReplyKind::Result(Payload::Card(_)));
    step.claim(is_card, "the extended card, as with empty params", step.reply.kind.describe(), "")
}

fn not_configured(t: &Transcript) -> Judged {
    let step = t.answered("own")?;
    // A caller without credentials may be turned away in whatever words (1.0 §3.3.2, T-AUTH-2).
    let stranger = t.every("none").next().is_none() && has_scheme(t);
    if let ReplyKind::Error(error) = &step.reply.kind {
        if stranger && !error.is(ErrorName::ExtendedCardNotConfigured) {
            return Err(Verdict::inconclusive("no credentials were given; run the check again with credentials"));
        }
        let fits = error.is(ErrorName::ExtendedCardNotConfigured);
        let expected = "the card, or ExtendedAgentCardNotConfiguredError";
        return step.claim(fits, expected, error.describe(), error.at.as_str());
    }
    step.claim(matches!(step.reply.kind, ReplyKind::Result(_)), "the extended card", step.reply.kind.describe(), "")
}

/// The answer to a request without credentials, which the plain one is where the user gave none.
pub(super) fn without_credentials(t: &Transcript) -> Result<&Rc<Step>, Verdict> {
    // T-AUTH-7: an agent without any scheme has nothing to ask for, and does no harm.
    if !has_scheme(t) {
        return Err(Verdict::excluded_by_card("the card declares no security scheme to authenticate with"));
    }
    t.answered_or_unauthorized(if t.every("none").next().is_some() { "none" } else { "own" })
}

fn requires_auth(t: &Transcript) -> Judged {
    let step = without_credentials(t)?;
    let open = matches!(step.reply.kind, ReplyKind::Result(_));
    step.claim(!open, "a call without credentials to be refused", step.reply.kind.describe(), "")
}

fn caching(t: &Transcript) -> Judged {
    extended(t)?;
    let step = t.answered("own")?;
    let headers = step.exchange.response.as_ref().map(|response| &response.headers);
    let value = headers.and_then(|headers| headers.get("cache-control")).unwrap_or_default().to_ascii_lowercase();
    let has = |directive: &str| value.contains(directive);
    // Which directives are appropriate is not said. What was asked for with Authorization, a shared cache keeps only when
    // it is told so (RFC 9111 §3.5).
    let shared = has("public") || has("s-maxage");
    let fits = has("private") || has("no-store") || !(value.is_empty() || shared);
    let actual = if value.is_empty() { "no Cache-Control".to_owned() } else { format!("\"{value}\"") };
    step.claim(fits, "a Cache-Control that keeps shared caches out", actual, "header Cache-Control")
}
