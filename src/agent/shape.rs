//! The shapes of A2A's objects, and a walk over a value by its shape. Faults and older versions change objects by shape.

use serde_json::Value;

use crate::a2a::model::Operation;

/// The kind of object that a value is, by which the walk finds the objects inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Card,
    /// JSON-RPC's envelope of a result or an error.
    Envelope,
    /// The object that HTTP+JSON wraps an error in.
    HttpError,
    /// An error, with the members of either binding.
    Error,
    ErrorDetail,
    /// The whole result of an operation in the shape of 1.0, after the objects inside it.
    Result(Operation),
    /// The whole result of an operation in the shape of the version served.
    Answer(Operation),
    /// The object that wraps the result of a send, or the payload of an event, by its kind.
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
    /// The shape of an operation's result; none if no table changes anything inside it.
    pub(super) const fn of_result(operation: Operation) -> Option<Self> {
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

/// Visits the objects of a value, inner ones first, and every element of a list. Members with content of the user's choice
/// (metadata, data) are not entered.
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

/// Replaces a wrapper by the task, message or update inside it.
pub(super) fn unwrap_payload(wrapper: &mut Value) {
    let payload = Shape::Wrapper.members().iter().find_map(|(name, _)| wrapper.get(*name)).cloned();
    if let Some(payload) = payload {
        *wrapper = payload;
    }
}
