//! Push notifications: when one is made, its headers, tokens and signature, and its repetition, as requests for a caller with a
//! network to send (1.0 §4.3.3). The agent sends nothing itself, and makes no notifications unless it was given a sender.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::stream::{LocalBoxStream, unfold};
use serde_json::Value;

use super::call_form::CallForm;
use super::fault::FaultId;
use super::json_values::text;
use super::scripted_agent::ScriptedAgent;
use super::served_version::{CURRENT, ServedVersion};
use super::shape::Shape;
use super::task::{TaskCell, TaskView};
use crate::a2a::binding::rest::A2A_JSON;
use crate::a2a::model::TaskState;
use crate::wire::http::Request;

/// Where the agent publishes the key by which it signs.
pub(super) const KEYS_PATH: &str = "/.well-known/jwks.json";

/// A token that this key (RFC 7515 §A.3.1) signed, valid until 2100.
const SIGNED_TOKEN: &str = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImtleS0xIn0.eyJpc3MiOiJzY3JpcHRlZC1hZ2VudCIsImlhdCI6MTMwMDgxNTc4MCwiZXhwIjo0MTAyNDQ0ODAwfQ.4PqctrfAeZIKNUht6UKO2_dC03KizYUIIjCKjvOZdq90tYuy7ydMnQ7GYcxwzFDsJJIAKXxz8RWwBb4P6z3vag";

/// One that expired in 2011.
const EXPIRED_TOKEN: &str = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImtleS0xIn0.eyJpc3MiOiJzY3JpcHRlZC1hZ2VudCIsImlhdCI6MTMwMDgxNTc4MCwiZXhwIjoxMzAwODE5MzgwfQ.Z_1mSfLg4mAoJpxJdVRP2Sy0H9dJ0077KCAkIoCTfB8n1t1BYZ6Tba3B-2mOwj_L0ZjbXEYG5ybUwdMk6Y_SZA";

/// Takes the notifications for a webhook from the time when its config is made: a request for each event of the task, in
/// order, until the task has finished or the config is deleted. It must poll them later, since the task is in use when it is
/// called. Before it asks for the next one it says how the one before was answered.
pub type WebhookSender = Rc<dyn Fn(LocalBoxStream<'static, Request>, LastStatus)>;

/// The status of the answer to the notification that was sent last, a success unless the sender says otherwise; `None` when there
/// was no answer.
pub type LastStatus = Rc<Cell<Option<u16>>>;

/// The notifications for one push config.
struct WebhookDelivery {
    agent: ScriptedAgent,
    task: TaskCell,
    config_id: String,
    /// The version in which the config was made, and so that of its notifications.
    served_version: &'static ServedVersion,
    /// The number of the task's events that need no more notification.
    events_sent: usize,
    /// The config, as it was last seen.
    known: Option<Value>,
    /// Notifications to send before the next event's.
    waiting: Vec<Request>,
    /// The first notification, which a fault sends last.
    late: Option<Request>,
    /// The notification that was sent last, unless that was the second time.
    last: Option<Request>,
    /// How it was answered.
    last_status: LastStatus,
    validation: Validation,
}

/// Whether a webhook has shown that it wants notifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Validation {
    /// It was not asked.
    Open,
    /// It was asked, and is answering.
    Asked,
    /// It has answered, or its answer is not needed.
    Done,
}

impl WebhookDelivery {
    async fn next(&mut self) -> Option<Request> {
        match self.validation {
            Validation::Open => {
                self.validation = Validation::Asked;
                let config = self.config()?;
                return Some(Request::get(format!("{}?validationToken={}", text(&config, "url"), self.config_id)));
            }
            Validation::Asked => {
                self.validation = Validation::Done;
                if !self.was_accepted() && !self.agent.has(FaultId::PushValidationIgnored) {
                    return None;
                }
            }
            Validation::Done => {}
        }
        let mut request = self.take_failed();
        if request.is_none() {
            request = self.next_due().await;
            self.last.clone_from(&request);
        }
        self.last_status.set(Some(200));
        if request.is_some() && self.agent.has(FaultId::PushHoldsTask) {
            self.agent.advance(&self.task);
            self.task.borrow_mut().pause();
        }
        request
    }

    /// Whether what was sent last was answered with a success.
    fn was_accepted(&self) -> bool {
        self.last_status.get().is_some_and(|status| (200..300).contains(&status))
    }

    /// The notification that was sent last, if it failed and is to be sent again.
    fn take_failed(&mut self) -> Option<Request> {
        if self.agent.has(FaultId::PushHoldsTask) {
            self.task.borrow_mut().resume();
        }
        let last = self.last.take()?;
        if self.was_accepted() {
            return None;
        }
        if self.agent.has(FaultId::PushFailureStops) {
            self.task.borrow_mut().stop();
        }
        (!self.agent.has(FaultId::PushNotRetried)).then_some(last)
    }

    async fn next_due(&mut self) -> Option<Request> {
        loop {
            if let Some(request) = self.waiting.pop() {
                return Some(request);
            }
            self.agent.advance(&self.task);
            let (event, finished) = {
                let task = self.task.borrow();
                (task.events_after(self.events_sent).into_iter().next(), task.state.is_terminal())
            };
            let config = self.config()?;
            match event {
                Some(event) => {
                    self.events_sent += 1;
                    if self.agent.has(FaultId::PushStopsTask) {
                        self.task.borrow_mut().stop();
                    }
                    if !self.is_kept_back(&event) {
                        let request = self.notification(&config, event);
                        self.line_up(request);
                    }
                }
                None if finished => return self.late.take(),
                None => self.agent.wait_for_change(&self.task).await,
            }
        }
    }

