//! The native host: reqwest on a single-threaded tokio, its `User-Agent`, how long connecting may take, and which redirects are
//! followed. It sees every header and the cause of every failure.

pub mod certificate;
mod connections;
mod content_coding;
mod decoder;
mod failure;
mod probing;
pub mod proxy;
pub mod settings;
mod settings_error;
pub mod tls;
mod verifier;

use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures_util::StreamExt;
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::poll_fn;
use hyper::body::Body as _;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, ClientBuilder, Proxy, Response, Url};

pub use connections::Connections;
use failure::plain;
use settings::{ConnectionSettings, SettingsError};
pub use verifier::RingVerifier;

use super::{BodyStream, Clock, Host, PendingResponse, RandomIdSource, StreamedResponse, Transport, Visibility};
use crate::wire::exchange::{TransportError, TransportErrorKind};
use crate::wire::grpc::{is_grpc, trailers_frame};
use crate::wire::http::{Headers, Request, ResponseHead};
use crate::wire::invisible::visible;
use crate::wire::limits::MOST_REDIRECTS;

/// The `User-Agent` of every request that has none of its own.
pub const USER_AGENT: &str = concat!("a2a-conformance/", env!("CARGO_PKG_VERSION"));

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How many characters of a redirect's target are told.
const LONGEST_LOCATION: usize = 200;

/// The host of the command line. Its transport and clock work inside [`block_on`] only.
#[must_use]
pub fn host() -> Host {
    host_with(&ConnectionSettings::default())
        .map_or_else(|problem| host_of(Rc::new(BrokenTransport(problem.to_string()))), |(host, _)| host)
}

/// The host of the command line with connections that are made so, and what becomes known of them. An error when the settings cannot be used.
pub fn host_with(settings: &ConnectionSettings) -> Result<(Host, Rc<Connections>), SettingsError> {
    let transport = ReqwestTransport::new(settings)?;
    let connections = Rc::clone(&transport.connections);
    Ok((host_of(Rc::new(transport)), connections))
}

fn host_of(transport: Rc<dyn Transport>) -> Host {
    Host {
        transport,
        clock: Rc::new(SystemClock { start: Instant::now() }),
        ids: Rc::new(RandomIdSource),
        verifier: Rc::new(RingVerifier),
        visibility: Visibility::FULL,
        prober: None,
        webhooks: None,
        beacon: None,
    }
}

/// Runs a future to its end on this thread, together with what it spawns by `spawn_local`. Panics when the operating system gives no event
/// queue: then no program of this kind can do anything.
#[expect(clippy::expect_used, reason = "without an event queue there is nothing that could be done or reported")]
pub fn block_on<F: Future>(future: F) -> F::Output {
    // Clocks are looked at after each turn of a task: an agent that floods a connection keeps its task busy, and 61 such turns, which
    // is the default, may take longer than any time limit.
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().event_interval(1).build().expect("the system's event queue");
    tokio::task::LocalSet::new().block_on(&runtime, future)
}

/// Answers every request with why no client could be made.
struct BrokenTransport(String);

impl Transport for BrokenTransport {
    fn send(&self, _: Request) -> PendingResponse {
        let detail = self.0.clone();
        Box::pin(ready(Err(TransportError { kind: TransportErrorKind::Other, detail })))
    }
}

/// Sends by reqwest. Its clients are made once.
struct ReqwestTransport {
    /// Over TLS it speaks HTTP/2 with servers that offer it, and HTTP/1.1 with all others.
    client: Client,
    /// The client for gRPC, which is HTTP/2 from the first byte.
    grpc: Client,
    connections: Rc<Connections>,
    leaves_redirects: bool,
}

impl ReqwestTransport {
    fn new(settings: &ConnectionSettings) -> Result<Self, SettingsError> {
        let record = Arc::default();
        let client = |protocols: &[&str], version: fn(ClientBuilder) -> ClientBuilder| {
            let tls = tls::client_config(settings, protocols, &record)?;
            let redirects = if settings.leaves_redirects { Policy::none() } else { Policy::custom(follow) };
            let builder = version(client_builder(settings).redirect(redirects));
            let built = builder.tls_backend_preconfigured(tls).build();
            built.map_err(|error| SettingsError::Client(plain(&error)))
        };
        Ok(Self {
            client: client(&["h2", "http/1.1"], std::convert::identity)?,
            grpc: client(&["h2"], ClientBuilder::http2_prior_knowledge)?,
            connections: Rc::new(Connections::new(settings, record, CONNECT_TIMEOUT.as_secs())),
            leaves_redirects: settings.leaves_redirects,
        })
    }
}

