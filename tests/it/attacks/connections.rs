//! Connections that say something else than was asked: answers too many, too early, or of another request.

use std::sync::Mutex;

use super::attack::Attack;
use super::attack::Place::{Connection, Gets, Sends, Unary};
use super::harm::{acts, framed, ok, raw, send, wait_for_end, with_fields};
use super::server::JSON;

/// The attacks of this family.
pub(crate) fn attacks() -> Vec<Attack> {
    let before: Mutex<Option<Vec<u8>>> = Mutex::new(None);
    let swapped: Mutex<Option<Vec<u8>>> = Mutex::new(None);
    vec![
        Attack::new(
            "a second answer behind the first",
            Unary,
            framed(|head, body| {
                format!(
                    "{head}\r\nContent-Length: {}\r\n\r\n{body}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen",
                    body.len()
                )
                .into_bytes()
            }),
        ),
        Attack::new(
            "rubbish behind the answer",
            Unary,
            framed(|head, body| {
                format!("{head}\r\nContent-Length: {}\r\n\r\n{body}{}", body.len(), "rubbish".repeat(100)).into_bytes()
            }),
        ),
        Attack::new(
            "every answer is that of the call before",
            Unary,
            acts(move |strike, stream| {
                let (_, body) = strike.honest();
                let last = before.lock().unwrap().replace(ok(JSON, body.as_bytes()));
                send(stream, &last.unwrap_or_else(|| ok(JSON, b"{}")));
            }),
        ),
        Attack::new(
            "the first answer to GetTask for every other one",
            Gets,
            acts(move |strike, stream| {
                let (_, body) = strike.honest();
                let first = swapped.lock().unwrap().get_or_insert_with(|| ok(JSON, body.as_bytes())).clone();
                send(stream, &first);
            }),
        ),
        Attack::new(
            "promises to keep the connection and closes it",
            Unary,
            framed(|head, body| {
                let promise = "Connection: keep-alive\r\nKeep-Alive: timeout=99999999999, max=-1";
                format!("{head}\r\n{promise}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
            }),
        ),
        Attack::new(
            "promises to close the connection and keeps it",
            Sends,
            acts(|strike, stream| {
                let (head, body) = strike.honest();
                send(
                    stream,
                    format!("{head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes(),
                );
                wait_for_end(stream);
            }),
        ),
        Attack::new(
            "names its length as a field of the connection",
            Sends,
            with_fields("Connection: content-length, transfer-encoding\r\n"),
        ),
        Attack::new(
            "offers another protocol",
            Unary,
            with_fields("Upgrade: h2c, websocket\r\nConnection: Upgrade\r\n"),
        ),
        Attack::new(
            "offers another service",
            Unary,
            with_fields("Alt-Svc: h3=\"169.254.169.254:443\"; ma=99999999999\r\n"),
        ),
        Attack::new(
            "asks for https for ever",
            Unary,
            with_fields("Strict-Transport-Security: max-age=99999999999; includeSubDomains; preload\r\n"),
        ),
        Attack::new(
            "asks for another page",
            Unary,
            with_fields("Refresh: 0; url=http://169.254.169.254/\r\nLink: <http://169.254.169.254/>; rel=preload\r\n"),
        ),
        Attack::new("a request instead of an answer", Sends, raw("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")),
        Attack::new(
            "two heads before a body",
            Sends,
            framed(|head, body| {
                format!("{head}\r\n\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
            }),
        ),
        Attack::new(
            "answers before it has read the request",
            Connection,
            acts(|_, stream| {
                send(stream, b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            }),
        ),
    ]
}
