//! The user's credentials in a run: how each is sent, to which origins, when a token is renewed and a request repeated; and the
//! made-up ones that must be refused.

mod grant;
pub mod parse;

use std::cell::{Cell, RefCell};

use super::discover::normalise;
use super::gateway_route::PREFIX;
use super::options::{FixedCredentials, OAuthClient, Options};
use super::session::Session;
use crate::a2a::binding::Credentials;
use crate::wire::exchange::Exchange;
use crate::wire::http::Request;
use crate::wire::url::{Url, with_parameter};

/// The scenario under which requests for tokens are recorded.
pub const CREDENTIALS: &str = "credentials";

/// A secret that was never given out.
const MADE_UP: &str = "a2a-conformance-made-this-up";
/// A user and a password that were never given out, as Basic credentials (RFC 7617 §2).
const MADE_UP_BASIC: &str = "Basic YTJhLWNvbmZvcm1hbmNlOm1hZGUtdGhpcy11cA==";
/// A JSON Web Token (RFC 7519) that expired in 2001 and whose signature is made up.
const EXPIRED: &str = "Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.\
    eyJzdWIiOiJhMmEtY29uZm9ybWFuY2UiLCJleHAiOjEwMDAwMDAwMDB9.bWFkZS11cC1tYWRlLXVwLW1hZGUtdXAtbWFkZS11cC0";

/// A token that was refused before it was accepted this often was hardly refused for its age.
const FEW_ACCEPTED: u32 = 8;
/// How often a request is repeated with a new token.
const MAX_RETRIES: u32 = 2;
/// A token that expires within this time is renewed before it is used, in milliseconds.
const MARGIN_MS: f64 = 3_000.0;
/// How often to look whether a token that another scenario is fetching has come, in milliseconds.
const FETCH_POLL_MS: f64 = 20.0;

struct FetchedToken {
    /// The value of the header Authorization.
    header: String,
    /// When it expires by the run's clock, if the server said so.
    expires_ms: Option<f64>,
}

/// Every credential of a run.
#[derive(Default)]
pub struct CredentialStore {
    /// The name of the identity that they belong to, in words for people.
    whom: &'static str,
    shared: FixedCredentials,
    lanes: Vec<(String, FixedCredentials)>,
    client: Option<OAuthClient>,
    /// Those of the second identity, where these are the first one's.
    second: Option<Box<Self>>,
    /// Why there is no token, if that is known.
    no_token: RefCell<Option<String>>,
    /// Where credentials may go.
    origins: Vec<Url>,
    /// The token endpoint, once it is known.
    endpoint: RefCell<String>,
    /// The scopes that the card requires of a token.
    required_scopes: RefCell<String>,
    refresh_token: RefCell<String>,
    token: RefCell<Option<FetchedToken>>,
    /// How many tokens were fetched; the newest one's number.
    fetched: Cell<u32>,
    /// How many requests the newest token was accepted for.
    accepted: Cell<u32>,
    /// How many requests a token must have been accepted for before a 401 is taken for its expiry. Grows whenever a new
    /// token is refused as well, because then age was not the reason.
    accepted_before_expiry: Cell<u32>,
    /// Whether renewing failed, so that it is not tried again.
    renewal_failed: Cell<bool>,
    is_fetching: Cell<bool>,
}

impl CredentialStore {
    /// The credentials of these options, for the agent at this address.
    #[must_use]
    pub fn new(options: &Options, address: &str) -> Self {
        // The user typed the gateway's address as well.
        let gateway = options.via.as_deref().and_then(|via| normalise(via).ok()).map(|gateway| gateway.url());
        let origins = options.origins.iter().map(String::as_str).chain([address]).chain(gateway.as_deref());
        let origins: Vec<Url> = origins.filter_map(|origin| Url::parse(origin).ok()).collect();
        let whom = "the second identity";
        let second = Self {
            lanes: options.second_lanes.clone(),
            ..Self::of_identity(whom, &options.second, options.second_client.as_ref(), &origins)
        };
        let shared = FixedCredentials { headers: options.headers.clone(), query: options.query.clone() };
        let first = Self::of_identity("this run", &shared, options.client.as_ref(), &origins);
        Self { lanes: options.lanes.clone(), second: Some(Box::new(second)), ..first }
    }

