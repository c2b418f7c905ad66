//! The faults of wire form: changes to a value on its way out, in one place. Behaviour is not decided here.

use serde_json::{Map, Value, json};

use super::fault::{FaultId, Faults};
use super::params::snake_case;
use super::state::set;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{ErrorName, Operation, Role, TaskState};

/// What a value is, so that a walk knows what its members are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// The object around a send's answer and around an event's payload.
    Wrapper,
    Task,
    Status,
    Message,
    Artifact,
    Part,
    StatusUpdate,
    ArtifactUpdate,
    List,
    PushConfig,
    PushConfigs,
    Authentication,
}

impl Shape {
    const fn of(operation: Operation) -> Option<Self> {
        match operation {
            Operation::SendMessage | Operation::SendStreamingMessage | Operation::SubscribeToTask => {
                Some(Self::Wrapper)
            }
            Operation::GetTask | Operation::CancelTask => Some(Self::Task),
            Operation::ListTasks => Some(Self::List),
            Operation::CreatePushConfig | Operation::GetPushConfig => Some(Self::PushConfig),
            Operation::ListPushConfigs => Some(Self::PushConfigs),
            Operation::DeletePushConfig | Operation::GetExtendedCard => None,
        }
    }

    const fn members(self) -> &'static [(&'static str, Self)] {
        match self {
            Self::Wrapper => &[
                ("task", Self::Task),
                ("message", Self::Message),
                ("statusUpdate", Self::StatusUpdate),
                ("artifactUpdate", Self::ArtifactUpdate),
            ],
            Self::Task => &[("status", Self::Status), ("artifacts", Self::Artifact), ("history", Self::Message)],
            Self::Status => &[("message", Self::Message)],
            Self::Message | Self::Artifact => &[("parts", Self::Part)],
            Self::StatusUpdate => &[("status", Self::Status)],
            Self::ArtifactUpdate => &[("artifact", Self::Artifact)],
            Self::List => &[("tasks", Self::Task)],
            Self::PushConfigs => &[("configs", Self::PushConfig)],
            Self::PushConfig => &[("authentication", Self::Authentication)],
            Self::Part | Self::Authentication => &[],
        }
    }
}

/// Visits the objects of a value, the inner ones first; a list stands for its elements. What users may fill as they like
/// (metadata, data) is not entered.
fn walk(value: &mut Value, shape: Shape, visit: &mut dyn FnMut(Shape, &mut Map<String, Value>)) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|entry| walk(entry, shape, visit)),
        Value::Object(map) => {
            for (name, inner) in shape.members() {
                if let Some(member) = map.get_mut(*name) {
                    walk(member, *inner, visit);
                }
            }
            visit(shape, map);
        }
        _ => {}
    }
}

/// Whether an answer stands alone or in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Body,
    Event,
}

/// Stands in a text for the byte that is no UTF-8, until the text is bytes. A private character, so that no user's text
/// is likely to have it.
const LATIN1_MARK: char = '\u{f8e9}';

/// The media type of answers.
pub(super) fn media_type(faults: &Faults) -> &'static str {
    if faults.has(FaultId::AnswersTextPlain) { "text/plain" } else { "application/json" }
}

/// The bytes of an answer that is no stream.
pub(super) fn body(faults: &Faults, operation: Option<Operation>, mut envelope: Value) -> Vec<u8> {
    if let (Some(result), Some(operation)) = (envelope.get_mut("result"), operation)
        && let Some(shape) = Shape::of(operation)
    {
        bend(faults, operation, Place::Body, result, shape);
        rewrap(faults, operation, result);
    }
    bend_envelope(faults, &mut envelope);
    let text = envelope.to_string();
    if !faults.has(FaultId::Latin1Body) {
        return text.into_bytes();
    }
    let pieces: Vec<_> = text.split(LATIN1_MARK).map(str::as_bytes).collect();
    pieces.join(&0xE9)
}

/// The data of one event of a stream.
pub(super) fn event(faults: &Faults, id: &Value, mut payload: Value) -> String {
    // Both streaming operations have the same events.
    bend(faults, Operation::SubscribeToTask, Place::Event, &mut payload, Shape::Wrapper);
    if faults.has(FaultId::StreamBareEvents) {
        return payload.to_string();
    }
    let other = json!("another-id");
    let id = if faults.has(FaultId::StreamOtherId) { &other } else { id };
    let mut envelope = json!({ "jsonrpc": "2.0", "id": id, "result": payload });
    bend_envelope(faults, &mut envelope);
    envelope.to_string()
}

