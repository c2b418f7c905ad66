//! What an answer says of tasks: their ids, contexts and states.

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
