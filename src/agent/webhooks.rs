//! Notifications of what happens to a task, as requests for somebody with a network to send (1.0 §4.3.3). The agent sends
//! nothing itself; where nobody asks for these they are not made.

use std::rc::Rc;

use serde_json::Value;

use super::ScriptedAgent;
use super::call::CallForm;
use super::json_values::text;
use super::mutate::Shape;
use super::served_version::ServedVersion;
use super::state::{TaskCell, TaskView};
use crate::a2a::binding::rest::A2A_JSON;
use crate::wire::http::Request;

/// Somebody who sees to it that a delivery is made, later: when it is handed over its task is still being dealt with.
pub type WebhookSender = Rc<dyn Fn(WebhookDelivery)>;

/// What a client is told by its webhook: each thing that happens to the task from the config's making on, in order.
pub struct WebhookDelivery {
    agent: ScriptedAgent,
    task: TaskCell,
    config: String,
    /// In whose words.
    served_version: &'static ServedVersion,
    /// How many of the task's events were told.
    place: usize,
}

impl WebhookDelivery {
    /// The next notification, once there is one. `None` when the task is over, or its config was deleted.
    pub async fn next(&mut self) -> Option<Request> {
        loop {
            self.agent.advance(&self.task);
            let (config, event, over) = {
                let task = self.task.borrow();
                let config = task.push_configs.iter().find(|config| text(config, "id") == self.config).cloned()?;
                (config, task.events_from(self.place).into_iter().next(), task.state.is_terminal())
            };
            if let Some(event) = event {
                self.place += 1;
                return Some(self.notification(&config, event));
            }
            if over {
                return None;
            }
            self.agent.wait(&self.task).await;
        }
    }

    fn notification(&self, config: &Value, event: Value) -> Request {
        let (mut body, mut kind) = (event, A2A_JSON);
        if self.served_version.older.is_some() {
            // 0.3 §9.5: the task as it is now.
            (body, kind) = (self.task.borrow().to_value(TaskView::FULL), "application/json");
            self.served_version.translate_answer(&self.agent.0.faults, &CallForm::Http, &mut body, Shape::Task);
        }
        request(config, kind, &body)
    }
}

fn request(config: &Value, kind: &str, body: &Value) -> Request {
    let mut request = Request::post(text(config, "url"), kind, body.to_string());
    if let Some(authentication) = config.get("authentication") {
        let (scheme, credentials) = (text(authentication, "scheme"), text(authentication, "credentials"));
        request = request.with_header("Authorization", format!("{scheme} {credentials}"));
    }
    // The header that SDKs look for; the specification leaves its name open.
    match text(config, "token") {
        "" => request,
        token => request.with_header("X-A2A-Notification-Token", token),
    }
}

impl ScriptedAgent {
    /// Has every delivery handed to this courier when it begins.
    pub fn deliver_by(&self, webhook_sender: WebhookSender) {
        self.0.webhook_sender.replace(Some(webhook_sender));
    }

    /// Has what happens to the task from this place on told to the webhook of a config.
    pub(super) fn begin_delivery(
        &self,
        served_version: &'static ServedVersion,
        task: &TaskCell,
        config: &str,
        place: usize,
    ) {
        if let Some(webhook_sender) = &*self.0.webhook_sender.borrow() {
            let task = Rc::clone(task);
            webhook_sender(WebhookDelivery {
                agent: self.clone(),
                task,
                config: config.to_owned(),
                served_version,
                place,
            });
        }
    }
}
