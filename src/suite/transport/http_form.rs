//! The form of everything that an HTTP+JSON interface sent.

use super::everywhere;
use crate::a2a::rule::Rule;
use crate::engine::check::{anyone, silent};
use crate::scenario;

scenario! {
    "http-form", "Look at the form of every answer over HTTP", in Transport, scope: Traffic,
    messages: 0, streams: 0, after: [], needs: anyone, drive: silent,
    checks: {
        /// Clients of this binding read a google.rpc.Status; anything else they show as a broken server.
        ///
        /// Fix: Answer errors as {"error": {"code", "status", "message", "details"}}, also those of the web framework.
        "rest.error-body", "Errors have the form of google.rpc.Status",
        requires: ["rest.error-body"], faults: ["status-body-flat"],
        judge: |t| everywhere(t, Rule::StatusBody, "error");

        /// A client that reads the body only would see another error than one that reads the status.
        ///
        /// Fix: Put the HTTP status into error.code, not a gRPC or JSON-RPC number.
        "rest.error-code-equals-status", "error.code is the HTTP status",
        requires: ["rest.error-code-equals-status"], faults: ["status-code-grpc"],
        judge: |t| everywhere(t, Rule::StatusCode, "error");

        /// Libraries for google.rpc look the name up.
        ///
        /// Fix: Write the canonical name of the gRPC code: NOT_FOUND, INVALID_ARGUMENT, FAILED_PRECONDITION.
        "rest.error-status-name", "error.status names a gRPC code",
        requires: ["rest.error-status-name"], faults: ["status-name-odd"],
        judge: |t| everywhere(t, Rule::StatusName, "error with a status name");

        /// Seven errors share the status 400: only ErrorInfo tells them apart.
        ///
        /// Fix: Add a google.rpc.ErrorInfo with reason and the domain a2a-protocol.org to error.details.
        "rest.error-info", "A2A errors carry ErrorInfo",
        requires: ["rest.error-info"], faults: ["status-no-info"],
        judge: |t| everywhere(t, Rule::StatusInfo, "error of A2A's own");

        /// Proxies, logs and clients decide by the status whose fault it was.
        ///
        /// Fix: Answer each error with the status of the table in 1.0 §5.4: 404 for TaskNotFoundError, 400 for most others.
        "error.map-http", "A2A errors have the HTTP status of the table",
        requires: ["error.map-http"], faults: ["status-always-500"],
        judge: |t| everywhere(t, Rule::StatusMap, "error with a reason");
    }
}
