//! What a session's answers said of tasks, as far as a client could know it.

use std::collections::HashMap;

use super::conversation::{ClientCall, ClientSession};
use crate::a2a::model::TaskState;

/// The tasks that answers named, by id: looked up by each message to a task, of which there may be thousands.
#[derive(Debug, Default)]
pub(super) struct KnownTasks(HashMap<String, KnownTask>);

#[derive(Debug, Default)]
struct KnownTask {
    /// The context of the first answer that gave one, with the number of its call.
    context: Option<(u32, String)>,
    /// The numbers of the calls whose answers said that it has finished, in order.
    finished: Vec<u32>,
}

impl KnownTasks {
    pub(super) fn add(&mut self, call: &ClientCall) {
        let id = call.id();
        for news in &call.news {
            let known = self.0.entry(news.id.clone()).or_default();
            if let Some(context) = &news.context
                && known.context.as_ref().is_none_or(|(first, _)| id < *first)
            {
                known.context = Some((id, context.clone()));
            }
            if news.state.is_some_and(TaskState::is_terminal)
                && let Err(place) = known.finished.binary_search(&id)
            {
                known.finished.insert(place, id);
            }
        }
    }
}

impl ClientSession {
    /// Whether any answer named a task of this id.
    pub(super) fn knows_task(&self, id: &str) -> bool {
        self.tasks.0.contains_key(id)
    }

    /// The context that answers gave a task.
    pub(super) fn context_of(&self, id: &str) -> Option<&str> {
        self.tasks.0.get(id)?.context.as_ref().map(|(_, context)| context.as_str())
    }

    /// The call whose answer had told this client that a task has finished before it made this call.
    pub(super) fn told_finished(&self, id: &str, before: &ClientCall) -> Option<&ClientCall> {
        let sent_ms = before.received.exchange.sent_ms;
        let earlier = self.tasks.0.get(id)?.finished.iter().take_while(|told| **told < before.id());
        earlier
            .filter_map(|told| self.call(*told))
            .find(|call| call.received.exchange.end_ms <= sent_ms && call.received.is_client_of(&before.received))
    }
}
