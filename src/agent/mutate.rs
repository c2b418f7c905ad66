//! How a value is changed on its way out: the shapes, the walk over them and the kinds of edit. What each fault changes
//! stands in the tables beside.

use serde_json::Value;

use super::call::CallForm;
use super::fault::{FaultId, Faults};
use super::json_values::{change, data, elements, set, take};
use super::mutations::{EDITS, OLDER_EDITS};
use super::params::snake_case;
use super::served_version::ServedVersion;
use crate::a2a::model::Operation;

/// What a value is, so that a walk knows what its members are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Card,
    /// What JSON-RPC puts around a result or an error.
    Envelope,
    /// What HTTP+JSON puts around an error.
    HttpError,
    /// An error, with the members of either binding.
    Error,
    ErrorDetail,
    /// The answer of an operation, after all that is in it.
    Result(Operation),
    /// The same in the words of the version.
    Answer(Operation),
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
            Self::Envelope | Self::HttpError => &[("error", Self::Error)],
            Self::Error => &[("data", Self::ErrorDetail), ("details", Self::ErrorDetail)],
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
            Self::Card | Self::ErrorDetail | Self::Result(_) | Self::Answer(_) | Self::Part | Self::Authentication => {
                &[]
            }
        }
    }
}

/// Visits the objects of a value, the inner ones first; a list stands for its elements. What users may fill as they like
/// (metadata, data) is not entered.
pub(super) fn walk(value: &mut Value, shape: Shape, visit: &mut dyn FnMut(Shape, &mut Value)) {
    if let Value::Array(list) = value {
        list.iter_mut().for_each(|entry| walk(entry, shape, visit));
    } else if value.is_object() {
        for (name, inner) in shape.members() {
            if let Some(member) = value.get_mut(*name) {
                walk(member, *inner, visit);
            }
        }
        visit(shape, value);
    }
}

/// What a fault, or an older version, does to each object of a shape.
pub(super) enum Mutation {
    /// Writes this JSON in a place.
    Put(&'static str, &'static str),
    /// The same where something stands in the place already.
    Replace(&'static str, &'static str),
    /// Takes away what stands in a place.
    Remove(&'static str),
    /// Gives a member another name.
    Name(&'static str, &'static str),
    /// Anything else.
    Do(fn(&mut Value)),
}

impl Mutation {
    pub(super) fn apply(&self, value: &mut Value) {
        match self {
            Self::Put(pointer, json) => change(value, pointer, Some(data(json, &[]))),
            Self::Replace(pointer, json) => {
                if let Some(place) = value.pointer_mut(pointer) {
                    *place = data(json, &[]);
                }
            }
            Self::Remove(pointer) => change(value, pointer, None),
            Self::Name(old, new) => {
                let member = take(value, old);
                set(value, new, member);
            }
            Self::Do(mutate_shape) => mutate_shape(value),
        }
    }
}

/// Stands in a text for the byte that is no UTF-8, until the text is bytes. A private character, so that no user's text
/// is likely to have it.
const LATIN1_MARK: char = '\u{f8e9}';

/// Applies to one object what the faults do to its shape.
pub(super) fn mutate_shape(faults: &Faults, shape: Shape, value: &mut Value) {
    apply(EDITS, faults, shape, value);
}

/// The same with what is in the words of an older version.
pub(super) fn mutate_older_shape(faults: &Faults, shape: Shape, value: &mut Value) {
    apply(OLDER_EDITS, faults, shape, value);
    if faults.has(FaultId::SnakeCase) && shape != Shape::Card {
        snake_members(value);
    }
}

fn apply(edits: &[(FaultId, Shape, Mutation)], faults: &Faults, shape: Shape, value: &mut Value) {
    for (fault, bent, mutate_shape) in edits {
        if *bent == shape && faults.has(*fault) {
            mutate_shape.apply(value);
        }
    }
}

/// The media type of answers, which is this one by rights.
pub(super) fn media_type(faults: &Faults, usual: &'static str) -> &'static str {
    if faults.has(FaultId::AnswersTextPlain) { "text/plain" } else { usual }
}

/// Bends the result of an operation, and puts it into the words of the version.
pub(super) fn result(
    served_version: &ServedVersion,
    faults: &Faults,
    form: &CallForm,
    operation: Operation,
    result: &mut Value,
) {
    let Some(shape) = Shape::of(operation) else { return };
    mutate(faults, result, shape);
    if faults.has(FaultId::Latin1Body) {
        walk(result, shape, &mut latin1_texts);
    }
    if served_version.older.is_none() {
        rename(faults, result, shape);
    }
    mutate_shape(faults, Shape::Result(operation), result);
    served_version.translate_answer(faults, form, result, shape);
    mutate_shape(faults, Shape::Answer(operation), result);
}

/// The bytes of an answer that is no stream.
pub(super) fn bytes(faults: &Faults, answer: &Value) -> Vec<u8> {
    let text = answer.to_string();
    if !faults.has(FaultId::Latin1Body) {
        return text.into_bytes();
    }
    let pieces: Vec<_> = text.split(LATIN1_MARK).map(str::as_bytes).collect();
    pieces.join(&0xE9)
}

/// The data of one event of a stream.
pub(super) fn event(served_version: &ServedVersion, faults: &Faults, form: &CallForm, mut payload: Value) -> String {
    mutate(faults, &mut payload, Shape::Wrapper);
    served_version.translate_answer(faults, form, &mut payload, Shape::Wrapper);
    if served_version.older.is_none() {
        rename(faults, &mut payload, Shape::Wrapper);
    }
    let id = match form {
        CallForm::Rpc(_) if faults.has(FaultId::StreamBareEvents) => return payload.to_string(),
        CallForm::Rpc(_) if faults.has(FaultId::StreamOtherId) => &Value::from("another-id"),
        CallForm::Rpc(id) => id,
        CallForm::Http if faults.has(FaultId::SseEnveloped) => &Value::Null,
        CallForm::Http => return payload.to_string(),
    };
    let mut envelope = super::rpc::envelope(id, "result", payload);
    mutate(faults, &mut envelope, Shape::Envelope);
    envelope.to_string()
}

/// Applies what the faults do to a value of a shape, and to all that is in it.
pub(super) fn mutate(faults: &Faults, value: &mut Value, shape: Shape) {
    walk(value, shape, &mut |shape, object| mutate_shape(faults, shape, object));
}

/// Apart from the other faults and after them, since it changes the names that a walk goes by.
fn rename(faults: &Faults, value: &mut Value, shape: Shape) {
    if faults.has(FaultId::SnakeCase) {
        walk(value, shape, &mut |_, object| snake_members(object));
    }
}

fn snake_members(object: &mut Value) {
    if let Value::Object(map) = object {
        *map = std::mem::take(map).into_iter().map(|(name, value)| (snake_case(&name), value)).collect();
    }
}

/// Texts of messages and artifacts, once all else is done with them.
fn latin1_texts(shape: Shape, object: &mut Value) {
    let holder = match shape {
        Shape::Artifact => Some(object),
        Shape::Status | Shape::Wrapper => object.get_mut("message"),
        _ => None,
    };
    if let Some(holder) = holder {
        elements(holder, "parts").iter_mut().for_each(|part| latin1(part, "text"));
    }
}

pub(super) fn latin1(object: &mut Value, name: &str) {
    if let Some(Value::String(text)) = object.get_mut(name) {
        text.push_str(" (caf");
        text.push(LATIN1_MARK);
        text.push(')');
    }
}
