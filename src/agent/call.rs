//! A call on its way through the agent: how it came, and so in which form its answer goes. Operations know nothing of it.

use serde_json::Value;

use super::fault::FaultId;
use super::json_values::remove;
use super::mutate::Shape;
use super::operations::OperationReply;
use super::rpc::Rejection;
use super::served_version::ServedVersion;
use super::{Handled, ScriptedAgent, html_page, mutate, rest, rpc};
use crate::a2a::model::Operation;
use crate::host::StreamedResponse;

/// How a call came.
#[derive(Debug, Clone)]
pub(super) enum CallForm {
    /// By JSON-RPC, under this id: every answer goes into an envelope.
    Rpc(Value),
    /// By a route of HTTP+JSON: answers go bare.
    Http,
}

/// A call whose answer is still to be written.
pub(super) struct Call {
    pub(super) served_version: &'static ServedVersion,
    pub(super) form: CallForm,
    /// None for what is no call of an operation.
    pub(super) operation: Option<Operation>,
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(|map| map.is_empty())
}

impl Call {
    /// The answer to the call.
    pub(super) fn answer(&self, agent: &ScriptedAgent, mut outcome: Result<Value, Rejection>) -> StreamedResponse {
        let faults = &agent.0.faults;
        if let (Ok(result), Some(operation)) = (&mut outcome, self.operation) {
            mutate::result(self.served_version, faults, &self.form, operation, result);
            let older = self.served_version.older.is_some();
            match operation {
                Operation::GetExtendedCard => *result = agent.worded(self.served_version, result.take()),
                // 0.3 §7.8: nothing at all.
                Operation::DeletePushConfig if older && is_empty(result) => {
                    if matches!(self.form, CallForm::Rpc(_)) {
                        *result = Value::Null;
                    }
                }
                Operation::DeletePushConfig => {
                    self.served_version.translate_answer(faults, &self.form, result, Shape::PushConfig)
                }
                _ => {}
            }
            let drops = matches!(self.form, CallForm::Http) && faults.has(FaultId::RestDropsArtifacts);
            if drops && operation == Operation::GetTask {
                remove(result, "artifacts");
            }
        }
        match &self.form {
            CallForm::Rpc(id) => {
                let stream = outcome.is_err() && self.operation.is_some_and(Operation::streams);
                let mut answer = rpc::answer(self.served_version, faults, id, outcome);
                if stream && self.served_version.older.as_ref().is_some_and(|older| !older.finished_streams) {
                    answer.head.status = 400;
                }
                answer
            }
            CallForm::Http => rest::answer(self.served_version, faults, outcome),
        }
    }

    /// What becomes of the call after its operation was done, or refused.
    pub(super) fn served(self, agent: &ScriptedAgent, outcome: Result<OperationReply, Rejection>) -> Handled {
        match outcome {
            Ok(OperationReply::Result(value)) => Handled::Answer(self.answer(agent, Ok(value))),
            Ok(OperationReply::Events(events)) => Handled::Answer(events.into_answer(self.served_version, self.form)),
            Ok(OperationReply::Wait(wait)) => Handled::Wait(self, wait),
            Ok(OperationReply::HangUp) => Handled::HangUp("the agent hung up"),
            Ok(OperationReply::Crash) => Handled::Answer(html_page(500, "Internal Server Error")),
            Err(refusal) => Handled::Answer(self.answer(agent, Err(refusal))),
        }
    }
}
