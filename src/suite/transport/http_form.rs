//! The form of everything that an HTTP+JSON interface sent.

use super::traffic::everywhere;
use crate::a2a::rule::Rule;
use crate::engine::check::{Check, Scenario, Scope, tripped_by};

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "http-form",
    title: "Check the format of every HTTP response",
    scope: Scope::Traffic,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[
    Check {
        id: "rest.error-body",
        title: "Errors have the form of google.rpc.Status",
        why: "Clients of this binding read a google.rpc.Status and treat anything else as a broken server.",
        fix: "Return errors as {\"error\": {\"code\", \"status\", \"message\", \"details\"}}, including those of the \
              web framework.",
        faults: tripped_by(&["status-body-flat", "parse-error-html"]),
        // Where nothing is answered in the binding, the interface is not what the card says: that is another check's finding.
        judge: |t| t.ran_to_its_end().and_then(|()| everywhere(t, Rule::StatusBody, "error")),
        ..Check::DEFAULTS
    },
    Check {
        id: "rest.error-code-equals-status",
        title: "error.code is the HTTP status",
        why: "If they differ, a client that reads the body sees another error than one that reads the status.",
        fix: "Put the HTTP status into error.code, not a gRPC or JSON-RPC number.",
        faults: tripped_by(&["status-code-grpc"]),
        judge: |t| everywhere(t, Rule::StatusCode, "error"),
        ..Check::DEFAULTS
    },
    Check {
        id: "rest.error-status-name",
        title: "error.status names a gRPC code",
        why: "Libraries for google.rpc look the name up.",
        fix: "Use the canonical name of the gRPC code: NOT_FOUND, INVALID_ARGUMENT, FAILED_PRECONDITION.",
        faults: tripped_by(&["status-name-odd"]),
        judge: |t| everywhere(t, Rule::StatusName, "error with a status name"),
        ..Check::DEFAULTS
    },
    Check {
        id: "rest.error-info",
        title: "A2A errors carry ErrorInfo",
        why: "Seven errors share the status 400, and only ErrorInfo distinguishes them.",
        fix: "Add a google.rpc.ErrorInfo with reason and the domain a2a-protocol.org to error.details.",
        faults: tripped_by(&["status-no-info"]),
        judge: |t| everywhere(t, Rule::StatusInfo, "error defined by A2A"),
        ..Check::DEFAULTS
    },
    Check {
        id: "error.map-http",
        title: "A2A errors have the HTTP status that the specification assigns",
        why: "Proxies, logs and clients tell by the status who is at fault.",
        fix: "Return each error with its status from the table in 1.0 §5.4: 404 for TaskNotFoundError, 400 for most \
              others.",
        faults: tripped_by(&["status-always-500"]),
        judge: |t| everywhere(t, Rule::StatusMap, "error with a reason"),
        ..Check::DEFAULTS
    },
];
