//! Streams: what happens to a task, as server-sent events, from the task's own record of it.

use std::collections::VecDeque;
use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::stream::unfold;
use serde_json::{Value, json};

use super::fault::FaultId;
use super::moment::timestamp;
use super::state::{Status, TaskCell, View, set};
use super::{ScriptedAgent, bend, head};
use crate::a2a::model::TaskState;
use crate::host::Answer;
use crate::wire::http::Headers;
use crate::wire::sse::{Frame, Newline, write};

/// How often a stream that has nothing to say says so, in milliseconds.
const KEEP_ALIVE_MS: f64 = 5_000.0;

/// Which operation opened a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
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
pub(super) struct Events {
    agent: ScriptedAgent,
    /// None for a stream of one message.
    task: Option<TaskCell>,
    origin: Origin,
    view: View,
    id: Value,
    /// How many of the task's events were seen.
    place: usize,
    status_updates: u32,
    frames: u32,
    queue: VecDeque<Value>,
    phase: Phase,
}

impl Events {
    /// The stream of a message that is the whole answer (1.0 §3.1.2).
    pub(super) fn of_message(agent: &ScriptedAgent, message: Value) -> Self {
        let mut events = Self::new(agent, None, Origin::Send, View::FULL);
        let context = message.get("contextId").cloned().unwrap_or_default();
        events.queue.push_back(json!({ "message": message }));
        if events.has(FaultId::StreamMessageThenMore) {
            let at_ms = agent.moment().epoch_ms();
            let status = Status { state: TaskState::Completed, message: None, at_ms }.to_value();
            let update = json!({ "taskId": agent.0.ids.fresh(), "contextId": context, "status": status });
            events.queue.push_back(json!({ "statusUpdate": update }));
        }
        events.phase = Phase::Ended;
        events
    }

    /// The stream of a task from now on: a snapshot first (1.0 §3.1.2, §3.1.6), and then what happens.
    pub(super) fn of_task(agent: &ScriptedAgent, cell: TaskCell, origin: Origin, view: View) -> Self {
        agent.advance(&cell);
        let mut events = Self::new(agent, Some(Rc::clone(&cell)), origin, view);
        let task = cell.borrow();
        events.place = task.event_count();
        let no_snapshot = match origin {
            Origin::Send => FaultId::StreamStartsWithStatus,
            Origin::Subscribe => FaultId::SubscribeNoSnapshot,
        };
        let first = if events.has(no_snapshot) { task.status_update() } else { json!({ "task": task.to_value(view) }) };
        events.queue.push_back(first);
        if events.is_over(task.status.state) {
            events.end();
        }
        events
    }

    fn new(agent: &ScriptedAgent, task: Option<TaskCell>, origin: Origin, view: View) -> Self {
        Self {
            agent: agent.clone(),
            task,
            origin,
            view,
            id: Value::Null,
            place: 0,
            status_updates: 0,
            frames: 0,
            queue: VecDeque::new(),
            phase: Phase::Running,
        }
    }

    fn has(&self, fault: FaultId) -> bool {
        self.agent.0.faults.has(fault)
    }

    /// Whether the fault is there and this is the stream of a send, which it is about.
    fn sent_with(&self, fault: FaultId) -> bool {
        self.origin == Origin::Send && self.has(fault)
    }

    /// A send's stream also ends where the task waits for the client (1.0 §11.7); a subscription goes on to the end.
    fn is_over(&self, state: TaskState) -> bool {
        state.is_terminal() || (self.origin == Origin::Send && state.is_interrupted())
    }

    /// The stream as an answer to the call of this id.
    pub(super) fn into_answer(mut self, id: Value) -> Answer {
        self.id = id;
        let headers: Headers =
            [("content-type", "text/event-stream"), ("cache-control", "no-store")].into_iter().collect();
        let body = unfold(self, async |mut events| events.next().await.map(|bytes| (Ok(bytes), events)));
        Answer { head: head(200, headers), body: body.boxed_local() }
    }

