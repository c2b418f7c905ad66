//! The messages of 0.3's proto, where they differ from those of 1.0: functions on their JSON, which `served_version` and `grpc` apply.

use serde_json::Value;

use super::json_values::{remove, set, set_text, take, text, wrap};
use crate::a2a::model::Operation;

/// A part is a text, a file, or data in a message of its own.
pub(super) fn part_to_proto(part: &mut Value) {
    remove(part, "metadata");
    let media_type = take(part, "mediaType");
    remove(part, "filename");
    let data = take(part, "data");
    if !data.is_null() {
        // A struct is an object.
        let data = if data.is_object() { data } else { wrap("value", data) };
        set(part, "data", wrap("data", data));
    }
    for (member, new) in [("raw", "fileWithBytes"), ("url", "fileWithUri")] {
        let content = take(part, member);
        if !content.is_null() {
            let mut file = wrap(new, content);
            set(&mut file, "mimeType", media_type.clone());
            set(part, "file", file);
        }
    }
}

/// The proto of 0.3 has another spelling for one state.
pub(super) fn state_to_proto(status: &mut Value) {
    if text(status, "state") == "TASK_STATE_CANCELED" {
        set_text(status, "state", "TASK_STATE_CANCELLED");
    }
}

/// A config names its task and itself in one path.
pub(super) fn config_to_proto(config: &mut Value) {
    let task = take(config, "taskId");
    let name = format!("tasks/{}/pushNotificationConfigs/{}", task.as_str().unwrap_or_default(), text(config, "id"));
    remove(config, "tenant");
    *config = wrap("pushNotificationConfig", config.take());
    set_text(config, "name", &name);
}

/// A card of 0.3 with the security of the same card of 1.0, whose messages are those of the proto.
pub(super) fn card_to_proto(card: &mut Value, mut of_1_0: Value) {
    for (member, new) in [("securitySchemes", "securitySchemes"), ("securityRequirements", "security")] {
        remove(card, new);
        set(card, new, take(&mut of_1_0, member));
    }
    if let Some(capabilities) = card.get_mut("capabilities") {
        remove(capabilities, "stateTransitionHistory");
    }
}

/// The parameters as over HTTP, from the message of a method: the name of a resource has the ids. From any other text no ids are read.
pub(super) fn params_from_proto(operation: Operation, params: &mut Value) {
    let name = take(params, "name");
    let parent = take(params, "parent");
    let path = name.as_str().or(parent.as_str()).unwrap_or_default().to_owned();
    let ids: Vec<&str> = match path.split('/').collect::<Vec<_>>().as_slice() {
        ["tasks", task] => vec![task],
        ["tasks", task, "pushNotificationConfigs", config] => vec![task, config],
        _ => Vec::new(),
    };
    let task = if operation == Operation::CreatePushConfig { "taskId" } else { "id" };
    for (member, id) in [task, "pushNotificationConfigId"].into_iter().zip(ids) {
        set_text(params, member, id);
    }
    let id = take(params, "configId");
    if let Some(config) =
        params.pointer_mut("/config/pushNotificationConfig").filter(|config| text(config, "id").is_empty())
    {
        set(config, "id", id);
    }
    // A false is not written.
    if let Some(configuration) = params.get_mut("configuration").filter(|given| given.get("blocking").is_none()) {
        set(configuration, "blocking", false.into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_name_of_a_resource_has_the_ids() {
        let read = |operation, mut params: Value| {
            params_from_proto(operation, &mut params);
            params
        };
        assert_eq!(read(Operation::GetTask, json!({ "name": "tasks/a" })), json!({ "id": "a" }));
        let both = json!({ "id": "a", "pushNotificationConfigId": "b" });
        assert_eq!(read(Operation::GetPushConfig, json!({ "name": "tasks/a/pushNotificationConfigs/b" })), both);
        let made = read(
            Operation::CreatePushConfig,
            json!({ "parent": "tasks/a", "configId": "c", "config": { "pushNotificationConfig": { "url": "u" } } }),
        );
        assert_eq!(made, json!({ "taskId": "a", "config": { "pushNotificationConfig": { "url": "u", "id": "c" } } }));
        for name in ["a", "tasks/", "task/a/b", ""] {
            assert_eq!(text(&read(Operation::GetTask, json!({ "name": name })), "id"), "", "{name}");
        }
    }
}
