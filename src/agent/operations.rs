//! The operations: what each does to the agent's memory and what it answers.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::{Either, select};
use serde_json::{Value, json};

use super::ScriptedAgent;
use super::fault::FaultId;
use super::message::{Incoming, SendParams};
use super::moment::{Moment, timestamp};
use super::params::{Params, Unfit};
use super::rpc::Refusal;
use super::script::{Script, follow_up, script};
use super::state::{Artifacts, Disturbed, History, Task, TaskCell, View, set};
use super::stream::{Events, Origin};
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{ErrorName, Operation, Role, TaskState};

/// What an operation answers.
pub(super) enum Reply {
    Result(Value),
    Events(Events),
}

/// What became of a message.
enum Sent {
    Message(Value),
    /// A task that the message made.
    New(TaskCell),
    /// A task that the message went to.
    Known(TaskCell),
}

impl ScriptedAgent {
    pub(super) fn moment(&self) -> Moment {
        Moment::of(&*self.0.clock)
    }

    /// The task of that id, brought up to date.
    pub(super) fn look_up(&self, id: &str) -> Option<TaskCell> {
        let task = self.0.store.borrow().get(id)?;
        self.advance(&task);
        Some(task)
    }

    pub(super) fn advance(&self, task: &TaskCell) {
        task.borrow_mut().advance(self.moment(), &*self.0.ids);
    }

    /// Waits until something may have happened to the task.
    pub(super) async fn wait(&self, task: &TaskCell) {
        let disturbed = Disturbed::of(task);
        let due = task.borrow().next_due();
        let Some(due) = due else { return disturbed.await };
        // A timer may fire a little early, and then the rest must not be waited for in a tight loop.
        let sleep = self.0.clock.sleep((due - self.0.clock.now_ms()).max(1.0));
        match select(sleep, disturbed).await {
            Either::Left(_) | Either::Right(_) => {}
        }
    }

    async fn wait_until(&self, task: &TaskCell, reached: impl Fn(TaskState) -> bool) {
        loop {
            self.advance(task);
            if reached(task.borrow().status.state) {
                return;
            }
            self.wait(task).await;
        }
    }

    /// How much history to show for a `historyLength` (1.0 §3.2.4).
    pub(super) fn view(&self, length: Option<usize>) -> View {
        let has = |fault| self.0.faults.has(fault);
        let history = match length {
            None => History::All,
            Some(0) if has(FaultId::HistoryZeroIgnored) => History::All,
            Some(n) if n > 0 && has(FaultId::HistoryUnbounded) => History::All,
            Some(n) if has(FaultId::HistoryOldest) => History::Oldest(n),
            Some(n) => History::Newest(n),
        };
        View { history, artifacts: Artifacts::IfAny }
    }

    /// A task that no message made and that nothing is kept of.
    fn made_up(&self, id: &str, context: &str, state: TaskState) -> TaskCell {
        let moment = self.moment();
        let mut task = Task::new(id.to_owned(), context.to_owned(), moment);
        task.interrupt(state, None, moment, &*self.0.ids);
        Rc::new(RefCell::new(task))
    }

    /// Does what a call asks for.
    pub(super) async fn operate(&self, operation: Operation, params: Option<&Value>) -> Result<Reply, Unfit> {
        let has = |fault| self.0.faults.has(fault);
        if operation.streams() && has(FaultId::StreamingMissing) {
            return Err(Refusal::of(ErrorName::UnsupportedOperation, "streaming is not supported").into());
        }
        if operation == Operation::ListTasks && has(FaultId::ListMissing) {
            return Err(Refusal::of(ErrorName::MethodNotFound, "there is no such method").into());
        }
        let params = Params::new(operation, params, &self.0.faults);
        match operation {
            Operation::SendMessage => self.send(params).await.map(Reply::Result),
            Operation::SendStreamingMessage => self.send_streaming(params).await,
            Operation::GetTask => self.get(params).map(Reply::Result),
            Operation::ListTasks => self.list(params).map(Reply::Result),
            Operation::CancelTask => self.cancel(params).await.map(Reply::Result),
            Operation::SubscribeToTask => self.subscribe(params).await,
            Operation::CreatePushConfig
            | Operation::GetPushConfig
            | Operation::ListPushConfigs
            | Operation::DeletePushConfig => self.push_config(operation, params).map(Reply::Result),
            Operation::GetExtendedCard => {
                if !self.0.faults.has(FaultId::UndeclaredExtended) {
                    return Err(Refusal::of(ErrorName::UnsupportedOperation, "there is no extended card").into());
                }
                params.nothing()?;
                Ok(Reply::Result(self.card()))
            }
        }
    }

