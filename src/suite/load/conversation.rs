//! A conversation of a load: makes its calls, takes the answers in, and files what is odd in them under its check.

use std::rc::Rc;

use super::ids::{NO_SERVER_ERRORS, OWN_ANSWERS, OWN_EVENTS, OWN_OUTPUT, READABLE, TASK_IDS};
use super::tally::{Course, LoadObservation, LoadTally};
use super::trouble::AnswerTrouble;
use crate::a2a::binding::{Call, ReplyKind, StreamItem};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{Content, Message, Operation, Part, Role, StreamEvent, Task, TaskState};
use crate::engine::drive::{Driver, UnrecordedAnswer, task_of};
use crate::engine::prompt::id_prefix;
use crate::engine::session::StreamControl;
use crate::engine::transcript::Step;

pub(super) struct LoadConversation<'a> {
    pub(super) d: &'a Driver,
    pub(super) tally: &'a LoadTally,
    pub(super) number: u32,
    /// When it was due, in milliseconds since the run began: what counts as the beginning of its first request.
    due_ms: f64,
    /// How long such a conversation took that was alone.
    pub(super) alone_ms: f64,
    pub(super) answers: Vec<UnrecordedAnswer>,
    pub(super) observed: Vec<LoadObservation>,
    seen: Vec<&'static str>,
    pub(super) course: Course,
    pub(super) has_own_context: bool,
}

impl<'a> LoadConversation<'a> {
    pub(super) fn new(d: &'a Driver, tally: &'a LoadTally, number: u32, due_ms: f64, alone_ms: f64) -> Self {
        Self {
            d,
            tally,
            number,
            due_ms,
            alone_ms,
            answers: Vec::new(),
            observed: Vec::new(),
            seen: Vec::new(),
            course: Course::default(),
            has_own_context: false,
        }
    }

    /// The message of this conversation, with its mark in text and id.
    pub(super) fn message(&self, text: &str) -> Outgoing {
        let mark = self.tally.marks.mark(self.number);
        let plain = self.d.outgoing(text);
        // The text before the generated id may choose what the agent does.
        let prefix = id_prefix(text);
        let message_id = if prefix.is_empty() { mark.clone() } else { format!("{prefix}-{mark}") };
        Outgoing { message_id, text: format!("{text} ({mark})"), ..plain }
    }

    /// Makes a call to its end, and returns the place of its answer.
    pub(super) async fn call(&mut self, step: &'static str, call: Call) -> usize {
        let answer = self.d.call_apart(step, call, |_| StreamControl::Continue).await;
        self.note(answer)
    }

    /// Takes an answer in, and returns its place.
    pub(super) fn note(&mut self, answer: UnrecordedAnswer) -> usize {
        let at = self.answers.len();
        let trouble = AnswerTrouble::from_answer(&answer).filter(|_| !is_expected_refusal(&answer));
        self.tally.note_request(trouble.as_ref());
        self.seen(READABLE);
        self.seen(NO_SERVER_ERRORS);
        match &trouble {
            None => self.note_latency(&answer),
            Some(AnswerTrouble::Broke(status)) => {
                self.observe(NO_SERVER_ERRORS, "an answer, or HTTP 429 or 503", status, "", &[at]);
            }
            Some(AnswerTrouble::Unreadable(_, what)) => {
                self.observe(READABLE, "an answer of the protocol", what, "", &[at]);
            }
            Some(AnswerTrouble::TurnedAway(_)) => self.course.is_turned_away |= at == 0,
            Some(AnswerTrouble::Refused(_) | AnswerTrouble::Missing(_)) => {}
        }
        self.answers.push(answer);
        at
    }

    /// A latency counts from when the request was due: the first of a conversation when that was, the others when the one before was
    /// answered. Otherwise an agent that stops for a while would look fast, as nothing was sent meanwhile.
    fn note_latency(&self, answer: &UnrecordedAnswer) {
        let from_ms = if self.answers.is_empty() { self.due_ms } else { answer.begun_ms };
        let Some(operation) = answer.operation() else { return };
        let dialect = self.d.dialect();
        if let Some(first_ms) = answer.first_event_ms() {
            self.tally.note_latency("first event", first_ms - from_ms);
        }
        self.tally.note_latency(dialect.method(operation).unwrap_or("other"), answer.ended_ms - from_ms);
    }

