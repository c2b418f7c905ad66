//! The table of secrets: each option that takes one, each format that is written, and each form in which an agent may send one back. A
//! new option or format is part of it by itself: the options are those that the program lists, and so are the formats.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

mod other_commands;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use crate::attacks::{AskedRequest, read};
use crate::cli::{Folder, Served, program, run, stderr, stdout};

/// The options that take a secret: what the secret looks like in their value, and with which others they are given.
const SECRET_OPTIONS: [(&str, &str, &str); 23] = [
    ("bearer", "SECRET", "tokens"),
    ("api-key", "X-Key=SECRET", "tokens"),
    ("api-key-query", "key=SECRET", "tokens"),
    ("header", "X-Own: SECRET", "tokens"),
    ("second-bearer", "SECRET", "tokens"),
    ("second-api-key", "X-Key=SECRET", "tokens"),
    ("second-api-key-query", "key=SECRET", "tokens"),
    ("second-header", "X-Own: SECRET", "tokens"),
    ("second-header", "Cookie: theme=dark; session=SECRET", "passwords"),
    ("basic", "me:SECRET", "passwords"),
    ("second-basic", "you:SECRET", "passwords"),
    ("lane-header", "jsonrpc-1.0=X-Lane: SECRET", "lanes"),
    ("second-lane-header", "jsonrpc-1.0=X-Lane: SECRET", "lanes"),
    ("client-secret", "SECRET", "clients"),
    ("second-client-secret", "SECRET", "clients"),
    ("proxy", "http://me:SECRET@PROXY", "proxy"),
    ("peer-bearer", "SECRET", "peer"),
    ("peer-api-key", "X-Key=SECRET", "peer"),
    ("peer-api-key-query", "key=SECRET", "peer"),
    ("peer-header", "X-Own: SECRET", "peer"),
    ("peer-basic", "me:SECRET", "peer with a password"),
    ("peer-lane-header", "jsonrpc-1.0=X-Lane: SECRET", "peer with a lane"),
    ("peer-client-secret", "SECRET", "peer with a client"),
];

/// What else is given in some groups. `URL` is the agent, `PEER` the other one.
const FURTHER: [(&str, &str); 6] = [
    ("lanes", "--bearer any-bearer --second-bearer any-other"),
    ("clients", "--client-id me --second-client-id you --token-url URL/token"),
    ("peer", "--peer PEER"),
    ("peer with a password", "--peer PEER"),
    ("peer with a lane", "--peer PEER"),
    ("peer with a client", "--peer PEER --peer-client-id me --peer-token-url PEER/token"),
];

/// The options that take no secret, or the name of a file with something that is sent to nobody.
const OTHER_OPTIONS: &str = "allow-origin answer-timeout beacon-listen beacon-url binding cacert card cert client-id cors-origin declares \
    delegate endpoint event-timeout extension fail-on format help idle-timeout insecure interfaces jwks key load load-conversations \
    no-webhooks only output peer peer-allow-origin peer-client-id peer-delegate peer-prompt peer-scope peer-token-url profile prompt \
    protocol-version quiet rate reach-timeout repeat run-timeout scope second-client-id skill tenant this-agent-is-mine thorough timeout \
    token-url trace verbose via webhook-listen webhook-url";

/// A few requests of every kind: the card, messages, streams, errors, and what only a second identity asks for.
const ONLY: [&str; 7] = [
    "discovery.*",
    "card.required-fields",
    "send.accepts-text",
    "get.unknown-refused",
    "stream.first-event",
    "extended.*",
    "auth.foreign-get",
];

/// The token that the authorization server gives out.
const ISSUED: &str = "Zq+issued-token/7Kx~9";

fn secret_of(option: &str) -> String {
    // In a proxy's URL other signs would have to be encoded.
    if option == "proxy" { "Zq-proxy-7Kx9".to_owned() } else { format!("Zq+{option}/7Kx~9") }
}

fn percent(text: &str, sign: &str) -> String {
    text.bytes().map(|byte| format!("{sign}{byte:02X}")).collect()
}

fn each(text: &str, write: impl Fn(char) -> String) -> String {
    text.chars().map(write).collect()
}

fn swapped(text: &str) -> String {
    each(text, |c| {
        if c.is_ascii_lowercase() { c.to_ascii_uppercase().to_string() } else { c.to_ascii_lowercase().to_string() }
    })
}

