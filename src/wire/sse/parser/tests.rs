//! Tests of the parser: tables, and every way to cut a stream into chunks.

use super::*;

const RICH: &[u8] = b"\xef\xbb\xbf: hello\r\ndata: {\"a\":1}\r\n\r\nevent: up\rid: 7\rretry: 250\rdata:  two\rdata\rdata:\xe2\x82\xac\r\r\
    \nfoo: bar\nretry: soon\nid: a\0b\ndata: \xf0\x9f\x98\x80 \xf0\x9f\x98\n\n:\r\n\r\nevent: alone\n\ndata:cut \xe2\x82";

fn read(chunks: &[&[u8]], limits: Limits) -> Vec<Item> {
    let mut parser = Parser::new(limits);
    let mut items: Vec<Item> = chunks.iter().flat_map(|chunk| parser.push(chunk)).collect();
    items.extend(parser.finish());
    items
}

fn event(data: &str) -> Item {
    Item::Event(Frame { data: data.into(), ..Frame::default() })
}

#[track_caller]
fn check(stream: impl AsRef<[u8]>, expected: &[Item]) {
    let stream = stream.as_ref();
    assert_eq!(read(&[stream], Limits::default()), expected, "{}", stream.escape_ascii());
}

#[test]
fn lines_end_with_lf_crlf_or_cr() {
    for end in ["\n", "\r\n", "\r"] {
        check(["data: a", "data: b", "", "data: c", "", ""].join(end), &[event("a\nb"), event("c")]);
    }
    check("data: a\n\rdata: b\r\n\ndata: c\r\r\n", &[event("a"), event("b"), event("c")]);
}

#[test]
fn the_examples_of_the_standard_read_as_it_says() {
    check("data: YHOO\ndata: +2\ndata: 10\n\n", &[event("YHOO\n+2\n10")]);
    check(
        ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
        &[
            Item::Comment("test stream".into()),
            Item::Event(Frame { data: "first event".into(), id: Some("1".into()), ..Frame::default() }),
            Item::Event(Frame { data: "second event".into(), id: Some(String::new()), ..Frame::default() }),
            event(" third event"),
        ],
    );
    let cut = Item::Event(Frame { terminated: false, ..Frame::default() });
    check("data\n\ndata\ndata\n\ndata:", &[event(""), event("\n"), cut, Item::Odd(Oddity::Unterminated)]);
    check("data:test\n\ndata: test\n\n", &[event("test"), event("test")]);
}

#[test]
fn a_block_without_data_is_no_event_and_leaves_nothing_behind() {
    check("event: x\nid: 1\nretry: 5\n\n\n\ndata: a\n\n", &[event("a")]);
}

#[test]
fn the_last_field_of_a_name_wins_and_an_empty_type_is_the_default() {
    let frame = Frame { event: Some("b".into()), id: Some("2".into()), ..Frame::default() };
    check("event: a\nid: 1\nevent: b\nid: 2\ndata\n\n", &[Item::Event(frame)]);
    check("event: a\nevent:\ndata\n\n", &[event("")]);
}

#[test]
fn retry_takes_digits_only() {
    let frame = Frame { retry: Some(10), ..Frame::default() };
    check("retry: 010\ndata\n\n", &[Item::Event(frame)]);
    for bad in ["", "+1", "-1", "1.5", "1 ", "\u{661}", "99999999999999999999999"] {
        check(format!("retry: {bad}\ndata\n\n"), &[Item::Odd(Oddity::BadRetry(bad.into())), event("")]);
    }
}

#[test]
fn names_are_exact_and_unknown_ones_are_ignored() {
    for name in ["Data", " data", "data ", "{\"a\""] {
        let long = format!("{name}{}", "x".repeat(100));
        // A part of a secret could not be masked any more.
        let cut = long.chars().take(BEGINNING).chain(['…']).collect();
        check(format!("{name}: 1\ndata\n\n"), &[Item::Odd(Oddity::UnknownField(name.into())), event("")]);
        check(format!("{long}\ndata\n\n"), &[Item::Odd(Oddity::UnknownField(cut)), event("")]);
    }
}

