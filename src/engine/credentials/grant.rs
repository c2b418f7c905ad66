//! Getting tokens: the grants of OAuth 2.0, device codes included, the endpoints that the card names for them, and the sentence
//! when no token comes.

use std::cell::Cell;

use super::{CREDENTIALS, CredentialStore, FetchedToken, is_same_place, not_allowed};
use crate::engine::options::OAuthClient;
use crate::engine::security_schemes::{SecurityScheme, text};
use crate::engine::session::{RequestLabel, RequestTarget, Session, SessionEvent, StreamControl};
use crate::wire::exchange::Exchange;
use crate::wire::http::Request;
use crate::wire::json::{Value, parse};
use crate::wire::url::{Url, encode};

/// The media type of requests for tokens.
const FORM: &str = "application/x-www-form-urlencoded";
/// The longest token that is sent: no server takes a header of this size.
const LONGEST_TOKEN: usize = 16 * 1024;
/// How long a code can be confirmed if the server does not say (RFC 8628 §3.2 requires it to), in seconds.
const DEFAULT_CODE_LIFETIME: f64 = 600.0;
/// The pause between two questions whether a code was confirmed, unless the server asks for another (RFC 8628 §3.2), and
/// what a server that is asked too often adds to it (§3.5), in seconds.
const DEFAULT_POLL_INTERVAL: f64 = 5.0;

/// Where the first token of a run comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstToken {
    /// The user gave it; fetching is for the next one.
    Given,
    /// A person confirms a code (RFC 8628).
    Device,
    /// The client fetches it with its secret or its refresh token.
    Client,
}

/// The endpoints of an authorization server; empty where there is none.
#[derive(Default)]
struct Endpoints {
    token: String,
    device: String,
    /// The scopes that the card requires of a token from there.
    scopes: String,
}

/// Marks a fetch as under way until it is dropped.
struct FetchInProgress<'a>(&'a Cell<bool>);

impl<'a> FetchInProgress<'a> {
    fn begin(is_fetching: &'a Cell<bool>) -> Self {
        is_fetching.set(true);
        Self(is_fetching)
    }
}

impl Drop for FetchInProgress<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

/// Why no token came.
#[derive(Default)]
struct TokenError {
    /// The error code of the token endpoint (RFC 6749 §5.2, RFC 8628 §3.5); empty without one.
    code: String,
    /// A sentence for the user.
    message: String,
}

impl CredentialStore {
    /// Fetches the first token as soon as its endpoint is known: at once if the user named it, else from the schemes of the card (`None`
    /// before it is read). An error is a sentence for the user.
    pub async fn fetch_first_token(&self, session: &Session, schemes: Option<&[SecurityScheme]>) -> Result<(), String> {
        let Some(client) = self.client.as_ref().filter(|_| self.endpoint.borrow().is_empty()) else { return Ok(()) };
        let first = self.first_token(client);
        if first == FirstToken::Given && client.refresh.is_empty() {
            return Ok(());
        }
        let endpoints = match schemes {
            None if client.token_url.is_empty() || first == FirstToken::Device => return Ok(()),
            None => Endpoints { token: client.token_url.clone(), ..Endpoints::default() },
            Some(schemes) => match self.endpoints(session, client, schemes, first).await {
                Ok(endpoints) => endpoints,
                // There is a token; it only cannot be renewed.
                Err(_) if first == FirstToken::Given => return Ok(()),
                Err(why) => return Err(why),
            },
        };
        self.endpoint.replace(endpoints.token);
        self.required_scopes.replace(endpoints.scopes);
        match first {
            FirstToken::Given => Ok(()),
            FirstToken::Device => self.confirm(session, client, endpoints.device).await,
            FirstToken::Client => self.fetch(session).await,
        }
    }

