//! SendMessage and SendStreamingMessage: accepting or refusing a message, making its task with its ids, and answering its sender,
//! at once or after the task.

use serde_json::Value;

use super::acceptance::Addressed;
use super::directives::Directives;
use super::fault::FaultId;
use super::json_values::{data, remove, set, set_text, text, wrap};
use super::operation_reply::{OperationReply, PendingReply, any_state, has_begun, is_at_rest, is_at_work};
use super::params::{MODES, history_length};
use super::rejection::Rejection;
use super::responses::internal_server_error;
use super::script::{
    RAISE, Script, TCK_MESSAGE, TCK_NO_CONTEXT, asks_for, follow_up_plan, plan_with_text, script_for,
    still_unauthorised_plan,
};
use super::scripted_agent::ScriptedAgent;
use super::served_version::{CURRENT, ServedVersion};
use super::stream::{EventStream, StreamOrigin};
use super::task::{self, ArtifactsShown, HistoryShown, StoredTask, TaskCell, TaskView};
use crate::a2a::model::{ErrorName, Operation, Role, TaskState};

/// How long a send of 0.1 waits for its task, in milliseconds.
const MAX_WAIT_MS: f64 = 600.0;

/// The media type by which ACTS asks for a part to be refused. It stands in the part's metadata, which has no meaning otherwise.
const TCK_UNSUPPORTED: &str = "application/x-unsupported-type";

/// The outcome of a message that the agent accepted.
enum SendOutcome {
    Message(Value),
    /// Made a task for it.
    New(TaskCell),
    /// Gave it to a task that was there.
    Known(TaskCell),
}

/// A message that came, with what its sender wants of the answer.
#[derive(Clone, Copy)]
struct IncomingMessage<'a> {
    message: &'a Value,
    /// The media types that the sender accepts.
    modes: &'a [Value],
    streams: bool,
    /// Whether its version knows no other answer than a task.
    tasks_only: bool,
}

impl IncomingMessage<'_> {
    /// The ids of the task and of the context that it names; empty for none.
    fn ids(&self) -> (&str, &str) {
        (text(self.message, "taskId"), text(self.message, "contextId"))
    }
}

