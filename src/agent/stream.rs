//! Streams: what happens to a task, as server-sent events, from the task's own record of it.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, Stream};
use serde_json::Value;

use super::call::CallForm;
use super::clock_reading::timestamp;
use super::fault::FaultId;
use super::json_values::{data, set, set_text, text};
use super::operations::around;
use super::served_version::{PLAIN, ServedVersion};
use super::state::{TaskCell, TaskView, status, status_update};
use super::{ScriptedAgent, head, mutate};
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::TaskState;
use crate::host::StreamedResponse;
use crate::wire::http::Headers;
use crate::wire::sse::{Frame, Newline, write};

/// How often a stream that has nothing to say says so, in milliseconds.
const KEEP_ALIVE_MS: f64 = 5_000.0;

/// An artifact after the end of its task.
const LATE: &str = r#"{"artifact":{"artifactId":"late","parts":[{"text":"Too late."}]},"lastChunk":true}"#;

/// An artifact before anything else.
const EARLY: &str = r#"{"artifact":{"artifactId":"early","parts":[{"text":"Early."}]}}"#;

/// Which operation opened a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamOrigin {
    Send,
    Subscribe,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    /// Nothing follows what is in the queue.
    Ended,
    /// Nothing follows, and yet the stream stays open.
    Lingering,
}

/// A stream that is still to be written out. Dropping it is the client hanging up.
pub(super) struct EventStream {
    agent: ScriptedAgent,
    /// None for a stream of one message.
    task: Option<TaskCell>,
    origin: StreamOrigin,
    view: TaskView,
    served_version: &'static ServedVersion,
    form: CallForm,
    /// Which of the task's subscriptions this is, and how often all of them had been closed when it began.
    number: usize,
    closings: u32,
    /// How many of the task's events were seen.
    place: usize,
    status_updates: u32,
    frames: u32,
    /// What is to be written next, the first first.
    queue: Vec<Value>,
    phase: Phase,
    /// What is waited for.
    waiting: Option<LocalBoxFuture<'static, ()>>,
}

impl EventStream {
    /// The stream of a message that is the whole answer (1.0 §3.1.2).
    pub(super) fn of_message(agent: &ScriptedAgent, message: Value) -> Box<Self> {
        let mut events = Self::new(agent, None, StreamOrigin::Send, TaskView::FULL);
        let context = text(&message, "contextId").to_owned();
        events.queue.push(around("message", message));
        if events.has(FaultId::StreamMessageThenMore) {
            let status = status(TaskState::Completed, Value::Null, agent.reading().epoch_ms());
            events.queue.push(status_update(&agent.0.ids.fresh(), &context, status));
        }
        events.phase = Phase::Ended;
        events
    }

    /// The stream of a task from now on: a snapshot first (1.0 §3.1.2, §3.1.6), and then what happens.
    pub(super) fn of_task(agent: &ScriptedAgent, cell: TaskCell, origin: StreamOrigin, view: TaskView) -> Box<Self> {
        agent.advance(&cell);
        let mut events = Self::new(agent, Some(Rc::clone(&cell)), origin, view);
        if origin == StreamOrigin::Subscribe {
            cell.borrow_mut().subscriptions += 1;
        }
        let task = cell.borrow();
        events.number = task.subscriptions;
        events.closings = task.closings;
        events.place = task.event_count();
        let no_snapshot = match origin {
            StreamOrigin::Send => FaultId::StreamStartsWithStatus,
            StreamOrigin::Subscribe => FaultId::SubscribeNoSnapshot,
        };
        let first = if events.has(no_snapshot) { task.status_update() } else { around("task", task.to_value(view)) };
        events.queue.push(first);
        if events.is_over(task.state) {
            events.end();
            if origin == StreamOrigin::Subscribe && events.has(FaultId::ResubscribeTerminalHangs) {
                events.phase = Phase::Lingering;
            }
        }
        events
    }

    fn new(agent: &ScriptedAgent, task: Option<TaskCell>, origin: StreamOrigin, view: TaskView) -> Box<Self> {
        Box::new(Self {
            agent: agent.clone(),
            task,
            origin,
            view,
            served_version: &PLAIN,
            form: CallForm::Http,
            number: 0,
            closings: 0,
            place: 0,
            status_updates: 0,
            frames: 0,
            queue: Vec::new(),
            phase: Phase::Running,
            waiting: None,
        })
    }

    fn has(&self, fault: FaultId) -> bool {
        self.agent.has(fault)
    }

