//! JSON-RPC 2.0: a request's envelope in, an answer's envelope out, and errors as 1.0 §9.5 writes them.

use serde_json::Value;

use super::bend;
use super::data::{data, remove, set, set_text, text};
use super::fault::{FaultId, Faults};
use super::operations::Reply;
use super::{ScriptedAgent, Served, answer, html_page, json_answer};
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{ErrorName, Operation};
use crate::host::Answer;
use crate::wire::http::{Headers, Request};
use crate::wire::json;

/// An error that the agent answers.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    name: ErrorName,
    message: String,
    /// Of `ErrorInfo`.
    metadata: Vec<(&'static str, String)>,
    /// Of `BadRequest`: field and description.
    fields: Vec<(String, String)>,
}

impl Refusal {
    pub(super) fn of(name: ErrorName, message: &str) -> Self {
        Self { name, message: message.to_owned(), metadata: Vec::new(), fields: Vec::new() }
    }

    /// The same with one more entry in its `ErrorInfo`.
    pub(super) fn with(mut self, key: &'static str, value: &str) -> Self {
        self.metadata.push((key, value.to_owned()));
        self
    }

    pub(super) fn task_not_found(id: &str) -> Self {
        Self::of(ErrorName::TaskNotFound, "there is no task of that id").with("taskId", id)
    }

    /// What the task of that id cannot do.
    pub(super) fn unsupported(message: &str, id: &str) -> Self {
        Self::of(ErrorName::UnsupportedOperation, message).with("taskId", id)
    }

    pub(super) fn internal() -> Self {
        Self::of(ErrorName::Internal, "something broke")
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

    fn to_value(&self, faults: &Faults) -> Value {
        let internal = self.name == ErrorName::InvalidParams && faults.has(FaultId::BadParamsWrongCode);
        let name = if internal { ErrorName::Internal } else { self.name };
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
        let mut error = data(r#"{"code":0,"message":"{message}"}"#, &[("{message}", &self.message)]);
        set(&mut error, "code", V1_0.error_code(name).into());
        if !details.is_empty() {
            set(&mut error, "data", details.into());
        }
        error
    }
}

/// A call whose answer is still to be written.
pub(super) struct Call {
    id: Value,
    /// None for what is no call of an operation.
    operation: Option<Operation>,
}

impl Call {
    /// The answer to the call.
    pub(super) fn answer(&self, agent: &ScriptedAgent, outcome: Result<Value, Refusal>) -> Answer {
        let envelope = match outcome {
            Ok(result) => envelope(&self.id, "result", result),
            Err(refusal) => envelope(&self.id, "error", refusal.to_value(&agent.0.faults)),
        };
        self.written(agent, envelope)
    }

    fn written(&self, agent: &ScriptedAgent, envelope: Value) -> Answer {
        let faults = &agent.0.faults;
        json_answer(200, bend::media_type(faults), bend::body(faults, self.operation, envelope))
    }
}

impl ScriptedAgent {
    /// Answers a POST to the endpoint.
    pub(super) fn call(&self, request: &Request) -> Served {
        let Some(mut document) = body_of(request) else { return Served::Answer(self.malformed()) };
        if document.is_array() && self.has(FaultId::BatchBreaks) {
            return Served::Answer(html_page(500, "Internal Server Error"));
        }
        let (mut call, outcome) = self.read_call(request, &mut document);
        let outcome = match outcome {
            Ok(operation) => {
                call.operation = Some(operation);
                self.operate(operation, document.get("params"))
            }
            Err(outcome) => outcome.map(Reply::Result),
        };
        // JSON-RPC 2.0 §4.1: what has no id is done and not answered.
        let silent = call.operation.is_some() && document.get("id").is_none();
        match outcome {
            _ if silent && !self.has(FaultId::NotificationAnswered) => {
                Served::Answer(answer(204, Headers::new(), Vec::new()))
            }
            Ok(Reply::Result(value)) => Served::Answer(call.answer(self, Ok(value))),
            Ok(Reply::Events(events)) => Served::Answer(events.into_answer(call.id)),
            Ok(Reply::Wait(wait)) => Served::Wait(call, wait),
            Ok(Reply::HangUp) => Served::HangUp("the agent hung up"),
            Err(refusal) => Served::Answer(call.answer(self, Err(refusal))),
        }
    }

    /// The call that a document is, and the operation that it asks for or else what is answered.
    fn read_call(&self, request: &Request, document: &mut Value) -> (Call, Result<Operation, Result<Value, Refusal>>) {
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
        let call = Call { id, operation: None };
        let nothing = || Err(Ok(data("{}", &[])));
        if accepted {
            return (call, nothing());
        }
        if !reasons.is_empty() {
            let internal = self.has(FaultId::InvalidRequestWrongCode);
            let name = if internal { ErrorName::Internal } else { ErrorName::InvalidRequest };
            let refusal = Refusal { fields: reasons, ..Refusal::of(name, "this is no JSON-RPC 2.0 request") };
            return (call, Err(Err(refusal)));
        }
        if let Err(refusal) = self.check_version(request) {
            return (call, Err(Err(refusal)));
        }
        let method = text(document, "method");
        let operation = match V1_0.methods.iter().find(|(_, known)| *known == method) {
            Some((operation, _)) => Ok(*operation),
            None if self.has(FaultId::UnknownMethodAccepted) => nothing(),
            None => {
                let wrong = self.has(FaultId::UnknownMethodWrongCode);
                let name = if wrong { ErrorName::InvalidRequest } else { ErrorName::MethodNotFound };
                Err(Err(Refusal::of(name, &format!("there is no method {method:?}"))))
            }
        };
        (call, operation)
    }

    fn malformed(&self) -> Answer {
        if self.has(FaultId::ParseErrorHtml) {
            return html_page(500, "Internal Server Error");
        }
        let internal = self.has(FaultId::ParseErrorWrongCode);
        let name = if internal { ErrorName::Internal } else { ErrorName::Parse };
        let error = Refusal::of(name, "the body is not JSON").to_value(&self.0.faults);
        let mut envelope = envelope(&Value::Null, "error", error);
        if self.has(FaultId::ParseErrorNoId) {
            remove(&mut envelope, "id");
        }
        Call { id: Value::Null, operation: None }.written(self, envelope)
    }

    /// 1.0 §3.6: major and minor number count, and no version means 0.3.
    fn check_version(&self, request: &Request) -> Result<(), Refusal> {
        let asked = request.headers.get("a2a-version").or_else(|| query(&request.url, "a2a-version"));
        let asked = asked.unwrap_or_default().trim();
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
        Err(Refusal::of(ErrorName::VersionNotSupported, &message).with("version", version))
    }
}

/// The JSON that a request's body is.
pub(super) fn body_of(request: &Request) -> Option<Value> {
    json::read(request.body.as_deref().unwrap_or_default())
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

/// A parameter of the URL's query, by its name without regard to case.
fn query<'a>(url: &'a str, name: &str) -> Option<&'a str> {
    let (_, query) = url.split_once('?')?;
    let query = query.split('#').next().unwrap_or_default();
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, v)| v)
}