impl ScriptedAgent {
    pub(super) fn send_message(
        &self,
        served_version: &'static ServedVersion,
        operation: Operation,
        params: &Value,
    ) -> Result<OperationReply, Rejection> {
        let streams = operation == Operation::SendStreamingMessage;
        let tasks_only = served_version.tasks_only();
        let configuration = params.get("configuration").unwrap_or(&Value::Null);
        let message = params.get("message").unwrap_or(&Value::Null);
        if !self.has(FaultId::AnyMediaType) {
            match check_media_types(message, self.has(FaultId::TakesPictures)) {
                Err(_) if self.has(FaultId::CrashOnMediaType) => {
                    return Ok(OperationReply::Answer(internal_server_error()));
                }
                checked => checked?,
            }
        }
        self.refuse_valid_members(params, message)?;
        self.note_raising(first_text(message))?;
        let push_config = configuration.get("taskPushNotificationConfig");
        let push_config = push_config.filter(|_| !self.has(FaultId::PushInlineIgnored));
        if let Some(config) = push_config {
            self.check_webhook(config, "configuration.taskPushNotificationConfig.url")?;
        }
        let modes = configuration.get("acceptedOutputModes").and_then(Value::as_array);
        let modes = modes.map(Vec::as_slice).unwrap_or_default();
        let mut view = self.view(history_length(configuration));
        if let Some(length) = history_length(configuration).filter(|_| self.has(FaultId::SendHistoryOldest)) {
            view.history = HistoryShown::Oldest(length);
        }
        if self.fails_at_times_under_load(FaultId::LoadErrors500) {
            return Ok(OperationReply::Answer(internal_server_error()));
        }
        let played = self.play(served_version, message)?;
        let plays = played.is_some();
        let outcome = match played {
            Some(task) => SendOutcome::Known(task),
            None => self.accept_message(&IncomingMessage { message, modes, streams, tasks_only })?,
        };
        let (task, new) = match outcome {
            SendOutcome::Message(message) => return Ok(self.reply_with(message, streams)),
            SendOutcome::New(task) => (task, true),
            SendOutcome::Known(task) => (task, false),
        };
        if let Some(config) = push_config {
            self.store_push_config(served_version, &task, &mut task.borrow_mut(), config);
        }
        let return_immediately = configuration.get("returnImmediately").and_then(Value::as_bool) == Some(true);
        // A client of 0.1 cannot ask to return at once. It gets a long task before the end, so that it can cancel it.
        let deadline_ms = if tasks_only { self.0.clock.now_ms() + MAX_WAIT_MS } else { f64::INFINITY };
        if plays {
            return Ok(self.reply_with_turn(task, streams, return_immediately, view, deadline_ms));
        }
        if new
            && asks_for(RAISE, first_text(message))
            && let Some(reply) = self.raised_reply(&task, streams, return_immediately)
        {
            return Ok(reply);
        }
        let is_third = task.borrow().messages_received > 2;
        if !new
            && streams
            && (self.has(FaultId::FollowUpStreamEmpty) || is_third && self.has(FaultId::ThirdTurnStreamEmpty))
        {
            return Ok(OperationReply::empty_stream());
        }
        if !new && !streams && return_immediately && self.has(FaultId::FollowUpEarlyRefused) {
            return Err(Rejection::internal());
        }
        if streams {
            let view = if self.has(FaultId::StreamFullHistory) { TaskView::FULL } else { view };
            let mut reply = OperationReply::of_stream(self, task, StreamOrigin::Send, view);
            if return_immediately
                && self.has(FaultId::StreamReturnsImmediately)
                && let OperationReply::Events(events) = &mut reply
            {
                events.end();
            }
            return Ok(reply);
        }
        let waits =
            [FaultId::ReturnImmediatelyIgnored, FaultId::BlockingFalseIgnored].into_iter().any(|fault| self.has(fault));
        let ready = if return_immediately && !waits {
            any_state
        } else if new && self.has(FaultId::SendReturnsEarly) {
            has_begun
        } else if is_third && self.has(FaultId::ThirdTurnReturnsEarly) {
            is_at_work
        } else {
            is_at_rest
        };
        let show = if new && self.has(FaultId::CrowdAnswersSwapped) { Self::swapped_result } else { Self::send_result };
        Ok(OperationReply::Wait(PendingReply { task, ready, view, deadline_ms, show }))
    }

    /// The reply of a send that is answered with a message.
    fn reply_with(&self, message: Value, streams: bool) -> OperationReply {
        if streams && !self.has(FaultId::StreamAsJson) {
            return OperationReply::Events(EventStream::of_message(self, message));
        }
        let context = text(&message, "contextId").to_owned();
        let mut result = wrap("message", message);
        if !streams && self.has(FaultId::SendBoth) {
            let task = self.made_up_task(&self.0.ids.fresh(), &context, TaskState::Completed);
            set(&mut result, "task", task.to_value(TaskView::FULL));
        }
        OperationReply::Result(result)
    }

    fn refuse_valid_members(&self, params: &Value, message: &Value) -> Result<(), Rejection> {
        let parts = message.get("parts").and_then(Value::as_array);
        let refused = [
            (FaultId::TwoPartsRefused, parts.is_some_and(|parts| parts.len() > 1), "message.parts"),
            (FaultId::MetadataRefused, message.get("metadata").is_some(), "message.metadata"),
            (FaultId::MetadataRefused, params.get("metadata").is_some(), "metadata"),
            (FaultId::ReferencesRefused, message.get("referenceTaskIds").is_some(), "message.referenceTaskIds"),
        ];
        match refused.into_iter().find(|(fault, present, _)| *present && self.has(*fault)) {
            Some((.., field)) => Err(Rejection::invalid(field, "is not accepted")),
            None => Ok(()),
        }
    }

