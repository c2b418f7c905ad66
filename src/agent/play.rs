//! Plays the turns that a test case declares (docs/TEST-AGENT.md): which turn a message asks for, and the answer to it.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};

use super::declared_turn::{DeclaredCase, DeclaredEvent, DeclaredTurn, EventContent, InvalidResponses, PlayedTurn};
use super::directives::Directives;
use super::json_values::{text, wrap};
use super::operation_reply::{OperationReply, PendingReply, any_state};
use super::rejection::Rejection;
use super::responses::{plain_error, typed_response};
use super::script::{ScriptStep, TaskChange};
use super::scripted_agent::ScriptedAgent;
use super::served_version::{CURRENT, ServedVersion};
use super::stream::EventStream;
use super::task::{StoredTask, TaskCell, TaskView};
use crate::a2a::model::{ErrorName, Operation, TaskState};
use crate::host::StreamedResponse;

impl ScriptedAgent {
    /// Begins the turn that a message asks for, if it is one of a test case with responses. Where the turn has no task, clients
    /// cannot ask for the task that plays it.
    pub(super) fn play(&self, served_version: &ServedVersion, message: &Value) -> Result<Option<TaskCell>, Rejection> {
        let (id, context) = (text(message, "taskId"), text(message, "contextId"));
        let directives = Directives::from_message(message).map_err(refused)?;
        let known = self.look_up(Operation::SendMessage, id);
        if known.is_none() && !id.is_empty() && !served_version.tasks_only() {
            return Ok(None);
        }
        let Some(case) = self.test_case_of(message, &directives, known.as_ref())? else { return Ok(None) };
        let (turns_before, index) = match &known {
            Some(task) => {
                let task = task.borrow();
                if !context.is_empty() && context != task.context {
                    return Err(Rejection::invalid("message.contextId", "is not that of the task"));
                }
                let before = task.turn.as_ref().map_or(0, |turn| turn.turns_before);
                (before, before + task.messages_received)
            }
            None => (case.turns_in(context), case.turns_in(context)),
        };
        let Some(turn) = case.turns.get(index).cloned() else { return Err(beyond_the_last(&case, index)) };
        let task = match known {
            Some(task) => task,
            None => self.task_for(served_version, &case, &turn, message, &directives),
        };
        let mut playing = task.borrow_mut();
        if !playing.id.is_empty() {
            playing.add_to_history(self.history_message(message));
        }
        let plan = plan_of(&turn, served_version);
        playing.begin_turn(PlayedTurn::new(case, turns_before, turn), plan, self.reading().now_ms);
        drop(playing);
        Ok(Some(task))
    }

    /// The test case of a message: the one that it declares, that of its task, that of its name, or that of its contents.
    fn test_case_of(
        &self,
        message: &Value,
        directives: &Directives<'_>,
        task: Option<&TaskCell>,
    ) -> Result<Option<Rc<DeclaredCase>>, Rejection> {
        if let Some(source) = directives.responses {
            let declared = self.0.test_cases.borrow_mut().declare(directives.test_case, source, &self.0.base);
            let (case, files) = declared.map_err(refused)?;
            self.0.files.borrow_mut().add(directives.test_case, files);
            return Ok(Some(case));
        }
        let of_task = task.and_then(|task| task.borrow().turn.as_ref().map(|turn| Rc::clone(&turn.case)));
        let cases = self.0.test_cases.borrow();
        Ok(of_task.or_else(|| cases.get(directives.test_case)).or_else(|| cases.of_message(message)))
    }

    /// Answers every message that holds this text, in a text or in a file, with these responses: `json` is an array of turns as
    /// `docs/TEST-AGENT.md` describes it.
    ///
    /// # Errors
    /// [`InvalidResponses`] names the place of the first problem.
    pub fn answer_messages_with(&self, text: &str, json: &str) -> Result<(), InvalidResponses> {
        self.0.test_cases.borrow_mut().declare_for_contents(text, json)
    }

