//! The writer of server-sent events: an event to the text of its lines.

use super::event::Frame;
use std::fmt::Write as _;

/// The lines of an event, each ended by LF, with the empty line behind them if it is `terminated`.
///
/// Data of several lines becomes several `data` lines. The format has no escapes: any line end in the data reads back as
/// LF, and one in the type or the id is written as a space, so that no text can smuggle in a field.
#[must_use]
pub fn write(frame: &Frame) -> String {
    let mut out = String::new();
    let mut field = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{name}: {value}");
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
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::sse::{Item, Limits, Oddity, Parser};

    const NEWLINES: [&str; 3] = ["\n", "\r\n", "\r"];

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
            let text: String = frames.iter().map(write).collect();
            let text = text.replace('\n', newline);
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
        assert_eq!(write(&frame), "event: up\nid: 1\nretry: 5\ndata: a\ndata: b\n\n");
        assert_eq!(write(&Frame::default()), "data: \n\n");
    }

    #[test]
    fn an_unterminated_frame_lacks_its_empty_line() {
        let frame = Frame { data: "a".into(), terminated: false, ..Frame::default() };
        for newline in NEWLINES {
            let text = write(&frame).replace('\n', newline);
            assert_eq!(read(&text), [Item::Event(frame.clone()), Item::Odd(Oddity::Unterminated)]);
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
            let text = write(&frame).replace('\n', newline);
            assert_eq!(read(&text), [Item::Event(expected)]);
        }
    }
}
