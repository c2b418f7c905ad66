//! The user's decisions about a run, with defaults such as the number of requests at once, and the redactor that knows every secret
//! among them.

use std::rc::Rc;

use super::delegation::DelegationOptions;
use super::load::LoadOptions;
use super::prompt::{Profile, Texts};
use super::timeouts::{SCENARIO_MS, Timeouts};
use crate::wire::base64::STANDARD;
use crate::wire::limits::MOST_INTERFACES;
use crate::wire::redact::Redactor;
use crate::wire::url::encode;

/// The settings of a run. `Default` is what a first-time visitor gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The address as the user typed it: an origin, a base path or a card URL.
    pub address: String,
    /// Header fields to send with every request to the agent: credentials.
    pub headers: Vec<(String, String)>,
    /// Parameters to add to the query of every request to the agent: credentials.
    pub query: Vec<(String, String)>,
    /// Credentials of single lanes, by the lane's id. They take the place of the headers and the query above.
    pub lanes: Vec<(String, FixedCredentials)>,
    /// The client that fetches tokens during the run.
    pub client: Option<OAuthClient>,
    /// The credentials of a second identity, which must not see the first one's tasks: all that its requests carry.
    pub second: FixedCredentials,
    /// Its credentials of single lanes, by the lane's id. They take the place of all its others.
    pub second_lanes: Vec<(String, FixedCredentials)>,
    /// The client that fetches tokens for the second identity during the run.
    pub second_client: Option<OAuthClient>,
    /// Secrets that are sent to somebody else than the agent, such as the password of a proxy.
    pub secrets: Vec<String>,
    /// What has learned the secrets of other runs that this one belongs to, and learns those of this one.
    pub redactor: Option<Redactor>,
    /// Origins that credentials may go to, besides the address's own.
    pub origins: Vec<String>,
    /// How long a scenario may take, in milliseconds.
    pub timeout_ms: f64,
    /// How long to wait for the parts of a scenario, and how long the whole run may take.
    pub timeouts: Timeouts,
    /// The user's own prompts.
    pub prompts: Texts,
    /// The convention by which the agent is asked for a behaviour; `None` goes by the card.
    pub profile: Option<Profile>,
    /// The version to judge by, whatever the card declares; `None` goes by the card.
    pub version: Option<String>,
    /// Only checks whose id matches one of these patterns (`*` matches any characters); empty means all.
    pub only: Vec<String>,
    /// Whether scenarios are driven, too, that cost many messages for what they find.
    pub is_thorough: bool,
    /// Only interfaces of these bindings, by the names in the ids of lanes; empty means all.
    pub bindings: Vec<String>,
    /// How many interfaces are called at most. A card may list thousands, and a run sends several hundred requests to each.
    pub most_interfaces: usize,
    /// Whether only the first interface is called of those that this build speaks.
    pub first_interface_only: bool,
    /// Whether the run is of tests that the user wrote instead of the suite.
    pub is_written: bool,
    /// The ids of the skills whose examples an ordinary agent is asked in; empty means all.
    pub skills: Vec<String>,
    /// How many requests may be under way at once, streams among them. With 1 it is one scenario after another.
    pub concurrency: usize,
    /// Where the run learns how the agent is called.
    pub source: Source,
    /// The keys that the user trusts to sign the card: a JSON Web Key Set (RFC 7517 §5), or its URL; empty for none.
    pub jwks: String,
    /// The load to put the agent under when everything else is done; `None` for none.
    pub load: Option<LoadOptions>,
    /// How the agent is told to call another agent when everything else is done; `None` when it is not.
    pub delegation: Option<Rc<DelegationOptions>>,
    /// How many times the agent is checked, one run after another, with one report: 1 to [`MOST_RUNS`].
    pub repeat: u32,
    /// The address of a gateway through which the agent is checked as well, and compared with itself.
    pub via: Option<String>,
}

/// Where a run learns how the agent is called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Source {
    /// The card that the agent serves.
    #[default]
    Discovery,
    /// This card, which may have no agent yet: none is called.
    Card(Vec<u8>),
    /// The address is an endpoint, and there is no card.
    Endpoint(Endpoint),
}

/// The facts about an endpoint that a card would declare.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Endpoint {
    /// The binding as a card names it: `JSONRPC`.
    pub binding: String,
    /// The tenant that every call has to name.
    pub tenant: Option<String>,
    /// The extensions that the agent requires.
    pub extensions: Vec<String>,
    /// Whether the agent streams.
    pub streaming: bool,
    /// Whether it sends push notifications.
    pub push_notifications: bool,
    /// Whether it has an extended card.
    pub extended_card: bool,
}

