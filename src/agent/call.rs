//! How the outcome of an operation becomes the answer to its call, in the binding by which it came.

use serde_json::Value;

use super::call_form::{CallForm, IncomingCall};
use super::fault::{FaultId, Faults};
use super::form_faults::LEFT_OUT_OVER_HTTP;
use super::grpc_answer::media_type;
use super::json_values::{remove, text};
use super::operation_reply::{OperationReply, PendingReply};
use super::proto_shapes::card_to_proto;
use super::rejection::Rejection;
use super::request::{json_body, route_of};
use super::responses::internal_server_error;
use super::scripted_agent::ScriptedAgent;
use super::shape::Shape;
use crate::a2a::model::{ErrorName, Operation};
use crate::host::StreamedResponse;
use crate::wire::http::Request;

/// The agent's reaction to a request.
pub(super) enum Handled {
    Answer(StreamedResponse),
    /// Answers the call once its result is there.
    Wait(IncomingCall, PendingReply),
    Silence,
    /// Closes the connection, for this reason.
    HangUp(&'static str),
}

impl IncomingCall {
    /// The call of a request that is answered before its operation is read.
    pub(super) fn from_request(agent: &ScriptedAgent, request: &Request) -> Self {
        let (served_version, below) = agent.served_version(request);
        let form = if agent.is_grpc(request) {
            CallForm::Grpc(media_type(request))
        } else if route_of(below).is_some() {
            CallForm::Http
        } else {
            let id = json_body(request).and_then(|mut body| body.get_mut("id").map(Value::take));
            CallForm::Rpc(id.unwrap_or_default())
        };
        Self { served_version, form, operation: None }
    }

    pub(super) fn answer(&self, agent: &ScriptedAgent, mut outcome: Result<Value, Rejection>) -> StreamedResponse {
        let faults = &agent.0.faults;
        if let (Ok(result), Some(operation)) = (&mut outcome, self.operation) {
            self.encode_result(faults, operation, result);
            let older = self.served_version.older.is_some();
            match operation {
                Operation::GetExtendedCard => {
                    let of_1_0 = result.take();
                    *result = agent.translate_card(self.served_version, of_1_0.clone());
                    if older && matches!(self.form, CallForm::Grpc(_)) {
                        card_to_proto(result, of_1_0);
                    }
                }
                // 0.3 §7.8: null over JSON-RPC.
                Operation::DeletePushConfig
                    if older && result.as_object().is_some_and(|members| members.is_empty()) =>
                {
                    if matches!(self.form, CallForm::Rpc(_)) {
                        *result = Value::Null;
                    }
                }
                Operation::DeletePushConfig => {
                    self.served_version.translate_answer(faults, &self.form, result, Shape::PushConfig)
                }
                _ => {}
            }
            if matches!(self.form, CallForm::Http) {
                drop_members(faults, operation, result);
            }
        }
        match &self.form {
            CallForm::Rpc(id) => {
                let stream_refused = outcome.is_err() && self.operation.is_some_and(Operation::streams);
                let mut answer = self.rpc_answer(faults, id, outcome);
                if stream_refused && self.served_version.older.as_ref().is_some_and(|older| !older.finished_streams) {
                    answer.head.status = 400;
                }
                answer
            }
            CallForm::Http => self.http_answer(faults, outcome),
            CallForm::Grpc(media) => self.grpc_answer(faults, media, outcome),
        }
    }

    /// The answer to a call whose body is not JSON.
    pub(super) fn answer_malformed(&self, agent: &ScriptedAgent) -> StreamedResponse {
        if agent.has(FaultId::ParseErrorHtml) {
            return internal_server_error();
        }
        let alternates = matches!(self.form, CallForm::Rpc(_)) && agent.has(FaultId::ParseErrorAtTimes);
        let shows_this_time = || alternates && !agent.0.was_malformed.replace(!agent.0.was_malformed.get());
        let internal = agent.has(FaultId::ParseErrorWrongCode) || shows_this_time();
        let name = if internal { ErrorName::Internal } else { ErrorName::Parse };
        self.answer(agent, Err(Rejection::new(name, "the body is not JSON")))
    }

    /// The reaction to the call, once its operation has replied or was refused.
    pub(super) fn finish(self, agent: &ScriptedAgent, outcome: Result<OperationReply, Rejection>) -> Handled {
        match outcome {
            Ok(OperationReply::Result(value)) => Handled::Answer(self.answer(agent, Ok(value))),
            Ok(OperationReply::Events(events)) => Handled::Answer(events.into_answer(self)),
            Ok(OperationReply::Wait(pending)) => Handled::Wait(self, pending),
            Ok(OperationReply::Answer(answer)) => Handled::Answer(answer),
            Ok(OperationReply::Silence) => Handled::Silence,
            Ok(OperationReply::HangUp) => Handled::HangUp("the agent hung up"),
            Err(rejection) => Handled::Answer(self.answer(agent, Err(rejection))),
        }
    }
}

/// Removes the members that faults of the conversion for HTTP+JSON leave out of an answer of its version.
fn drop_members(faults: &Faults, operation: Operation, result: &mut Value) {
    if faults.has(FaultId::RestDropsRejected) {
        let holder = if result.get("task").is_some() { "/task/status" } else { "/status" };
        let rejected = |status: &&mut Value| text(status, "state").to_ascii_lowercase().ends_with("rejected");
        if let Some(status) = result.pointer_mut(holder).filter(rejected) {
            remove(status, "state");
        }
    }
    if operation == Operation::GetTask {
        let left_out = LEFT_OUT_OVER_HTTP.iter().filter(|(fault, _)| faults.has(*fault));
        left_out.for_each(|(_, mutation)| mutation.apply(result));
    }
}