/// What only the secret decides in the base64 of a longer text, in which so many bytes stand before it.
fn inner_base64(engine: &impl Engine, before: usize, secret: &[u8]) -> String {
    let coded = engine.encode([&vec![b'x'; before], secret, b"yyy"].concat());
    coded[(8 * before).div_ceil(6)..8 * (before + secret.len()) / 6].to_owned()
}

/// A secret in every form in which it is sent back: in which form, how that is written, and what of it may not be found afterwards.
fn forms(secret: &str) -> Vec<(&'static str, String, String)> {
    let own = |name: &'static str, text: String| (name, text.clone(), text);
    let hex = each(secret, |c| format!("{:02x}", u32::from(c)));
    let pairs = |sign: &str| secret.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(sign);
    let mut forms = vec![
        own("as it is", secret.to_owned()),
        own("in upper case", secret.to_uppercase()),
        own("in lower case", secret.to_lowercase()),
        own("in the other case", swapped(secret)),
        own("backwards", secret.chars().rev().collect()),
        own("percent-encoded", percent(secret, "%")),
        own("percent-encoded in lower case", percent(secret, "%").to_lowercase()),
        own("percent-encoded twice", percent(secret, "%25")),
        own("as a form", url::form_urlencoded::byte_serialize(secret.as_bytes()).collect()),
        own("in escapes of JSON", each(secret, |c| format!("\\u{:04x}", u32::from(c)))),
        own("in escapes of JSON in upper case", each(secret, |c| format!("\\u{:04X}", u32::from(c)))),
        own("in some escapes of JSON", each(secret, |c| if c == '7' { "\\u0037".to_owned() } else { c.to_string() })),
        own("in escapes of JSON within JSON", each(secret, |c| format!("\\\\u{:04x}", u32::from(c)))),
        own("in hexadecimal", hex.clone()),
        own("in upper hexadecimal", hex.to_uppercase()),
        own("in hexadecimal with colons", pairs(":")),
        own("in hexadecimal with blanks", pairs(" ")),
        own("as numbers of HTML", each(secret, |c| format!("&#{};", u32::from(c)))),
        own("as numbers of HTML without a semicolon", each(secret, |c| format!("&#{:03}", u32::from(c)))),
        own("as hexadecimal numbers of HTML", each(secret, |c| format!("&#x{:x};", u32::from(c)))),
        own("as names of HTML", secret.replace('+', "&plus;").replace('/', "&sol;")),
    ];
    for before in 0..3 {
        let wrap = |text: &str| STANDARD.encode(format!("{}{text}yyy", "x".repeat(before)));
        forms.push(("in base64", wrap(secret), inner_base64(&STANDARD, before, secret.as_bytes())));
        let of_url = URL_SAFE.encode(format!("{}{secret}", "x".repeat(before)));
        forms.push(("in base64 for URLs", of_url, inner_base64(&URL_SAFE, before, secret.as_bytes())));
        for (inner, padded) in [
            (inner_base64(&STANDARD, 0, secret.as_bytes()), STANDARD.encode(secret)),
            (inner_base64(&URL_SAFE, 2, secret.as_bytes()), URL_SAFE.encode(format!("xx{secret}"))),
        ] {
            // What stands before it in the inner base64 moves it in the outer one.
            let moved = before + padded.find(&inner).unwrap();
            forms.push(("in base64 of base64", wrap(&padded), inner_base64(&STANDARD, moved % 3, inner.as_bytes())));
        }
    }
    forms
}

/// The agent that sends back what it was sent: a server in front of the scripted agent.
#[derive(Clone, Default)]
struct Echo {
    /// The secrets of this run.
    secrets: Arc<Mutex<Vec<String>>>,
    /// Those that arrived.
    seen: Arc<Mutex<BTreeSet<String>>>,
    /// Those that were sent back.
    echoed: Arc<Mutex<BTreeSet<String>>>,
    answers: Arc<Mutex<usize>>,
}