    /// Fetches the second identity's first token. Where that fails, the calls of the first go on, and why is remembered.
    pub async fn fetch_second_token(&self, session: &Session, schemes: &[SecurityScheme]) {
        let Some(second) = &self.second else { return };
        let mut fetched = second.fetch_first_token(session, None).await;
        if fetched.is_ok() {
            fetched = second.fetch_first_token(session, Some(schemes)).await;
        }
        second.no_token.replace(fetched.err());
    }

    fn first_token(&self, client: &OAuthClient) -> FirstToken {
        if self.has_given_token() {
            FirstToken::Given
        } else if client.secret.is_empty() && client.refresh.is_empty() {
            FirstToken::Device
        } else {
            FirstToken::Client
        }
    }

    /// The endpoints to use, if the client's secrets may go there.
    async fn endpoints(
        &self,
        session: &Session,
        client: &OAuthClient,
        schemes: &[SecurityScheme],
        first: FirstToken,
    ) -> Result<Endpoints, String> {
        let mut found = endpoints_of_card(session, schemes, first).await?;
        if !client.token_url.is_empty() {
            found.token.clone_from(&client.token_url);
        }
        if first == FirstToken::Device && found.device.is_empty() {
            return Err(
                "without a client secret, a token comes from the device flow, and the card names no device flow; give \
                 the secret, or sign in and give the token"
                    .to_owned(),
            );
        }
        let typed = Url::parse(&client.token_url).ok();
        for endpoint in [&found.token, &found.device].into_iter().filter(|endpoint| !endpoint.is_empty()) {
            let url = Url::parse(endpoint)
                .map_err(|problem| format!("the token endpoint that the card names is not usable: {problem}"))?;
            if !self.may_go_to(endpoint) && !typed.as_ref().is_some_and(|typed| is_same_place(typed, &url)) {
                return Err(not_allowed("the card names a token endpoint at", &url.origin()));
            }
        }
        Ok(found)
    }

    /// Fetches a token with the refresh token, or else with the client's secret.
    pub(super) async fn fetch(&self, session: &Session) -> Result<(), String> {
        let Some(client) = &self.client else { return Ok(()) };
        let _fetching = FetchInProgress::begin(&self.is_fetching);
        // The refresh token stays in place meanwhile: other scenarios see by it that waiting for a new token makes sense.
        let refresh = self.refresh_token.borrow().clone();
        if !refresh.is_empty() {
            let grant = format!("grant_type=refresh_token&refresh_token={}", encode(&refresh));
            let error = self.request_token(session, client, &grant).await.err();
            // A server that gives out no new refresh token accepts the old one again (RFC 6749 §6).
            if error.is_some() {
                self.refresh_token.take();
            } else if self.refresh_token.borrow().is_empty() {
                self.refresh_token.replace(refresh);
            }
            match error {
                None => return Ok(()),
                // The client's own token would be for another account than the person's token that was given.
                Some(error) if client.secret.is_empty() || self.has_given_token() => return Err(error.message),
                Some(_) => {}
            }
        }
        if client.secret.is_empty() {
            return Err("a person would have to confirm again, which is not possible during the run".to_owned());
        }
        let grant = format!("grant_type=client_credentials{}", self.scope_parameter(client));
        self.request_token(session, client, &grant).await.map_err(|error| error.message)
    }

