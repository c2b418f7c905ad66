//! The reply of an operation: a result, a stream, or a result that has to be waited for.

use serde_json::Value;

use super::fault::FaultId;
use super::json_values::wrap;
use super::responses::typed_response;
use super::scripted_agent::ScriptedAgent;
use super::stream::{EventStream, StreamOrigin};
use super::task::{StoredTask, TaskCell, TaskView};
use crate::a2a::model::TaskState;
use crate::host::StreamedResponse;

pub(super) enum OperationReply {
    Result(Value),
    Events(Box<EventStream>),
    Wait(PendingReply),
    /// An answer of HTTP, whatever the binding.
    Answer(StreamedResponse),
    Silence,
    HangUp,
}

impl OperationReply {
    pub(super) fn empty_stream() -> Self {
        Self::Answer(typed_response(200, "text/event-stream", Vec::new()))
    }

    /// A task as a stream; a fault waits for its end and gives one answer instead.
    pub(super) fn of_stream(agent: &ScriptedAgent, task: TaskCell, origin: StreamOrigin, view: TaskView) -> Self {
        if agent.has(FaultId::StreamAsJson) {
            let show: ShowTask = |_, task, view| wrap("task", task.to_value(view));
            return Self::Wait(PendingReply { task, ready: is_at_rest, view, deadline_ms: f64::INFINITY, show });
        }
        task.borrow_mut().streamed |= origin == StreamOrigin::Send;
        Self::Events(EventStream::of_task(agent, task, origin, view))
    }
}

pub(super) type ShowTask = fn(&ScriptedAgent, &StoredTask, TaskView) -> Value;

/// A result that waits for a state of a task.
pub(super) struct PendingReply {
    pub(super) task: TaskCell,
    /// Whether the task is in a state that ends the wait.
    pub(super) ready: fn(&StoredTask) -> bool,
    pub(super) view: TaskView,
    /// When to answer in any case, on the clock of `now_ms`.
    pub(super) deadline_ms: f64,
    pub(super) show: ShowTask,
}

impl PendingReply {
    pub(super) async fn result(self, agent: &ScriptedAgent) -> Value {
        agent.advance(&self.task);
        while !(self.ready)(&self.task.borrow()) && agent.0.clock.now_ms() < self.deadline_ms {
            agent.wait_until(&self.task, self.deadline_ms).await;
            agent.advance(&self.task);
        }
        (self.show)(agent, &self.task.borrow(), self.view)
    }
}

/// Whether the task has finished or waits for the client, where a blocking send returns (1.0 §3.2.2).
pub(super) const fn is_at_rest(task: &StoredTask) -> bool {
    task.state.is_terminal() || task.state.is_interrupted()
}

pub(super) fn has_begun(task: &StoredTask) -> bool {
    task.state != TaskState::Submitted
}

/// For a reply to an input that does not wait for what comes of it.
pub(super) fn is_at_work(task: &StoredTask) -> bool {
    task.state == TaskState::Working
}

/// For a reply that does not wait.
pub(super) const fn any_state(_: &StoredTask) -> bool {
    true
}
