//! A call on its way through the agent: how it came, and so in which form its answer goes. Operations know nothing of it.

use serde_json::Value;

use super::bend::Shape;
use super::data::remove;
use super::edition::Edition;
use super::fault::FaultId;
use super::operations::Reply;
use super::rpc::Refusal;
use super::{ScriptedAgent, Served, bend, html_page, rest, rpc};
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
    pub(super) edition: &'static Edition,
    pub(super) form: Form,
    /// None for what is no call of an operation.
    pub(super) operation: Option<Operation>,
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(|map| map.is_empty())
}

impl Call {
    /// The answer to the call.
    pub(super) fn answer(&self, agent: &ScriptedAgent, mut outcome: Result<Value, Refusal>) -> Answer {
        let faults = &agent.0.faults;
        if let (Ok(result), Some(operation)) = (&mut outcome, self.operation) {
            bend::result(self.edition, faults, &self.form, operation, result);
            let older = self.edition.older.is_some();
            match operation {
                Operation::GetExtendedCard => *result = agent.worded(self.edition, result.take()),
                // 0.3 §7.8: nothing at all.
                Operation::DeletePushConfig if older && is_empty(result) => {
                    if matches!(self.form, Form::Rpc(_)) {
                        *result = Value::Null;
                    }
                }
                Operation::DeletePushConfig => self.edition.dress(faults, &self.form, result, Shape::PushConfig),
                _ => {}
            }
            let drops = matches!(self.form, Form::Http) && faults.has(FaultId::RestDropsArtifacts);
            if drops && operation == Operation::GetTask {
                remove(result, "artifacts");
            }
        }
        match &self.form {
            Form::Rpc(id) => {
                let stream = outcome.is_err() && self.operation.is_some_and(Operation::streams);
                let mut answer = rpc::answer(self.edition, faults, id, outcome);
                if stream && self.edition.older.as_ref().is_some_and(|older| !older.finished_streams) {
                    answer.head.status = 400;
                }
                answer
            }
            Form::Http => rest::answer(self.edition, faults, outcome),
        }
    }

    /// What becomes of the call after its operation was done, or refused.
    pub(super) fn served(self, agent: &ScriptedAgent, outcome: Result<Reply, Refusal>) -> Served {
        match outcome {
            Ok(Reply::Result(value)) => Served::Answer(self.answer(agent, Ok(value))),
            Ok(Reply::Events(events)) => Served::Answer(events.into_answer(self.edition, self.form)),
            Ok(Reply::Wait(wait)) => Served::Wait(self, wait),
            Ok(Reply::HangUp) => Served::HangUp("the agent hung up"),
            Ok(Reply::Crash) => Served::Answer(html_page(500, "Internal Server Error")),
            Err(refusal) => Served::Answer(self.answer(agent, Err(refusal))),
        }
    }
}
