//! JSON-RPC 2.0: a request's envelope in, an answer's envelope out, and errors as 1.0 §9.5 writes them.

use std::iter::repeat;

use serde_json::Value;

use super::call::{Call, CallForm};
use super::fault::{FaultId, Faults};
use super::json_values::{data, set, set_text, text};
use super::mutate;
use super::operations::OperationReply;
use super::served_version::ServedVersion;
use super::{Handled, ScriptedAgent, html_page, json_answer, path_of};
use crate::a2a::dialect::v0_3::V0_3;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{ErrorName, Operation};
use crate::host::StreamedResponse;
use crate::wire::http::{Headers, Request};
use crate::wire::json;

/// An error that the agent answers.
#[derive(Debug, Clone)]
pub(super) struct Rejection {
    name: ErrorName,
    message: String,
    /// Of `ErrorInfo`.
    metadata: Vec<(&'static str, String)>,
    /// Of `BadRequest`: field and description.
    fields: Vec<(String, String)>,
}

impl Rejection {
    pub(super) fn of(name: ErrorName, message: &str) -> Self {
        Self { name, message: message.to_owned(), metadata: Vec::new(), fields: Vec::new() }
    }

    /// The same with one more entry in its `ErrorInfo`.
    pub(super) fn with(mut self, key: &'static str, value: &str) -> Self {
        self.metadata.push((key, value.to_owned()));
        self
    }

    pub(super) fn task_not_found(id: &str) -> Self {
        Self::of(ErrorName::TaskNotFound, "there is no task with that id").with("taskId", id)
    }

    /// What the task of that id is not done for any more. 0.1 has an error for it.
    pub(super) fn finished(message: &str, id: &str) -> Self {
        Self::of(ErrorName::InvalidTaskState, message).with("taskId", id)
    }

    /// What the task of that id cannot do.
    pub(super) fn unsupported(message: &str, id: &str) -> Self {
        Self::of(ErrorName::UnsupportedOperation, message).with("taskId", id)
    }

    /// What a fault answers in place of TaskNotCancelableError.
    pub(super) fn misnamed(self) -> Self {
        let name = if self.name == ErrorName::TaskNotCancelable { ErrorName::UnsupportedOperation } else { self.name };
        Self { name, ..self }
    }

    pub(super) fn internal() -> Self {
        Self::of(ErrorName::Internal, "an internal error occurred")
    }

    pub(super) fn invalid(field: &str, description: &str) -> Self {
        Self::invalid_fields(vec![(field.to_owned(), description.to_owned())])
    }

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

    /// The name under which the error is answered.
    pub(super) fn name(&self, served_version: &ServedVersion, faults: &Faults) -> ErrorName {
        let internal = self.name == ErrorName::InvalidParams && faults.has(FaultId::BadParamsWrongCode);
        if internal { ErrorName::Internal } else { served_version.error(self.name) }
    }

