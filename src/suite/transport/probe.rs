//! The first call on a lane: it wakes a cold agent, costs nothing, and shows whether the interface speaks its binding.

use futures_util::future::LocalBoxFuture;

use crate::a2a::binding::ReplyKind;
use crate::a2a::model::{ErrorName, Payload};
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::Driver;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "probe",
    title: "Read a task that does not exist",
    scope: Scope::Lane,
    drive,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[
    Check {
        id: "card.interface-accurate",
        title: "The declared interface speaks its binding",
        why: "A wrong URL in the card sends every client to a dead end.",
        fix: "Declare the URL at which the endpoint really responds; behind a proxy or a path prefix, the public one.",
        requirements: &[
            "card.interface-accurate",
            "card.v03.url-serves-preferred-transport",
            "card.v02.url-serves-jsonrpc",
            "card.v03.no-conflicting-transports",
        ],
        faults: tripped_by(&["endpoint-404", "canned-empty"]),
        judge: accurate,
        ..Check::DEFAULTS
    },
    Check {
        id: "jsonrpc.accepts-json-post",
        title: "The endpoint accepts JSON by POST",
        why: "Every JSON-RPC client posts JSON to the interface's URL.",
        fix: "Accept POST with Content-Type: application/json at the interface's URL, with and without a charset.",
        faults: tripped_by(&["endpoint-404"]),
        judge: accepts,
        ..Check::DEFAULTS
    },
    Check {
        id: "jsonrpc.method-names",
        title: "The methods have their 1.0 names",
        why: "Clients call methods by the names of the version that the interface declares.",
        fix: "Register the 1.0 names: SendMessage, GetTask, CancelTask and so on, not message/send.",
        faults: tripped_by(&["methods-of-0.3"]),
        judge: method_names,
        ..Check::DEFAULTS
    },
    Check {
        id: "version.supported",
        title: "The declared version is accepted",
        why: "A client that uses the declared version must be served.",
        fix: "Serve the version that the interface declares, and compare only the major and minor number of \
              A2A-Version.",
        requirements: &["version.supported", "version.header-case"],
        faults: tripped_by(&["version-refused"]),
        judge: version,
        ..Check::DEFAULTS
    },
    Check {
        id: "get.unknown-refused",
        title: "An unknown task id is refused",
        why: "Any other response for a task that does not exist hides real mistakes from clients.",
        fix: "Look the id up, and return TaskNotFoundError if the task does not exist.",
        requirements: &["get.not-found"],
        faults: tripped_by(&["get-unknown-found"]),
        judge: refused,
        ..Check::DEFAULTS
    },
    Check {
        id: "get.not-found",
        title: "An unknown task id returns TaskNotFoundError",
        why: "Clients tell by the code whether to give up on a task or to try again.",
        fix: "Return -32001 (TaskNotFoundError), not a general error.",
        requirements: &["get.not-found", "error.map-jsonrpc", "error.v03.codes", "error.v02.codes", "error.v01.codes"],
        faults: tripped_by(&["get-unknown-internal", "error-code-outside"]),
        judge: not_found,
        ..Check::DEFAULTS
    },
];

/// The state of a task that nobody knows, in the versions that have it.
const UNKNOWN: &str = "unknown";

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let first = d.get("get", &d.fresh_id(), None).await;
        let odd = match &first.reply.kind {
            ReplyKind::Unreadable(_) => true,
            ReplyKind::Error(error) => error.name == Some(ErrorName::VersionNotSupported),
            _ => false,
        };
        if odd {
            // Is it this call, or every call? A list needs nothing and harms nothing.
            d.call("second", d.harmless_call()).await;
        }
    })
}

fn accurate(t: &Transcript) -> Judged {
    let step = t.answered("get")?;
    Ok(match &step.reply.kind {
        ReplyKind::Result(_) | ReplyKind::Error(_) => Verdict::pass().seen_in(step.exchange.id),
        other => Verdict::fail(step.exchange.id, "a response in the declared binding", other.describe()),
    })
}

fn accepts(t: &Transcript) -> Judged {
    let step = t.answered("get")?;
    let id = step.exchange.id;
    match step.exchange.status() {
        Some(status @ (404 | 405 | 406 | 415)) if matches!(step.reply.kind, ReplyKind::Unreadable(_)) => {
            Ok(Verdict::fail(id, "a JSON-RPC response", format!("HTTP {status}")))
        }
        _ => Ok(Verdict::pass().seen_in(id)),
    }
}

fn method_names(t: &Transcript) -> Judged {
    let step = t.answered("get")?;
    match &step.reply.kind {
        ReplyKind::Error(error) if error.name == Some(ErrorName::MethodNotFound) => {
            step.claim(false, "the method GetTask to exist", error.describe(), error.at.as_str())
        }
        ReplyKind::Result(_) | ReplyKind::Error(_) => step.claim(true, "", "", ""),
        other => Err(Verdict::blocked(format!("the call was answered with {}", other.describe()))),
    }
}

fn version(t: &Transcript) -> Judged {
    let step = t.answered("get")?;
    let id = step.exchange.id;
    match &step.reply.kind {
        ReplyKind::Error(error) if error.name == Some(ErrorName::VersionNotSupported) => {
            Ok(Verdict::fail(id, "the declared version to be accepted", error.describe()).at(error.at.as_str()))
        }
        ReplyKind::Result(_) | ReplyKind::Error(_) => Ok(Verdict::pass().seen_in(id)),
        other => Err(Verdict::blocked(format!("the call was answered with {}", other.describe()))),
    }
}

fn refused(t: &Transcript) -> Judged {
    let step = t.answered("get")?;
    Ok(match &step.reply.kind {
        ReplyKind::Error(_) => Verdict::pass().seen_in(step.exchange.id),
        // T-01-1: older agents answer with a task that says so itself.
        ReplyKind::Result(Payload::Task(task)) if task.state_text.as_deref() == Some(UNKNOWN) => {
            Verdict::pass_with("answered with a task in the state unknown").seen_in(step.exchange.id)
        }
        ReplyKind::Result(_) => {
            Verdict::fail(step.exchange.id, "an error for a task that does not exist", step.reply.kind.describe())
        }
        other => return Err(Verdict::blocked(format!("the call was answered with {}", other.describe()))),
    })
}

fn not_found(t: &Transcript) -> Judged {
    let (_, error) = t.refused("get")?;
    if error.name == Some(ErrorName::VersionNotSupported) {
        return Err(Verdict::blocked("the declared version is refused"));
    }
    t.refused_as("get", "a task that does not exist", &[ErrorName::TaskNotFound])
}
