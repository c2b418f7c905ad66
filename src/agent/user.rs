//! The users whom the variant `two-users` tells apart.

/// The user who calls, or who owns a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum User {
    /// Whoever has the first token; every caller of an agent that does not know two.
    #[default]
    First,
    /// Whoever has the second token.
    Second,
}
