//! The agent's memory: tasks with a plan of what will happen to them and when. Nothing runs in the background: whoever
//! looks at a task first brings it up to date with the clock.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use serde_json::{Value, json};

use super::moment::{Moment, timestamp};
use super::script::Change;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{Role, TaskState};
use crate::host::Ids;

/// How many tasks are kept.
const MAX_TASKS: usize = 1000;
/// How many messages of a task are kept: the newest.
const MAX_HISTORY: usize = 200;
/// How many events of a task are kept for streams that lag behind.
const MAX_EVENTS: usize = 400;

/// A task that the store and the requests at work on it share.
pub(super) type TaskCell = Rc<RefCell<Task>>;

/// A state with its message and when it was set, in milliseconds since 1970.
#[derive(Debug, Clone)]
pub(super) struct Status {
    pub(super) state: TaskState,
    pub(super) message: Option<Value>,
    pub(super) at_ms: i64,
}

impl Status {
    /// The status as 1.0 writes it (§4.1.2).
    pub(super) fn to_value(&self) -> Value {
        let mut value = json!({ "state": V1_0.state_name(self.state) });
        set(&mut value, "message", self.message.clone());
        set(&mut value, "timestamp", Some(timestamp(self.at_ms)));
        value
    }
}

/// A task: what has happened to it, and what is going to.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) context: String,
    /// The order of creation; ties of time in a list are told apart by it.
    pub(super) number: u64,
    pub(super) status: Status,
    pub(super) artifacts: Vec<Value>,
    pub(super) metadata: Option<Value>,
    pub(super) push_configs: Vec<Value>,
    /// Whether a stream was opened by the message that made it.
    pub(super) streamed: bool,
    history: VecDeque<Value>,
    /// What is still to come, with its time on the clock of `now_ms`.
    plan: VecDeque<(f64, Change)>,
    events: VecDeque<Value>,
    /// How many events were dropped from the front of `events`.
    dropped: usize,
    watchers: Vec<(u64, Waker)>,
    watcher_number: u64,
    disturbances: u64,
}

/// How much of a task an answer shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub(super) history: History,
    pub(super) artifacts: Artifacts,
}

/// Which messages an answer shows.
#[derive(Debug, Clone, Copy)]
pub(super) enum History {
    All,
    Newest(usize),
    Oldest(usize),
}

/// Whether an answer shows artifacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Artifacts {
    IfAny,
    /// The member is there even when it is empty (1.0 §3.1.4).
    Always,
    Never,
}

impl View {
    pub(super) const FULL: Self = Self { history: History::All, artifacts: Artifacts::IfAny };
}

impl Task {
    /// A submitted task that nothing is going to happen to.
    pub(super) fn new(id: String, context: String, moment: Moment) -> Self {
        Self {
            id,
            context,
            number: 0,
            status: Status { state: TaskState::Submitted, message: None, at_ms: moment.epoch_ms() },
            artifacts: Vec::new(),
            metadata: None,
            push_configs: Vec::new(),
            streamed: false,
            history: VecDeque::new(),
            plan: VecDeque::new(),
            events: VecDeque::new(),
            dropped: 0,
            watchers: Vec::new(),
            watcher_number: 0,
            disturbances: 0,
        }
    }

    /// Applies what is due by now.
    pub(super) fn advance(&mut self, moment: Moment, ids: &dyn Ids) {
        while let Some((due, change)) = self.plan.pop_front_if(|(due, _)| *due <= moment.now_ms) {
            self.apply(change, moment.epoch_ms_at(due), ids);
        }
    }

    /// When something is going to happen, on the clock of `now_ms`.
    pub(super) fn next_due(&self) -> Option<f64> {
        self.plan.front().map(|(due, _)| *due)
    }

    /// Replaces what is going to happen by these changes, each so many milliseconds after now.
    pub(super) fn plan(&mut self, steps: Vec<(f64, Change)>, moment: Moment, ids: &dyn Ids) {
        self.plan = steps.into_iter().map(|(after, change)| (moment.now_ms + after, change)).collect();
        self.advance(moment, ids);
        self.disturb();
    }

