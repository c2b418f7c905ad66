//! Where two readings of one task or message differ, and the words for it.

use crate::a2a::comparable_task::Member;
use crate::wire::json::{Value, ValueDifference, diff};

/// The members that one check compares.
pub(super) const CONTENT: &[Member] = &[Member::Content];

/// The members that another compares.
pub(super) const ABOUT: &[Member] = &[Member::About, Member::AboutPart];

/// So many places in words, and how many more there are.
pub(super) fn named(mut places: Vec<String>, most: usize) -> String {
    let rest = places.len().saturating_sub(most);
    let rest = if rest == 0 { String::new() } else { format!(", and {rest} more") };
    places.truncate(most);
    format!("{}{rest}", places.join(", "))
}

/// The first place where two readings differ, apart from the ids of messages: a server that keeps none may make them anew
/// whenever it answers (T-HIST-6).
pub(super) fn first_difference(before: &Value, after: &Value) -> Option<ValueDifference> {
    diff(before, after).into_iter().find(|change| !change.pointer.as_str().ends_with("/messageId"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::first_difference;

    #[test]
    fn ids_of_messages_that_were_made_anew_are_no_difference() {
        let task =
            |message: &str, text: &str| json!({ "history": [{ "messageId": message, "parts": [{ "text": text }] }] });
        assert_eq!(first_difference(&task("1", "a"), &task("2", "a")), None);
        let found = first_difference(&task("1", "a"), &task("2", "b")).map(|found| found.pointer.as_str().to_owned());
        assert_eq!(found.as_deref(), Some("/history/0/parts/0/text"));
    }
}
