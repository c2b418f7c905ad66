//! Webhooks of a lane: their URLs or why none can be reached, for how long a stray notification is waited for, and what arrived as
//! steps of the conversation.

use std::rc::Rc;

use serde_json::{Value, json};

use super::Driver;
use crate::engine::transcript::NO_NOTIFICATION;
use crate::engine::verdict::Verdict;
use crate::host::webhooks::{NO_ROOM, ReceivedRequest, WebhookAnswer, WebhookReceiver};
use crate::wire::limits::{MB, MOST_NOTIFICATIONS, MOST_NOTIFIED};
use crate::wire::url::Url;

/// For how long one is waited for at least and at most, in milliseconds.
const STRAY_MS: (f64, f64) = (100.0, 500.0);

impl Driver {
    /// How many answers of the agent could come one after another while a notification is waited for that should not come.
    pub const STRAY_ROUNDS: u32 = 10;

    /// For how long a notification is waited for that should not come, after the last that had to, in milliseconds: many times as long as the
    /// agent took for what it only had to look up.
    #[must_use]
    pub fn stray_notification_ms(&self) -> f64 {
        let lane = self.lane_id().unwrap_or_default();
        let slowest_ms =
            self.context.session.times.with(lane, |times| times.slowest_look_up_ms).unwrap_or(f64::INFINITY);
        (slowest_ms * f64::from(Self::STRAY_ROUNDS)).clamp(STRAY_MS.0, STRAY_MS.1)
    }

    /// Whether the agent of this lane is on this machine, and so reaches what listens on it only.
    pub(super) fn is_agent_on_this_machine(&self) -> bool {
        let requested = self.context.lane.as_ref().and_then(|lane| (lane.binding.url)(&lane.interface.url).ok());
        requested.and_then(|url| Url::parse(&url).ok()).is_some_and(|url| url.is_loopback())
    }

    /// The receiver of notifications. *Not observable* when this host has none, or when it listens on this machine only and the agent is
    /// on another.
    pub fn webhook_receiver(&self) -> Result<&Rc<dyn WebhookReceiver>, Verdict> {
        let Some(receiver) = &self.context.session.host.webhooks else {
            return Err(Verdict::not_observable("no notification can arrive here"));
        };
        if receiver.is_reachable() || self.is_agent_on_this_machine() {
            return Ok(receiver);
        }
        Err(Verdict::not_observable(
            "the agent is on another machine and cannot reach a webhook on this one; to run this check, listen with \
             --webhook-listen and give the public URL of that address with --webhook-url",
        ))
    }

    /// The URL of a webhook of this lane. *Not observable* when no notification can arrive there.
    pub async fn webhook_url(&self, name: &str) -> Result<String, Verdict> {
        let listening = self.webhook_receiver()?.url(&self.webhook_name(name)).await;
        listening.map_err(|why| Verdict::not_observable(format!("no webhook can be opened: {why}")))
    }

    /// How a webhook of this lane answers from now on.
    pub fn answer_webhook(&self, name: &str, answer: WebhookAnswer) {
        if let Some(receiver) = &self.context.session.host.webhooks {
            receiver.answer(&self.webhook_name(name), answer);
        }
    }

    /// What has arrived at a webhook of this lane so far that can be a notification.
    #[must_use]
    pub fn received(&self, name: &str) -> Vec<ReceivedRequest> {
        let mut received = self.all_received(name);
        received.retain(ReceivedRequest::is_notification);
        received
    }

    fn all_received(&self, name: &str) -> Vec<ReceivedRequest> {
        let receiver = self.context.session.host.webhooks.as_ref();
        receiver.map(|receiver| receiver.received(&self.webhook_name(name))).unwrap_or_default()
    }

    /// Gives the webhooks of this conversation other addresses, for another attempt: notifications at the old ones are ignored.
    pub fn renew_webhooks(&self) {
        self.renewed_webhooks.set(self.renewed_webhooks.get() + 1);
    }

    /// Whether the agent asked a webhook of this lane to repeat a validation token.
    #[must_use]
    pub fn is_webhook_validated(&self, name: &str) -> bool {
        let receiver = self.context.session.host.webhooks.as_ref();
        receiver.is_some_and(|receiver| receiver.is_validated(&self.webhook_name(name)))
    }

    /// Puts what arrived at a webhook on the record, each request as a step of its name. The step's document has the body, and
    /// the header fields that are masked in the exchange.
    pub fn record_received(&self, name: &'static str) {
        for received in self.all_received(name) {
            if received.status == Some(NO_ROOM) {
                self.stop(Verdict::inconclusive(format!(
                    "more notifications arrived than this tool keeps: {MOST_NOTIFICATIONS} for a webhook, and {} MB together",
                    MOST_NOTIFIED / MB
                )));
                continue;
            }
            if !received.is_notification() {
                self.record_request(NO_NOTIFICATION, &received, Value::Null);
                continue;
            }
            let header = |field: &str| received.request.headers.get(field).map(str::to_owned);
            let document = json!({
                "body": received.document(),
                "authorization": header("authorization"),
                "token": header("x-a2a-notification-token"),
            });
            self.record_request(name, &received, document);
        }
    }

    fn webhook_name(&self, name: &str) -> String {
        let lane = self.lane_id().unwrap_or_default();
        match self.renewed_webhooks.get() {
            0 => format!("{lane}-{name}"),
            renewed => format!("{lane}-{name}-{renewed}"),
        }
    }
}