    /// Whether the fault is there and this is the stream of a send, which it is about.
    fn sent_with(&self, fault: FaultId) -> bool {
        self.origin == StreamOrigin::Send && self.has(fault)
    }

    /// A send's stream also ends where the task waits for the client (1.0 §11.7); a subscription goes on to the end, but not
    /// in older versions.
    fn is_over(&self, state: TaskState) -> bool {
        let pauses = self.origin == StreamOrigin::Send || self.served_version.older.is_some();
        state.is_terminal() || (pauses && state.is_interrupted())
    }

    /// The stream as an answer to a call that came so.
    pub(super) fn into_answer(
        mut self: Box<Self>,
        served_version: &'static ServedVersion,
        form: CallForm,
    ) -> StreamedResponse {
        (self.served_version, self.form) = (served_version, form);
        if served_version.tasks_only() && !self.has(FaultId::TaskInStream) {
            self.tell_snapshot();
        }
        let headers: Headers =
            [("content-type", "text/event-stream"), ("cache-control", "no-store")].into_iter().collect();
        StreamedResponse { head: head(200, headers), body: Box::into_pin(self) }
    }

    /// The next bytes if there are some; none if the stream waits now or has ended.
    fn next_bytes(&mut self) -> Option<Vec<u8>> {
        let burst = self.sent_with(FaultId::StreamBurst);
        while self.phase == Phase::Running
            && (burst || self.queue.is_empty())
            && let Some(task) = self.task.clone()
        {
            if !self.take(&task) {
                self.waiting = Some(self.agent.wait(&task).boxed_local());
                return None;
            }
        }
        if self.queue.is_empty() {
            if self.phase == Phase::Lingering {
                self.waiting = Some(self.agent.0.clock.sleep(KEEP_ALIVE_MS));
            }
            return None;
        }
        let mut bytes = Vec::new();
        while !self.queue.is_empty() && (burst || bytes.is_empty()) {
            let payload = self.queue.remove(0);
            bytes.extend(self.write(payload));
        }
        Some(bytes)
    }

    /// Takes over what has happened since; whether there was anything.
    fn take(&mut self, task: &TaskCell) -> bool {
        self.agent.advance(task);
        let (events, count, state, alone) = {
            let task = task.borrow();
            if self.origin == StreamOrigin::Subscribe && task.closings > self.closings {
                self.phase = Phase::Ended;
                return true;
            }
            (task.events_from(self.place), task.event_count(), task.state, task.subscriptions < 2)
        };
        let some = count > self.place;
        self.place = count;
        let hears = |fault| !(self.origin == StreamOrigin::Subscribe && self.has(fault));
        let (hears, hears_all) = (hears(FaultId::SubscribeSilent), alone || hears(FaultId::SubscribersShareEvents));
        // Every subscriber hears of the end, so that only what comes before it is shared.
        let first = count - events.len();
        for (place, event) in (first..).zip(events) {
            let last = self.served_version.older.is_some() && self.is_over(state_of(&event));
            if hears && (hears_all || state.is_terminal() || place % 2 == self.number % 2) {
                self.admit(task, event);
            }
            if last {
                self.end();
                return true;
            }
        }
        if some && self.is_over(state) {
            self.end();
        }
        some
    }

    fn admit(&mut self, task: &TaskCell, mut event: Value) {
        if self.has(FaultId::StreamForeignContext) {
            for update in ["statusUpdate", "artifactUpdate"] {
                if let Some(update) = event.get_mut(update) {
                    set_text(update, "contextId", "a-foreign-context");
                }
            }
        }
        let Some(update) = event.get_mut("statusUpdate") else {
            self.queue.push(event);
            return;
        };
        self.status_updates += 1;
        let task = task.borrow();
        if let Some(status) = update.get_mut("status").filter(|_| self.sent_with(FaultId::TimestampsGoBack)) {
            let earlier_ms = i64::from(self.status_updates) * 60_000;
            set_text(status, "timestamp", &timestamp(task.at_ms.saturating_sub(earlier_ms)));
        }
        if self.has(FaultId::StreamTwoPayloads) {
            set(&mut event, "task", task.to_value(self.view));
        }
        self.queue.push(event);
        if self.status_updates == 1 && self.sent_with(FaultId::StreamMessageInside) {
            self.queue.push(around("message", task.message("By the way.", &*self.agent.0.ids)));
        }
    }