    async fn next(&mut self) -> Option<Vec<u8>> {
        let burst = self.sent_with(FaultId::StreamBurst);
        loop {
            let held_back = burst && self.phase == Phase::Running;
            if let Some(payload) = self.queue.pop_front_if(|_| !held_back) {
                let mut bytes = self.write(payload);
                while let Some(payload) = self.queue.pop_front_if(|_| burst) {
                    bytes.extend(self.write(payload));
                }
                return Some(bytes);
            }
            match (self.phase, self.task.clone()) {
                (Phase::Running, Some(task)) => {
                    if !self.take(&task) {
                        self.agent.wait(&task).await;
                    }
                }
                (Phase::Lingering, _) => {
                    self.agent.0.clock.sleep(KEEP_ALIVE_MS).await;
                    return Some(b": keep-alive\n\n".to_vec());
                }
                (Phase::Ended, _) | (Phase::Running, None) => return None,
            }
        }
    }

    /// Takes over what has happened since; whether there was anything.
    fn take(&mut self, task: &TaskCell) -> bool {
        self.agent.advance(task);
        let (events, count, state) = {
            let task = task.borrow();
            (task.events_from(self.place), task.event_count(), task.status.state)
        };
        let some = count > self.place;
        self.place = count;
        if !(self.origin == Origin::Subscribe && self.has(FaultId::SubscribeSilent)) {
            events.into_iter().for_each(|event| self.admit(task, event));
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
                    set(update, "contextId", Some("a-foreign-context"));
                }
            }
        }
        let Some(update) = event.get_mut("statusUpdate") else {
            self.queue.push_back(event);
            return;
        };
        self.status_updates += 1;
        let task = task.borrow();
        if let Some(status) = update.get_mut("status").filter(|_| self.sent_with(FaultId::TimestampsGoBack)) {
            let earlier_ms = i64::from(self.status_updates) * 60_000;
            set(status, "timestamp", Some(timestamp(task.status.at_ms.saturating_sub(earlier_ms))));
        }
        if self.has(FaultId::StreamTwoPayloads) {
            set(&mut event, "task", Some(task.to_value(self.view)));
        }
        self.queue.push_back(event);
        if self.status_updates == 1 && self.sent_with(FaultId::StreamMessageInside) {
            self.queue.push_back(json!({ "message": task.message("By the way.", &*self.agent.0.ids) }));
        }
    }

    /// Notes that the task is over.
    fn end(&mut self) {
        let late = self.task.as_ref().filter(|_| self.sent_with(FaultId::StreamUpdateAfterTerminal)).map(|task| {
            let task = task.borrow();
            let late = || json!({ "artifactId": "late", "parts": [{ "text": "Too late." }] });
            task.artifact_update(task.artifacts.last().cloned().unwrap_or_else(late), false, true)
        });
        self.queue.extend(late);
        let lingers = match self.origin {
            Origin::Send => FaultId::StreamStaysOpen,
            Origin::Subscribe => FaultId::SubscribeStaysOpen,
        };
        self.phase = if self.has(lingers) { Phase::Lingering } else { Phase::Ended };
    }

    fn write(&mut self, payload: Value) -> Vec<u8> {
        self.frames += 1;
        let mut data = bend::event(&self.agent.0.faults, &self.id, payload);
        if self.frames == 2 && self.has(FaultId::SseBrokenJson) {
            data = data.chars().take(data.chars().count() / 2).collect();
        }
        let last = self.queue.is_empty() && self.phase == Phase::Ended;
        let terminated = !(last && self.has(FaultId::SseUnterminated));
        write(&Frame { data, terminated, ..Frame::default() }, Newline::Lf).into_bytes()
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        if self.phase != Phase::Running || !self.has(FaultId::DisconnectCancels) {
            return;
        }
        if let Some(task) = &self.task {
            self.agent.advance(task);
            let mut task = task.borrow_mut();
            if !task.status.state.is_terminal() {
                task.interrupt(TaskState::Canceled, None, self.agent.moment(), &*self.agent.0.ids);
            }
        }
    }
}
