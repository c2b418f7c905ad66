//! The user's credentials in a run: how each is carried, which origins it may go to, and a token that is fetched with a
//! client's secret and fetched anew when it has run out.

mod grant;

use std::cell::{Cell, RefCell};

use super::options::Options;
use super::session::Session;
use crate::a2a::binding::Credentials;
use crate::wire::base64;
use crate::wire::exchange::Exchange;
use crate::wire::http::Request;
use crate::wire::redact::Redactor;
use crate::wire::url::{Url, encode, with_parameter};

/// Under which name requests for tokens stand on the record.
pub const CREDENTIALS: &str = "credentials";

/// What nobody ever gave out.
const MADE_UP: &str = "a2a-conformance-made-this-up";
/// The same as a user and a password, coded as Basic credentials (RFC 7617 §2) are.
const MADE_UP_PAIR: &str = "Basic YTJhLWNvbmZvcm1hbmNlOm1hZGUtdGhpcy11cA==";
/// A JSON Web Token (RFC 7519) that ran out in 2001 and whose signature is made up.
const EXPIRED: &str = "Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.\
    eyJzdWIiOiJhMmEtY29uZm9ybWFuY2UiLCJleHAiOjEwMDAwMDAwMDB9.bWFkZS11cC1tYWRlLXVwLW1hZGUtdXAtbWFkZS11cC0";

/// A token that was good for fewer requests than this has not run out when the next is refused.
const FEW: u32 = 8;
/// How often a request is sent again because its token had run out.
const MOST_TRIES: u32 = 2;
/// A token that lives no longer than this is fetched anew before it is used, in milliseconds.
const MARGIN_MS: f64 = 3_000.0;

/// Credentials that are sent as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FixedCredentials {
    /// Header fields.
    pub headers: Vec<(String, String)>,
    /// Parameters of the query.
    pub query: Vec<(String, String)>,
}

impl FixedCredentials {
    fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.query.is_empty()
    }
}

/// A client of an authorization server. With a secret it fetches tokens for itself (RFC 6749 §4.4); without one a person
/// confirms a code elsewhere (RFC 8628), unless a token is at hand; a refresh token gets the next one (RFC 6749 §6).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OAuthClient {
    /// Its id.
    pub id: String,
    /// Its secret; empty where it has none.
    pub secret: String,
    /// The scopes to ask for, with spaces between; may be empty.
    pub scope: String,
    /// Where tokens are fetched from; empty goes by the card.
    pub token_url: String,
    /// What gets a new token when the one among the headers has run out; may be empty.
    pub refresh: String,
}

/// A token that was fetched.
struct FetchedToken {
    header: String,
    /// When it runs out, by the run's clock, if that was said.
    ends_ms: Option<f64>,
}

/// Every credential of a run.
#[derive(Default)]
pub struct CredentialStore {
    own: FixedCredentials,
    lanes: Vec<(String, FixedCredentials)>,
    client: Option<OAuthClient>,
    origins: Vec<Url>,
    endpoint: RefCell<String>,
    refresh: RefCell<String>,
    token: RefCell<Option<FetchedToken>>,
    /// How many tokens were fetched.
    fetched: Cell<u32>,
    /// How many requests the newest one was good for.
    good: Cell<u32>,
    /// How many a token must be good for before a 401 is taken for its end; grows with each new token that was refused like
    /// the old one, since then it was something else.
    enough: Cell<u32>,
    /// Whether none is to be had any more.
    futile: Cell<bool>,
    fetching: Cell<bool>,
}

/// A redactor that knows every secret of these options.
#[must_use]
pub fn redactor(options: &Options) -> Redactor {
    let mut headers = options.headers.clone();
    headers.extend(options.lanes.iter().flat_map(|(_, keys)| keys.headers.iter().cloned()));
    let redactor = Redactor::for_headers(&headers);
    for (_, value) in options.query.iter().chain(options.lanes.iter().flat_map(|(_, keys)| keys.query.iter())) {
        redactor.learn(value);
    }
    if let Some(client) = &options.client {
        redactor.learn(&client.secret);
        redactor.learn(&client.refresh);
        redactor.learn(&pair(client));
    }
    redactor
}

/// A client's id and secret as Basic credentials (RFC 6749 §2.3.1).
fn pair(client: &OAuthClient) -> String {
    base64::encode(format!("{}:{}", encode(&client.id), encode(&client.secret)).as_bytes())
}