/// Names with their values.
type NamedValues = Vec<(String, String)>;

/// Credentials that are sent as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FixedCredentials {
    /// Header fields.
    pub headers: Vec<(String, String)>,
    /// Parameters of the query.
    pub query: Vec<(String, String)>,
}

impl FixedCredentials {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.query.is_empty()
    }
}

/// A client of an authorization server. With a secret it fetches tokens for itself (RFC 6749 §4.4); without one a person
/// confirms a code elsewhere (RFC 8628), unless a token was given; a refresh token gets the next one (RFC 6749 §6).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OAuthClient {
    /// Its id.
    pub id: String,
    /// Its secret; empty for a public client.
    pub secret: String,
    /// The scopes to ask for, separated by spaces; may be empty.
    pub scope: String,
    /// The token endpoint; empty to take the one that the card names.
    pub token_url: String,
    /// The refresh token that renews the token among the headers; may be empty.
    pub refresh: String,
}

impl OAuthClient {
    /// Id and secret, encoded as Basic credentials (RFC 6749 §2.3.1).
    #[must_use]
    pub fn basic_credentials(&self) -> String {
        STANDARD.encode(format!("{}:{}", encode(&self.id), encode(&self.secret)).as_bytes())
    }
}

/// How many runs one report may be about. A hundred show what happens once in thirty runs (in 97 of 100 cases), and are an hour of a
/// slow agent's time.
pub const MOST_RUNS: u32 = 100;

/// Why two agents together are not checked several times: the end of the same sentence as with [`Options::once_only`].
pub const TWO_AGENTS_ONCE: &str = "two agents together are checked in three runs already";

/// How many requests may be under way at once by default.
const USUAL_CONCURRENCY: usize = 8;

impl Default for Options {
    fn default() -> Self {
        Self {
            address: String::new(),
            headers: Vec::new(),
            query: Vec::new(),
            lanes: Vec::new(),
            client: None,
            second: FixedCredentials::default(),
            second_lanes: Vec::new(),
            second_client: None,
            secrets: Vec::new(),
            redactor: None,
            origins: Vec::new(),
            timeout_ms: SCENARIO_MS,
            timeouts: Timeouts::default(),
            prompts: Texts::default(),
            profile: None,
            version: None,
            only: Vec::new(),
            is_thorough: false,
            bindings: Vec::new(),
            most_interfaces: MOST_INTERFACES,
            first_interface_only: false,
            is_written: false,
            skills: Vec::new(),
            concurrency: USUAL_CONCURRENCY,
            source: Source::Discovery,
            jwks: String::new(),
            load: None,
            delegation: None,
            repeat: 1,
            via: None,
        }
    }
}

impl Options {
    /// The options of a run of another agent, with which this one is checked together: what is this one's own is not taken over.
    #[must_use]
    pub fn of_peer(&self, address: String) -> Self {
        Self {
            address,
            source: Source::Discovery,
            timeout_ms: self.timeout_ms,
            timeouts: self.timeouts,
            profile: self.profile,
            only: self.only.clone(),
            is_thorough: self.is_thorough,
            most_interfaces: self.most_interfaces,
            version: self.version.clone(),
            concurrency: self.concurrency,
            ..Self::default()
        }
    }

