//! A conversation of a load: what its calls bring, and what of that is odd.

use super::ids::{
    AGREES, ENDS, KEPT, LISTS, NO_SERVER_ERRORS, OWN_ANSWERS, OWN_EVENTS, OWN_OUTPUT, READABLE, TASK_IDS,
};
use super::tally::{Course, Observation, Tally};
use super::trouble::Trouble;
use crate::a2a::binding::{Call, ReplyKind, StreamItem, StreamItemKind};
use crate::a2a::dialect::write::{ListQuery, Outgoing};
use crate::a2a::model::{Content, ErrorName, Message, Operation, Part, Payload, Role, StreamEvent, Task, TaskState};
use crate::engine::drive::{ApartAnswer, Driver, task_of};
use crate::engine::plural::count_of;
use crate::engine::session::StreamControl;
use crate::suite::streaming::state_of;

/// The first wait before a task is read again, in milliseconds; each is longer than the one before.
const POLL_MS: f64 = 100.0;
/// The longest of these waits.
const LONGEST_POLL_MS: f64 = 2_000.0;
/// For how long a task is read again at least until it counts as one that does not end, in milliseconds.
const PATIENCE_MS: f64 = 15_000.0;
/// The same at most.
const MOST_PATIENCE_MS: f64 = 55_000.0;
/// How much longer than alone a task may take under load.
const SLOWDOWN: f64 = 20.0;
/// One in so many conversations lists its tasks.
const LISTS_EVERY: u32 = 3;

/// A conversation under way.
pub(super) struct Conversation<'a> {
    pub(super) d: &'a Driver,
    pub(super) tally: &'a Tally,
    pub(super) number: u32,
    /// When it was due, in milliseconds since the run began: what counts as the beginning of its first request.
    due_ms: f64,
    /// How long such a conversation took that was alone.
    pub(super) alone_ms: f64,
    answers: Vec<ApartAnswer>,
    observed: Vec<Observation>,
    seen: Vec<&'static str>,
    course: Course,
    has_own_context: bool,
}

impl<'a> Conversation<'a> {
    pub(super) fn new(d: &'a Driver, tally: &'a Tally, number: u32, due_ms: f64, alone_ms: f64) -> Self {
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
        let mark = self.tally.marks.of(self.number);
        let plain = self.d.outgoing(text);
        // What stands before the id that is generated may choose what the agent does.
        let prefix = crate::engine::prompt::id_prefix(text);
        let message_id = if prefix.is_empty() { mark.clone() } else { format!("{prefix}-{mark}") };
        Outgoing { message_id, text: format!("{text} ({mark})"), ..plain }
    }

    /// Makes a call to its end, and returns the place of its answer.
    pub(super) async fn call(&mut self, step: &'static str, call: Call) -> usize {
        let answer = self.d.call_apart(step, call, |_| StreamControl::Continue).await;
        self.note(answer)
    }

    /// Takes an answer in, and returns its place.
    pub(super) fn note(&mut self, answer: ApartAnswer) -> usize {
        let at = self.answers.len();
        let trouble = Trouble::of(&answer).filter(|_| !is_expected_refusal(&answer));
        self.tally.note_request(trouble.as_ref());
        self.seen(READABLE);
        self.seen(NO_SERVER_ERRORS);
        match &trouble {
            None => self.note_latency(&answer),
            Some(Trouble::Broke(status)) => {
                self.observe(NO_SERVER_ERRORS, "an answer, or HTTP 429 or 503", status, "", &[at]);
            }
            Some(Trouble::Unreadable(_)) => {
                let what = unreadable(&answer.reply.kind);
                self.observe(READABLE, "an answer of the protocol", &what, "", &[at]);
            }
            Some(Trouble::TurnedAway(_)) => self.course.is_turned_away |= at == 0,
            Some(Trouble::Refused(_) | Trouble::Missing(_)) => {}
        }
        self.answers.push(answer);
        at
    }

