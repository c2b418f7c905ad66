//! Agents that would hang a client, or fill its memory: the built program against real sockets. It ends, stays small, and
//! says of each what it is.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cli::{Served, program};

/// The most memory that a run may take, whatever it meets.
const MOST_KB: u64 = 150 * 1024;

/// A request as the server saw it.
pub(crate) struct SecurityScheme {
    head: String,
    body: String,
}

impl SecurityScheme {
    /// Whether it calls an operation, in either binding.
    fn calls(&self, method: &str, path: &str) -> bool {
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
}

/// Handles a request: `true` when it was dealt with, else the scripted agent answers it.
type Trick = dyn Fn(usize, &SecurityScheme, &mut TcpStream) -> bool + Send + Sync;

/// A server in front of the scripted agent that plays a trick on some requests; it serves so many and dies.
pub(crate) fn server(
    agent: &str,
    life: usize,
    trick: impl Fn(usize, &SecurityScheme, &mut TcpStream) -> bool + Send + Sync + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap().to_string();
    let (own, agent) = (place.clone(), agent.trim_start_matches("http://").to_owned());
    let trick: Arc<Trick> = Arc::new(trick);
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate().take(life) {
            let (own, agent, trick) = (own.clone(), agent.clone(), Arc::clone(&trick));
            // It ignores a client that hung up.
            thread::spawn(move || serve(number, stream.unwrap(), &own, &agent, &*trick).unwrap_or_default());
        }
    });
    format!("http://{place}")
}

fn serve(number: usize, mut stream: TcpStream, own: &str, agent: &str, trick: &Trick) -> std::io::Result<()> {
    let asked = read(&mut stream)?;
    if trick(number, &asked, &mut stream) {
        return Ok(());
    }
    let mut behind = TcpStream::connect(agent)?;
    let (line, rest) = asked.head.split_once("\r\n").unwrap_or_default();
    write!(behind, "{line}\r\nConnection: close\r\n{rest}{}", asked.body)?;
    if asked.is_call() {
        std::io::copy(&mut behind, &mut stream)?;
        return Ok(());
    }
    let mut bytes = Vec::new();
    behind.read_to_end(&mut bytes)?;
    // Ports are of one length where tests run, so that no length has to be corrected.
    stream.write_all(String::from_utf8_lossy(&bytes).replace(agent, own).as_bytes())
}

fn read(stream: &mut TcpStream) -> std::io::Result<SecurityScheme> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head)? > 0 {}
    let length =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(SecurityScheme { head, body: String::from_utf8_lossy(&body).into_owned() })
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

pub(crate) const JSON: &str = "application/json";
pub(crate) const EVENTS: &str = "text/event-stream";

/// A run of the program: its report, what it shows on a terminal, and what it cost.
pub(crate) struct Ran {
    pub(crate) report: Value,
    pub(crate) text: String,
    peak_kb: Option<u64>,
    took: Duration,
}

impl Ran {
    /// Checks the address with these arguments.
    pub(crate) fn check(what: &str, url: &str, args: &[&str]) -> Self {
        let (json, peak_kb, took) = Self::once(url, &[args, &["--format", "json"]].concat());
        let report: Value = serde_json::from_str(&json).unwrap();
        let ran = Self { text: json, report, peak_kb, took };
        eprintln!("{what}: peak {} KB, {:.1} s", ran.peak_kb.unwrap_or_default(), ran.took.as_secs_f64());
        assert!(ran.peak_kb.is_none_or(|peak| peak < MOST_KB), "{what}: {:?} KB", ran.peak_kb);
        ran
    }

    fn once(url: &str, args: &[&str]) -> (String, Option<u64>, Duration) {
        let start = Instant::now();
        let mut child =
            program().args(["check", url]).args(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let mut out = child.stdout.take().unwrap();
        let reader = thread::spawn(move || {
            let mut text = String::new();
            out.read_to_string(&mut text).unwrap();
            text
        });
        let mut peak = None;
        while child.try_wait().unwrap().is_none() {
            // The most it ever had, so that the last reading says it: the first may be of our own memory, which the program
            // shares for a moment when it starts. There is no such file but on Linux.
            let now = std::fs::read_to_string(&status).ok();
            let line = now.as_deref().and_then(|text| text.lines().find_map(|line| line.strip_prefix("VmHWM:")));
            peak = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).or(peak);
            assert!(start.elapsed() < Duration::from_secs(240), "it hangs");
            thread::sleep(Duration::from_millis(20));
        }
        (reader.join().unwrap(), peak, start.elapsed())
    }

