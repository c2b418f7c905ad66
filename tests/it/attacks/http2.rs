//! Frames of HTTP/2 that lie, and messages of gRPC in them (RFC 9113; gRPC over HTTP/2).

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use super::attack::Place::Connection;
use super::attack::{Attack, Target};
use super::harm::{Harm, acts, raw, send, stall, wait_for_end};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A field as HPACK writes it without its tables (RFC 7541 §6.2.2).
fn field(name: &str, value: &str) -> Vec<u8> {
    let short = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    [vec![0], short(name), short(value)].concat()
}

/// The head of an answer of gRPC: `:status` 200 is in the table (RFC 7541, Appendix A).
fn head(stream: u32) -> Vec<u8> {
    frame(HEADERS, END_HEADERS, stream, &[vec![0x88], field("content-type", "application/grpc")].concat())
}

fn trailers(stream: u32, status: &str) -> Vec<u8> {
    frame(HEADERS, END_HEADERS | END_STREAM, stream, &field("grpc-status", status))
}

/// A message of gRPC with its flag and the length that it claims.
fn message(flag: u8, length: u32, bytes: &[u8]) -> Vec<u8> {
    [&[flag], length.to_be_bytes().as_slice(), bytes].concat()
}

/// Reads a call, and answers with these frames; whatever is asked on the connection is the same.
fn frames(answer: impl Fn(u32) -> Vec<u8> + Send + Sync + 'static) -> Harm {
    after_call(move |stream, id| send(stream, &answer(id)))
}

/// The same, and then another frame without an end.
fn frames_for_ever(first: fn(u32) -> Vec<u8>, again: fn(u32) -> Vec<u8>) -> Harm {
    after_call(move |stream, id| {
        send(stream, &first(id));
        let many = again(id).repeat(100);
        while stream.write_all(&many).is_ok() {}
    })
}

fn after_call(act: impl Fn(&mut TcpStream, u32) + Send + Sync + 'static) -> Harm {
    acts(move |_, stream| {
        let Some(id) = read_call(stream) else { return };
        // Who sends much is not stopped by what nobody reads.
        if let Ok(mut reader) = stream.try_clone() {
            thread::spawn(move || wait_for_end(&mut reader));
        }
        act(stream, id);
        thread::sleep(Duration::from_secs(4));
    })
}

/// Reads up to the head of the first request. Returns its stream.
fn read_call(stream: &mut TcpStream) -> Option<u32> {
    stream.read_exact(&mut [0; 24]).ok()?;
    stream.write_all(&frame(SETTINGS, 0, 0, &[])).ok()?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).ok()?;
        let [a, b, c, kind, flags, id @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        stream.read_exact(&mut payload).ok()?;
        match kind {
            SETTINGS if flags & 1 == 0 => stream.write_all(&frame(SETTINGS, 1, 0, &[])).ok()?,
            HEADERS => return Some(u32::from_be_bytes(id)),
            _ => {}
        }
    }
}

/// The attacks of this family. They strike an endpoint of gRPC that is given without a card.
pub(crate) fn attacks() -> Vec<Attack> {
    let all = connections().into_iter().chain(calls()).chain(messages());
    all.map(|attack| attack.at(Target::Grpc).with(&["--timeout", "4", "--answer-timeout", "2", "--event-timeout", "2"]))
        .collect()
}

fn connections() -> Vec<Attack> {
    vec![
        Attack::new("closes at once", Connection, raw("")),
        Attack::new("says nothing", Connection, stall("")),
        Attack::new("answers in HTTP/1.1", Connection, raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")),
        Attack::new(
            "settings for ever",
            Connection,
            frames_for_ever(|_| Vec::new(), |_| frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 1])),
        ),
        Attack::new("pings for ever", Connection, frames_for_ever(|_| Vec::new(), |_| frame(PING, 0, 0, &[7; 8]))),
        Attack::new("empty frames for ever", Connection, frames_for_ever(head, |id| frame(DATA, 0, id, &[]))),
        Attack::new(
            "frames of no known kind for ever",
            Connection,
            frames_for_ever(|_| Vec::new(), |id| frame(0xee, 0, id, &[0; 100])),
        ),
        Attack::new(
            "a frame of 16 MB",
            Connection,
            frames(|id| [&[0xff, 0xff, 0xff, DATA, 0][..], &id.to_be_bytes(), &[0; 100_000]].concat()),
        ),
        Attack::new("a settings frame that is too short", Connection, frames(|_| frame(SETTINGS, 0, 0, &[0]))),
        Attack::new(
            "a window beyond its limit",
            Connection,
            frames(|_| frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0xff, 0xff, 0xff]).repeat(2)),
        ),
        Attack::new("a window that opens by nothing", Connection, frames(|id| frame(WINDOW_UPDATE, 0, id, &[0; 4]))),
        Attack::new("goes away", Connection, frames(|_| frame(GOAWAY, 0, 0, &[0, 0, 0, 0, 0, 0, 0, 2]))),
        Attack::new("a stream that nobody opened", Connection, frames(|_| head(4711))),
    ]
}

