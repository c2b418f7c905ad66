//! Getting tokens: the grants of OAuth 2.0 by which a run gets its own, and where the card has them fetched.

use std::cell::Cell;

use super::{CREDENTIALS, CredentialStore, FetchedToken, OAuthClient, not_allowed, pair, same};
use crate::engine::event::Event;
use crate::engine::security_schemes::SecurityScheme;
use crate::engine::session::{RequestLabel, Session, StreamControl};
use crate::host::NetworkVisibility;
use crate::wire::exchange::Exchange;
use crate::wire::http::Request;
use crate::wire::json::{Value, parse};
use crate::wire::url::{Url, encode};

/// The media type of requests for tokens.
const FORM: &str = "application/x-www-form-urlencoded";

/// Fetching, while it lives.
struct FetchInProgress<'a>(&'a Cell<bool>);

impl Drop for FetchInProgress<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

impl CredentialStore {
    /// Fetches the first token, once it is known from where: at once when the user said so, else when the card was read.
    ///
    /// # Errors
    /// Why there is none, in a sentence for the user.
    pub async fn begin(&self, session: &Session, asked: Option<&[SecurityScheme]>) -> Result<(), String> {
        let Some(client) = self.client.as_ref().filter(|_| self.endpoint.borrow().is_empty()) else { return Ok(()) };
        let has_token = self.has_token();
        if has_token && client.refresh.is_empty() {
            return Ok(());
        }
        let confirms = !has_token && client.secret.is_empty() && client.refresh.is_empty();
        let (found, device) = match asked {
            None if client.token_url.is_empty() || confirms => return Ok(()),
            None => (client.token_url.clone(), String::new()),
            Some(asked) => match self.endpoints(session, client, asked, confirms).await {
                Ok(found) => found,
                // There is a token; it only cannot be renewed.
                Err(_) if has_token => return Ok(()),
                Err(why) => return Err(why),
            },
        };
        self.endpoint.replace(found);
        match (has_token, confirms) {
            (true, _) => Ok(()),
            (false, true) => self.confirm(session, client, device).await,
            (false, false) => self.fetch(session).await,
        }
    }

    /// The endpoints that give out tokens and codes, as far as credentials may go there.
    async fn endpoints(
        &self,
        session: &Session,
        client: &OAuthClient,
        asked: &[SecurityScheme],
        confirms: bool,
    ) -> Result<(String, String), String> {
        let (mut token, device) = endpoints(session, asked, confirms).await?;
        if !client.token_url.is_empty() {
            token.clone_from(&client.token_url);
        }
        if confirms && device.is_empty() {
            return Err(
                "without a client secret, a token comes from the device flow, and the card names no device flow; give \
                 the secret, or sign in and give the token"
                    .to_owned(),
            );
        }
        let typed = Url::parse(&client.token_url).ok();
        for found in [&token, &device].into_iter().filter(|found| !found.is_empty()) {
            let url = Url::parse(found)
                .map_err(|problem| format!("the token endpoint that the card names is not usable: {problem}"))?;
            if !self.may_go_to(found) && !typed.as_ref().is_some_and(|typed| same(typed, &url)) {
                return Err(not_allowed("the card names a token endpoint at", &url.origin()));
            }
        }
        Ok((token, device))
    }

    pub(super) async fn fetch(&self, session: &Session) -> Result<(), String> {
        let Some(client) = &self.client else { return Ok(()) };
        self.fetching.set(true);
        let _fetching = FetchInProgress(&self.fetching);
        // It stays until there is another: who is refused meanwhile sees by it that waiting is worth while.
        let refresh = self.refresh.borrow().clone();
        if !refresh.is_empty() {
            let grant = format!("grant_type=refresh_token&refresh_token={}", encode(&refresh));
            let refused = self.ask(session, client, &grant).await.err();
            // A server that gives no other one lets the old one be used again (RFC 6749 §6).
            if refused.is_some() {
                self.refresh.take();
            } else if self.refresh.borrow().is_empty() {
                self.refresh.replace(refresh);
            }
            match refused {
                None => return Ok(()),
                // The client itself may be somebody else than the person whose token it was.
                Some(refusal) if client.secret.is_empty() || self.has_token() => return Err(refusal.why),
                Some(_) => {}
            }
        }
        if client.secret.is_empty() {
            return Err("a person would have to confirm again, which is not possible during the run".to_owned());
        }
        let grant = format!("grant_type=client_credentials{}", scope(client));
        self.ask(session, client, &grant).await.map_err(|refusal| refusal.why)
    }

    /// Asks a person to agree elsewhere, and waits for that (RFC 8628 §3).
    async fn confirm(&self, session: &Session, client: &OAuthClient, device: String) -> Result<(), String> {
        let form = format!("client_id={}{}", encode(&client.id), scope(client));
        let began_ms = session.now_ms();
        let request = Request::post(device, FORM, form);
        let (exchange, document) = session.token(place("code"), request, session.deadline_ms()).await;
        let kind = |name: &str| document.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let [secret, code, url] = ["device_code", "user_code", "verification_uri"].map(kind);
        if secret.is_empty() || code.is_empty() || url.is_empty() {
            return Err(session.mask(&refused(session, &exchange, &document)));
        }
        session.emit(Event::Confirm { url, complete: kind("verification_uri_complete"), code });
        let until_ms = began_ms + 1000.0 * seconds(&document, "expires_in").unwrap_or(600.0);
        let mut pause_ms = 1000.0 * seconds(&document, "interval").unwrap_or(5.0).max(1.0);
        let grant = format!(
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code={}",
            encode(&secret)
        );
        // However long the code holds, the run has an end.
        while session.now_ms() + pause_ms < until_ms && session.over().is_none() {
            session.host.clock.sleep(pause_ms).await;
            match self.ask(session, client, &grant).await {
                Ok(()) => return Ok(()),
                Err(refusal) if refusal.code == "authorization_pending" => {}
                Err(refusal) if refusal.code == "slow_down" => pause_ms += 5000.0,
                Err(refusal) => return Err(refusal.why),
            }
        }
        Err("the code expired before anybody confirmed it".to_owned())
    }

