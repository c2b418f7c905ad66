//! A call on its way through the agent: how it came, and so in which form its answer goes. Operations know nothing of it.

use serde_json::Value;

use super::data::remove;
use super::fault::FaultId;
use super::operations::Reply;
use super::rpc::Refusal;
use super::{ScriptedAgent, Served, bend, rest, rpc};
use crate::a2a::model::Operation;
use crate::host::Answer;

/// How a call came.
#[derive(Debug, Clone)]
pub(super) enum Form {
    /// By JSON-RPC, under this id: every answer goes into an envelope.
    Rpc(Value),
    /// By a route of HTTP+JSON: answers go bare.
    Http,
}

/// A call whose answer is still to be written.
pub(super) struct Call {
    pub(super) form: Form,
    /// None for what is no call of an operation.
    pub(super) operation: Option<Operation>,
}

impl Call {
    /// The answer to the call.
    pub(super) fn answer(&self, agent: &ScriptedAgent, mut outcome: Result<Value, Refusal>) -> Answer {
        let faults = &agent.0.faults;
        if let (Ok(result), Some(operation)) = (&mut outcome, self.operation) {
            bend::result(faults, operation, result);
            let drops = matches!(self.form, Form::Http) && faults.has(FaultId::RestDropsArtifacts);
            if drops && operation == Operation::GetTask {
                remove(result, "artifacts");
            }
        }
        match &self.form {
            Form::Rpc(id) => rpc::answer(faults, id, outcome),
            Form::Http => rest::answer(faults, outcome),
        }
    }

    /// What becomes of the call after its operation was done, or refused.
    pub(super) fn served(self, agent: &ScriptedAgent, outcome: Result<Reply, Refusal>) -> Served {
        match outcome {
            Ok(Reply::Result(value)) => Served::Answer(self.answer(agent, Ok(value))),
            Ok(Reply::Events(events)) => Served::Answer(events.into_answer(self.form)),
            Ok(Reply::Wait(wait)) => Served::Wait(self, wait),
            Ok(Reply::HangUp) => Served::HangUp("the agent hung up"),
            Err(refusal) => Served::Answer(self.answer(agent, Err(refusal))),
        }
    }
}
