//! The errors that the agent answers, with names, messages and details, as 1.0 §9.5 and older versions write them.

use serde_json::{Value, json};

use super::fault::{FaultId, Faults};
use super::json_values::set;
use super::served_version::{CURRENT, ServedVersion};
use crate::a2a::model::ErrorName;

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
    pub(super) fn new(name: ErrorName, message: &str) -> Self {
        Self { name, message: message.to_owned(), metadata: Vec::new(), fields: Vec::new() }
    }

    /// Adds an entry to the metadata of its `ErrorInfo`.
    pub(super) fn with(mut self, key: &'static str, value: &str) -> Self {
        self.metadata.push((key, value.to_owned()));
        self
    }

    pub(super) fn task_not_found(id: &str) -> Self {
        Self::new(ErrorName::TaskNotFound, "there is no task with that id").with("taskId", id)
    }

    /// The same rejection with more to say.
    pub(super) fn and_says(mut self, more: &str) -> Self {
        self.message.push_str(more);
        self
    }

    /// The task has finished, and the operation needs one that has not. 0.1 has an error of its own for this.
    pub(super) fn task_finished(message: &str, id: &str) -> Self {
        Self::new(ErrorName::InvalidTaskState, message).with("taskId", id)
    }

    /// UnsupportedOperationError in place of TaskNotCancelableError.
    pub(super) fn not_cancelable_as_unsupported(self) -> Self {
        let name = if self.name == ErrorName::TaskNotCancelable { ErrorName::UnsupportedOperation } else { self.name };
        Self { name, ..self }
    }

    pub(super) fn internal() -> Self {
        Self::new(ErrorName::Internal, "an internal error occurred")
    }

    pub(super) fn invalid(field: &str, description: &str) -> Self {
        Self::invalid_fields(vec![(field.to_owned(), description.to_owned())])
    }

    /// The parameters are invalid because of these fields, each with a description.
    pub(super) fn invalid_fields(fields: Vec<(String, String)>) -> Self {
        let described: Vec<_> = fields.iter().map(|(field, description)| format!("{field} {description}")).collect();
        let message = format!("invalid parameters: {}", described.join("; "));
        Self { fields, ..Self::new(ErrorName::InvalidParams, &message) }
    }

    /// The request is not one of JSON-RPC 2.0, because of these fields; a fault answers with another name.
    pub(super) fn invalid_request(name: ErrorName, fields: Vec<(String, String)>) -> Self {
        Self { fields, ..Self::new(name, "this is not a JSON-RPC 2.0 request") }
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
            let type_url = "type.googleapis.com/google.rpc.ErrorInfo";
            let mut info = json!({"@type": type_url, "reason": reason, "domain": "a2a-protocol.org"});
            if !self.metadata.is_empty() {
                set(&mut info, "metadata", self.metadata.iter().cloned().collect());
            }
            details.push(info);
        }
        if !self.fields.is_empty() {
            let violation =
                |(field, description): &(String, String)| json!({"field": field, "description": description});
            let violations: Vec<Value> = self.fields.iter().map(violation).collect();
            details.push(json!({"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations}));
        }
        if details.is_empty() { Value::Null } else { details.into() }
    }

    /// The error as JSON-RPC writes it.
    pub(super) fn to_value(&self, served_version: &ServedVersion, faults: &Faults) -> Value {
        let name = self.name(served_version, faults);
        let mut error = json!({"code": served_version.dialect.error_code(name), "message": self.message});
        set(&mut error, "data", if served_version.older.is_some() { self.plain_details() } else { self.details(name) });
        error
    }

    /// The details as one object, the form being free in older versions (0.3 §8.2); null if there are none.
    fn plain_details(&self) -> Value {
        let metadata = self.metadata.iter().map(|(key, value)| (*key, value.as_str()));
        let fields = self.fields.iter().map(|(field, description)| (field.as_str(), description.as_str()));
        let details: Vec<(&str, &str)> = metadata.chain(fields).collect();
        if details.is_empty() { Value::Null } else { details.into_iter().collect() }
    }
}
