//! Runs an operation, whatever the binding: reading, cancelling and subscribing are here, and which operations are not supported.
//! Sends, lists and push configs have files of their own.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use serde_json::Value;

use super::clock_reading::timestamp;
use super::fault::FaultId;
use super::json_values::{change, for_each_value, remove, set_text, text};
use super::operation_reply::{OperationReply, PendingReply, ShowTask, has_begun};
use super::params::{self, history_length};
use super::rejection::Rejection;
use super::responses::typed_response;
use super::scripted_agent::ScriptedAgent;
use super::served_version::{CURRENT, ServedVersion};
use super::stream::StreamOrigin;
use super::task::{StoredTask, TaskView};
use crate::a2a::model::{ErrorName, Operation, TaskState};

/// The only tenant of the variant `tenants`.
const TENANT: &str = "workshop";

impl ScriptedAgent {
    pub(super) fn operate(
        &self,
        served_version: &'static ServedVersion,
        operation: Operation,
        given: Option<&Value>,
    ) -> Result<OperationReply, Rejection> {
        if let Some((name, message)) = self.not_supported(served_version, operation) {
            return Err(Rejection::new(name, message));
        }
        let tenant_known =
            given.is_some_and(|params| text(params, "tenant") == TENANT) && !self.has(FaultId::TenantRefused);
        if self.has(FaultId::Tenants) && served_version.older.is_none() && !tenant_known {
            return Err(Rejection::invalid("tenant", "is unknown"));
        }
        let with_id = self.with_config_id(served_version, operation, given);
        let given = with_id.as_ref().or(given);
        match operation {
            _ if given.is_some_and(|params| !params.is_null()) => {}
            Operation::ListTasks if self.has(FaultId::ListParamsRequired) => {
                return Err(Rejection::invalid("params", "is required"));
            }
            Operation::GetExtendedCard if self.has(FaultId::ExtendedParamsRequired) => {
                return Err(Rejection::new(ErrorName::Internal, "the params are undefined"));
            }
            _ => {}
        }
        let params::ParamsRead { params, violations, crash, .. } = params::read(operation, given, &self.0.faults);
        if crash {
            return Ok(OperationReply::HangUp);
        }
        if !violations.is_empty() && self.has(FaultId::ValidationSilent) {
            return Err(Rejection::new(ErrorName::InvalidParams, "invalid parameters"));
        }
        if !violations.is_empty() {
            return Err(Rejection::invalid_fields(violations));
        }
        if let Some(rejection) = self.refuse_foreign(operation, &params) {
            return Err(rejection);
        }
        if self.never_answers(operation, &params) {
            return Ok(OperationReply::Silence);
        }
        match operation {
            Operation::SendMessage | Operation::SendStreamingMessage => {
                self.send_message(served_version, operation, &params)
            }
            Operation::GetTask => self.get_task(&params),
            Operation::ListTasks => self.list_tasks(&params),
            Operation::CancelTask => self.cancel_task(&params),
            Operation::SubscribeToTask => self.subscribe_to_task(served_version, &params),
            Operation::CreatePushConfig
            | Operation::GetPushConfig
            | Operation::ListPushConfigs
            | Operation::DeletePushConfig => self.run_push_config(served_version, operation, &params),
            Operation::GetExtendedCard if self.has(FaultId::ExtendedInternalError) => Err(Rejection::internal()),
            Operation::GetExtendedCard => Ok(OperationReply::Result(self.extended_card())),
        }
    }

    /// Whether a fault keeps the agent from ever answering such a call.
    fn never_answers(&self, operation: Operation, params: &Value) -> bool {
        match operation {
            Operation::SendStreamingMessage if self.has(FaultId::StreamToTaskHangs) => {
                params.pointer("/message/taskId").is_some()
            }
            Operation::SubscribeToTask => {
                let task = self.look_up(operation, text(params, "id"));
                let is_at_work = task.as_ref().is_some_and(|task| !task.borrow().state.is_terminal());
                let waits = task.is_some_and(|task| task.borrow().state.is_interrupted());
                !waits && self.has(if is_at_work { FaultId::SubscribeAtWorkHangs } else { FaultId::SubscribeOverHangs })
            }
            Operation::CancelTask if self.has(FaultId::CancelHangs) => {
                self.look_up(operation, text(params, "id")).is_some()
            }
            Operation::ListTasks => self.has(FaultId::ListHangs),
            _ => false,
        }
    }

