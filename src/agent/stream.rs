//! Streams of server-sent events, made of the events that a task has recorded: how they begin and end, keep-alive comments, and the
//! faults of streams.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, Stream};
use serde_json::Value;

use super::call_form::{CallForm, IncomingCall};
use super::clock_reading::timestamp;
use super::concurrency_faults::Disturbed;
use super::fault::FaultId;
use super::grpc_answer::{event_bytes, stream_answer};
use super::json_values::{data, set, set_text, text, wrap};
use super::responses::head;
use super::scripted_agent::ScriptedAgent;
use super::served_version::CURRENT;
use super::stream_events::{cut_history, move_context, state_of, updates_of};
use super::task::{TaskCell, TaskView, status, status_update};
use crate::a2a::model::TaskState;
use crate::host::StreamedResponse;
use crate::wire::http::Headers;
use crate::wire::sse::{Frame, write};

/// The time between two keep-alive comments of a stream without events, in milliseconds.
const KEEP_ALIVE_MS: f64 = 5_000.0;

/// For how long a client may leave updates unread until they are dropped, where a fault drops them, in milliseconds.
const UNREAD_MS: f64 = 1_000.0;

const LATE_ARTIFACT: &str = r#"{"artifact":{"artifactId":"late","parts":[{"text":"Too late."}]},"lastChunk":true}"#;

const EARLY_ARTIFACT: &str = r#"{"artifact":{"artifactId":"early","parts":[{"text":"Early."}]}}"#;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamOrigin {
    Send,
    Subscribe,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    /// Closes after what is in the queue.
    Ended,
    /// Stays open after what is in the queue, without more events.
    Lingering,
}

/// A stream as an answer's body. Dropping it is the client hanging up.
pub(super) struct EventStream {
    agent: ScriptedAgent,
    /// None for a stream of one message.
    task: Option<TaskCell>,
    origin: StreamOrigin,
    view: TaskView,
    call: IncomingCall,
    /// The number of this subscription among those of the task.
    subscription: usize,
    /// The task's `closings` when the stream began.
    closings: u32,
    /// The number of the task's events that were read.
    events_read: usize,
    status_updates: u32,
    /// When the last bytes were taken.
    taken_ms: f64,
    /// What faults of many updates did to those of this stream.
    disturbed: Disturbed,
    /// How many artifact updates a subscription has had.
    artifact_updates: u32,
    frames: u32,
    /// The payloads to write, in order.
    queue: Vec<Value>,
    phase: Phase,
    /// Whether the connection is to be dropped now.
    dropped: bool,
    /// The event or time that the stream waits for, if it does.
    waiting: Option<LocalBoxFuture<'static, ()>>,
}

impl EventStream {
    /// The stream of a message that answers a send (1.0 §3.1.2).
    pub(super) fn of_message(agent: &ScriptedAgent, message: Value) -> Box<Self> {
        let mut events = Self::new(agent, None, StreamOrigin::Send, TaskView::FULL);
        let context = text(&message, "contextId").to_owned();
        events.queue.push(wrap("message", message));
        if events.has(FaultId::StreamMessageThenMore) {
            let status = status(TaskState::Completed, Value::Null, agent.reading().epoch_ms());
            events.queue.push(status_update(&agent.0.ids.fresh(), &context, status));
        }
        events.phase = if events.has(FaultId::StreamMessageStaysOpen) { Phase::Lingering } else { Phase::Ended };
        events
    }

