//! Where two readings of one task differ.

use crate::wire::json::{Value, ValueDifference, diff};

/// The first place where two readings differ, apart from the ids of messages: a server that keeps none may make them anew
/// whenever it answers (T-HIST-6).
pub(super) fn first_difference(before: &Value, after: &Value) -> Option<ValueDifference> {
    diff(before, after).into_iter().find(|change| !change.pointer.as_str().ends_with("/messageId"))
}
