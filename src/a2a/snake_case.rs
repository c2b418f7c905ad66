//! Member names with underscores, which servers are known to write where A2A has camelCase (1.0 §5.5). They are noted, and
//! read all the same.

use crate::wire::json::Value;
use crate::wire::protobuf::json_name;

/// Names that A2A writes in camelCase and that servers are known to write with underscores.
pub const SNAKE: [&str; 26] = [
    "context_id",
    "message_id",
    "task_id",
    "artifact_id",
    "status_update",
    "artifact_update",
    "last_chunk",
    "media_type",
    "protocol_version",
    "protocol_binding",
    "reference_task_ids",
    "next_page_token",
    "page_size",
    "total_size",
    "supported_interfaces",
    "default_input_modes",
    "default_output_modes",
    "input_modes",
    "output_modes",
    "push_notifications",
    "extended_agent_card",
    "security_schemes",
    "security_requirements",
    "documentation_url",
    "icon_url",
    "task_push_notification_config",
];

/// Whether the names inside a member are the agent's own.
#[must_use]
pub fn has_own_names(member: &str) -> bool {
    matches!(member, "metadata" | "data" | "params" | "header")
}

/// The document with these names in camelCase, if it has any of them.
#[must_use]
pub fn in_camel_case(document: &Value) -> Option<Value> {
    has_snake(document).then(|| renamed(document))
}

fn has_snake(value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            map.iter().any(|(name, value)| SNAKE.contains(&name.as_str()) || (!has_own_names(name) && has_snake(value)))
        }
        Value::Array(list) => list.iter().any(has_snake),
        _ => false,
    }
}

fn renamed(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let member = |(name, value): (&String, &Value)| {
                let camel = if SNAKE.contains(&name.as_str()) { json_name(name) } else { name.clone() };
                // A member that is there in both spellings is the one in camelCase.
                let name = if camel != *name && map.contains_key(&camel) { name.clone() } else { camel };
                let value = if has_own_names(&name) { value.clone() } else { renamed(value) };
                (name, value)
            };
            Value::Object(map.iter().map(member).collect())
        }
        Value::Array(list) => Value::Array(list.iter().map(renamed).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_names_of_the_protocol_are_renamed() {
        let task = json!({ "context_id": "c", "metadata": { "task_id": 1 }, "history": [{ "message_id": "m", "own_name": 1 }] });
        let expected =
            json!({ "contextId": "c", "metadata": { "task_id": 1 }, "history": [{ "messageId": "m", "own_name": 1 }] });
        assert_eq!(in_camel_case(&task), Some(expected));
        assert_eq!(in_camel_case(&json!({ "contextId": "c", "metadata": { "task_id": 1 } })), None);
        let both = json!({ "contextId": "c", "context_id": "d" });
        assert_eq!(in_camel_case(&both), Some(both.clone()));
    }
}