    /// Ends the plan and sets this status now.
    pub(super) fn interrupt(&mut self, state: TaskState, text: Option<&str>, moment: Moment, ids: &dyn Ids) {
        self.plan.clear();
        self.apply(Change::Status(state, text.map(str::to_owned)), moment.epoch_ms(), ids);
        self.disturb();
    }

    fn apply(&mut self, change: Change, at_ms: i64, ids: &dyn Ids) {
        let event = match change {
            Change::Status(state, text) => {
                let message = text.map(|text| self.message(&text, ids));
                if let Some(message) = &message {
                    self.remember(message.clone());
                }
                // Two readings of the clock may disagree by a fraction; time does not go back here.
                self.status = Status { state, message, at_ms: at_ms.max(self.status.at_ms) };
                self.status_update()
            }
            Change::Artifact { artifact, append, last } => {
                self.store(&artifact, append);
                self.artifact_update(artifact, append, last)
            }
        };
        self.events.push_back(event);
        if self.events.len() > MAX_EVENTS {
            self.events.pop_front();
            self.dropped += 1;
        }
    }

    fn store(&mut self, artifact: &Value, append: bool) {
        let id = artifact.get("artifactId");
        let known = self.artifacts.iter_mut().find(|known| known.get("artifactId") == id);
        match known {
            Some(known) if append => {
                let more = artifact.get("parts").and_then(Value::as_array).cloned().unwrap_or_default();
                if let Some(parts) = known.get_mut("parts").and_then(Value::as_array_mut) {
                    parts.extend(more);
                }
            }
            Some(known) => *known = artifact.clone(),
            None => self.artifacts.push(artifact.clone()),
        }
    }

    /// The current status as an event.
    pub(super) fn status_update(&self) -> Value {
        json!({ "statusUpdate": { "taskId": self.id, "contextId": self.context, "status": self.status.to_value() } })
    }

    /// An artifact, or a piece of one, as an event. ProtoJSON leaves out what is false.
    pub(super) fn artifact_update(&self, artifact: Value, append: bool, last: bool) -> Value {
        let mut update = json!({ "taskId": self.id, "contextId": self.context, "artifact": artifact });
        set(&mut update, "append", append.then_some(true));
        set(&mut update, "lastChunk", last.then_some(true));
        json!({ "artifactUpdate": update })
    }

    /// A message of the agent within this task.
    pub(super) fn message(&self, text: &str, ids: &dyn Ids) -> Value {
        json!({
            "messageId": ids.fresh(),
            "contextId": self.context,
            "taskId": self.id,
            "role": V1_0.role_name(Role::Agent),
            "parts": [{ "text": text }],
        })
    }

    /// Adds a message to the history.
    pub(super) fn remember(&mut self, mut message: Value) {
        set(&mut message, "contextId", Some(self.context.as_str()));
        set(&mut message, "taskId", Some(self.id.as_str()));
        self.history.push_back(message);
        if self.history.len() > MAX_HISTORY {
            self.history.pop_front();
        }
    }

    /// The task as 1.0 writes it (§4.1.1).
    pub(super) fn to_value(&self, view: View) -> Value {
        let mut value = json!({ "id": self.id, "contextId": self.context, "status": self.status.to_value() });
        let some = match view.artifacts {
            Artifacts::IfAny => !self.artifacts.is_empty(),
            Artifacts::Always => true,
            Artifacts::Never => false,
        };
        set(&mut value, "artifacts", some.then(|| self.artifacts.clone()));
        let history: Vec<Value> = match view.history {
            History::All => self.history.iter().cloned().collect(),
            History::Newest(n) => self.history.iter().skip(self.history.len().saturating_sub(n)).cloned().collect(),
            History::Oldest(n) => self.history.iter().take(n).cloned().collect(),
        };
        set(&mut value, "history", (!history.is_empty()).then_some(history));
        set(&mut value, "metadata", self.metadata.clone());
        value
    }

    /// How many events there have been; the place from which a new stream goes on.
    pub(super) fn event_count(&self) -> usize {
        self.dropped + self.events.len()
    }

