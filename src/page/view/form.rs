//! What the user typed besides the address, read and refused with a sentence; and what the browser will say to an address.

use crate::engine::discover::normalise;
use crate::engine::options::{Options, Patience};
use crate::engine::prompt::{Profile, Texts};
use crate::engine::reach::triage;
use crate::host::probe::{Home, Space};
use crate::wire::url::Url;

/// The form as it was typed. Credentials live here and nowhere else: not in the link, not in storage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// A bearer token.
    pub bearer: String,
    /// Header lines, `Name: value` each.
    pub headers: String,
    /// Seconds per scenario; empty for the default.
    pub timeout: String,
    /// A prompt for some of the behaviours.
    pub prompts: Texts,
    /// The convention that the agent knows; empty goes by its card.
    pub profile: String,
    /// The version to judge by; empty goes by the card.
    pub version: String,
}

/// Header names that no script may set (Fetch §forbidden request-header): a browser drops them without a word.
const FORBIDDEN: [&str; 14] = [
    "accept-charset",
    "accept-encoding",
    "connection",
    "content-length",
    "cookie",
    "date",
    "dnt",
    "expect",
    "host",
    "keep-alive",
    "origin",
    "referer",
    "te",
    "transfer-encoding",
];

/// The shortest and the longest patience, in seconds.
const TIMEOUTS: std::ops::RangeInclusive<u16> = 1..=3600;

impl Settings {
    /// The options of a run of that address.
    ///
    /// # Errors
    /// One sentence for the user on what cannot be used.
    pub fn options(&self, address: &str) -> Result<Options, String> {
        let address = normalise(address).map_err(|problem| problem.to_string())?.url();
        let timeout = self.timeout.trim();
        let defaults = Options::default();
        let timeout_ms = match timeout.parse::<u16>() {
            _ if timeout.is_empty() => defaults.timeout_ms,
            Ok(seconds) if TIMEOUTS.contains(&seconds) => f64::from(seconds) * 1000.0,
            _ => return Err(format!("\u{201c}{timeout}\u{201d} is no whole number of seconds from 1 to 3600")),
        };
        let mut prompts = Texts::default();
        for (behaviour, text) in self.prompts.iter().filter(|(_, text)| !text.trim().is_empty()) {
            prompts.set(behaviour, text.trim().to_owned());
        }
        Ok(Options {
            address,
            headers: headers(&self.bearer, &self.headers)?,
            timeout_ms,
            patience: Patience::within(timeout_ms),
            prompts,
            profile: Profile::parse(&self.profile),
            version: Some(self.version.clone()).filter(|version| !version.is_empty()),
            ..defaults
        })
    }

    /// Whether anything is set that the closed disclosure would hide.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut parts = Vec::new();
        if !self.bearer.trim().is_empty() || !self.headers.trim().is_empty() {
            parts.push("with credentials");
        }
        if !self.timeout.trim().is_empty() {
            parts.push("own timeout");
        }
        if self.prompts.iter().any(|(_, text)| !text.trim().is_empty()) {
            parts.push("own prompts");
        }
        if !self.profile.is_empty() {
            parts.push("a chosen convention");
        }
        if !self.version.is_empty() {
            parts.push("a forced version");
        }
        parts.join(", ")
    }
}

/// The header fields of a bearer token and of lines.
///
/// # Errors
/// One sentence on the line that is no header field, without its value: that may be a secret.
pub fn headers(bearer: &str, lines: &str) -> Result<Vec<(String, String)>, String> {
    let mut fields = Vec::new();
    let token = bearer.trim();
    let token = token.strip_prefix("Bearer ").or_else(|| token.strip_prefix("bearer ")).unwrap_or(token).trim();
    if token.chars().any(|c| c.is_whitespace() || c.is_control() || !c.is_ascii()) {
        return Err("the bearer token holds characters that no token has; paste only the token itself".to_owned());
    }
    if !token.is_empty() {
        fields.push(("Authorization".to_owned(), format!("Bearer {token}")));
    }
    for (number, line) in lines.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        let field = line.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
        let Some((name, value)) = field.filter(|(name, _)| !name.is_empty() && name.chars().all(is_token)) else {
            return Err(format!("line {} of the headers is not of the form \u{201c}Name: value\u{201d}", number + 1));
        };
        let lower = name.to_ascii_lowercase();
        if FORBIDDEN.contains(&lower.as_str()) || lower.starts_with("sec-") || lower.starts_with("proxy-") {
            return Err(format!("no browser lets a page send the header {name}; use the command line for that"));
        }
        if value.chars().any(|c| c.is_control() || u32::from(c) > 255) {
            return Err(format!("the value of {name} holds characters that no header can carry"));
        }
        fields.push((name.to_owned(), value.to_owned()));
    }
    Ok(fields)
}

/// What is said below the address field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    /// Nothing was typed.
    Nothing,
    /// This will be fetched first; perhaps with a word on what the browser will do.
    Fetch {
        /// The card URL that is tried first.
        first: String,
        /// How many other places are tried if nothing is there.
        others: usize,
        /// What this browser will do with such an address, if that is special.
        hint: Option<&'static str>,
    },
    /// It cannot be checked, for this reason.
    Refused(String),
}

