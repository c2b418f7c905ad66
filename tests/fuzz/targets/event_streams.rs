//! The parser of event streams: the same items however a stream is cut, within its limits, and what is written reads back.

use a2a_conformance::wire::sse::{Frame, Item, Limits, Oddity, Parser, write};

use super::input::{Input, chunks};

/// The first bytes say how the others are cut, and how narrow the limits are.
pub(crate) fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let seed = input.number(2);
    let limits = match input.byte() {
        0..200 => Limits::default(),
        narrow => Limits { line: usize::from(narrow - 200), event: usize::from(narrow) },
    };
    let bytes = input.rest();
    let whole = read([bytes].into_iter(), limits);
    assert_eq!(whole, read(chunks(bytes, seed).into_iter(), limits), "cut otherwise");
    let mut oddities = 0;
    for item in &whole {
        match item {
            Item::Event(frame) => {
                assert!(frame.data.len() <= 3 * limits.event, "an event of {} bytes", frame.data.len());
                let again = read([write(frame).as_bytes()].into_iter(), Limits::default());
                let oddity = (!frame.terminated).then_some(Item::Odd(Oddity::Unterminated));
                let read: Vec<Item> = [Item::Event(frame.clone())].into_iter().chain(oddity).collect();
                // An empty type is the default one, and a type or id with a line end is not of a stream.
                assert_eq!(again, read, "written and read again");
            }
            Item::Comment(text) => assert!(text.len() <= 3 * limits.line),
            Item::Odd(Oddity::LineTooLong { .. } | Oddity::EventTooLarge { .. }) => {}
            Item::Odd(_) => oddities += 1,
        }
    }
    assert!(oddities <= 66, "{oddities} oddities");
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.contains('\r')
    {
        let default = Limits::default();
        let expected = read([bytes].into_iter(), default);
        for newline in ["\r\n", "\r"] {
            assert_eq!(read([text.replace('\n', newline).as_bytes()].into_iter(), default), expected, "{newline:?}");
        }
    }
}

fn read<'a>(chunks: impl Iterator<Item = &'a [u8]>, limits: Limits) -> Vec<Item> {
    let mut parser = Parser::new(limits);
    let mut items: Vec<Item> = chunks.flat_map(|chunk| parser.push(chunk)).collect();
    items.extend(parser.finish());
    items
}

/// Streams of every kind of line.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let frame = Frame {
        event: Some("update".to_owned()),
        data: "{\n  \"a\": 1\n}".to_owned(),
        id: Some("7".to_owned()),
        retry: Some(100),
        terminated: true,
    };
    [
        write(&frame),
        write(&frame).replace('\n', "\r\n"),
        write(&frame).replace('\n', "\r"),
        "\u{feff}: hello\n\ndata\ndata:\n\nid: a\0b\nretry: -1\nfoo: x\ndata: \u{20ac}\n".to_owned(),
    ]
    .into_iter()
    .map(|text| [&[0, 7, 0], text.as_bytes()].concat())
    .collect()
}
