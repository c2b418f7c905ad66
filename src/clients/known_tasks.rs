//! What a session's answers said of tasks, as far as a client could know it.

use super::conversation::{ClientCall, ClientSession};
use crate::a2a::model::TaskState;

impl ClientSession {
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
        let told = |call: &&ClientCall| {
            call.id() < before.id()
                && call.received.exchange.end_ms <= sent_ms
                && call.received.is_client_of(&before.received)
                && call.news.iter().any(|news| news.id == id && news.state.is_some_and(TaskState::is_terminal))
        };
        self.calls.iter().find(told)
    }
}
