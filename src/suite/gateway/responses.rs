//! What becomes of the agent's responses behind the gateway: errors, status codes, media types, ids, and whether they are whole.

use serde_json::Value;

use super::arrival::arrived;
use super::pairs::{Pair, each};
use super::steps::{CANCEL, GET, MALFORMED, PAGE, SEND, UNKNOWN, VERSION};
use crate::a2a::binding::ReplyKind;
use crate::a2a::model::ErrorName;
use crate::engine::prelude::{Check, Judged, Step, Transcript, Verdict};
use crate::wire::exchange::End;

pub(super) const ERRORS_KEPT: Check = Check {
    id: "gateway.errors-kept",
    title: "The gateway passes the agent's errors on",
    why: "A client that gets the gateway's own error page does not learn what was wrong with its request.",
    fix: "At the gateway, switch off error pages and response rewriting for the agent's paths (proxy_intercept_errors off in \
          nginx), so that bodies of responses with status 400 and more pass unchanged.",
    judge: errors,
    ..Check::tripped_by(&["gateway-replaces-errors", "gateway-strips-error-details"])
};

pub(super) const STATUS_KEPT: Check = Check {
    id: "gateway.status-kept",
    title: "The gateway passes HTTP status codes on",
    why: "Clients and their libraries decide by the status whether to retry, to sign in or to give up.",
    fix: "At the gateway, do not map the agent's status codes to others.",
    judge: status,
    ..Check::tripped_by(&["gateway-changes-status"])
};

pub(super) const REQUEST_IDS_KEPT: Check = Check {
    id: "gateway.request-ids-kept",
    title: "The gateway keeps the ids of JSON-RPC requests",
    why: "A client that cannot match a response to its request drops it.",
    fix: "At the gateway, pass the member id of requests and responses on unchanged, with its type.",
    judge: request_ids,
    ..Check::tripped_by(&["gateway-changes-ids"])
};

pub(super) const MEDIA_TYPES_KEPT: Check = Check {
    id: "gateway.media-types-kept",
    title: "The gateway keeps the media types of responses",
    why: "Clients choose how to read a response by its Content-Type, and refuse one of another type.",
    fix: "At the gateway, pass the response header Content-Type on unchanged.",
    judge: media_types,
    ..Check::tripped_by(&["gateway-changes-media-types"])
};

pub(super) const WHOLE_RESPONSES: Check = Check {
    id: "gateway.responses-whole",
    title: "The gateway passes responses on to their end",
    why: "A response that is cut short cannot be read at all.",
    fix: "At the gateway, raise or remove the limit of response bodies, and the sizes of its buffers.",
    judge: whole,
    ..Check::tripped_by(&["gateway-cuts-responses"])
};

fn errors(t: &Transcript) -> Judged {
    arrived(t)?;
    each(t, &[UNKNOWN, MALFORMED, VERSION], "the agent returned no error to compare", |pair| {
        let ReplyKind::Error(direct) = &pair.direct.reply.kind else {
            return Err(Verdict::inconclusive("the agent returned no error to compare"));
        };
        pair.unexplained()?;
        // That the version does not arrive is another finding.
        let is_version = pair.direct.name == VERSION.0 && error_name(pair.direct) != error_name(pair.through);
        if is_version && matches!(pair.through.reply.kind, ReplyKind::Error(_) | ReplyKind::Result(_)) {
            return Ok(None);
        }
        let through = match &pair.through.reply.kind {
            ReplyKind::Error(error) if direct.reason.is_some() && error.reason.is_none() => {
                format!("{} without ErrorInfo", error.describe())
            }
            other => other.describe(),
        };
        Ok((!pair.is_same()).then(|| pair.differs(t, direct.describe(), through)))
    })
}

fn error_name(step: &Step) -> Option<ErrorName> {
    match &step.reply.kind {
        ReplyKind::Error(error) => error.name,
        _ => None,
    }
}

fn status(t: &Transcript) -> Judged {
    arrived(t)?;
    each(t, &[UNKNOWN, CANCEL, MALFORMED, VERSION], "no request was answered alike", |pair| {
        if !pair.is_same() {
            return Err(Verdict::blocked("the answers differ in more than their status; see the other findings"));
        }
        let [direct, through] = [pair.direct, pair.through].map(|step| step.exchange.status().unwrap_or_default());
        let [expected, actual] = [direct, through].map(|status| format!("HTTP {status}"));
        Ok((direct != through).then(|| pair.differs(t, expected, actual)))
    })
}

fn id(step: &Step) -> Option<&Value> {
    step.reply.document.as_deref().and_then(|document| document.get("id"))
}

fn request_ids(t: &Transcript) -> Judged {
    arrived(t)?;
    each(t, &[UNKNOWN, CANCEL], "no response had the id of its request", |pair: &Pair<'_>| {
        let echoes = |step: &Step| id(step).is_some() && id(step) == step.sent.id.as_ref();
        if !echoes(pair.direct) {
            return Err(Verdict::inconclusive("the agent does not return the ids of requests itself"));
        }
        pair.unexplained()?;
        if !pair.is_same() {
            return Err(Verdict::blocked("the answer is another one; see gateway.errors-kept"));
        }
        let expected = format!("the id {} of the request", pair.through.sent.id.clone().unwrap_or_default());
        let actual = id(pair.through).map_or_else(|| "no id".to_owned(), Value::to_string);
        Ok((!echoes(pair.through)).then(|| pair.differs(t, expected, actual).at("/id")))
    })
}

fn media_types(t: &Transcript) -> Judged {
    each(t, &[SEND, GET, PAGE], "no request succeeded both ways", |pair| {
        let is_read = matches!(pair.through.reply.kind, ReplyKind::Result(_)) || pair.through.reply.document.is_some();
        if !matches!(pair.direct.reply.kind, ReplyKind::Result(_)) || !is_read {
            return Err(Verdict::inconclusive("the request did not succeed both ways"));
        }
        // An error may have a media type of its own.
        if matches!(pair.through.reply.kind, ReplyKind::Error(_)) {
            return Err(Verdict::blocked("the request is refused through the gateway"));
        }
        Ok(pair.media_types_differ(t))
    })
}

fn whole(t: &Transcript) -> Judged {
    each(t, &[SEND, GET, PAGE], "no request succeeded directly", |pair| {
        if !matches!(pair.direct.reply.kind, ReplyKind::Result(_)) {
            return Err(Verdict::inconclusive("the request did not succeed directly"));
        }
        let body =
            |step: &Step| step.exchange.response.as_ref().map(|response| response.body.clone()).unwrap_or_default();
        let (direct, through) = (body(pair.direct), body(pair.through));
        let is_broken = matches!(pair.through.exchange.end, End::Broken(_));
        let is_cut = pair.through.exchange.status() == pair.direct.exchange.status()
            && pair.through.reply.document.is_none()
            && !through.is_empty()
            && through.first() == direct.first();
        let actual = format!("a body that ends after {} bytes, before its JSON does,", through.len());
        Ok((is_broken || is_cut)
            .then(|| pair.differs(t, format!("a whole body of about {} bytes", direct.len()), actual)))
    })
}
