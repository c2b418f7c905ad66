//! The checks there are, for `checkList`.

use crate::suite;
use crate::wire::json::Value;

/// An array of `{ id, title, level }`, whose ids `only` takes.
#[must_use]
pub fn list() -> Value {
    suite::checks()
        .map(|check| {
            let members = [("id", check.id), ("title", check.title), ("level", check.level().as_str())];
            members.into_iter().map(|(name, text)| (name.to_owned(), Value::from(text))).collect::<Value>()
        })
        .collect()
}
