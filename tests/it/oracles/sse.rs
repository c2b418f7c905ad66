//! The parser of event streams against the crate `eventsource-stream`.
//!
//! Ours tells what it ignored, keeps what the end of the stream cut off, and reads on behind bytes that are not UTF-8. The
//! crate stops at those, panics at a byte order mark, waits for one more byte behind a CR, takes a sign in `retry`, and
//! remembers ids from event to event; each property says what it makes even.

use std::time::Duration;

use a2a_conformance::wire::sse::{Frame, Item, Limits, Oddity, Parser, write};
use eventsource_stream::{Event, EventStream};
use futures_util::{FutureExt, StreamExt, stream};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::config;

/// The bytes cut into chunks, some of them empty.
fn chunks(bytes: &[u8], cuts: &[Index]) -> Vec<Vec<u8>> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).chain([0, bytes.len()]).collect();
    places.sort_unstable();
    places.windows(2).map(|pair| bytes[pair[0]..pair[1]].to_vec()).collect()
}

fn read(chunks: &[Vec<u8>]) -> Vec<Item> {
    let mut parser = Parser::new(Limits::default());
    let mut items: Vec<Item> = chunks.iter().flat_map(|chunk| parser.push(chunk)).collect();
    items.extend(parser.finish());
    items
}

fn frames(items: &[Item]) -> Vec<&Frame> {
    items.iter().filter_map(|item| if let Item::Event(frame) = item { Some(frame) } else { None }).collect()
}

/// The events that the crate reads from text in chunks. A comment is added to the text, which ends no event, so that the
/// crate reads a CR at the end.
fn expected(text: &str, cuts: &[Index]) -> Vec<Event> {
    let mut chunks = chunks(text.as_bytes(), cuts);
    chunks.push(b":\n".to_vec());
    let chunks = stream::iter(chunks.into_iter().map(Ok::<_, ()>));
    let events = EventStream::new(chunks).collect::<Vec<_>>().now_or_never().expect("all chunks are there");
    events.into_iter().map(|event| event.expect("text")).collect()
}

/// A line without its end: fields, near misses of fields, comments.
fn line() -> impl Strategy<Value = String> {
    let name = select(vec!["data", "event", "id", "retry", "", "Data", " data", "dat", "foo", "\u{feff}data"]);
    let between = select(vec![":", ": ", ":  ", "", "::", " :"]);
    let value = prop_oneof![
        "[a-c:{}\" ]{0,6}",
        "[0-9]{1,3}",
        "-?[0-9a]{0,22}",
        Just("a\0b".to_owned()),
        "[é€😀\u{feff}\u{2028}\u{85}\u{b}]{0,3}",
    ];
    prop_oneof![
        4 => (name, between, value).prop_map(|(name, between, value)| format!("{name}{between}{value}")),
        2 => Just(String::new()),
        1 => "[^\r\n]{0,8}",
    ]
}

/// The text of a stream whose lines end in every way, the last one maybe not at all.
fn text() -> impl Strategy<Value = String> {
    let end = select(vec!["\n", "\r", "\r\n"]);
    (prop::collection::vec((line(), end), 0..16), any::<bool>()).prop_map(|(lines, cut)| {
        let mut text: String = lines.iter().map(|(line, end)| format!("{line}{end}")).collect();
        if cut {
            text.pop();
        }
        text.trim_start_matches('\u{feff}').to_owned()
    })
}