impl Echo {
    /// Starts a server, and returns its place.
    fn serve(&self, agent: &str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap().to_string();
        let (echo, own, agent) = (self.clone(), place.clone(), agent.trim_start_matches("http://").to_owned());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (echo, own, agent) = (echo.clone(), own.clone(), agent.clone());
                // It ignores a client that hung up.
                thread::spawn(move || echo.answer(stream.unwrap(), &own, &agent).unwrap_or_default());
            }
        });
        place
    }

    /// Notes which secrets came, and chooses one that came at some time; and the number of the answer.
    fn note(&self, request: &str) -> (Option<String>, usize) {
        let decoded: String = percent_decoded(request);
        let passwords = request.split("Basic ").skip(1).chain(request.split("basic ").skip(1));
        let passwords: Vec<u8> = passwords
            .filter_map(|rest| STANDARD.decode(rest.split(['\r', '\n']).next().unwrap()).ok())
            .flatten()
            .collect();
        let passwords = percent_decoded(&String::from_utf8_lossy(&passwords));
        let mut seen = self.seen.lock().unwrap();
        for secret in self.secrets.lock().unwrap().iter() {
            if [request, &decoded, &passwords].iter().any(|text| text.contains(secret.as_str())) {
                seen.insert(secret.clone());
            }
        }
        let mut answers = self.answers.lock().unwrap();
        *answers += 1;
        let chosen = seen.iter().nth(*answers % seen.len().max(1)).cloned();
        self.echoed.lock().unwrap().extend(chosen.clone());
        (chosen, *answers)
    }

    fn answer(&self, mut stream: TcpStream, own: &str, agent: &str) -> std::io::Result<()> {
        let AskedRequest { head, body } = read(&mut stream)?;
        let (secret, number) = self.note(&format!("{head}{body}"));
        let forms = secret.map(|secret| (forms(&secret), secret));
        let (line, rest) = head.split_once("\r\n").unwrap_or_default();
        let mut words = line.split(' ');
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        // At a proxy it is a whole URL (RFC 9112 §3.2.2).
        let path = target.strip_prefix("http://").map_or(target, |rest| rest.find('/').map_or("/", |at| &rest[at..]));
        if path == "/token" {
            let token = format!("{{\"access_token\":\"{ISSUED}\",\"token_type\":\"Bearer\",\"expires_in\":3600}}");
            return write_answer(&mut stream, "HTTP/1.1 200 OK\r\nContent-Type: application/json", &token, "");
        }
        if let Some((forms, _)) = forms.as_ref().filter(|_| number % 7 == 6 && method == "POST") {
            let is_of_url =
                |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"%=-_.~:/&#;".contains(&byte));
            let query: Vec<&str> =
                forms.iter().map(|(_, text, _)| text.as_str()).filter(|text| is_of_url(text)).collect();
            let location = format!("http://elsewhere.invalid/?{}", query.join("&a="));
            return write_answer(&mut stream, &format!("HTTP/1.1 307 Gone\r\nLocation: {location}"), "", "");
        }
        let mut behind = TcpStream::connect(agent)?;
        // The answer to a client of 1.0 ends with the connection, and is not cut into chunks.
        write!(behind, "{method} {path} HTTP/1.0\r\n{rest}{body}")?;
        // A stream that stays open is cut off: nobody has to see all of it.
        behind.set_read_timeout(Some(Duration::from_secs(2)))?;
        let mut bytes = Vec::new();
        let _ = behind.read_to_end(&mut bytes);
        let answered = String::from_utf8_lossy(&bytes).replace(agent, own);
        let (head, body) = answered.split_once("\r\n\r\n").unwrap_or_default();
        let kept = head.lines().filter(|line| {
            let line = line.to_ascii_lowercase();
            !line.starts_with("content-length:")
                && !line.starts_with("connection:")
                && !line.starts_with("transfer-encoding:")
        });
        let mut head = kept.collect::<Vec<_>>().join("\r\n").replace("HTTP/1.0", "HTTP/1.1");
        let (mut body, mut trailer) = (body.to_owned(), String::new());
        if let Some((forms, secret)) = forms {
            for (_, text, _) in &forms {
                head += &format!("\r\nX-Echo: {text}");
                if text.len() < 100 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-%&#".contains(&byte))
                {
                    head += &format!("\r\n{text}: a name");
                }
            }
            trailer = format!("X-Trailer: {secret}\r\n");
            let all: Vec<&str> = forms.iter().map(|(_, text, _)| text.as_str()).collect();
            // As a string of JSON, in which the backslashes are escaped, and as a part of one, in which they are not.
            let escaped = serde_json::to_string(&all.join(" ")).unwrap();
            let text = format!("{} {}", escaped.trim_matches('"'), all.join(" "));
            for member in ["name", "description", "text", "message"] {
                body = body.replacen(&format!("\"{member}\":\""), &format!("\"{member}\":\"{text} "), 1);
            }
            if head.contains("text/event-stream") {
                let (one, rest) = secret.split_at(5);
                let (two, three) = rest.split_at(3);
                let pieces = [one, two, three].map(|piece| format!("data: {{\"text\":\"{piece}\"}}\n\n"));
                body = format!("{}: {secret}\n{secret}: 1\nretry: {secret}\n{body}", pieces.concat());
            }
        }
        write_answer(&mut stream, &head, &body, &trailer)
    }
}

