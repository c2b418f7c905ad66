//! The binding by which a call came, and so the form of its answer. Operations do not know it.

use serde_json::Value;

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
