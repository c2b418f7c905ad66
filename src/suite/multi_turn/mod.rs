//! Conversations of several messages.

crate::area! {
    /// A task that asks for input.
    multi_turn,
}
