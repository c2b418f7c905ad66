//! JSON-RPC 2.0: a request's envelope in, an answer's envelope out, and errors as 1.0 §9.5 writes them.

use serde_json::{Value, json};

use super::ScriptedAgent;
use super::bend;
use super::fault::{FaultId, Faults};
use super::operations::Reply;
use super::params::Unfit;
use super::state::set;
use super::{Served, html_page, json_answer};
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{ErrorName, Operation};
use crate::wire::exchange::{Trouble, TroubleKind};
use crate::wire::http::Request;

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
    pub(super) fn of(name: ErrorName, message: impl Into<String>) -> Self {
        Self { name, message: message.into(), metadata: Vec::new(), fields: Vec::new() }
    }

    /// The same with one more entry in its `ErrorInfo`.
    pub(super) fn with(mut self, key: &'static str, value: &str) -> Self {
        self.metadata.push((key, value.to_owned()));
        self
    }

    pub(super) fn task_not_found(id: &str) -> Self {
        Self::of(ErrorName::TaskNotFound, "there is no task of that id").with("taskId", id)
    }

    pub(super) fn internal() -> Self {
        Self::of(ErrorName::Internal, "something broke")
    }

    pub(super) fn invalid(field: &str, description: &str) -> Self {
        Self::invalid_fields(vec![(field.to_owned(), description.to_owned())])
    }

    pub(super) fn invalid_fields(fields: Vec<(String, String)>) -> Self {
        let said: Vec<_> = fields.iter().map(|(field, description)| format!("{field} {description}")).collect();
        let message = format!("invalid parameters: {}", said.join("; "));
        Self { fields, ..Self::of(ErrorName::InvalidParams, message) }
    }

    fn to_value(&self, faults: &Faults) -> Value {
        let internal = self.name == ErrorName::InvalidParams && faults.has(FaultId::BadParamsWrongCode);
        let name = if internal { ErrorName::Internal } else { self.name };
        let mut error = json!({ "code": V1_0.error_code(name), "message": self.message });
        let mut details = Vec::new();
        if let Some(reason) = V1_0.error_reason(name) {
            let mut info = json!({
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": reason,
                "domain": "a2a-protocol.org",
            });
            let metadata: Value = self.metadata.iter().cloned().collect();
            set(&mut info, "metadata", (!self.metadata.is_empty()).then_some(metadata));
            details.push(info);
        }
        if !self.fields.is_empty() {
            let violations: Vec<_> = self
                .fields
                .iter()
                .map(|(field, description)| json!({ "field": field, "description": description }))
                .collect();
            details.push(json!({
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": violations,
            }));
        }
        set(&mut error, "data", (!details.is_empty()).then_some(details));
        error
    }
}

/// What a POST holds.
enum Posted<'a> {
    Call {
        id: &'a Value,
        method: &'a str,
        params: Option<&'a Value>,
    },
    /// No request, for these reasons.
    Other {
        id: Value,
        reasons: Vec<(String, String)>,
        accepted: bool,
    },
}

impl<'a> Posted<'a> {
    fn read(document: &'a Value, faults: &Faults) -> Self {
        let bad = |field: &str, description: &str| (field.to_owned(), description.to_owned());
        let Some(map) = document.as_object() else {
            // JSON-RPC allows batches; A2A does not speak of them.
            let reasons = vec![bad("request", "must be one JSON object")];
            return Self::Other { id: Value::Null, reasons, accepted: false };
        };
        let id = map.get("id");
        let id_fits = |id: &Value| id.is_string() || id.is_i64() || id.is_u64() || id.is_null();
        let mut reasons = Vec::new();
        if map.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            reasons.push(bad("jsonrpc", "must be \"2.0\""));
        }
        let method = map.get("method").and_then(Value::as_str);
        if method.is_none() {
            reasons.push(bad("method", "must be a string"));
        }
        let accepted = !reasons.is_empty() && faults.has(FaultId::InvalidRequestAccepted);
        if !id.is_some_and(id_fits) {
            reasons.push(bad("id", "must be a string or an integer"));
        }
        match (id, method) {
            (Some(id), Some(method)) if reasons.is_empty() => Self::Call { id, method, params: map.get("params") },
            _ => Self::Other { id: id.filter(|id| id_fits(id)).cloned().unwrap_or_default(), reasons, accepted },
        }
    }
}