impl CredentialStore {
    /// The credentials of these options, for the agent at this address.
    #[must_use]
    pub fn new(options: &Options, address: &str) -> Self {
        let origins = options.origins.iter().map(String::as_str).chain([address]);
        Self {
            own: FixedCredentials { headers: options.headers.clone(), query: options.query.clone() },
            lanes: options.lanes.clone(),
            client: options.client.clone(),
            refresh: options.client.as_ref().map(|client| client.refresh.clone()).unwrap_or_default().into(),
            origins: origins.filter_map(|origin| Url::parse(origin).ok()).collect(),
            ..Self::default()
        }
    }

    /// Whether there are any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.client.is_none() && self.lanes.iter().all(|(_, keys)| keys.is_empty())
    }

    /// Whether a token is sent that could have run out.
    #[must_use]
    pub fn has_bearer(&self, lane: Option<&str>) -> bool {
        self.fields(lane).iter().any(|(_, value)| is_of(value, "bearer"))
    }

    /// Whether the user gave a token or the like, instead of having one fetched.
    fn has_token(&self) -> bool {
        self.own.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
    }

    /// Whether credentials may go to where a URL leads: the user typed its origin or allowed it.
    #[must_use]
    pub fn may_go_to(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| self.origins.iter().any(|known| same(known, &url)))
    }

    /// Whether the token that all share goes along there: the lane has no credentials of its own, and they may go there.
    #[must_use]
    pub fn lends(&self, url: &str, lane: Option<&str>) -> bool {
        self.keys(lane).1 && self.may_go_to(url)
    }

    fn keys(&self, lane: Option<&str>) -> (&FixedCredentials, bool) {
        let own = lane.and_then(|lane| self.lanes.iter().find(|(id, _)| id == lane));
        own.map_or((&self.own, true), |(_, keys)| (keys, false))
    }

    /// The header fields of a lane.
    fn fields(&self, lane: Option<&str>) -> Vec<(String, String)> {
        let (keys, shared) = self.keys(lane);
        let mut fields = keys.headers.clone();
        let token = self.token.borrow();
        fields
            .extend(token.as_ref().filter(|_| shared).map(|token| ("Authorization".to_owned(), token.header.clone())));
        fields
    }

    /// Puts credentials into a request, if they may go there.
    pub fn dress(&self, request: &mut Request, lane: Option<&str>, which: Credentials) {
        if which == Credentials::None || !self.may_go_to(&request.url) {
            return;
        }
        let fields = self.fields(lane);
        if which == Credentials::Foreign {
            let basic = fields.iter().any(|(_, value)| is_of(value, "basic"));
            let value = if basic { format!("Bearer {MADE_UP}") } else { MADE_UP_PAIR.to_owned() };
            request.headers.replace("Authorization", value);
            return;
        }
        for (name, value) in fields {
            let value = match which {
                Credentials::Own => value,
                _ if name.eq_ignore_ascii_case("authorization") => forged(which, &value),
                _ => MADE_UP.to_owned(),
            };
            request.headers.replace(&name, value);
        }
        for (name, value) in &self.keys(lane).0.query {
            let value = if which == Credentials::Own { value.as_str() } else { MADE_UP };
            request.url = with_parameter(&request.url, name, value);
        }
    }

    /// Before a request: fetches a new token when the one at hand is known to have run out. Answers how many there were.
    pub async fn ready(&self, session: &Session) -> u32 {
        let ended = self.token.borrow().as_ref().and_then(|token| token.ends_ms);
        if ended.is_some_and(|ends| ends - MARGIN_MS < session.now_ms()) && !self.futile.get() {
            let _ = self.renew(session, self.fetched.get()).await;
        }
        self.fetched.get()
    }

    /// After a request with the token of that number, sent for the first time or once more. Answers whether it should be
    /// repeated, because the token had worked before and a new one is there.
    pub async fn expired(&self, session: &Session, number: u32, exchange: &Exchange, tries: u32) -> bool {
        let renews = self.fetched.get() > 0 || !self.refresh.borrow().is_empty();
        if !renews || self.endpoint.borrow().is_empty() || exchange.response.is_none() {
            return false;
        }
        // What was sent with an older token tells nothing of this one.
        let is_of_this = number == self.fetched.get();
        if exchange.status() != Some(401) {
            self.good.set(self.good.get().saturating_add(u32::from(is_of_this)));
            return false;
        }
        if tries > 0 && is_of_this && self.good.get() < FEW {
            self.enough.set(self.enough.get().saturating_mul(4).max(4));
        }
        if tries >= MOST_TRIES {
            return false;
        }
        // Somebody else may have fetched one meanwhile.
        let ended = self.good.get() >= self.enough.get().max(1);
        self.fetched.get() != number || (ended && !self.futile.get() && self.renew(session, number).await)
    }

    async fn renew(&self, session: &Session, number: u32) -> bool {
        while self.fetching.get() && self.fetched.get() == number {
            session.host.clock.sleep(20.0).await;
        }
        if self.fetched.get() != number {
            return true;
        }
        let fetched = self.fetch(session).await.is_ok();
        self.futile.set(!fetched);
        fetched
    }
}