    /// The stream of a task from now on: a snapshot first (1.0 §3.1.2, §3.1.6), then its events.
    pub(super) fn of_task(agent: &ScriptedAgent, cell: TaskCell, origin: StreamOrigin, view: TaskView) -> Box<Self> {
        agent.advance(&cell);
        if origin == StreamOrigin::Subscribe {
            let mut task = cell.borrow_mut();
            task.subscriptions += 1;
            task.resume();
        }
        let mut events = Self::new(agent, Some(Rc::clone(&cell)), origin, view);
        let task = cell.borrow();
        let follows_up = origin == StreamOrigin::Send && task.messages_received > 1;
        let no_task = events.has_on_send(FaultId::StreamStartsWithStatus)
            || events.has_on_subscription(FaultId::SubscribeNoSnapshot)
            || follows_up && events.has(FaultId::FollowUpStreamNoTask);
        let mut first = if no_task { task.status_update() } else { wrap("task", task.to_value(view)) };
        if follows_up && events.has(FaultId::FollowUpStreamNewContext) {
            move_context(&mut first);
        }
        events.queue.push(first);
        let is_third = origin == StreamOrigin::Subscribe && task.subscriptions > 2;
        if is_third && agent.fails_under_load(FaultId::LoadForgetsReturned) {
            events.end();
        }
        if events.ends_at(task.state) {
            events.end();
            if events.has_on_subscription(FaultId::ResubscribeTerminalHangs) {
                events.phase = Phase::Lingering;
            }
            if origin == StreamOrigin::Subscribe && agent.misses_end(&task, FaultId::SubscribeMissesEnd) {
                events.queue.clear();
                events.phase = Phase::Lingering;
            }
        }
        events
    }

    /// The stream of a declared turn that has just begun: the task as it was before, unless the turn has its own beginning, then
    /// the turn's events, and the end.
    pub(super) fn of_turn(agent: &ScriptedAgent, cell: TaskCell, view: TaskView) -> Box<Self> {
        let mut events = Self::new(agent, Some(Rc::clone(&cell)), StreamOrigin::Send, view);
        cell.borrow_mut().streamed = true;
        let task = cell.borrow();
        if task.turn.as_ref().is_some_and(|turn| turn.declared.begins_with_snapshot()) {
            events.queue.push(wrap("task", task.to_value(view)));
        }
        events
    }

    fn new(agent: &ScriptedAgent, task: Option<TaskCell>, origin: StreamOrigin, view: TaskView) -> Box<Self> {
        let (subscription, closings, events_read) = task.as_ref().map_or((0, 0, 0), |task| {
            let task = task.borrow();
            (task.subscriptions, task.closings, task.event_count())
        });
        Box::new(Self {
            agent: agent.clone(),
            task,
            origin,
            view,
            call: IncomingCall { served_version: &CURRENT, form: CallForm::Http, operation: None },
            subscription,
            closings,
            events_read,
            status_updates: 0,
            taken_ms: f64::INFINITY,
            disturbed: Disturbed::default(),
            artifact_updates: 0,
            frames: 0,
            queue: Vec::new(),
            phase: Phase::Running,
            dropped: false,
            waiting: None,
        })
    }

    fn has(&self, fault: FaultId) -> bool {
        self.agent.has(fault)
    }

    /// Whether the agent has a fault that is about the streams of sends, and this is one.
    fn has_on_send(&self, fault: FaultId) -> bool {
        self.origin == StreamOrigin::Send && self.has(fault)
    }

    /// Whether the agent has a fault that is about subscriptions, and this is one.
    fn has_on_subscription(&self, fault: FaultId) -> bool {
        self.origin == StreamOrigin::Subscribe && self.has(fault)
    }

    /// Whether the stream ends at this state. That of a send also ends when the task waits for the client (1.0 §11.7); a
    /// subscription does so in older versions only.
    fn ends_at(&self, state: TaskState) -> bool {
        let ends_at_pauses = self.origin == StreamOrigin::Send || self.call.served_version.older.is_some();
        state.is_terminal() || (ends_at_pauses && state.is_interrupted())
    }

    /// The answer to this call.
    pub(super) fn into_answer(mut self: Box<Self>, call: IncomingCall) -> StreamedResponse {
        self.call = call;
        if matches!(self.call.form, CallForm::Rpc(_)) && self.has_on_subscription(FaultId::SubscribeOtherId) {
            self.call.form = CallForm::Rpc(Value::from("another-id"));
        }
        if self.call.served_version.tasks_only() && !self.has(FaultId::TaskInStream) {
            self.replace_snapshot();
        }
        let headers: Headers =
            [("content-type", "text/event-stream"), ("cache-control", "no-store")].into_iter().collect();
        let status = self.task.as_ref().and_then(|task| task.borrow().turn.as_ref()?.declared.http_status);
        let status = status.filter(|_| self.origin == StreamOrigin::Send).unwrap_or(200);
        if let CallForm::Grpc(media) = &self.call.form {
            let (faults, media) = (self.agent.0.faults.clone(), media.clone());
            return stream_answer(&faults, &media, Box::into_pin(self));
        }
        StreamedResponse { head: head(status, headers), body: Box::into_pin(self) }
    }

