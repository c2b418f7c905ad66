//! Writes the parameters of requests in the versions before 1.0. How they differ is in the tables of the versions.

use serde_json::{Map, Value};

use super::definition::{Dialect, PackedMessage};
use super::request_of_message::request_of_message;
use super::write::{ListQuery, Outgoing, PushConfigRequest, empty, list, set};
use crate::a2a::model::{Operation, Role};

/// A part in the words of 1.0, written with the tag of the version.
fn tagged(part: &Value, tag: &str) -> Value {
    let text = |name: &str| part.get(name).and_then(Value::as_str);
    let mut made = empty();
    set(&mut made, "metadata", part.get("metadata").cloned());
    if part.get("raw").is_some() || part.get("url").is_some() {
        let mut file = empty();
        set(&mut file, "bytes", text("raw"));
        set(&mut file, "uri", text("url"));
        set(&mut file, "name", text("filename"));
        set(&mut file, "mimeType", text("mediaType"));
        set(&mut made, tag, Some("file"));
        set(&mut made, "file", Some(file));
        return made;
    }
    for name in ["text", "data"] {
        if let Some(value) = part.get(name) {
            set(&mut made, tag, Some(name));
            set(&mut made, name, Some(value.clone()));
        }
    }
    made
}

/// The same in the form of the proto of 0.3.
fn untagged(part: &Value) -> Value {
    let mut made = tagged(part, "kind");
    if let Some(map) = made.as_object_mut() {
        map.shift_remove("kind");
        // 0.3's proto has no such member.
        map.shift_remove("metadata");
    }
    if let Some(file) = made.get_mut("file").and_then(Value::as_object_mut) {
        // 0.3's proto has no name here.
        file.shift_remove("name");
        for (text, proto) in [("bytes", "fileWithBytes"), ("uri", "fileWithUri")] {
            if let Some(value) = file.shift_remove(text) {
                file.insert(proto.to_owned(), value);
            }
        }
    }
    if let Some(data) = made.get("data").cloned() {
        let mut inner = empty();
        set(&mut inner, "data", Some(data));
        set(&mut made, "data", Some(inner));
    }
    made
}

/// The `configuration` of 0.2 and 0.3. It always says whether a call waits: the text leaves it open what happens
/// without a word (0.3 §7.1.1).
fn configuration(outgoing: &Outgoing, push: &str) -> Value {
    let mut configuration = empty();
    set(&mut configuration, "acceptedOutputModes", list(&outgoing.accepted_output_modes));
    set(&mut configuration, push, outgoing.push_config.clone());
    set(&mut configuration, "blocking", Some(outgoing.return_immediately != Some(true)));
    set(&mut configuration, "historyLength", outgoing.history_length);
    configuration
}

/// Parameters of a send of 0.2 and 0.3 (0.3 §7.1.1).
pub(super) fn send_params(dialect: &Dialect, outgoing: &Outgoing) -> Value {
    let parts = outgoing.parts(|part| tagged(part, "kind"));
    request_of_message(dialect, outgoing, parts, Some(configuration(outgoing, "pushNotificationConfig")))
}

/// The same for 0.2, where a configuration must name output modes up to 0.2.5 (T-03-8).
pub(super) fn send_params_with_modes(dialect: &Dialect, outgoing: &Outgoing) -> Value {
    // Messages have extensions only since 0.2.2, and a card need not tell the patch.
    let mut outgoing = Outgoing { extensions: Vec::new(), ..outgoing.clone() };
    if outgoing.accepted_output_modes.is_empty() {
        // Media types that the checker can read; an agent that has others too may take them for wanted or not.
        outgoing.accepted_output_modes =
            ["text/plain", "application/json", "image/png", "application/octet-stream"].map(str::to_owned).to_vec();
    }
    send_params(dialect, &outgoing)
}

/// The same in the form of the proto of 0.3.
pub(super) fn proto_send_params(dialect: &Dialect, outgoing: &Outgoing) -> Value {
    let configuration = configuration(outgoing, "pushNotification");
    request_of_message(dialect, outgoing, outgoing.parts(untagged), Some(configuration))
}

