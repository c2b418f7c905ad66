//! The fault `latin1-body`: a body with one byte that is not UTF-8. Texts hold a mark in its place until they become bytes.

use serde_json::Value;

use super::json_values::elements;
use super::shape::{Shape, walk};

/// Marks where the byte goes. A private-use character, so that hardly any user's text has it.
const MARK: char = '\u{f8e9}';

/// Adds a word with the mark to a text member.
pub(super) fn mark_text(object: &mut Value, name: &str) {
    if let Some(Value::String(text)) = object.get_mut(name) {
        text.push_str(" (caf");
        text.push(MARK);
        text.push(')');
    }
}

/// Marks the texts of messages and artifacts.
pub(super) fn mark_texts(value: &mut Value, shape: Shape) {
    walk(value, shape, &mut |shape, object| {
        let holder = match shape {
            Shape::Artifact => Some(object),
            Shape::Status | Shape::Wrapper => object.get_mut("message"),
            _ => None,
        };
        if let Some(holder) = holder {
            elements(holder, "parts").iter_mut().for_each(|part| mark_text(part, "text"));
        }
    });
}

/// The bytes of a text, with `é` in Latin-1 for every mark.
pub(super) fn encode(text: &str) -> Vec<u8> {
    let pieces: Vec<_> = text.split(MARK).map(str::as_bytes).collect();
    pieces.join(&0xE9)
}
