//! Webhooks over real sockets: what agents send there is kept, and answered as it was asked for.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, Shared};
use http::Response;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};

use super::listener::{ListenAddress, why_not_there};
use super::plain_http::{MAX_BODY, request_head, response, speak};
use super::request_body::{BodyProblem, HeldBodies};
use crate::host::webhooks::{NO_ROOM, ReceivedRequest, WebhookAnswer, WebhookReceiver, validation_token};
use crate::host::{Clock, Host, IdSource};
use crate::wire::http::{Headers, Request};
use crate::wire::limits::{MOST_NOTIFICATIONS, MOST_NOTIFIED};

type Origin = Shared<LocalBoxFuture<'static, Result<String, String>>>;

/// Webhooks at an address of this machine. Must be used on a `LocalSet`.
#[derive(Clone)]
pub struct HttpWebhookReceiver {
    origin: Origin,
    is_reachable: bool,
    inbox: Rc<Inbox>,
}

/// What the connections share.
struct Inbox {
    clock: Rc<dyn Clock>,
    ids: Rc<dyn IdSource>,
    /// A part of every path, so that nobody else knows where notifications go.
    secret: RefCell<String>,
    /// What the URLs of webhooks begin with, as the agent was told.
    origin: OnceCell<String>,
    /// What arrived at each webhook whose URL somebody has asked for.
    received: RefCell<BTreeMap<String, Vec<ReceivedRequest>>>,
    /// How many bytes of them are kept.
    kept: Cell<usize>,
    answers: RefCell<BTreeMap<String, WebhookAnswer>>,
    /// The webhooks that were asked to repeat a validation token.
    validated: RefCell<BTreeSet<String>>,
    /// The bodies that are being read.
    bodies: HeldBodies,
}

impl HttpWebhookReceiver {
    /// Webhooks that listen at this address as soon as there is one, and are reached by the public URL, or else by that of the
    /// address.
    #[must_use]
    pub fn new(host: &Host, address: String, public: Option<String>) -> Self {
        let inbox = Rc::new(Inbox {
            clock: Rc::clone(&host.clock),
            ids: Rc::clone(&host.ids),
            secret: RefCell::new(host.ids.fresh()),
            origin: OnceCell::new(),
            received: RefCell::default(),
            kept: Cell::default(),
            answers: RefCell::default(),
            validated: RefCell::default(),
            bodies: HeldBodies::default(),
        });
        let is_reachable = public.is_some();
        let shared = Rc::clone(&inbox);
        let origin = async move {
            let place = ListenAddress::at(&address).await;
            let listening = place.map_err(|error| format!("{address}: {}", why_not_there(&error)))?;
            let origin = public.as_ref().unwrap_or(&listening.origin).trim_end_matches('/').to_owned();
            let _ = shared.origin.set(origin.clone());
            tokio::task::spawn_local(listening.serve(move |stream, _, usage| {
                let inbox = Rc::clone(&shared);
                speak(stream, usage, move |request| answer(request, Rc::clone(&inbox)))
            }));
            Ok(origin)
        };
        Self { origin: origin.boxed_local().shared(), is_reachable, inbox }
    }
}

impl WebhookReceiver for HttpWebhookReceiver {
    fn is_reachable(&self) -> bool {
        self.is_reachable
    }

    fn renew(&self) {
        // What is still under way to an older URL finds nobody.
        self.inbox.secret.replace(self.inbox.ids.fresh());
        self.inbox.received.take();
        self.inbox.kept.take();
        self.inbox.answers.take();
        self.inbox.validated.take();
    }

    fn url(&self, name: &str) -> LocalBoxFuture<'static, Result<String, String>> {
        let path = format!("{}/{name}", self.inbox.secret.borrow());
        self.inbox.received.borrow_mut().entry(name.to_owned()).or_default();
        let origin = self.origin.clone();
        async move { Ok(format!("{}/{path}", origin.await?)) }.boxed_local()
    }

    fn answer(&self, name: &str, answer: WebhookAnswer) {
        self.inbox.answers.borrow_mut().insert(name.to_owned(), answer);
    }

    fn received(&self, name: &str) -> Vec<ReceivedRequest> {
        self.inbox.received.borrow().get(name).cloned().unwrap_or_default()
    }

    fn is_validated(&self, name: &str) -> bool {
        self.inbox.validated.borrow().contains(name)
    }
}

impl Inbox {
    /// The answer to a request to repeat a validation token: that token, or 404 for a webhook that is not the one.
    fn validate(&self, name: &str, token: String) -> (u16, String) {
        let mut validated = self.validated.borrow_mut();
        if validated.len() < MOST_NOTIFICATIONS {
            validated.insert(name.to_owned());
        }
        match self.answers.borrow().get(name) {
            Some(WebhookAnswer::Disown) => (404, String::new()),
            _ => (200, token),
        }
    }

    /// Keeps a request, and returns the status of its answer. Whoever knows the secret may send what it likes, under any name.
    fn keep(&self, name: &str, request: Request) -> Option<u16> {
        let answer = self.answers.borrow().get(name).copied().unwrap_or_default();
        let mut all = self.received.borrow_mut();
        // Nobody asks for what arrives elsewhere below the secret.
        let Some(received) = all.get_mut(name) else { return answer.status(0) };
        let fields: usize = request.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        let bytes = self.kept.get() + fields + request.body.as_ref().map_or(0, Vec::len);
        if received.len() >= MOST_NOTIFICATIONS || bytes > MOST_NOTIFIED {
            if received.last().is_none_or(|last| last.status != Some(NO_ROOM)) {
                let request = Request { headers: Headers::new(), body: None, ..request };
                received.push(ReceivedRequest { arrived_ms: self.clock.now_ms(), request, status: Some(NO_ROOM) });
            }
            return Some(NO_ROOM);
        }
        self.kept.set(bytes);
        // What is no notification asks whether somebody is there.
        let is_notification = ReceivedRequest::is_notification_by(request.method);
        let earlier = received.iter().filter(|earlier| earlier.is_notification()).count();
        let status = if is_notification { answer.status(earlier) } else { Some(200) };
        received.push(ReceivedRequest { arrived_ms: self.clock.now_ms(), request, status });
        status
    }
}

async fn answer(request: http::Request<Incoming>, inbox: Rc<Inbox>) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    // A public URL may have a path of its own, which may arrive here or not.
    let secret = inbox.secret.borrow().clone();
    let name = head.uri.path().split_once(&secret).and_then(|(_, rest)| rest.strip_prefix('/'));
    let Some(name) = name.map(str::to_owned) else { return response(404, String::new()) };
    let Some(asked) = request_head(&head, "") else { return response(405, String::new()) };
    // The guide of 0.2 and 0.3 lets an agent verify who owns a webhook before it sends anything.
    if let Some(token) = validation_token(&asked) {
        let (status, body) = inbox.validate(&name, token);
        return response(status, body);
    }
    let mut body = match inbox.bodies.read(body, MAX_BODY).await {
        Ok(body) => body,
        Err(BodyProblem::Refused(status, sentence)) => return response(status.as_u16(), sentence),
        Err(BodyProblem::Broken(_)) => return response(400, String::new()),
    };
    // The URL of the config, whatever stands between the agent and this address.
    let origin = inbox.origin.get().map(String::as_str).unwrap_or_default();
    let url = format!("{origin}/{secret}/{name}");
    match inbox.keep(&name, Request { url, body: Some(std::mem::take(&mut body.bytes)), ..asked }) {
        Some(status) => response(status, String::new()),
        None => pending().await,
    }
}
