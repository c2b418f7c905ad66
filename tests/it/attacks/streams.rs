//! Streams of events that are broken, endless or not streams (the HTML standard, "server-sent events").

use std::thread;
use std::time::Duration;

use super::attack::Attack;
use super::attack::Place::Streams;
use super::bodies::gzip;
use super::harm::{Harm, Strike, acts, body, events_for, flood, framed, ok, raw, send, stream_head};
use super::server::EVENTS;

/// The attacks of this family.
pub(crate) fn attacks() -> Vec<Attack> {
    [endless(), spellings(), codings(), contents(), not_streams()].into_iter().flatten().collect()
}

/// Events, each made for the request, until nobody reads any more.
fn for_ever(event: fn(&Strike<'_>, usize) -> String, pause: Duration) -> Harm {
    acts(move |strike, stream| {
        use std::io::Write;
        send(stream, stream_head().as_bytes());
        for number in 0..10_000_000 {
            if stream.write_all(event(strike, number).as_bytes()).is_err() {
                return;
            }
            thread::sleep(pause);
        }
    })
}

/// The agent's own stream in another spelling.
fn respelled(change: fn(&str) -> Vec<u8>) -> Harm {
    acts(move |strike, stream| {
        let (head, text) = strike.honest();
        send(stream, format!("{head}\r\n\r\n").as_bytes());
        // Errors are not streams.
        if head.contains(EVENTS) { send(stream, &change(&text)) } else { send(stream, text.as_bytes()) }
    })
}

const NO_PAUSE: Duration = Duration::ZERO;

fn endless() -> Vec<Attack> {
    vec![
        Attack::new("a line that never ends", Streams, flood(stream_head() + "data: ", vec![b'x'; 65536], 32_768)),
        Attack::new("a comment that never ends", Streams, flood(stream_head() + ":", vec![b' '; 65536], 32_768)),
        Attack::new("a field name that never ends", Streams, flood(stream_head(), vec![b'n'; 65536], 32_768)),
        Attack::new("comments that never end", Streams, flood(stream_head(), *b": still here\n\n", 50_000_000)),
        Attack::new("an event that never ends", Streams, flood(stream_head(), *b"data: {\n", 50_000_000)),
        Attack::new("empty events that never end", Streams, flood(stream_head(), *b"data:\n\n", 50_000_000)),
        Attack::new("100,000 tiny events", Streams, flood(stream_head(), *b"data: {}\n\n", 100_000)),
        Attack::new("empty lines that never end", Streams, flood(stream_head(), *b"\n", 500_000_000)).heavy(),
        Attack::new("the same update for ever", Streams, for_ever(|strike, _| strike.update(""), NO_PAUSE)),
        Attack::new(
            "events that each have 900 KB",
            Streams,
            for_ever(
                |strike, _| strike.update(&format!(",\"metadata\":{{\"x\":\"{}\"}}", "y".repeat(900_000))),
                NO_PAUSE,
            ),
        ),
        Attack::new(
            "a sign of life every tenth of a second and no event",
            Streams,
            for_ever(|_, _| ": ping\n\n".to_owned(), Duration::from_millis(100)),
        )
        .with(&["--event-timeout", "2"]),
        Attack::new(
            "an update every tenth of a second for ever",
            Streams,
            for_ever(|strike, _| strike.update(""), Duration::from_millis(100)),
        )
        .with(&["--timeout", "5"]),
        Attack::new(
            "ids that grow without an end",
            Streams,
            for_ever(|_, number| format!("id: {}\n\n", "9".repeat(number.min(100_000))), NO_PAUSE),
        ),
    ]
}

fn spellings() -> Vec<Attack> {
    vec![
        Attack::new(
            "every byte by itself",
            Streams,
            acts(|strike, stream| {
                use std::io::Write;
                let (head, text) = strike.honest();
                send(stream, format!("{head}\r\n\r\n").as_bytes());
                let _ = stream.set_nodelay(true);
                let _ = text.as_bytes().chunks(1).try_for_each(|byte| stream.write_all(byte));
            }),
        ),
        Attack::new("carriage returns alone", Streams, respelled(|text| text.replace('\n', "\r").into_bytes())),
        Attack::new("both line ends", Streams, respelled(|text| text.replace('\n', "\r\n").into_bytes())),
        Attack::new("a byte order mark", Streams, respelled(|text| format!("\u{feff}{text}").into_bytes())),
        Attack::new("two byte order marks", Streams, respelled(|text| format!("\u{feff}\u{feff}{text}").into_bytes())),
        Attack::new(
            "no space after the colon",
            Streams,
            respelled(|text| text.replace("data: ", "data:").into_bytes()),
        ),
        Attack::new(
            "each event over several lines",
            Streams,
            respelled(|text| text.replace(",\"", ",\ndata: \"").into_bytes()),
        ),
        Attack::new("the last event is not closed", Streams, respelled(|text| text.trim_end().as_bytes().to_vec())),
        Attack::new(
            "a time to reconnect of 10^400",
            Streams,
            respelled(|text| format!("retry: 1{}\n\n{text}", "0".repeat(400)).into_bytes()),
        ),
        Attack::new(
            "a negative time to reconnect",
            Streams,
            respelled(|text| format!("retry: -1\n\n{text}").into_bytes()),
        ),
        Attack::new("an id with NUL", Streams, respelled(|text| format!("id: a\0b\n{text}").into_bytes())),
        Attack::new(
            "an id of 900 KB",
            Streams,
            respelled(|text| format!("id: {}\n{text}", "i".repeat(900_000)).into_bytes()),
        ),
        Attack::new(
            "names of events",
            Streams,
            respelled(|text| text.replace("data: ", "event: error\ndata: ").into_bytes()),
        ),
        Attack::new(
            "a line separator of Unicode",
            Streams,
            respelled(|text| format!(": \u{2028}\n\n{text}").into_bytes()),
        ),
        Attack::new(
            "100,000 unknown fields",
            Streams,
            respelled(|text| format!("{}{text}", "x: y\n".repeat(100_000)).into_bytes()),
        ),
    ]
}

/// A stream of packed events (RFC 9110 §8.4).
fn packed(strike: &Strike<'_>, stream: &mut std::net::TcpStream) {
    let (head, text) = strike.honest();
    send(stream, format!("{head}\r\nContent-Encoding: gzip\r\n\r\n").as_bytes());
    send(stream, &gzip(text.as_bytes()));
}

fn codings() -> Vec<Attack> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {EVENTS}\r\nContent-Encoding: gzip\r\n\r\n");
    vec![
        Attack::new("packed events", Streams, acts(packed)),
        Attack::new(
            "packed comments without an end",
            Streams,
            flood(head.clone(), gzip(&b": still here\n\n".repeat(70_000)), 1_000_000),
        ),
        Attack::new(
            "a packed event without an end",
            Streams,
            flood(head + "", gzip(&[b"data: ".as_slice(), &[b'x'; 1 << 20]].concat()), 1_000_000),
        ),
        Attack::new("a time to reconnect of nothing, and the end", Streams, raw(stream_head() + "retry: 0\nid: 1\n\n")),
        Attack::new(
            "two documents in an event",
            Streams,
            respelled(|text| {
                let twice = |line: &str| match line.strip_prefix("data: ") {
                    Some(data) => format!("{line}{data}\n"),
                    None => format!("{line}\n"),
                };
                text.lines().map(twice).collect::<String>().into_bytes()
            }),
        ),
    ]
}

