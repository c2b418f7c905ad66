//! Functions that the readers of cards share, whatever the version.

use crate::a2a::cursor::Cursor;

pub(super) fn strings(cursor: &Cursor<'_>, name: &str) -> Vec<String> {
    cursor.member(name).map_or_else(Vec::new, |list| {
        list.elements().filter_map(|element| element.value.as_str().map(str::to_owned)).collect()
    })
}

/// Whether some credential is needed. Any one of the alternatives suffices, and an empty one means that nothing is needed
/// (1.0 §4.4.1; 0.3 §5.5).
pub(super) fn requires_auth(card: &Cursor<'_>) -> bool {
    card.member("securityRequirements").or_else(|| card.member("security")).is_some_and(|list| {
        list.value.as_array().is_some_and(|alternatives| {
            !alternatives.is_empty()
                && alternatives.iter().all(|alternative| {
                    let schemes = alternative.get("schemes").unwrap_or(alternative);
                    schemes.as_object().is_some_and(|map| !map.is_empty())
                })
        })
    })
}