    /// The next bytes; none if the stream has to wait or has ended.
    fn next_bytes(&mut self) -> Option<Vec<u8>> {
        let all_at_once = self.has_on_send(FaultId::StreamBurst);
        while self.phase == Phase::Running
            && (all_at_once || self.queue.is_empty())
            && let Some(task) = self.task.clone()
        {
            if !self.read_events(&task) {
                self.waiting = Some(self.agent.wait_for_change(&task).boxed_local());
                return None;
            }
        }
        if self.queue.is_empty() {
            if self.phase == Phase::Lingering {
                self.waiting = Some(self.agent.0.clock.sleep(KEEP_ALIVE_MS));
            }
            return None;
        }
        let now_ms = self.agent.0.clock.now_ms();
        if self.has_on_send(FaultId::BurstDropsUnread) && now_ms - self.taken_ms > UNREAD_MS {
            self.queue.retain(|payload| payload.get("artifactUpdate").is_none());
        }
        self.taken_ms = now_ms;
        let mut bytes = Vec::new();
        while !self.queue.is_empty() && (all_at_once || bytes.is_empty()) {
            let payload = self.queue.remove(0);
            if payload.get("drop").is_some() {
                (self.dropped, self.phase) = (true, Phase::Ended);
                self.queue.clear();
                break;
            }
            bytes.extend(self.write(payload));
        }
        (!bytes.is_empty()).then_some(bytes)
    }

    /// Reads the task's new events into the queue; returns whether there were any.
    fn read_events(&mut self, task: &TaskCell) -> bool {
        self.agent.advance(task);
        let (events, count, state, only_subscriber, plays, turn_is_over) = {
            let task = task.borrow();
            if self.origin == StreamOrigin::Subscribe && task.closings > self.closings {
                self.phase = Phase::Ended;
                return true;
            }
            let (events, count) = (task.events_after(self.events_read), task.event_count());
            (events, count, task.state, task.subscriptions < 2, task.turn.is_some(), task.turn_is_over())
        };
        let any = count > self.events_read;
        self.events_read = count;
        let misses_artifacts =
            self.has_on_subscription(FaultId::SubscribeNoArtifacts) || self.has_on_send(FaultId::StreamNoArtifacts);
        let hears = !self.has_on_subscription(FaultId::SubscribeSilent);
        let hears_all = only_subscriber || !self.has_on_subscription(FaultId::SubscribersShareEvents);
        // Every subscriber gets the last events; only those before are shared out.
        let first = count - events.len();
        for (number, event) in (first..).zip(events) {
            let last = self.call.served_version.older.is_some() && self.ends_at(state_of(&event)) && !plays;
            let ends_early =
                self.has_on_send(FaultId::StreamEndsEarly) || self.has_on_subscription(FaultId::SubscribeEndsEarly);
            if state_of(&event).is_terminal() && ends_early {
                self.phase = Phase::Ended;
                return true;
            }
            if event.get("artifactUpdate").is_some() && misses_artifacts {
                continue;
            }
            if self.origin == StreamOrigin::Subscribe && event.get("artifactUpdate").is_some() {
                self.artifact_updates += 1;
                if self.artifact_updates == 2 && self.agent.fails_under_load(FaultId::LoadStreamsDiffer) {
                    continue;
                }
            }
            if hears && (hears_all || state.is_terminal() || number % 2 == self.subscription % 2) {
                self.enqueue(task, event);
            }
            if last {
                self.end();
                return true;
            }
        }
        // The stream of a declared turn ends with the turn, whatever state that is in.
        let ends = match self.origin {
            StreamOrigin::Send if plays => turn_is_over,
            _ => any && self.ends_at(state) && (!plays || turn_is_over),
        };
        if ends {
            self.end();
        }
        any || ends
    }

