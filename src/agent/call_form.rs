//! How a call came: its version, its operation, and the binding, and so the form of its answer. Operations do not know it.

use serde_json::Value;

use super::served_version::ServedVersion;
use crate::a2a::model::Operation;

pub(super) struct IncomingCall {
    pub(super) served_version: &'static ServedVersion,
    pub(super) form: CallForm,
    /// None where no operation was recognised.
    pub(super) operation: Option<Operation>,
}

/// How a call came.
#[derive(Debug, Clone)]
pub(super) enum CallForm {
    /// By JSON-RPC, with this id: every answer is wrapped in an envelope.
    Rpc(Value),
    /// By a route of HTTP+JSON: answers are not wrapped.
    Http,
    /// By a method of gRPC, in a request of this media type.
    Grpc(String),
}
