//! The words of the file that have no other place: its writer and its reader share them.

use crate::engine::check::Category;
use crate::engine::event::Completion;

/// The version of this shape.
pub(super) const SCHEMA_VERSION: u64 = 1;

/// The categories by the names of their members.
pub(super) const CATEGORIES: [(&str, Category); 5] = [
    ("agentCard", Category::AgentCard),
    ("lifecycle", Category::Lifecycle),
    ("streaming", Category::Streaming),
    ("errorHandling", Category::ErrorHandling),
    ("interop", Category::Interop),
];

/// The word for how a run ended.
#[must_use]
pub const fn completion_word(completion: Option<&Completion>) -> &'static str {
    match completion {
        None => "running",
        Some(Completion::Complete) => "complete",
        Some(Completion::Filtered) => "filtered",
        Some(Completion::CardOnly) => "card-only",
        Some(Completion::EndpointOnly) => "endpoint-only",
        Some(Completion::Written) => "written-tests",
        Some(Completion::Pair) => "pair",
        Some(Completion::Watched) => "watched-client",
        Some(Completion::Stopped) => "stopped",
        Some(Completion::Incomplete(_)) => "incomplete",
    }
}
