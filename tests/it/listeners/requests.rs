//! Requests that are broken, too long, or that two servers in a row could read differently (request smuggling).

use a2a_conformance::host::native::{block_on, host};
use a2a_conformance::host::webhooks::WebhookReceiver;
use a2a_conformance::server::HttpWebhookReceiver;

use super::{Attack, PATIENCE, page, said};
use crate::cli::{Folder, Served};

/// A receiver of webhooks in a thread of its own, until the process ends.
fn webhooks() -> String {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        block_on(async {
            let receiver = HttpWebhookReceiver::new(&host(), "127.0.0.1:0".to_owned(), None);
            tell.send(receiver.url("hook").await.unwrap()).unwrap();
            std::future::pending::<()>().await;
        });
    });
    told.recv().unwrap()
}

/// Requests that are broken, or of which two servers in a row could read different things, and the beginning of the only answer that
/// each may have; `-` for none at all.
const BROKEN: &[(&str, &str, &str)] = &[
    (
        "two lengths",
        "POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
        "HTTP/1.1 400",
    ),
    ("a list of lengths", "POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: 2, 2\r\n\r\n{}", "HTTP/1.1 400"),
    ("a signed length", "POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: +2\r\n\r\n{}", "HTTP/1.1 400"),
    ("a length below zero", "POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: -2\r\n\r\n{}", "HTTP/1.1 400"),
    (
        "a length beyond 64 bits",
        "POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999999\r\n\r\n{}",
        "HTTP/1.1 400",
    ),
    (
        "a length and chunks, with a request inside",
        "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n",
        "HTTP/1.1 40",
    ),
    (
        "chunks and a length, with a request inside",
        "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n",
        "HTTP/1.1 40",
    ),
    (
        "chunked, but not last",
        "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 400",
    ),
    ("another coding", "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 400"),
    (
        "two codings",
        "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 400",
    ),
    (
        "chunks in HTTP/1.0",
        "POST /x HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 400",
    ),
    ("a folded line", "GET /x HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n", "HTTP/1.1 400"),
    ("a space before a colon", "GET /x HTTP/1.1\r\nHost : h\r\n\r\n", "HTTP/1.1 400"),
    ("a bare CR", "GET /x HTTP/1.1\r\nHost: h\r\nX: a\rY: b\r\n\r\n", "HTTP/1.1 400"),
    ("a NUL", "GET /x HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n", "HTTP/1.1 400"),
    ("HTTP/0.9", "GET /\r\n\r\n", "HTTP/1.1 400"),
    ("HTTP/3.0", "GET / HTTP/3.0\r\nHost: h\r\n\r\n", "HTTP/1.1 400"),
    ("no chunk size", "POST /rpc HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", "-"),
    (
        "a chunk size below zero",
        "POST /rpc HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
        "-",
    ),
    (
        "a chunk size beyond 64 bits",
        "POST /rpc HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        "-",
    ),
    ("chunks with bare LF", "POST /rpc HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n", "-"),
    ("CONNECT", "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "HTTP/1.1 40"),
    (
        "TRACE",
        "TRACE / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer canary\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 40",
    ),
    ("TLS where none is", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{7f}\u{3}\u{3}", "HTTP/1.1 400"),
];

/// Longer ones, made by repetition.
fn long_ones() -> Vec<(&'static str, String, &'static str)> {
    let many: String = (0..1000).map(|number| format!("X{number}: a\r\n")).collect();
    vec![
        ("a field of 1 MB", format!("GET / HTTP/1.1\r\nHost: h\r\nX: {}\r\n\r\n", "a".repeat(1 << 20)), "HTTP/1.1 431"),
        ("1,000 fields", format!("GET / HTTP/1.1\r\nHost: h\r\n{many}\r\n"), "HTTP/1.1 431"),
        ("a target of 1 MB", format!("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", "a".repeat(1 << 20)), "HTTP/1.1 4"),
        (
            "a chunk extension of 1 MB",
            format!(
                "POST /rpc HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2;{}\r\n{{}}\r\n",
                "a".repeat(1 << 20)
            ),
            "-",
        ),
        (
            "a trailer of 1 MB",
            format!(
                "POST /rpc HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\nX: {}\r\n\r\n",
                "a".repeat(1 << 20)
            ),
            "-",
        ),
    ]
}

#[test]
fn broken_and_smuggled_requests_get_one_refusal_and_no_second_answer() {
    let agent = Served::agent(&[]);
    let folder = Folder::new("broken-requests");
    let served = page(&folder);
    let webhook = webhooks();
    let (hook_origin, _) = webhook.split_at(webhook.rfind("/hook").unwrap());
    let (hook_origin, _) = hook_origin.rsplit_once('/').unwrap();
    let short = BROKEN.iter().map(|(name, bytes, answer)| (*name, (*bytes).to_owned(), *answer));
    let all: Vec<_> = short.chain(long_ones()).collect();
    for (kind, url) in [
        ("broken and smuggled requests: agent", agent.agent_url()),
        ("broken and smuggled requests: page", served.url("page at ")),
        ("broken and smuggled requests: webhooks", hook_origin),
    ] {
        let mut attack = Attack::new(kind);
        for (name, bytes, expected) in &all {
            attack.attempt(|| {
                let answer = said(url, bytes.as_bytes(), PATIENCE);
                let count = answer.matches("HTTP/1.").count();
                assert!(!answer.contains("canary") && count <= 1, "{kind}: {name}: {answer}");
                // Who reads no body has no use for its chunks.
                let is_refused = *expected == "-" && (answer.is_empty() || answer.starts_with("HTTP/1.1 4"));
                assert!(is_refused || answer.starts_with(expected), "{kind}: {name}: {answer:?}");
            });
        }
        attack.end((url == agent.agent_url()).then_some(&agent));
    }
}

#[test]
fn what_is_odd_but_allowed_is_answered() {
    let agent = Served::agent(&[]);
    for (name, bytes) in [
        ("HTTP/1.0", "GET /.well-known/agent-card.json HTTP/1.0\r\n\r\n"),
        ("bare LF", "GET /.well-known/agent-card.json HTTP/1.1\nHost: h\nConnection: close\n\n"),
        (
            "absolute form",
            "GET http://other.example/.well-known/agent-card.json HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
        ),
        (
            "an upgrade to h2c",
            "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n",
        ),
    ] {
        let answer = said(agent.agent_url(), bytes.as_bytes(), PATIENCE);
        assert!(
            answer.lines().next().unwrap().ends_with(" 200 OK") && answer.contains("supportedInterfaces"),
            "{name}: {answer}"
        );
    }
}