    pub(super) fn answer(&self, at: usize) -> Option<&UnrecordedAnswer> {
        self.answers.get(at)
    }

    /// The events of the stream at that place.
    pub(super) fn items(&self, at: usize) -> Vec<StreamItem> {
        match self.answer(at).map(|answer| &answer.reply.kind) {
            Some(ReplyKind::Stream(items)) => items.clone(),
            _ => Vec::new(),
        }
    }

    /// The task that the answer at that place holds.
    pub(super) fn task(&self, at: usize) -> Option<Task> {
        task_of(&self.answer(at)?.reply).cloned()
    }

    /// Notes that what this check judges was seen.
    pub(super) fn seen(&mut self, check: &'static str) {
        if !self.seen.contains(&check) {
            self.seen.push(check);
        }
    }

    /// Notes a finding, once for each check.
    pub(super) fn observe(
        &mut self,
        check: &'static str,
        expected: impl Into<String>,
        actual: impl AsRef<str>,
        at: impl Into<String>,
        answers: &[usize],
    ) {
        if self.observed.iter().all(|known| known.check != check) {
            let actual = self.d.mask(actual.as_ref()).chars().take(300).collect();
            let (expected, at, answers) = (self.d.mask(&expected.into()), at.into(), answers.to_vec());
            self.observed.push(LoadObservation { check, expected, actual, at, answers });
        }
    }

    /// Notes the task that the agent made for this conversation.
    pub(super) fn meet(&mut self, at: usize, id: &str, context: Option<&str>) {
        self.course.is_accepted = true;
        self.seen(TASK_IDS);
        if self.has_found(OWN_ANSWERS) {
            return;
        }
        if let Some(other) = self.tally.note_task(id, self.number) {
            let other = self.tally.marks.mark(other);
            let actual = format!("{id}, the id of the task of the message {other}");
            self.observe(TASK_IDS, "an id that no other task has", actual, "", &[at]);
        }
        self.has_own_context = context.is_some_and(|context| self.tally.has_own_context(context, self.number));
    }

    pub(super) fn has_found(&self, check: &str) -> bool {
        self.observed.iter().any(|known| known.check == check)
    }

    /// Looks for what belongs to another conversation in a task.
    pub(super) fn look_through(&mut self, at: usize, task: &Task) {
        let history = task.history.as_deref().unwrap_or_default();
        let users: Vec<&Message> = history.iter().filter(|message| message.role != Some(Role::Agent)).collect();
        let marks_of = |message: &&Message| {
            let id = message.message_id.as_deref().unwrap_or_default();
            self.tally.marks.in_text(id)
        };
        let marks: Vec<u32> = users.iter().flat_map(marks_of).collect();
        if !marks.is_empty() {
            self.seen(OWN_ANSWERS);
        }
        // An agent may keep one history for each context (T-LOAD-3).
        let stranger = marks.iter().find(|number| **number != self.number);
        if let Some(stranger) = stranger.filter(|_| self.is_elsewhere(task)) {
            let stranger = self.tally.marks.mark(*stranger);
            let expected = format!("a history of the message {}", self.tally.marks.mark(self.number));
            let actual = format!("the message {stranger}, of another conversation");
            self.observe(OWN_ANSWERS, expected, actual, task.at.key("history"), &[at]);
        }
        for artifact in task.artifacts.iter().flatten() {
            self.look_for_strangers(at, &artifact.parts, &artifact.at);
        }
        if let Some(message) = &task.status_message {
            self.look_for_strangers(at, &message.parts, &message.at);
        }
    }

    /// Whether a task is not in a context that several conversations share.
    fn is_elsewhere(&self, task: &Task) -> bool {
        task.context_id.as_deref().is_none_or(|context| self.tally.may_be_context_of(context, self.number))
    }

