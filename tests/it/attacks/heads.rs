//! Heads that are too great, broken, or of another protocol (RFC 9112 §2 to §5).

use super::attack::Attack;
use super::attack::Place::{Calls, Card, Connection, Sends, Unary};
use super::harm::{flood, framed, raw, with_fields};

/// Where the time ends an attack, and not what was sent.
const SHORT: [&str; 6] = ["--answer-timeout", "1", "--timeout", "2", "--only", "send.task-or-message"];
const OK: &str = "HTTP/1.1 200 OK\r\n";

/// The attacks of this family.
pub(crate) fn attacks() -> Vec<Attack> {
    [greatness(), fields(), statuses(), protocols(), meanings()].into_iter().flatten().collect()
}

fn greatness() -> Vec<Attack> {
    vec![
        Attack::new("a field of 10 MB", Sends, flood(format!("{OK}X-Long: "), vec![b'x'; 65536], 160)),
        Attack::new("10,000 fields", Sends, with_fields("X-Field: 1\r\n".repeat(10_000))),
        Attack::new("1,000 fields", Sends, with_fields("X-Field: 1\r\n".repeat(1_000))),
        Attack::new("99 more fields", Sends, with_fields("X-Field: 1\r\n".repeat(80))),
        Attack::new("a field of 300 KB", Sends, with_fields(format!("X-Long: {}\r\n", "x".repeat(300_000)))).heavy(),
        Attack::new("fields that never end", Sends, flood(OK, *b"X-Again: and again\r\n", 50_000_000)),
        Attack::new("a status line that never ends", Sends, flood("HTTP/1.1 200 ", vec![b'O'; 65536], 16_384)),
        Attack::new("a field name of 70 KB", Sends, with_fields(format!("{}: 1\r\n", "n".repeat(70_000)))),
        Attack::new("empty lines that never end", Sends, flood("", *b"\r\n", 100_000_000)),
        Attack::new("1,000 cookies", Sends, with_fields("Set-Cookie: a=b; Domain=.com\r\n".repeat(60))),
    ]
}