    /// A new task for a turn. It is not stored where the turn has none, and then the test case counts the turn.
    fn task_for(
        &self,
        served_version: &ServedVersion,
        case: &DeclaredCase,
        turn: &DeclaredTurn,
        message: &Value,
        directives: &Directives<'_>,
    ) -> TaskCell {
        let or_fresh = |given: &str| if given.is_empty() { self.0.ids.fresh() } else { given.to_owned() };
        let given = text(message, "contextId");
        let context = or_fresh(given);
        let answers = turn.events.iter().any(|event| matches!(event.content, EventContent::Message(_)));
        let is_stored = turn.has_task() || (answers && served_version.tasks_only());
        let id = if is_stored { or_fresh(text(message, "taskId")) } else { String::new() };
        // A client that gets no answer does not know the context, and tries again without it.
        let counted_in = if answers { context.as_str() } else { given };
        if !is_stored {
            case.count_turn_in(counted_in);
        }
        let mut task = StoredTask::new(id, context, self.reading());
        task.owner = self.0.caller.get();
        task.test_case = directives.test_case.to_owned();
        match is_stored {
            true => self.0.store.borrow_mut().add(task),
            false => Rc::new(RefCell::new(task)),
        }
    }

    pub(super) fn reply_with_turn(
        &self,
        task: TaskCell,
        streams: bool,
        return_immediately: bool,
        view: TaskView,
        deadline_ms: f64,
    ) -> OperationReply {
        let (is_stored, is_plain) = {
            let task = task.borrow();
            (!task.id.is_empty(), task.turn.as_ref().is_some_and(|turn| turn.declared.is_plain_answer()))
        };
        if streams && !is_plain {
            return OperationReply::Events(EventStream::of_turn(self, task, view));
        }
        let ready = if return_immediately && is_stored { any_state } else { StoredTask::turn_is_over };
        let deadline_ms = if is_stored { deadline_ms } else { f64::INFINITY };
        OperationReply::Wait(PendingReply { task, ready, view, deadline_ms, show: show_turn })
    }
}

/// The steps of a turn. Where every answer is a task, a message is the status of one that has completed.
fn plan_of(turn: &DeclaredTurn, served_version: &ServedVersion) -> Vec<ScriptStep> {
    let mut after_ms = 0.0;
    let step = |event: &DeclaredEvent| {
        after_ms += event.delay_ms;
        let content = match &event.content {
            EventContent::Message(message) if served_version.tasks_only() => {
                let state = CURRENT.dialect.state_name(TaskState::Completed);
                EventContent::Status(json!({"status": {"state": state, "message": message}}))
            }
            content => content.clone(),
        };
        ScriptStep { after_ms, change: TaskChange::Declared(content) }
    };
    turn.events.iter().map(step).collect()
}

fn show_turn(_: &ScriptedAgent, task: &StoredTask, view: TaskView) -> Value {
    match task.turn.as_ref().and_then(|turn| turn.message.clone()) {
        Some(message) => wrap("message", message),
        None => wrap("task", task.to_value(view)),
    }
}

/// The answer to a call as the turn of its task has it; none where the connection is dropped. A task that plays none changes
/// nothing.
pub(super) fn declared_answer(task: &StoredTask, mut answer: StreamedResponse) -> Option<StreamedResponse> {
    let Some(turn) = &task.turn else { return Some(answer) };
    if turn.dropped {
        return None;
    }
    let status = turn.declared.http_status.unwrap_or(answer.head.status);
    match &turn.raw {
        Some(raw) => answer.body = typed_response(status, "", raw.as_bytes().to_vec()).body,
        None if turn.declared.is_plain_answer() => answer = plain_error(status, "a test case declares this answer"),
        None => {}
    }
    answer.head.status = status;
    Some(answer)
}

fn refused(problem: InvalidResponses) -> Rejection {
    Rejection::invalid(&problem.place, &problem.description)
}

/// The error of a message for which no turn is declared.
fn beyond_the_last(case: &DeclaredCase, index: usize) -> Rejection {
    let (turns, number) = (case.turns.len(), index + 1);
    let message = format!("responses_json ends with turn {turns}, and this message asks for turn {number}");
    let rejection = Rejection::new(ErrorName::UnsupportedOperation, &message);
    if case.id.is_empty() { rejection } else { rejection.with("testCaseId", &case.id) }
}
