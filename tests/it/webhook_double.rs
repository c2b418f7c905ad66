//! Webhooks without sockets: what the scripted agent sends is kept, as of each request that is made to it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use a2a_conformance::agent::{LastStatus, ScriptedAgent};
use a2a_conformance::host::webhooks::{ReceivedRequest, WebhookAnswer, WebhookReceiver, validation_token};
use a2a_conformance::host::{Clock, RequestPurpose, StreamedResponse, Transport};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::LocalBoxStream;
use futures_util::{FutureExt, StreamExt};

/// Where the webhooks are by default: a public name, lest a cautious agent refuses them.
pub(crate) const PUBLIC: &str = "https://hooks.example.com/";

/// The notifications for a config, and where the agent looks how the last was answered.
type Delivery = (LocalBoxStream<'static, Request>, LastStatus);

/// Receives what one scripted agent sends.
pub(crate) struct WebhookDouble {
    clock: Rc<dyn Clock>,
    /// What their URLs begin with.
    base: &'static str,
    /// Whether the user says that the agent reaches it.
    is_reachable: bool,
    deliveries: Rc<RefCell<Vec<Delivery>>>,
    received: RefCell<BTreeMap<String, Vec<ReceivedRequest>>>,
    answers: RefCell<BTreeMap<String, WebhookAnswer>>,
    validated: RefCell<BTreeSet<String>>,
}

impl WebhookDouble {
    /// Receives from now on what the agent sends.
    pub(crate) fn of(agent: &ScriptedAgent, clock: Rc<dyn Clock>, base: &'static str, is_reachable: bool) -> Self {
        let deliveries = Rc::new(RefCell::new(Vec::new()));
        let kept = Rc::clone(&deliveries);
        agent.send_webhooks_by(Rc::new(move |delivery, last_status| {
            kept.borrow_mut().push((delivery, last_status));
        }));
        let (received, answers, validated) = Default::default();
        Self { clock, base, is_reachable, deliveries, received, answers, validated }
    }

    /// Takes what was sent so far.
    fn take(&self) {
        let mut deliveries = self.deliveries.take();
        deliveries.retain_mut(|(delivery, last_status)| {
            loop {
                match delivery.next().now_or_never() {
                    Some(Some(request)) => match self.keep(request) {
                        Some(status) => last_status.set(Some(status)),
                        // It waits for an answer for ever.
                        None => return false,
                    },
                    Some(None) => return false,
                    None => return true,
                }
            }
        });
        self.deliveries.borrow_mut().extend(deliveries);
    }

    /// Keeps a notification, and returns the status of its answer.
    fn keep(&self, request: Request) -> Option<u16> {
        let Some(name) = request.url.strip_prefix(self.base).map(str::to_owned) else { return Some(200) };
        let name = name.split('?').next().unwrap_or_default().to_owned();
        let answer = self.answers.borrow().get(&name).copied().unwrap_or_default();
        if validation_token(&request).is_some() {
            self.validated.borrow_mut().insert(name);
            return Some(if answer == WebhookAnswer::Disown { 404 } else { 200 });
        }
        let mut all = self.received.borrow_mut();
        let received = all.entry(name).or_default();
        let status = answer.status(received.len());
        received.push(ReceivedRequest { arrived_ms: self.clock.now_ms(), request, status });
        status
    }
}

impl WebhookReceiver for WebhookDouble {
    fn is_reachable(&self) -> bool {
        self.is_reachable
    }

    fn renew(&self) {
        self.received.take();
        self.answers.take();
        self.validated.take();
    }

    fn url(&self, name: &str) -> LocalBoxFuture<'static, Result<String, String>> {
        ready(Ok(format!("{}{name}", self.base))).boxed_local()
    }

    fn answer(&self, name: &str, answer: WebhookAnswer) {
        self.answers.borrow_mut().insert(name.to_owned(), answer);
    }

    fn received(&self, name: &str) -> Vec<ReceivedRequest> {
        self.take();
        self.received.borrow().get(name).cloned().unwrap_or_default()
    }

    fn is_validated(&self, name: &str) -> bool {
        self.take();
        self.validated.borrow().contains(name)
    }
}

/// A transport before each of whose requests the notifications are delivered that are due.
pub(crate) struct Delivering {
    pub(crate) inner: Rc<dyn Transport>,
    pub(crate) webhooks: Rc<WebhookDouble>,
}

impl Transport for Delivering {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        self.webhooks.take();
        self.inner.send(request)
    }

    fn send_for(
        &self,
        purpose: RequestPurpose<'_>,
        request: Request,
    ) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        self.webhooks.take();
        self.inner.send_for(purpose, request)
    }
}
