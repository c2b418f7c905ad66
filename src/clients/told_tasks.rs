//! What answers say of tasks: their ids, contexts and states.

use std::collections::HashMap;

use crate::a2a::binding::{Reply, ReplyKind, StreamItemKind};
use crate::a2a::model::{Payload, Task, TaskState};

/// What an answer says of a task.
#[derive(Debug, Clone)]
pub struct TaskNews {
    pub id: String,
    pub context: Option<String>,
    pub state: Option<TaskState>,
}

/// What all answers said of tasks, by the tasks' ids: looked up by each message to a task, of which there may be thousands.
#[derive(Debug, Default)]
pub(super) struct AnsweredTasks(HashMap<String, ToldTask>);

#[derive(Debug, Default)]
pub(super) struct ToldTask {
    /// The context of the first answer that gave one, with the number of its call.
    pub(super) context: Option<(u32, String)>,
    /// The numbers of the calls whose answers said that it has finished, in order.
    pub(super) finished: Vec<u32>,
}

impl AnsweredTasks {
    /// Adds what the answer of a call said.
    pub(super) fn add(&mut self, call: u32, all: &[TaskNews]) {
        for news in all {
            let known = self.0.entry(news.id.clone()).or_default();
            if let Some(context) = &news.context
                && known.context.as_ref().is_none_or(|(first, _)| call < *first)
            {
                known.context = Some((call, context.clone()));
            }
            if news.state.is_some_and(TaskState::is_terminal)
                && let Err(place) = known.finished.binary_search(&call)
            {
                known.finished.insert(place, call);
            }
        }
    }

    /// The task of this id, if any answer named it.
    pub(super) fn get(&self, id: &str) -> Option<&ToldTask> {
        self.0.get(id)
    }
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
