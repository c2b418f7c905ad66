//! Tasks, each with a plan of the changes to come and their times, and how many of its messages and events are kept. Nothing runs
//! in the background: `StoredTask::advance` applies what is due, and is called before a task is looked at.

use super::served_version::CURRENT;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::Waker;

use serde_json::{Value, json};

use super::clock_reading::{ClockReading, timestamp};
use super::declared_turn::{MAX_EVENTS, PlayedTurn};
use super::json_values::{set, set_text, size_of, text, wrap};
use super::script::{ScriptStep, TaskChange, TaskPlan};
use crate::a2a::model::{Role, TaskState};
use crate::host::IdSource;

/// How many messages of a task are kept, the newest ones.
const MAX_HISTORY: usize = 200;
/// How many bytes of its messages are kept, of its events and of its artifacts, the newest one whatever it has.
const MAX_BYTES: usize = 64 << 20;

/// A task that the store and the requests at work on it share.
pub(super) type TaskCell = Rc<RefCell<StoredTask>>;

/// A task: its past as history and events, and its future as a plan.
#[derive(Debug, Default)]
pub(super) struct StoredTask {
    pub(super) id: String,
    pub(super) context: String,
    pub(super) owner: User,
    /// Whether its first message came over JSON-RPC.
    pub(super) over_rpc: bool,
    /// The test case of its first message; empty if there is none.
    pub(super) test_case: String,
    /// The turn of a test case that it plays, or has played last.
    pub(super) turn: Option<PlayedTurn>,
    pub(super) messages_received: usize,
    /// Its place in the order of creation, which breaks ties of time in a list.
    pub(super) number: u64,
    pub(super) state: TaskState,
    /// When the state was set, in milliseconds since 1970.
    pub(super) at_ms: i64,
    /// The status in the form of 1.0.
    pub(super) status: Value,
    pub(super) artifacts: Vec<Value>,
    /// Null if there is none.
    pub(super) metadata: Value,
    pub(super) push_configs: Vec<Value>,
    /// Whether it was made by SendStreamingMessage.
    pub(super) streamed: bool,
    pub(super) subscriptions: usize,
    /// The number of times that a fault has closed all subscriptions.
    pub(super) closings: u32,
    /// Whether a fault has shown this task after it was cancelled, by GetTask and in a list.
    pub(super) canceled_shown: (Cell<bool>, Cell<bool>),
    history: Vec<Value>,
    /// How many bytes the messages, the events and the artifacts have, about.
    history_bytes: usize,
    event_bytes: usize,
    artifact_bytes: usize,
    /// When the plan began, on the clock of `now_ms`.
    plan_start: f64,
    plan: TaskPlan,
    /// The plan of a task that shows nothing of what it does for now.
    paused: TaskPlan,
    events: Vec<Value>,
    /// The number of events dropped from the front of `events`.
    dropped: usize,
    /// Those that wait for a change to the plan, by number.
    pub(super) watchers: Vec<(u64, Waker)>,
    pub(super) last_watcher: u64,
    pub(super) plan_changes: u64,
}

/// The user who calls, or who owns a task: the variant `two-users` tells two apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum User {
    /// The user with the first token; every caller of an agent that does not know two.
    #[default]
    First,
    /// The user with the second token.
    Second,
}

/// How much of a task an answer shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskView {
    pub(super) history: HistoryShown,
    pub(super) artifacts: ArtifactsShown,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum HistoryShown {
    All,
    Newest(usize),
    Oldest(usize),
}

