//! An artifact with one file as several updates, each of which appends some bytes: `chunkBytes` of an event.

use serde_json::Value;

use super::declared_turn::EventContent;
use super::json_values::{elements, set, set_text, text};
use crate::wire::base64::{STANDARD, decode_any};

/// The updates; the error says why the event cannot be cut.
pub(super) fn chunks_of(content: EventContent, length: usize) -> Result<Vec<EventContent>, &'static str> {
    let EventContent::Artifact(update) = content else { return Err("is for artifact updates") };
    let parts = update.get("artifact").and_then(|artifact| artifact.get("parts")).and_then(Value::as_array);
    let [part] = parts.map(Vec::as_slice).unwrap_or_default() else { return Err("needs an artifact with one part") };
    let Some(bytes) = decode_any(text(part, "raw")).filter(|bytes| !bytes.is_empty()) else {
        return Err("needs an artifact with the bytes of a file");
    };
    let count = bytes.len().div_ceil(length);
    let chunk = |(index, bytes): (usize, &[u8])| {
        let mut update = update.clone();
        if index > 0 {
            set(&mut update, "append", true.into());
        }
        let is_last = index + 1 == count;
        set(&mut update, "lastChunk", is_last.then_some(true).into());
        if let Some(artifact) = update.get_mut("artifact") {
            for part in elements(artifact, "parts") {
                set_text(part, "raw", &STANDARD.encode(bytes));
            }
        }
        EventContent::Artifact(update)
    };
    Ok(bytes.chunks(length).enumerate().map(chunk).collect())
}