    /// Notes that the task is over.
    pub(super) fn end(&mut self) {
        if (self.sent_with(FaultId::StreamUpdateAfterTerminal) || self.sent_with(FaultId::StreamAfterFinal))
            && let Some(task) = &self.task
        {
            let task = task.borrow();
            let mut late = data(LATE, &[]);
            set(&mut late, "artifact", task.artifacts.last().cloned().into());
            self.queue.push(task.artifact_update(&late));
        }
        let lingers = match self.origin {
            StreamOrigin::Send => FaultId::StreamStaysOpen,
            StreamOrigin::Subscribe => FaultId::SubscribeStaysOpen,
        };
        self.phase = if self.has(lingers) { Phase::Lingering } else { Phase::Ended };
    }

    /// 0.1 §7.2.1: there are no tasks in streams, so that a snapshot is told by updates.
    fn tell_snapshot(&mut self) {
        let Some(cell) =
            self.task.clone().filter(|_| self.queue.first().is_some_and(|first| first.get("task").is_some()))
        else {
            return;
        };
        let task = cell.borrow();
        let over = self.phase != Phase::Running;
        let mut updates = Vec::new();
        if over || self.origin == StreamOrigin::Subscribe {
            let told =
                task.artifacts.iter().map(|artifact| task.artifact_update(&around("artifact", artifact.clone())));
            updates.extend(told);
        }
        let mut status = task.status_update();
        if let Some(update) = status.get_mut("statusUpdate") {
            set(update, "final", over.into());
        }
        updates.insert(if over { updates.len() } else { 0 }, status);
        if self.sent_with(FaultId::StreamStartsWithArtifact) {
            updates.insert(0, task.artifact_update(&data(EARLY, &[])));
        }
        self.queue.splice(..1, updates);
    }

    /// Adds to an event what only older versions say: whether it is the last one, and the number of its artifact.
    fn mark(&self, event: &mut Value) {
        let last = self.is_over(state_of(event));
        if let Some(update) = event.get_mut("statusUpdate").filter(|update| update.get("final").is_none()) {
            set(update, "final", last.into());
        }
        if self.served_version.tasks_only()
            && let Some(task) = &self.task
            && let Some(artifact) = event.pointer_mut("/artifactUpdate/artifact")
        {
            let id = text(artifact, "artifactId");
            let place = task.borrow().artifacts.iter().position(|known| text(known, "artifactId") == id);
            set(artifact, "index", place.unwrap_or_default().into());
        }
    }

    fn write(&mut self, mut payload: Value) -> Vec<u8> {
        self.frames += 1;
        if self.served_version.older.is_some() {
            self.mark(&mut payload);
        }
        let mut data = mutate::event(self.served_version, &self.agent.0.faults, &self.form, payload);
        if self.frames == 2 && self.has(FaultId::SseBrokenJson) {
            data = data.chars().take(data.chars().count() / 2).collect();
        }
        let last = self.queue.is_empty() && self.phase == Phase::Ended;
        let terminated = !(last && self.has(FaultId::SseUnterminated));
        write(&Frame { data, terminated, ..Frame::default() }, Newline::Lf).into_bytes()
    }
}

/// The state that an event tells of; what tells of none is as good as a task that has not begun.
fn state_of(event: &Value) -> TaskState {
    let state = event.pointer("/statusUpdate/status/state").and_then(Value::as_str);
    state.and_then(|name| V1_0.state(name)).unwrap_or(TaskState::Submitted)
}

impl Stream for EventStream {
    type Item = Result<Vec<u8>, String>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(waiting) = &mut self.waiting {
                if waiting.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                self.waiting = None;
                if self.phase == Phase::Lingering {
                    return Poll::Ready(Some(Ok(b": keep-alive\n\n".to_vec())));
                }
            }
            let bytes = self.next_bytes();
            if bytes.is_some() || self.waiting.is_none() {
                return Poll::Ready(bytes.map(Ok));
            }
        }
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        let Some(task) = self.task.take().filter(|_| self.phase == Phase::Running) else { return };
        if self.has(FaultId::DisconnectCancels) {
            self.agent.advance(&task);
            let mut task = task.borrow_mut();
            if !task.state.is_terminal() {
                self.agent.interrupt(&mut task, TaskState::Canceled, "");
            }
        }
        if self.origin == StreamOrigin::Subscribe && self.has(FaultId::OneClosesAll) {
            task.borrow_mut().close_subscriptions();
        }
    }
}