    /// The config, if notifications are still wanted.
    fn config(&mut self) -> Option<Value> {
        let task = self.task.borrow();
        let position = task.push_configs.iter().position(|config| text(config, "id") == self.config_id);
        let is_refused = self.agent.has(FaultId::PushNothingSent)
            || (self.agent.has(FaultId::PushStreamedOnly) && !task.streamed)
            || (self.agent.has(FaultId::PushFirstServed) && position.is_some_and(|position| position > 0));
        if is_refused {
            return None;
        }
        let stored = position.and_then(|position| task.push_configs.get(position)).cloned();
        let kept = self.known.take().filter(|_| self.agent.has(FaultId::PushSentAfterDelete));
        self.known = stored.or(kept);
        self.known.clone()
    }

    /// Whether an event is not sent: it belongs to a connection, or a fault keeps it back.
    fn is_kept_back(&self, event: &Value) -> bool {
        let state = event.pointer("/statusUpdate/status/state").and_then(Value::as_str);
        let is_end = state.and_then(|state| CURRENT.dialect.state(state)).is_some_and(TaskState::is_terminal);
        // The older versions send the task as it is by then.
        let shows_end = is_end || (self.served_version.older.is_some() && self.task.borrow().state.is_terminal());
        let belongs_to_connection = event.get("raw").is_some() || event.get("drop").is_some();
        belongs_to_connection || (shows_end && self.agent.has(FaultId::PushEndUnsent))
    }

    fn line_up(&mut self, request: Request) {
        if self.agent.has(FaultId::PushSentLate) && self.late.is_none() {
            self.late = Some(request);
            return;
        }
        if self.agent.has(FaultId::PushSentTwice) {
            self.waiting.push(request.clone());
        }
        self.waiting.push(request);
    }

    fn signed_token(&self) -> String {
        if self.agent.has(FaultId::PushSignatureExpired) {
            return EXPIRED_TOKEN.to_owned();
        }
        if self.agent.has(FaultId::PushSignatureForeign) {
            // The signature of the other token is not valid for this one.
            let (signed, _) = SIGNED_TOKEN.rsplit_once('.').unwrap_or_default();
            let (_, signature) = EXPIRED_TOKEN.rsplit_once('.').unwrap_or_default();
            return format!("{signed}.{signature}");
        }
        SIGNED_TOKEN.to_owned()
    }

    fn notification(&self, config: &Value, event: Value) -> Request {
        let (mut body, mut media_type) = (event, A2A_JSON);
        if self.served_version.older.is_none() && self.agent.has(FaultId::PushBareTask) {
            body = self.task.borrow().to_value(TaskView::FULL);
        }
        if self.served_version.older.is_some() {
            // 0.3 §9.5: the task as it is now.
            (body, media_type) = (self.task.borrow().to_value(TaskView::FULL), "application/json");
            self.served_version.translate_answer(&self.agent.0.faults, &CallForm::Http, &mut body, Shape::Task);
        }
        let mut body = body.to_string();
        if self.agent.has(FaultId::PushOtherTask) {
            body = body.replace(&self.task.borrow().id, "another-task");
        }
        if self.agent.has(FaultId::PushSentAsText) {
            media_type = "text/plain";
        }
        let mut request = request(config, media_type, body);
        if self.agent.has(FaultId::SignedNotifications) && request.headers.get("authorization").is_none() {
            request = request.with_header("Authorization", format!("Bearer {}", self.signed_token()));
        }
        for (fault, header) in
            [(FaultId::PushSentOpenly, "authorization"), (FaultId::PushTokenUnsent, "x-a2a-notification-token")]
        {
            if self.agent.has(fault) {
                request.headers.remove(header);
            }
        }
        request
    }
}

fn request(config: &Value, media_type: &str, body: String) -> Request {
    let mut request = Request::post(text(config, "url"), media_type, body);
    if let Some(authentication) = config.get("authentication") {
        let (scheme, credentials) = (text(authentication, "scheme"), text(authentication, "credentials"));
        request = request.with_header("Authorization", format!("{scheme} {credentials}"));
    }
    // The specification does not name this header; this is the one that SDKs look for.
    match text(config, "token") {
        "" => request,
        token => request.with_header("X-A2A-Notification-Token", token),
    }
}

impl ScriptedAgent {
    /// Has notifications sent by this sender.
    pub fn send_webhooks_by(&self, sender: WebhookSender) {
        if let Some(agent) = &self.0.rest_agent {
            agent.send_webhooks_by(Rc::clone(&sender));
        }
        self.0.start_webhook.replace(Some(Box::new(move |agent, served_version, task, config_id, events_sent| {
            let delivery = WebhookDelivery {
                agent: agent.clone(),
                task: Rc::clone(task),
                config_id: config_id.to_owned(),
                served_version,
                events_sent,
                known: None,
                waiting: Vec::new(),
                late: None,
                last: None,
                last_status: LastStatus::default(),
                validation: if agent.has(FaultId::ValidatingWebhooks) { Validation::Open } else { Validation::Done },
            };
            let last_status = Rc::clone(&delivery.last_status);
            let notifications = unfold(delivery, async |mut delivery| Some((delivery.next().await?, delivery)));
            sender(notifications.boxed_local(), last_status);
        })));
    }
}