impl Transport for ReqwestTransport {
    fn send(&self, request: Request) -> PendingResponse {
        let is_grpc = is_grpc(&request.headers);
        let client = if is_grpc { self.grpc.clone() } else { self.client.clone() };
        let connections = Rc::clone(&self.connections);
        let leaves_redirects = self.leaves_redirects;
        Box::pin(async move {
            let url = Url::parse(&request.url).map_err(|error| bad_url(&error.to_string()))?;
            if !matches!(url.scheme(), "http" | "https") {
                return Err(bad_url(&format!("the scheme {} cannot be requested", url.scheme())));
            }
            connections.note_request(&url);
            let headers = header_map(&request.headers)?;
            // Each of our methods is one of reqwest's.
            let method = request.method.as_str().parse().unwrap_or_default();
            let mut sending = client.request(method, url.clone()).headers(headers);
            if let Some(body) = request.body {
                sending = sending.body(body);
            }
            let response = match sending.send().await {
                Ok(response) => response,
                Err(error) => return Err(connections.explain(&error, &url).await),
            };
            connections.look_at_answer(response.status().as_u16(), &url).await?;
            if let Some(to) = led_nowhere(&response).filter(|_| !leaves_redirects) {
                let detail = format!(
                    "redirected to {to}, which is not a valid http or https address; the redirect was not followed"
                );
                return Err(TransportError { kind: TransportErrorKind::Redirect, detail });
            }
            let head = head(&response, url);
            if is_grpc {
                return Ok(StreamedResponse { head, body: with_trailers(response) });
            }
            let body = response.bytes_stream().map(|chunk| match chunk {
                Ok(bytes) => Ok(bytes.to_vec()),
                Err(error) => Err(plain(&error)),
            });
            let body = content_coding::decoded(&head.headers, Box::pin(body));
            Ok(StreamedResponse { head, body })
        })
    }
}

/// The body of an answer over gRPC, and its trailers in the form of gRPC-Web.
fn with_trailers(response: Response) -> BodyStream {
    let response: http::Response<reqwest::Body> = response.into();
    let mut body = Box::pin(response.into_body());
    let frames = poll_fn(move |context| body.as_mut().poll_frame(context));
    Box::pin(frames.map(|frame| match frame.map(|frame| frame.into_data().map_err(|frame| frame.into_trailers())) {
        Ok(Ok(bytes)) => Ok(bytes.to_vec()),
        Ok(Err(trailers)) => Ok(trailers_frame(&trailers.map(|fields| fields_of(&fields)).unwrap_or_default())),
        Err(error) => Err(plain(&error)),
    }))
}

/// Tokio's timer and the system's clocks.
struct SystemClock {
    start: Instant,
}

impl Clock for SystemClock {
    fn now_ms(&self) -> f64 {
        self.start.elapsed().as_secs_f64() * 1000.0
    }

    fn wall_ms(&self) -> f64 {
        // No real clock shows a time before 1970, so that 0 is better than a second kind of failure.
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64() * 1000.0)
    }

    fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        // A time beyond all clocks is a long one, and not none: who asks again after it would never pause.
        let longest = if ms > 0.0 { Duration::MAX } else { Duration::ZERO };
        let time = Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(longest);
        Box::pin(tokio::time::sleep(time))
    }
}

fn client_builder(settings: &ConnectionSettings) -> ClientBuilder {
    let proxies = settings.proxies.clone();
    Client::builder()
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT_TIMEOUT)
        .referer(false)
        // The environment's are among the settings, where they are to be used.
        .no_proxy()
        .proxy(Proxy::custom(move |url| proxies.proxy_of(url).cloned()))
        // Each exchange has its own connection: an idle one that the agent closes in the very moment of the next
        // request looks like an agent that hangs up, and would be held against it.
        .pool_max_idle_per_host(0)
}

/// Follows within the origin. Beyond it the user's credentials must not go, and another server would be judged.
fn follow(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let previous = attempt.previous();
    let same_origin = previous.first().is_some_and(|first| first.origin() == attempt.url().origin());
    if !same_origin {
        let to = attempt.url().to_string();
        attempt.error(format!("redirected to {to}, another origin; the redirect was not followed"))
    } else if previous.len() > MOST_REDIRECTS {
        attempt.error(format!("redirected more than {MOST_REDIRECTS} times"))
    } else {
        attempt.follow()
    }
}

/// Where an answer leads that would have been followed if that were an address: `file:` and the like are none (Fetch §4.4).
fn led_nowhere(response: &Response) -> Option<String> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(http::header::LOCATION).filter(|_| is_redirect)?;
    let shown: String = String::from_utf8_lossy(location.as_bytes()).chars().take(LONGEST_LOCATION).collect();
    Some(visible(&shown).into_owned())
}

fn header_map(headers: &Headers) -> Result<HeaderMap, TransportError> {
    let mut map = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers.iter() {
        // The value may be a secret, so the detail names the field only.
        let refuse =
            |_| TransportError { kind: TransportErrorKind::Other, detail: format!("the header {name} cannot be sent") };
        let field = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refuse(()))?;
        map.append(field, HeaderValue::from_str(value).map_err(|_| refuse(()))?);
    }
    Ok(map)
}

fn head(response: &Response, mut asked: Url) -> ResponseHead {
    asked.set_fragment(None);
    ResponseHead {
        status: response.status().as_u16(),
        headers: fields_of(response.headers()),
        url: response.url().to_string(),
        redirected: *response.url() != asked,
    }
}

fn fields_of(fields: &HeaderMap) -> Headers {
    // Fetch §5.6: bytes of a field value are characters of the same number, as in a browser.
    let text = |value: &HeaderValue| value.as_bytes().iter().map(|byte| char::from(*byte)).collect::<String>();
    fields.iter().map(|(name, value)| (name.as_str(), text(value))).collect()
}

fn bad_url(detail: &str) -> TransportError {
    TransportError { kind: TransportErrorKind::BadUrl, detail: detail.to_owned() }
}
