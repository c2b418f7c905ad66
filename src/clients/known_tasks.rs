//! What a session's answers said of tasks, as far as a client could know it.

use super::conversation::{ClientCall, ClientSession};

impl ClientSession {
    /// Whether any answer named a task of this id.
    pub(super) fn knows_task(&self, id: &str) -> bool {
        self.tasks.get(id).is_some()
    }

    /// The context that answers gave a task.
    pub(super) fn context_of(&self, id: &str) -> Option<&str> {
        self.tasks.get(id)?.context.as_ref().map(|(_, context)| context.as_str())
    }

    /// The call whose answer had told this client that a task has finished before it made this call.
    pub(super) fn told_finished(&self, id: &str, before: &ClientCall) -> Option<&ClientCall> {
        let sent_ms = before.received.exchange.sent_ms;
        let earlier = self.tasks.get(id)?.finished.iter().take_while(|told| **told < before.id());
        earlier
            .filter_map(|told| self.call(*told))
            .find(|call| call.received.exchange.end_ms <= sent_ms && call.received.is_client_of(&before.received))
    }
}
