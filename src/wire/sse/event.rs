//! One event of a stream of server-sent events, as it was dispatched.

/// One event as dispatched.
///
/// `event` and `id` are those of the event's own lines; the last event id that the standard lets a client remember from
/// one event to the next is not filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The event type; `None` for the standard's default, `message`.
    pub event: Option<String>,
    /// The values of the `data` lines, joined by LF.
    pub data: String,
    /// The event id; empty where the stream asks clients to forget the last one.
    pub id: Option<String>,
    /// The reconnection time in milliseconds.
    pub retry: Option<u64>,
    /// Whether an empty line ended it. Clients differ about an event that the end of the stream cut off; the standard
    /// discards it.
    pub terminated: bool,
}

impl Frame {
    /// How many bytes of the agent's it holds.
    #[must_use]
    pub fn length(&self) -> usize {
        let others = [&self.event, &self.id].into_iter().flatten().map(String::len);
        self.data.len() + others.sum::<usize>()
    }
}

impl Default for Frame {
    /// An event of the default type with empty data, ended as it should be.
    fn default() -> Self {
        Self { event: None, data: String::new(), id: None, retry: None, terminated: true }
    }
}