    /// Asks a person to confirm a code elsewhere, and waits for that (RFC 8628 §3).
    async fn confirm(&self, session: &Session, client: &OAuthClient, endpoint: String) -> Result<(), String> {
        let form = format!("client_id={}{}", encode(&client.id), self.scope_parameter(client));
        let began_ms = session.now_ms();
        let request = Request::post(endpoint, FORM, form);
        let (exchange, document) = session.fetch_token(label("code"), request, session.deadline_ms()).await;
        let [secret, code, url, complete] =
            ["device_code", "user_code", "verification_uri", "verification_uri_complete"]
                .map(|name| text(&document, name).to_owned());
        if secret.is_empty() || code.is_empty() || url.is_empty() {
            return Err(session.mask(&refusal(session, &exchange, &document)));
        }
        session.emit(SessionEvent::Confirm { whom: self.whom, url, complete, code });
        let lifetime = seconds(&document, "expires_in").unwrap_or(DEFAULT_CODE_LIFETIME);
        let until_ms = began_ms + 1000.0 * lifetime;
        let mut pause_ms = 1000.0 * seconds(&document, "interval").unwrap_or(DEFAULT_POLL_INTERVAL).max(1.0);
        let grant = format!(
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code={}",
            encode(&secret)
        );
        // The code may live longer than the run, and its server want longer pauses.
        while session.now_ms() + pause_ms < until_ms && session.exhausted().is_none() {
            if session.now_ms() + pause_ms >= session.run_ends_ms() {
                return Err("nobody confirmed the code within the time allowed for the whole run".to_owned());
            }
            session.host.clock.sleep(pause_ms).await;
            match self.request_token(session, client, &grant).await {
                Ok(()) => return Ok(()),
                Err(error) => match error.code.as_str() {
                    "authorization_pending" => {}
                    "slow_down" => pause_ms += 1000.0 * DEFAULT_POLL_INTERVAL,
                    _ => return Err(error.message),
                },
            }
        }
        Err("the code expired before anybody confirmed it".to_owned())
    }

    /// Asks the token endpoint, and keeps the token that it answers.
    async fn request_token(&self, session: &Session, client: &OAuthClient, grant: &str) -> Result<(), TokenError> {
        let mut error = TokenError::default();
        for (body, header) in token_forms(client, grant) {
            let mut request = Request::post(self.endpoint.borrow().clone(), FORM, body);
            if let Some(header) = header {
                request.headers.replace("Authorization", header);
            }
            let began_ms = session.now_ms();
            let (exchange, document) = session.fetch_token(label("token"), request, session.deadline_ms()).await;
            let token = text(&document, "access_token");
            if !token.is_empty() {
                if let Some(why) = unusable(token, text(&document, "token_type")) {
                    let message = format!("the token endpoint {} returned a token that {why}", exchange.request.url);
                    return Err(TokenError { message: session.mask(&message), ..TokenError::default() });
                }
                self.keep_token(&document, began_ms);
                return Ok(());
            }
            error = TokenError {
                code: text(&document, "error").to_owned(),
                message: session.mask(&refusal(session, &exchange, &document)),
            };
            // The client was perhaps not recognised, so that another way of naming it is worth a try.
            let may_be_unknown = matches!(error.code.as_str(), "" | "invalid_client" | "invalid_request");
            if !may_be_unknown || !matches!(exchange.status(), Some(400 | 401)) {
                break;
            }
        }
        Err(error)
    }

    /// The scopes that were typed, or else those that the card requires.
    fn scope_parameter(&self, client: &OAuthClient) -> String {
        let required = self.required_scopes.borrow();
        let scopes = if client.scope.is_empty() { required.as_str() } else { client.scope.as_str() };
        if scopes.is_empty() { String::new() } else { format!("&scope={}", encode(scopes)) }
    }

    /// Uses the token of a document from now on.
    fn keep_token(&self, document: &Value, began_ms: f64) {
        let expires_ms = seconds(document, "expires_in").map(|seconds| began_ms + seconds * 1000.0);
        let header = format!("Bearer {}", text(document, "access_token"));
        self.token.replace(Some(FetchedToken { header, expires_ms }));
        self.refresh_token.replace(text(document, "refresh_token").to_owned());
        self.fetched.set(self.fetched.get() + 1);
        self.accepted.set(0);
    }
}