/// That credentials stay here until the user allows an origin.
#[must_use]
pub fn not_allowed(what: &str, origin: &str) -> String {
    format!(
        "{what} {origin}, which is not the origin of the agent's address; no credentials are sent there until you \
         allow that origin (on the command line: --allow-origin {origin})"
    )
}

fn is_of(value: &str, scheme: &str) -> bool {
    value.split_once(' ').is_some_and(|(found, _)| found.eq_ignore_ascii_case(scheme))
}

/// The value of a header Authorization, with the same scheme and what nobody gave out.
fn forged(which: Credentials, value: &str) -> String {
    match (which, value.split_once(' ')) {
        (Credentials::Expired, Some((scheme, _))) if scheme.eq_ignore_ascii_case("bearer") => EXPIRED.to_owned(),
        (_, Some((scheme, _))) => format!("{scheme} {MADE_UP}"),
        (_, None) => MADE_UP.to_owned(),
    }
}

/// Whether two URLs lead to the same place as far as secrets go: the same origin, whatever name this machine has, or the
/// same host by https where http was agreed to.
fn same(known: &Url, other: &Url) -> bool {
    let here = |url: &Url| matches!(url.host.as_str(), "localhost" | "127.0.0.1" | "[::1]");
    let port = |url: &Url| url.port.unwrap_or(url.own_port());
    let hosts = known.host == other.host || (here(known) && here(other));
    let safer = known.scheme == "http" && other.scheme == "https" && port(known) == 80 && port(other) == 443;
    hosts && ((known.scheme == other.scheme && port(known) == port(other)) || safer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn purse(headers: &[(&str, &str)], query: &[(&str, &str)]) -> CredentialStore {
        let owned = |list: &[(&str, &str)]| list.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let options = Options { headers: owned(headers), query: owned(query), ..Options::default() };
        CredentialStore::new(&options, "https://h.example/agent")
    }

    fn dressed(purse: &CredentialStore, url: &str, which: Credentials) -> (String, Option<String>) {
        let mut request = Request::get(url);
        purse.dress(&mut request, None, which);
        (request.url, request.headers.get("authorization").map(str::to_owned))
    }

    #[test]
    fn credentials_go_to_the_origin_of_the_address_only() {
        let purse = purse(&[("Authorization", "Bearer secret")], &[("key", "s&cret")]);
        let (url, header) = dressed(&purse, "https://h.example:443/rpc?x", Credentials::Own);
        assert_eq!(
            (url.as_str(), header.as_deref()),
            ("https://h.example:443/rpc?x&key=s%26cret", Some("Bearer secret"))
        );
        for url in
            ["http://h.example/", "https://h.example:8443/", "https://evil.example/", "https://h.example.evil/", "x"]
        {
            assert_eq!(dressed(&purse, url, Credentials::Own), (url.to_owned(), None));
        }
        assert_eq!(dressed(&purse, "https://h.example/", Credentials::None), ("https://h.example/".to_owned(), None));
    }

    #[test]
    fn one_machine_has_several_names() {
        let at = |text: &str| Url::parse(text).unwrap();
        assert!(same(&at("http://localhost:9/"), &at("http://127.0.0.1:9/")));
        assert!(!same(&at("http://localhost:9/"), &at("http://127.0.0.1:8/")));
        assert!(same(&at("http://h.example/"), &at("https://h.example/")));
        assert!(!same(&at("https://h.example/"), &at("http://h.example/")));
    }

    #[test]
    fn made_up_credentials_have_the_form_that_they_stand_for() {
        let bearer = purse(&[("Authorization", "Bearer secret")], &[]);
        let basic = purse(&[("Authorization", "Basic c2VjcmV0")], &[]);
        let keyed = purse(&[], &[("key", "secret")]);
        let header = |purse: &CredentialStore, which| dressed(purse, "https://h.example/", which).1.unwrap_or_default();
        assert!(header(&bearer, Credentials::Expired).starts_with("Bearer eyJ"));
        assert!(header(&bearer, Credentials::Foreign).starts_with("Basic "));
        assert!(header(&basic, Credentials::Foreign).starts_with("Bearer "));
        assert!(header(&basic, Credentials::Wrong).starts_with("Basic a2a"));
        assert!(dressed(&keyed, "https://h.example/", Credentials::Wrong).0.ends_with(&format!("key={MADE_UP}")));
        assert_eq!(dressed(&keyed, "https://h.example/", Credentials::Foreign).0, "https://h.example/");
    }
}
