//! The beacon that the agent of a lane is told to call: where it is or why it cannot be reached, how it answers, and what arrived
//! there as steps of the conversation.

use std::rc::Rc;

use serde_json::json;

use super::Driver;
use crate::a2a::dialect::Dialect;
use crate::engine::delegation::{DelegationOptions, PeerAddress, address_of};
use crate::engine::verdict::Verdict;
use crate::host::beacon::{Beacon, BeaconAnswer};
use crate::host::webhooks::ReceivedRequest;
use crate::wire::base64::decode_any;
use crate::wire::json::{Value, read};

impl Driver {
    /// The delegation that the user asked for.
    #[must_use]
    pub fn delegation(&self) -> Option<&DelegationOptions> {
        self.context.delegation.as_deref()
    }

    /// The beacon. *Not observable* when this host has none, or when it listens on this machine only and the agent is on another.
    fn beacon(&self) -> Result<&Rc<dyn Beacon>, Verdict> {
        let Some(beacon) = &self.context.session.host.beacon else {
            return Err(Verdict::not_observable("no agent of ours can be called here"));
        };
        if beacon.is_reachable() || self.is_agent_on_this_machine() {
            return Ok(beacon);
        }
        Err(Verdict::not_observable(
            "the agent is on another machine and cannot call one on this machine; to run this check, listen with --beacon-listen and \
             give the public URL of that address with --beacon-url",
        ))
    }

    /// Where the beacon is for clients of this lane's version. *Not observable* when the agent cannot call it.
    pub async fn beacon_address(&self) -> Result<PeerAddress, Verdict> {
        let origin = self.beacon()?.origin().await;
        let origin = origin.map_err(|why| Verdict::not_observable(format!("no agent of ours can listen: {why}")))?;
        Ok(address_of_version(&origin, self.dialect()))
    }

    /// Where the agent itself is.
    #[must_use]
    pub fn agent_address(&self) -> PeerAddress {
        address_of(self.address())
    }

    /// How the beacon answers messages with this token from now on.
    pub fn answer_at_beacon(&self, token: &str, answer: BeaconAnswer) {
        if let Some(beacon) = &self.context.session.host.beacon {
            beacon.answer(token, answer);
        }
    }

    /// Whether a message with this token has arrived at the beacon.
    #[must_use]
    pub fn has_arrived_at_beacon(&self, token: &str) -> bool {
        let received = self.context.session.host.beacon.iter().flat_map(|beacon| beacon.received());
        received.into_iter().any(|received| carries(&received, token))
    }

    /// Puts what arrived at the beacon from a moment on on the record, each request as a step of this name whose document lists
    /// those of these tokens that it carries.
    pub fn record_arrived_at_beacon(&self, name: &'static str, since_ms: f64, tokens: &[String]) {
        let received = self.context.session.host.beacon.iter().flat_map(|beacon| beacon.received());
        for received in received.filter(|received| received.arrived_ms >= since_ms) {
            let carried: Vec<&String> = tokens.iter().filter(|token| carries(&received, token)).collect();
            let document = json!({"tokens": carried, "isCall": received.request.body.is_some()});
            self.record_request(name, &received, document);
        }
    }

    /// The time on the host's clock, by which the beacon notes when something arrives.
    #[must_use]
    pub fn host_now_ms(&self) -> f64 {
        self.context.session.host.clock.now_ms()
    }
}

/// Where the scripted agent at this origin is for clients of a version.
fn address_of_version(origin: &str, dialect: &Dialect) -> PeerAddress {
    // Below a path, and with a slash at its end: some clients put the path of the card in the place of the last segment.
    let url = if dialect.is_newest() { origin.to_owned() } else { format!("{origin}/{}/", dialect.version) };
    PeerAddress { card_url: format!("{}{}", url.trim_end_matches('/'), dialect.card_path), url }
}

/// Whether a request holds a token: in its address, in its body, or in a file of its body.
fn carries(received: &ReceivedRequest, token: &str) -> bool {
    let holds = |bytes: &[u8]| bytes.windows(token.len()).any(|window| window == token.as_bytes());
    let body = received.request.body.as_deref().unwrap_or_default();
    let in_file = || read(body).is_some_and(|document| has_file_with(&document, &holds));
    received.request.url.contains(token) || holds(body) || in_file()
}

/// Whether a document has a file, in base64, with such bytes.
fn has_file_with(document: &Value, holds: &dyn Fn(&[u8]) -> bool) -> bool {
    match document {
        Value::String(text) => decode_any(text).is_some_and(|bytes| holds(&bytes)),
        Value::Array(list) => list.iter().any(|member| has_file_with(member, holds)),
        Value::Object(members) => members.iter().any(|(_, member)| has_file_with(member, holds)),
        _ => false,
    }
}