impl HistoryShown {
    pub(super) fn cut(self, all: &[Value]) -> &[Value] {
        let shown = match self {
            Self::All => Some(all),
            Self::Newest(n) => all.get(all.len().saturating_sub(n)..),
            Self::Oldest(n) => all.get(..n.min(all.len())),
        };
        shown.unwrap_or_default()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArtifactsShown {
    IfAny,
    /// The member is there even when it is empty (1.0 §3.1.4).
    Always,
    Never,
}

impl TaskView {
    pub(super) const FULL: Self = Self { history: HistoryShown::All, artifacts: ArtifactsShown::IfAny };
}

/// A message of the agent; outside of tasks the task id is empty.
pub(super) fn message(text: &str, task: &str, context: &str, ids: &dyn IdSource) -> Value {
    let (id, parts) = (ids.fresh(), json!([{"text": text}]));
    let mut message = json!({"messageId": id, "contextId": context, "role": "ROLE_AGENT", "parts": parts});
    if !task.is_empty() {
        set_text(&mut message, "taskId", task);
    }
    message
}

/// A status in the form of 1.0 (§4.1.2); without a message that is null.
pub(super) fn status(state: TaskState, message: Value, at_ms: i64) -> Value {
    let mut status = json!({"state": CURRENT.dialect.state_name(state)});
    set(&mut status, "message", message);
    set_text(&mut status, "timestamp", &timestamp(at_ms));
    status
}

pub(super) fn status_update(task: &str, context: &str, status: Value) -> Value {
    json!({"statusUpdate": {"taskId": task, "contextId": context, "status": status}})
}

/// Adds to a list that keeps only the newest values, with the bytes that it has, and returns how many were dropped.
fn push_bounded(list: &mut Vec<Value>, bytes: &mut usize, most: usize, value: Value) -> usize {
    *bytes += size_of(&value);
    list.push(value);
    let mut dropped = 0;
    while dropped + 1 < list.len() && (list.len() - dropped > most || *bytes > MAX_BYTES) {
        *bytes = bytes.saturating_sub(list.get(dropped).map_or(0, size_of));
        dropped += 1;
    }
    list.drain(..dropped);
    dropped
}

impl StoredTask {
    /// A submitted task without a plan.
    pub(super) fn new(id: String, context: String, reading: ClockReading) -> Self {
        let (state, at_ms) = (TaskState::Submitted, reading.epoch_ms());
        Self { id, context, state, at_ms, status: status(state, Value::Null, at_ms), ..Self::default() }
    }

    /// Applies the steps of the plan that are due.
    pub(super) fn advance(&mut self, reading: ClockReading, ids: &dyn IdSource) {
        while let Some(due) = self.next_due().filter(|due| *due <= reading.now_ms) {
            let step = self.plan.remove(0);
            self.apply(step, reading.epoch_ms_at(due), ids);
        }
    }

    /// When the next step is due, on the clock of `now_ms`.
    pub(super) fn next_due(&self) -> Option<f64> {
        self.plan.first().map(|step| self.plan_start + step.after_ms)
    }

    /// Whether more is to come at that time of the clock, whether or not what came until then was applied.
    pub(super) fn is_at_work(&self, now_ms: f64) -> bool {
        self.plan.last().is_some_and(|step| self.plan_start + step.after_ms > now_ms)
    }

    pub(super) fn set_plan(&mut self, plan: TaskPlan, reading: ClockReading, ids: &dyn IdSource) {
        self.plan = plan;
        self.plan_start = reading.now_ms;
        self.advance(reading, ids);
        self.wake_watchers();
    }

    /// Begins a declared turn with these steps, of which none is applied yet, so that a stream can show them one by one. What is
    /// left of the turn before comes first.
    pub(super) fn begin_turn(&mut self, turn: PlayedTurn, steps: TaskPlan, now_ms: f64) {
        if self.turn.is_none() {
            self.plan.clear();
        }
        let passed = now_ms - self.plan_start;
        self.plan.iter_mut().for_each(|step| step.after_ms -= passed);
        let last = self.plan.last().map_or(0.0, |step| step.after_ms);
        self.plan.extend(steps.into_iter().map(|step| ScriptStep { after_ms: last + step.after_ms, ..step }));
        self.plan_start = now_ms;
        self.turn = Some(turn);
        self.wake_watchers();
    }

    /// Drops the plan, so that nothing more happens by itself.
    pub(super) fn stop(&mut self) {
        self.plan.clear();
    }

    pub(super) fn pause(&mut self) {
        if !self.plan.is_empty() {
            self.paused = std::mem::take(&mut self.plan);
        }
    }

    pub(super) fn resume(&mut self) {
        if !self.paused.is_empty() {
            self.plan = std::mem::take(&mut self.paused);
        }
    }

    /// Drops the plan and sets a status, with a message unless its text is empty.
    pub(super) fn set_status_now(&mut self, state: TaskState, text: &str, reading: ClockReading, ids: &dyn IdSource) {
        self.plan.clear();
        self.set_status(state, text, reading.epoch_ms(), ids);
        self.wake_watchers();
    }

    fn apply(&mut self, step: ScriptStep, at_ms: i64, ids: &dyn IdSource) {
        match step.change {
            TaskChange::Status(state, text) => self.set_status(state, &text, at_ms, ids),
            TaskChange::Artifact(update) => self.add_artifact(&update),
            TaskChange::Declared(content) => self.apply_declared(content, at_ms, ids),
        }
    }

    fn set_status(&mut self, state: TaskState, text: &str, at_ms: i64, ids: &dyn IdSource) {
        self.state = state;
        // Two readings of the clock may differ by a fraction of a millisecond; status times never go back.
        self.at_ms = at_ms.max(self.at_ms);
        let mut message = Value::Null;
        if !text.is_empty() {
            message = self.message(text, ids);
            self.add_to_history(message.clone());
        }
        self.status = status(state, message, self.at_ms);
        self.record_event(self.status_update());
    }

    pub(super) fn add_artifact(&mut self, update: &Value) {
        let size = size_of(update);
        if self.artifact_bytes + size > MAX_BYTES {
            self.artifacts.clear();
            self.artifact_bytes = 0;
        }
        self.artifact_bytes += size;
        let artifact = update.get("artifact").cloned().unwrap_or_default();
        let id = artifact.get("artifactId");
        match self.artifacts.iter_mut().find(|known| known.get("artifactId") == id) {
            Some(known) if update.get("append").is_some() => {
                let more = artifact.get("parts").and_then(Value::as_array).cloned().unwrap_or_default();
                if let Some(parts) = known.get_mut("parts").and_then(Value::as_array_mut) {
                    parts.extend(more);
                }
            }
            Some(known) => *known = artifact,
            None => self.artifacts.push(artifact),
        }
        self.record_event(self.artifact_update(update));
    }

    pub(super) fn record_event(&mut self, event: Value) {
        self.dropped += push_bounded(&mut self.events, &mut self.event_bytes, MAX_EVENTS, event);
    }

    /// How much it takes to keep the task, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.history_bytes + self.event_bytes + self.artifact_bytes
    }

    /// Sends no more to its webhooks, because nobody finds it any more.
    pub(super) fn forget(&mut self) {
        if !self.state.is_terminal() {
            self.push_configs.clear();
            self.wake_watchers();
        }
    }

    pub(super) fn status_update(&self) -> Value {
        status_update(&self.id, &self.context, self.status.clone())
    }

    /// The event of an artifact or a chunk of one. As in ProtoJSON, flags that are false are left out.
    pub(super) fn artifact_update(&self, given: &Value) -> Value {
        let mut update = json!({"taskId": self.id, "contextId": self.context});
        for name in ["artifact", "append", "lastChunk", "metadata"] {
            set(&mut update, name, given.get(name).cloned().into());
        }
        wrap("artifactUpdate", update)
    }

    pub(super) fn message(&self, text: &str, ids: &dyn IdSource) -> Value {
        message(text, &self.id, &self.context, ids)
    }

    /// Forgets all but the latest messages.
    pub(super) fn cut_history(&mut self, length: usize) {
        let surplus = self.history.len().saturating_sub(length);
        let cut: usize = self.history.drain(..surplus).map(|message| size_of(&message)).sum();
        self.history_bytes = self.history_bytes.saturating_sub(cut);
    }

    pub(super) fn add_to_history(&mut self, mut message: Value) {
        set_text(&mut message, "contextId", &self.context);
        set_text(&mut message, "taskId", &self.id);
        self.messages_received += usize::from(text(&message, "role") != CURRENT.dialect.role_name(Role::Agent));
        push_bounded(&mut self.history, &mut self.history_bytes, MAX_HISTORY, message);
    }

    /// The task in the form of 1.0 (§4.1.1).
    pub(super) fn to_value(&self, view: TaskView) -> Value {
        let mut value = json!({"id": self.id, "contextId": self.context, "status": self.status});
        if view.artifacts == ArtifactsShown::Always
            || (view.artifacts == ArtifactsShown::IfAny && !self.artifacts.is_empty())
        {
            set(&mut value, "artifacts", self.artifacts.clone().into());
        }
        let history = view.history.cut(&self.history);
        if !history.is_empty() {
            set(&mut value, "history", history.to_vec().into());
        }
        set(&mut value, "metadata", self.metadata.clone());
        value
    }

    /// The text of the message that made the task.
    pub(super) fn first_text(&self) -> &str {
        let first = self.history.first().and_then(|message| message.pointer("/parts/0/text"));
        first.and_then(Value::as_str).unwrap_or_default()
    }

    /// The number of events so far. A new stream continues from there.
    pub(super) fn event_count(&self) -> usize {
        self.dropped + self.events.len()
    }

    /// The events after the first `seen`, as far as they are kept.
    pub(super) fn events_after(&self, seen: usize) -> Vec<Value> {
        self.events.get(seen.saturating_sub(self.dropped)..).unwrap_or_default().to_vec()
    }

    pub(super) fn close_subscriptions(&mut self) {
        self.closings += 1;
        self.wake_watchers();
    }

    fn wake_watchers(&mut self) {
        self.plan_changes += 1;
        self.watchers.drain(..).for_each(|(_, waker)| waker.wake());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::tests::{CountedIds, ManualClock};

    #[test]
    fn steps_found_late_have_the_time_when_they_were_due() {
        let (clock, ids) = (ManualClock::default(), CountedIds::default());
        let start = ClockReading::from_clock(&clock);
        let mut task = StoredTask::new("t".into(), "c".into(), start);
        let step = |after_ms, state| ScriptStep { after_ms, change: TaskChange::Status(state, String::new()) };
        task.set_plan(vec![step(20.0, TaskState::Working), step(50.0, TaskState::Completed)], start, &ids);
        clock.pass(1000.0);
        task.advance(ClockReading::from_clock(&clock), &ids);
        assert_eq!(task.state, TaskState::Completed);
        assert_eq!(task.at_ms, start.epoch_ms() + 50);
        assert_eq!(task.event_count(), 2);
    }
}