    /// The error of an operation that the agent does not support, whatever the parameters.
    fn not_supported(&self, served_version: &ServedVersion, operation: Operation) -> Option<(ErrorName, &'static str)> {
        const NO_STREAMS: (ErrorName, &str) = (ErrorName::StreamingNotSupported, "streaming is not supported");
        const NO_METHOD: (ErrorName, &str) = (ErrorName::MethodNotFound, "this method does not exist");
        match operation {
            _ if operation.streams() && (self.has(FaultId::StreamingMissing) || self.has(FaultId::Modest)) => {
                Some(NO_STREAMS)
            }
            Operation::SendStreamingMessage if self.has(FaultId::UndeclaredSubscribe) => Some(NO_STREAMS),
            Operation::ListTasks if self.has(FaultId::ListInternal) => {
                Some((ErrorName::Internal, "something went wrong"))
            }
            Operation::CancelTask if self.has(FaultId::CancelMissing) => Some(NO_METHOD),
            Operation::ListTasks if self.has(FaultId::ListMissing) => Some(NO_METHOD),
            Operation::CreatePushConfig
            | Operation::GetPushConfig
            | Operation::ListPushConfigs
            | Operation::DeletePushConfig
                if self.has(FaultId::Modest)
                    || (!self.0.addressed.get().pushes() && !self.has(FaultId::UndeclaredPush)) =>
            {
                Some((ErrorName::PushNotificationNotSupported, "this agent does not send push notifications"))
            }
            Operation::GetExtendedCard if !self.has(FaultId::UndeclaredExtended) && !self.has(FaultId::Protected) => {
                // 1.0 §3.1.11 has two errors, for a card that is not declared and one that is not there; 0.3 §8.2 has one.
                let older = served_version.older.is_some();
                let name = if older { ErrorName::ExtendedCardNotConfigured } else { ErrorName::UnsupportedOperation };
                Some((name, "this agent has no extended card"))
            }
            _ => None,
        }
    }

    fn get_task(&self, params: &Value) -> Result<OperationReply, Rejection> {
        let id = text(params, "id");
        let Some(found) = self.look_up(Operation::GetTask, id) else {
            let no_id = id.is_empty() && self.has(FaultId::GetMissingIdAccepted);
            if !no_id && !self.has(FaultId::GetUnknownFound) {
                return Err(self.task_not_found(id, FaultId::GetUnknownInternal));
            }
            let id = if no_id { self.0.ids.fresh() } else { id.to_owned() };
            return Ok(self.made_up_result(&id, TaskState::Completed));
        };
        if self.fails_at_times_under_load(FaultId::LoadBreaksAnswers) {
            return Ok(OperationReply::Answer(typed_response(200, "text/html", b"<p>Busy.</p>".to_vec())));
        }
        if self.fails_at_times_under_load(FaultId::LoadForgetsTasks) {
            return Err(Rejection::task_not_found(id));
        }
        let task = found.borrow();
        let hidden = if task.state.is_terminal() { FaultId::TasksVanish } else { FaultId::WorkingUnreadable };
        if self.has(hidden) {
            return Err(Rejection::task_not_found(id));
        }
        let mut value = task.to_value(self.view(history_length(params)));
        if self.has(FaultId::CrowdSharesHistory) {
            self.share_history(&task, &mut value);
        }
        drop(task);
        self.disturb_read(id, &mut value);
        if self.has(FaultId::HistoryMissing) {
            remove(&mut value, "history");
        }
        if self.has(FaultId::HistoryCut)
            && let Some(length) = history_length(params)
        {
            found.borrow_mut().cut_history(length);
        }
        let task = found.borrow();
        if self.has(FaultId::GetOtherContext) {
            for_each_value(&mut value, &mut |inner| {
                if *inner == *task.context {
                    *inner = format!("other-{}", task.context).into();
                }
            });
        }
        if let Some(status) = value.get_mut("status") {
            if self.has(FaultId::GetChanges) {
                // So that two reads within a millisecond differ, too.
                let reads = self.0.reads.get() + 1;
                self.0.reads.set(reads);
                set_text(status, "timestamp", &timestamp(self.reading().epoch_ms().saturating_add(reads)));
            }
            if self.has(FaultId::GetRewritesCanceled) {
                rewrite_canceled(&task, &task.canceled_shown.0, status);
            }
            if task.streamed && task.state == TaskState::Completed && self.has(FaultId::StreamGetDiffer) {
                set_text(status, "state", CURRENT.dialect.state_name(TaskState::Failed));
            }
        }
        Ok(OperationReply::Result(value))
    }

