//! What the checker wants to send before a dialect writes it: messages with their configuration, list queries, push configs.

use serde_json::{Map, Value};

/// A message to send, with its configuration. Members are named as in 1.0.
#[derive(Debug, Clone, Default)]
pub struct Outgoing {
    /// `messageId`.
    pub message_id: String,
    /// The text of the first part.
    pub text: String,
    /// A JSON value that the first part holds in place of the text, for agents that take no text.
    pub data: Option<Value>,
    /// More parts behind it, in the words of 1.0; older versions put them into their own.
    pub more_parts: Vec<Value>,
    /// `message.referenceTaskIds`.
    pub reference_task_ids: Vec<String>,
    /// `configuration.acceptedOutputModes`.
    pub accepted_output_modes: Vec<String>,
    /// `metadata` of the request.
    pub request_metadata: Option<Value>,
    /// The task it continues.
    pub task_id: Option<String>,
    /// The context it belongs to.
    pub context_id: Option<String>,
    /// `configuration.returnImmediately`.
    pub return_immediately: Option<bool>,
    /// `configuration.historyLength`.
    pub history_length: Option<i64>,
    /// `configuration.taskPushNotificationConfig`.
    pub push_config: Option<Value>,
    /// `message.metadata`.
    pub metadata: Option<Value>,
    /// `message.extensions`; not sent in 0.1, which has none, nor in 0.2, where only its later patches have them.
    pub extensions: Vec<String>,
}

/// A page of tasks to ask for.
#[derive(Debug, Clone, Default)]
pub struct ListQuery {
    /// Only of this context.
    pub context_id: Option<String>,
    /// How many.
    pub page_size: Option<i64>,
    /// From where on.
    pub page_token: Option<String>,
    /// With artifacts.
    pub include_artifacts: Option<bool>,
    /// Only in this state, by its name.
    pub status: Option<String>,
    /// Only those whose status was set then or later.
    pub status_after: Option<String>,
    /// With at most so many messages each.
    pub history_length: Option<i64>,
}

/// A push notification config to create, or to name.
#[derive(Debug, Clone, Default)]
pub struct PushConfigRequest {
    /// The task.
    pub task_id: String,
    /// The config.
    pub config_id: Option<String>,
    /// Where notifications would go.
    pub url: String,
}

impl Outgoing {
    /// The first part, in the words of 1.0.
    fn first_part(&self) -> Value {
        let mut part = empty();
        match &self.data {
            Some(data) => set(&mut part, "data", Some(data.clone())),
            None => set(&mut part, "text", Some(self.text.as_str())),
        }
        part
    }

    /// The parts, each in the version's form.
    pub(super) fn parts(&self, form: impl Fn(&Value) -> Value) -> Value {
        std::iter::once(&self.first_part()).chain(&self.more_parts).map(form).collect()
    }
}

pub(super) fn task_params(id: &str, history_length: Option<i64>) -> Value {
    let mut params = empty();
    set(&mut params, "id", Some(id));
    set(&mut params, "historyLength", history_length);
    params
}

pub(super) fn empty() -> Value {
    Value::Object(Map::new())
}

/// Adds a member to an object, unless there is nothing to add.
pub(super) fn set(object: &mut Value, name: &str, value: Option<impl Into<Value>>) {
    if let (Some(map), Some(value)) = (object.as_object_mut(), value) {
        map.insert(name.to_owned(), value.into());
    }
}

pub(super) fn list(texts: &[String]) -> Option<Value> {
    (!texts.is_empty()).then(|| Value::from(texts.to_vec()))
}
