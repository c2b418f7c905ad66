//! Requests that change nothing, sent both ways: whether they arrive, with version, extensions and path as they were, and how large
//! they may be.

use serde_json::{Value, json};

use super::arrival::arrived;
use super::credentials::{CHALLENGE, CREDENTIALS_KEPT, NO_CREDENTIALS_ADDED};
use super::pairs::{Pair, each, gateway, hidden, pair};
use super::responses::{ERRORS_KEPT, REQUEST_IDS_KEPT, STATUS_KEPT};
use super::steps::{ANONYMOUS, CANCEL, ENCODED, KNOWN, LARGE, MALFORMED, UNKNOWN, VERSION, both, is_binding, read};
use crate::a2a::binding::{Call, Credentials, ReplyKind, VersionSelection};
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::drive::StepFuture;
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Scope, Transcript, Verdict};
use crate::suite::messaging::finished;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "gateway-requests",
    title: "Send the same requests to the agent and through the gateway",
    scope: Scope::Gateway,
    after: &["probe", "send"],
    rounds: 3,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "gateway.requests-arrive",
        title: "Requests reach the agent through the gateway",
        why: "Clients that are given the gateway's address cannot use the agent at all.",
        fix: "At the gateway, route the path of this interface to the agent, with every path below it and with all methods.",
        judge: arrive,
        ..Check::tripped_by(&["gateway-wrong-route"])
    },
    CREDENTIALS_KEPT,
    NO_CREDENTIALS_ADDED,
    CHALLENGE,
    Check {
        id: "gateway.version-kept",
        title: "The gateway passes A2A-Version on",
        why: "An agent that does not see the header takes every request for one of 0.3.",
        fix: "At the gateway, add A2A-Version to the request headers that are passed on, and do not set it there.",
        judge: version,
        ..Check::tripped_by(&["gateway-drops-version", "gateway-ignores-version"])
    },
    Check {
        id: "gateway.extensions-kept",
        title: "The gateway passes A2A-Extensions on",
        why: "Without the header no extension is active, and an agent that requires one refuses every request.",
        fix: "At the gateway, add A2A-Extensions to the headers that are passed on, of requests and of responses.",
        judge: extensions,
        ..Check::tripped_by(&["gateway-drops-extensions", "gateway-drops-activated"])
    },
    ERRORS_KEPT,
    STATUS_KEPT,
    REQUEST_IDS_KEPT,
    Check {
        id: "gateway.paths-kept",
        title: "The gateway passes paths on as they are",
        why: "Operations such as tasks/{id}:cancel cannot be called if the gateway changes or refuses their paths.",
        fix: "At the gateway, allow colons in paths, do not decode or normalise paths, and route all paths below the \
              interface's URL.",
        judge: paths,
        ..Check::tripped_by(&["gateway-splits-verbs", "gateway-decodes-paths"])
    },
    Check {
        id: "gateway.large-requests",
        title: "The gateway accepts large requests",
        why: "Messages with files are refused before the agent sees them.",
        fix: "At the gateway, raise the limit of request bodies to what the agent accepts (client_max_body_size in nginx).",
        judge: large,
        ..Check::tripped_by(&["gateway-limits-requests"])
    },
];

/// T-GW-5: the sizes of bodies that are tried, in bytes: just over the limit that gateways have by default, and over that of many
/// frameworks, for agents that do not accept the first.
const SIZES: [usize; 2] = [1_100_000, 90_000];

/// An id with characters that a path encodes, none of which a gateway needs to refuse.
const ENCODED_ID: &str = "no such:task 100%";

async fn drive(d: &Driver) {
    let unknown = d.fresh_id();
    let declared: Vec<String> =
        d.facts().card.iter().flat_map(|card| &card.extensions).map(|(uri, _)| uri.clone()).collect();
    let get = || Call { extensions: Some(declared.clone()), ..read(d, &unknown, None) };
    let cancel = || d.about_task(Operation::CancelTask, &unknown);
    let mut calls: Vec<StepFuture<'_>> = Vec::new();
    calls.extend(both(d, UNKNOWN, get));
    calls.extend(both(d, CANCEL, cancel));
    let known = d.earlier("send").and_then(|send| finished(send).ok()).and_then(|task| task.id.clone());
    if let Some(known) = &known {
        calls.extend(both(d, KNOWN, || read(d, known, None)));
    }
    if is_binding(d, "rest") {
        calls.extend(both(d, ENCODED, || read(d, ENCODED_ID, None)));
    }
    if d.dialect().version_header.is_some() {
        let version = || VersionSelection::Other("99.0".to_owned());
        calls.extend(both(d, VERSION, || Call { version: version(), ..read(d, &unknown, None) }));
    }
    if d.has_credentials() {
        calls.extend(both(d, ANONYMOUS, || Call { credentials: Credentials::None, ..read(d, &unknown, None) }));
    }
    if !is_binding(d, "grpc") {
        let cut = || Call { body: Some(b"{".to_vec()), ..d.operation(Operation::SendMessage, json!({})) };
        calls.extend(both(d, MALFORMED, || cut().called("a truncated body")));
    }
    d.together(calls).await;
    for size in SIZES {
        let [direct, through] = both(d, LARGE, || large_cancel(d, &unknown, size));
        let direct = direct.await;
        let small = d.last(CANCEL.0);
        let is_same = small.is_some_and(|small| Pair { direct: &small, through: &direct }.is_same());
        if is_same {
            through.await;
            break;
        }
    }
}