    fn of_identity(
        whom: &'static str,
        shared: &FixedCredentials,
        client: Option<&OAuthClient>,
        origins: &[Url],
    ) -> Self {
        Self {
            whom,
            shared: shared.clone(),
            client: client.cloned(),
            refresh_token: client.map(|client| client.refresh.clone()).unwrap_or_default().into(),
            origins: origins.to_vec(),
            ..Self::default()
        }
    }

    /// The credentials of the identity whose calls these are.
    #[must_use]
    pub fn identity(&self, which: Credentials) -> &Self {
        self.second.as_deref().filter(|_| which == Credentials::Second).unwrap_or(self)
    }

    /// Why the second identity has no token although it should.
    #[must_use]
    pub fn second_without_token(&self) -> Option<String> {
        self.identity(Credentials::Second).no_token.borrow().clone()
    }

    /// Whether the second identity has something to send to a lane.
    #[must_use]
    pub fn has_second_for(&self, lane: Option<&str>) -> bool {
        let second = self.identity(Credentials::Second);
        second.own_credentials(lane).is_some() || !second.shared.is_empty() || second.client.is_some()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shared.is_empty() && self.client.is_none() && self.lanes.iter().all(|(_, own)| own.is_empty())
    }

    /// Whether a bearer token is sent to a lane.
    #[must_use]
    pub fn has_bearer(&self, lane: Option<&str>) -> bool {
        self.headers_for(lane).iter().any(|(_, value)| has_scheme(value, "bearer"))
    }

    /// Whether the user gave a token or the like, instead of having one fetched.
    fn has_given_token(&self) -> bool {
        self.shared.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
    }

    /// Whether credentials may be sent to a URL: the user typed or allowed its origin.
    #[must_use]
    pub fn may_go_to(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| self.origins.iter().any(|known| is_same_place(known, &url)))
    }

    /// Whether requests to that URL carry the fetched token: the lane has no credentials of its own, and they may go there.
    #[must_use]
    pub fn sends_token(&self, url: &str, lane: Option<&str>) -> bool {
        self.own_credentials(lane).is_none() && self.may_go_to(url)
    }

    /// The credentials of a lane that has its own.
    fn own_credentials(&self, lane: Option<&str>) -> Option<&FixedCredentials> {
        // Through a gateway a lane has those that it has directly.
        let lane = lane.map(|lane| lane.strip_prefix(PREFIX).unwrap_or(lane));
        self.lanes.iter().find(|(id, _)| Some(id.as_str()) == lane).map(|(_, own)| own)
    }

    /// The header fields that a lane's requests carry.
    fn headers_for(&self, lane: Option<&str>) -> Vec<(String, String)> {
        if let Some(own) = self.own_credentials(lane) {
            return own.headers.clone();
        }
        let mut headers = self.shared.headers.clone();
        headers.extend(self.token.borrow().as_ref().map(|token| ("Authorization".to_owned(), token.header.clone())));
        headers
    }

    /// Puts credentials into a request, if they may go there.
    pub fn apply(&self, request: &mut Request, lane: Option<&str>, which: Credentials) {
        if which == Credentials::None || !self.may_go_to(&request.url) {
            return;
        }
        if which == Credentials::Second {
            if let Some(second) = &self.second {
                second.apply(request, lane, Credentials::Own);
            }
            return;
        }
        let headers = self.headers_for(lane);
        if which == Credentials::Foreign {
            let is_basic = headers.iter().any(|(_, value)| has_scheme(value, "basic"));
            let value = if is_basic { format!("Bearer {MADE_UP}") } else { MADE_UP_BASIC.to_owned() };
            request.headers.replace("Authorization", value);
            return;
        }
        for (name, value) in headers {
            let value = match which {
                Credentials::Own => value,
                _ if name.eq_ignore_ascii_case("authorization") => forged(which, &value),
                _ => MADE_UP.to_owned(),
            };
            request.headers.replace(&name, value);
        }
        for (name, value) in &self.own_credentials(lane).unwrap_or(&self.shared).query {
            let value = if which == Credentials::Own { value.as_str() } else { MADE_UP };
            request.url = with_parameter(&request.url, name, value);
        }
    }

    /// Before a request: renews a token that is known to expire. Returns the number of the token to use.
    pub async fn renew_if_due(&self, session: &Session) -> u32 {
        let expires = self.token.borrow().as_ref().and_then(|token| token.expires_ms);
        if expires.is_some_and(|at_ms| at_ms - MARGIN_MS < session.now_ms()) && !self.renewal_failed.get() {
            let _ = self.renew(session, self.fetched.get()).await;
        }
        self.fetched.get()
    }

    /// After a request with the token of that number, which was repeated `retries` times already. Returns whether to repeat
    /// it, because its token had been accepted before and there is a new one.
    pub async fn should_retry(&self, session: &Session, number: u32, exchange: &Exchange, retries: u32) -> bool {
        let can_renew = self.fetched.get() > 0 || !self.refresh_token.borrow().is_empty();
        if !can_renew || self.endpoint.borrow().is_empty() || exchange.response.is_none() {
            return false;
        }
        // The answer to an older token says nothing about the newest.
        let is_newest = number == self.fetched.get();
        if exchange.status() != Some(401) {
            self.accepted.set(self.accepted.get().saturating_add(u32::from(is_newest)));
            return false;
        }
        if retries > 0 && is_newest && self.accepted.get() < FEW_ACCEPTED {
            self.accepted_before_expiry.set(self.accepted_before_expiry.get().saturating_mul(4).max(4));
        }
        if retries >= MAX_RETRIES {
            return false;
        }
        // Another scenario may have fetched a new one meanwhile.
        let has_expired = self.accepted.get() >= self.accepted_before_expiry.get().max(1);
        self.fetched.get() != number || (has_expired && !self.renewal_failed.get() && self.renew(session, number).await)
    }

    /// Replaces the token of that number, unless another scenario did; returns whether there is a new one.
    async fn renew(&self, session: &Session, number: u32) -> bool {
        while self.is_fetching.get() && self.fetched.get() == number {
            session.host.clock.sleep(FETCH_POLL_MS).await;
        }
        if self.fetched.get() != number {
            return true;
        }
        let fetched = self.fetch(session).await.is_ok();
        self.renewal_failed.set(!fetched);
        fetched
    }
}