/// Parameters of `tasks/send` of 0.1, where the client names the task (0.1 §7.1.1). A new task is named as its message.
pub(super) fn send_params_0_1(dialect: &Dialect, outgoing: &Outgoing) -> Value {
    let mut message = empty();
    set(&mut message, "role", Some(dialect.role_name(Role::User)));
    set(&mut message, "parts", Some(outgoing.parts(|part| tagged(part, "type"))));
    set(&mut message, "metadata", outgoing.metadata.clone());
    let id = outgoing.task_id.as_deref().unwrap_or(&outgoing.message_id);
    let mut params = empty();
    set(&mut params, "id", Some(id));
    // One of its own for a task that joins none.
    let session = outgoing.context_id.clone();
    let fresh = || outgoing.task_id.is_none().then(|| format!("session-{}", outgoing.message_id));
    set(&mut params, "sessionId", session.or_else(fresh));
    set(&mut params, "message", Some(message));
    set(&mut params, "pushNotification", outgoing.push_config.clone());
    set(&mut params, "historyLength", outgoing.history_length);
    set(&mut params, "metadata", outgoing.request_metadata.clone());
    params
}

/// Parameters of the list that 0.3 has over HTTP, which has none.
pub(super) fn list_params(_: &Dialect, _: &ListQuery) -> Value {
    empty()
}

/// The config itself, without its task.
fn config(target: &PushConfigRequest) -> Value {
    let mut config = empty();
    set(&mut config, "id", target.config_id.as_deref());
    set(&mut config, "url", (!target.url.is_empty()).then_some(target.url.as_str()));
    config
}

/// Parameters of the push config operations of 0.2 and 0.3 (0.3 §7.5 to §7.8).
pub(super) fn push_params(operation: Operation, target: &PushConfigRequest) -> Value {
    let mut params = empty();
    if operation == Operation::CreatePushConfig {
        set(&mut params, "taskId", Some(target.task_id.as_str()));
        set(&mut params, "pushNotificationConfig", Some(config(target)));
        return params;
    }
    set(&mut params, "id", Some(target.task_id.as_str()));
    if operation != Operation::ListPushConfigs {
        set(&mut params, "pushNotificationConfigId", target.config_id.as_deref());
    }
    params
}

/// The same over HTTP: the request object of the proto, beside the task's id for the path.
pub(super) fn proto_push_params(operation: Operation, target: &PushConfigRequest) -> Value {
    let mut params = push_params(operation, target);
    if operation != Operation::CreatePushConfig {
        return params;
    }
    let parent = format!("tasks/{}", target.task_id);
    let mut inner = empty();
    let name = target.config_id.as_ref().map(|id| format!("{parent}/pushNotificationConfigs/{id}"));
    set(&mut inner, "name", name);
    set(&mut inner, "pushNotificationConfig", Some(config(target)));
    if let Some(map) = params.as_object_mut() {
        map.shift_remove("pushNotificationConfig");
    }
    set(&mut params, "parent", Some(parent));
    set(&mut params, "configId", target.config_id.as_deref());
    set(&mut params, "config", Some(inner));
    params
}

/// The message of a method of 0.3's gRPC service: parameters as over HTTP, whose path is the name of a resource here (0.3 §7).
pub(super) fn proto_request(operation: Operation, mut params: Map<String, Value>) -> PackedMessage {
    let asks_for_none = |length: Option<&Value>| length.and_then(Value::as_i64) == Some(0);
    let length = params.get("historyLength");
    if asks_for_none(length.or_else(|| params.get("configuration")?.get("historyLength"))) {
        return Err("a historyLength of 0 is the same as none over gRPC of 0.3".to_owned());
    }
    let mut text = |name: &str| match params.shift_remove(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("{name} is part of the name of a resource over gRPC and must be a string")),
    };
    match operation {
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask | Operation::ListPushConfigs => {
            let member = if operation == Operation::ListPushConfigs { "parent" } else { "name" };
            if let Some(id) = text("id")? {
                params.insert(member.to_owned(), format!("tasks/{id}").into());
            }
        }
        Operation::GetPushConfig | Operation::DeletePushConfig => {
            let (Some(task), Some(config)) = (text("id")?, text("pushNotificationConfigId")?) else {
                return Err("a config is named by its task and its own id over gRPC".to_owned());
            };
            params.insert("name".to_owned(), format!("tasks/{task}/pushNotificationConfigs/{config}").into());
        }
        // The parent has it.
        Operation::CreatePushConfig => drop(text("taskId")?),
        _ => {}
    }
    Ok(params)
}

/// Parameters of the two push config operations of 0.1 (0.1 §7.5, §7.6).
pub(super) fn push_params_0_1(operation: Operation, target: &PushConfigRequest) -> Value {
    let mut params = empty();
    set(&mut params, "id", Some(target.task_id.as_str()));
    if operation == Operation::CreatePushConfig {
        let unnamed = PushConfigRequest { config_id: None, ..target.clone() };
        set(&mut params, "pushNotificationConfig", Some(config(&unnamed)));
    }
    params
}