fn cuts() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 0..8)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn events_are_those_of_the_crate_however_the_stream_is_cut(text in text(), ours in cuts(), theirs in cuts()) {
        let items = read(&chunks(text.as_bytes(), &ours));
        let whole: Vec<&Frame> = frames(&items).into_iter().filter(|frame| frame.terminated).collect();
        let expected = expected(&text, &theirs);
        prop_assert_eq!(whole.len(), expected.len());
        for (frame, event) in whole.into_iter().zip(&expected) {
            prop_assert_eq!(&frame.data, &event.data);
            prop_assert_eq!(frame.event.as_deref().unwrap_or("message"), &event.event);
            prop_assert_eq!(frame.retry.map(Duration::from_millis), event.retry);
            // Ours has only the id of the event's own lines.
            if let Some(id) = &frame.id {
                prop_assert_eq!(id, &event.id);
            }
        }
    }

    #[test]
    fn an_id_is_remembered_as_the_crate_does_by_who_folds_them(
        events in prop::collection::vec((prop::option::of("[a-c]{0,2}"), "[a-c\n]{0,4}"), 0..8), cuts in cuts(),
    ) {
        let sent = events.into_iter().map(|(id, data)| Frame { id, data, ..Frame::default() });
        let text: String = sent.map(|frame| write(&frame)).collect();
        let items = read(&chunks(text.as_bytes(), &cuts));
        let mut last = String::new();
        let folded: Vec<String> = frames(&items).into_iter().map(|frame| {
            if let Some(id) = &frame.id {
                last.clone_from(id);
            }
            last.clone()
        }).collect();
        let expected: Vec<String> = expected(&text, &cuts).into_iter().map(|event| event.id).collect();
        prop_assert_eq!(folded, expected);
    }

    #[test]
    fn one_byte_order_mark_makes_no_difference_but_is_told(text in text(), cuts in cuts()) {
        let marked = format!("\u{feff}{text}");
        let items = read(&chunks(marked.as_bytes(), &cuts));
        prop_assert_eq!(&items[0], &Item::Odd(Oddity::ByteOrderMark));
        prop_assert_eq!(&items[1..], read(&[text.into_bytes()]));
    }

    #[test]
    fn bytes_that_are_no_utf8_read_as_the_standard_decodes_them_and_are_told(
        text in text(), put in prop::collection::vec((any::<Index>(), 0x80_u8..), 1..4), cuts in cuts(),
    ) {
        let mut bytes = text.into_bytes();
        for (at, byte) in put {
            bytes.insert(at.index(bytes.len() + 1), byte);
        }
        prop_assume!(!bytes.starts_with(b"\xef\xbb\xbf"));
        let told = Item::Odd(Oddity::InvalidUtf8);
        let (odd, rest): (Vec<Item>, Vec<Item>) =
            read(&chunks(&bytes, &cuts)).into_iter().partition(|item| *item == told);
        prop_assert_eq!(odd.len(), usize::from(std::str::from_utf8(&bytes).is_err()));
        prop_assert_eq!(rest, read(&[String::from_utf8_lossy(&bytes).into_owned().into_bytes()]));
    }

    #[test]
    fn any_bytes_read_the_same_in_any_chunks(bytes: Vec<u8>, cuts in cuts()) {
        prop_assert_eq!(read(&chunks(&bytes, &cuts)), read(&[bytes]));
    }

    #[test]
    fn every_line_of_data_is_in_an_event_though_the_stream_is_cut_anywhere(text in text(), at: Index, ours in cuts()) {
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).chain([text.len()]).collect();
        let text = &text[..places[at.index(places.len())]];
        let items = read(&chunks(text.as_bytes(), &ours));
        let sent = text.split(['\r', '\n']).filter_map(|line| match line.split_once(':') {
            Some(("data", value)) => Some(value.strip_prefix(' ').unwrap_or(value)),
            None if line == "data" => Some(""),
            _ => None,
        });
        let held: Vec<&str> = frames(&items).into_iter().flat_map(|frame| frame.data.split('\n')).collect();
        prop_assert_eq!(held, sent.collect::<Vec<_>>());
    }
}

#[test]
fn retry_takes_digits_only_while_the_crate_takes_a_sign() {
    let text = "retry: +5\ndata\n\n";
    assert_eq!(expected(text, &[])[0].retry, Some(Duration::from_millis(5)));
    let event = Item::Event(Frame::default());
    assert_eq!(read(&[text.into()]), [Item::Odd(Oddity::BadRetry("+5".into())), event]);
}
