//! Conversations of several messages.

crate::area! {
    /// A task that asks for input.
    multi_turn,
    /// A task that asks for an authorisation.
    auth_required,
}