impl ScriptedAgent {
    /// Answers a POST to the endpoint.
    pub(super) async fn call(&self, request: &Request) -> Served {
        let faults = &self.0.faults;
        let body = request.body.as_deref().unwrap_or_default();
        let document: Value = match serde_json::from_slice(body) {
            Ok(document) => document,
            Err(_) => return Ok(self.malformed()),
        };
        let (id, method, params) = match Posted::read(&document, faults) {
            Posted::Call { id, method, params } => (id, method, params),
            Posted::Other { id, accepted: true, .. } => return self.answer(&id, None, Ok(json!({}))),
            Posted::Other { id, reasons, .. } => {
                let internal = faults.has(FaultId::InvalidRequestWrongCode);
                let name = if internal { ErrorName::Internal } else { ErrorName::InvalidRequest };
                let refusal = Refusal { fields: reasons, ..Refusal::of(name, "this is no JSON-RPC 2.0 request") };
                return self.answer(&id, None, Err(refusal));
            }
        };
        if let Err(refusal) = check_version(request, faults) {
            return self.answer(id, None, Err(refusal));
        }
        let Some((operation, _)) = V1_0.methods.iter().find(|(_, known)| *known == method) else {
            if faults.has(FaultId::UnknownMethodAccepted) {
                return self.answer(id, None, Ok(json!({})));
            }
            let wrong = faults.has(FaultId::UnknownMethodWrongCode);
            let name = if wrong { ErrorName::InvalidRequest } else { ErrorName::MethodNotFound };
            return self.answer(id, None, Err(Refusal::of(name, format!("there is no method {method:?}"))));
        };
        match self.operate(*operation, params).await {
            Ok(Reply::Result(value)) => self.answer(id, Some(*operation), Ok(value)),
            Ok(Reply::Events(events)) => Ok(events.into_answer(id.clone())),
            Err(Unfit::Refused(refusal)) => self.answer(id, Some(*operation), Err(refusal)),
            Err(Unfit::Crash) => Err(Trouble { kind: TroubleKind::Closed, detail: "the agent hung up".to_owned() }),
        }
    }

    fn answer(&self, id: &Value, operation: Option<Operation>, outcome: Result<Value, Refusal>) -> Served {
        let faults = &self.0.faults;
        let envelope = envelope(id, outcome, faults);
        Ok(json_answer(200, bend::media_type(faults), bend::body(faults, operation, envelope)))
    }

    fn malformed(&self) -> crate::host::Answer {
        let faults = &self.0.faults;
        if faults.has(FaultId::ParseErrorHtml) {
            return html_page(500, "Internal Server Error");
        }
        let internal = faults.has(FaultId::ParseErrorWrongCode);
        let name = if internal { ErrorName::Internal } else { ErrorName::Parse };
        let mut envelope = envelope(&Value::Null, Err(Refusal::of(name, "the body is not JSON")), faults);
        if let Some(map) = envelope.as_object_mut().filter(|_| faults.has(FaultId::ParseErrorNoId)) {
            map.shift_remove("id");
        }
        json_answer(200, bend::media_type(faults), bend::body(faults, None, envelope))
    }
}

/// An answer in its envelope, before faults of form.
fn envelope(id: &Value, outcome: Result<Value, Refusal>, faults: &Faults) -> Value {
    match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(refusal) => json!({ "jsonrpc": "2.0", "id": id, "error": refusal.to_value(faults) }),
    }
}

/// 1.0 §3.6: major and minor number count, and no version means 0.3.
fn check_version(request: &Request, faults: &Faults) -> Result<(), Refusal> {
    let asked =
        request.headers.get("a2a-version").or_else(|| query(&request.url, "a2a-version")).unwrap_or_default().trim();
    let exact = asked == V1_0.version;
    let mut numbers = asked.split('.');
    let fits = format!("{}.{}", numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default()) == V1_0.version;
    let served = if faults.has(FaultId::VersionRefused) {
        false
    } else if asked.is_empty() {
        faults.has(FaultId::VersionAbsentAccepted)
    } else if faults.has(FaultId::VersionPatchRefused) {
        exact
    } else {
        fits || faults.has(FaultId::VersionIgnored)
    };
    if served {
        return Ok(());
    }
    let version = if asked.is_empty() { "0.3" } else { asked };
    let message = format!("version {version} is not served here; version {} is", V1_0.version);
    Err(Refusal::of(ErrorName::VersionNotSupported, message).with("version", version))
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