/// What to say below the field.
#[must_use]
pub fn preview(typed: &str, home: &Home) -> Preview {
    if typed.trim().is_empty() {
        return Preview::Nothing;
    }
    let address = match normalise(typed) {
        Ok(address) => address,
        Err(problem) => return Preview::Refused(problem.to_string()),
    };
    let candidates = address.candidates();
    let Some(first) = candidates.first() else { return Preview::Nothing };
    Preview::Fetch { first: first.clone(), others: candidates.len() - 1, hint: hint(first, typed, home) }
}

/// What the browser will do, known before anything is sent.
fn hint(url: &str, typed: &str, home: &Home) -> Option<&'static str> {
    let target = triage(url, home).ok()?;
    if target.bad_port {
        return Some("No browser connects to this port: let the agent listen on another one, such as 8080.");
    }
    if target.mixed && target.space == Space::Public {
        return Some(
            "This browser will block it: a page loaded by https may not call an http address. Serve the agent by https, or this page from localhost.",
        );
    }
    if target.mixed {
        return Some(
            "This browser will block it: a page loaded by https may not call http on your machine or network here. Use Chrome, \
             or serve this page from localhost.",
        );
    }
    if target.insecure {
        return Some(
            "This agent is on your machine or network, and a page that came by http may not reach that. Open this page by https, \
             or serve it from localhost.",
        );
    }
    if target.needs_permission {
        return Some(
            "This agent is on your machine or network. This browser may ask whether this page may reach it: choose Allow.",
        );
    }
    typed
        .contains("0.0.0.0")
        .then_some("Nobody can be called at 0.0.0.0; this machine is meant, so 127.0.0.1 is called.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_and_lines_become_headers() {
        let fields = headers(" Bearer abc.def ", "X-Api-Key: k : 1\n\n  X-B:2 ").unwrap();
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(fields, [("Authorization", "Bearer abc.def"), ("X-Api-Key", "k : 1"), ("X-B", "2")]);
    }

    #[test]
    fn a_bad_header_is_named_without_its_value() {
        for (bearer, lines, part) in [
            ("a canary", "", "token"),
            ("", "X-A: 1\ncanary", "line 2"),
            ("", ": canary", "line 1"),
            ("", "X A: canary", "line 1"),
            ("", "Cookie: canary", "no browser"),
            ("", "Sec-Fetch-Mode: canary", "no browser"),
            ("", "X-A: canary\u{7f}", "the value of X-A"),
            ("", "X-A: canary \u{2713}", "the value of X-A"),
        ] {
            let problem = headers(bearer, lines).unwrap_err();
            assert!(problem.contains(part) && !problem.contains("canary"), "{problem}");
        }
    }

    #[test]
    fn the_convention_goes_by_the_card_unless_one_is_chosen() {
        let options = |profile: &str| Settings { profile: profile.into(), ..Settings::default() }.options("h.example");
        assert_eq!(options("").unwrap().profile, None);
        assert_eq!(options("tck").unwrap().profile, Some(Profile::Kit));
    }

    #[test]
    fn the_timeout_is_seconds() {
        let settings = |timeout: &str| Settings { timeout: timeout.into(), ..Settings::default() };
        assert_eq!(settings("").options("h.example").unwrap().timeout_ms, 60_000.0);
        assert_eq!(settings(" 2 ").options("h.example").unwrap().timeout_ms, 2_000.0);
        for text in ["0", "-1", "NaN", "inf", "1e9", "soon"] {
            assert!(settings(text).options("h.example").is_err(), "{text}");
        }
        assert!(settings("").options("ftp://h").is_err());
    }

    #[test]
    fn the_first_card_url_is_shown_before_anything_is_sent() {
        let home = Home::of("https://checker.example/");
        assert_eq!(preview("  ", &home), Preview::Nothing);
        let Preview::Fetch { first, others, hint } = preview("agent.example.com/x/", &home) else { panic!() };
        assert_eq!(first, "https://agent.example.com/x/.well-known/agent-card.json");
        assert_eq!((others, hint), (3, None));
        assert!(matches!(preview("ftp://h", &home), Preview::Refused(_)));
    }

    #[test]
    fn what_the_browser_will_do_is_said_before_the_run() {
        let hint = |typed: &str, page: &str| match preview(typed, &Home::of(page)) {
            Preview::Fetch { hint, .. } => hint.unwrap_or_default(),
            _ => "",
        };
        assert!(hint("http://agent.example.com", "https://checker.example/").contains("block"));
        assert!(hint("localhost:9999", "https://checker.example/").contains("Allow"));
        assert_eq!(hint("localhost:9999", "http://localhost:8080/"), "");
        assert!(hint("localhost:9999", "http://checker.example/").contains("by https"));
        assert!(hint("localhost:6000", "http://localhost:8080/").contains("port"));
        assert!(hint("0.0.0.0:8000", "http://localhost:8080/").contains("127.0.0.1"));
        assert_eq!(hint("https://agent.example.com", "https://checker.example/"), "");
    }
}
