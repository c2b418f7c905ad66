//! The users whom the variant `two-users` tells apart.

/// The user who calls, or who owns a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum User {
    /// The user with the first token; every caller of an agent that does not know two.
    #[default]
    First,
    /// The user with the second token.
    Second,
}
