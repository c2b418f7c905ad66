//! A server of bytes in front of the scripted agent: it answers some requests as an attacker would, and the agent the others.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use serde_json::Value;

pub(crate) const JSON: &str = "application/json";
pub(crate) const EVENTS: &str = "text/event-stream";

/// A request as the server saw it.
#[derive(Default)]
pub(crate) struct AskedRequest {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl AskedRequest {
    /// Whether it calls an operation, in either binding.
    pub(crate) fn calls(&self, method: &str, path: &str) -> bool {
        self.body.contains(&format!("\"method\":\"{method}\"")) || self.head.lines().next().unwrap().contains(path)
    }

    pub(crate) fn sends(&self) -> bool {
        self.calls("SendMessage", "/message:send")
    }

    pub(crate) fn streams(&self) -> bool {
        self.calls("SendStreamingMessage", "/message:stream")
    }

    pub(crate) fn is_call(&self) -> bool {
        !self.head.contains(".well-known")
    }

    /// The path with its query.
    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    /// The id of a JSON-RPC request, as JSON.
    pub(crate) fn id(&self) -> Option<String> {
        let call: Option<Value> = serde_json::from_str(&self.body).ok();
        call.as_ref().and_then(|call| call.get("id")).map(Value::to_string)
    }

    /// A result as the binding of this request wraps it.
    pub(crate) fn wrap(&self, result: &str) -> String {
        match self.id() {
            Some(id) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}"),
            None => result.to_owned(),
        }
    }
}

/// Handles a request: `true` when it was dealt with, else the scripted agent answers it.
type Trick = dyn Fn(usize, &AskedRequest, &mut TcpStream) -> bool + Send + Sync;

/// A server in front of the scripted agent that plays a trick on some requests; it serves so many and dies.
pub(crate) fn server(
    agent: &str,
    life: usize,
    trick: impl Fn(usize, &AskedRequest, &mut TcpStream) -> bool + Send + Sync + 'static,
) -> String {
    let trick: Arc<Trick> = Arc::new(trick);
    let agent = agent.trim_start_matches("http://").to_owned();
    accept(life, move |number, mut stream, own| {
        let asked = read(&mut stream)?;
        if trick(number, &asked, &mut stream) {
            return Ok(());
        }
        pass_on(&asked, &mut stream, own, &agent)
    })
}

/// Accepts so many connections, each on a thread of its own. Returns the URL.
pub(crate) fn accept(
    life: usize,
    serve: impl Fn(usize, TcpStream, &str) -> std::io::Result<()> + Send + Sync + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap().to_string();
    let (own, serve) = (place.clone(), Arc::new(serve));
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate().take(life) {
            let (own, serve) = (own.clone(), Arc::clone(&serve));
            // It ignores a client that hung up.
            thread::spawn(move || serve(number, stream.unwrap(), &own).unwrap_or_default());
        }
    });
    format!("http://{place}")
}

/// Has the scripted agent answer, as if it were here.
pub(crate) fn pass_on(asked: &AskedRequest, stream: &mut TcpStream, own: &str, agent: &str) -> std::io::Result<()> {
    let mut behind = ask(asked, agent, "HTTP/1.1")?;
    if asked.is_call() {
        std::io::copy(&mut behind, stream)?;
        return Ok(());
    }
    let mut bytes = Vec::new();
    behind.read_to_end(&mut bytes)?;
    // Ports are of one length where tests run, so that no length has to be corrected.
    stream.write_all(String::from_utf8_lossy(&bytes).replace(agent, own).as_bytes())
}

/// The connection from which the agent's answer to this request comes.
fn ask(asked: &AskedRequest, agent: &str, version: &str) -> std::io::Result<TcpStream> {
    let mut behind = TcpStream::connect(agent)?;
    let (line, rest) = asked.head.split_once("\r\n").unwrap_or_default();
    let line = line.replace("HTTP/1.1", version);
    write!(behind, "{line}\r\nConnection: close\r\n{rest}{}", asked.body)?;
    Ok(behind)
}

/// What the agent answers: the status line with the fields, and the body without any framing.
pub(crate) fn honest(asked: &AskedRequest, own: &str, agent: &str) -> (String, String) {
    let mut bytes = Vec::new();
    // HTTP/1.0 knows no chunks (RFC 9112 §7.1), so that the body is what comes until the end.
    let asked_for = ask(asked, agent, "HTTP/1.0").and_then(|mut behind| behind.read_to_end(&mut bytes));
    let text = if asked_for.is_ok() { String::from_utf8_lossy(&bytes).into_owned() } else { String::new() };
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
    let framing = ["content-length:", "connection:", "transfer-encoding:"];
    let is_kept = |line: &&str| !framing.iter().any(|name| line.to_ascii_lowercase().starts_with(name));
    let head: Vec<&str> = head.lines().filter(is_kept).collect();
    let body = if asked.is_call() { body.to_owned() } else { body.replace(agent, own) };
    (head.join("\r\n").replacen("HTTP/1.0", "HTTP/1.1", 1), body)
}

pub(crate) fn read(stream: &mut impl Read) -> std::io::Result<AskedRequest> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head)? > 0 {}
    let length =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(AskedRequest { head, body: String::from_utf8_lossy(&body).into_owned() })
}

/// Answers with these pieces until there are no more, or the other side is gone.
pub(crate) fn answer(
    stream: &mut TcpStream,
    media: &str,
    length: Option<usize>,
    pieces: impl IntoIterator<Item = impl AsRef<[u8]>>,
) -> bool {
    let length = length.map(|length| format!("Content-Length: {length}\r\n")).unwrap_or_default();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {media}\r\n{length}\r\n");
    let _ = stream.write_all(head.as_bytes());
    for piece in pieces {
        if stream.write_all(piece.as_ref()).is_err() {
            break;
        }
    }
    true
}
