//! The operations: what each does to the agent's memory and what it answers, from parameters that have been read.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::Value;

use super::ScriptedAgent;
use super::clock_reading::{ClockReading, timestamp};
use super::fault::FaultId;
use super::json_values::{data, set, set_text, text};
use super::params::{self, history_length};
use super::rpc::Rejection;
use super::served_version::ServedVersion;
use super::state::{ArtifactsShown, HistoryShown, Task, TaskCell, TaskChanged, TaskView};
use super::stream::{EventStream, StreamOrigin};
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{ErrorName, Operation, TaskState};

/// What an operation answers.
pub(super) enum OperationReply {
    Result(Value),
    Events(Box<EventStream>),
    Wait(PendingReply),
    /// Nothing: the connection is closed.
    HangUp,
    /// A page about an error of the server.
    Crash,
}

/// A result that is there once a task is far enough.
pub(super) struct PendingReply {
    pub(super) task: TaskCell,
    pub(super) enough: fn(TaskState) -> bool,
    pub(super) view: TaskView,
    /// When to answer all the same, on the clock of `now_ms`.
    pub(super) until: f64,
    pub(super) show: fn(&ScriptedAgent, &Task, TaskView) -> Value,
}

impl PendingReply {
    /// Waits, and shows the result.
    pub(super) async fn result(self, agent: &ScriptedAgent) -> Value {
        agent.advance(&self.task);
        while !(self.enough)(self.task.borrow().state) && agent.0.clock.now_ms() < self.until {
            agent.wait_until(&self.task, self.until).await;
            agent.advance(&self.task);
        }
        (self.show)(agent, &self.task.borrow(), self.view)
    }
}

/// Whether a client that waits has waited enough.
pub(super) const fn is_at_rest(state: TaskState) -> bool {
    state.is_terminal() || state.is_interrupted()
}

pub(super) fn is_begun(state: TaskState) -> bool {
    state != TaskState::Submitted
}

pub(super) const fn is_anything(_: TaskState) -> bool {
    true
}

fn bare(_: &ScriptedAgent, task: &Task, view: TaskView) -> Value {
    task.to_value(view)
}

fn wrapped(_: &ScriptedAgent, task: &Task, view: TaskView) -> Value {
    around("task", task.to_value(view))
}

/// The only tenant of an agent that has some.
const TENANT: &str = "workshop";

/// An object of this one member.
pub(super) fn around(name: &str, value: Value) -> Value {
    let mut object = data("{}", &[]);
    set(&mut object, name, value);
    object
}

impl ScriptedAgent {
    pub(super) fn reading(&self) -> ClockReading {
        ClockReading::of(&*self.0.clock)
    }

    /// The task of that id, brought up to date.
    pub(super) fn look_up(&self, id: &str) -> Option<TaskCell> {
        let task = self.0.store.borrow().get(id)?;
        self.advance(&task);
        Some(task)
    }

    pub(super) fn advance(&self, task: &TaskCell) {
        task.borrow_mut().advance(self.reading(), &*self.0.ids);
    }

    pub(super) fn interrupt(&self, task: &mut Task, state: TaskState, text: &str) {
        task.interrupt(state, text, self.reading(), &*self.0.ids);
    }

    /// Waits until something may have happened to the task.
    pub(super) fn wait(&self, task: &TaskCell) -> TaskChanged {
        self.wait_until(task, f64::INFINITY)
    }

    /// The same, but not longer than until then.
    fn wait_until(&self, task: &TaskCell, until: f64) -> TaskChanged {
        // A timer may fire a little early, and then the rest must not be waited for in a tight loop.
        let due = task.borrow().next_due().or(until.is_finite().then_some(until)).map(|due| due.min(until));
        TaskChanged::of(task, due.map(|due| self.0.clock.sleep((due - self.0.clock.now_ms()).max(1.0))))
    }

    /// How much history to show for a `historyLength` (1.0 §3.2.4).
    pub(super) fn view(&self, length: Option<usize>) -> TaskView {
        let history = match length {
            None => HistoryShown::All,
            Some(0) if self.has(FaultId::HistoryZeroIgnored) => HistoryShown::All,
            Some(n) if n > 0 && self.has(FaultId::HistoryUnbounded) => HistoryShown::All,
            Some(n) if self.has(FaultId::HistoryOldest) => HistoryShown::Oldest(n),
            Some(n) => HistoryShown::Newest(n),
        };
        TaskView { history, artifacts: ArtifactsShown::IfAny }
    }

    /// A task that no message made and that nothing is kept of.
    pub(super) fn made_up(&self, id: &str, context: &str, state: TaskState) -> Task {
        let mut task = Task::new(id.to_owned(), context.to_owned(), self.reading());
        self.interrupt(&mut task, state, "");
        task
    }