    /// Asserts that a row says so.
    pub(crate) fn says(&self, words: &str) {
        let messages: Vec<_> = self.rows().filter_map(|row| row["message"].as_str()).collect();
        assert!(messages.iter().any(|message| message.contains(words)), "{words}: {messages:#?}");
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &Value> {
        self.report["categories"].as_object().unwrap().values().flat_map(|rows| rows.as_array().unwrap())
    }

    pub(crate) fn passed(&self) -> usize {
        self.rows().filter(|row| row["status"] == "pass").count()
    }

    /// The ids of the rows that failed.
    pub(crate) fn failed(&self) -> Vec<&str> {
        self.rows().filter(|row| row["status"] == "fail").filter_map(|row| row["test"].as_str()).collect()
    }

    /// Why the run saw less than it had to.
    pub(crate) fn incomplete(&self) -> &str {
        self.report["incomplete"].as_str().unwrap_or_default()
    }
}

fn mega(letter: u8, count: usize) -> impl Iterator<Item = Vec<u8>> {
    std::iter::repeat_n(vec![letter; 1 << 20], count)
}

#[test]
fn a_body_of_200_mb_is_not_read_to_its_end() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |_, asked, stream| {
        asked.sends() && answer(stream, JSON, Some(200 << 20), mega(b' ', 200))
    });
    let ran = Ran::check("200 MB", &url, &[]);
    ran.says("the body is longer than 5 MB: reading stopped");
    assert!(ran.passed() > 50, "{}", ran.passed());
    assert_eq!(ran.failed(), Vec::<&str>::new());
}

#[test]
fn a_card_of_200_mb_is_reported_as_too_large() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |_, _, stream| answer(stream, JSON, None, mega(b' ', 200)));
    Ran::check("200 MB of card", &url, &[]).says("more than any card has: the body is longer than 5 MB");
}

#[test]
fn a_card_that_is_cut_short_is_blocked_with_the_reason() {
    let agent = Served::agent(&[]);
    let tricks: [(&str, Harm, &str); 4] = [
        (
            "10 000 levels of card",
            |stream| answer(stream, JSON, None, ["[".repeat(10_000), "]".repeat(10_000)]),
            "the card contains more than 128 nested arrays and objects, so reading stopped",
        ),
        (
            "a card that is an endless stream",
            |stream| answer(stream, EVENTS, None, std::iter::repeat("data: {}\n\n")),
            "more than any card has: the stream contains more than 2000 events",
        ),
        (
            "a card that drips",
            |stream| answer(stream, JSON, Some(1 << 20), drops()),
            "started to respond and did not finish within the 2 s allowed for the card",
        ),
        (
            "a card that is cut short",
            |stream| answer(stream, JSON, Some(1000), ["{\"name\""]),
            "the card broke off in the middle",
        ),
    ];
    for (what, trick, words) in tricks {
        let url = server(agent.agent_url(), usize::MAX, move |_, _, stream| trick(stream));
        let ran = Ran::check(what, &url, &["--reach-timeout", "2"]);
        ran.says(words);
        assert_eq!(ran.failed(), Vec::<&str>::new());
        assert!(ran.incomplete().contains(words), "{}", ran.incomplete());
    }
}

#[test]
fn response_heads_of_300_kb_do_not_fill_the_memory() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |number, asked, stream| {
        let fields: String = (0..40).map(|field| format!("X-{field}: {}\r\n", "x".repeat(7_500))).collect();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {JSON}\r\nContent-Length: 2\r\n{fields}\r\n{{}}");
        asked.is_call() && number > 3 && stream.write_all(head.as_bytes()).is_ok()
    });
    Ran::check("big heads", &url, &[]);
}

#[test]
fn a_silent_stream_is_closed_when_its_idle_time_runs_out() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |_, asked, stream| {
        let update =
            "{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}";
        let call: Option<Value> = serde_json::from_str(&asked.body).ok();
        let event = match call.as_ref().and_then(|call| call.get("id")) {
            Some(id) => format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{update}}}\n\n"),
            None => format!("data: {update}\n\n"),
        };
        let silence = std::iter::once_with(|| {
            thread::sleep(Duration::from_secs(10));
            String::new()
        });
        asked.streams() && answer(stream, EVENTS, None, std::iter::once(event).chain(silence))
    });
    let ran = Ran::check("silent stream", &url, &["--idle-timeout", "1"]);
    assert!(ran.text.contains("the 1 s allowed without data on the stream"));
    assert!(ran.passed() > 50, "{}", ran.passed());
    assert!(ran.took < Duration::from_secs(60), "{:?}", ran.took);
}

