//! What the user decides about a run.

use super::credentials::{Client, Keys};
use super::prompt::{Profile, Texts};

/// The settings of a run. `Default` is what a first-time visitor gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// What the user typed: an origin, a base path or a card URL.
    pub address: String,
    /// Header fields to send with every request to the agent: credentials.
    pub headers: Vec<(String, String)>,
    /// Parameters to add to the query of every request to the agent: credentials.
    pub query: Vec<(String, String)>,
    /// What is sent to single lanes instead of those two, by the lane's id: an interface may have its own credentials.
    pub lanes: Vec<(String, Keys)>,
    /// With what a token is fetched, instead of being given.
    pub client: Option<Client>,
    /// Other origins than the address's that credentials may go to.
    pub origins: Vec<String>,
    /// How long a scenario may take, in milliseconds.
    pub timeout_ms: f64,
    /// The user's own prompts.
    pub prompts: Texts,
    /// The convention by which the agent is asked for a behaviour; `None` goes by the card.
    pub profile: Option<Profile>,
    /// The version to judge by, whatever the card declares; `None` goes by the card.
    pub version: Option<String>,
    /// Only checks whose id matches one of these patterns (`*` stands for anything); empty means all.
    pub only: Vec<String>,
    /// How many scenarios may talk to the agent at once.
    pub concurrency: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: String::new(),
            headers: Vec::new(),
            query: Vec::new(),
            lanes: Vec::new(),
            client: None,
            origins: Vec::new(),
            timeout_ms: 60_000.0,
            prompts: Texts::default(),
            profile: None,
            version: None,
            only: Vec::new(),
            concurrency: 4,
        }
    }
}

impl Options {
    /// Whether a check is asked for.
    #[must_use]
    pub fn wants(&self, check: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|pattern| matches(pattern, check))
    }
}

/// Whether a text fits a pattern in which `*` stands for any characters.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(first) = pieces.next() else { return false };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(found) = rest.find(piece) else { return false };
        rest = rest.get(found + piece.len()..).unwrap_or_default();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_take_stars_anywhere() {
        for (pattern, text, fits) in [
            ("card.*", "card.skills", true),
            ("card.*", "discovery.card", false),
            ("*", "anything", true),
            ("*.id", "send.task-id", false),
            ("*-id", "send.task-id", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c", false),
            ("send", "send", true),
            ("send", "send.x", false),
            ("", "x", false),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
        }
    }
}