fn calls() -> Vec<Attack> {
    vec![
        Attack::new("resets every call", Connection, frames(|id| frame(RST_STREAM, 0, id, &[0, 0, 0, 2]))),
        Attack::new("refuses every call", Connection, frames(|id| frame(RST_STREAM, 0, id, &[0, 0, 0, 7]))),
        Attack::new(
            "a head that goes on for ever",
            Connection,
            frames_for_ever(
                |id| frame(HEADERS, 0, id, &[0x88]),
                |id| frame(CONTINUATION, 0, id, &[field("x", "y"), field("z", "again")].concat()),
            ),
        ),
        Attack::new(
            "a head that goes on with nothing for ever",
            Connection,
            frames_for_ever(|id| frame(HEADERS, 0, id, &[0x88]), |id| frame(CONTINUATION, 0, id, &[])),
        ),
        Attack::new(
            "a head that unpacks to 100 MB",
            Connection,
            frames(|id| {
                // One long field into the table, and then by its number again and again (RFC 7541 §6.1).
                let long = [&[0x40, 1, b'x', 0x7f, 0x81, 0x1e][..], &[b'y'; 4000]].concat();
                let first = frame(HEADERS, 0, id, &[vec![0x88], long].concat());
                let again = frame(CONTINUATION, 0, id, &[0xbe; 16_000]);
                [first, again.clone(), again, frame(CONTINUATION, END_HEADERS, id, &[])].concat()
            }),
        ),
        Attack::new(
            "a field of a number that is in no table",
            Connection,
            frames(|id| frame(HEADERS, END_HEADERS, id, &[0xfe])),
        ),
        Attack::new(
            "a head without a status",
            Connection,
            frames(|id| frame(HEADERS, END_HEADERS, id, &field("content-type", "application/grpc"))),
        ),
        Attack::new(
            "a field in capitals",
            Connection,
            frames(|id| frame(HEADERS, END_HEADERS, id, &[vec![0x88], field("X-Capital", "1")].concat())),
        ),
    ]
}

fn messages() -> Vec<Attack> {
    let with = |name, bytes: Vec<u8>| {
        Attack::new(
            name,
            Connection,
            frames(move |id| [head(id), frame(DATA, 0, id, &bytes), trailers(id, "0")].concat()),
        )
    };
    vec![
        with("a message of 4 GB", message(0, u32::MAX, b"abc")),
        with("a message that is compressed without saying how", message(1, 3, b"abc")),
        with("a message with a flag that nobody knows", message(0x7f, 3, b"abc")),
        with("a message that is not protobuf", message(0, 3, &[0xff, 0xff, 0xff])),
        with("a message with a field of 2 GB", message(0, 6, &[0x0a, 0xff, 0xff, 0xff, 0xff, 0x07])),
        with("a message of groups within groups", message(0, 16_000, &[0x0b; 16_000])),
        with("half a message", message(0, 100, b"abc")),
        with("an empty message", message(0, 0, b"")),
        with("1,000 messages for one call", message(0, 0, b"").repeat(1000)),
        Attack::new(
            "messages without an end",
            Connection,
            frames_for_ever(head, |id| frame(DATA, 0, id, &message(0, 0, b""))),
        ),
        Attack::new(
            "a status that is not a number",
            Connection,
            frames(|id| [head(id), trailers(id, "-1e9")].concat()),
        ),
        Attack::new("a status of 4711", Connection, frames(|id| [head(id), trailers(id, "4711")].concat())),
        Attack::new(
            "no status",
            Connection,
            frames(|id| [head(id), frame(DATA, END_STREAM, id, &message(0, 0, b""))].concat()),
        ),
    ]
}
