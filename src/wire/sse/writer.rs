//! The writer: an event to the text of its lines.

use super::event::Frame;
use std::fmt::Write as _;

/// How lines end; the standard allows all three, and a stream may mix them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Newline {
    /// LF.
    Lf,
    /// CR and LF.
    CrLf,
    /// CR.
    Cr,
}

impl Newline {
    /// The characters themselves.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

/// The lines of an event, with the empty line behind them if it is `terminated`.
///
/// Data of several lines becomes several `data` lines. The format has no escapes: any line end in the data reads back as
/// LF, and one in the type or the id is written as a space, so that no text can smuggle in a field.
#[must_use]
pub fn write(frame: &Frame, newline: Newline) -> String {
    let end = newline.as_str();
    let mut out = String::new();
    let mut field = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{name}: {value}{end}");
    };
    if let Some(event) = &frame.event {
        field("event", &event.replace(['\r', '\n'], " "));
    }
    if let Some(id) = &frame.id {
        field("id", &id.replace(['\r', '\n'], " "));
    }
    if let Some(retry) = frame.retry {
        field("retry", &retry.to_string());
    }
    for line in frame.data.replace("\r\n", "\n").split(['\r', '\n']) {
        field("data", line);
    }
    if frame.terminated {
        out.push_str(end);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::sse::{Item, Limits, Oddity, Parser};

    const NEWLINES: [Newline; 3] = [Newline::Lf, Newline::CrLf, Newline::Cr];

    fn read(text: &str) -> Vec<Item> {
        let mut parser = Parser::new(Limits::default());
        let mut items = parser.push(text.as_bytes());
        items.extend(parser.finish());
        items
    }

    #[test]
    fn what_is_written_reads_back_with_every_newline() {
        let frames = [
            Frame::default(),
            Frame { data: "{\"a\": \"€ 😀\"}".into(), ..Frame::default() },
            Frame { data: "\n two\n\n lines \n".into(), id: Some(String::new()), ..Frame::default() },
            Frame {
                event: Some("a: b".into()),
                data: "data: x".into(),
                id: Some(" 1".into()),
                retry: Some(u64::MAX),
                terminated: true,
            },
        ];
        for newline in NEWLINES {
            let text: String = frames.iter().map(|frame| write(frame, newline)).collect();
            let expected: Vec<Item> = frames.iter().cloned().map(Item::Event).collect();
            assert_eq!(read(&text), expected, "{newline:?}");
        }
    }

    #[test]
    fn the_lines_stand_in_a_fixed_order() {
        let frame = Frame {
            event: Some("up".into()),
            data: "a\nb".into(),
            id: Some("1".into()),
            retry: Some(5),
            terminated: true,
        };
        assert_eq!(write(&frame, Newline::Lf), "event: up\nid: 1\nretry: 5\ndata: a\ndata: b\n\n");
        assert_eq!(write(&Frame::default(), Newline::CrLf), "data: \r\n\r\n");
    }

    #[test]
    fn an_unterminated_frame_lacks_its_empty_line() {
        let frame = Frame { data: "a".into(), terminated: false, ..Frame::default() };
        for newline in NEWLINES {
            assert_eq!(read(&write(&frame, newline)), [Item::Event(frame.clone()), Item::Odd(Oddity::Unterminated)]);
        }
    }

    #[test]
    fn line_ends_within_a_value_cannot_start_a_field() {
        let frame = Frame {
            event: Some("a\ndata: x".into()),
            data: "1\r2\r\n3\n4".into(),
            id: Some("b\r\rc".into()),
            ..Frame::default()
        };
        for newline in NEWLINES {
            let expected = Frame {
                event: Some("a data: x".into()),
                data: "1\n2\n3\n4".into(),
                id: Some("b  c".into()),
                ..Frame::default()
            };
            assert_eq!(read(&write(&frame, newline)), [Item::Event(expected)]);
        }
    }
}
