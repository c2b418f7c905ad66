//! The tolerant reader: a body to a value and everything odd about its text, in words; how deep it may nest, and how many flaws are
//! kept. `serde_json`'s own parser is not used, as it hides duplicate names and stops at what most clients would read.

use serde_json::{Map, Value};

use super::brief::clip;
use super::pointer::{Path, Pointer};
use crate::wire::limits::{MOST_FLAWS, MOST_LEVELS};
use std::fmt;

/// How many characters of the text a flaw quotes.
const QUOTED: usize = 40;

/// The result of a tolerant read of a body.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parsed {
    /// The value, when the text could be read as JSON at all.
    pub value: Option<Value>,
    /// Everything odd about the text, in its order; beyond [`MOST_FLAWS`] only what has not been seen yet.
    pub flaws: Vec<Flaw>,
}

/// One thing odd about the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The kind of the flaw.
    pub kind: FlawKind,
    /// Its offset in the body, in bytes from 0.
    pub offset: usize,
    /// The value, or the closest enclosing one, that it concerns.
    pub pointer: Pointer,
    /// Its description, in plain words.
    pub detail: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (byte {})", self.detail, self.offset)
    }
}

/// The kinds of flaws, each with what it does to the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlawKind {
    /// No text, or nothing but white space. No value.
    Empty,
    /// Bytes that are not UTF-8 (RFC 8259 §8.1). Within a string they are read as U+FFFD.
    NotUtf8,
    /// A byte order mark at the start, which RFC 8259 §8.1 forbids to send. Passed over.
    ByteOrderMark,
    /// A name that its object already has: unpredictable by RFC 8259 §4, forbidden by I-JSON (RFC 7493 §2.3). The last wins.
    DuplicateKey,
    /// Something after the end of the value. Left unread.
    TrailingText,
    /// A breach of RFC 8259's grammar. No value.
    Syntax,
    /// More than [`MOST_LEVELS`] arrays and objects in each other. No value.
    TooDeep,
    /// A number that no double can hold, which RFC 8259 §6 warns of. Read as `null`.
    NumberRange,
    /// Half of an escaped surrogate pair (RFC 8259 §8.2). Read as U+FFFD.
    LoneSurrogate,
    /// The text does not even begin as JSON: HTML, an event stream, plain text. No value.
    NotJson,
}

/// Reads a body as one JSON text (RFC 8259), going on wherever the meaning stays clear. Never fails, never panics.
///
/// Integers that fit become `i64` or `u64`, all other numbers `f64`.
#[must_use]
pub fn parse(bytes: &[u8]) -> Parsed {
    let mut reader = Reader { bytes, at: 0, flaws: Vec::new() };
    let value = reader.document().ok();
    Parsed { value, flaws: reader.flaws }
}

/// Reads a body that must be JSON without fault. The grammar allows a name that occurs again, so its last value counts.
#[must_use]
pub fn read(bytes: &[u8]) -> Option<Value> {
    let parsed = parse(bytes);
    parsed.value.filter(|_| parsed.flaws.iter().all(|flaw| flaw.kind == FlawKind::DuplicateKey))
}

/// The reading cannot go on; the reason is the last flaw.
struct Stopped;