    /// Adds an event to the queue, or what faults of many updates make of it.
    fn enqueue(&mut self, task: &TaskCell, event: Value) {
        if self.origin == StreamOrigin::Send && event.get("artifactUpdate").is_some() {
            for chunk in self.agent.disturbed_chunks(task, event, &mut self.disturbed) {
                self.enqueue_changed(task, chunk);
            }
        } else {
            self.enqueue_changed(task, event);
        }
    }

    /// Adds an event to the queue, with the changes that faults make to it.
    fn enqueue_changed(&mut self, task: &TaskCell, mut event: Value) {
        if let Some(declared) = event.get_mut("task") {
            if self.call.served_version.tasks_only() {
                self.queue.extend(updates_of(declared));
                return;
            }
            cut_history(declared, self.view.history);
        }
        if self.has_on_send(FaultId::FollowUpStreamNewContext) && task.borrow().messages_received > 1 {
            move_context(&mut event);
        }
        for update in ["statusUpdate", "artifactUpdate"] {
            let Some(update) = event.get_mut(update) else { continue };
            if self.has(FaultId::StreamForeignContext) {
                set_text(update, "contextId", "a-foreign-context");
            }
            if self.has_on_subscription(FaultId::SubscribeOtherTask) {
                set_text(update, "taskId", "another-task");
            }
            if self.has_on_subscription(FaultId::SubscribeNoContext)
                && let Some(members) = update.as_object_mut()
            {
                members.remove("contextId");
            }
        }
        let Some(update) = event.get_mut("statusUpdate") else {
            self.queue.push(event);
            return;
        };
        self.status_updates += 1;
        let task = task.borrow();
        let goes_back =
            self.has_on_send(FaultId::TimestampsGoBack) || self.has_on_subscription(FaultId::SubscribeTimeBack);
        if let Some(status) = update.get_mut("status").filter(|_| goes_back) {
            let earlier_ms = i64::from(self.status_updates) * 60_000;
            set_text(status, "timestamp", &timestamp(task.at_ms.saturating_sub(earlier_ms)));
        }
        if self.has(FaultId::StreamTwoPayloads) {
            set(&mut event, "task", task.to_value(self.view));
        }
        self.queue.push(event);
        if self.status_updates == 1 && self.has_on_send(FaultId::StreamMessageInside) {
            self.queue.push(wrap("message", task.message("By the way.", &*self.agent.0.ids)));
        }
    }

    /// Ends the stream after what is in the queue, unless a fault adds to it or keeps it open.
    pub(super) fn end(&mut self) {
        let mut lingers =
            self.has_on_send(FaultId::StreamStaysOpen) || self.has_on_subscription(FaultId::SubscribeStaysOpen);
        if let Some(task) = &self.task {
            let task = task.borrow();
            if self.has_on_send(FaultId::StreamUpdateAfterTerminal) || self.has_on_send(FaultId::StreamAfterFinal) {
                let mut late = data(LATE_ARTIFACT, &[]);
                set(&mut late, "artifact", task.artifacts.last().cloned().into());
                self.queue.push(task.artifact_update(&late));
            }
            if self.has_on_subscription(FaultId::SubscribeAfterTerminal) {
                let late = status(TaskState::Working, Value::Null, task.at_ms);
                self.queue.push(status_update(&task.id, &task.context, late));
            }
            let failed = matches!(task.state, TaskState::Failed | TaskState::Rejected);
            lingers |= failed && self.has_on_send(FaultId::StreamFailedStaysOpen);
        }
        self.phase = if lingers { Phase::Lingering } else { Phase::Ended };
    }