    fn cancel_task(&self, params: &Value) -> Result<OperationReply, Rejection> {
        let id = text(params, "id");
        let Some(cell) = self.look_up(Operation::CancelTask, id) else {
            if self.has(FaultId::CancelUnknownFound) {
                return Ok(self.made_up_result(id, TaskState::Canceled));
            }
            self.refuse_again(id)?;
            return Err(self.task_not_found(id, FaultId::CancelUnknownInternal));
        };
        let mut task = cell.borrow_mut();
        let is_missed = self.misses_end(&task, FaultId::CancelOverwritesJustFinished)
            || task.state == TaskState::Completed && self.has(FaultId::CancelOverwritesFinished);
        if task.state.is_terminal() && !is_missed && !self.takes_for_running(&task) {
            let canceled = task.state == TaskState::Canceled;
            let internal = if canceled { FaultId::CancelTwiceInternal } else { FaultId::CancelTerminalWrongCode };
            if !canceled && self.has(FaultId::CancelTerminalOk) {
                return Ok(OperationReply::Result(task.to_value(TaskView::FULL)));
            }
            if self.has(internal) {
                return Err(Rejection::internal());
            }
            let rejection = Rejection::new(ErrorName::TaskNotCancelable, "the task has already finished");
            return Err(rejection.with("taskId", id).with("state", CURRENT.dialect.state_name(task.state)));
        }
        if self.has(FaultId::CancelWaitingIgnored) && task.state == TaskState::AuthRequired {
            return Ok(OperationReply::Result(task.to_value(TaskView::FULL)));
        }
        if self.has(FaultId::CancelIgnored) {
            drop(task);
            let (task, view, deadline_ms) = (cell, TaskView::FULL, f64::INFINITY);
            let show: ShowTask = |_, task, view| task.to_value(view);
            return Ok(OperationReply::Wait(PendingReply { task, ready: has_begun, view, deadline_ms, show }));
        }
        if let Some(metadata) = params.get("metadata").filter(|_| !self.has(FaultId::CancelDropsMetadata)) {
            task.metadata = metadata.clone();
        }
        if self.fails_under_load(FaultId::LoadCancelOvertaken) {
            let mut value = task.to_value(TaskView::FULL);
            change(&mut value, "/status/state", Some(CURRENT.dialect.state_name(TaskState::Canceled).into()));
            return Ok(OperationReply::Result(value));
        }
        self.set_status_now(&mut task, TaskState::Canceled, "Cancelled, as asked.");
        if self.fails_under_load(FaultId::LoadCancelDenied) {
            return Err(Rejection::new(ErrorName::TaskNotCancelable, "the task cannot be cancelled").with("taskId", id));
        }
        let null = self.has(FaultId::CancelAnswersNull);
        Ok(OperationReply::Result(if null { Value::Null } else { task.to_value(TaskView::FULL) }))
    }

    /// What a fault returns for an id of no task that it was asked for before.
    fn refuse_again(&self, id: &str) -> Result<(), Rejection> {
        let is_again = self.0.unknown.replace(id.to_owned()) == id;
        if is_again && self.has(FaultId::UnknownTaskRemembered) { Err(Rejection::internal()) } else { Ok(()) }
    }

    fn subscribe_to_task(&self, served_version: &ServedVersion, params: &Value) -> Result<OperationReply, Rejection> {
        let id = text(params, "id");
        let Some(task) = self.look_up(Operation::SubscribeToTask, id) else {
            if !self.has(FaultId::SubscribeUnknownStreams) {
                self.refuse_again(id)?;
                return Err(self.no_such_task(id));
            }
            let task = self.made_up_task(id, &self.0.ids.fresh(), TaskState::Completed);
            let cell = Rc::new(RefCell::new(task));
            return Ok(OperationReply::of_stream(self, cell, StreamOrigin::Subscribe, TaskView::FULL));
        };
        let is_canceled = task.borrow().state == TaskState::Canceled && self.has(FaultId::CanceledNotTerminal);
        let finished = task.borrow().state.is_terminal() && !is_canceled && !self.takes_for_running(&task.borrow());
        if !finished && self.has(FaultId::SubscribeRefused) {
            return Err(Rejection::new(ErrorName::UnsupportedOperation, "subscriptions are not supported"));
        }
        if task.borrow().state.is_interrupted() && self.has(FaultId::SubscribeWaitingRefused) {
            return Err(Rejection::new(ErrorName::UnsupportedOperation, "the task is not at work"));
        }
        if finished && self.has(FaultId::SubscribeTerminalWrongCode) {
            return Err(Rejection::new(ErrorName::TaskNotCancelable, "the task has finished"));
        }
        let streams = [FaultId::SubscribeTerminalStreams, FaultId::UndeclaredSubscribe];
        let allowed = served_version.older.as_ref().is_some_and(|older| older.finished_streams)
            || self.has(FaultId::ResubscribeTerminalHangs)
            || self.misses_end(&task.borrow(), FaultId::SubscribeMissesEnd);
        if finished && !allowed && !streams.into_iter().any(|fault| self.has(fault)) {
            return Err(Rejection::task_finished("a finished task cannot be subscribed to", id));
        }
        Ok(OperationReply::of_stream(self, task, StreamOrigin::Subscribe, TaskView::FULL))
    }

    /// The answer of a fault about a task that does not exist.
    fn made_up_result(&self, id: &str, state: TaskState) -> OperationReply {
        OperationReply::Result(self.made_up_task(id, &self.0.ids.fresh(), state).to_value(TaskView::FULL))
    }

    fn task_not_found(&self, id: &str, internal: FaultId) -> Rejection {
        if self.has(internal) { Rejection::internal() } else { self.no_such_task(id) }
    }
}

/// Shows a cancelled task as completed if it was shown before.
pub(super) fn rewrite_canceled(task: &StoredTask, shown: &Cell<bool>, status: &mut Value) {
    if task.state == TaskState::Canceled && shown.replace(true) {
        set_text(status, "state", CURRENT.dialect.state_name(TaskState::Completed));
    }
}