    /// A latency counts from when the request was due: the first of a conversation when that was, the others when the one before was
    /// answered. Otherwise an agent that stops for a while would look fast, as nothing was sent meanwhile.
    fn note_latency(&self, answer: &ApartAnswer) {
        let from_ms = if self.answers.is_empty() { self.due_ms } else { answer.begun_ms };
        let Some(operation) = answer.operation() else { return };
        let dialect = self.d.dialect();
        if let Some(first_ms) = answer.first_event_ms() {
            self.tally.note_latency("first event", first_ms - from_ms);
        }
        self.tally.note_latency(dialect.method(operation).unwrap_or("other"), answer.ended_ms - from_ms);
    }

    /// The answer at that place.
    pub(super) fn answer(&self, at: usize) -> Option<&ApartAnswer> {
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
            let actual = actual.as_ref().chars().take(300).collect();
            let (expected, at, answers) = (expected.into(), at.into(), answers.to_vec());
            self.observed.push(Observation { check, expected, actual, at, answers });
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
            let other = self.tally.marks.of(other);
            let actual = format!("{id}, the id of the task of the message {other}");
            self.observe(TASK_IDS, "an id that no other task has", actual, "", &[at]);
        }
        self.has_own_context = context.is_some_and(|context| self.tally.has_own_context(context, self.number));
    }

    fn has_found(&self, check: &str) -> bool {
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
            let stranger = self.tally.marks.of(*stranger);
            let expected = format!("a history of the message {}", self.tally.marks.of(self.number));
            let actual = format!("the message {stranger}, of another conversation");
            self.observe(OWN_ANSWERS, expected, actual, task.at.key("history").as_str(), &[at]);
        }
        for artifact in task.artifacts.iter().flatten() {
            self.look_for_strangers(at, &artifact.parts, artifact.at.as_str());
        }
        if let Some(message) = &task.status_message {
            self.look_for_strangers(at, &message.parts, message.at.as_str());
        }
    }

    /// Whether a task is not in a context that several conversations share.
    fn is_elsewhere(&self, task: &Task) -> bool {
        task.context_id.as_deref().is_none_or(|context| self.tally.may_be_context_of(context, self.number))
    }

    /// Looks for the marks of other conversations in what the agent made.
    fn look_for_strangers(&mut self, at: usize, parts: &[Part], place: &str) {
        let marks: Vec<u32> = parts.iter().flat_map(|part| self.tally.marks.in_text(&content(part))).collect();
        if !marks.is_empty() {
            self.seen(OWN_OUTPUT);
        }
        if let Some(stranger) = marks.into_iter().find(|number| *number != self.number) {
            let expected = format!("output that answers the message {}", self.tally.marks.of(self.number));
            let actual = format!("the text of the message {}", self.tally.marks.of(stranger));
            self.observe(OWN_OUTPUT, expected, actual, place, &[at]);
        }
    }

    /// Looks through a message that the agent answered with; with it the conversation is over.
    pub(super) fn take_message(&mut self, at: usize, message: &Message) {
        (self.course.is_accepted, self.course.is_ended) = (true, true);
        self.look_for_strangers(at, &message.parts, message.at.as_str());
    }

    /// Looks through a stream, whose task is this.
    pub(super) fn look_through_stream(&mut self, at: usize, items: &[StreamItem], own: &str) {
        self.seen(OWN_EVENTS);
        for (place, item) in items.iter().enumerate() {
            let StreamItemKind::Event(event) = &item.kind else { continue };
            let number = format!("event {}", place + 1);
            if let Some(id) = task_id(event).filter(|id| *id != own) {
                let whose = match self.tally.conversation_of(id) {
                    Some(other) => format!("{id}, the task of the message {}", self.tally.marks.of(other)),
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

    /// Reads the task; nothing when it cannot be read.
    pub(super) async fn get(&mut self, id: &str) -> Option<(usize, Task)> {
        let at = self.call("get", self.d.about_task(Operation::GetTask, id)).await;
        let Some(task) = self.task(at) else {
            if self.answer(at).is_some_and(|answer| is_error(&answer.reply.kind, ErrorName::TaskNotFound)) {
                self.seen(KEPT);
                let actual = self.answer(at).map(|answer| answer.reply.kind.describe()).unwrap_or_default();
                self.observe(KEPT, format!("the task {id}, which was just made"), actual, "", &[at]);
            }
            return None;
        };
        self.seen(KEPT);
        self.seen(OWN_ANSWERS);
        if task.id.as_deref() != Some(id) {
            let actual = task.id.clone().unwrap_or_else(|| "none".to_owned());
            self.observe(OWN_ANSWERS, format!("the task {id}"), actual, task.at.key("id").as_str(), &[at]);
            return None;
        }
        self.look_through(at, &task);
        Some((at, task))
    }

    /// Reads the task until it has ended or waits for its client, but no longer than is fair after how long it took alone.
    pub(super) async fn settle(&mut self, id: &str) -> Option<(usize, Task)> {
        let patience_ms = (self.alone_ms * SLOWDOWN).clamp(PATIENCE_MS, MOST_PATIENCE_MS);
        let begun_ms = self.d.now_ms();
        let mut wait_ms = POLL_MS;
        loop {
            let read = self.get(id).await;
            let (at, task) = match read {
                Some(read) => read,
                // It cannot be read now, or not at all.
                None if self.d.now_ms() - begun_ms > patience_ms || self.has_found(KEPT) => return None,
                None => {
                    self.d.sleep(wait_ms).await;
                    wait_ms = (wait_ms * 1.5).min(LONGEST_POLL_MS);
                    continue;
                }
            };
            self.seen(ENDS);
            if is_at_rest(task.state) {
                self.course.is_ended = true;
                return Some((at, task));
            }
            if self.d.now_ms() - begun_ms > patience_ms {
                let state = task.state_text.clone().unwrap_or_default();
                let seconds = (patience_ms / 1000.0).round();
                let actual = format!("{state}, {seconds} s after the last sign of it");
                self.observe(ENDS, "a state in which the task has ended or waits for its client", actual, "", &[at]);
                return None;
            }
            // Only the last reading is of interest, unless it showed something.
            if self.observed.iter().all(|known| !known.answers.contains(&at)) {
                self.answers.truncate(at);
            }
            self.d.sleep(wait_ms).await;
            wait_ms = (wait_ms * 1.5).min(LONGEST_POLL_MS);
        }
    }

    /// Notes that the task was seen to have ended, or to wait.
    pub(super) fn note_rest(&mut self) {
        self.seen(ENDS);
        self.course.is_ended = true;
    }

    /// Compares what an answer said of a task that had ended with what is read now.
    pub(super) fn compare(&mut self, said_at: usize, said: (TaskState, Option<&Task>), read_at: usize, read: &Task) {
        let (state, whole) = said;
        if !state.is_terminal() {
            return;
        }
        self.seen(AGREES);
        if read.state != Some(state) {
            let expected = format!("{}, as was said before", self.d.dialect().state_name(state));
            let actual = read.state_text.clone().unwrap_or_else(|| "no state".to_owned());
            let place = format!("{}/status/state", read.at);
            self.observe(AGREES, expected, actual, place, &[said_at, read_at]);
            return;
        }
        let Some(said) = whole else { return };
        for artifact in said.artifacts.iter().flatten() {
            let same = |known: &&crate::a2a::model::Artifact| known.artifact_id == artifact.artifact_id;
            let stored = read.artifacts.iter().flatten().find(same);
            if stored.map(|stored| text_of(&stored.parts)) != Some(text_of(&artifact.parts)) {
                let id = artifact.artifact_id.as_deref().unwrap_or_default();
                let expected = format!("the artifact \"{id}\" as the first answer shows it");
                let actual = if stored.is_some() { "another text" } else { "none" };
                self.observe(AGREES, expected, actual, read.at.key("artifacts").as_str(), &[said_at, read_at]);
                return;
            }
        }
    }

    /// Lists the tasks of the context, which are this one, where the version has lists and the context is the conversation's own.
    pub(super) async fn list(&mut self, id: &str, context: Option<&str>) {
        let is_turn = self.tally.is_alone() || self.number.is_multiple_of(LISTS_EVERY);
        let dialect = self.d.dialect();
        let Some(context) = context.filter(|_| self.has_own_context && is_turn) else { return };
        if dialect.method(Operation::ListTasks).is_none() {
            return;
        }
        let query = ListQuery { context_id: Some(context.to_owned()), ..ListQuery::default() };
        let call = self.d.operation(Operation::ListTasks, (dialect.list_params)(dialect, &query));
        let at = self.call("list", call).await;
        let Some(ReplyKind::Result(Payload::Tasks(list))) = self.answer(at).map(|answer| answer.reply.kind.clone())
        else {
            return;
        };
        self.seen(LISTS);
        let ids: Vec<&str> = list.tasks.iter().filter_map(|task| task.id.as_deref()).collect();
        let place = list.at.key("tasks");
        let of_other = |id: &&&str| self.tally.conversation_of(id).is_some_and(|other| other != self.number);
        if let Some(other) = ids.iter().find(of_other) {
            let actual = format!("{other}, the task of another context");
            self.observe(LISTS, format!("tasks of the context {context}"), actual, place.as_str(), &[at]);
            return;
        }
        if !ids.contains(&id) {
            // It may be gone altogether, which is another finding.
            if let Some((read_at, _)) = self.get(id).await {
                let actual = format!("{} without it, while GetTask returns it", count_of(ids.len(), "task"));
                let expected = format!("the task {id} in the list of its context");
                self.observe(LISTS, expected, actual, place.as_str(), &[at, read_at]);
            }
            return;
        }
        let is_whole = list.next_page_token.as_deref().unwrap_or_default().is_empty();
        let counted = i64::try_from(ids.len()).unwrap_or_default();
        if let Some(total) = list.total_size.filter(|total| is_whole && *total != counted) {
            let expected = format!("totalSize {counted}, as many tasks as are listed");
            self.observe(LISTS, expected, total.to_string(), list.at.key("totalSize").as_str(), &[at]);
        }
    }

    /// Ends the conversation: its findings are counted, and as much of their evidence is kept as is wanted.
    pub(super) fn finish(self) -> Course {
        let Self { d, tally, answers, observed, seen, course, .. } = self;
        seen.into_iter().for_each(|check| tally.note_seen(check));
        let mut answers: Vec<_> = answers.into_iter().map(Some).collect();
        let mut kept: Vec<(usize, std::rc::Rc<crate::engine::transcript::Step>)> = Vec::new();
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
                    tally.keep(observation.check, std::rc::Rc::clone(step));
                }
            }
        }
        course
    }
}