fn large_cancel(d: &Driver, task: &str, size: usize) -> Call {
    let mut params = (d.dialect().task_params)(task, None);
    if let Value::Object(members) = &mut params {
        members.insert("metadata".to_owned(), json!({ "padding": "x".repeat(size) }));
    }
    d.operation(Operation::CancelTask, params)
}

fn arrive(t: &Transcript) -> Judged {
    let unknown = pair(t, UNKNOWN)?;
    if arrived(t).is_ok() {
        return Ok(unknown.holds());
    }
    Ok(unknown.answers_differ(t))
}

fn is_error(pair: &Pair<'_>, name: ErrorName) -> [bool; 2] {
    [pair.direct, pair.through].map(|step| step.reply.kind.is_error(name))
}

fn version(t: &Transcript) -> Judged {
    arrived(t)?;
    let usual = pair(t, UNKNOWN)?;
    if let [false, true] = is_error(&usual, ErrorName::VersionNotSupported) {
        return Ok(usual.answers_differ(t).at("header A2A-Version"));
    }
    if t.lane.as_ref().is_some_and(|lane| lane.dialect.version_header.is_none()) {
        return Err(Verdict::not_applicable("requests of this version do not name it"));
    }
    let odd = pair(t, VERSION)?;
    match (is_error(&odd, ErrorName::VersionNotSupported), &odd.through.reply.kind) {
        ([false, _], _) => Err(Verdict::inconclusive("the agent accepts any A2A-Version")),
        ([true, true], _) => Ok(odd.holds()),
        ([true, false], ReplyKind::Error(_) | ReplyKind::Result(_)) if pair(t, UNKNOWN)?.is_same() => {
            let direct = format!("{} to A2A-Version: 99.0", odd.direct.reply.kind.describe());
            Ok(odd.differs(t, direct, odd.through.reply.kind.describe()).at("header A2A-Version"))
        }
        _ => Err(odd.blocked()),
    }
}

fn extensions(t: &Transcript) -> Judged {
    if !t.facts.declares(|card| !card.extensions.is_empty()) {
        return Err(Verdict::excluded_by_card("the card declares no extension"));
    }
    arrived(t)?;
    let unknown = pair(t, UNKNOWN)?;
    if let [false, true] = is_error(&unknown, ErrorName::ExtensionSupportRequired) {
        return Ok(unknown.answers_differ(t).at("header A2A-Extensions"));
    }
    const HEADER: &str = "A2A-Extensions";
    let Some(active) = t.header(unknown.direct, HEADER)?.filter(|active| !active.trim().is_empty()) else {
        return Err(Verdict::inconclusive("the agent does not name the extensions that it has activated"));
    };
    unknown.unexplained()?;
    if !t.header(unknown.through, HEADER)?.unwrap_or_default().trim().is_empty() {
        return Ok(unknown.holds());
    }
    let verdict = unknown.differs(t, format!("{HEADER}: {active}"), format!("no {HEADER}"));
    Ok(verdict.at("header A2A-Extensions"))
}

fn paths(t: &Transcript) -> Judged {
    arrived(t)?;
    let plain = pair(t, UNKNOWN)?;
    if !plain.is_same() {
        let by = "errors are replaced on the way, so that paths cannot be told; see gateway.errors-kept";
        plain.unexplained()?;
        return Err(Verdict::blocked(by));
    }
    each(t, &[CANCEL, ENCODED], "no such request was answered", |pair| {
        if !matches!(pair.direct.reply.kind, ReplyKind::Error(_) | ReplyKind::Result(_)) {
            return Err(Verdict::inconclusive("the agent does not serve these paths itself"));
        }
        pair.unexplained()?;
        Ok((!pair.is_same()).then(|| pair.answers_differ(t).at(pair.through.exchange.asked_url())))
    })
}

fn large(t: &Transcript) -> Judged {
    arrived(t)?;
    let Ok(large) = t.step(LARGE.1).and_then(|through| Ok(Pair { direct: t.step(LARGE.0)?, through })) else {
        return Err(Verdict::inconclusive("the agent does not accept requests of this size itself"));
    };
    let small = pair(t, CANCEL)?;
    if !small.is_same() {
        let why = format!("small requests are not answered as they should be through {} either", gateway(t));
        small.unexplained()?;
        return Err(Verdict::blocked(why));
    }
    if large.is_same() {
        return Ok(large.holds());
    }
    if large.through.is_hidden() {
        return Err(hidden(t, large.through));
    }
    if matches!(large.through.reply.kind, ReplyKind::NoAnswer(_)) {
        // A server may answer, and close, before it has read a whole request; whoever passes the rest on then loses the answer.
        let why = format!("the connection through {} broke while the request was sent", gateway(t));
        return Err(large.through.inconclusive(why));
    }
    let size = large.through.exchange.request.body.as_ref().map_or(0, Vec::len);
    let direct = format!("{} to a request of {} kB", large.direct.reply.kind.describe(), size / 1000);
    let status = large.through.exchange.status().filter(|status| *status == 413);
    let through = status.map_or_else(|| large.through.reply.kind.describe(), |_| "HTTP 413".to_owned());
    Ok(large.differs(t, direct, through))
}
