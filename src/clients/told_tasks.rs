//! What a single answer says of tasks: their ids, contexts and states.

use crate::a2a::binding::{Reply, ReplyKind, StreamItemKind};
use crate::a2a::model::{Payload, Task, TaskState};

/// What an answer says of a task.
#[derive(Debug, Clone)]
pub struct TaskNews {
    pub id: String,
    pub context: Option<String>,
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
    let event = item.event()?;
    let (id, context) = (event.task_id()?.to_owned(), event.context_id().map(str::to_owned));
    Some(TaskNews { id, context, state: event.state() })
}
