//! The ports to the outside: a transport, a clock, fresh ids, and what a host can see. One file per host, chosen here.

use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::{LocalBoxStream, iter};

use crate::wire::exchange::{End, Response, TransportError};
use crate::wire::http::{Request, ResponseHead};
use crate::wire::json::Value;

pub mod beacon;
#[cfg(all(feature = "native-host", not(target_arch = "wasm32")))]
pub mod native;
pub mod probe;
pub mod replay;
pub mod virtual_clock;
#[cfg(all(feature = "web-host", target_arch = "wasm32"))]
pub mod web;
pub mod webhooks;

/// An answer that is waited for: its head, and its body still arriving; or that no HTTP answer came.
pub type PendingResponse = LocalBoxFuture<'static, Result<StreamedResponse, TransportError>>;

/// The chunks of a body. An error ends it: the text says how the connection broke.
pub type BodyStream = LocalBoxStream<'static, Result<Vec<u8>, String>>;

/// Sends a request. Dropping the future, or the stream of an answer's body, aborts the request.
pub trait Transport {
    /// Sends the request and answers as soon as the head of the response is there. Any HTTP status is an answer.
    fn send(&self, request: Request) -> PendingResponse;

    /// The same, for a transport that has to know where in a run the request belongs.
    fn send_for(&self, _purpose: RequestPurpose<'_>, request: Request) -> PendingResponse {
        self.send(request)
    }

    /// How an answer ended whose body ended with this error: for a transport that repeats how another one did.
    fn end_of(&self, detail: String, _response: &mut Response) -> End {
        End::Broken(detail)
    }
}

/// Where in a run a request belongs.
#[derive(Debug, Clone, Copy)]
pub struct RequestPurpose<'a> {
    /// The scenario.
    pub scenario: &'a str,
    /// Its step.
    pub step: &'a str,
    /// The lane; `None` for the card.
    pub lane: Option<&'a str>,
}

/// The head of a response and its body, still arriving.
pub struct StreamedResponse {
    /// Status, headers, final URL.
    pub head: ResponseHead,
    /// The body's chunks in order. The trailers of an answer over gRPC come as the last one, in the form that gRPC-Web gives them.
    pub body: BodyStream,
}

impl StreamedResponse {
    /// A response whose whole body is there.
    #[must_use]
    pub fn whole(head: ResponseHead, body: Vec<u8>) -> Self {
        Self { head, body: iter((!body.is_empty()).then_some(Ok(body))).boxed_local() }
    }

    /// The head, and the body as far as it came.
    pub async fn collected(self) -> (ResponseHead, Vec<u8>) {
        let chunks: Vec<_> = self.body.filter_map(async |chunk| chunk.ok()).collect().await;
        (self.head, chunks.concat())
    }
}

/// Time. Milliseconds throughout; a browser's clock is not throttled in a hidden tab.
pub trait Clock {
    /// Milliseconds from an arbitrary start, never going back.
    fn now_ms(&self) -> f64;
    /// Milliseconds since 1970-01-01T00:00:00Z.
    fn wall_ms(&self) -> f64;
    /// Completes after that many milliseconds; dropping it cancels it.
    fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()>;
}

/// Makes ids.
pub trait IdSource {
    /// An id that was never used before: a UUID outside tests.
    fn fresh(&self) -> String;
}

/// Verifies signatures.
pub trait Verifier {
    /// Whether these bytes bear this signature by the key of a JSON Web Key, under an algorithm of JSON Web Signatures.
    /// The error says why this host cannot tell: it does not know the algorithm, or cannot use the key.
    fn verify(&self, signed: Signed) -> LocalBoxFuture<'static, Result<bool, String>>;
}

/// A signature, and what is needed to verify it.
#[derive(Debug, Clone)]
pub struct Signed {
    /// `alg` of the protected header.
    pub algorithm: String,
    /// The key.
    pub key: Value,
    /// The bytes that were signed.
    pub bytes: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
}

/// The parts of an exchange that a host lets us observe. A check that needs more is *not observable*, never failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Visibility {
    /// Whether CORS limits it, as in a browser: the response headers are those of its safelist and those the agent exposes (Fetch
    /// §CORS-safelisted response-header name), and when no answer comes no cause is told. An answer that is withheld looks like none.
    pub is_limited_by_cors: bool,
    /// Whether trailers are visible. Without them gRPC is possible only as gRPC-Web.
    pub trailers: bool,
}

impl Visibility {
    /// A native program sees everything HTTP shows.
    pub const FULL: Self = Self { is_limited_by_cors: false, trailers: true };
    /// A page sees what CORS lets it see.
    pub const PAGE: Self = Self { is_limited_by_cors: true, trailers: false };
}

/// Everything a run needs of its host.
#[derive(Clone)]
pub struct Host {
    /// Sends requests.
    pub transport: Rc<dyn Transport>,
    /// Tells and waits for time.
    pub clock: Rc<dyn Clock>,
    /// Makes ids.
    pub ids: Rc<dyn IdSource>,
    /// Verifies signatures.
    pub verifier: Rc<dyn Verifier>,
    /// The capabilities of this host.
    pub visibility: Visibility,
    /// Finds out why nothing was seen, where the host does not say so itself.
    pub prober: Option<Rc<dyn probe::Prober>>,
    /// Receives push notifications, where agents can reach this host.
    pub webhooks: Option<Rc<dyn webhooks::WebhookReceiver>>,
    /// An agent of ours that others are told to call, where agents can reach this host.
    pub beacon: Option<Rc<dyn beacon::Beacon>>,
}

/// Random UUIDs.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIdSource;

impl IdSource for RandomIdSource {
    fn fresh(&self) -> String {
        uuid::Uuid::new_v4().to_string()
    }
}
