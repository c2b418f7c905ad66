//! The user's credentials in a run: how each is carried, which origins it may go to, and a token that is fetched with a
//! client's secret and fetched anew when it has run out.

use std::cell::{Cell, RefCell};

use super::options::Options;
use super::record::{Flow, Place, Session};
use super::schemes::Asked;
use crate::a2a::binding::Credentials;
use crate::host::NetworkSight;
use crate::wire::base64;
use crate::wire::exchange::Exchange;
use crate::wire::http::Request;
use crate::wire::json::{Value, parse};
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

/// How long a token endpoint may take, in milliseconds.
const PATIENCE_MS: f64 = 30_000.0;
/// A token that lives no longer than this is fetched anew before it is used, in milliseconds.
const MARGIN_MS: f64 = 3_000.0;

/// Credentials that are sent as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keys {
    /// Header fields.
    pub headers: Vec<(String, String)>,
    /// Parameters of the query.
    pub query: Vec<(String, String)>,
}

impl Keys {
    fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.query.is_empty()
    }
}

/// A client of an authorization server: who fetches a token by the client credentials grant (RFC 6749 §4.4).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Client {
    /// Its id.
    pub id: String,
    /// Its secret.
    pub secret: String,
    /// The scopes to ask for, with spaces between; may be empty.
    pub scope: String,
    /// Where tokens are fetched from; empty goes by the card.
    pub token_url: String,
}

/// A token that was fetched.
struct Token {
    header: String,
    /// When it runs out, by the run's clock, if that was said.
    ends_ms: Option<f64>,
}

/// Every credential of a run.
#[derive(Default)]
pub struct Purse {
    own: Keys,
    lanes: Vec<(String, Keys)>,
    client: Option<Client>,
    origins: Vec<Url>,
    endpoint: RefCell<String>,
    token: RefCell<Option<Token>>,
    /// How many tokens were fetched.
    fetched: Cell<u32>,
    /// Whether the newest one was accepted somewhere.
    worked: Cell<bool>,
    /// Whether a new token was refused like the old one, or none was to be had.
    futile: Cell<bool>,
    fetching: Cell<bool>,
}

/// Fetching, while it lives.
struct Fetching<'a>(&'a Cell<bool>);

impl Drop for Fetching<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
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
        redactor.learn(&pair(client));
    }
    redactor
}

/// A client's id and secret as Basic credentials (RFC 6749 §2.3.1).
fn pair(client: &Client) -> String {
    base64::encode(format!("{}:{}", encode(&client.id), encode(&client.secret)).as_bytes())
}

