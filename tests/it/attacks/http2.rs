//! Frames of HTTP/2 that lie, and messages of gRPC in them (RFC 9113; gRPC over HTTP/2).

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use super::attack::Place::Connection;
use super::attack::{Attack, Target};
use super::bodies::gzip;
use super::harm::{Harm, acts, raw, send, stall, wait_for_end};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
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
    told(stream, &[("grpc-status", status)])
}

/// The end of a call with these fields.
fn told(stream: u32, fields: &[(&str, &str)]) -> Vec<u8> {
    let fields: Vec<u8> = fields.iter().flat_map(|(name, value)| field(name, value)).collect();
    frame(HEADERS, END_HEADERS | END_STREAM, stream, &fields)
}

/// A message of gRPC with its flag and the length that it claims.
fn message(flag: u8, length: u32, bytes: &[u8]) -> Vec<u8> {
    [&[flag], length.to_be_bytes().as_slice(), bytes].concat()
}

/// A field of Protocol Buffers that has a length.
fn bytes(number: u8, bytes: &[u8]) -> Vec<u8> {
    let (mut length, mut head) = (bytes.len(), vec![number << 3 | 2]);
    while length > 0x7f {
        head.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    head.push(u8::try_from(length).unwrap());
    [&head, bytes].concat()
}

/// A number of Protocol Buffers, of a field's number and value.
fn number(number: u8, value: i64) -> Vec<u8> {
    let (mut value, mut all) = (value.cast_unsigned(), vec![number << 3]);
    while value > 0x7f {
        all.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
        value >>= 7;
    }
    all.push(u8::try_from(value).unwrap());
    all
}

fn timestamp(seconds: i64, nanoseconds: i64) -> Vec<u8> {
    [number(1, seconds), number(2, nanoseconds)].concat()
}

/// A response to SendMessage with a task, with this in its status: the value of a field of that number, or bytes as they are.
fn of_task(numbers: &[u8], value: &[u8]) -> Vec<u8> {
    let value = numbers.iter().fold(value.to_vec(), |value, number| bytes(*number, &value));
    task(&bytes(3, &[number(1, 3), value].concat()))
}

/// The same with a member of the task's metadata.
fn of_metadata(value: &[u8]) -> Vec<u8> {
    let member = [bytes(1, b"x"), bytes(2, value)].concat();
    task(&[bytes(3, &number(1, 3)), bytes(6, &bytes(1, &member))].concat())
}

fn task(more: &[u8]) -> Vec<u8> {
    let task = bytes(1, &[bytes(1, b"t"), bytes(2, b"c"), more.to_vec()].concat());
    message(0, u32::try_from(task.len()).unwrap(), &task)
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
        Attack::new(
            "a sentence with a terminal's commands",
            Connection,
            frames(|id| {
                [head(id), told(id, &[("grpc-status", "5"), ("grpc-message", "%1b[2J%9b31m%0d%0a::error::x%zz%00%ff")])]
                    .concat()
            }),
        ),
        Attack::new(
            "details that are no base64",
            Connection,
            frames(|id| [head(id), told(id, &[("grpc-status", "5"), ("grpc-status-details-bin", "!!!=")])].concat()),
        ),
        Attack::new(
            "two statuses",
            Connection,
            frames(|id| {
                let message = frame(DATA, 0, id, &message(0, 0, b""));
                [head(id), message, told(id, &[("grpc-status", "0"), ("grpc-status", "5")])].concat()
            }),
        ),
        Attack::new(
            "a packed message of 64 MB",
            Connection,
            frames(|id| {
                let head =
                    [vec![0x88], field("content-type", "application/grpc"), field("grpc-encoding", "gzip")].concat();
                let packed = gzip(&[0; 1 << 20]).repeat(64);
                let packed = message(1, u32::try_from(packed.len()).unwrap(), &packed);
                let data = packed.chunks(16_000).flat_map(|piece| frame(DATA, 0, id, piece)).collect();
                [frame(HEADERS, END_HEADERS, id, &head), data, trailers(id, "0")].concat()
            }),
        ),
        Attack::new(
            "promises what nobody asked for",
            Connection,
            frames(|id| frame(PUSH_PROMISE, END_HEADERS, id, &[&[0, 0, 0, 2][..], &[0x82, 0x86, 0x84]].concat())),
        ),
        with("a time of 2^63 seconds", of_task(&[3], &timestamp(i64::MAX, -1))),
        with("a time before all times", of_task(&[3], &timestamp(i64::MIN, i64::from(i32::MAX)))),
        with("a number that JSON does not have", of_metadata(&[&[0x11][..], &f64::NAN.to_le_bytes()].concat())),
        with(
            "a value of 2,000 levels",
            of_metadata(&(0..2_000).fold(vec![0x20, 1], |value, _| bytes(6, &bytes(1, &value)))),
        ),
        with("a text that is not UTF-8", of_metadata(&bytes(3, &[0xff, 0xfe, 0xc0, 0x80]))),
        with("a state of 2^31 - 1", of_task(&[], &[0x08, 0xff, 0xff, 0xff, 0xff, 0x07])),
        Attack::new("a status of 4711", Connection, frames(|id| [head(id), trailers(id, "4711")].concat())),
        Attack::new(
            "no status",
            Connection,
            frames(|id| [head(id), frame(DATA, END_STREAM, id, &message(0, 0, b""))].concat()),
        ),
    ]
}