#[test]
fn endless_redirects_are_followed_only_a_few_times() {
    let agent = Served::agent(&[]);
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let url = server(agent.agent_url(), usize::MAX, move |_, _, stream| {
        let number = counted.fetch_add(1, Ordering::Relaxed);
        let head = format!("HTTP/1.1 302 Found\r\nLocation: /again/{number}\r\nContent-Length: 0\r\n\r\n");
        stream.write_all(head.as_bytes()).is_ok()
    });
    Ran::check("redirects", &url, &[]).says("redirected more than 5 times");
    assert!(asked.load(Ordering::Relaxed) < 40);
}

#[test]
fn responses_of_many_tiny_values_or_of_the_greatest_length_do_not_fill_the_memory() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |number, asked, stream| {
        if !asked.is_call() || number < 4 {
            return false;
        }
        let filling =
            if number % 2 == 0 { "{\"\":0}," } else { "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"," };
        let count = if number % 2 == 0 { 80_000 } else { 90_000 };
        answer(stream, JSON, None, ["[".to_owned(), filling.repeat(count), "0]".to_owned()])
    });
    let ran = Ran::check("many big answers", &url, &["--timeout", "300"]);
    assert_eq!(ran.incomplete(), "the answers in this run have used up the memory allowed");
}

#[test]
fn an_endless_stream_is_closed_at_the_limit_of_events() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |_, asked, stream| {
        let filling = "x".repeat(2000);
        let update = format!(
            "{{\"statusUpdate\":{{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{{\"state\":\"TASK_STATE_WORKING\"}},\
             \"metadata\":{{\"x\":\"{filling}\"}}}}}}"
        );
        let call: Option<Value> = serde_json::from_str(&asked.body).ok();
        let event = match call.as_ref().and_then(|call| call.get("id")) {
            Some(id) => format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{update}}}\n\n"),
            None => format!("data: {update}\n\n"),
        };
        asked.streams() && answer(stream, EVENTS, None, std::iter::repeat(event))
    });
    let ran = Ran::check("endless stream", &url, &[]);
    assert!(ran.text.contains("the stream contains more than 2000 events"));
    assert!(ran.passed() > 50, "{}", ran.passed());
}

#[test]
fn a_line_of_1_gb_is_not_an_event() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |_, asked, stream| {
        asked.streams() && answer(stream, EVENTS, None, [b"data: ".to_vec()].into_iter().chain(mega(b'x', 1024)))
    });
    let ran = Ran::check("1 GB line", &url, &[]);
    ran.says("no event came: the stream is longer than 8 MB: reading stopped");
    assert!(ran.passed() > 50, "{}", ran.passed());
    assert_eq!(ran.failed(), Vec::<&str>::new());
}

#[test]
fn json_of_10_000_levels_is_reported_as_too_deep_and_not_as_broken() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |_, asked, stream| {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        asked.sends() && answer(stream, JSON, Some(deep.len()), [deep])
    });
    let ran = Ran::check("10 000 levels", &url, &[]);
    ran.says("more than 128 nested arrays and objects: reading stopped");
    assert!(ran.passed() > 50, "{}", ran.passed());
    assert_eq!(ran.failed(), Vec::<&str>::new());
}

/// The answer to every request.
type Harm = fn(&mut TcpStream) -> bool;

/// A byte, and after a second the next.
fn drops() -> impl Iterator<Item = &'static [u8]> {
    std::iter::repeat_with(|| {
        thread::sleep(Duration::from_secs(1));
        b" ".as_slice()
    })
}

#[test]
fn an_agent_that_drips_bytes_does_not_hold_up_the_run() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |_, asked, stream| {
        (asked.sends() && answer(stream, JSON, Some(1 << 20), drops()))
            || (asked.streams() && answer(stream, EVENTS, None, drops()))
    });
    let ran = Ran::check("slow drip", &url, &["--answer-timeout", "2", "--event-timeout", "3", "--timeout", "20"]);
    ran.says("the answer did not end within the 2 s allowed for an answer");
    ran.says("the answer did not end within the 3 s allowed for the first event");
    assert_eq!(ran.failed(), Vec::<&str>::new());
}