    /// Replaces the snapshot by updates, since streams of 0.1 have no tasks (0.1 §7.2.1).
    fn replace_snapshot(&mut self) {
        let Some(cell) =
            self.task.clone().filter(|_| self.queue.first().is_some_and(|first| first.get("task").is_some()))
        else {
            return;
        };
        let task = cell.borrow();
        let ended = self.phase != Phase::Running;
        let mut updates = Vec::new();
        if ended || self.origin == StreamOrigin::Subscribe {
            let artifacts =
                task.artifacts.iter().map(|artifact| task.artifact_update(&wrap("artifact", artifact.clone())));
            updates.extend(artifacts);
        }
        let mut status = task.status_update();
        if let Some(update) = status.get_mut("statusUpdate") {
            set(update, "final", ended.into());
        }
        updates.insert(if ended { updates.len() } else { 0 }, status);
        if self.has_on_send(FaultId::StreamStartsWithArtifact) {
            updates.insert(0, task.artifact_update(&data(EARLY_ARTIFACT, &[])));
        }
        self.queue.splice(..1, updates);
    }

    /// Adds the members that only older versions have: `final`, and in 0.1 the index of the artifact.
    fn add_older_members(&self, event: &mut Value) {
        let last = self.ends_at(state_of(event));
        if let Some(update) = event.get_mut("statusUpdate").filter(|update| update.get("final").is_none()) {
            set(update, "final", last.into());
        }
        if self.call.served_version.tasks_only()
            && let Some(task) = &self.task
            && let Some(artifact) = event.pointer_mut("/artifactUpdate/artifact")
        {
            let id = text(artifact, "artifactId");
            let index = task.borrow().artifacts.iter().position(|known| text(known, "artifactId") == id);
            set(artifact, "index", index.unwrap_or_default().into());
        }
    }

    fn write(&mut self, mut payload: Value) -> Vec<u8> {
        if let Some(raw) = payload.get("raw").and_then(Value::as_str) {
            return raw.as_bytes().to_vec();
        }
        self.frames += 1;
        if self.call.served_version.older.is_some() {
            self.add_older_members(&mut payload);
        }
        let mut data = self.call.encode_event(&self.agent.0.faults, payload);
        if self.frames == 2 && self.has(FaultId::SseBrokenJson) {
            data = data.chars().take(data.chars().count() / 2).collect();
        }
        if matches!(self.call.form, CallForm::Grpc(_)) {
            return event_bytes(self.call.served_version, &data);
        }
        let last = self.queue.is_empty() && self.phase == Phase::Ended;
        let terminated = !(last && self.has(FaultId::SseUnterminated));
        write(&Frame { data, terminated, ..Frame::default() }).into_bytes()
    }
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
                    // Over gRPC the connection itself is kept alive.
                    let is_grpc = matches!(self.call.form, CallForm::Grpc(_));
                    let sign: &[u8] = if is_grpc { b"" } else { b": keep-alive\n\n" };
                    return Poll::Ready(Some(Ok(sign.to_vec())));
                }
            }
            if self.frames == 2 && self.has(FaultId::StreamsBreak) {
                // The next poll finds the stream at its end.
                (self.frames, self.phase) = (3, Phase::Ended);
                self.queue.clear();
                return Poll::Ready(Some(Err("connection reset by peer".to_owned())));
            }
            let bytes = self.next_bytes();
            if std::mem::take(&mut self.dropped) {
                return Poll::Ready(Some(Err("the connection was dropped, as responses_json declares".to_owned())));
            }
            if bytes.is_some() || self.waiting.is_none() {
                return Poll::Ready(bytes.map(Ok));
            }
        }
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        let Some(task) = self.task.take().filter(|_| self.phase == Phase::Running) else { return };
        if self.has_on_send(FaultId::DisconnectStops) {
            self.agent.advance(&task);
            task.borrow_mut().stop();
        }
        if self.has_on_send(FaultId::UnwatchedNotStored) {
            self.agent.advance(&task);
            task.borrow_mut().pause();
        }
        if self.has(FaultId::DisconnectCancels) {
            self.agent.advance(&task);
            let mut task = task.borrow_mut();
            if !task.state.is_terminal() {
                self.agent.set_status_now(&mut task, TaskState::Canceled, "");
            }
        }
        let closes_all = self.has(FaultId::OneClosesAll) || self.agent.fails_under_load(FaultId::LoadOneClosesAll);
        if self.origin == StreamOrigin::Subscribe && closes_all {
            task.borrow_mut().close_subscriptions();
        }
    }
}
