//! Handshakes of TLS that break off, lie or never end, certificates that nobody should trust, and servers with one that is trusted
//! which break off or flood what is inside.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;

use rustls::{ServerConfig, ServerConnection, Stream};

use super::attack::Place::{Connection, Sends};
use super::attack::{Attack, Target};
use super::harm::{acts, changed, flood, raw, reset_after, send, stall};
use super::server::{accept, honest, read};
use crate::tls_servers::{CURRENT, Ca, EXPIRED, FUTURE, Issued, Tls, self_signed};

/// The CA that issued the certificate of `localhost` beside it.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tls/root.pem");

/// A record of TLS 1.2 (RFC 8446 §5.1).
fn record(kind: u8, bytes: &[u8]) -> Vec<u8> {
    [&[kind, 3, 3], u16::try_from(bytes.len()).unwrap().to_be_bytes().as_slice(), bytes].concat()
}

/// The origin of a server with a certificate, in front of the attacker.
fn at(own: &Issued, plain: &str) -> String {
    format!("https://localhost:{}", Tls::of(own).serve(plain))
}

/// The inside of a connection over TLS.
type Inside<'a> = Stream<'a, ServerConnection, TcpStream>;

/// The origin of a server with a certificate that is trusted, in front of the attacker: how it answers messages, given what the agent
/// does, the head without its framing and the body.
fn inside(
    plain: &str,
    shape: fn(&mut ServerConfig),
    act: fn(&mut Inside<'_>, &str, &str) -> std::io::Result<()>,
) -> String {
    let [cert, key] = [include_str!("../tls/localhost.pem"), include_str!("../tls/localhost.key")].map(str::to_owned);
    let mut config = Tls { protocols: &["http/1.1"], ..Tls::of(&Issued { cert, key }) }.config();
    shape(&mut config);
    let (config, plain) = (Arc::new(config), plain.trim_start_matches("http://").to_owned());
    let origin = accept(usize::MAX, move |_, mut socket, own| {
        let mut tls = ServerConnection::new(Arc::clone(&config)).map_err(std::io::Error::other)?;
        let mut stream = Stream::new(&mut tls, &mut socket);
        let asked = read(&mut stream)?;
        let (head, body) = honest(&asked, own, &plain);
        let named = own.replace("127.0.0.1", "localhost");
        let body = body.replace(&format!("http://{own}"), &format!("https://{named}"));
        let head = format!("{head}\r\nConnection: close");
        if asked.sends() { act(&mut stream, &head, &body) } else { whole(&mut stream, &head, &body) }
    });
    origin.replace("http://127.0.0.1", "https://localhost")
}

/// Answers as it ought to be.
fn whole(stream: &mut Inside<'_>, head: &str, body: &str) -> std::io::Result<()> {
    write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
    stream.conn.send_close_notify();
    stream.flush()
}

/// A certificate for so many hosts.
fn many_names(count: usize) -> Issued {
    let hosts: Vec<String> = (0..count).map(|number| format!("host-{number:05}.example.com")).collect();
    Ca::new("CA").server(&hosts.iter().map(String::as_str).collect::<Vec<_>>(), CURRENT)
}

/// What begins when the handshake is over, with a certificate that is trusted.
fn after_the_handshake() -> Vec<Attack> {
    let attack = |name, target| {
        Attack::new(name, Sends, changed(String::into_bytes)).at(Target::Given(target)).with(&[
            "--cacert",
            ROOT,
            "--only",
            "send.accepts-text",
        ])
    };
    vec![
        attack("a body that is cut off without a farewell", |plain| {
            inside(
                plain,
                |_| {},
                |stream, head, body| {
                    write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{}", body.len(), &body[..body.len() / 2])
                },
            )
        }),
        attack("a body without a length that is cut off without a farewell", |plain| {
            inside(plain, |_| {}, |stream, head, body| write!(stream, "{head}\r\n\r\n{}", &body[..body.len() / 2]))
        }),
        // RFC 9112 §9.8: nobody can tell it from one that was cut off.
        attack("a body without a length that is whole, without a farewell", |plain| {
            inside(plain, |_| {}, |stream, head, body| write!(stream, "{head}\r\n\r\n{body}"))
        }),
        attack("a body without a length and a farewell", |plain| {
            inside(
                plain,
                |_| {},
                |stream, head, body| {
                    write!(stream, "{head}\r\n\r\n{body}")?;
                    stream.conn.send_close_notify();
                    stream.flush()
                },
            )
        }),
        attack("every byte in a record of its own", |plain| {
            inside(
                plain,
                |_| {},
                |stream, head, body| {
                    let bytes = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
                    bytes.bytes().try_for_each(|byte| stream.write_all(&[byte]).and_then(|()| stream.flush()))
                },
            )
        }),
        attack("new keys for ever", |plain| {
            inside(
                plain,
                |_| {},
                |stream, _, _| {
                    loop {
                        stream.conn.refresh_traffic_keys().map_err(std::io::Error::other)?;
                        stream.flush()?;
                    }
                },
            )
        }),
        attack("5,000 tickets for further sessions", |plain| {
            inside(plain, |config| config.send_tls13_tickets = 5_000, whole)
        }),
    ]
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
            refuse("a chain of 100 certificates, each as if it had issued each", |plain| {
                let mut own = Ca::new("CA").server(&["localhost"], CURRENT);
                own.cert.extend((0..99).map(|_| Ca::new("CA").pem()));
                at(&own, plain)
            }),
            refuse("a certificate of 60 KB", |plain| at(&many_names(2_000), plain)),
            refuse("a certificate of 1 MB", |plain| at(&many_names(40_000), plain)),
        ])
        .map(|attack| attack.with(&["--reach-timeout", "4"]))
        .chain(after_the_handshake())
        .collect()
}