fn fields() -> Vec<Attack> {
    vec![
        Attack::new("a field without a colon", Sends, with_fields("this is not a field\r\n")),
        Attack::new("a field without a name", Sends, with_fields(": value\r\n")),
        Attack::new("a space before the colon", Sends, with_fields("X-Space : value\r\n")),
        Attack::new("NUL in a field", Sends, with_fields(*b"X-Nul: a\0b\r\n")),
        Attack::new("a carriage return alone in a field", Sends, with_fields(*b"X-Cr: a\rb\r\n")),
        Attack::new("a folded field", Sends, with_fields("X-Folded: a\r\n b\r\n")),
        Attack::new("a control character in a field", Sends, with_fields(*b"X-Bell: \x07\x1b[2J\r\n")),
        Attack::new("a field of bytes beyond ASCII", Sends, with_fields(*b"X-Bytes: \xff\xfe\x80\r\n")),
        Attack::new("a field name beyond ASCII", Sends, with_fields("X-\u{e4}: 1\r\n")),
        Attack::new(
            "line feeds alone",
            Sends,
            framed(|head, body| {
                format!("{}\nContent-Length: {}\n\n{body}", head.replace("\r\n", "\n"), body.len()).into_bytes()
            }),
        ),
        Attack::new(
            "carriage returns alone",
            Sends,
            framed(|head, body| format!("{}\r\r{body}", head.replace("\r\n", "\r")).into_bytes()),
        ),
        Attack::new(
            "a head in UTF-16",
            Sends,
            framed(|head, _| format!("{head}\r\n\r\n").encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ),
    ]
}

fn statuses() -> Vec<Attack> {
    let status = |name, line: &str| {
        Attack::new(
            name,
            Sends,
            raw(format!("{line}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}")),
        )
    };
    vec![
        status("the status 000", "HTTP/1.1 000 Nothing"),
        status("the status 099", "HTTP/1.1 099 Less"),
        status("the status 999", "HTTP/1.1 999 Whatever"),
        status("the status 1000", "HTTP/1.1 1000 More"),
        status("the status -1", "HTTP/1.1 -1 Less"),
        status("a status in words", "HTTP/1.1 OK fine"),
        status("no status", "HTTP/1.1"),
        status("the status 418", "HTTP/1.1 418 I'm a teapot"),
        status("the status 511", "HTTP/1.1 511 Network Authentication Required"),
        status("a status line with a terminal's commands", "HTTP/1.1 500 \u{1b}[2J\u{1b}]8;;http://evil.example\u{7}"),
        Attack::new("100 Continue for ever", Sends, flood("", *b"HTTP/1.1 100 Continue\r\n\r\n", 50_000_000))
            .with(&SHORT)
            .heavy(),
        Attack::new(
            "early hints for ever",
            Sends,
            flood("", *b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 50_000_000),
        )
        .with(&SHORT)
        .heavy(),
        Attack::new(
            "1,000 early hints and then the answer",
            Sends,
            framed(|head, body| {
                let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(1000);
                format!("{hints}{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
            }),
        ),
        Attack::new(
            "switches to another protocol",
            Sends,
            raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\u{1}\u{2}\u{3}"),
        ),
    ]
}

fn protocols() -> Vec<Attack> {
    vec![
        Attack::new("HTTP/0.9", Sends, framed(|_, body| body.as_bytes().to_vec())),
        Attack::new(
            "HTTP/1.0",
            Unary,
            framed(|head, body| format!("{}\r\n\r\n{body}", head.replacen("HTTP/1.1", "HTTP/1.0", 1)).into_bytes()),
        ),
        Attack::new(
            "HTTP/3.7",
            Sends,
            framed(|head, body| format!("{}\r\n\r\n{body}", head.replacen("HTTP/1.1", "HTTP/3.7", 1)).into_bytes()),
        ),
        Attack::new("HTTP/2 in words", Sends, raw("HTTP/2 200\r\nContent-Length: 2\r\n\r\n{}")),
        Attack::new("a radio station", Sends, raw("ICY 200 OK\r\nicy-name: station\r\n\r\n")),
        Attack::new("a mail server", Connection, raw("220 mail.example ESMTP ready\r\n")),
        Attack::new("an SSH server", Connection, raw("SSH-2.0-OpenSSH_9.6\r\n")),
        Attack::new("a database", Connection, raw(*b"J\0\0\0\x0a8.0.36\0\x08\0\0\0")),
        Attack::new("a key-value store", Calls, raw("-ERR unknown command 'POST'\r\n")),
        Attack::new("an alert of TLS", Connection, raw(*b"\x15\x03\x03\0\x02\x02\x28")),
        Attack::new(
            "frames of HTTP/2",
            Connection,
            raw(*b"\0\0\0\x04\0\0\0\0\0\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\x01"),
        ),
        Attack::new("zeros without an end", Sends, flood("", vec![0; 65536], 16_384)),
        Attack::new("zeros for the card", Card, flood("", vec![0; 65536], 16_384)),
        Attack::new(
            "what was asked comes back",
            Calls,
            super::harm::acts(|strike, stream| {
                let asked = format!("{}{}", strike.asked.head, strike.asked.body);
                super::harm::send(stream, asked.as_bytes());
            }),
        ),
    ]
}

fn meanings() -> Vec<Attack> {
    let answered = |name, line: &str, fields: &str| {
        Attack::new(name, Sends, raw(format!("HTTP/1.1 {line}\r\n{fields}\r\nContent-Length: 0\r\n\r\n")))
    };
    vec![
        answered("try again in 3,000 years", "503 Service Unavailable", "Retry-After: 99999999999"),
        answered("try again in a negative time", "429 Too Many Requests", "Retry-After: -5"),
        answered(
            "try again on a day of the year 9999",
            "503 Service Unavailable",
            "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT",
        ),
        answered("try again after nonsense", "429 Too Many Requests", "Retry-After: NaN"),
        answered("try again at once, for ever", "429 Too Many Requests", "Retry-After: 0"),
        answered(
            "a challenge of 8 KB",
            "401 Unauthorized",
            &format!("WWW-Authenticate: Bearer realm=\"{}\"", "r".repeat(8000)),
        ),
        answered(
            "80 challenges",
            "401 Unauthorized",
            &["WWW-Authenticate: Bearer realm=\"a\", Basic realm=\"b\""; 80].join("\r\n"),
        ),
        answered("a challenge that is not closed", "401 Unauthorized", "WWW-Authenticate: Bearer realm=\"\\\\\\"),
        answered(
            "the agent plays the proxy",
            "407 Proxy Authentication Required",
            "Proxy-Authenticate: Basic realm=\"your password\"",
        ),
        Attack::new(
            "a challenge that names its guard elsewhere",
            Sends,
            super::harm::acts(|strike, stream| {
                // RFC 9728 §5.1
                let place = format!("http://{}/.well-known/oauth-protected-resource", strike.canary);
                let head = format!(
                    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer resource_metadata=\"{place}\", authorization_uri=\"{place}\"\r\nContent-Length: 0\r\n\r\n"
                );
                super::harm::send(stream, head.as_bytes());
            }),
        ),
        Attack::new(
            "fields that lead elsewhere",
            Unary,
            super::harm::acts(|strike, stream| {
                let (head, body) = strike.honest();
                let place = format!("http://{}/", strike.canary);
                let fields = format!(
                    "Refresh: 0; url={place}\r\nLink: <{place}>; rel=preload\r\nContent-Location: {place}\r\nLocation: {place}\r\nReport-To: {{\"endpoints\":[{{\"url\":\"{place}\"}}]}}\r\nSet-Cookie: a=b; Domain={}",
                    strike.canary
                );
                let head = format!("{head}\r\n{fields}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
                super::harm::send(stream, head.as_bytes());
            }),
        ),
        Attack::new("a body for money", Calls, raw("HTTP/1.1 402 Payment Required\r\nContent-Length: 0\r\n\r\n")),
    ]
}