/// The faults of what stands around the result of an operation.
fn rewrap(faults: &Faults, operation: Operation, result: &mut Value) {
    if operation == Operation::SendMessage
        && faults.has(FaultId::SendUnwrapped)
        && let Some(inner) = ["task", "message"].iter().find_map(|name| result.get(name)).cloned()
    {
        *result = inner;
    }
    if operation == Operation::GetTask && faults.has(FaultId::GetWrapped) {
        *result = json!({ "task": result.take() });
    }
}

fn bend_envelope(faults: &Faults, envelope: &mut Value) {
    if let Some(error) = envelope.get_mut("error") {
        bend_error(faults, error);
        if faults.has(FaultId::ResultAndError) {
            set(envelope, "result", Some(json!({})));
        }
    }
    let Some(map) = envelope.as_object_mut() else { return };
    if faults.has(FaultId::RpcVersionMissing) {
        map.shift_remove("jsonrpc");
    }
    if let Some(id) = map.get_mut("id").filter(|id| id.is_number() && faults.has(FaultId::IdAsText)) {
        *id = Value::String(id.to_string());
    }
    if faults.has(FaultId::IdMissing) {
        map.shift_remove("id");
    }
}

fn bend_error(faults: &Faults, error: &mut Value) {
    let text = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    if faults.has(FaultId::ErrorNoMessage) {
        set(error, "message", Some(""));
    }
    if faults.has(FaultId::ErrorStackTrace) {
        let trace = "Traceback (most recent call last):\n  File \"/srv/agent/server.py\", line 12, in handle\n    \
                     return tasks[params[\"id\"]]\nKeyError: 'id'";
        set(error, "message", Some(format!("{text}\n{trace}")));
    }
    if faults.has(FaultId::Latin1Body) {
        set(error, "message", Some(format!("{text} (caf{LATIN1_MARK})")));
    }
    if let Some(details) = error.get_mut("data").and_then(Value::as_array_mut) {
        for detail in details.iter_mut().filter_map(Value::as_object_mut) {
            if let Some(reason) = detail.get_mut("reason").filter(|_| faults.has(FaultId::ErrorReasonWrong)) {
                *reason = json!("NOT_FOUND");
            }
            if faults.has(FaultId::ErrorDetailUntyped) {
                detail.shift_remove("@type");
            }
        }
        if faults.has(FaultId::ErrorDataObject) {
            let first = details.first().cloned().unwrap_or_else(|| json!({}));
            set(error, "data", Some(first));
        }
    }
    if let Some(map) = error.as_object_mut().filter(|_| faults.has(FaultId::ErrorNoInfo)) {
        map.shift_remove("data");
    }
    let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
    if code == V1_0.error_code(ErrorName::TaskNotFound) && faults.has(FaultId::ErrorCodeOutside) {
        set(error, "code", Some(404));
    }
    if faults.has(FaultId::ErrorCodeText) {
        set(error, "code", Some(code.to_string()));
    }
}

fn bend(faults: &Faults, operation: Operation, place: Place, value: &mut Value, shape: Shape) {
    walk(value, shape, &mut |shape, map| match shape {
        Shape::Wrapper => bend_direct_message(faults, map),
        Shape::Task => bend_task(faults, operation, place, map),
        Shape::Status => bend_status(faults, map),
        Shape::Message => bend_message(faults, map),
        Shape::Artifact => bend_artifact(faults, map),
        Shape::Part => bend_part(faults, map),
        Shape::StatusUpdate => bend_status_update(faults, map),
        Shape::ArtifactUpdate => {
            if faults.has(FaultId::ArtifactEventNoTaskId) {
                map.shift_remove("taskId");
            }
            if faults.has(FaultId::AppendUnknownArtifact) {
                map.insert("append".to_owned(), true.into());
            }
        }
        Shape::List | Shape::PushConfig | Shape::PushConfigs | Shape::Authentication => {}
    });
    // Texts of messages and artifacts, once all else is done with them.
    if place == Place::Body && faults.has(FaultId::Latin1Body) {
        walk(value, shape, &mut |shape, map| {
            let holder = match shape {
                Shape::Artifact => Some(map),
                Shape::Status | Shape::Wrapper => map.get_mut("message").and_then(Value::as_object_mut),
                _ => None,
            };
            let parts = holder.and_then(|holder| holder.get_mut("parts")).and_then(Value::as_array_mut);
            for part in parts.into_iter().flatten() {
                let text = part.get("text").and_then(Value::as_str).map(|text| format!("{text} (caf{LATIN1_MARK})"));
                set(part, "text", text);
            }
        });
    }
    // Last, since it changes the names that a walk goes by.
    if faults.has(FaultId::SnakeCase) {
        walk(value, shape, &mut |_, map| {
            *map = std::mem::take(map).into_iter().map(|(name, value)| (snake_case(&name), value)).collect();
        });
    }
}

