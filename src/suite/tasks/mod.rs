//! Reading and cancelling tasks, and what a finished task still allows.

crate::area! {
    /// A finished task.
    finished,
    /// A task cancelled while it runs.
    cancel,
    /// A task followed by polling.
    poll,
    /// The length of history.
    history,
}
