//! The incremental parser: bytes in any chunks to events, comments and oddities, within limits (those of a run:
//! `engine/session/memory.rs`).

use super::event::Frame;
use super::framing::Oddity;
use crate::wire::limits::MOST_ODDITIES;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How many characters an oddity quotes of an agent's text, which may hold what somebody else has to mask.
const QUOTED: usize = 64;

/// How many of a longer text: too few to tell what a secret goes on with that is cut, and that nobody would know again.
const BEGINNING: usize = 8;

/// The most that the parser holds, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest line, without its end.
    pub line: usize,
    /// The longest data of one event.
    pub event: usize,
}

impl Default for Limits {
    /// Lines of 1 MiB, events of 4 MiB.
    fn default() -> Self {
        Self { line: 1 << 20, event: 4 << 20 }
    }
}

/// A piece of the stream, in the stream's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// An event.
    Event(Frame),
    /// A comment line without its colon and one space; mostly a keep-alive.
    Comment(String),
    /// Something worth telling the agent's author.
    Odd(Oddity),
}

/// Reads an event stream in chunks, however they were cut: within a line end or a UTF-8 sequence, too.
///
/// The same bytes give the same items in any chunks. An event is handed out with the first byte of its empty line's end.
/// Each oddity is told once a stream, save those that cost an event or a line: they are told each time.
#[derive(Debug)]
pub struct Parser {
    limits: Limits,
    /// The line being read, never longer than its limit.
    line: Vec<u8>,
    /// The line being read outgrew its limit: its rest is skipped.
    skipping: bool,
    /// The last byte was a CR, so that an LF belongs to it.
    after_cr: bool,
    /// No line has ended yet, so that a byte order mark may stand before this one.
    first_line: bool,
    block: Block,
    told: Vec<Oddity>,
    items: Vec<Item>,
}

/// The lines since the last empty one: an event in the making.
#[derive(Debug, Default)]
struct Block {
    /// Its `data` lines so far, joined; `None` when there was none, and nothing to dispatch.
    data: Option<String>,
    event: Option<String>,
    id: Option<String>,
    retry: Option<u64>,
    /// It has a field line, be it one that is ignored.
    begun: bool,
    /// Part of it was too large to keep, so none of it is kept: `data` stays `None`.
    spoilt: bool,
}

impl Block {
    fn spoil(&mut self) {
        *self = Self { begun: true, spoilt: true, ..Self::default() };
    }

    fn into_frame(self, terminated: bool) -> Option<Frame> {
        // The standard appends an LF with each `data` line and dispatches unless the buffer is empty:
        // one empty `data` line makes an event, no such line makes none.
        let data = self.data?;
        Some(Frame { event: self.event, data, id: self.id, retry: self.retry, terminated })
    }
}

impl Parser {
    /// A parser at the start of a stream.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            line: Vec::new(),
            skipping: false,
            after_cr: false,
            first_line: true,
            block: Block::default(),
            told: Vec::new(),
            items: Vec::new(),
        }
    }

    /// Reads the next bytes and gives what they completed.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Item> {
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\r' | b'\n')) {
            let after_cr = std::mem::take(&mut self.after_cr);
            match piece.split_last() {
                Some((b'\n', [])) if after_cr => {}
                Some((end @ (b'\r' | b'\n'), rest)) => {
                    self.extend_line(rest);
                    self.after_cr = *end == b'\r';
                    self.end_line();
                }
                _ => self.extend_line(piece),
            }
        }
        std::mem::take(&mut self.items)
    }

    /// Ends the stream: an event still open is handed out, not terminated, and told as [`Oddity::Unterminated`].
    ///
    /// This is for a stream that ended by itself. A caller that hangs up drops the parser instead, as the agent is not to blame.
    #[must_use]
    pub fn finish(mut self) -> Vec<Item> {
        if !self.line.is_empty() {
            self.end_line();
        }
        let block = std::mem::take(&mut self.block);
        let begun = block.begun;
        self.items.extend(block.into_frame(false).map(Item::Event));
        if begun {
            self.note_oddity(Oddity::Unterminated);
        }
        self.items
    }

    fn extend_line(&mut self, bytes: &[u8]) {
        if self.skipping {
            return;
        }
        if self.line.len() + bytes.len() <= self.limits.line {
            self.line.extend_from_slice(bytes);
            return;
        }
        if self.line.first().or(bytes.first()) != Some(&b':') {
            self.block.spoil();
        }
        self.line.clear();
        self.skipping = true;
        self.note_oddity(Oddity::LineTooLong { limit: self.limits.line });
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        let first = std::mem::replace(&mut self.first_line, false);
        if !std::mem::take(&mut self.skipping) {
            match line.strip_prefix(BYTE_ORDER_MARK).filter(|_| first) {
                Some(line) => {
                    self.note_oddity(Oddity::ByteOrderMark);
                    self.read_line(line);
                }
                None => self.read_line(&line),
            }
        }
        line.clear();
        self.line = line;
    }

    fn read_line(&mut self, line: &[u8]) {
        if line.is_empty() {
            let block = std::mem::take(&mut self.block);
            self.items.extend(block.into_frame(true).map(Item::Event));
            return;
        }
        // Line ends and colons are never part of a longer sequence, valid or not, so that decoding a line at a time gives
        // what the standard gets by decoding the whole stream first.
        let text = String::from_utf8_lossy(line);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            self.note_oddity(Oddity::InvalidUtf8);
        }
        let (name, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        if name.is_empty() {
            self.items.push(Item::Comment(value.to_owned()));
        } else {
            self.read_field(name, value);
        }
    }

    fn read_field(&mut self, name: &str, value: &str) {
        self.block.begun = true;
        match name {
            "data" => self.read_data(value),
            // An empty type is the default one.
            "event" => self.block.event = Some(value.to_owned()).filter(|value| !value.is_empty()),
            "id" if value.contains('\0') => self.note_oddity(Oddity::NulInId),
            "id" => self.block.id = Some(value.to_owned()),
            "retry" => match value.parse() {
                // `parse` takes a sign, the standard only digits.
                Ok(retry) if value.bytes().all(|byte| byte.is_ascii_digit()) => self.block.retry = Some(retry),
                _ => self.note_oddity(Oddity::BadRetry(quote(value))),
            },
            _ => self.note_oddity(Oddity::UnknownField(quote(name))),
        }
    }

    fn read_data(&mut self, value: &str) {
        if self.block.spoilt {
            return;
        }
        let held = self.block.data.as_ref().map_or(0, |data| data.len() + 1);
        if held + value.len() > self.limits.event {
            self.block.spoil();
            self.note_oddity(Oddity::EventTooLarge { limit: self.limits.event });
        } else if let Some(data) = &mut self.block.data {
            data.push('\n');
            data.push_str(value);
        } else {
            self.block.data = Some(value.to_owned());
        }
    }

    fn note_oddity(&mut self, oddity: Oddity) {
        if !matches!(oddity, Oddity::LineTooLong { .. } | Oddity::EventTooLarge { .. }) {
            if self.told.contains(&oddity) || (self.told.len() >= MOST_ODDITIES && !oddity.is_violation()) {
                return;
            }
            self.told.push(oddity.clone());
        }
        self.items.push(Item::Odd(oddity));
    }
}

fn quote(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some(_) => text.chars().take(BEGINNING).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