fn bend_direct_message(faults: &Faults, wrapper: &mut Map<String, Value>) {
    let Some(message) = wrapper.get_mut("message").and_then(Value::as_object_mut) else { return };
    if faults.has(FaultId::MessageNoParts) {
        message.insert("parts".to_owned(), json!([]));
    }
    if faults.has(FaultId::MessageNoContext) {
        message.shift_remove("contextId");
    }
}

fn bend_task(faults: &Faults, operation: Operation, place: Place, task: &mut Map<String, Value>) {
    if faults.has(FaultId::TaskNoId) && operation == Operation::SendMessage && place == Place::Body {
        task.shift_remove("id");
    }
    if faults.has(FaultId::TaskContextNumber) {
        task.insert("contextId".to_owned(), 7.into());
    }
    if faults.has(FaultId::TaskNoContext) {
        task.shift_remove("contextId");
        let status = task.get_mut("status").and_then(|status| status.get_mut("message"));
        if let Some(message) = status.and_then(Value::as_object_mut) {
            message.shift_remove("contextId");
        }
        let history = task.get_mut("history").and_then(Value::as_array_mut);
        for message in history.into_iter().flatten().filter_map(Value::as_object_mut) {
            message.shift_remove("contextId");
        }
    }
    kind(faults, task, "task");
}

fn bend_status(faults: &Faults, status: &mut Map<String, Value>) {
    if let Some(state) = status.get_mut("state") {
        let submitted = V1_0.state_name(TaskState::Submitted);
        if faults.has(FaultId::StateUnspecified) && state.as_str() == Some(submitted) {
            *state = V1_0.state_name(TaskState::Unspecified).into();
        }
        if faults.has(FaultId::StatesLowercase) {
            let name = state.as_str().unwrap_or_default();
            *state = name.trim_start_matches("TASK_STATE_").replace('_', "-").to_ascii_lowercase().into();
        }
    }
    if let Some(Value::String(timestamp)) = status.get_mut("timestamp") {
        if faults.has(FaultId::TimestampsSeconds) {
            let whole = timestamp.split('.').next().unwrap_or_default();
            *timestamp = format!("{whole}Z");
        }
        if faults.has(FaultId::TimestampsOffset) {
            *timestamp = timestamp.replace('Z', "+00:00");
        }
    }
}

fn bend_message(faults: &Faults, message: &mut Map<String, Value>) {
    let role = |role| Value::from(V1_0.role_name(role));
    if message.get("role") == Some(&role(Role::Agent)) {
        if faults.has(FaultId::MessageNoId) {
            message.shift_remove("messageId");
        }
        if faults.has(FaultId::AgentSpeaksAsUser) {
            message.insert("role".to_owned(), role(Role::User));
        }
    }
    if let Some(Value::String(role)) = message.get_mut("role").filter(|_| faults.has(FaultId::RolesLowercase)) {
        *role = role.trim_start_matches("ROLE_").to_ascii_lowercase();
    }
    kind(faults, message, "message");
}

fn bend_artifact(faults: &Faults, artifact: &mut Map<String, Value>) {
    if faults.has(FaultId::ArtifactNoId) {
        artifact.shift_remove("artifactId");
    }
    if faults.has(FaultId::ArtifactIdsRepeat) {
        artifact.insert("artifactId".to_owned(), "artifact".into());
    }
    if faults.has(FaultId::PartTwoContents) {
        let parts = artifact.get_mut("parts").and_then(Value::as_array_mut);
        for part in parts.into_iter().flatten() {
            match (part.get("text").is_some(), part.get("data").is_some()) {
                (true, false) => set(part, "data", Some(json!({ "also": "data" }))),
                (false, true) => set(part, "text", Some("Also text.")),
                _ => {}
            }
        }
    }
}

fn bend_part(faults: &Faults, part: &mut Map<String, Value>) {
    if let Some(raw) = part.get_mut("raw").filter(|_| faults.has(FaultId::RawNotBase64)) {
        *raw = "not base64!".into();
    }
    let name = ["text", "data"].into_iter().find(|name| part.contains_key(*name)).unwrap_or("file");
    kind(faults, part, name);
}

fn bend_status_update(faults: &Faults, update: &mut Map<String, Value>) {
    if faults.has(FaultId::StatusEventNoContext) {
        update.shift_remove("contextId");
    }
    if faults.has(FaultId::StreamFinalMember) {
        let written = update.get("status").and_then(|status| status.get("state")?.as_str()).unwrap_or_default();
        let last = V1_0.state(written).is_some_and(TaskState::is_terminal);
        update.insert("final".to_owned(), last.into());
    }
}

fn kind(faults: &Faults, object: &mut Map<String, Value>, name: &str) {
    if faults.has(FaultId::KindMembers) {
        object.insert("kind".to_owned(), name.into());
    }
}