    /// Asks the token endpoint.
    async fn ask(&self, session: &Session, client: &OAuthClient, grant: &str) -> Result<(), TokenError> {
        // In the body first: a page then needs no leave to ask. Some servers know clients by the header only.
        let whole = format!("{grant}&client_id={}", encode(&client.id));
        let (whole, pair) = match client.secret.as_str() {
            "" => (whole, None),
            secret => (format!("{whole}&client_secret={}", encode(secret)), Some(format!("Basic {}", pair(client)))),
        };
        let mut forms = vec![(whole, None)];
        forms.extend(pair.map(|pair| (grant.to_owned(), Some(pair))));
        let mut refusal = TokenError::default();
        for (body, header) in forms {
            let mut request = Request::post(self.endpoint.borrow().clone(), FORM, body);
            if let Some(header) = header {
                request.headers.replace("Authorization", header);
            }
            let began_ms = session.now_ms();
            let (exchange, document) = session.token(place("token"), request, session.deadline_ms()).await;
            let kind = |name: &str| document.get(name).and_then(Value::as_str).unwrap_or_default();
            let token = kind("access_token");
            if !token.is_empty() {
                let ends_ms = seconds(&document, "expires_in").map(|seconds| began_ms + seconds * 1000.0);
                self.token.replace(Some(FetchedToken { header: format!("Bearer {token}"), ends_ms }));
                self.refresh.replace(kind("refresh_token").to_owned());
                self.fetched.set(self.fetched.get() + 1);
                self.good.set(0);
                return Ok(());
            }
            refusal = TokenError {
                code: kind("error").to_owned(),
                why: session.mask(&refused(session, &exchange, &document)),
            };
            // Only who did not know the client may know it by the header.
            let unknown = matches!(refusal.code.as_str(), "" | "invalid_client" | "invalid_request");
            if !unknown || !matches!(exchange.status(), Some(400 | 401)) {
                break;
            }
        }
        Err(refusal)
    }
}

/// Why no token came.
#[derive(Default)]
struct TokenError {
    /// The server's word for it (RFC 6749 §5.2, RFC 8628 §3.5); empty without one.
    code: String,
    /// A sentence for the user.
    why: String,
}

fn scope(client: &OAuthClient) -> String {
    if client.scope.is_empty() { String::new() } else { format!("&scope={}", encode(&client.scope)) }
}

/// A number of seconds in an answer.
fn seconds(document: &Value, name: &str) -> Option<f64> {
    let seconds = document.get(name).and_then(Value::as_u64)?;
    u32::try_from(seconds).ok().map(f64::from)
}

fn place(step: &'static str) -> RequestLabel<'static> {
    RequestLabel { lane: None, scenario: CREDENTIALS, step }
}

/// From where the card has tokens and codes fetched.
async fn endpoints(session: &Session, asked: &[SecurityScheme], confirms: bool) -> Result<(String, String), String> {
    let mut provider = None;
    for way in asked {
        match way {
            SecurityScheme::OAuth { token_url, device_url, .. }
                if !token_url.is_empty() && (!confirms || !device_url.is_empty()) =>
            {
                return Ok((token_url.clone(), device_url.clone()));
            }
            SecurityScheme::OpenId { url } => provider = Some(url),
            _ => {}
        }
    }
    let Some(provider) = provider else {
        if confirms {
            return Ok(Default::default());
        }
        return Err("the card names no token endpoint; give its URL as well".to_owned());
    };
    let until_ms = session.deadline_ms();
    let exchange = session
        .exchange(place("provider"), Request::get(provider.clone()), until_ms, &mut |_| StreamControl::Continue)
        .await;
    let body = exchange.response.as_ref().map(|response| response.body.as_slice()).unwrap_or_default();
    let document = parse(body).value.unwrap_or_default();
    let found = |name: &str| document.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match found("token_endpoint") {
        found if found.is_empty() => {
            Err(format!("no token endpoint was found at {provider}, which the card names as its OpenID provider"))
        }
        token => Ok((token, found("device_authorization_endpoint"))),
    }
}

/// Why no token came.
fn refused(session: &Session, exchange: &Exchange, document: &Value) -> String {
    let endpoint = &exchange.request.url;
    let Some(status) = exchange.status() else {
        if session.host.visibility.network_errors == NetworkVisibility::Opaque {
            return format!(
                "the token endpoint {endpoint} did not answer this page, most likely because it does not let pages of \
                 other origins read its answers (CORS). Allow this page's origin there, or get a token in another way \
                 and give it as bearer token, or use the command line"
            );
        }
        return format!("the token endpoint {endpoint} did not answer: {}", exchange.end.no_answer());
    };
    let kind = |name: &str| document.get(name).and_then(Value::as_str).unwrap_or_default();
    format!(
        "the token endpoint {endpoint} returned no token: HTTP {status} {} {}",
        kind("error"),
        kind("error_description")
    )
    .trim_end()
    .to_owned()
}