    /// Why these options are good for one run only, if they are: the end of the sentence "this cannot be checked several times: ...".
    #[must_use]
    pub fn once_only(&self) -> Option<&'static str> {
        let is_refreshed =
            |client: &Option<OAuthClient>| client.as_ref().is_some_and(|client| !client.refresh.is_empty());
        if matches!(self.source, Source::Card(_)) {
            Some("a card alone is judged the same each time")
        // No page puts an agent under load, or has one call another.
        } else if !cfg!(target_arch = "wasm32") && self.load.is_some() {
            Some("the figures of a load are those of one run")
        } else if !cfg!(target_arch = "wasm32") && self.delegation.is_some() {
            Some("the calls of the other agent are those of one run")
        } else if is_refreshed(&self.client) || is_refreshed(&self.second_client) {
            // RFC 6749 §6: the server may take another one back with each token.
            Some("a refresh token may be good for one use only")
        } else {
            None
        }
    }

    /// A redactor that knows every secret of these options.
    #[must_use]
    pub fn redactor(&self) -> Redactor {
        Self::redactor_of(&[self])
    }

    /// A redactor that knows every secret of all of these, for the record of a run with several agents.
    #[must_use]
    pub fn redactor_of(all: &[&Self]) -> Redactor {
        let mut redactor = all.iter().find_map(|options| options.redactor.clone()).unwrap_or_default();
        for options in all {
            for (name, value) in options.credentials().flat_map(|(headers, _)| headers) {
                redactor.learn_header(name, value);
            }
            for secret in options.secret_values() {
                redactor.learn_credentials(&secret);
            }
        }
        redactor
    }

    /// Has the records of these runs mask the secrets of each other, those too that are learned on the way: whoever is sent one may pass it
    /// on to the other agent.
    pub fn share_secrets(runs: &mut [&mut Self]) {
        let all: Vec<&Self> = runs.iter().map(|options| &**options).collect();
        let redactor = Self::redactor_of(&all);
        for options in runs {
            options.redactor = Some(redactor.clone());
        }
    }

    /// Every secret of these options.
    fn secret_values(&self) -> Vec<String> {
        let fields = self.credentials().flat_map(|(headers, query)| headers.iter().chain(query));
        let fields = fields.map(|(_, value)| value.clone());
        let clients = [&self.client, &self.second_client].into_iter().flatten();
        let clients =
            clients.flat_map(|client| [client.secret.clone(), client.refresh.clone(), client.basic_credentials()]);
        fields.chain(clients).chain(self.secrets.iter().cloned()).collect()
    }

    /// The header fields and the parameters of each identity and lane.
    fn credentials(&self) -> impl Iterator<Item = (&NamedValues, &NamedValues)> {
        let fixed = self.lanes.iter().chain(&self.second_lanes).map(|(_, fixed)| fixed).chain([&self.second]);
        [(&self.headers, &self.query)].into_iter().chain(fixed.map(|fixed| (&fixed.headers, &fixed.query)))
    }

    /// Whether there are two identities to tell apart.
    #[must_use]
    pub fn has_second_identity(&self) -> bool {
        let any = |lanes: &[(String, FixedCredentials)]| lanes.iter().any(|(_, credentials)| !credentials.is_empty());
        let has_first = !self.headers.is_empty() || !self.query.is_empty() || self.client.is_some() || any(&self.lanes);
        has_first && (!self.second.is_empty() || self.second_client.is_some() || any(&self.second_lanes))
    }

    /// Whether the user wants this check.
    #[must_use]
    pub fn wants(&self, check: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|pattern| matches(pattern, check))
    }
}

/// Whether a text matches a pattern in which `*` matches any characters.
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
    use super::{Options, Profile, Timeouts, matches};

    #[test]
    fn a_second_agent_is_checked_within_the_limits_of_the_first() {
        let first = Options {
            timeout_ms: 1.0,
            timeouts: Timeouts { reach_ms: 2.0, ..Timeouts::default() },
            profile: Some(Profile::AgentBin),
            only: vec!["get.*".to_owned()],
            is_thorough: true,
            most_interfaces: 3,
            version: Some("0.3".to_owned()),
            concurrency: 7,
            headers: vec![("X-Key".to_owned(), "of-the-first".to_owned())],
            ..Options::default()
        };
        let second = first.of_peer("http://b.test".to_owned());
        assert_eq!((second.timeout_ms, second.timeouts, second.concurrency), (1.0, first.timeouts, 7));
        assert_eq!((second.profile, second.only, second.version), (first.profile, first.only, first.version));
        assert_eq!((second.is_thorough, second.most_interfaces, second.headers.len()), (true, 3, 0));
    }

    #[test]
    fn runs_that_share_their_secrets_mask_what_any_of_them_learns() {
        let with =
            |secret: &str| Options { headers: vec![("X-Key".to_owned(), secret.to_owned())], ..Options::default() };
        let (mut first, mut second) = (with("of-the-first"), with("of-the-second"));
        Options::share_secrets(&mut [&mut first, &mut second]);
        let redactor = second.redactor();
        first.redactor().learn("learned-later");
        let masked = redactor.text("of-the-first of-the-second learned-later");
        assert_eq!(masked, "[redacted] [redacted] [redacted]");
    }

    #[test]
    fn a_star_in_a_pattern_matches_any_characters() {
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
