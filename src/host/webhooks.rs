//! The port for push notifications that arrive: URLs of ours that an agent can call, how they answer, and what came there.

use futures_util::future::LocalBoxFuture;

use crate::wire::http::{Method, Request};
use crate::wire::json::{Value, parse};
use crate::wire::url::decode;

/// Receives push notifications. A webhook is known by its name, and there is no end of them.
pub trait WebhookReceiver {
    /// Whether the user says that the agent reaches it. Otherwise an agent in a container may not.
    fn is_reachable(&self) -> bool;

    /// Begins a run: webhooks have other URLs from now on, and nothing has arrived there.
    fn renew(&self);

    /// The URL of a webhook, or why nothing can listen there. The first call begins to listen.
    fn url(&self, name: &str) -> LocalBoxFuture<'static, Result<String, String>>;

    /// How a webhook answers from now on; without a word it accepts everything.
    fn answer(&self, name: &str, answer: WebhookAnswer);

    /// What has arrived at a webhook so far, in order.
    fn received(&self, name: &str) -> Vec<ReceivedRequest>;

    /// Whether somebody asked it to repeat a validation token, which is not a notification.
    fn is_validated(&self, name: &str) -> bool;
}

/// The status of the answer to a notification for which there is no room. The first of them is kept, without what it says.
pub const NO_ROOM: u16 = 429;

/// How a webhook answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WebhookAnswer {
    /// With 200.
    #[default]
    Accept,
    /// With 500 the first time, and with 200 from then on.
    FailOnce,
    /// With 401.
    Deny,
    /// Not at all.
    Hang,
    /// With 404 to whoever asks it to repeat a validation token, and with 200 to notifications.
    Disown,
}

/// The validation token that a request asks a webhook to repeat (0.3, streaming and asynchronous operations: in the query or a
/// header of a GET or an OPTIONS).
#[must_use]
pub fn validation_token(request: &Request) -> Option<String> {
    if !matches!(request.method, Method::Get | Method::Options) {
        return None;
    }
    let in_header = || request.headers.get("validationtoken").or_else(|| request.headers.get("x-validation-token"));
    let (_, query) = request.url.split_once('?').unwrap_or_default();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let in_query = pairs.into_iter().find(|(name, _)| *name == "validationToken").map(|(_, value)| decode(value));
    in_query.or_else(|| in_header().map(str::to_owned))
}

impl WebhookAnswer {
    /// The status of the answer to a request that comes after so many others; `None` for no answer.
    #[must_use]
    pub const fn status(self, earlier: usize) -> Option<u16> {
        match self {
            Self::FailOnce if earlier == 0 => Some(500),
            Self::Accept | Self::FailOnce | Self::Disown => Some(200),
            Self::Deny => Some(401),
            Self::Hang => None,
        }
    }
}

/// A request that arrived at a webhook.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// When, on the host's clock.
    pub arrived_ms: f64,
    /// The request.
    pub request: Request,
    /// The status that it was answered with; `None` for no answer.
    pub status: Option<u16>,
}

impl ReceivedRequest {
    /// Whether it can be a notification, by its method.
    #[must_use]
    pub const fn is_notification(&self) -> bool {
        Self::is_notification_by(self.request.method)
    }

    /// Whether a request with this method can be one: with some a client asks for something, and sends nothing (RFC 9110 §9.2.1).
    #[must_use]
    pub const fn is_notification_by(method: Method) -> bool {
        !matches!(method, Method::Get | Method::Head | Method::Options)
    }

    /// Its body as a document; `None` when it is not JSON.
    #[must_use]
    pub fn document(&self) -> Option<Value> {
        parse(self.request.body.as_deref().unwrap_or_default()).value
    }
}