    /// Notes a message whose handler raises; refuses the others after it, if a fault does so.
    fn note_raising(&self, message_text: &str) -> Result<(), Rejection> {
        let (over_http, over_rpc) = &self.0.raised;
        let raised = if self.0.over_rpc.get() { over_rpc } else { over_http };
        if asks_for(RAISE, message_text) {
            raised.set(true);
        } else if self.has(FaultId::RaiseFailsNext) && raised.get() {
            return Err(Rejection::internal());
        }
        Ok(())
    }

    /// The reply to a message whose handler raises, if a fault has one of its own.
    fn raised_reply(&self, task: &TaskCell, streams: bool, early: bool) -> Option<OperationReply> {
        if streams && self.has(FaultId::RaiseStreamEmpty) {
            return Some(OperationReply::empty_stream());
        }
        if early && !streams && self.has(FaultId::RaiseLeftWorking) {
            let mut task = task.borrow_mut();
            self.set_status_now(&mut task, TaskState::Working, "");
        }
        if !early && !streams && self.has(FaultId::RaiseHangs) {
            return Some(OperationReply::Silence);
        }
        None
    }

    fn send_result(&self, task: &StoredTask, mut view: TaskView) -> Value {
        if task.state == TaskState::Completed && self.has(FaultId::SendStaleSnapshot) {
            view.artifacts = ArtifactsShown::Never;
        }
        let mut value = task.to_value(view);
        let at_work = matches!(task.state, TaskState::Submitted | TaskState::Working);
        if let Some(status) = value.get_mut("status").filter(|_| at_work && self.has(FaultId::SendSaysCompleted)) {
            set_text(status, "state", CURRENT.dialect.state_name(TaskState::Completed));
        }
        let mut result = wrap("task", value);
        if self.has(FaultId::SendBoth) {
            set(&mut result, "message", task.message("And a message.", &*self.0.ids));
        }
        result
    }

    /// The same of another task, where several were made in the words of a stream.
    fn swapped_result(&self, task: &StoredTask, view: TaskView) -> Value {
        match self.next_of_crowd(task) {
            Some(other) => self.send_result(&other.borrow(), view),
            None => self.send_result(task, view),
        }
    }

    /// Accepts a message: it makes a task, goes to one, or is answered with a message.
    fn accept_message(&self, incoming: &IncomingMessage<'_>) -> Result<SendOutcome, Rejection> {
        let (id, given) = incoming.ids();
        let tasks_only = incoming.tasks_only;
        if tasks_only && id.is_empty() && !self.has(FaultId::SendEmptyAccepted) {
            return Err(Rejection::invalid("id", "is required"));
        }
        let new = tasks_only && self.look_up(Operation::SendMessage, id).is_none();
        if id.is_empty() || new {
            if self.has(FaultId::SendRefusesText) {
                return Err(Rejection::invalid("message", "is not accepted"));
            }
            if !given.is_empty() && asks_for(TCK_NO_CONTEXT, first_text(incoming.message)) {
                return Err(Rejection::invalid("message.contextId", "is refused, as the message asks for"));
            }
            if self.has(FaultId::ContextWordsInternal) && given.contains(' ') {
                return Err(Rejection::internal());
            }
            if self.has(FaultId::ContextOldTask)
                && let Some(task) = self.finished_task_in(given)
            {
                return Ok(SendOutcome::Known(task));
            }
            let is_replaced = self.has(FaultId::ContextReplaced)
                || self.has(FaultId::SessionReplaced)
                || self.has(FaultId::ThirdTaskNewContext) && self.tasks_in(given) > 1;
            let context = if is_replaced { "" } else { given };
            let id = if self.has(FaultId::TaskRenamed) { "" } else { id };
            return Ok(self.answer_new(incoming, id, context));
        }
        match self.look_up(Operation::SendMessage, id) {
            Some(task) => self.accept_for_task(incoming, task),
            None => self.accept_for_unknown_task(incoming),
        }
    }

    fn accept_for_unknown_task(&self, incoming: &IncomingMessage<'_>) -> Result<SendOutcome, Rejection> {
        let (id, given) = incoming.ids();
        let answer_new = |id| Ok(self.answer_new(incoming, id, given));
        match incoming.streams {
            true if self.has(FaultId::StreamUnknownTaskAccepted) => answer_new(""),
            false if self.has(FaultId::UnknownTaskIdAccepted) => answer_new(id),
            false if self.has(FaultId::UnknownTaskIdInternal) => Err(Rejection::internal()),
            _ => Err(self.no_such_task(id)),
        }
    }

