//! A value in a few words, for a message: its first characters on one line.

use std::io;

use serde_json::Value;

/// The JSON type of a value, as a message names it: `an object`, `a string`, `null`.
#[must_use]
pub const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The value on one line, for a message: its first `n` characters, and `…` where there were more.
///
/// The cost depends on `n`, not on the value.
#[must_use]
pub fn brief(value: &Value, n: usize) -> String {
    let mut head = BoundedWriter { bytes: Vec::new(), room: n.saturating_add(1).saturating_mul(4) };
    // The only error is that the head is full.
    let _ = serde_json::to_writer(&mut head, value);
    clip(&String::from_utf8_lossy(&head.bytes), n)
}

/// The first `n` characters of a text, and `…` where there were more.
#[must_use]
pub fn clip(text: &str, n: usize) -> String {
    match text.char_indices().nth(n) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned() + "…",
        None => text.to_owned(),
    }
}

/// Takes bytes until it is full, then refuses them to stop whoever writes. A character has at most four bytes.
struct BoundedWriter {
    bytes: Vec<u8>,
    room: usize,
}

impl io::Write for BoundedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.room.saturating_sub(self.bytes.len());
        self.bytes.extend(bytes.iter().take(room));
        Ok(bytes.len().min(room))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_type_has_a_name() {
        let values = json!([null, true, 1, "", [], {}]);
        let names: Vec<_> = values.as_array().unwrap().iter().map(type_name).collect();
        assert_eq!(names, ["null", "a boolean", "a number", "a string", "an array", "an object"]);
    }

    #[test]
    fn brief_cuts_between_characters() {
        let value = json!({"a": "€😀b"});
        let whole = r#"{"a":"€😀b"}"#;
        for n in 0..whole.chars().count() {
            let head: String = whole.chars().take(n).collect();
            assert_eq!(brief(&value, n), head + "…");
        }
        assert_eq!(brief(&value, whole.chars().count()), whole);
        assert_eq!(brief(&value, usize::MAX), whole);
    }

    #[test]
    fn brief_stops_writing_when_it_has_enough() {
        let value = Value::from("😀".repeat(1 << 20));
        assert_eq!(brief(&value, 3), "\"😀😀…");
    }
}