type Read<T> = Result<T, Stopped>;

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    flaws: Vec<Flaw>,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Read<Value> {
        let root = &Path::ROOT;
        if self.rest().starts_with(b"\xef\xbb\xbf") {
            self.note(FlawKind::ByteOrderMark, 0, root, "the text starts with a byte order mark");
            self.at += 3;
        }
        self.skip_space();
        if self.peek().is_none() {
            return self.stop(FlawKind::Empty, root, "the body is empty");
        }
        if let Some(kind) = foreign(self.rest()) {
            let detail = format!("this is {kind}: it begins with {}", self.quote());
            self.note_bytes(root);
            return self.stop(FlawKind::NotJson, root, detail);
        }
        let value = self.value(root)?;
        self.skip_space();
        if self.peek().is_some() {
            let detail = format!("there is more text after the end of the value: {}", self.quote());
            self.note(FlawKind::TrailingText, self.at, root, detail);
        }
        Ok(value)
    }

    fn value(&mut self, path: &Path<'_>) -> Read<Value> {
        match self.peek() {
            Some(b'{') => self.nested(path, Self::object),
            Some(b'[') => self.nested(path, Self::array),
            Some(b'"') => self.string(path).map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(path),
            _ => {
                let word = word(self.rest());
                let value = match word {
                    b"true" => Value::Bool(true),
                    b"false" => Value::Bool(false),
                    b"null" => Value::Null,
                    _ => return self.expected("a value", path),
                };
                self.at += word.len();
                Ok(value)
            }
        }
    }

    fn nested(&mut self, path: &Path<'_>, read: fn(&mut Self, &Path<'_>) -> Read<Value>) -> Read<Value> {
        if path.depth >= MOST_LEVELS {
            return self.stop(FlawKind::TooDeep, path, format!("more than {MOST_LEVELS} nested arrays and objects"));
        }
        self.at += 1;
        self.skip_space();
        read(self, path)
    }

    fn object(&mut self, path: &Path<'_>) -> Read<Value> {
        let mut members = Map::new();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return self.expected("a member name in double quotes", path);
            }
            let name = self.string(path)?;
            self.skip_space();
            let member = path.key(&name);
            if !self.take(b':') {
                return self.expected("`:` after a member name", &member);
            }
            if members.contains_key(&name) {
                let detail = format!("the name {:?} occurs twice in its object", clip(&name, QUOTED));
                self.note(FlawKind::DuplicateKey, start, &member, detail);
            }
            self.skip_space();
            let value = self.value(&member)?;
            members.insert(name, value);
            self.skip_space();
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.take(b',') {
                return self.expected("`,` or `}`", path);
            }
            self.skip_space();
        }
    }

    fn array(&mut self, path: &Path<'_>) -> Read<Value> {
        let mut elements = Vec::new();
        if self.take(b']') {
            return Ok(Value::Array(elements));
        }
        loop {
            let value = self.value(&path.index(elements.len()))?;
            elements.push(value);
            self.skip_space();
            if self.take(b']') {
                return Ok(Value::Array(elements));
            }
            if !self.take(b',') {
                return self.expected("`,` or `]`", path);
            }
            self.skip_space();
        }
    }

    fn number(&mut self, path: &Path<'_>) -> Read<Value> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits(path)?;
        } else if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return self.expected("no more digits after a leading 0", path);
        }
        if self.take(b'.') {
            self.digits(path)?;
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'-') {
                self.take(b'+');
            }
            self.digits(path)?;
        }
        let text = self.bytes.get(start..self.at).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
        // serde_json's own reading of numbers: the library's brings tables that the page would carry twice.
        if let Ok(number) = text.parse() {
            return Ok(Value::Number(number));
        }
        let detail = format!("the number {} is too large for a double", clip(text, QUOTED));
        self.note(FlawKind::NumberRange, start, path, detail);
        Ok(Value::Null)
    }

    fn digits(&mut self, path: &Path<'_>) -> Read<()> {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return self.expected("a digit", path);
        }
        self.at += count;
        Ok(())
    }

    /// Reads a string that begins here, quotes included.
    fn string(&mut self, path: &Path<'_>) -> Read<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let plain = self.rest().iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count();
            let (bytes, _) = self.rest().split_at_checked(plain).unwrap_or_default();
            match std::str::from_utf8(bytes) {
                // Most strings have no escape, and need no room to grow.
                Ok(text) if out.is_empty() => out = text.to_owned(),
                Ok(text) => out.push_str(text),
                Err(error) => {
                    let offset = self.at + error.valid_up_to();
                    self.note(FlawKind::NotUtf8, offset, path, "a string contains bytes that are not UTF-8");
                    out.push_str(&String::from_utf8_lossy(bytes));
                }
            }
            self.at += plain;
            if self.take(b'"') {
                return Ok(out);
            }
            if self.peek() != Some(b'\\') {
                return self.expected("the rest of a string, with control characters escaped", path);
            }
            out.push(self.escape(path)?);
        }
    }

    /// Reads an escape that begins here, backslash included.
    fn escape(&mut self, path: &Path<'_>) -> Read<char> {
        let start = self.at;
        self.at += 1;
        let char = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                let Some(unit) = self.hex(0) else { return self.expected("four hexadecimal digits", path) };
                self.at += 4;
                return Ok(self.scalar(unit).unwrap_or_else(|| {
                    let detail = format!("the escape \\u{unit:04x} is half of a surrogate pair");
                    self.note(FlawKind::LoneSurrogate, start, path, detail);
                    char::REPLACEMENT_CHARACTER
                }));
            }
            _ => return self.expected("one of `\"\\/bfnrtu` after a backslash", path),
        };
        self.at += 1;
        Ok(char)
    }

    /// The character of an escaped UTF-16 unit, together with the escape behind it where the two make a pair.
    fn scalar(&mut self, unit: u16) -> Option<char> {
        let next = self.rest().starts_with(b"\\u").then(|| self.hex(2)).flatten();
        let alone = char::from_u32(unit.into());
        let pair = || char::decode_utf16([unit, next?]).next()?.ok();
        alone.or_else(|| pair().inspect(|_| self.at += 6))
    }

    /// The four hexadecimal digits that stand so many bytes further on.
    fn hex(&self, skip: usize) -> Option<u16> {
        let digits = self.rest().get(skip..skip + 4)?;
        digits.iter().try_fold(0, |unit, byte| Some(unit << 4 | u16::try_from(char::from(*byte).to_digit(16)?).ok()?))
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn skip_space(&mut self) {
        self.at += self.rest().iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
    }

    fn note(&mut self, kind: FlawKind, offset: usize, path: &Path<'_>, detail: impl Into<String>) {
        if self.flaws.len() < MOST_FLAWS || self.flaws.iter().all(|flaw| flaw.kind != kind) {
            self.flaws.push(Flaw { kind, offset, pointer: path.pointer(), detail: detail.into() });
        }
    }

    /// Notes if the text here, outside of any string, is not UTF-8.
    fn note_bytes(&mut self, path: &Path<'_>) {
        if !begins_as_utf8(self.rest()) {
            self.note(FlawKind::NotUtf8, self.at, path, "there are bytes that are not UTF-8");
        }
    }

    fn expected<T>(&mut self, what: &str, path: &Path<'_>) -> Read<T> {
        let detail = format!("expected {what}, found {}", self.quote());
        self.note_bytes(path);
        self.stop(FlawKind::Syntax, path, detail)
    }

    fn stop<T>(&mut self, kind: FlawKind, path: &Path<'_>, detail: impl Into<String>) -> Read<T> {
        self.flaws.push(Flaw { kind, offset: self.at, pointer: path.pointer(), detail: detail.into() });
        Err(Stopped)
    }

    /// The text at this place, for a message: the rest of the line, or the end.
    fn quote(&self) -> String {
        let head: Vec<u8> = self.rest().iter().take(4 * (QUOTED + 1)).copied().collect();
        let text = String::from_utf8_lossy(&head);
        match text.split_inclusive(['\r', '\n']).next() {
            Some(line) => format!("{:?}", clip(line, QUOTED)),
            None => "the end of the text".to_owned(),
        }
    }
}

