//! Agents that take their time in the wrong place, or end in it.

use std::thread;
use std::time::Duration;

use super::attack::Attack;
use super::attack::Place::{Calls, Card, Connection, Sends, Streams};
use super::harm::{acts, chunked_head, drip, half_close, json_head, raw, reset_after, send, stall, stream_head};

const SECOND: Duration = Duration::from_secs(1);
/// Less than the bytes of a head take, one at a time.
const SHORT: [&str; 6] = ["--answer-timeout", "1", "--event-timeout", "1", "--timeout", "4"];
const SHORT_OF_CARD: [&str; 2] = ["--reach-timeout", "1"];

/// The attacks of this family.
pub(crate) fn attacks() -> Vec<Attack> {
    [drops(), ends()].into_iter().flatten().collect()
}

fn drops() -> Vec<Attack> {
    vec![
        Attack::new("a body, a byte a second", Sends, drip(json_head(), b' ', SECOND)).with(&SHORT),
        Attack::new("a head, a byte a second", Sends, drip("HTTP/1.1 200 OK\r\nX-Slow: ", b'x', SECOND)).with(&SHORT),
        Attack::new("a stream, a byte a second", Streams, drip(stream_head(), b':', SECOND)).with(&SHORT),
        Attack::new("a card, a byte a second", Card, drip(json_head(), b' ', SECOND)).with(&SHORT_OF_CARD),
        Attack::new("a card's head, a byte a second", Card, drip("HTTP/1.1 200 OK\r\nX-Slow: ", b'x', SECOND))
            .with(&SHORT_OF_CARD),
        Attack::new("the head stops", Sends, stall("HTTP/1.1 200 OK\r\nContent-Ty")).with(&SHORT),
        Attack::new("the status line stops", Sends, stall("HTTP/1.1 2")).with(&SHORT),
        Attack::new("the body stops", Sends, stall(json_head() + "{\"jsonrpc\":")).with(&SHORT),
        Attack::new("a chunk stops", Sends, stall(chunked_head() + "400\r\n{")).with(&SHORT),
        Attack::new("the stream stops before its first event", Streams, stall(stream_head())).with(&SHORT),
        Attack::new("the stream stops in an event", Streams, stall(stream_head() + "data: {")).with(&SHORT),
        Attack::new(
            "the stream stops after an event",
            Streams,
            acts(|strike, stream| {
                send(stream, format!("{}{}", stream_head(), strike.update("")).as_bytes());
                super::harm::wait_for_end(stream);
            }),
        )
        .with(&SHORT)
        .with(&["--idle-timeout", "1"]),
        Attack::new("takes every call and says nothing", Calls, stall("")).with(&SHORT),
        Attack::new("takes every connection and says nothing", Connection, stall("")).with(&SHORT_OF_CARD),
        Attack::new("100 Continue and nothing more", Sends, stall("HTTP/1.1 100 Continue\r\n\r\n")).with(&SHORT),
        Attack::new(
            "each piece after a fifth of a second",
            Sends,
            acts(|strike, stream| {
                let (head, body) = strike.honest();
                let whole = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes();
                for piece in whole.chunks(whole.len().div_ceil(3).max(1)) {
                    thread::sleep(Duration::from_millis(200));
                    send(stream, piece);
                }
            }),
        ),
    ]
}

fn ends() -> Vec<Attack> {
    vec![
        Attack::new("closes each connection at once", Connection, raw("")),
        Attack::new("resets each connection at once", Connection, reset_after("")),
        Attack::new("closes without an answer", Sends, raw("")),
        Attack::new("closes every call without an answer", Calls, raw("")),
        Attack::new("resets without an answer", Sends, reset_after("")),
        Attack::new("resets in the head", Sends, reset_after("HTTP/1.1 200 OK\r\nContent-Ty")),
        Attack::new("resets in the body", Sends, reset_after(json_head() + "{\"jsonrpc\":")),
        Attack::new("resets in a chunk", Sends, reset_after(chunked_head() + "400\r\n{\"jsonrpc\"")),
        Attack::new("resets in a stream", Streams, reset_after(stream_head() + "data: {\"jsonrpc\":")),
        Attack::new("resets in the card", Card, reset_after(json_head() + "{\"name\":")),
        Attack::new("closes in the head", Sends, raw("HTTP/1.1 200 OK\r\nContent-Ty")),
        Attack::new("closes after the status line", Sends, raw("HTTP/1.1 200 OK\r\n")),
        Attack::new("closes one direction before the answer", Sends, half_close("")),
        Attack::new(
            "closes one direction in the body",
            Sends,
            half_close("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"jsonrpc\""),
        ),
    ]
}