    /// Does what a call asks for.
    pub(super) fn operate(
        &self,
        served_version: &'static ServedVersion,
        operation: Operation,
        given: Option<&Value>,
    ) -> Result<OperationReply, Rejection> {
        if let Some((name, message)) = self.declined(served_version, operation) {
            return Err(Rejection::of(name, message));
        }
        let served = given.is_some_and(|params| text(params, "tenant") == TENANT) && !self.has(FaultId::TenantRefused);
        if self.has(FaultId::Tenants) && served_version.older.is_none() && !served {
            return Err(Rejection::invalid("tenant", "is unknown"));
        }
        let named = self.any_config(served_version, operation, given);
        let given = named.as_ref().or(given);
        if operation == Operation::ListTasks
            && given.is_none_or(Value::is_null)
            && self.has(FaultId::ListParamsRequired)
        {
            return Err(Rejection::invalid("params", "is required"));
        }
        let params::ParamsRead { params, violations, crash } = params::read(operation, given, &self.0.faults);
        if crash {
            return Ok(OperationReply::HangUp);
        }
        if !violations.is_empty() && self.has(FaultId::ValidationSilent) {
            return Err(Rejection::of(ErrorName::InvalidParams, "invalid parameters"));
        }
        if !violations.is_empty() {
            return Err(Rejection::invalid_fields(violations));
        }
        match operation {
            Operation::SendMessage | Operation::SendStreamingMessage => self.send(served_version, operation, &params),
            Operation::GetTask => self.get(&params),
            Operation::ListTasks => self.list(&params),
            Operation::CancelTask => self.cancel(&params),
            Operation::SubscribeToTask => self.subscribe(served_version, &params),
            Operation::CreatePushConfig
            | Operation::GetPushConfig
            | Operation::ListPushConfigs
            | Operation::DeletePushConfig => self.push_config(served_version, operation, &params),
            Operation::GetExtendedCard if self.has(FaultId::ExtendedInternalError) => Err(Rejection::internal()),
            Operation::GetExtendedCard => Ok(OperationReply::Result(self.extended_card())),
        }
    }

    /// Why an operation is not done at all, whatever its parameters.
    fn declined(&self, served_version: &ServedVersion, operation: Operation) -> Option<(ErrorName, &'static str)> {
        match operation {
            _ if operation.streams() && (self.has(FaultId::StreamingMissing) || self.has(FaultId::Modest)) => {
                Some((ErrorName::StreamingNotSupported, "streaming is not supported"))
            }
            Operation::SendStreamingMessage if self.has(FaultId::UndeclaredSubscribe) => {
                Some((ErrorName::StreamingNotSupported, "streaming is not supported"))
            }
            Operation::ListTasks if self.has(FaultId::ListMissing) => {
                Some((ErrorName::MethodNotFound, "this method does not exist"))
            }
            Operation::CreatePushConfig
            | Operation::GetPushConfig
            | Operation::ListPushConfigs
            | Operation::DeletePushConfig
                if self.has(FaultId::Modest) =>
            {
                Some((ErrorName::PushNotificationNotSupported, "this agent does not send push notifications"))
            }
            Operation::GetExtendedCard if !self.has(FaultId::UndeclaredExtended) && !self.has(FaultId::Protected) => {
                // 1.0 §3.1.11 tells apart what is not declared and what is not there; 0.3 §8.2 does not.
                let older = served_version.older.is_some();
                let name = if older { ErrorName::ExtendedCardNotConfigured } else { ErrorName::UnsupportedOperation };
                Some((name, "this agent has no extended card"))
            }
            _ => None,
        }
    }

    /// A task as a stream, or as one answer if a fault wants it so.
    pub(super) fn streamed(&self, task: TaskCell, origin: StreamOrigin, view: TaskView) -> OperationReply {
        if self.has(FaultId::StreamAsJson) {
            return OperationReply::Wait(PendingReply {
                task,
                enough: is_at_rest,
                view,
                until: f64::INFINITY,
                show: wrapped,
            });
        }
        task.borrow_mut().streamed |= origin == StreamOrigin::Send;
        OperationReply::Events(EventStream::of_task(self, task, origin, view))
    }

