//! A JSON text, written member by member: two spaces of indentation, LF, what is absent left out.

use std::fmt::Write as _;

use serde_json::Number;

use super::text::{steers, tidy_ms};

/// A text being written. An item of an array is a member without a name.
#[derive(Debug, Default)]
pub(super) struct JsonWriter {
    text: String,
    depth: usize,
    whole: bool,
}

impl JsonWriter {
    /// A text that nothing is left out of, however long it becomes.
    pub(super) fn whole() -> Self {
        Self { whole: true, ..Self::default() }
    }

    /// Whether nothing may be left out.
    pub(super) const fn is_whole(&self) -> bool {
        self.whole
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// The length of the text so far, in bytes.
    pub(super) const fn len(&self) -> usize {
        self.text.len()
    }

    /// An object with the members that `write` gives it.
    pub(super) fn object(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        self.open(name, '{');
        write(self);
        self.close('}');
    }

    /// A list of what `write` makes of each item.
    pub(super) fn list<T>(&mut self, name: &str, items: impl IntoIterator<Item = T>, write: impl Fn(&mut Self, T)) {
        self.open(name, '[');
        for item in items {
            write(self, item);
        }
        self.close(']');
    }

    /// A list of objects with the members that `write` gives each.
    pub(super) fn objects<T>(&mut self, name: &str, items: impl IntoIterator<Item = T>, write: impl Fn(&mut Self, T)) {
        self.list(name, items, |w, item| w.object("", |w| write(w, item)));
    }

    pub(super) fn texts(&mut self, name: &str, texts: impl IntoIterator<Item = impl AsRef<str>>) {
        self.list(name, texts, |w, text| w.text("", text.as_ref()));
    }

    pub(super) fn numbers(&mut self, name: &str, numbers: &[u32]) {
        self.list(name, numbers, |w, number| w.number("", *number));
    }

    fn open(&mut self, name: &str, bracket: char) {
        self.place(name);
        self.text.push(bracket);
        self.depth += 1;
    }

    fn close(&mut self, bracket: char) {
        self.depth = self.depth.saturating_sub(1);
        if !self.text.ends_with(['{', '[']) {
            self.line();
        }
        self.text.push(bracket);
    }

    pub(super) fn text(&mut self, name: &str, value: &str) {
        self.place(name);
        self.quoted(value);
    }

    /// A string, if there is one.
    pub(super) fn maybe(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    pub(super) fn text_if_any(&mut self, name: &str, value: &str) {
        self.maybe(name, Some(value).filter(|value| !value.is_empty()));
    }

    /// A string, or `null`.
    pub(super) fn or_null(&mut self, name: &str, value: Option<&str>) {
        match value {
            Some(value) => self.text(name, value),
            None => {
                self.place(name);
                self.text.push_str("null");
            }
        }
    }

    pub(super) fn number(&mut self, name: &str, value: impl Into<u64>) {
        self.place(name);
        let _ = write!(self.text, "{}", value.into());
    }

    pub(super) fn maybe_number(&mut self, name: &str, value: Option<impl Into<u64>>) {
        if let Some(value) = value {
            self.number(name, value);
        }
    }

    /// The value that formats write for an unknown number.
    pub(super) fn minus_one(&mut self, name: &str) {
        self.place(name);
        self.text.push_str("-1");
    }

    pub(super) fn size(&mut self, name: &str, value: usize) {
        self.number(name, value as u64);
    }

    /// A number with three decimals at most.
    pub(super) fn decimal(&mut self, name: &str, value: f64) {
        self.place(name);
        // Through JSON's own type, because `Display` of a double writes 12 where JSON has 12.0.
        let number = Number::from_f64(tidy_ms(value)).unwrap_or_else(|| Number::from(0));
        let _ = write!(self.text, "{number}");
    }

    pub(super) fn flag(&mut self, name: &str, value: bool) {
        self.place(name);
        self.text.push_str(if value { "true" } else { "false" });
    }

    /// Begins the next value: a comma if it is not the first, a new line, its name.
    fn place(&mut self, name: &str) {
        // Only an object or array that is still empty ends with an opening bracket; a string ends with a quotation mark.
        if !self.text.is_empty() {
            if !self.text.ends_with(['{', '[']) {
                self.text.push(',');
            }
            self.line();
        }
        if !name.is_empty() {
            self.quoted(name);
            self.text.push_str(": ");
        }
    }

    fn line(&mut self) {
        self.text.push('\n');
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
    }

    fn quoted(&mut self, value: &str) {
        // A text has no error to report.
        self.text.push_str(&harmless_json(serde_json::to_string(value).unwrap_or_default()));
    }
}

/// A JSON text that says the same and steers no terminal that shows it, nor a CI server that reads it in a log: such characters
/// stand only in strings, where an escape means the same (RFC 8259 §7).
pub(crate) fn harmless_json(json: String) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        // Line breaks stand between members, and in no string.
        if (c != '\n' && steers(c)) || (c == '#' && text.ends_with('#')) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // A text has no error to report.
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{JsonWriter, harmless_json};
    use crate::report::text::steers;

    #[test]
    fn what_would_steer_a_reader_is_escaped_and_means_the_same() {
        let all: String = (0..=0x11_0000).filter_map(char::from_u32).collect();
        let value = serde_json::json!({ "text": all, "commands": "##vso[a] ####[b] ::error::c" });
        let text = harmless_json(format!("{value:#}"));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        assert!(!text.contains(|c| c != '\n' && steers(c)) && !text.contains("##"));
    }

    #[test]
    fn the_text_is_that_of_a_pretty_printer() {
        let all: String = (0..=0x11_0000).filter_map(char::from_u32).collect();
        let mut w = JsonWriter::default();
        w.object("", |w| {
            w.text("text", &all);
            w.maybe("absent", None);
            w.text_if_any("empty", "");
            w.list("list", 0..3, |w, place| match place {
                0 => w.text("", ""),
                1 => w.number("", u64::MAX),
                _ => w.object("", |_| {}),
            });
            w.texts("nothing", [""; 0]);
            w.list("times", [0.0, 12.0, 1.5, 0.125, 1e15, 1e300, -1.0, f64::NAN], |w, ms| w.decimal("", ms));
            w.flag("true", true);
        });
        let expected = serde_json::json!({
            "text": all,
            "list": ["", u64::MAX, {}],
            "nothing": [],
            "times": [0.0, 12.0, 1.5, 0.125, 1e15, 1e300, 0.0, 0.0],
            "true": true,
        });
        assert_eq!(w.finish(), harmless_json(serde_json::to_string_pretty(&expected).unwrap()));
    }
}
