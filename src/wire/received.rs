//! What an agent of ours received and the cards that it served, for whoever judges its clients.

use std::rc::Rc;

use super::exchange::Exchange;
use super::json::Value;

/// A request as the agent received it, with its answer as far as the client let it come.
#[derive(Debug, Clone)]
pub struct ClientRequest {
    /// The exchange, masked. Over gRPC its messages are JSON.
    pub exchange: Rc<Exchange>,
    /// The client's end of the connection: requests with the same one come from one process.
    pub connection: String,
    /// The scheme of its credentials: `Bearer`, `Basic`, `ApiKey`; `None` without any.
    pub scheme: Option<String>,
    /// A hash of the token that it names for a webhook, which itself is masked: the same for the same token of a watch.
    pub webhook_token: Option<u64>,
}

/// The card of a version.
#[derive(Debug, Clone)]
pub struct ServedCard {
    /// The version.
    pub version: &'static str,
    /// Where it is.
    pub url: String,
    /// The card as it would be without faults, by which its interfaces are known; null if none is served.
    pub meant: Value,
    /// The card as it is served, which a fault may have changed.
    pub served: Value,
}