    /// Looks for the marks of other conversations in what the agent made.
    fn look_for_strangers(&mut self, at: usize, parts: &[Part], place: impl Into<String>) {
        let marks: Vec<u32> = parts.iter().flat_map(|part| self.tally.marks.in_text(&content(part))).collect();
        if !marks.is_empty() {
            self.seen(OWN_OUTPUT);
        }
        if let Some(stranger) = marks.into_iter().find(|number| *number != self.number) {
            let expected = format!("output that answers the message {}", self.tally.marks.mark(self.number));
            let actual = format!("the text of the message {}", self.tally.marks.mark(stranger));
            self.observe(OWN_OUTPUT, expected, actual, place, &[at]);
        }
    }

    /// Looks through a message that the agent answered with; with it the conversation is over.
    pub(super) fn take_message(&mut self, at: usize, message: &Message) {
        (self.course.is_accepted, self.course.is_ended) = (true, true);
        self.look_for_strangers(at, &message.parts, &message.at);
    }

    /// Looks through a stream, whose task is this.
    pub(super) fn look_through_stream(&mut self, at: usize, items: &[StreamItem], own: &str) {
        self.seen(OWN_EVENTS);
        for (place, item) in items.iter().enumerate() {
            let Some(event) = item.kind.event() else { continue };
            let number = format!("event {}", place + 1);
            if let Some(id) = event.task_id().filter(|id| *id != own) {
                let whose = match self.tally.conversation_of(id) {
                    Some(other) => format!("{id}, the task of the message {}", self.tally.marks.mark(other)),
                    None => id.to_owned(),
                };
                self.observe(OWN_EVENTS, format!("events of the task {own}"), whose, number, &[at]);
                continue;
            }
            match event {
                StreamEvent::Task(task) => self.look_through(at, task),
                StreamEvent::Artifact(update) => self.look_for_strangers(at, &update.artifact.parts, &number),
                StreamEvent::Status(update) => {
                    if let Some(message) = &update.message {
                        self.look_for_strangers(at, &message.parts, &number);
                    }
                }
                _ => {}
            }
        }
    }

    /// Ends the conversation: its findings are counted, and as much of their evidence is kept as is wanted.
    pub(super) fn finish(self) -> Course {
        let Self { d, tally, answers, observed, seen, course, .. } = self;
        seen.into_iter().for_each(|check| tally.note_seen(check));
        let mut answers: Vec<_> = answers.into_iter().map(Some).collect();
        let mut kept: Vec<(usize, Rc<Step>)> = Vec::new();
        for observation in &observed {
            if !tally.note_found(observation) {
                continue;
            }
            for at in &observation.answers {
                if !kept.iter().any(|(known, _)| known == at)
                    && let Some(answer) = answers.get_mut(*at).and_then(Option::take)
                    && let Some(step) = d.keep(observation.check, answer)
                {
                    kept.push((*at, step));
                }
                if let Some((_, step)) = kept.iter().find(|(known, _)| known == at) {
                    tally.keep(observation.check, Rc::clone(step));
                }
            }
        }
        course
    }
}

/// Whether the agent refuses what it may: a cancel that comes too late, or a subscription that does.
fn is_expected_refusal(answer: &UnrecordedAnswer) -> bool {
    matches!(answer.operation(), Some(Operation::CancelTask | Operation::SubscribeToTask))
        && matches!(&answer.reply.kind, ReplyKind::Error(error) if error.status < 500)
}

/// Whether a task has ended, or waits for its client.
pub(super) fn is_at_rest(state: Option<TaskState>) -> bool {
    state.is_some_and(|state| state.is_terminal() || state.is_interrupted())
}

/// The last state that a stream tells of its task.
pub(super) fn last_state(items: &[StreamItem], own: &str) -> Option<TaskState> {
    let events = items.iter().rev().filter_map(|item| item.kind.event());
    events.filter(|event| event.task_id().is_none_or(|id| id == own)).find_map(StreamEvent::state)
}

/// The text of a part, as far as it can hold a mark.
fn content(part: &Part) -> String {
    match &part.content {
        Some(Content::Text(text)) => text.clone(),
        Some(Content::Data(data)) => data.to_string(),
        _ => String::new(),
    }
}

/// All text of an artifact's parts, one after the other.
pub(super) fn text_of(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::text).collect()
}