    async fn send(&self, params: Params<'_>) -> Result<Value, Unfit> {
        let has = |fault| self.0.faults.has(fault);
        let params = params.send()?;
        let (task, new) = match self.accept(&params, Operation::SendMessage)? {
            Sent::Message(message) => {
                let mut result = json!({ "message": message });
                if has(FaultId::SendBoth) {
                    let context = result.pointer("/message/contextId").and_then(Value::as_str).unwrap_or_default();
                    let task = self.made_up(&self.0.ids.fresh(), context, TaskState::Completed);
                    let task = task.borrow().to_value(View::FULL);
                    set(&mut result, "task", Some(task));
                }
                return Ok(result);
            }
            Sent::New(task) => (task, true),
            Sent::Known(task) => (task, false),
        };
        let at_once = params.return_immediately && !has(FaultId::ReturnImmediatelyIgnored);
        if at_once {
            self.advance(&task);
        } else if new && has(FaultId::SendReturnsEarly) {
            self.wait_until(&task, |state| state != TaskState::Submitted).await;
        } else {
            self.wait_until(&task, |state| state.is_terminal() || state.is_interrupted()).await;
        }
        let task = task.borrow();
        let mut view = self.view(params.history);
        if !at_once && task.status.state == TaskState::Completed && has(FaultId::SendStaleSnapshot) {
            view.artifacts = Artifacts::Never;
        }
        let mut result = json!({ "task": task.to_value(view) });
        if has(FaultId::SendBoth) {
            set(&mut result, "message", Some(task.message("And a message.", &*self.0.ids)));
        }
        Ok(result)
    }

    async fn send_streaming(&self, params: Params<'_>) -> Result<Reply, Unfit> {
        let params = params.send()?;
        let as_json = self.0.faults.has(FaultId::StreamAsJson);
        match self.accept(&params, Operation::SendStreamingMessage)? {
            Sent::Message(message) if as_json => Ok(Reply::Result(json!({ "message": message }))),
            Sent::Message(message) => Ok(Reply::Events(Events::of_message(self, message))),
            Sent::New(task) | Sent::Known(task) => {
                let view = self.view(params.history);
                if as_json {
                    return Ok(Reply::Result(self.last_word(&task, view).await));
                }
                task.borrow_mut().streamed = true;
                Ok(Reply::Events(Events::of_task(self, task, Origin::Send, view)))
            }
        }
    }

    async fn last_word(&self, task: &TaskCell, view: View) -> Value {
        self.wait_until(task, |state| state.is_terminal() || state.is_interrupted()).await;
        json!({ "task": task.borrow().to_value(view) })
    }

