//! The user of a call, and the tasks that the user sees: the variant `two-users`, and the faults that mix its users up.

use serde_json::Value;

use super::acceptance::Addressed;
use super::fault::{FaultId, SECOND_TOKEN};
use super::json_values::text;
use super::rejection::Rejection;
use super::request::bearer_token;
use super::scripted_agent::ScriptedAgent;
use super::task::{StoredTask, User};
use crate::a2a::model::{ErrorName, Operation, TaskState};
use crate::wire::http::Request;
use crate::wire::url::{Url, path_of};

/// The operations for which a fault opens the tasks of others.
const OPENED: [(FaultId, &[Operation]); 9] = [
    (FaultId::ForeignTaskRead, &[Operation::GetTask]),
    (FaultId::ForeignTaskCancelled, &[Operation::CancelTask]),
    (FaultId::ForeignTaskSubscribed, &[Operation::SubscribeToTask]),
    (FaultId::ForeignTaskContinued, &[Operation::SendMessage]),
    (FaultId::ForeignTaskListed, &[Operation::ListTasks]),
    (FaultId::ForeignPushRead, &[Operation::GetPushConfig]),
    (FaultId::ForeignPushListed, &[Operation::ListPushConfigs]),
    (FaultId::ForeignPushDeleted, &[Operation::DeletePushConfig]),
    (FaultId::ForeignPushCreated, &[Operation::CreatePushConfig]),
];

impl ScriptedAgent {
    /// Notes whose call a request is, and for which agent: the plain one, or one of the acceptance tests.
    pub(super) fn note_caller(&self, request: &Request) {
        let second = bearer_token(request) == Some(SECOND_TOKEN);
        self.0.caller.set(if second { User::Second } else { User::First });
        let is_of_a_network = |origin: &str| Url::parse(origin).is_ok_and(|origin| origin.is_local());
        self.0.from_elsewhere.set(request.headers.get("origin").is_some_and(|origin| !is_of_a_network(origin)));
        let below = self.path_below_base(path_of(&request.url));
        self.0.addressed.set(Addressed::from_path(below).map(|(agent, _)| agent).unwrap_or_default());
    }

    pub(super) fn sees(&self, operation: Operation, task: &StoredTask) -> bool {
        let opened = || OPENED.iter().any(|(fault, open)| self.has(*fault) && open.contains(&operation));
        let divided = self.has(FaultId::TwoUsers) && !self.has(FaultId::UsersNotToldApart);
        task.owner == self.0.caller.get() || !divided || opened()
    }

    /// The effect of faults on a call for another user's task before it is looked up: the error with which they tell that it is
    /// there, or a change to it.
    pub(super) fn refuse_foreign(&self, operation: Operation, params: &Value) -> Option<Rejection> {
        let message = params.get("message").unwrap_or(&Value::Null);
        let id = match operation {
            Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => text(params, "id"),
            Operation::SendMessage => text(message, "taskId"),
            _ => text(params, "taskId"),
        };
        let cell = self.0.store.borrow().get(id, |task| task.owner != self.0.caller.get())?;
        let mut task = cell.borrow_mut();
        match operation {
            Operation::CancelTask if self.has(FaultId::ForeignCancelDone) => {
                self.set_status_now(&mut task, TaskState::Canceled, "");
            }
            Operation::SendMessage if self.has(FaultId::ForeignMessageKept) => task.add_to_history(message.clone()),
            Operation::DeletePushConfig if self.has(FaultId::ForeignPushDeleteDone) => task.push_configs.clear(),
            _ => {}
        }
        let name = if self.has(FaultId::ForeignTaskTold) {
            ErrorName::InvalidRequest
        } else if self.has(FaultId::ForeignTaskUnsupported) {
            ErrorName::UnsupportedOperation
        } else {
            return None;
        };
        Some(Rejection::new(name, "this task is another user's").with("taskId", &task.id))
    }
}