    /// The events from that place on, as far as they are still known.
    pub(super) fn events_from(&self, place: usize) -> Vec<Value> {
        self.events.iter().skip(place.saturating_sub(self.dropped)).cloned().collect()
    }

    fn disturb(&mut self) {
        self.disturbances += 1;
        self.watchers.drain(..).for_each(|(_, waker)| waker.wake());
    }
}

/// Completes when a request has changed the task's course: cancelled it or given it input.
pub(super) struct Disturbed {
    task: TaskCell,
    seen: u64,
    watcher: Option<u64>,
}

impl Disturbed {
    pub(super) fn of(task: &TaskCell) -> Self {
        Self { seen: task.borrow().disturbances, task: Rc::clone(task), watcher: None }
    }

    fn leave(&mut self) {
        if let Some(number) = self.watcher.take() {
            self.task.borrow_mut().watchers.retain(|(known, _)| *known != number);
        }
    }
}

impl Future for Disturbed {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.leave();
        let mut task = self.task.borrow_mut();
        if task.disturbances != self.seen {
            return Poll::Ready(());
        }
        task.watcher_number += 1;
        let number = task.watcher_number;
        task.watchers.push((number, context.waker().clone()));
        drop(task);
        self.watcher = Some(number);
        Poll::Pending
    }
}

impl Drop for Disturbed {
    fn drop(&mut self) {
        self.leave();
    }
}

/// All tasks, oldest first.
#[derive(Debug, Default)]
pub(super) struct Store {
    tasks: VecDeque<TaskCell>,
    made: u64,
}

impl Store {
    /// Keeps a task; one of the same id is forgotten, and so is the oldest finished one when there are too many.
    pub(super) fn add(&mut self, mut task: Task) -> TaskCell {
        self.made += 1;
        task.number = self.made;
        self.tasks.retain(|known| known.borrow().id != task.id);
        if self.tasks.len() >= MAX_TASKS {
            let finished = self.tasks.iter().position(|task| task.borrow().status.state.is_terminal());
            self.tasks.remove(finished.unwrap_or(0));
        }
        let cell = Rc::new(RefCell::new(task));
        self.tasks.push_back(Rc::clone(&cell));
        cell
    }

    pub(super) fn get(&self, id: &str) -> Option<TaskCell> {
        self.tasks.iter().find(|task| task.borrow().id == id).cloned()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &TaskCell> {
        self.tasks.iter()
    }
}

/// Adds a member to an object, unless there is nothing to add.
pub(super) fn set(object: &mut Value, name: &str, value: Option<impl Into<Value>>) {
    if let (Some(map), Some(value)) = (object.as_object_mut(), value) {
        map.insert(name.to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::tests::{CountedIds, ManualClock};

    #[test]
    fn a_late_look_finds_what_happened_at_its_own_time() {
        let (clock, ids) = (ManualClock::default(), CountedIds::default());
        let start = Moment::of(&clock);
        let mut task = Task::new("t".into(), "c".into(), start);
        let steps =
            vec![(20.0, Change::Status(TaskState::Working, None)), (50.0, Change::Status(TaskState::Completed, None))];
        task.plan(steps, start, &ids);
        clock.pass(1000.0);
        task.advance(Moment::of(&clock), &ids);
        assert_eq!(task.status.state, TaskState::Completed);
        assert_eq!(task.status.at_ms, start.epoch_ms() + 50);
        assert_eq!(task.event_count(), 2);
    }

    #[test]
    fn the_oldest_finished_task_makes_room() {
        let (clock, ids) = (ManualClock::default(), CountedIds::default());
        let moment = Moment::of(&clock);
        let mut store = Store::default();
        for n in 0..MAX_TASKS {
            store.add(Task::new(format!("t{n}"), "c".into(), moment));
        }
        store.get("t3").unwrap().borrow_mut().interrupt(TaskState::Completed, None, moment, &ids);
        store.add(Task::new("new".into(), "c".into(), moment));
        assert!(store.get("t3").is_none() && store.get("t0").is_some());
        assert_eq!(store.all().count(), MAX_TASKS);
    }
}
