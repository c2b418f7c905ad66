//! A call without credentials to an agent whose card requires none: whether it asks for credentials all the same.

use std::rc::Rc;

use crate::a2a::binding::{Call, Credentials, ReplyKind};
use crate::engine::prelude::{Check, Driver, Judged, RunFacts, Scenario, Step, Transcript, Verdict};
use crate::engine::transcript::unavailable;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "auth-undeclared",
    title: "Call without credentials, as the card allows",
    rounds: 2,
    after: &["probe"],
    needs: silent,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[Check {
    id: "auth.declared",
    title: "Credentials that are required are declared",
    why: "A client learns from the card how to authenticate; one that finds nothing there calls without credentials.",
    fix: "Declare the scheme in securitySchemes and require it in securityRequirements (security before 1.0, \
          authentication in 0.1), also when a gateway before the agent checks it.",
    judge: declared,
    ..Check::tripped_by(&["auth-undeclared"])
}];

/// Only agents whose card says nothing of security.
fn silent(facts: &RunFacts) -> Result<(), Verdict> {
    // T-AUTH-4: schemes may be offered without being required; a client finds them all the same.
    let names = |card: &crate::a2a::model::Card| {
        ["securitySchemes", "security", "securityRequirements", "authentication"].iter().any(|name| {
            card.raw.get(*name).is_some_and(|value| match value {
                crate::wire::json::Value::Object(map) => !map.is_empty(),
                crate::wire::json::Value::Array(list) => !list.is_empty(),
                _ => false,
            })
        })
    };
    if facts.declares(|card| card.requires_auth || names(card)) {
        return Err(Verdict::excluded_by_card("the card declares security"));
    }
    Ok(())
}

async fn drive(d: &Driver) {
    if d.has_credentials() {
        d.call("none", Call { credentials: Credentials::None, ..d.harmless_call() }).await;
        d.call("own", d.harmless_call()).await;
    }
}

/// Whether the probe tried more than one operation, and was denied each.
fn is_denied_everything(probe: &Transcript) -> bool {
    let is_denied = |step: &Rc<Step>| matches!(step.reply.kind, ReplyKind::Unavailable(403));
    probe.steps.len() > 1 && probe.steps.iter().all(is_denied)
}

/// T-AUTH-3: what refuses may be a gateway that the agent knows nothing of, so this is advice.
fn declared(t: &Transcript) -> Judged {
    let Ok(probe) = t.earlier("probe")?.answered_or_unauthorized("get") else {
        return Err(Verdict::blocked("the interface did not answer"));
    };
    let step = match t.every("none").next() {
        Some(_) => t.answered_or_unauthorized("none")?,
        None => probe,
    };
    let without = "for a call without credentials, as the card allows";
    let (status, how) = match step.reply.kind {
        ReplyKind::Unavailable(401) => (401, without),
        // A 403 says that the credentials do not suffice; that they are needed shows only with some that do, or where nothing
        // else ever comes.
        ReplyKind::Unavailable(403) if t.answered("own").is_ok() => (403, without),
        ReplyKind::Unavailable(403) if is_denied_everything(t.earlier("probe")?) => {
            (403, "for every call, and a card that names no way in")
        }
        ReplyKind::Unavailable(403) => return Err(unavailable(403).seen_in(step.exchange.id)),
        _ => return Ok(step.pass()),
    };
    step.claim(false, "a card that declares how to authenticate", format!("{} {how}", step.refusal(status)), "")
}
