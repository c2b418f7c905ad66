//! What attackers do with a request: the pieces of which the table is made.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

use super::server::{AskedRequest, EVENTS, JSON, honest};

/// A request that is answered by the attacker.
pub(crate) struct Strike<'a> {
    pub(crate) asked: &'a AskedRequest,
    /// The number of its connection.
    pub(crate) number: usize,
    /// The attacker, the agent behind it and the listener that nobody may call: host and port each.
    pub(crate) own: &'a str,
    pub(crate) agent: &'a str,
    pub(crate) canary: &'a str,
}

impl Strike<'_> {
    /// What the agent answers: the head without its framing, and the body.
    pub(crate) fn honest(&self) -> (String, String) {
        honest(self.asked, self.own, self.agent)
    }

    /// An update of a task, as an event of a stream.
    pub(crate) fn update(&self, more: &str) -> String {
        let update = format!(
            "{{\"statusUpdate\":{{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{{\"state\":\"TASK_STATE_WORKING\"}}{more}}}}}"
        );
        format!("data: {}\n\n", self.asked.wrap(&update))
    }
}

pub(crate) type Harm = Box<dyn Fn(&Strike<'_>, &mut TcpStream) + Send + Sync>;

pub(crate) fn acts(act: impl Fn(&Strike<'_>, &mut TcpStream) + Send + Sync + 'static) -> Harm {
    Box::new(act)
}

/// Sends these bytes and closes.
pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Harm {
    let bytes = bytes.into();
    acts(move |_, stream| send(stream, &bytes))
}

/// Sends the first bytes, and then so many times the others, as long as somebody reads.
pub(crate) fn flood(first: impl Into<Vec<u8>>, piece: impl Into<Vec<u8>>, times: usize) -> Harm {
    let (first, piece) = (first.into(), piece.into());
    // Few calls of the system for many small pieces.
    let in_one = (64 << 10) / piece.len().max(1) + 1;
    let many = piece.repeat(in_one.min(times));
    acts(move |_, stream| {
        send(stream, &first);
        for _ in 0..times.div_ceil(in_one) {
            if stream.write_all(&many).is_err() {
                return;
            }
        }
    })
}

/// Answers 200 with this body of JSON.
pub(crate) fn body(text: impl Into<Vec<u8>>) -> Harm {
    let text = text.into();
    acts(move |_, stream| send(stream, &ok(JSON, &text)))
}

/// Answers 200 with a body that is made for each request.
pub(crate) fn body_for(make: fn(&Strike<'_>) -> String) -> Harm {
    acts(move |strike, stream| send(stream, &ok(JSON, make(strike).as_bytes())))
}

/// Answers with what the agent answers, changed, in a frame that fits.
pub(crate) fn changed(change: fn(String) -> Vec<u8>) -> Harm {
    changed_for(move |_, body| change(body))
}

/// The same, for each request.
pub(crate) fn changed_for(change: impl Fn(&Strike<'_>, String) -> Vec<u8> + Send + Sync + 'static) -> Harm {
    acts(move |strike, stream| {
        let (head, body) = strike.honest();
        let body = change(strike, body);
        send(stream, format!("{head}\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes());
        send(stream, &body);
    })
}

/// Answers with what the agent answers, under another media type.
pub(crate) fn as_media(media: &'static str) -> Harm {
    acts(move |strike, stream| {
        let (head, body) = strike.honest();
        let kept: Vec<&str> =
            head.lines().filter(|line| !line.to_ascii_lowercase().starts_with("content-type:")).collect();
        let media = if media.is_empty() { String::new() } else { format!("Content-Type: {media}\r\n") };
        let head = format!("{}\r\n{media}Content-Length: {}\r\n\r\n{body}", kept.join("\r\n"), body.len());
        send(stream, head.as_bytes());
    })
}

/// Answers with the agent's status and body, in a frame of one's own: given the head without its framing, and the body.
pub(crate) fn framed(frame: fn(&str, &str) -> Vec<u8>) -> Harm {
    acts(move |strike, stream| {
        let (head, body) = strike.honest();
        send(stream, &frame(&head, &body));
    })
}

/// Answers with the agent's head, further fields, and the agent's body.
pub(crate) fn with_fields(fields: impl Into<Vec<u8>>) -> Harm {
    let fields = fields.into();
    acts(move |strike, stream| {
        let (head, body) = strike.honest();
        send(stream, format!("{head}\r\nContent-Length: {}\r\n", body.len()).as_bytes());
        send(stream, &fields);
        send(stream, format!("\r\n{body}").as_bytes());
    })
}

/// Answers with a stream that is made for each request, and ends.
pub(crate) fn events_for(make: fn(&Strike<'_>) -> Vec<u8>) -> Harm {
    acts(move |strike, stream| {
        send(stream, stream_head().as_bytes());
        send(stream, &make(strike));
    })
}

/// Sends bytes one at a time, with a pause between them.
pub(crate) fn drip(first: impl Into<Vec<u8>>, byte: u8, pause: Duration) -> Harm {
    let first = first.into();
    acts(move |_, stream| {
        send(stream, &first);
        while stream.write_all(&[byte]).is_ok() {
            thread::sleep(pause);
        }
    })
}

/// Sends these bytes and then nothing, until the other side is gone.
pub(crate) fn stall(bytes: impl Into<Vec<u8>>) -> Harm {
    let bytes = bytes.into();
    acts(move |_, stream| {
        send(stream, &bytes);
        wait_for_end(stream);
    })
}

/// Sends these bytes, and resets the connection.
pub(crate) fn reset_after(bytes: impl Into<Vec<u8>>) -> Harm {
    let bytes = bytes.into();
    acts(move |_, stream| {
        send(stream, &bytes);
        // What was sent must have arrived, or the reset takes it along.
        thread::sleep(Duration::from_millis(30));
        reset(stream);
    })
}

/// Sends these bytes, says that nothing more will come, and listens on.
pub(crate) fn half_close(bytes: impl Into<Vec<u8>>) -> Harm {
    let bytes = bytes.into();
    acts(move |_, stream| {
        send(stream, &bytes);
        let _ = stream.shutdown(Shutdown::Write);
        wait_for_end(stream);
    })
}

pub(crate) fn send(stream: &mut TcpStream, bytes: &[u8]) {
    // Whoever hung up has seen enough.
    let _ = stream.write_all(bytes);
}

pub(crate) fn ok(media: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub(crate) fn stream_head() -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {EVENTS}\r\n\r\n")
}

pub(crate) fn json_head() -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {JSON}\r\n\r\n")
}

pub(crate) fn chunked_head() -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {JSON}\r\nTransfer-Encoding: chunked\r\n\r\n")
}

pub(crate) fn wait_for_end(stream: &mut TcpStream) {
    let _ = std::io::copy(&mut stream.take(1 << 30), &mut std::io::sink());
}

/// Closes with a reset (RFC 9293 §3.10.7).
fn reset(stream: &TcpStream) {
    let copy = stream.try_clone().unwrap();
    copy.set_nonblocking(true).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _guard = runtime.enter();
    tokio::net::TcpStream::from_std(copy).unwrap().set_zero_linger().unwrap();
}
