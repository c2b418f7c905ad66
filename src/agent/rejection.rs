//! The errors that the agent answers, as 1.0 §9.5 and older versions write them.

use serde_json::Value;

use super::fault::{FaultId, Faults};
use super::json_values::{data, set, set_text};
use super::served_version::{CURRENT, ServedVersion};
use crate::a2a::model::ErrorName;

/// An error that the agent answers.
#[derive(Debug, Clone)]
pub(super) struct Rejection {
    name: ErrorName,
    message: String,
    /// The metadata of `ErrorInfo`.
    metadata: Vec<(&'static str, String)>,
    /// The field violations of `BadRequest`: field and description.
    fields: Vec<(String, String)>,
}

impl Rejection {
    pub(super) fn of(name: ErrorName, message: &str) -> Self {
        Self { name, message: message.to_owned(), metadata: Vec::new(), fields: Vec::new() }
    }

    /// Adds an entry to the metadata of its `ErrorInfo`.
    pub(super) fn with(mut self, key: &'static str, value: &str) -> Self {
        self.metadata.push((key, value.to_owned()));
        self
    }

    pub(super) fn task_not_found(id: &str) -> Self {
        Self::of(ErrorName::TaskNotFound, "there is no task with that id").with("taskId", id)
    }

    /// The task has finished, and the operation needs one that has not. 0.1 has an error of its own for this.
    pub(super) fn task_finished(message: &str, id: &str) -> Self {
        Self::of(ErrorName::InvalidTaskState, message).with("taskId", id)
    }

    pub(super) fn unsupported(message: &str, id: &str) -> Self {
        Self::of(ErrorName::UnsupportedOperation, message).with("taskId", id)
    }

    /// The same, but UnsupportedOperationError in place of TaskNotCancelableError.
    pub(super) fn not_cancelable_as_unsupported(self) -> Self {
        let name = if self.name == ErrorName::TaskNotCancelable { ErrorName::UnsupportedOperation } else { self.name };
        Self { name, ..self }
    }

    pub(super) fn internal() -> Self {
        Self::of(ErrorName::Internal, "an internal error occurred")
    }

    pub(super) fn invalid(field: &str, description: &str) -> Self {
        Self::invalid_fields(vec![(field.to_owned(), description.to_owned())])
    }

    /// The parameters are invalid because of these fields, each with a description.
    pub(super) fn invalid_fields(fields: Vec<(String, String)>) -> Self {
        let mut message = "invalid parameters".to_owned();
        let mut separator = ": ";
        for (field, description) in &fields {
            for piece in [separator, field, " ", description] {
                message.push_str(piece);
            }
            separator = "; ";
        }
        Self { fields, ..Self::of(ErrorName::InvalidParams, &message) }
    }

    /// The request is not one of JSON-RPC 2.0, because of these fields; a fault answers with another name.
    pub(super) fn invalid_request(name: ErrorName, fields: Vec<(String, String)>) -> Self {
        Self { fields, ..Self::of(name, "this is not a JSON-RPC 2.0 request") }
    }

    /// The name of the error in this version.
    pub(super) fn name(&self, served_version: &ServedVersion, faults: &Faults) -> ErrorName {
        let internal = self.name == ErrorName::InvalidParams && faults.has(FaultId::BadParamsWrongCode);
        if internal { ErrorName::Internal } else { served_version.error(self.name) }
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// The typed details, the same in both bindings (1.0 §9.5, §11.6); null if there are none.
    pub(super) fn details(&self, name: ErrorName) -> Value {
        let mut details = Vec::new();
        if let Some(reason) = CURRENT.dialect.error_reason(name) {
            let mut info = data(
                r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"{reason}","domain":"a2a-protocol.org"}"#,
                &[("{reason}", reason)],
            );
            let mut metadata = data("{}", &[]);
            for (key, value) in &self.metadata {
                set_text(&mut metadata, key, value);
            }
            if !self.metadata.is_empty() {
                set(&mut info, "metadata", metadata);
            }
            details.push(info);
        }
        if !self.fields.is_empty() {
            let mut violations = Vec::new();
            for (field, description) in &self.fields {
                violations.push(data(
                    r#"{"field":"{field}","description":"{description}"}"#,
                    &[("{field}", field), ("{description}", description)],
                ));
            }
            let mut bad = data(r#"{"@type":"type.googleapis.com/google.rpc.BadRequest"}"#, &[]);
            set(&mut bad, "fieldViolations", violations.into());
            details.push(bad);
        }
        if details.is_empty() { Value::Null } else { details.into() }
    }

    /// The error as JSON-RPC writes it.
    pub(super) fn to_value(&self, served_version: &ServedVersion, faults: &Faults) -> Value {
        let name = self.name(served_version, faults);
        let mut error = data(r#"{"code":0,"message":"{message}"}"#, &[("{message}", &self.message)]);
        set(&mut error, "code", served_version.dialect.error_code(name).into());
        set(&mut error, "data", if served_version.older.is_some() { self.plain_details() } else { self.details(name) });
        error
    }

    /// The details as one object, the form being free in older versions (0.3 §8.2); null if there are none.
    fn plain_details(&self) -> Value {
        let mut details = data("{}", &[]);
        for (key, value) in &self.metadata {
            set_text(&mut details, key, value);
        }
        for (field, description) in &self.fields {
            set_text(&mut details, field, description);
        }
        if self.metadata.is_empty() && self.fields.is_empty() { Value::Null } else { details }
    }
}
