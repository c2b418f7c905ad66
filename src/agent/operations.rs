//! The operations: what each does to the agent's memory and what it answers, from parameters that have been read.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::Value;

use super::ScriptedAgent;
use super::data::{data, set, set_text, text};
use super::edition::Edition;
use super::fault::FaultId;
use super::moment::{Moment, timestamp};
use super::params::{self, MODES, history_length};
use super::rpc::Refusal;
use super::script::{Script, follow_up, script, still_waiting, told};
use super::state::{self, Artifacts, Disturbed, History, Task, TaskCell, View};
use super::stream::{Events, Origin};
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{ErrorName, Operation, Role, TaskState};

/// What an operation answers.
pub(super) enum Reply {
    Result(Value),
    Events(Box<Events>),
    Wait(Wait),
    /// Nothing: the connection is closed.
    HangUp,
    /// A page about an error of the server.
    Crash,
}

/// A result that is there once a task is far enough.
pub(super) struct Wait {
    task: TaskCell,
    enough: fn(TaskState) -> bool,
    view: View,
    /// When to answer all the same, on the clock of `now_ms`.
    until: f64,
    show: fn(&ScriptedAgent, &Task, View) -> Value,
}

impl Wait {
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

/// What became of a message.
enum Sent {
    Message(Value),
    /// A task that the message made.
    New(TaskCell),
    /// A task that the message went to.
    Known(TaskCell),
}

/// Whether a client that waits has waited enough.
const fn is_at_rest(state: TaskState) -> bool {
    state.is_terminal() || state.is_interrupted()
}

fn is_begun(state: TaskState) -> bool {
    state != TaskState::Submitted
}

const fn is_anything(_: TaskState) -> bool {
    true
}

fn bare(_: &ScriptedAgent, task: &Task, view: View) -> Value {
    task.to_value(view)
}

fn wrapped(_: &ScriptedAgent, task: &Task, view: View) -> Value {
    around("task", task.to_value(view))
}

/// How long a client that cannot say whether it waits is left waiting, in milliseconds.
const PATIENCE_MS: f64 = 600.0;

/// The only tenant of an agent that has some.
const TENANT: &str = "workshop";

/// An object of this one member.
pub(super) fn around(name: &str, value: Value) -> Value {
    let mut object = data("{}", &[]);
    set(&mut object, name, value);
    object
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

    pub(super) fn interrupt(&self, task: &mut Task, state: TaskState, text: &str) {
        task.interrupt(state, text, self.moment(), &*self.0.ids);
    }

    /// Waits until something may have happened to the task.
    pub(super) fn wait(&self, task: &TaskCell) -> Disturbed {
        self.wait_until(task, f64::INFINITY)
    }

    /// The same, but not longer than until then.
    fn wait_until(&self, task: &TaskCell, until: f64) -> Disturbed {
        // A timer may fire a little early, and then the rest must not be waited for in a tight loop.
        let due = task.borrow().next_due().or(until.is_finite().then_some(until)).map(|due| due.min(until));
        Disturbed::of(task, due.map(|due| self.0.clock.sleep((due - self.0.clock.now_ms()).max(1.0))))
    }

    /// How much history to show for a `historyLength` (1.0 §3.2.4).
    pub(super) fn view(&self, length: Option<usize>) -> View {
        let history = match length {
            None => History::All,
            Some(0) if self.has(FaultId::HistoryZeroIgnored) => History::All,
            Some(n) if n > 0 && self.has(FaultId::HistoryUnbounded) => History::All,
            Some(n) if self.has(FaultId::HistoryOldest) => History::Oldest(n),
            Some(n) => History::Newest(n),
        };
        View { history, artifacts: Artifacts::IfAny }
    }

    /// A task that no message made and that nothing is kept of.
    pub(super) fn made_up(&self, id: &str, context: &str, state: TaskState) -> Task {
        let mut task = Task::new(id.to_owned(), context.to_owned(), self.moment());
        self.interrupt(&mut task, state, "");
        task
    }

    /// Does what a call asks for.
    pub(super) fn operate(
        &self,
        edition: &'static Edition,
        operation: Operation,
        given: Option<&Value>,
    ) -> Result<Reply, Refusal> {
        if let Some((name, message)) = self.declined(edition, operation) {
            return Err(Refusal::of(name, message));
        }
        let served = given.is_some_and(|params| text(params, "tenant") == TENANT) && !self.has(FaultId::TenantRefused);
        if self.has(FaultId::Tenants) && edition.older.is_none() && !served {
            return Err(Refusal::invalid("tenant", "is nobody's"));
        }
        let named = self.any_config(edition, operation, given);
        let given = named.as_ref().or(given);
        if operation == Operation::ListTasks
            && given.is_none_or(Value::is_null)
            && self.has(FaultId::ListParamsRequired)
        {
            return Err(Refusal::invalid("params", "is required"));
        }
        let params::Read { params, violations, crash } = params::read(operation, given, &self.0.faults);
        if crash {
            return Ok(Reply::HangUp);
        }
        if !violations.is_empty() && self.has(FaultId::ValidationSilent) {
            return Err(Refusal::of(ErrorName::InvalidParams, "invalid parameters"));
        }
        if !violations.is_empty() {
            return Err(Refusal::invalid_fields(violations));
        }
        match operation {
            Operation::SendMessage | Operation::SendStreamingMessage => self.send(edition, operation, &params),
            Operation::GetTask => self.get(&params),
            Operation::ListTasks => self.list(&params),
            Operation::CancelTask => self.cancel(&params),
            Operation::SubscribeToTask => self.subscribe(edition, &params),
            Operation::CreatePushConfig
            | Operation::GetPushConfig
            | Operation::ListPushConfigs
            | Operation::DeletePushConfig => self.push_config(edition, operation, &params),
            Operation::GetExtendedCard if self.has(FaultId::ExtendedInternalError) => Err(Refusal::internal()),
            Operation::GetExtendedCard => Ok(Reply::Result(self.extended_card())),
        }
    }

    /// Why an operation is not done at all, whatever its parameters.
    fn declined(&self, edition: &Edition, operation: Operation) -> Option<(ErrorName, &'static str)> {
        match operation {
            _ if operation.streams() && (self.has(FaultId::StreamingMissing) || self.has(FaultId::Modest)) => {
                Some((ErrorName::StreamingNotSupported, "streaming is not supported"))
            }
            Operation::SendStreamingMessage if self.has(FaultId::UndeclaredSubscribe) => {
                Some((ErrorName::StreamingNotSupported, "streaming is not supported"))
            }
            Operation::ListTasks if self.has(FaultId::ListMissing) => {
                Some((ErrorName::MethodNotFound, "there is no such method"))
            }
            Operation::CreatePushConfig
            | Operation::GetPushConfig
            | Operation::ListPushConfigs
            | Operation::DeletePushConfig
                if self.has(FaultId::Modest) =>
            {
                Some((ErrorName::PushNotificationNotSupported, "this agent sends no push notifications"))
            }
            Operation::GetExtendedCard if !self.has(FaultId::UndeclaredExtended) && !self.has(FaultId::Protected) => {
                // 1.0 §3.1.11 tells apart what is not declared and what is not there; 0.3 §8.2 does not.
                let older = edition.older.is_some();
                let name = if older { ErrorName::ExtendedCardNotConfigured } else { ErrorName::UnsupportedOperation };
                Some((name, "there is no extended card"))
            }
            _ => None,
        }
    }

    /// Both sends.
    fn send(&self, edition: &'static Edition, operation: Operation, params: &Value) -> Result<Reply, Refusal> {
        let streams = operation == Operation::SendStreamingMessage;
        let none = Value::Null;
        let configuration = params.get("configuration").unwrap_or(&none);
        let message = params.get("message").unwrap_or(&none);
        if !self.has(FaultId::AnyMediaType) {
            match content_types(message) {
                Err(_) if self.has(FaultId::CrashOnMediaType) => return Ok(Reply::Crash),
                checked => checked?,
            }
        }
        self.tolerate(params, message)?;
        let push_config = configuration.get("taskPushNotificationConfig");
        let push_config = push_config.filter(|_| !self.has(FaultId::PushInlineIgnored));
        if let Some(config) = push_config {
            self.check_webhook(config, "configuration.taskPushNotificationConfig.url")?;
        }
        let modes = configuration.get("acceptedOutputModes").and_then(Value::as_array);
        let modes = modes.map(Vec::as_slice).unwrap_or_default();
        let view = self.view(history_length(configuration));
        let (task, new) = match self.accept(edition, message, modes, streams)? {
            Sent::Message(message) if streams && !self.has(FaultId::StreamAsJson) => {
                return Ok(Reply::Events(Events::of_message(self, message)));
            }
            Sent::Message(message) => {
                let context = text(&message, "contextId").to_owned();
                let mut result = around("message", message);
                if !streams && self.has(FaultId::SendBoth) {
                    let task = self.made_up(&self.0.ids.fresh(), &context, TaskState::Completed);
                    set(&mut result, "task", task.to_value(View::FULL));
                }
                return Ok(Reply::Result(result));
            }
            Sent::New(task) => (task, true),
            Sent::Known(task) => (task, false),
        };
        if let Some(config) = push_config {
            self.keep_config(edition, &task, &mut task.borrow_mut(), config);
        }
        let at_once = configuration.get("returnImmediately").and_then(Value::as_bool) == Some(true);
        if streams {
            let view = if self.has(FaultId::StreamFullHistory) { View::FULL } else { view };
            let mut reply = self.streamed(task, Origin::Send, view);
            if at_once
                && self.has(FaultId::StreamReturnsImmediately)
                && let Reply::Events(events) = &mut reply
            {
                events.end();
            }
            return Ok(reply);
        }
        let enough = if at_once && !self.has(FaultId::ReturnImmediatelyIgnored) {
            is_anything
        } else if new && self.has(FaultId::SendReturnsEarly) {
            is_begun
        } else {
            is_at_rest
        };
        // 0.1 has no word for it, so that who sends a long task and may want to cancel it is answered in time.
        let until = if edition.tasks_only() { self.0.clock.now_ms() + PATIENCE_MS } else { f64::INFINITY };
        Ok(Reply::Wait(Wait { task, enough, view, until, show: Self::sent }))
    }

    /// What a fault does not take although nothing is wrong with it.
    fn tolerate(&self, params: &Value, message: &Value) -> Result<(), Refusal> {
        let parts = message.get("parts").and_then(Value::as_array);
        let carried = [
            (FaultId::TwoPartsRefused, parts.is_some_and(|parts| parts.len() > 1), "message.parts"),
            (FaultId::MetadataRefused, message.get("metadata").is_some(), "message.metadata"),
            (FaultId::MetadataRefused, params.get("metadata").is_some(), "metadata"),
            (FaultId::ReferencesRefused, message.get("referenceTaskIds").is_some(), "message.referenceTaskIds"),
        ];
        match carried.into_iter().find(|(fault, there, _)| *there && self.has(*fault)) {
            Some((.., field)) => Err(Refusal::invalid(field, "is not to the agent's liking")),
            None => Ok(()),
        }
    }

    /// The answer to a send that made or reached a task.
    fn sent(&self, task: &Task, mut view: View) -> Value {
        if task.state == TaskState::Completed && self.has(FaultId::SendStaleSnapshot) {
            view.artifacts = Artifacts::Never;
        }
        let mut result = around("task", task.to_value(view));
        if self.has(FaultId::SendBoth) {
            set(&mut result, "message", task.message("And a message.", &*self.0.ids));
        }
        result
    }

    /// A task as a stream, or as one answer if a fault wants it so.
    fn streamed(&self, task: TaskCell, origin: Origin, view: View) -> Reply {
        if self.has(FaultId::StreamAsJson) {
            return Reply::Wait(Wait { task, enough: is_at_rest, view, until: f64::INFINITY, show: wrapped });
        }
        task.borrow_mut().streamed |= origin == Origin::Send;
        Reply::Events(Events::of_task(self, task, origin, view))
    }

    /// Takes a message: it makes a task, goes to one, or is answered at once.
    fn accept(&self, edition: &Edition, message: &Value, modes: &[Value], streams: bool) -> Result<Sent, Refusal> {
        let (id, given) = (text(message, "taskId"), text(message, "contextId"));
        let tasks_only = edition.tasks_only();
        if tasks_only && id.is_empty() && !self.has(FaultId::SendEmptyAccepted) {
            return Err(Refusal::invalid("id", "is required"));
        }
        let new = tasks_only && self.look_up(id).is_none();
        if id.is_empty() || new {
            if self.has(FaultId::SendRefusesText) {
                return Err(Refusal::invalid("message", "is not to the agent's liking"));
            }
            if self.has(FaultId::ContextOldTask)
                && let Some(task) = self.finished_in(given)
            {
                return Ok(Sent::Known(task));
            }
            let context =
                if self.has(FaultId::ContextReplaced) || self.has(FaultId::SessionReplaced) { "" } else { given };
            let id = if self.has(FaultId::TaskRenamed) { "" } else { id };
            return Ok(self.begin(tasks_only, message, modes, id, context));
        }
        let Some(task) = self.look_up(id) else {
            return match streams {
                true if self.has(FaultId::StreamUnknownTaskAccepted) => {
                    Ok(self.begin(tasks_only, message, modes, "", given))
                }
                false if self.has(FaultId::UnknownTaskIdAccepted) => {
                    Ok(self.begin(tasks_only, message, modes, id, given))
                }
                false if self.has(FaultId::UnknownTaskIdInternal) => Err(Refusal::internal()),
                _ => Err(Refusal::task_not_found(id)),
            };
        };
        let mut known = task.borrow_mut();
        let waits = known.state.is_interrupted();
        if known.state.is_terminal() {
            let sent = self.accept_for_finished(&mut known, message, streams)?;
            drop(known);
            return Ok(if tasks_only { Sent::Known(task) } else { sent });
        }
        if !given.is_empty() && given != known.context && !self.has(FaultId::ContextMismatchAccepted) {
            return Err(Refusal::invalid("message.contextId", "is not that of the task"));
        }
        let asked = known.state == TaskState::AuthRequired;
        if asked && self.has(FaultId::AuthRequiredDeaf) {
            return Err(Refusal::unsupported("the task waits for an authorisation", id));
        }
        if waits && self.has(FaultId::FollowUpNewTask) {
            let context = known.context.clone();
            drop(known);
            return Ok(self.begin(tasks_only, message, modes, "", &context));
        }
        if waits && self.has(FaultId::FollowUpNewContext) {
            known.context = self.0.ids.fresh();
        }
        known.remember(self.kept(message));
        if waits {
            let faults = &self.0.faults;
            let plan = if asked {
                still_waiting(faults)
            } else {
                follow_up(text(message, "messageId"), said(message), modes, faults)
            };
            known.plan(plan, self.moment(), &*self.0.ids);
        }
        drop(known);
        Ok(Sent::Known(task))
    }

    /// 1.0 §3.1.1: a finished task takes no more messages.
    fn accept_for_finished(&self, task: &mut Task, message: &Value, streams: bool) -> Result<Sent, Refusal> {
        let accepted = if streams { FaultId::StreamTerminalAccepted } else { FaultId::TerminalAcceptsMessage };
        if self.has(accepted) {
            let thanks = format!("Thank you for this: {}", said(message));
            return Ok(Sent::Message(task.message(&thanks, &*self.0.ids)));
        }
        if self.has(FaultId::TerminalWrongCode) {
            return Err(Refusal::of(ErrorName::TaskNotCancelable, "the task has finished"));
        }
        if self.has(FaultId::TerminalReopens) {
            self.interrupt(task, TaskState::Working, "");
        }
        Err(Refusal::finished("a finished task takes no messages", &task.id))
    }

    /// The first task of a context, if it has finished.
    fn finished_in(&self, context: &str) -> Option<TaskCell> {
        let task = self.0.store.borrow().tasks.iter().find(|task| task.borrow().context == context).cloned()?;
        self.advance(&task);
        let finished = task.borrow().state.is_terminal();
        finished.then_some(task)
    }

    /// Answers a new message, in a new task and context unless they are given.
    fn begin(&self, tasks_only: bool, message: &Value, modes: &[Value], id: &str, context: &str) -> Sent {
        let or_fresh = |given: &str| if given.is_empty() { self.0.ids.fresh() } else { given.to_owned() };
        let context = or_fresh(context);
        let plan = match script(text(message, "messageId"), said(message), modes, &self.0.faults) {
            Script::Message(text) if tasks_only => told(&text),
            Script::Message(text) => return Sent::Message(state::message(&text, "", &context, &*self.0.ids)),
            Script::Task(plan) => plan,
        };
        let reused = id.is_empty() && self.has(FaultId::TaskIdsReused);
        let moment = self.moment();
        let mut task = Task::new(or_fresh(if reused { "the-task" } else { id }), context, moment);
        task.remember(self.kept(message));
        task.plan(plan, moment, &*self.0.ids);
        Sent::New(self.0.store.borrow_mut().add(task))
    }

    /// The message as it goes into the history, with something in place of what a fault let it lack, so that the history
    /// stays well-formed.
    fn kept(&self, message: &Value) -> Value {
        let mut kept = if message.is_object() { message.clone() } else { data("{}", &[]) };
        let parts = kept.get("parts").and_then(Value::as_array).is_some_and(|parts| !parts.is_empty());
        if !parts {
            set(&mut kept, "parts", data(r#"[{"text":"(nothing)"}]"#, &[]));
        }
        if kept.get("role").is_none() {
            set_text(&mut kept, "role", V1_0.role_name(Role::User));
        }
        if kept.get("messageId").is_none() {
            set_text(&mut kept, "messageId", &self.0.ids.fresh());
        }
        kept
    }

    fn get(&self, params: &Value) -> Result<Reply, Refusal> {
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
            return Err(Refusal::task_not_found(id));
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
                set_text(status, "timestamp", &timestamp(self.moment().epoch_ms().saturating_add(reads)));
            }
            if task.streamed && task.state == TaskState::Completed && self.has(FaultId::StreamGetDiffer) {
                set_text(status, "state", V1_0.state_name(TaskState::Failed));
            }
        }
        Ok(Reply::Result(value))
    }

    fn cancel(&self, params: &Value) -> Result<Reply, Refusal> {
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
                return Ok(Reply::Result(task.to_value(View::FULL)));
            }
            if self.has(broken) {
                return Err(Refusal::internal());
            }
            let refusal = Refusal::of(ErrorName::TaskNotCancelable, "the task has already finished");
            return Err(refusal.with("taskId", id).with("state", V1_0.state_name(task.state)));
        }
        if self.has(FaultId::CancelIgnored) {
            drop(task);
            return Ok(Reply::Wait(Wait {
                task: cell,
                enough: is_begun,
                view: View::FULL,
                until: f64::INFINITY,
                show: bare,
            }));
        }
        if let Some(metadata) = params.get("metadata") {
            task.metadata = metadata.clone();
        }
        self.interrupt(&mut task, TaskState::Canceled, "Cancelled, as asked.");
        let null = self.has(FaultId::CancelAnswersNull);
        Ok(Reply::Result(if null { Value::Null } else { task.to_value(View::FULL) }))
    }

    fn subscribe(&self, edition: &Edition, params: &Value) -> Result<Reply, Refusal> {
        let id = text(params, "id");
        let Some(task) = self.look_up(id) else {
            if !self.has(FaultId::SubscribeUnknownStreams) {
                return Err(Refusal::task_not_found(id));
            }
            let task = self.made_up(id, &self.0.ids.fresh(), TaskState::Completed);
            return Ok(self.streamed(Rc::new(RefCell::new(task)), Origin::Subscribe, View::FULL));
        };
        let finished = task.borrow().state.is_terminal();
        if !finished && self.has(FaultId::SubscribeRefused) {
            return Err(Refusal::of(ErrorName::UnsupportedOperation, "nobody can subscribe here"));
        }
        if finished && self.has(FaultId::SubscribeTerminalWrongCode) {
            return Err(Refusal::of(ErrorName::TaskNotCancelable, "the task has finished"));
        }
        let streams = [FaultId::SubscribeTerminalStreams, FaultId::UndeclaredSubscribe];
        let older = edition.older.as_ref().is_some_and(|older| older.finished_streams)
            || self.has(FaultId::ResubscribeTerminalHangs);
        if finished && !older && !streams.into_iter().any(|fault| self.has(fault)) {
            return Err(Refusal::finished("a finished task cannot be subscribed to", id));
        }
        Ok(self.streamed(task, Origin::Subscribe, View::FULL))
    }

    /// What a fault answers about a task that there is not.
    fn unheard_of(&self, id: &str, state: TaskState) -> Reply {
        Reply::Result(self.made_up(id, &self.0.ids.fresh(), state).to_value(View::FULL))
    }

    fn not_found(&self, id: &str, broken: FaultId) -> Refusal {
        if self.has(broken) { Refusal::internal() } else { Refusal::task_not_found(id) }
    }
}

/// The text of a message's first part, if that has one.
fn said(message: &Value) -> &str {
    message.pointer("/parts/0/text").and_then(Value::as_str).unwrap_or_default()
}

/// 1.0 §3.1.1: a media type that the agent does not take is an error of its own.
fn content_types(message: &Value) -> Result<(), Refusal> {
    for part in message.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default() {
        let Some(media_type) = part.get("mediaType").and_then(Value::as_str) else { continue };
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if !MODES.iter().any(|mode| mode.eq_ignore_ascii_case(essence)) {
            let message = format!("parts of the media type {essence} are not taken; {} are", MODES.join(" and "));
            return Err(Refusal::of(ErrorName::ContentTypeNotSupported, &message).with("mediaType", essence));
        }
    }
    Ok(())
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
