//! The form of every error over HTTP+JSON: google.rpc.Status, its code and name, ErrorInfo, and the HTTP status of each error.

use super::traffic::{everywhere, speaks_or_breaks};
use crate::a2a::binding::ReplyKind;
use crate::a2a::model::ErrorName;
use crate::a2a::rule::Rule;
use crate::engine::prelude::{Check, Judged, Scenario, Transcript};
use crate::engine::verdict::Outcome;

pub(super) static SCENARIO: Scenario =
    Scenario::of_traffic("http-form", "Check the format of every HTTP response", CHECKS);

const CHECKS: &[Check] = &[
    Check {
        id: "rest.error-body",
        title: "Errors have the form of google.rpc.Status",
        why: "Clients of this binding read a google.rpc.Status and treat anything else as a broken server.",
        fix: "Return errors as {\"error\": {\"code\", \"status\", \"message\", \"details\"}}, including those of the \
              web framework.",
        // Where no answer is in the binding, the interface is not what the card says: another check reports that.
        judge: |t| speaks_or_breaks(t, Rule::StatusBody).and_then(|()| everywhere(t, Rule::StatusBody, "error")),
        ..Check::tripped_by(&["status-body-flat", "parse-error-html"])
    },
    Check {
        id: "rest.error-code-equals-status",
        title: "error.code is the HTTP status",
        why: "If they differ, a client that reads the body sees another error than one that reads the status.",
        fix: "Put the HTTP status into error.code, not a gRPC or JSON-RPC number.",
        judge: |t| everywhere(t, Rule::StatusCode, "error"),
        ..Check::tripped_by(&["status-code-grpc"])
    },
    Check {
        id: "rest.error-status-name",
        title: "error.status names a gRPC code",
        why: "Libraries for google.rpc look the name up.",
        fix: "Use the canonical name of the gRPC code: NOT_FOUND, INVALID_ARGUMENT, FAILED_PRECONDITION.",
        judge: |t| everywhere(t, Rule::StatusName, "error with a status name"),
        ..Check::tripped_by(&["status-name-odd"])
    },
    Check {
        id: "rest.error-info",
        title: "A2A errors carry ErrorInfo",
        why: "Seven errors share the status 400, and only ErrorInfo distinguishes them.",
        fix: "Add a google.rpc.ErrorInfo with reason and the domain a2a-protocol.org to error.details.",
        judge: |t| everywhere(t, Rule::StatusInfo, "error defined by A2A"),
        ..Check::tripped_by(&["status-no-info"])
    },
    Check {
        id: "error.map-http",
        title: "A2A errors have the HTTP status that the specification assigns",
        why: "Proxies, logs and clients tell by the status who is at fault.",
        fix: "Return each error with its status from the table in 1.0 §5.4: 404 for TaskNotFoundError, 400 for most \
              others.",
        judge: mapped,
        ..Check::tripped_by(&["status-always-500"])
    },
];

/// Errors whose status changed between 1.0.0 and 1.0.1, with that of 1.0.0 over HTTP (1.0 §5.4).
const OTHER_HTTP_STATUS: [(ErrorName, u16); 3] = [
    (ErrorName::TaskNotCancelable, 409),
    (ErrorName::ContentTypeNotSupported, 415),
    (ErrorName::InvalidAgentResponse, 502),
];
/// The same over gRPC, where that of 1.0.0 was `UNIMPLEMENTED`.
const OTHER_GRPC_STATUS: [ErrorName; 3] =
    [ErrorName::PushNotificationNotSupported, ErrorName::UnsupportedOperation, ErrorName::VersionNotSupported];

/// T-REST-5: both patches are 1.0, so that a status of 1.0.0 is only noted.
fn mapped(t: &Transcript) -> Judged {
    let verdict = everywhere(t, Rule::StatusMap, "error with a reason")?;
    if verdict.outcome != Outcome::Pass {
        return Ok(verdict);
    }
    let of_1_0_0 = t.steps.iter().find_map(|step| {
        let ReplyKind::Error(error) = &step.reply.kind else { return None };
        let name = error.name?;
        let note = |actual: String, now: &str, place: &str| {
            let expected = format!("{now} for {}, as in 1.0.1", name.as_str());
            let verdict = step.fail(expected, format!("{actual}, as in 1.0.0"));
            verdict.at(error.at.key(place).as_str()).as_note()
        };
        if OTHER_HTTP_STATUS.contains(&(name, error.status)) {
            let now = if error.status == 502 { "HTTP 500" } else { "HTTP 400" };
            return Some(note(format!("HTTP {}", error.status), now, "code"));
        }
        let status = step.reply.document.as_deref()?.pointer("/error/status")?.as_str()?;
        let is_other = OTHER_GRPC_STATUS.contains(&name) && status == "UNIMPLEMENTED";
        is_other.then(|| note(status.to_owned(), "FAILED_PRECONDITION", "status"))
    });
    Ok(of_1_0_0.unwrap_or(verdict))
}