#[test]
fn one_byte_order_mark_at_the_very_start_is_stripped() {
    check("\u{feff}data: a\n\n", &[Item::Odd(Oddity::ByteOrderMark), event("a")]);
    let second = Item::Odd(Oddity::UnknownField("\u{feff}data".into()));
    check("\u{feff}\u{feff}data: a\n\n", &[Item::Odd(Oddity::ByteOrderMark), second]);
    check("\u{feff}", &[Item::Odd(Oddity::ByteOrderMark)]);
}

#[test]
fn bytes_that_are_no_utf8_are_replaced_and_told_once() {
    check(
        b"data: a\xff\xe2\x82\n\n: \xc0\n",
        &[Item::Odd(Oddity::InvalidUtf8), event("a\u{fffd}\u{fffd}"), Item::Comment("\u{fffd}".into())],
    );
    // A replacement character that the agent wrote itself is its own.
    check("data: \u{fffd}\n\n", &[event("\u{fffd}")]);
}

#[test]
fn an_event_at_the_end_of_the_stream_is_handed_out_as_unterminated() {
    let cut = Item::Event(Frame { data: "a".into(), terminated: false, ..Frame::default() });
    for stream in ["data: a", "data: a\n", "data: a\r\n"] {
        check(stream, &[cut.clone(), Item::Odd(Oddity::Unterminated)]);
    }
    check("id: 1", &[Item::Odd(Oddity::Unterminated)]);
    check("data: a\n\n: bye\n", &[event("a"), Item::Comment("bye".into())]);
    check("data: a\r", &[cut, Item::Odd(Oddity::Unterminated)]);
    check("data: a\n\r", &[event("a")]);
    check("", &[]);
}

#[test]
fn a_long_line_is_skipped_and_takes_its_event_along() {
    let limits = Limits { line: 10, event: 100 };
    let long = Item::Odd(Oddity::LineTooLong { limit: 10 });
    let read = |stream: &str| read(&[stream.as_bytes()], limits);
    assert_eq!(read("data: 3456\n\n"), [event("3456")]);
    assert_eq!(read("data: 1\ndata: 34567\ndata: 2\n\ndata: ok\n\n"), [long.clone(), event("ok")]);
    assert_eq!(read(":2345678901\ndata: ok\n\n"), [long.clone(), event("ok")]);
    assert_eq!(read("data: 34567\n\ndata: 34567\n\n"), [long.clone(), long.clone()]);
    assert_eq!(read("data: 34567"), [long, Item::Odd(Oddity::Unterminated)]);
}

#[test]
fn a_large_event_is_dropped_and_told_once() {
    let limits = Limits { line: 100, event: 5 };
    let large = Item::Odd(Oddity::EventTooLarge { limit: 5 });
    let read = |stream: &str| read(&[stream.as_bytes()], limits);
    assert_eq!(read("data: ab\ndata: cd\n\n"), [event("ab\ncd")]);
    assert_eq!(read("data: ab\ndata: cde\ndata: f\n\ndata: ok\n\n"), [large.clone(), event("ok")]);
    assert_eq!(read("data: 123456\n\n"), [large]);
}

#[test]
fn oddities_are_bounded_but_violations_are_always_told() {
    let mut stream: String = (0..1000).map(|n| format!("x{n}\n")).collect();
    stream.push_str("data: a");
    let mut bytes = stream.into_bytes();
    bytes.push(0xff);
    let items = read(&[&bytes], Limits::default());
    let unknown = items.iter().filter(|item| matches!(item, Item::Odd(Oddity::UnknownField(_)))).count();
    assert_eq!(unknown, MOST_ODDITIES);
    assert!(items.contains(&Item::Odd(Oddity::InvalidUtf8)) && items.contains(&Item::Odd(Oddity::Unterminated)));
}

