//! The families of the table.

use super::attack::Attack;
use super::{
    bodies, cards, clocks, connections, heads, http2, json_texts, protocol, redirects, slow, streams, tls,
    tokens_and_keys, webhooks,
};

/// Attacks of one kind.
pub(crate) struct Family {
    pub(crate) title: &'static str,
    pub(crate) attacks: fn() -> Vec<Attack>,
}

const fn family(title: &'static str, attacks: fn() -> Vec<Attack>) -> Family {
    Family { title, attacks }
}

pub(crate) const BODIES: Family = family("Bodies", bodies::attacks);
pub(crate) const HEADS: Family = family("Heads", heads::attacks);
pub(crate) const JSON_TEXTS: Family = family("JSON", json_texts::attacks);
pub(crate) const STREAMS: Family = family("Streams", streams::attacks);
pub(crate) const SLOW: Family = family("Slow senders", slow::attacks);
pub(crate) const CONNECTIONS: Family = family("Connections", connections::attacks);
pub(crate) const REDIRECTS: Family = family("Redirects", redirects::attacks);
pub(crate) const CARDS: Family = family("Cards", cards::attacks);
pub(crate) const PROTOCOL: Family = family("Protocol", protocol::attacks);
pub(crate) const CLOCKS: Family = family("Clocks", clocks::attacks);
pub(crate) const WEBHOOKS: Family = family("Webhooks", webhooks::attacks);
pub(crate) const HTTP2: Family = family("HTTP/2 and gRPC", http2::attacks);
pub(crate) const TLS: Family = family("TLS", tls::attacks);
pub(crate) const TOKENS_AND_KEYS: Family = family("Tokens and keys", tokens_and_keys::attacks);

/// All of them, in the order of the document.
pub(crate) const FAMILIES: [Family; 14] = [
    BODIES,
    HEADS,
    JSON_TEXTS,
    STREAMS,
    SLOW,
    CONNECTIONS,
    REDIRECTS,
    CARDS,
    PROTOCOL,
    CLOCKS,
    WEBHOOKS,
    HTTP2,
    TLS,
    TOKENS_AND_KEYS,
];