    fn get(&self, params: &Value) -> Result<OperationReply, Rejection> {
        let id = text(params, "id");
        let Some(task) = self.look_up(id) else {
            let missing = id.is_empty() && self.has(FaultId::GetMissingIdAccepted);
            if !missing && !self.has(FaultId::GetUnknownFound) {
                return Err(self.not_found(id, FaultId::GetUnknownInternal));
            }
            let id = if missing { self.0.ids.fresh() } else { id.to_owned() };
            return Ok(self.unheard_of(&id, TaskState::Completed));
        };
        let task = task.borrow();
        let hidden = if task.state.is_terminal() { FaultId::TasksVanish } else { FaultId::WorkingUnreadable };
        if self.has(hidden) {
            return Err(Rejection::task_not_found(id));
        }
        let mut value = task.to_value(self.view(history_length(params)));
        if self.has(FaultId::GetOtherContext) {
            replace_all(&mut value, &task.context, &format!("other-{}", task.context));
        }
        if let Some(status) = value.get_mut("status") {
            if self.has(FaultId::GetChanges) {
                // Two reads within a millisecond must differ, too.
                let reads = self.0.reads.get() + 1;
                self.0.reads.set(reads);
                set_text(status, "timestamp", &timestamp(self.reading().epoch_ms().saturating_add(reads)));
            }
            if task.streamed && task.state == TaskState::Completed && self.has(FaultId::StreamGetDiffer) {
                set_text(status, "state", V1_0.state_name(TaskState::Failed));
            }
        }
        Ok(OperationReply::Result(value))
    }

    fn cancel(&self, params: &Value) -> Result<OperationReply, Rejection> {
        let id = text(params, "id");
        let Some(cell) = self.look_up(id) else {
            if self.has(FaultId::CancelUnknownFound) {
                return Ok(self.unheard_of(id, TaskState::Canceled));
            }
            return Err(self.not_found(id, FaultId::CancelUnknownInternal));
        };
        let mut task = cell.borrow_mut();
        if task.state.is_terminal() {
            let again = task.state == TaskState::Canceled;
            let broken = if again { FaultId::CancelTwiceInternal } else { FaultId::CancelTerminalWrongCode };
            if !again && self.has(FaultId::CancelTerminalOk) {
                return Ok(OperationReply::Result(task.to_value(TaskView::FULL)));
            }
            if self.has(broken) {
                return Err(Rejection::internal());
            }
            let refusal = Rejection::of(ErrorName::TaskNotCancelable, "the task has already finished");
            return Err(refusal.with("taskId", id).with("state", V1_0.state_name(task.state)));
        }
        if self.has(FaultId::CancelIgnored) {
            drop(task);
            return Ok(OperationReply::Wait(PendingReply {
                task: cell,
                enough: is_begun,
                view: TaskView::FULL,
                until: f64::INFINITY,
                show: bare,
            }));
        }
        if let Some(metadata) = params.get("metadata") {
            task.metadata = metadata.clone();
        }
        self.interrupt(&mut task, TaskState::Canceled, "Cancelled, as asked.");
        let null = self.has(FaultId::CancelAnswersNull);
        Ok(OperationReply::Result(if null { Value::Null } else { task.to_value(TaskView::FULL) }))
    }

    fn subscribe(&self, served_version: &ServedVersion, params: &Value) -> Result<OperationReply, Rejection> {
        let id = text(params, "id");
        let Some(task) = self.look_up(id) else {
            if !self.has(FaultId::SubscribeUnknownStreams) {
                return Err(Rejection::task_not_found(id));
            }
            let task = self.made_up(id, &self.0.ids.fresh(), TaskState::Completed);
            return Ok(self.streamed(Rc::new(RefCell::new(task)), StreamOrigin::Subscribe, TaskView::FULL));
        };
        let finished = task.borrow().state.is_terminal();
        if !finished && self.has(FaultId::SubscribeRefused) {
            return Err(Rejection::of(ErrorName::UnsupportedOperation, "subscriptions are not supported"));
        }
        if finished && self.has(FaultId::SubscribeTerminalWrongCode) {
            return Err(Rejection::of(ErrorName::TaskNotCancelable, "the task has finished"));
        }
        let streams = [FaultId::SubscribeTerminalStreams, FaultId::UndeclaredSubscribe];
        let older = served_version.older.as_ref().is_some_and(|older| older.finished_streams)
            || self.has(FaultId::ResubscribeTerminalHangs);
        if finished && !older && !streams.into_iter().any(|fault| self.has(fault)) {
            return Err(Rejection::finished("a finished task cannot be subscribed to", id));
        }
        Ok(self.streamed(task, StreamOrigin::Subscribe, TaskView::FULL))
    }

    /// What a fault answers about a task that there is not.
    fn unheard_of(&self, id: &str, state: TaskState) -> OperationReply {
        OperationReply::Result(self.made_up(id, &self.0.ids.fresh(), state).to_value(TaskView::FULL))
    }

    fn not_found(&self, id: &str, broken: FaultId) -> Rejection {
        if self.has(broken) { Rejection::internal() } else { Rejection::task_not_found(id) }
    }
}

/// Writes another text wherever this one is the whole of a string.
fn replace_all(value: &mut Value, old: &str, new: &str) {
    match value {
        Value::String(text) if text == old => new.clone_into(text),
        Value::Array(list) => list.iter_mut().for_each(|entry| replace_all(entry, old, new)),
        Value::Object(map) => map.values_mut().for_each(|member| replace_all(member, old, new)),
        _ => {}
    }
}
