//! Encodes results, errors and events: applies faults of form, translates into the version, and writes body and media type as the
//! binding has them.

use serde_json::{Value, json};

use super::call_form::{CallForm, IncomingCall};
use super::fault::{FaultId, Faults};
use super::form_faults::{mutate, mutate_object, mutate_older_object, to_snake_case};
use super::json_values::{set, wrap};
use super::latin1;
use super::rejection::Rejection;
use super::responses::typed_response;
use super::served_version::CURRENT;
use super::shape::Shape;
use crate::a2a::binding::rest::A2A_JSON;
use crate::a2a::model::{ErrorName, Operation};
use crate::host::StreamedResponse;

impl IncomingCall {
    /// Turns the result of an operation, in the shape of 1.0, into that of the version.
    pub(super) fn encode_result(&self, faults: &Faults, operation: Operation, result: &mut Value) {
        let Some(shape) = Shape::of_result(operation) else { return };
        mutate(faults, result, shape);
        if faults.has(FaultId::Latin1Body) {
            latin1::mark_texts(result, shape);
        }
        if self.served_version.older.is_none() {
            to_snake_case(faults, result, shape);
        }
        mutate_object(faults, Shape::Result(operation), result);
        self.served_version.translate_answer(faults, &self.form, result, shape);
        mutate_object(faults, Shape::Answer(operation), result);
    }

    pub(super) fn encode_event(&self, faults: &Faults, mut payload: Value) -> String {
        mutate(faults, &mut payload, Shape::Wrapper);
        self.served_version.translate_answer(faults, &self.form, &mut payload, Shape::Wrapper);
        if self.served_version.older.is_none() {
            to_snake_case(faults, &mut payload, Shape::Wrapper);
        }
        let id = match &self.form {
            CallForm::Rpc(_) if faults.has(FaultId::StreamBareEvents) => return payload.to_string(),
            CallForm::Rpc(_) if faults.has(FaultId::StreamOtherId) => &Value::from("another-id"),
            CallForm::Rpc(id) => id,
            CallForm::Http if faults.has(FaultId::SseEnveloped) => &Value::Null,
            CallForm::Http | CallForm::Grpc(_) => return payload.to_string(),
        };
        let mut envelope = envelope(id, "result", payload);
        mutate(faults, &mut envelope, Shape::Envelope);
        envelope.to_string()
    }

    /// The answer over JSON-RPC: a result or an error in an envelope.
    pub(super) fn rpc_answer(
        &self,
        faults: &Faults,
        id: &Value,
        outcome: Result<Value, Rejection>,
    ) -> StreamedResponse {
        let mut envelope = match outcome {
            Ok(result) => envelope(id, "result", result),
            Err(rejection) => envelope(id, "error", rejection.to_value(self.served_version, faults)),
        };
        mutate(faults, &mut envelope, Shape::Envelope);
        if self.served_version.older.is_some() {
            mutate_older_object(faults, Shape::Envelope, &mut envelope);
        }
        typed_response(200, media_type(faults, "application/json"), bytes(faults, &envelope))
    }

    /// The answer over HTTP+JSON: a result that is not wrapped, or an error with its status (1.0 §11.6).
    pub(super) fn http_answer(&self, faults: &Faults, outcome: Result<Value, Rejection>) -> StreamedResponse {
        let served_version = self.served_version;
        let (status, value) = match outcome {
            Ok(result) => (200, result),
            // 0.3 §3.2.3 wants one form for all errors, and that of JSON-RPC has the codes.
            Err(rejection) if served_version.older.is_some() => {
                let mut error = rejection.to_value(served_version, faults);
                mutate(faults, &mut error, Shape::Error);
                let status = served_version.dialect.status_of(rejection.name(served_version, faults));
                if faults.has(FaultId::ErrorsAsText) {
                    return typed_response(status, "text/plain", rejection.message().as_bytes().to_vec());
                }
                (if faults.has(FaultId::RestErrorsOk) { 200 } else { status }, error)
            }
            Err(rejection) => {
                let name = rejection.name(served_version, faults);
                let wrong = CURRENT.dialect.error_reason(name).is_some() && faults.has(FaultId::StatusAlways500);
                let status = if wrong { 500 } else { CURRENT.dialect.status_of(name) };
                let mut error = json!({"code": status, "status": grpc_status(name), "message": rejection.message()});
                set(&mut error, "details", rejection.details(name));
                let mut body = wrap("error", error);
                mutate(faults, &mut body, Shape::HttpError);
                (status, body)
            }
        };
        let plain = served_version.older.is_some() || faults.has(FaultId::PlainJson);
        let usual = if plain { "application/json" } else { A2A_JSON };
        typed_response(status, media_type(faults, usual), bytes(faults, &value))
    }
}

/// A result or an error in JSON-RPC's envelope, before faults of form.
fn envelope(id: &Value, member: &str, value: Value) -> Value {
    let mut envelope = json!({"jsonrpc": "2.0", "id": id});
    if let Value::Object(map) = &mut envelope {
        // Not `set`: a result may be null.
        map.insert(member.to_owned(), value);
    }
    envelope
}

fn media_type(faults: &Faults, usual: &'static str) -> &'static str {
    if faults.has(FaultId::AnswersTextPlain) { "text/plain" } else { usual }
}

fn bytes(faults: &Faults, answer: &Value) -> Vec<u8> {
    let mut text = answer.to_string();
    if faults.has(FaultId::TextBehindJson) {
        text.push_str("\n{\"level\":\"info\"}");
    }
    if faults.has(FaultId::Latin1Body) { latin1::encode(&text) } else { text.into_bytes() }
}

/// 1.0 §5.4.
pub(super) const fn grpc_status(name: ErrorName) -> &'static str {
    match name {
        ErrorName::TaskNotFound | ErrorName::MethodNotFound => "NOT_FOUND",
        ErrorName::Internal | ErrorName::InvalidAgentResponse => "INTERNAL",
        ErrorName::Parse
        | ErrorName::InvalidRequest
        | ErrorName::InvalidParams
        | ErrorName::ContentTypeNotSupported => "INVALID_ARGUMENT",
        _ => "FAILED_PRECONDITION",
    }
}