/// Whether the agent refuses what it may: a cancel that comes too late, or a subscription that does.
fn is_expected_refusal(answer: &ApartAnswer) -> bool {
    matches!(answer.operation(), Some(Operation::CancelTask | Operation::SubscribeToTask))
        && matches!(&answer.reply.kind, ReplyKind::Error(error) if error.status < 500)
}

/// Whether a task has ended, or waits for its client.
pub(super) fn is_at_rest(state: Option<TaskState>) -> bool {
    state.is_some_and(|state| state.is_terminal() || state.is_interrupted())
}

/// Whether a reply is this error.
pub(super) fn is_error(kind: &ReplyKind, name: ErrorName) -> bool {
    matches!(kind, ReplyKind::Error(error) if error.is(name))
}

/// What cannot be read of a reply.
fn unreadable(kind: &ReplyKind) -> String {
    match kind {
        ReplyKind::Stream(items) => items
            .iter()
            .find_map(|item| match &item.kind {
                StreamItemKind::Unreadable(what) => Some(what.clone()),
                _ => None,
            })
            .unwrap_or_default(),
        kind => kind.describe(),
    }
}

/// The id of the task that an event names.
pub(super) fn task_id(event: &StreamEvent) -> Option<&str> {
    match event {
        StreamEvent::Task(task) => task.id.as_deref(),
        StreamEvent::Status(update) => update.task_id.as_deref(),
        StreamEvent::Artifact(update) => update.task_id.as_deref(),
        _ => None,
    }
}

/// The last state that a stream tells of its task.
pub(super) fn last_state(items: &[StreamItem], own: &str) -> Option<TaskState> {
    items.iter().rev().find_map(|item| match &item.kind {
        StreamItemKind::Event(event) if task_id(event).is_none_or(|id| id == own) => state_of(event),
        _ => None,
    })
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
    parts
        .iter()
        .filter_map(|part| match &part.content {
            Some(Content::Text(text)) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}
