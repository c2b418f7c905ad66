//! What a report has of how an agent was reached: proxies and certificates that were seen, and what keeps a page out. A page sees
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
    /// What a page would meet, where the run was made as one of a page.
    pub page: Option<PageAccess>,
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

/// What a page of some origin meets on its way to the agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageAccess {
    /// The origin.
    pub origin: String,
    /// The stages of the way, in order: its name, and how it stands in the same words as in a page, for programs and for people.
    pub stages: Vec<[String; 4]>,
    /// What is in the way.
    pub obstacles: Vec<Obstacle>,
    /// Settings to paste that let the page in: the server's name, the place, and the text. None where they would not help.
    pub fixes: Vec<[String; 3]>,
}

/// Something in a page's way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The reason's name: `cors-missing`.
    pub reason: String,
    /// In one line.
    pub title: String,
    /// Its meaning.
    pub meaning: String,
    /// The advice.
    pub remedy: String,
    /// The address that was called.
    pub url: String,
    /// What a page does not see: what was sent, what came back, and why it is withheld.
    pub observed: Vec<String>,
    /// The possible causes that a page could not tell apart, the likeliest first.
    pub causes: Vec<String>,
}
