//! Whether credentials and challenges pass the gateway, and whether it adds credentials of its own.

use super::arrival::arrived;
use super::pairs::{each, pair, through};
use super::steps::{ANONYMOUS, CANCEL, UNKNOWN};
use crate::a2a::binding::ReplyKind;
use crate::engine::prelude::{Check, Judged, Transcript, Verdict};

pub(super) const CREDENTIALS_KEPT: Check = Check {
    id: "gateway.credentials-kept",
    title: "The gateway passes credentials on",
    why: "A client with valid credentials is refused if they do not arrive.",
    fix: "At the gateway, pass the header Authorization (or the agent's own key header) on to the agent, and do not replace \
          its value.",
    judge: kept,
    ..Check::tripped_by(&["gateway-drops-credentials"])
};

pub(super) const NO_CREDENTIALS_ADDED: Check = Check {
    id: "gateway.credentials-not-added",
    title: "The gateway adds no credentials to requests that have none",
    why: "Everybody who reaches the gateway can use an agent that refuses strangers.",
    fix: "At the gateway, do not set credentials for the agent on requests of callers whom it has not authenticated itself.",
    judge: not_added,
    ..Check::tripped_by(&["gateway-adds-credentials"])
};

pub(super) const CHALLENGE: Check = Check {
    id: "gateway.challenge-kept",
    title: "The gateway passes WWW-Authenticate on",
    why: "The header tells a client which credentials it needs.",
    fix: "At the gateway, pass the response header WWW-Authenticate on unchanged, and leave the agent's 401 as it is.",
    judge: challenge,
    ..Check::tripped_by(&["gateway-drops-challenge"])
};

const REFUSED: ReplyKind = ReplyKind::Unavailable(401);
const FORBIDDEN: ReplyKind = ReplyKind::Unavailable(403);

fn kept(t: &Transcript) -> Judged {
    if t.every(ANONYMOUS.0).next().is_none() {
        let asks = pair(t, UNKNOWN)?;
        if [REFUSED, FORBIDDEN].contains(&asks.through.reply.kind) {
            return Err(asks.through.blocked("the gateway asks for credentials, and none were given"));
        }
        return Err(Verdict::not_applicable("no credentials were given"));
    }
    arrived(t)?;
    each(t, &[UNKNOWN, CANCEL], "no request was answered", |pair| {
        let through = &pair.through.reply.kind;
        let is_lost = [REFUSED, FORBIDDEN].contains(through) && pair.direct.reply.kind != *through;
        Ok(is_lost.then(|| pair.answers_differ(t)))
    })
}

/// The two answers to a request without credentials that the agent refuses.
fn refused(t: &Transcript) -> Result<super::pairs::Pair<'_>, Verdict> {
    if t.every(ANONYMOUS.0).next().is_none() {
        return Err(Verdict::not_applicable("no credentials were given, so that none were left out"));
    }
    arrived(t)?;
    let direct = t.answered_or_unauthorized(ANONYMOUS.0)?;
    if ![REFUSED, FORBIDDEN].contains(&direct.reply.kind) {
        return Err(Verdict::inconclusive("the agent does not answer a request without credentials with 401 or 403"));
    }
    Ok(super::pairs::Pair { direct, through: through(t, ANONYMOUS.1)? })
}

fn not_added(t: &Transcript) -> Judged {
    let pair = refused(t)?;
    // Only an answer of the agent's own shows that the gateway let the request in: the same that comes with credentials.
    let usual = t.step(UNKNOWN.0)?;
    let through = &pair.through.reply.kind;
    let is_in = super::pairs::Pair { direct: usual, through: pair.through }.is_same();
    if is_in && matches!(through, ReplyKind::Error(_) | ReplyKind::Result(_)) {
        let expected = format!("{} to a request without credentials", pair.direct.reply.kind.describe());
        return Ok(pair.differs(t, expected, through.describe()));
    }
    Ok(pair.holds())
}

fn challenge(t: &Transcript) -> Judged {
    let pair = refused(t)?;
    let Some(direct) = t.header(pair.direct, "WWW-Authenticate")? else {
        return Err(Verdict::inconclusive("the agent sends no WWW-Authenticate itself"));
    };
    if pair.through.reply.kind != REFUSED {
        return Err(pair.blocked());
    }
    match t.header(pair.through, "WWW-Authenticate")? {
        Some(_) => Ok(pair.holds()),
        None => {
            let verdict = pair.differs(t, format!("WWW-Authenticate: {direct}"), "no WWW-Authenticate");
            Ok(verdict.at("header WWW-Authenticate"))
        }
    }
}