/// Why a token cannot be sent, as the end of a sentence: it goes into a header as it is (RFC 6750 §2.1).
fn unusable(token: &str, kind: &str) -> Option<String> {
    // RFC 6749 §7.1: who does not understand the type must not use the token. Servers have many words for Bearer, or none.
    if ["DPoP", "PoP", "mac", "N_A"].iter().any(|other| other.eq_ignore_ascii_case(kind)) {
        return Some(format!("cannot be sent: it is of the type {kind}, and no bearer token"));
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Some("cannot be sent: it has a character that a bearer token cannot have".to_owned());
    }
    let length = token.len();
    (length > LONGEST_TOKEN)
        .then(|| format!("cannot be sent: it has {length} bytes, and {LONGEST_TOKEN} is the most for a header"))
}

/// The requests with which to ask for a token, in order: a body, and for some a header Authorization. The client is named in
/// the body first, because a page then needs no preflight; some servers recognise clients by the header only.
fn token_forms(client: &OAuthClient, grant: &str) -> Vec<(String, Option<String>)> {
    let named = format!("{grant}&client_id={}", encode(&client.id));
    if client.secret.is_empty() {
        return vec![(named, None)];
    }
    vec![
        (format!("{named}&client_secret={}", encode(&client.secret)), None),
        (grant.to_owned(), Some(format!("Basic {}", client.basic_credentials()))),
    ]
}

/// A number of seconds in an answer.
fn seconds(document: &Value, name: &str) -> Option<f64> {
    let seconds = document.get(name).and_then(Value::as_u64)?;
    u32::try_from(seconds).ok().map(f64::from)
}

fn label(step: &'static str) -> RequestLabel<'static> {
    RequestLabel::new(RequestTarget::AuthorizationServer, CREDENTIALS, step, "the authorisation server")
}

/// The endpoints of the card's first flow that fits, or else of its OpenID provider.
async fn endpoints_of_card(
    session: &Session,
    schemes: &[SecurityScheme],
    first: FirstToken,
) -> Result<Endpoints, String> {
    let mut provider = None;
    for scheme in schemes {
        match scheme {
            SecurityScheme::OAuth { token_url, device_url, scopes, .. }
                if !token_url.is_empty() && (first != FirstToken::Device || !device_url.is_empty()) =>
            {
                return Ok(Endpoints { token: token_url.clone(), device: device_url.clone(), scopes: scopes.clone() });
            }
            SecurityScheme::OpenId { url, scopes } => provider = Some((url, scopes)),
            _ => {}
        }
    }
    let Some((provider, scopes)) = provider else {
        if first == FirstToken::Device {
            return Ok(Endpoints::default());
        }
        return Err("the card names no token endpoint; give its URL as well".to_owned());
    };
    let request = Request::get(provider.clone());
    let exchange =
        session.exchange(label("provider"), request, session.deadline_ms(), &mut |_| StreamControl::Continue).await;
    let body = exchange.response.as_ref().map(|response| response.body.as_slice()).unwrap_or_default();
    let document = parse(body).value.unwrap_or_default();
    let token = text(&document, "token_endpoint").to_owned();
    if token.is_empty() {
        return Err(format!(
            "no token endpoint was found at {provider}, where the card places the description of its authorization server"
        ));
    }
    let device = text(&document, "device_authorization_endpoint").to_owned();
    Ok(Endpoints { token, device, scopes: scopes.clone() })
}

/// Why no token came, in a sentence for the user.
fn refusal(session: &Session, exchange: &Exchange, document: &Value) -> String {
    let endpoint = &exchange.request.url;
    let Some(status) = exchange.status() else {
        if session.host.visibility.is_limited_by_cors {
            return format!(
                "the token endpoint {endpoint} did not answer this page, most likely because it does not let pages of \
                 other origins read its answers (CORS). Allow this page's origin there, or get a token in another way \
                 and give it as bearer token, or use the command line"
            );
        }
        return format!("the token endpoint {endpoint} did not answer: {}", exchange.end.no_answer());
    };
    let said = format!("{} {}", text(document, "error"), text(document, "error_description"));
    let why = exchange.end.cut().map_or(said, |why| format!("({why})"));
    format!("the token endpoint {endpoint} returned no token: HTTP {status} {why}").trim_end().to_owned()
}