/// Writes an answer in chunks that are shorter than any secret.
fn write_answer(stream: &mut TcpStream, head: &str, body: &str, trailer: &str) -> std::io::Result<()> {
    let mut answer = format!("{head}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n").into_bytes();
    for chunk in body.as_bytes().chunks(11) {
        answer.extend(format!("{:x}\r\n", chunk.len()).bytes());
        answer.extend(chunk);
        answer.extend(b"\r\n");
    }
    answer.extend(format!("0\r\n{trailer}\r\n").bytes());
    stream.write_all(&answer)
}

fn percent_decoded(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut out = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        match piece.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => out.extend([&[byte], &piece.as_bytes()[2..]].concat()),
            None => out.extend(format!("%{piece}").bytes()),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A text as it is, and without the escapes of JSON and of HTML in which a format puts what it shows.
fn views(text: &str) -> Vec<String> {
    let without_json = |text: &str| text.replace("\\\"", "\"").replace("\\/", "/").replace("\\\\", "\\");
    let html = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&amp;", "&")];
    let without_html = html.iter().fold(text.to_owned(), |text, (name, sign)| text.replace(name, sign));
    vec![
        text.to_owned(),
        without_json(text),
        without_json(&without_json(text)),
        without_json(&without_html),
        without_html,
    ]
}

/// Where a secret shows: in which form, and what is around it.
fn leaks(secret: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let forms = forms(secret);
    for view in views(text) {
        let lower = view.to_ascii_lowercase();
        for (name, _, trace) in &forms {
            let is_base64 = name.starts_with("in base64");
            let at = if is_base64 { view.find(trace) } else { lower.find(&trace.to_ascii_lowercase()) };
            if let Some(at) = at {
                let around: String =
                    view.chars().skip(view[..at].chars().count().saturating_sub(60)).take(200).collect();
                found.push(format!("{secret} {name}: {around}"));
            }
        }
    }
    found
}

/// The texts of a stream's events, put together.
fn streamed(text: &str) -> String {
    let text = text.replace('\\', "");
    text.split("\"text\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// The values that an option of a command may have, as its error lists them.
fn formats(command: &[&str]) -> Vec<String> {
    let said = stderr(&run(&[command, &["--format", "unheard-of"]].concat()));
    let listed = said.split("[possible values: ").nth(1).and_then(|rest| rest.split(']').next());
    listed.unwrap_or_else(|| panic!("{said}")).split(", ").map(str::to_owned).collect()
}

/// The long options of a command.
fn options(command: &str) -> Vec<String> {
    let help = stdout(&run(&[command, "--help"]));
    let lines = help.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = line.get(4..).filter(|_| line.starts_with('-') && line.get(2..4) == Some(", ")).unwrap_or(line);
        let name = line.strip_prefix("--")?;
        Some(name.split([' ', '.']).next()?.to_owned())
    });
    lines.collect()
}

/// Runs the program, and returns all that it writes.
fn written<T: AsRef<std::ffi::OsStr>>(args: &[T], folder: &Folder) -> String {
    let file = folder.0.join("written");
    let _ = std::fs::remove_file(&file);
    let output = program().args(args).arg("-o").arg(&file).env("ZQ_TOKEN", secret_of("env")).output().unwrap();
    let file = std::fs::read_to_string(&file).unwrap_or_default();
    format!("{}\n{}\n{file}", stdout(&output), stderr(&output))
}

fn known_options() -> impl Iterator<Item = &'static str> {
    OTHER_OPTIONS.split_whitespace().chain(SECRET_OPTIONS.map(|(option, ..)| option))
}

#[test]
fn no_option_can_be_new_without_being_in_this_table() {
    let known: Vec<&str> = known_options().collect();
    let all = options("check");
    assert!(all.len() > 60, "{all:?}");
    let unknown: Vec<_> = all.iter().filter(|option| !known.contains(&option.as_str())).collect();
    assert!(unknown.is_empty(), "does it take a secret? {unknown:?}");
    let gone: Vec<_> = known.iter().filter(|option| !all.iter().any(|known| known == *option)).collect();
    assert!(gone.is_empty(), "{gone:?}");
}

