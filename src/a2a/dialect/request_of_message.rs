//! Writes the parameters of a send, as far as the versions from 0.2 on have them alike.

use serde_json::Value;

use super::definition::{Dialect, ObjectForms, Tags};
use super::write::{Outgoing, empty, list, set};
use crate::a2a::model::Role;

/// Parameters of a send of these parts.
pub(super) fn request_of_message(
    dialect: &Dialect,
    outgoing: &Outgoing,
    parts: Value,
    configuration: Option<Value>,
) -> Value {
    let ObjectForms { tags, message_parts, .. } = dialect.forms;
    let mut message = empty();
    set(&mut message, "kind", (tags == Tags::Kind).then_some("message"));
    set(&mut message, "messageId", Some(outgoing.message_id.as_str()));
    set(&mut message, "role", Some(dialect.role_name(Role::User)));
    set(&mut message, message_parts.first().unwrap_or(&"parts"), Some(parts));
    // 0.3's proto has no such member.
    set(&mut message, "referenceTaskIds", list(&outgoing.reference_task_ids).filter(|_| tags != Tags::Either));
    set(&mut message, "taskId", outgoing.task_id.as_deref());
    set(&mut message, "contextId", outgoing.context_id.as_deref());
    set(&mut message, "metadata", outgoing.metadata.clone());
    set(&mut message, "extensions", list(&outgoing.extensions));
    let mut params = empty();
    set(&mut params, "message", Some(message));
    set(&mut params, "configuration", configuration);
    set(&mut params, "metadata", outgoing.request_metadata.clone());
    params
}