    fn accept_for_task(&self, incoming: &IncomingMessage<'_>, task: TaskCell) -> Result<SendOutcome, Rejection> {
        let (id, given) = incoming.ids();
        let IncomingMessage { message, modes, streams, tasks_only } = *incoming;
        let mut known = task.borrow_mut();
        let waits = known.state.is_interrupted();
        if known.state.is_terminal() {
            let sent = self.accept_for_finished(&mut known, message, streams)?;
            drop(known);
            return Ok(if tasks_only { SendOutcome::Known(task) } else { sent });
        }
        if !given.is_empty() && given != known.context && !self.has(FaultId::ContextMismatchAccepted) {
            return Err(Rejection::invalid("message.contextId", "is not that of the task"));
        }
        let unauthorised = known.state == TaskState::AuthRequired;
        if unauthorised && self.has(FaultId::AuthRequiredDeaf) {
            let rejection = Rejection::new(ErrorName::UnsupportedOperation, "the task requires authorisation");
            return Err(rejection.with("taskId", id));
        }
        // The first message made the task.
        let is_third = known.messages_received > 1;
        if waits && (self.has(FaultId::FollowUpNewTask) || is_third && self.has(FaultId::ThirdTurnNewTask)) {
            let context = known.context.clone();
            drop(known);
            return Ok(self.answer_new(incoming, "", &context));
        }
        if waits && (self.has(FaultId::FollowUpNewContext) || is_third && self.has(FaultId::ThirdTurnNewContext)) {
            known.context = self.0.ids.fresh();
        }
        if !self.has(FaultId::HistoryDropsFollowUps) {
            known.add_to_history(self.history_message(message));
        }
        if waits {
            let faults = &self.0.faults;
            let plan = if unauthorised {
                still_unauthorised_plan(faults)
            } else {
                follow_up_plan(text(message, "messageId"), first_text(message), modes, faults)
            };
            known.set_plan(plan, self.reading(), &*self.0.ids);
        }
        drop(known);
        Ok(SendOutcome::Known(task))
    }

    /// 1.0 §3.1.1: a finished task accepts no more messages.
    fn accept_for_finished(
        &self,
        task: &mut StoredTask,
        message: &Value,
        streams: bool,
    ) -> Result<SendOutcome, Rejection> {
        let is_canceled = task.state == TaskState::Canceled && self.has(FaultId::CanceledNotTerminal);
        let is_failed = task.state == TaskState::Failed && self.has(FaultId::FailedAcceptsMessage);
        let accepted = if streams { FaultId::StreamTerminalAccepted } else { FaultId::TerminalAcceptsMessage };
        let is_rejected = task.state == TaskState::Rejected && self.has(FaultId::RejectedAcceptsMessage);
        if self.has(accepted) || is_canceled || is_failed || is_rejected || self.takes_for_running(task) {
            let thanks = format!("Thank you for this: {}", first_text(message));
            return Ok(SendOutcome::Message(task.message(&thanks, &*self.0.ids)));
        }
        if self.has(FaultId::TerminalWrongCode) {
            return Err(Rejection::new(ErrorName::TaskNotCancelable, "the task has finished"));
        }
        if self.has(FaultId::TerminalReopens) || self.misses_end(task, FaultId::MessageReopensJustFinished) {
            self.set_status_now(task, TaskState::Working, "");
        }
        Err(Rejection::task_finished("a finished task does not accept messages", &task.id))
    }

    /// The first task of a context, if it has finished.
    fn finished_task_in(&self, context: &str) -> Option<TaskCell> {
        let task = self.0.store.borrow().tasks.iter().find(|task| task.borrow().context == context).cloned()?;
        self.advance(&task);
        let finished = task.borrow().state.is_terminal();
        finished.then_some(task)
    }

