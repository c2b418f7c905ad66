//! Handshakes of TLS that break off, lie or never end, and certificates that nobody should trust.

use super::attack::Place::Connection;
use super::attack::{Attack, Target};
use super::harm::{acts, flood, raw, reset_after, send, stall};
use super::server::read;
use crate::tls_servers::{CURRENT, Ca, EXPIRED, FUTURE, Tls, self_signed};

/// A record of TLS 1.2 (RFC 8446 §5.1).
fn record(kind: u8, bytes: &[u8]) -> Vec<u8> {
    [&[kind, 3, 3], u16::try_from(bytes.len()).unwrap().to_be_bytes().as_slice(), bytes].concat()
}

/// The origin of a server with a certificate, in front of the attacker.
fn at(own: &crate::tls_servers::Issued, plain: &str) -> String {
    format!("https://localhost:{}", Tls::of(own).serve(plain))
}

/// The attacks of this family.
pub(crate) fn attacks() -> Vec<Attack> {
    let handshakes = [
        Attack::new(
            "closes at the greeting",
            Connection,
            acts(|_, stream| {
                let mut byte = [0];
                let _ = std::io::Read::read(stream, &mut byte);
            }),
        ),
        Attack::new("resets at the greeting", Connection, reset_after("")),
        Attack::new("says nothing", Connection, stall("")),
        Attack::new(
            "answers in plain HTTP",
            Connection,
            acts(|_, stream| send(stream, b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")),
        ),
        Attack::new("an alert", Connection, raw(record(21, &[2, 40]))),
        Attack::new("an alert that nobody knows", Connection, raw(record(21, &[2, 250]))),
        Attack::new("warnings for ever", Connection, flood("", record(21, &[1, 90]), 10_000_000)),
        Attack::new("records without a byte for ever", Connection, flood("", record(22, &[]), 10_000_000)),
        Attack::new("a record that is too great", Connection, flood(*b"\x16\x03\x03\xff\xff", vec![0; 65536], 1000)),
        Attack::new("a greeting of rubbish", Connection, raw(record(22, &[2, 0, 0, 4, 9, 9, 9, 9]))),
        Attack::new(
            "a greeting of 16 MB",
            Connection,
            flood(record(22, &[2, 0xff, 0xff, 0xff]), record(22, &[0; 16_000]), 2000),
        ),
        Attack::new(
            "the client's own greeting",
            Connection,
            acts(|_, stream| {
                let mut bytes = [0; 4096];
                let count = std::io::Read::read(stream, &mut bytes).unwrap_or(0);
                send(stream, &bytes[..count]);
                let _ = read(stream);
            }),
        ),
        Attack::new(
            "TLS 1.0",
            Connection,
            raw(record(22, &[&[2, 0, 0, 38, 3, 1][..], &[7; 32], &[0, 0, 0x2f, 0]].concat())),
        ),
    ];
    let refuse = |name, target| Attack::new(name, Connection, raw("")).at(Target::Given(target));
    handshakes
        .into_iter()
        .map(|attack| attack.at(Target::Https))
        .chain([
            refuse("a certificate that has expired", |plain| at(&Ca::new("CA").server(&["localhost"], EXPIRED), plain)),
            refuse("a certificate of the future", |plain| at(&Ca::new("CA").server(&["localhost"], FUTURE), plain)),
            refuse("a certificate of another host", |plain| {
                at(&Ca::new("CA").server(&["elsewhere.example"], CURRENT), plain)
            }),
            refuse("a certificate of a CA that nobody knows", |plain| {
                at(&Ca::new("Evil\u{1b}[2J CA").server(&["localhost"], CURRENT), plain)
            }),
            refuse("a certificate signed by itself", |plain| at(&self_signed(&["localhost"], false), plain)),
        ])
        .map(|attack| attack.with(&["--reach-timeout", "4"]))
        .collect()
}