#[test]
fn a_run_ends_when_its_time_is_over() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |number, asked, stream| {
        asked.is_call() && number > 20 && answer(stream, JSON, None, drops())
    });
    let ran = Ran::check("a run of 6 s", &url, &["--run-timeout", "6"]);
    assert!(ran.took < Duration::from_secs(20), "{:?}", ran.took);
    ran.says("the run reached its limit of 6 s");
    assert_eq!(ran.incomplete(), "the run reached its limit of 6 s");
}

#[test]
fn a_truncated_response_is_not_reported_as_broken_json() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |_, asked, stream| {
        asked.sends() && answer(stream, JSON, Some(1000), ["{\"jsonrpc\""])
    });
    let ran = Ran::check("cut short", &url, &[]);
    ran.says("the answer broke off in the middle");
    assert!(ran.passed() > 50, "{}", ran.passed());
    assert_eq!(ran.failed(), Vec::<&str>::new());
}

#[test]
fn an_agent_that_dies_after_20_requests_is_reported_with_the_fatal_request() {
    let agent = Served::agent(&[]);
    // The one after the twentieth is accepted, and closed without a word.
    let url = server(agent.agent_url(), 21, |number, _, _| number == 20);
    let ran = Ran::check("dies after 20", &url, &[]);
    let why = ran.incomplete();
    eprintln!("{why}");
    assert!(why.contains("and then stopped, as if it had crashed. This began with exchange 2"), "{why}");
    assert_eq!(ran.report["cause"], why);
    assert_eq!(ran.failed(), Vec::<&str>::new());
}

#[test]
fn an_agent_that_wakes_up_late_passes_with_a_note() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |number, _, _| {
        if number == 0 {
            thread::sleep(Duration::from_millis(5500));
        }
        false
    });
    let ran = Ran::check("cold start", &url, &["--only", "discovery.*"]);
    ran.says("the first answer took 6 s, as if the agent had to start up");
    let (text, ..) = Ran::once(&url, &["--only", "discovery.*", "--format", "markdown"]);
    assert!(!text.contains("the first answer took"), "a warm agent is told nothing");
}

/// The card of an agent at that address with so many interfaces, none of which has any method.
fn card_of_many(url: &str, interfaces: usize) -> String {
    let at = |number| format!(r#"{{"url":"{url}/{number}","protocolBinding":"JSONRPC","protocolVersion":"1.0"}}"#);
    let all: Vec<_> = (0..interfaces).map(at).collect();
    format!(
        r#"{{"name":"many","description":"d","version":"1","capabilities":{{}},"defaultInputModes":["text/plain"],
            "defaultOutputModes":["text/plain"],"skills":[{{"id":"s","name":"s","description":"d","tags":["t"]}}],
            "supportedInterfaces":[{}]}}"#,
        all.join(",")
    )
}

#[test]
fn a_card_with_5000_interfaces_makes_neither_a_long_run_nor_a_long_report() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |_, asked, stream| {
        if !asked.is_call() {
            let host = asked
                .head
                .lines()
                .find_map(|line| line.split_once(": ").filter(|(name, _)| name.eq_ignore_ascii_case("host")));
            let card = card_of_many(&format!("http://{}", host.unwrap().1), 5_000);
            return answer(stream, JSON, Some(card.len()), [card]);
        }
        let call: Option<Value> = serde_json::from_str(&asked.body).ok();
        let id = call.map(|call| call["id"].clone()).unwrap_or_default();
        let refusal =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#);
        answer(stream, JSON, Some(refusal.len()), [refusal])
    });
    let ran = Ran::check("5 000 interfaces", &url, &["--only", "card.*"]);
    assert!(ran.incomplete().starts_with("16 of the 5000 interfaces of the card were checked"), "{}", ran.incomplete());
    assert_eq!(ran.report["lanes"].as_array().map(Vec::len), Some(16));
    assert_eq!(ran.report["notChecked"].as_array().map(Vec::len), Some(4_984));
    // Where people read, the first of them are enough.
    let (text, ..) = Ran::once(&url, &["--only", "card.*"]);
    assert!(text.contains("4968 more interfaces") && text.len() < 100_000, "{} bytes", text.len());
}
