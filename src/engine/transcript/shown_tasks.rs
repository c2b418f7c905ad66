//! The tasks that an answer shows, each in its state.

use super::Step;
use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::model::{Payload, StreamEvent, Task, TaskState};

/// A task as an answer shows it.
#[derive(Debug, Clone, Copy)]
pub struct ShownTask<'a> {
    /// Its id.
    pub id: Option<&'a str>,
    /// Its state.
    pub state: Option<TaskState>,
    /// When that came, in milliseconds since the run began.
    pub at_ms: f64,
    /// When the agent says that it came to be so.
    pub timestamp: Option<&'a str>,
}

impl Step {
    /// The tasks that the answer shows: one, or one for each event of a stream that tells of a state. What a list shows may be somebody
    /// else's, and is left out.
    #[must_use]
    pub fn shown_tasks(&self) -> Vec<ShownTask<'_>> {
        match &self.reply.kind {
            ReplyKind::Result(Payload::Task(task) | Payload::Sent { task: Some(task), .. }) => {
                let timestamp = task.timestamp.as_deref();
                vec![ShownTask { id: task.id.as_deref(), state: task.state, at_ms: self.exchange.end_ms, timestamp }]
            }
            ReplyKind::Stream(items) => {
                let shown = items.iter().filter_map(|item| {
                    let (id, state, timestamp) = match &item.kind {
                        StreamItemKind::Event(StreamEvent::Task(task)) => (&task.id, task.state, &task.timestamp),
                        StreamItemKind::Event(StreamEvent::Status(update)) => {
                            (&update.task_id, update.state, &update.timestamp)
                        }
                        _ => return None,
                    };
                    Some(ShownTask { id: id.as_deref(), state, at_ms: item.at_ms, timestamp: timestamp.as_deref() })
                });
                shown.collect()
            }
            _ => Vec::new(),
        }
    }

    /// The tasks that the answer has as a whole: that of a call, or those among the events of a stream. Those of a list are left out, too.
    #[must_use]
    pub fn whole_tasks(&self) -> Vec<&Task> {
        match &self.reply.kind {
            ReplyKind::Result(Payload::Task(task) | Payload::Sent { task: Some(task), .. }) => vec![task],
            ReplyKind::Stream(items) => {
                let tasks = items.iter().filter_map(|item| match &item.kind {
                    StreamItemKind::Event(StreamEvent::Task(task)) => Some(task),
                    _ => None,
                });
                tasks.collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the answer shows that task.
    #[must_use]
    pub fn shows_task(&self, id: &str) -> bool {
        self.shown_tasks().iter().any(|shown| shown.id == Some(id))
    }

    /// The task that a call is about: that of a message, or the one that is read, cancelled or subscribed to.
    #[must_use]
    pub fn addressed_task(&self) -> Option<&str> {
        self.sent.addressed_task().or_else(|| self.sent.params.as_ref()?.get("id")?.as_str())
    }
}
