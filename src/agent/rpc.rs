//! JSON-RPC 2.0: reads a request's envelope and calls its operation.

use serde_json::Value;

use super::call::Handled;
use super::call_form::{CallForm, IncomingCall};
use super::fault::FaultId;
use super::json_values::{data, text};
use super::operation_reply::OperationReply;
use super::rejection::Rejection;
use super::request::json_body;
use super::responses::{internal_server_error, response};
use super::scripted_agent::ScriptedAgent;
use super::served_version::ServedVersion;
use crate::a2a::dialect::v0_3::V0_3;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{ErrorName, Operation};
use crate::wire::http::{Headers, Request};

/// The operation that a document calls, or the result or error to answer without running one.
type Called = Result<Operation, Result<Value, Rejection>>;

impl ScriptedAgent {
    pub(super) fn handle_rpc(&self, served_version: &'static ServedVersion, request: &Request) -> Handled {
        self.0.over_rpc.set(true);
        let Some(mut document) = json_body(request) else {
            let call = IncomingCall { served_version, form: CallForm::Rpc(Value::Null), operation: None };
            return Handled::Answer(call.answer_malformed(self));
        };
        if document.is_array() && self.has(FaultId::BatchBreaks) {
            return Handled::Answer(internal_server_error());
        }
        let (mut call, outcome) = self.read_call(served_version, request, &mut document);
        let outcome = match outcome {
            Ok(operation) => {
                call.operation = Some(operation);
                let given = document.get("params");
                let params = served_version.translate_params(operation, given);
                if given.is_some_and(Value::is_string) && self.has(FaultId::ParamsTextAccepted) {
                    return call.finish(self, Err(Rejection::task_not_found("undefined")));
                }
                let checked = self.check_extensions(served_version, operation, request);
                checked.and_then(|()| self.operate(served_version, operation, params.as_ref()))
            }
            Err(outcome) => outcome.map(OperationReply::Result),
        };
        // JSON-RPC 2.0 §4.1: a request without id is a notification. It is done but not answered, not even with an error.
        let is_call = text(&document, "jsonrpc") == "2.0" && document.get("method").is_some_and(Value::is_string);
        if is_call && document.get("id").is_none() && !self.has(FaultId::NotificationAnswered) {
            return Handled::Answer(response(204, Headers::new(), Vec::new()));
        }
        call.finish(self, outcome)
    }

    fn read_call(
        &self,
        served_version: &'static ServedVersion,
        request: &Request,
        document: &mut Value,
    ) -> (IncomingCall, Called) {
        let mut violations = Vec::new();
        let mut invalid = |field: &str, description: &str| violations.push((field.to_owned(), description.to_owned()));
        let mut id = Value::Null;
        let mut accepted = false;
        if document.is_object() {
            if text(document, "jsonrpc") != "2.0" {
                invalid("jsonrpc", "must be \"2.0\"");
                accepted = self.has(FaultId::InvalidRequestAccepted);
            }
            if !document.get("method").is_some_and(Value::is_string) {
                invalid("method", "must be a string");
                accepted = self.has(FaultId::InvalidRequestAccepted);
            }
            match document.get_mut("id") {
                None => {}
                Some(given) if given.is_string() || given.is_i64() || given.is_u64() || given.is_null() => {
                    id = given.take();
                }
                Some(given) if *given == true && self.has(FaultId::BooleanIdAccepted) => id = 1.into(),
                _ => invalid("id", "must be a string or an integer"),
            }
        } else {
            // JSON-RPC allows batches; A2A does not mention them.
            invalid("request", "must be one JSON object");
        }
        let call = IncomingCall { served_version, form: CallForm::Rpc(id), operation: None };
        let empty_result = || Err(Ok(data("{}", &[])));
        if accepted {
            return (call, empty_result());
        }
        if !violations.is_empty() {
            let internal = self.has(FaultId::InvalidRequestWrongCode);
            let name = if internal { ErrorName::Internal } else { ErrorName::InvalidRequest };
            return (call, Err(Err(Rejection::invalid_request(name, violations))));
        }
        if let Err(rejection) = self.check_version(served_version, request) {
            return (call, Err(Err(rejection)));
        }
        let method = text(document, "method");
        let called = match self.find_operation(served_version, method) {
            Some(operation) => Ok(operation),
            None if self.has(FaultId::UnknownMethodAccepted) => empty_result(),
            None => {
                let wrong_code = self.has(FaultId::UnknownMethodWrongCode);
                let name = if wrong_code { ErrorName::InvalidRequest } else { ErrorName::MethodNotFound };
                Err(Err(Rejection::new(name, &format!("there is no method {method:?}"))))
            }
        };
        (call, called)
    }

    /// The operation of a method, by the names that the agent knows.
    fn find_operation(&self, served_version: &ServedVersion, method: &str) -> Option<Operation> {
        let methods = if self.has(FaultId::MethodsOf03) {
            V0_3.methods
        } else if self.has(FaultId::MethodsOf10) {
            V1_0.methods
        } else {
            served_version.dialect.methods
        };
        let is_missing = |operation| operation == Operation::SubscribeToTask && self.has(FaultId::SubscribeMissing);
        methods.iter().find(|(known, name)| *name == method && !is_missing(*known)).map(|(operation, _)| *operation)
    }
}