/// Where secrets of a group of options show, in all formats.
fn leaks_of(group: &str, agent: &str, formats: &[String]) -> Vec<String> {
    let echo = Echo::default();
    let (place, peer) = (echo.serve(agent), echo.serve(agent));
    let folder = Folder::new(&format!("secrets-{}-{}", group.replace(' ', "-"), formats[0]));
    let of_group = || SECRET_OPTIONS.iter().filter(|(_, _, of)| *of == group);
    let mut secrets: Vec<String> = of_group().map(|(option, ..)| secret_of(option)).collect();
    if group.contains("client") {
        secrets.push(ISSUED.to_owned());
    }
    let url = format!("http://{place}");
    let mut args =
        ["check", &url, "--trace", "--verbose", "--no-webhooks", "--timeout", "90"].map(str::to_owned).to_vec();
    for pattern in ONLY {
        args.extend(["--only".to_owned(), pattern.to_owned()]);
    }
    let further = FURTHER.iter().find(|(of, _)| *of == group).map_or("", |(_, further)| further);
    let further = further.replace("PEER", &format!("http://{peer}")).replace("URL", &url);
    args.extend(further.split_whitespace().map(str::to_owned));
    for (option, template, _) in of_group() {
        let value = template.replace("SECRET", &secret_of(option)).replace("PROXY", &peer);
        args.extend([format!("--{option}"), value]);
    }
    *echo.secrets.lock().unwrap() = secrets.clone();
    let mut found = Vec::new();
    let missing = || {
        let echoed = echo.echoed.lock().unwrap().clone();
        secrets.iter().filter(|secret| !echoed.contains(*secret)).cloned().collect::<Vec<_>>()
    };
    // What is answered with a redirect leads no further, and which requests these are differs from run to run: it may take a few.
    let rounds = (0..4).take_while(|round| *round == 0 || !missing().is_empty());
    for format in rounds.flat_map(|_| formats) {
        // A token that an earlier run was given is not this one's.
        echo.seen.lock().unwrap().clear();
        let args = [args.clone(), vec!["--format".to_owned(), format.clone()]].concat();
        let text = written(&args, &folder);
        assert!(text.contains("[redacted]"), "{group}, {format}: {text}");
        for secret in &secrets {
            found.extend(leaks(secret, &text).into_iter().map(|leak| format!("{group}, {format}: {leak}")));
            if streamed(&text).contains(secret.as_str()) {
                found.push(format!("{group}, {format}: {secret} over several events"));
            }
        }
    }
    assert!(missing().is_empty(), "{group}: the agent was never sent {:?}", missing());
    found
}

#[test]
fn no_secret_is_in_anything_that_is_written_whatever_an_agent_makes_of_it() {
    let agent = Served::agent(&[]);
    let mut formats = formats(&["check", "http://h.invalid"]);
    // Of `scenario` only.
    formats.retain(|format| format != "acts");
    assert!(formats.len() >= 9, "{formats:?}");
    let mut groups: Vec<&str> = SECRET_OPTIONS.iter().map(|(_, _, group)| *group).collect();
    groups.dedup();
    let mut found: Vec<String> = thread::scope(|scope| {
        let (agent, formats) = (agent.agent_url(), &formats);
        // Most of the time they wait: some at once take no longer than one.
        let some = |group| formats.chunks(3).map(move |formats| scope.spawn(move || leaks_of(group, agent, formats)));
        let all: Vec<_> = groups.iter().flat_map(|group| some(*group)).collect();
        all.into_iter().flat_map(|group| group.join().unwrap()).collect()
    });
    found.truncate(40);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_password_in_an_address_is_refused_and_not_repeated() {
    let address = "http://me:Zq-address-7Kx9@127.0.0.1:9/";
    for args in [
        vec!["check", address],
        vec!["check", "http://127.0.0.1:9", "--via", address],
        vec!["check", "http://127.0.0.1:9", "--peer", address],
        vec!["check", "--endpoint", address, "--binding", "jsonrpc"],
        vec!["check", "http://127.0.0.1:9", "--bearer", "abcdefgh", "--allow-origin", address],
        vec!["matrix", address],
        vec!["pairs", address, "http://127.0.0.1:9"],
    ] {
        let output = run(&args);
        let said = format!("{}{}", stdout(&output), stderr(&output));
        assert!(!said.contains("Zq-address"), "{args:?}: {said}");
    }
}