    /// Takes a message: it makes a task, goes to one, or is answered at once.
    fn accept(&self, params: &SendParams, operation: Operation) -> Result<Sent, Refusal> {
        let has = |fault| self.0.faults.has(fault);
        let message = &params.message;
        let Some(id) = &message.task else {
            if has(FaultId::SendRefusesText) {
                return Err(Refusal::invalid("message", "is not to the agent's liking"));
            }
            let context = message.context.clone().filter(|_| !has(FaultId::ContextReplaced));
            return Ok(self.begin(params, None, context));
        };
        let Some(task) = self.look_up(id) else {
            let streams = operation == Operation::SendStreamingMessage;
            return match streams {
                true if has(FaultId::StreamUnknownTaskAccepted) => {
                    Ok(self.begin(params, None, message.context.clone()))
                }
                false if has(FaultId::UnknownTaskIdAccepted) => {
                    Ok(self.begin(params, Some(id.clone()), message.context.clone()))
                }
                _ => Err(Refusal::task_not_found(id)),
            };
        };
        let (state, context) = {
            let task = task.borrow();
            (task.status.state, task.context.clone())
        };
        if state.is_terminal() {
            return self.accept_for_finished(&task, message);
        }
        if message.context.as_ref().is_some_and(|given| *given != context) && !has(FaultId::ContextMismatchAccepted) {
            return Err(Refusal::invalid("message.contextId", "is not that of the task"));
        }
        if state.is_interrupted() && has(FaultId::FollowUpNewTask) {
            return Ok(self.begin(params, None, Some(context)));
        }
        {
            let mut task = task.borrow_mut();
            if state.is_interrupted() && has(FaultId::FollowUpNewContext) {
                task.context = self.0.ids.fresh();
            }
            task.remember(self.kept(message));
            if state.is_interrupted() {
                task.plan(follow_up(message, &params.modes, &self.0.faults), self.moment(), &*self.0.ids);
            }
        }
        Ok(Sent::Known(task))
    }

    /// 1.0 §3.1.1: a finished task takes no more messages.
    fn accept_for_finished(&self, task: &TaskCell, message: &Incoming) -> Result<Sent, Refusal> {
        let has = |fault| self.0.faults.has(fault);
        if has(FaultId::TerminalAcceptsMessage) {
            let text = format!("Thank you for this: {}", message.text);
            return Ok(Sent::Message(task.borrow().message(&text, &*self.0.ids)));
        }
        if has(FaultId::TerminalWrongCode) {
            return Err(Refusal::invalid("message.taskId", "is that of a finished task"));
        }
        if has(FaultId::TerminalReopens) {
            task.borrow_mut().interrupt(TaskState::Working, None, self.moment(), &*self.0.ids);
        }
        let id = task.borrow().id.clone();
        Err(Refusal::of(ErrorName::UnsupportedOperation, "a finished task takes no messages").with("taskId", &id))
    }

    /// Answers a new message.
    fn begin(&self, params: &SendParams, id: Option<String>, context: Option<String>) -> Sent {
        let message = &params.message;
        let context = context.unwrap_or_else(|| self.0.ids.fresh());
        match script(message, &params.modes, &self.0.faults) {
            Script::Message(text) => Sent::Message(json!({
                "messageId": self.0.ids.fresh(),
                "contextId": context,
                "role": V1_0.role_name(Role::Agent),
                "parts": [{ "text": text }],
            })),
            Script::Task(plan) => {
                let moment = self.moment();
                let reused = self.0.faults.has(FaultId::TaskIdsReused).then(|| "the-task".to_owned());
                let id = id.or(reused).unwrap_or_else(|| self.0.ids.fresh());
                let mut task = Task::new(id, context, moment);
                task.remember(self.kept(message));
                task.plan(plan, moment, &*self.0.ids);
                Sent::New(self.0.store.borrow_mut().add(task))
            }
        }
    }

    /// The message as it goes into the history; with an id even if a fault let it come without.
    fn kept(&self, message: &Incoming) -> Value {
        let mut value = message.value.clone();
        if value.get("messageId").is_none() {
            set(&mut value, "messageId", Some(self.0.ids.fresh()));
        }
        value
    }

    fn get(&self, params: Params<'_>) -> Result<Value, Unfit> {
        let has = |fault| self.0.faults.has(fault);
        let (id, length) = params.task(&["tenant", "id", "historyLength"])?;
        let Some(task) = self.look_up(&id) else {
            let missing = id.is_empty() && has(FaultId::GetMissingIdAccepted);
            if missing || has(FaultId::GetUnknownFound) {
                let id = if missing { self.0.ids.fresh() } else { id };
                let task = self.made_up(&id, &self.0.ids.fresh(), TaskState::Completed);
                let value = task.borrow().to_value(View::FULL);
                return Ok(value);
            }
            return Err(not_found(&id, has(FaultId::GetUnknownInternal)).into());
        };
        let task = task.borrow();
        let finished = task.status.state.is_terminal();
        if (finished && has(FaultId::TasksVanish)) || (!finished && has(FaultId::WorkingUnreadable)) {
            return Err(Refusal::task_not_found(&id).into());
        }
        let mut value = task.to_value(self.view(length));
        if has(FaultId::GetOtherContext) {
            replace_all(&mut value, &task.context, &format!("other-{}", task.context));
        }
        let Some(status) = value.get_mut("status") else { return Ok(value) };
        if has(FaultId::GetChanges) {
            // Two reads within a millisecond must differ, too.
            let reads = self.0.reads.get() + 1;
            self.0.reads.set(reads);
            set(status, "timestamp", Some(timestamp(self.moment().epoch_ms().saturating_add(reads))));
        }
        if task.streamed && task.status.state == TaskState::Completed && has(FaultId::StreamGetDiffer) {
            set(status, "state", Some(V1_0.state_name(TaskState::Failed)));
        }
        Ok(value)
    }

