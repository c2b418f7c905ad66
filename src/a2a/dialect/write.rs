//! What the checker wants to say, before a dialect puts it into words.

use serde_json::Value;

/// A message to send, with its configuration.
#[derive(Debug, Clone, Default)]
pub struct Outgoing {
    /// `messageId`.
    pub message_id: String,
    /// The text of the only part.
    pub text: String,
    /// The task it continues.
    pub task_id: Option<String>,
    /// The context it belongs to.
    pub context_id: Option<String>,
    /// `configuration.returnImmediately`.
    pub return_immediately: Option<bool>,
    /// `configuration.historyLength`.
    pub history_length: Option<i64>,
    /// `message.metadata`.
    pub metadata: Option<Value>,
    /// The interface's tenant.
    pub tenant: Option<String>,
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
}

/// A push notification config to create, or to name.
#[derive(Debug, Clone, Default)]
pub struct PushTarget {
    /// The task.
    pub task_id: String,
    /// The config.
    pub config_id: Option<String>,
    /// Where notifications would go.
    pub url: String,
}