    /// What is said to people.
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// The typed details, which both bindings write alike (1.0 §9.5, §11.6); null if there are none.
    pub(super) fn details(&self, name: ErrorName) -> Value {
        let mut details = Vec::new();
        if let Some(reason) = V1_0.error_reason(name) {
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

    /// The details as one object, which older versions leave to the agent (0.3 §8.2); null if there are none.
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

/// The answer to a call: its outcome in an envelope.
pub(super) fn answer(
    served_version: &ServedVersion,
    faults: &Faults,
    id: &Value,
    outcome: Result<Value, Rejection>,
) -> StreamedResponse {
    let mut envelope = match outcome {
        Ok(result) => envelope(id, "result", result),
        Err(refusal) => envelope(id, "error", refusal.to_value(served_version, faults)),
    };
    mutate::mutate(faults, &mut envelope, mutate::Shape::Envelope);
    if served_version.older.is_some() {
        mutate::mutate_older_shape(faults, mutate::Shape::Envelope, &mut envelope);
    }
    json_answer(200, mutate::media_type(faults, "application/json"), mutate::bytes(faults, &envelope))
}

impl ScriptedAgent {
    /// Answers a POST to the endpoint.
    pub(super) fn call(&self, served_version: &'static ServedVersion, request: &Request) -> Handled {
        let Some(mut document) = body_of(request) else {
            let call = Call { served_version, form: CallForm::Rpc(Value::Null), operation: None };
            return Handled::Answer(self.malformed(&call));
        };
        if document.is_array() && self.has(FaultId::BatchBreaks) {
            return Handled::Answer(html_page(500, "Internal Server Error"));
        }
        let (mut call, outcome) = self.read_call(served_version, request, &mut document);
        let outcome = match outcome {
            Ok(operation) => {
                call.operation = Some(operation);
                let params = served_version.translate_params(operation, document.get("params"));
                let checked = self.check_extensions(served_version, operation, request);
                checked.and_then(|()| self.operate(served_version, operation, params.as_ref()))
            }
            Err(outcome) => outcome.map(OperationReply::Result),
        };
        // JSON-RPC 2.0 §4.1: what has no id is done and not answered, not even with an error.
        let asks = text(&document, "jsonrpc") == "2.0" && document.get("method").is_some_and(Value::is_string);
        if asks && document.get("id").is_none() && !self.has(FaultId::NotificationAnswered) {
            return Handled::Answer(super::answer(204, Headers::new(), Vec::new()));
        }
        call.served(self, outcome)
    }

    /// The call that a document is, and the operation that it asks for or else what is answered.
    fn read_call(
        &self,
        served_version: &'static ServedVersion,
        request: &Request,
        document: &mut Value,
    ) -> (Call, Result<Operation, Result<Value, Rejection>>) {
        let mut reasons = Vec::new();
        let mut bad = |field: &str, description: &str| reasons.push((field.to_owned(), description.to_owned()));
        let mut id = Value::Null;
        let mut accepted = false;
        if document.is_object() {
            if text(document, "jsonrpc") != "2.0" {
                bad("jsonrpc", "must be \"2.0\"");
                accepted = self.has(FaultId::InvalidRequestAccepted);
            }
            if !document.get("method").is_some_and(Value::is_string) {
                bad("method", "must be a string");
                accepted = self.has(FaultId::InvalidRequestAccepted);
            }
            match document.get_mut("id") {
                None => {}
                Some(given) if given.is_string() || given.is_i64() || given.is_u64() || given.is_null() => {
                    id = given.take();
                }
                _ => bad("id", "must be a string or an integer"),
            }
        } else {
            // JSON-RPC allows batches; A2A does not speak of them.
            bad("request", "must be one JSON object");
        }
        let call = Call { served_version, form: CallForm::Rpc(id), operation: None };
        let nothing = || Err(Ok(data("{}", &[])));
        if accepted {
            return (call, nothing());
        }
        if !reasons.is_empty() {
            let internal = self.has(FaultId::InvalidRequestWrongCode);
            let name = if internal { ErrorName::Internal } else { ErrorName::InvalidRequest };
            let refusal = Rejection { fields: reasons, ..Rejection::of(name, "this is not a JSON-RPC 2.0 request") };
            return (call, Err(Err(refusal)));
        }
        if let Err(refusal) = self.check_version(served_version, request) {
            return (call, Err(Err(refusal)));
        }
        let method = text(document, "method");
        let methods = if self.has(FaultId::MethodsOf03) {
            V0_3.methods
        } else if self.has(FaultId::MethodsOf10) {
            V1_0.methods
        } else {
            served_version.dialect.methods
        };
        let operation = match methods.iter().find(|(_, known)| *known == method) {
            Some((operation, _)) => Ok(*operation),
            None if self.has(FaultId::UnknownMethodAccepted) => nothing(),
            None => {
                let wrong = self.has(FaultId::UnknownMethodWrongCode);
                let name = if wrong { ErrorName::InvalidRequest } else { ErrorName::MethodNotFound };
                Err(Err(Rejection::of(name, &format!("there is no method {method:?}"))))
            }
        };
        (call, operation)
    }

    /// The answer to a body that is not JSON.
    pub(super) fn malformed(&self, call: &Call) -> StreamedResponse {
        if self.has(FaultId::ParseErrorHtml) {
            return html_page(500, "Internal Server Error");
        }
        let internal = self.has(FaultId::ParseErrorWrongCode);
        let name = if internal { ErrorName::Internal } else { ErrorName::Parse };
        call.answer(self, Err(Rejection::of(name, "the body is not JSON")))
    }

    /// The version that a request names; an empty text if it names none.
    pub(super) fn asked_version<'a>(&self, request: &'a Request) -> &'a str {
        let in_query = || query(&request.url, "a2a-version").filter(|_| !self.has(FaultId::VersionQueryIgnored));
        request.headers.get("a2a-version").or_else(in_query).unwrap_or_default().trim()
    }

    /// 1.0 §3.6: major and minor number count, and no version means 0.3.
    pub(super) fn check_version(&self, served_version: &ServedVersion, request: &Request) -> Result<(), Rejection> {
        let asked = self.asked_version(request);
        if served_version.dialect.version_header.is_none() {
            return match asked {
                "" => Ok(()),
                _ if !self.has(FaultId::VersionHeaderRefused) => Ok(()),
                _ => Err(Rejection::of(ErrorName::InvalidRequest, "this agent does not support versions")),
            };
        }
        let patch = asked.strip_prefix(V1_0.version);
        let served = if self.has(FaultId::VersionRefused) {
            false
        } else if asked.is_empty() {
            self.has(FaultId::VersionAbsentAccepted)
        } else if self.has(FaultId::VersionPatchRefused) {
            patch == Some("")
        } else {
            patch.is_some_and(|patch| patch.is_empty() || patch.starts_with('.')) || self.has(FaultId::VersionIgnored)
        };
        if served {
            return Ok(());
        }
        let version = if asked.is_empty() { "0.3" } else { asked };
        let message = format!("version {version} is not served here; version {} is", V1_0.version);
        Err(Rejection::of(ErrorName::VersionNotSupported, &message).with("version", version))
    }
}

/// The JSON that a request's body is.
pub(super) fn body_of(request: &Request) -> Option<Value> {
    json::read(request.body.as_deref().unwrap_or_default())
}

/// Whether a request calls an operation, by its method or by its path.
pub(super) fn asks_for(served_version: &ServedVersion, request: &Request, operation: Operation) -> bool {
    let routed = served_version.dialect.routes.iter().any(|(known, method, route)| {
        let path = path_of(&request.url).rsplit('/').map(Some).chain(repeat(None));
        let same = |(wanted, given): (&str, Option<&str>)| wanted.starts_with('{') || given == Some(wanted);
        *known == operation
            && *method == request.method
            && route.trim_start_matches('/').rsplit('/').zip(path).all(same)
    });
    routed
        || body_of(request).is_some_and(|body| served_version.dialect.method(operation) == Some(text(&body, "method")))
}

/// A result or an error in its envelope, before faults of form.
pub(super) fn envelope(id: &Value, member: &str, value: Value) -> Value {
    let mut envelope = data(r#"{"jsonrpc":"2.0","id":null}"#, &[]);
    set(&mut envelope, "id", id.clone());
    if let Value::Object(map) = &mut envelope {
        // A result may be null.
        map.insert(member.to_owned(), value);
    }
    envelope
}

/// The pairs of name and value in a URL's query, as they are written there.
pub(super) fn query_pairs(url: &str) -> impl Iterator<Item = (&str, &str)> {
    let (_, query) = url.split_once('?').unwrap_or_default();
    query.split('#').next().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='))
}

/// A parameter of the URL's query, by its name without regard to case.
fn query<'a>(url: &'a str, name: &str) -> Option<&'a str> {
    query_pairs(url).find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}
