//! What answers said of tasks: their ids, contexts and states, as far as a client could know them.

use super::conversation::{ClientCall, Session};
use crate::a2a::binding::{Reply, ReplyKind, StreamItemKind};
use crate::a2a::model::{Payload, StreamEvent, Task, TaskState};

/// What an answer says of a task.
#[derive(Debug, Clone)]
pub struct TaskNews {
    /// The task.
    pub id: String,
    /// Its context.
    pub context: Option<String>,
    /// Its state.
    pub state: Option<TaskState>,
}

/// What a reply says of tasks, in its order.
pub(super) fn news_of(reply: &Reply) -> Vec<TaskNews> {
    match &reply.kind {
        ReplyKind::Result(Payload::Sent { task: Some(task), .. } | Payload::Task(task)) => of_task(task).collect(),
        ReplyKind::Result(Payload::Tasks(list)) => list.tasks.iter().flat_map(of_task).collect(),
        ReplyKind::Stream(items) => items.iter().filter_map(|item| of_item(&item.kind)).collect(),
        _ => Vec::new(),
    }
}

fn of_task(task: &Task) -> impl Iterator<Item = TaskNews> + use<> {
    let news = |id: &String| TaskNews { id: id.clone(), context: task.context_id.clone(), state: task.state };
    task.id.as_ref().map(news).into_iter()
}

fn of_item(item: &StreamItemKind) -> Option<TaskNews> {
    let StreamItemKind::Event(event) = item else { return None };
    match event {
        StreamEvent::Task(task) => of_task(task).next(),
        StreamEvent::Status(update) => {
            Some(TaskNews { id: update.task_id.clone()?, context: update.context_id.clone(), state: update.state })
        }
        StreamEvent::Artifact(update) => {
            Some(TaskNews { id: update.task_id.clone()?, context: update.context_id.clone(), state: None })
        }
        StreamEvent::Message(_) | StreamEvent::Other(_) => None,
    }
}

impl Session {
    /// Whether any answer named a task of this id.
    pub(super) fn knows_task(&self, id: &str) -> bool {
        self.calls.iter().any(|call| call.news.iter().any(|news| news.id == id))
    }

    /// The context that answers gave a task.
    pub(super) fn context_of(&self, id: &str) -> Option<&str> {
        let all = self.calls.iter().flat_map(|call| &call.news).filter(|news| news.id == id);
        all.filter_map(|news| news.context.as_deref()).next()
    }

    /// The call whose answer had told this client that a task has finished before it made this call.
    pub(super) fn told_finished(&self, id: &str, before: &ClientCall) -> Option<&ClientCall> {
        let sent_ms = before.received.exchange.sent_ms;
        let told = |call: &&std::rc::Rc<ClientCall>| {
            call.id() < before.id()
                && call.received.exchange.end_ms <= sent_ms
                && call.received.is_client_of(&before.received)
                && call.news.iter().any(|news| news.id == id && news.state.is_some_and(TaskState::is_terminal))
        };
        self.calls.iter().find(told).map(|call| &**call)
    }
}