/// The letters that the text begins with.
fn word(text: &[u8]) -> &[u8] {
    let end = text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    text.get(..end).unwrap_or_default()
}

/// Whether the text begins with a whole character, or has ended.
fn begins_as_utf8(text: &[u8]) -> bool {
    let head = text.get(..4).unwrap_or(text);
    std::str::from_utf8(head).map_or_else(|error| error.valid_up_to() > 0, |_| true)
}

/// The kind of a text that begins as no JSON text can; `None` if it may be JSON.
fn foreign(text: &[u8]) -> Option<&'static str> {
    let starts =
        |prefix: &str| text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()));
    let any = |prefixes: &[&str]| prefixes.iter().any(|prefix| starts(prefix));
    match text.first()? {
        b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' => None,
        _ if matches!(word(text), b"true" | b"false" | b"null") => None,
        b'<' if any(&["<!doctype html", "<html"]) => Some("an HTML page"),
        b'<' => Some("HTML or XML"),
        b':' => Some("an event stream"),
        _ if any(&["data:", "event:", "id:", "retry:"]) => Some("an event stream"),
        0..0x20 => Some("binary data"),
        _ if !begins_as_utf8(text) => Some("binary data"),
        _ => Some("plain text"),
    }
}

#[cfg(test)]
mod tests;