    /// How many tasks were created in a context.
    fn tasks_in(&self, context: &str) -> usize {
        self.0.store.borrow().tasks.iter().filter(|task| task.borrow().context == context).count()
    }

    /// Answers a new message, in a new task and context unless they are given.
    fn answer_new(&self, incoming: &IncomingMessage<'_>, id: &str, context: &str) -> SendOutcome {
        let IncomingMessage { message, modes, tasks_only, .. } = *incoming;
        let or_fresh = |given: &str| if given.is_empty() { self.0.ids.fresh() } else { given.to_owned() };
        let leaves_out_context = context.is_empty() && asks_for(TCK_MESSAGE, first_text(message));
        let context = or_fresh(context);
        if self.0.addressed.get() == Addressed::Echo {
            return SendOutcome::Message(task::message(first_text(message), "", &context, &*self.0.ids));
        }
        let mut plan = match script_for(text(message, "messageId"), first_text(message), modes, &self.0.faults) {
            Script::Message(text) if tasks_only => plan_with_text(&text, &self.0.faults),
            Script::Message(text) => {
                let mut answer = task::message(&text, "", &context, &*self.0.ids);
                if leaves_out_context {
                    remove(&mut answer, "contextId");
                }
                return SendOutcome::Message(answer);
            }
            Script::Task(plan) => plan,
        };
        self.disturb_plan(&mut plan, first_text(message), incoming.streams);
        let reused = id.is_empty() && self.has(FaultId::TaskIdsReused);
        let reading = self.reading();
        let own_id = or_fresh(if reused { "the-task" } else { id });
        let mut task = StoredTask::new(self.reused_id().unwrap_or(own_id), context, reading);
        task.owner = self.0.caller.get();
        task.over_rpc = self.0.over_rpc.get();
        task.test_case = Directives::from_message(message).unwrap_or_default().test_case.to_owned();
        let mut kept = self.history_message(message);
        if !task.over_rpc && self.has(FaultId::RestLosesExtensions) {
            remove(&mut kept, "extensions");
        }
        task.add_to_history(kept);
        task.set_plan(plan, reading, &*self.0.ids);
        SendOutcome::New(self.0.store.borrow_mut().add(task))
    }

    /// The message for the history. Required members that a fault let it lack are filled in, so that the history stays valid.
    pub(super) fn history_message(&self, message: &Value) -> Value {
        let mut message = if message.is_object() { message.clone() } else { data("{}", &[]) };
        let parts = message.get("parts").and_then(Value::as_array).is_some_and(|parts| !parts.is_empty());
        if !parts {
            set(&mut message, "parts", data(r#"[{"text":"(nothing)"}]"#, &[]));
        }
        if message.get("role").is_none() {
            set_text(&mut message, "role", CURRENT.dialect.role_name(Role::User));
        }
        if message.get("messageId").is_none() {
            set_text(&mut message, "messageId", &self.0.ids.fresh());
        }
        message
    }
}

/// The text of a message's first part; empty if it has none.
fn first_text(message: &Value) -> &str {
    message.pointer("/parts/0/text").and_then(Value::as_str).unwrap_or_default()
}

/// 1.0 §3.1.1: a media type that the agent does not accept has an error of its own.
fn check_media_types(message: &Value, takes_pictures: bool) -> Result<(), Rejection> {
    for part in message.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default() {
        let unsupported = part.pointer("/metadata/contentType").and_then(Value::as_str);
        let unsupported = unsupported.filter(|media_type| media_type.starts_with(TCK_UNSUPPORTED));
        let Some(media_type) = part.get("mediaType").and_then(Value::as_str).or(unsupported) else { continue };
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        let is_picture = takes_pictures && essence.eq_ignore_ascii_case("image/svg+xml");
        if !is_picture && !MODES.iter().any(|mode| mode.eq_ignore_ascii_case(essence)) {
            let message = format!("parts of the media type {essence} are not accepted; {} are", MODES.join(" and "));
            return Err(Rejection::new(ErrorName::ContentTypeNotSupported, &message).with("mediaType", essence));
        }
    }
    Ok(())
}