#[test]
fn chunks_may_be_cut_anywhere() {
    for limits in [Limits::default(), Limits { line: 12, event: 3 }] {
        let whole = read(&[RICH], limits);
        for at in 0..=RICH.len() {
            let (head, tail) = RICH.split_at(at);
            assert_eq!(read(&[head, tail], limits), whole, "cut at {at}");
        }
        let bytes: Vec<&[u8]> = RICH.chunks(1).collect();
        assert_eq!(read(&bytes, limits), whole);
    }
}

#[test]
fn chunks_may_be_cut_twice_anywhere() {
    let short = b"\xef\xbb\xbfdata:\xe2\x82\xac\r\n\r\n:x\rdata\r\rid:1\n\ndata: \xf0\x9f";
    let whole = read(&[short], Limits::default());
    for first in 0..=short.len() {
        for second in first..=short.len() {
            let chunks = [&short[..first], &short[first..second], &short[second..]];
            assert_eq!(read(&chunks, Limits::default()), whole, "cut at {first} and {second}");
        }
    }
}

#[test]
fn the_rich_sample_reads_as_expected() {
    let items = read(&[RICH], Limits::default());
    assert_eq!(
        items,
        [
            Item::Odd(Oddity::ByteOrderMark),
            Item::Comment("hello".into()),
            event("{\"a\":1}"),
            Item::Event(Frame {
                event: Some("up".into()),
                data: " two\n\n€".into(),
                id: Some("7".into()),
                retry: Some(250),
                terminated: true,
            }),
            Item::Odd(Oddity::UnknownField("foo".into())),
            Item::Odd(Oddity::BadRetry("soon".into())),
            Item::Odd(Oddity::NulInId),
            Item::Odd(Oddity::InvalidUtf8),
            event("😀 \u{fffd}"),
            Item::Comment(String::new()),
            Item::Event(Frame { data: "cut \u{fffd}".into(), terminated: false, ..Frame::default() }),
            Item::Odd(Oddity::Unterminated),
        ]
    );
}

#[test]
fn an_event_is_handed_out_with_the_cr_of_its_empty_line() {
    let mut parser = Parser::new(Limits::default());
    assert_eq!(parser.push(b"data: a\r\n\r"), [event("a")]);
    assert_eq!(parser.push(b"\ndata: b\r\n"), []);
    assert_eq!(parser.push(b"\r"), [event("b")]);
}

#[test]
fn memory_stays_bounded_whatever_comes() {
    let limits = Limits::default();
    let held = |parser: &Parser| {
        parser.line.capacity() + parser.block.data.as_ref().map_or(0, String::capacity) + parser.items.capacity()
    };
    let bound = 2 * (limits.line + limits.event);
    // A line of 50 MB, and the same in lines that never make an event.
    let line = vec![b'x'; 1 << 16];
    let mut data = b"data:".to_vec();
    data.extend(&line);
    data.push(b'\n');
    for (chunk, expected) in
        [(line, Oddity::LineTooLong { limit: limits.line }), (data, Oddity::EventTooLarge { limit: limits.event })]
    {
        let mut parser = Parser::new(limits);
        let mut items = Vec::new();
        for _ in 0..800 {
            items.extend(parser.push(&chunk));
            assert!(held(&parser) <= bound, "{} bytes", held(&parser));
        }
        assert_eq!(items, [Item::Odd(expected)]);
        assert_eq!(parser.push(b"\n\ndata: on\n\n"), [event("on")]);
    }
    // One chunk that is larger than any limit.
    let mut parser = Parser::new(limits);
    parser.push(&vec![b'x'; 50 << 20]);
    assert!(held(&parser) <= bound);
}

#[test]
fn all_that_an_event_has_of_the_agents_counts() {
    let frame = Frame { event: Some("ab".into()), data: "cde".into(), id: Some("f".into()), ..Frame::default() };
    assert_eq!(frame.length(), 6);
}