fn contents() -> Vec<Attack> {
    vec![
        Attack::new(
            "events after the end of the task",
            Streams,
            acts(|strike, stream| {
                let (head, text) = strike.honest();
                let more = if head.contains(EVENTS) { strike.update("") } else { String::new() };
                send(stream, format!("{head}\r\n\r\n{text}{more}").as_bytes());
            }),
        ),
        Attack::new(
            "bytes in an event that are not UTF-8",
            Streams,
            events_for(|_| b"data: {\"a\":\"\xff\xfe\"}\n\n".to_vec()),
        ),
        Attack::new("an event of null", Streams, events_for(|_| b"data: null\n\n".to_vec())),
        Attack::new(
            "an event of 200 levels",
            Streams,
            events_for(|_| format!("data: {}{}\n\n", "[".repeat(200), "]".repeat(200)).into_bytes()),
        ),
        Attack::new(
            "an event of 1,000,000 levels",
            Streams,
            events_for(|_| format!("data: {}{}\n\n", "[".repeat(500_000), "]".repeat(500_000)).into_bytes()),
        ),
        Attack::new("an event that is not JSON", Streams, events_for(|_| b"data: [DONE]\n\n".to_vec())),
        Attack::new("no event at all", Streams, events_for(|_| Vec::new())),
        Attack::new("comments and no event", Streams, events_for(|_| b": one\n\n: two\n\n".to_vec())),
        Attack::new(
            "events of another binding",
            Streams,
            events_for(|strike| {
                let update = "{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}";
                let other = match strike.asked.id() {
                    Some(_) => update.to_owned(),
                    None => format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{update}}}"),
                };
                format!("data: {other}\n\n").into_bytes()
            }),
        ),
        Attack::new(
            "each event of another task",
            Streams,
            events_for(|strike| {
                (0..50)
                    .map(|number| strike.update("").replace("\"t\"", &format!("\"t{number}\"")))
                    .collect::<String>()
                    .into_bytes()
            }),
        ),
        Attack::new(
            "an event cut short",
            Streams,
            acts(|strike, stream| {
                let (head, text) = strike.honest();
                send(stream, format!("{head}\r\n\r\n{}", &text[..text.len() * 2 / 3]).as_bytes());
            }),
        ),
    ]
}

fn not_streams() -> Vec<Attack> {
    vec![
        Attack::new("an empty document", Streams, body("{}")),
        Attack::new("a page", Streams, raw(ok("text/html", b"<html></html>"))),
        Attack::new(
            "the agent's stream with the media type of JSON",
            Streams,
            framed(|_, text| ok("application/json", text.as_bytes())),
        ),
        Attack::new(
            "a stream in a body of 2 bytes",
            Streams,
            raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 2\r\n\r\nda"),
        ),
        Attack::new(
            "a stream on a status of 500",
            Streams,
            raw("HTTP/1.1 500 Oh\r\nContent-Type: text/event-stream\r\n\r\ndata: {}\n\n"),
        ),
        Attack::new(
            "a stream without a body",
            Streams,
            raw("HTTP/1.1 204 No Content\r\nContent-Type: text/event-stream\r\n\r\n"),
        ),
    ]
}