impl Purse {
    /// The credentials of these options, for the agent at this address.
    #[must_use]
    pub fn new(options: &Options, address: &str) -> Self {
        let origins = options.origins.iter().map(String::as_str).chain([address]);
        Self {
            own: Keys { headers: options.headers.clone(), query: options.query.clone() },
            lanes: options.lanes.clone(),
            client: options.client.clone(),
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

    /// Whether credentials may go to where a URL leads: the user typed its origin or allowed it.
    #[must_use]
    pub fn may_go_to(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| self.origins.iter().any(|known| same(known, &url)))
    }

    fn keys(&self, lane: Option<&str>) -> (&Keys, bool) {
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
            request.headers.replace(&name, forged(which, value));
        }
        for (name, value) in &self.keys(lane).0.query {
            request.url = with_parameter(&request.url, name, &forged(which, value.clone()));
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

    /// After a request with the token of that number. Answers whether it should be repeated, because the token had worked
    /// before and a new one is there.
    pub async fn expired(&self, session: &Session, number: u32, exchange: &Exchange) -> bool {
        if self.client.is_none() || exchange.response.is_none() {
            return false;
        }
        if exchange.status() != Some(401) {
            self.worked.set(true);
            return false;
        }
        // Somebody else may have fetched one meanwhile.
        self.fetched.get() != number || (self.worked.get() && !self.futile.get() && self.renew(session, number).await)
    }

    /// A new token was refused as well: it is not the age of the token.
    pub fn repeated(&self, exchange: &Exchange) {
        self.futile.set(exchange.status() == Some(401));
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

    /// Fetches the first token, once it is known from where: at once when the user said so, else when the card was read.
    ///
    /// # Errors
    /// Why there is none, in a sentence for the user.
    pub async fn begin(&self, session: &Session, asked: Option<&[Asked]>) -> Result<(), String> {
        let Some(client) = self.client.as_ref().filter(|_| self.fetched.get() == 0) else { return Ok(()) };
        let endpoint = match asked {
            _ if !client.token_url.is_empty() => client.token_url.clone(),
            None => return Ok(()),
            Some(asked) => {
                let found = endpoint(session, asked).await?;
                let url = Url::parse(&found).map_err(|problem| {
                    format!("the token endpoint that the card leads to cannot be used: {problem}")
                })?;
                if !self.may_go_to(&found) {
                    return Err(not_allowed("the card has tokens fetched from", &url.origin()));
                }
                found
            }
        };
        self.endpoint.replace(endpoint);
        self.fetch(session).await
    }

    async fn fetch(&self, session: &Session) -> Result<(), String> {
        let Some(client) = &self.client else { return Ok(()) };
        self.fetching.set(true);
        let _fetching = Fetching(&self.fetching);
        let mut form = "grant_type=client_credentials".to_owned();
        if !client.scope.is_empty() {
            form.push_str(&format!("&scope={}", encode(&client.scope)));
        }
        // In the body first: a page then needs no leave to ask. Some servers know clients by the header only.
        let whole = format!("{form}&client_id={}&client_secret={}", encode(&client.id), encode(&client.secret));
        for (body, header) in [(whole, None), (form, Some(format!("Basic {}", pair(client))))] {
            let mut request = Request::post(self.endpoint.borrow().clone(), "application/x-www-form-urlencoded", body);
            let is_last = header.is_some();
            if let Some(header) = header {
                request.headers.replace("Authorization", header);
            }
            let began_ms = session.now_ms();
            let (exchange, document) = session.token(place("token"), request, began_ms + PATIENCE_MS).await;
            if let Some(token) = document.get("access_token").and_then(Value::as_str).filter(|token| !token.is_empty())
            {
                let seconds = document.get("expires_in").and_then(Value::as_u64);
                let seconds = seconds.and_then(|seconds| u32::try_from(seconds).ok()).map(f64::from);
                let ends_ms = seconds.map(|seconds| began_ms + seconds * 1000.0);
                self.token.replace(Some(Token { header: format!("Bearer {token}"), ends_ms }));
                self.fetched.set(self.fetched.get() + 1);
                self.worked.set(false);
                return Ok(());
            }
            if is_last || !matches!(exchange.status(), Some(400 | 401)) {
                return Err(session.mask(&refused(session, &exchange, &document)));
            }
        }
        Ok(())
    }
}

/// That credentials stay here until the user allows an origin.
#[must_use]
pub fn not_allowed(what: &str, origin: &str) -> String {
    format!(
        "{what} {origin}, another origin than the agent's address; no credentials are sent there until you allow \
         that origin (on the command line: --allow-origin {origin})"
    )
}

fn place(step: &'static str) -> Place<'static> {
    Place { lane: None, scenario: CREDENTIALS, step }
}

/// From where the card has tokens fetched.
async fn endpoint(session: &Session, asked: &[Asked]) -> Result<String, String> {
    let mut provider = None;
    for way in asked {
        match way {
            Asked::OAuth { token_url, .. } if !token_url.is_empty() => return Ok(token_url.clone()),
            Asked::OpenId { url } => provider = Some(url),
            _ => {}
        }
    }
    let Some(provider) = provider else {
        return Err("the card names no endpoint that gives out tokens; give its URL as well".to_owned());
    };
    let until_ms = session.now_ms() + PATIENCE_MS;
    let exchange =
        session.exchange(place("provider"), Request::get(provider.clone()), until_ms, &mut |_| Flow::Continue).await;
    let body = exchange.response.as_ref().map(|response| response.body.as_slice()).unwrap_or_default();
    let document = parse(body).value.unwrap_or_default();
    let found = document.get("token_endpoint").and_then(Value::as_str).map(str::to_owned);
    found
        .ok_or_else(|| format!("no token endpoint could be read at {provider}, where the card has its OpenID provider"))
}

/// Why no token came.
fn refused(session: &Session, exchange: &Exchange, document: &Value) -> String {
    let endpoint = &exchange.request.url;
    let Some(status) = exchange.status() else {
        if session.host.sight.network_errors == NetworkSight::Opaque {
            return format!(
                "the token endpoint {endpoint} gave this page no answer; mostly it does not let pages of other origins \
                 read it (CORS). Allow this page's origin there, or fetch a token in another way and give it as bearer \
                 token, or use the command line"
            );
        }
        return format!("the token endpoint {endpoint} gave no answer: {}", exchange.end.no_answer());
    };
    let said = |name: &str| document.get(name).and_then(Value::as_str).unwrap_or_default();
    format!(
        "the token endpoint {endpoint} gave no token: HTTP {status} {} {}",
        said("error"),
        said("error_description")
    )
    .trim_end()
    .to_owned()
}

fn is_of(value: &str, scheme: &str) -> bool {
    value.split_once(' ').is_some_and(|(found, _)| found.eq_ignore_ascii_case(scheme))
}

fn forged(which: Credentials, value: String) -> String {
    match (which, value.split_once(' ')) {
        (Credentials::Own, _) => value,
        (Credentials::Expired, Some((scheme, _))) if scheme.eq_ignore_ascii_case("bearer") => EXPIRED.to_owned(),
        (_, Some((scheme, _))) => format!("{scheme} {MADE_UP}"),
        (_, None) => MADE_UP.to_owned(),
    }
}

/// Whether two URLs lead to the same place as far as secrets go: the same origin, whatever name this machine has, or the
/// same host by https where http was agreed to.
fn same(known: &Url, other: &Url) -> bool {
    let here = |url: &Url| matches!(url.host.as_str(), "localhost" | "127.0.0.1" | "[::1]");
    let port = |url: &Url| url.port.unwrap_or(if url.scheme == "https" { 443 } else { 80 });
    let hosts = known.host == other.host || (here(known) && here(other));
    let safer = known.scheme == "http" && other.scheme == "https" && port(known) == 80 && port(other) == 443;
    hosts && ((known.scheme == other.scheme && port(known) == port(other)) || safer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn purse(headers: &[(&str, &str)], query: &[(&str, &str)]) -> Purse {
        let owned = |list: &[(&str, &str)]| list.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let options = Options { headers: owned(headers), query: owned(query), ..Options::default() };
        Purse::new(&options, "https://h.example/agent")
    }

    fn dressed(purse: &Purse, url: &str, which: Credentials) -> (String, Option<String>) {
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
        let header = |purse: &Purse, which| dressed(purse, "https://h.example/", which).1.unwrap_or_default();
        assert!(header(&bearer, Credentials::Expired).starts_with("Bearer eyJ"));
        assert!(header(&bearer, Credentials::Foreign).starts_with("Basic "));
        assert!(header(&basic, Credentials::Foreign).starts_with("Bearer "));
        assert!(header(&basic, Credentials::Wrong).starts_with("Basic a2a"));
        assert!(dressed(&keyed, "https://h.example/", Credentials::Wrong).0.ends_with(&format!("key={MADE_UP}")));
        assert_eq!(dressed(&keyed, "https://h.example/", Credentials::Foreign).0, "https://h.example/");
    }
}
