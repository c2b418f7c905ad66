//! The webhooks of ours that are registered for a task at work: their names, tokens and credentials, and the calls about their
//! configs.

use futures_util::future::join3;
use serde_json::json;

use crate::a2a::binding::ReplyKind;
use crate::a2a::model::Operation;
use crate::engine::drive::{Driver, StepFuture, task_of};
use crate::engine::transcript::Step;
use crate::wire::json::Value;

/// The webhook whose config stays, as the step that registers it and as that of its notifications.
pub(super) const KEPT: Webhook = Webhook { name: "webhook", registered: "register-webhook" };
/// A second one.
pub(super) const SECOND: Webhook = Webhook { name: "second-webhook", registered: "register-second-webhook" };
/// One whose config comes with the message that makes the task: the only one where the agent answers that when the task is over.
pub(super) const GIVEN: Webhook = Webhook { name: "given-webhook", registered: "send" };
/// One whose config comes with a streamed message: whether it is notified shows whether the agent reaches us.
pub(super) const STREAMED: Webhook = Webhook { name: "streamed-webhook", registered: "stream" };
/// One whose config is deleted while the task is at work.
pub(super) const DELETED: Webhook = Webhook { name: "deleted-webhook", registered: "register-deleted-webhook" };
pub(super) const ALL: [Webhook; 5] = [GIVEN, KEPT, SECOND, DELETED, STREAMED];
/// The step of that deletion.
pub(super) const DELETION: &str = "delete-webhook";

/// The step that tells whether the user says that the agent reaches our webhooks.
pub(super) const REACHABLE: &str = "reachable";

/// What notifications have to repeat.
pub(super) const TOKEN: &str = "a2a-conformance-token";
const CREDENTIALS: &str = "a2a-conformance-credentials";

pub(super) struct Webhook {
    /// Its name, and that of the steps of its notifications.
    pub(super) name: &'static str,
    /// The step that registers it.
    pub(super) registered: &'static str,
}

pub(super) fn authorization() -> String {
    format!("Bearer {CREDENTIALS}")
}

/// Registers webhooks for a task at work.
pub(super) async fn register(d: &Driver, task: &str) {
    // The task must not end meanwhile.
    let _hurry = d.hurry();
    if !keeps_several(d) {
        create(d, &KEPT, task).await;
        return;
    }
    let deleted = async {
        if create(d, &DELETED, task).await {
            call(d, DELETION, Operation::DeletePushConfig, task, Some(DELETED.name)).await;
        }
    };
    join3(deleted, create(d, &KEPT, task), create(d, &SECOND, task)).await;
}

/// Whether a reading shows the task at work after that time.
pub(super) fn is_at_work_after(reading: &Step, ms: f64) -> bool {
    let state = task_of(&reading.reply).and_then(|task| task.state);
    reading.exchange.sent_ms >= ms && state.is_some_and(|state| !state.is_terminal())
}

/// Whether a task surely has several configs: before 1.0 a second may take the place of the first.
pub(super) fn keeps_several(d: &Driver) -> bool {
    form_of(d) == ConfigForm::Flat
}

/// How a version writes a config.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConfigForm {
    /// Among the parameters (1.0 §3.1.7).
    Flat,
    /// In a member of its own (0.3 §6.10).
    Nested,
}

fn form_of(d: &Driver) -> ConfigForm {
    complete(&mut d.push_params(Operation::CreatePushConfig, "", Some(KEPT.name), ""))
}

/// The config of a webhook that comes with a message.
pub(super) async fn with_message(d: &Driver, webhook: &Webhook) -> Option<Value> {
    let mut config = json!({ "url": d.webhook_url(webhook.name).await.ok()?, "token": TOKEN });
    if form_of(d) == ConfigForm::Flat {
        complete(&mut config);
    }
    Some(config)
}

/// Registers a webhook; whether the agent accepts it.
pub(super) async fn create(d: &Driver, webhook: &Webhook, task: &str) -> bool {
    let Ok(url) = d.webhook_url(webhook.name).await else { return false };
    let mut params = d.push_params(Operation::CreatePushConfig, task, Some(webhook.name), &url);
    complete(&mut params);
    let step = d.call(webhook.registered, d.operation(Operation::CreatePushConfig, params)).await;
    matches!(step.reply.kind, ReplyKind::Result(_))
}

/// Calls an operation on configs that needs no URL.
pub(super) fn call<'a>(
    d: &'a Driver,
    step: &'static str,
    operation: Operation,
    task: &str,
    config: Option<&str>,
) -> StepFuture<'a> {
    d.call(step, d.about_push_configs(operation, task, config))
}

/// Adds the token to a config, and in 1.0 the credentials. Before, a config names schemes for which the agent may fetch
/// credentials of its own.
fn complete(params: &mut Value) -> ConfigForm {
    if let Some(config) = params.as_object_mut().filter(|params| params.contains_key("url")) {
        config.insert("token".to_owned(), TOKEN.into());
        config.insert("authentication".to_owned(), json!({ "scheme": "Bearer", "credentials": CREDENTIALS }));
        return ConfigForm::Flat;
    }
    // The proto of 0.3 has the config one level deeper.
    for place in ["/pushNotificationConfig", "/config/pushNotificationConfig"] {
        if let Some(config) = params.pointer_mut(place).and_then(Value::as_object_mut) {
            config.insert("token".to_owned(), TOKEN.into());
        }
    }
    ConfigForm::Nested
}
