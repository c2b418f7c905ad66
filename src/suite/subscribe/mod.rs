//! Streams of a task that runs already.

crate::area! {
    /// Hang up, come back, listen to the end.
    subscribe,
}
