//! Push notifications, as requests for a caller with a network to send (1.0 §4.3.3). The agent sends nothing itself, and
//! makes no notifications unless it was given a sender.

use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::stream::{LocalBoxStream, unfold};
use serde_json::Value;

use super::call_form::CallForm;
use super::json_values::text;
use super::scripted_agent::ScriptedAgent;
use super::served_version::ServedVersion;
use super::shape::Shape;
use super::task::{TaskCell, TaskView};
use crate::a2a::binding::rest::A2A_JSON;
use crate::wire::http::Request;

/// Takes the notifications for a webhook from the time when its config is made: a request for each event of the task, in
/// order, until the task has finished or the config is deleted. It must poll them later, since the task is in use when it is
/// called.
pub type WebhookSender = Rc<dyn Fn(LocalBoxStream<'static, Request>)>;

/// The notifications for one push config.
struct WebhookDelivery {
    agent: ScriptedAgent,
    task: TaskCell,
    config_id: String,
    /// The version in which the config was made, and so that of its notifications.
    served_version: &'static ServedVersion,
    /// The number of the task's events that need no more notification.
    events_sent: usize,
}

impl WebhookDelivery {
    /// The next notification, once there is one.
    async fn next(&mut self) -> Option<Request> {
        loop {
            self.agent.advance(&self.task);
            let (config, event, finished) = {
                let task = self.task.borrow();
                let config = task.push_configs.iter().find(|config| text(config, "id") == self.config_id).cloned()?;
                (config, task.events_after(self.events_sent).into_iter().next(), task.state.is_terminal())
            };
            if let Some(event) = event {
                self.events_sent += 1;
                if event.get("raw").is_some() || event.get("drop").is_some() {
                    // These belong to a connection.
                    continue;
                }
                return Some(self.notification(&config, event));
            }
            if finished {
                return None;
            }
            self.agent.wait_for_change(&self.task).await;
        }
    }

    fn notification(&self, config: &Value, event: Value) -> Request {
        let (mut body, mut media_type) = (event, A2A_JSON);
        if self.served_version.older.is_some() {
            // 0.3 §9.5: the task as it is now.
            (body, media_type) = (self.task.borrow().to_value(TaskView::FULL), "application/json");
            self.served_version.translate_answer(&self.agent.0.faults, &CallForm::Http, &mut body, Shape::Task);
        }
        request(config, media_type, &body)
    }
}

fn request(config: &Value, media_type: &str, body: &Value) -> Request {
    let mut request = Request::post(text(config, "url"), media_type, body.to_string());
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
        self.0.start_webhook.replace(Some(Box::new(move |agent, served_version, task, config_id, events_sent| {
            let delivery = WebhookDelivery {
                agent: agent.clone(),
                task: Rc::clone(task),
                config_id: config_id.to_owned(),
                served_version,
                events_sent,
            };
            let notifications = unfold(delivery, async |mut delivery| Some((delivery.next().await?, delivery)));
            sender(notifications.boxed_local());
        })));
    }
}
