//! How an agent was reached: what whoever reads a report has to know of it, and the certificates that were seen. A page sees
//! nothing of this.

/// The connections of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Connection {
    /// Whether any certificate was accepted.
    pub is_insecure: bool,
    /// The proxies that requests went through, as host and port.
    pub proxies: Vec<String>,
    /// The certificates of each host that was called over TLS.
    pub certificates: Vec<ServerCertificate>,
    /// What every report says of the connections, a sentence each.
    pub remarks: Vec<String>,
}

/// The certificates that a host showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCertificate {
    /// The host.
    pub host: String,
    /// Whether the machine that the run was made on trusts them.
    pub is_trusted: bool,
    /// The host's own certificate first, then those that lead to its CA.
    pub chain: Vec<ChainLink>,
    /// How many whole days were left until the first of them expires; negative when one had expired.
    pub days_left: i64,
}

/// A certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainLink {
    /// Whom it is for.
    pub subject: String,
    /// Who issued it.
    pub issuer: String,
    /// The first day on which it is valid, in UTC: `2026-11-23`.
    pub not_before: String,
    /// The last day on which it is valid, in UTC.
    pub not_after: String,
}