    async fn cancel(&self, params: Params<'_>) -> Result<Value, Unfit> {
        let has = |fault| self.0.faults.has(fault);
        let (id, metadata) = params.cancel()?;
        let Some(task) = self.look_up(&id) else {
            if has(FaultId::CancelUnknownFound) {
                let task = self.made_up(&id, &self.0.ids.fresh(), TaskState::Canceled);
                let value = task.borrow().to_value(View::FULL);
                return Ok(value);
            }
            return Err(not_found(&id, has(FaultId::CancelUnknownInternal)).into());
        };
        let state = task.borrow().status.state;
        if state.is_terminal() {
            let again = state == TaskState::Canceled;
            if !again && has(FaultId::CancelTerminalOk) {
                return Ok(task.borrow().to_value(View::FULL));
            }
            let broken = if again { FaultId::CancelTwiceInternal } else { FaultId::CancelTerminalWrongCode };
            if has(broken) {
                return Err(Refusal::internal().into());
            }
            let refusal = Refusal::of(ErrorName::TaskNotCancelable, "the task has already finished");
            return Err(refusal.with("taskId", &id).with("state", V1_0.state_name(state)).into());
        }
        if has(FaultId::CancelIgnored) {
            self.wait_until(&task, |state| state != TaskState::Submitted).await;
            return Ok(task.borrow().to_value(View::FULL));
        }
        let mut task = task.borrow_mut();
        task.metadata = metadata.or_else(|| task.metadata.take());
        task.interrupt(TaskState::Canceled, Some("Cancelled, as asked."), self.moment(), &*self.0.ids);
        if has(FaultId::CancelAnswersNull) {
            return Ok(Value::Null);
        }
        Ok(task.to_value(View::FULL))
    }

    async fn subscribe(&self, params: Params<'_>) -> Result<Reply, Unfit> {
        let has = |fault| self.0.faults.has(fault);
        let (id, _) = params.task(&["tenant", "id"])?;
        let task = match self.look_up(&id) {
            Some(task) => {
                let finished = task.borrow().status.state.is_terminal();
                if !finished && has(FaultId::SubscribeRefused) {
                    return Err(Refusal::of(ErrorName::UnsupportedOperation, "nobody can subscribe here").into());
                }
                if finished && has(FaultId::SubscribeTerminalWrongCode) {
                    return Err(Refusal::invalid("id", "is that of a finished task").into());
                }
                if finished && !has(FaultId::SubscribeTerminalStreams) {
                    let message = "a finished task cannot be subscribed to";
                    return Err(Refusal::of(ErrorName::UnsupportedOperation, message).with("taskId", &id).into());
                }
                task
            }
            None if has(FaultId::SubscribeUnknownStreams) => {
                self.made_up(&id, &self.0.ids.fresh(), TaskState::Completed)
            }
            None => return Err(Refusal::task_not_found(&id).into()),
        };
        if has(FaultId::StreamAsJson) {
            return Ok(Reply::Result(self.last_word(&task, View::FULL).await));
        }
        Ok(Reply::Events(Events::of_task(self, task, Origin::Subscribe, View::FULL)))
    }
}

fn not_found(id: &str, broken: bool) -> Refusal {
    if broken { Refusal::internal() } else { Refusal::task_not_found(id) }
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