/// Why credentials are withheld from an origin that the user did not allow.
#[must_use]
pub fn not_allowed(what: &str, origin: &str) -> String {
    format!(
        "{what} {origin}, which is not the origin of the agent's address; no credentials are sent there until you \
         allow that origin (on the command line: --allow-origin {origin})"
    )
}

/// Whether the value of a header Authorization has that scheme.
fn has_scheme(value: &str, scheme: &str) -> bool {
    value.split_once(' ').is_some_and(|(found, _)| found.eq_ignore_ascii_case(scheme))
}

/// A value for the header Authorization with the same scheme and a made-up secret.
fn forged(which: Credentials, value: &str) -> String {
    match (which, value.split_once(' ')) {
        (Credentials::Expired, Some((scheme, _))) if scheme.eq_ignore_ascii_case("bearer") => EXPIRED.to_owned(),
        (_, Some((scheme, _))) => format!("{scheme} {MADE_UP}"),
        (_, None) => MADE_UP.to_owned(),
    }
}

/// Whether two URLs lead to the same place as far as secrets go: the same origin, whatever name this machine has, or the
/// same host by https where http was agreed to.
fn is_same_place(known: &Url, other: &Url) -> bool {
    let is_this_machine = |url: &Url| matches!(url.host.as_str(), "localhost" | "127.0.0.1" | "[::1]");
    let port = |url: &Url| url.port.unwrap_or(url.own_port());
    let same_host = known.host == other.host || (is_this_machine(known) && is_this_machine(other));
    let upgraded = known.scheme == "http" && other.scheme == "https" && port(known) == 80 && port(other) == 443;
    same_host && ((known.scheme == other.scheme && port(known) == port(other)) || upgraded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(headers: &[(&str, &str)], query: &[(&str, &str)]) -> CredentialStore {
        let owned = |list: &[(&str, &str)]| list.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let options = Options { headers: owned(headers), query: owned(query), ..Options::default() };
        CredentialStore::new(&options, "https://h.example/agent")
    }

    fn applied(store: &CredentialStore, url: &str, which: Credentials) -> (String, Option<String>) {
        let mut request = Request::get(url);
        store.apply(&mut request, None, which);
        (request.url, request.headers.get("authorization").map(str::to_owned))
    }

    #[test]
    fn credentials_go_to_the_origin_of_the_address_only() {
        let store = store(&[("Authorization", "Bearer secret")], &[("key", "s&cret")]);
        let (url, header) = applied(&store, "https://h.example:443/rpc?x", Credentials::Own);
        assert_eq!(
            (url.as_str(), header.as_deref()),
            ("https://h.example:443/rpc?x&key=s%26cret", Some("Bearer secret"))
        );
        for url in
            ["http://h.example/", "https://h.example:8443/", "https://evil.example/", "https://h.example.evil/", "x"]
        {
            assert_eq!(applied(&store, url, Credentials::Own), (url.to_owned(), None));
        }
        assert_eq!(applied(&store, "https://h.example/", Credentials::None), ("https://h.example/".to_owned(), None));
    }

    #[test]
    fn a_second_identity_brings_its_own_credentials_alone_and_goes_where_the_first_may() {
        let owned = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        let second = FixedCredentials { headers: owned("X-Key", "other"), query: owned("user", "two") };
        let options = Options {
            headers: owned("Authorization", "Bearer secret"),
            query: owned("key", "secret"),
            lanes: vec![("rest-1.0".to_owned(), FixedCredentials { headers: owned("X-A", "b"), query: Vec::new() })],
            second,
            ..Options::default()
        };
        let store = CredentialStore::new(&options, "https://h.example/agent");
        for lane in [None, Some("rest-1.0")] {
            let mut request = Request::get("https://h.example/rpc");
            store.apply(&mut request, lane, Credentials::Second);
            assert_eq!(request.url, "https://h.example/rpc?user=two");
            assert_eq!(request.headers.iter().collect::<Vec<_>>(), [("X-Key", "other")]);
        }
        let own = FixedCredentials { headers: owned("X-B", "own"), query: Vec::new() };
        let of_lane = CredentialStore::new(
            &Options { second_lanes: vec![("rest-1.0".to_owned(), own)], ..options },
            "https://h.example/agent",
        );
        for (lane, wanted) in [(Some("rest-1.0"), ("X-B", "own")), (Some("jsonrpc-1.0"), ("X-Key", "other"))] {
            let mut request = Request::get("https://h.example/rpc");
            of_lane.apply(&mut request, lane, Credentials::Second);
            assert_eq!(request.headers.iter().collect::<Vec<_>>(), [wanted]);
        }
        let mut request = Request::get("https://evil.example/rpc");
        store.apply(&mut request, None, Credentials::Second);
        assert_eq!((request.url.as_str(), request.headers.iter().count()), ("https://evil.example/rpc", 0));
    }

    #[test]
    fn one_machine_has_several_names() {
        let at = |text: &str| Url::parse(text).unwrap();
        assert!(is_same_place(&at("http://localhost:9/"), &at("http://127.0.0.1:9/")));
        assert!(!is_same_place(&at("http://localhost:9/"), &at("http://127.0.0.1:8/")));
        assert!(is_same_place(&at("http://h.example/"), &at("https://h.example/")));
        assert!(!is_same_place(&at("https://h.example/"), &at("http://h.example/")));
    }

    #[test]
    fn made_up_credentials_have_the_form_that_they_stand_for() {
        let bearer = store(&[("Authorization", "Bearer secret")], &[]);
        let basic = store(&[("Authorization", "Basic c2VjcmV0")], &[]);
        let keyed = store(&[], &[("key", "secret")]);
        let header = |store: &CredentialStore, which| applied(store, "https://h.example/", which).1.unwrap_or_default();
        assert!(header(&bearer, Credentials::Expired).starts_with("Bearer eyJ"));
        assert!(header(&bearer, Credentials::Foreign).starts_with("Basic "));
        assert!(header(&basic, Credentials::Foreign).starts_with("Bearer "));
        assert!(header(&basic, Credentials::Wrong).starts_with("Basic a2a"));
        assert!(applied(&keyed, "https://h.example/", Credentials::Wrong).0.ends_with(&format!("key={MADE_UP}")));
        assert_eq!(applied(&keyed, "https://h.example/", Credentials::Foreign).0, "https://h.example/");
    }
}
