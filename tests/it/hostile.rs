//! Agents that would hang a client, or fill its memory: the built program against real sockets. It ends, stays small, and
//! says of each what it is.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::attacks::{EVENTS, JSON, ProgramRun, answer, server};
use crate::cli::Served;

/// What a further run prints.
fn again(url: &str, args: &[&str]) -> String {
    ProgramRun::start(&[&["check", url], args].concat(), Duration::from_secs(240)).text
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
    let ran = ProgramRun::check("200 MB", &url, &[]);
    ran.says("the body is longer than 5 MB: reading stopped");
    assert!(ran.passed() > 50, "{}", ran.passed());
    assert_eq!(ran.failed(), Vec::<&str>::new());
}

#[test]
fn a_card_of_200_mb_is_reported_as_too_large() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |_, _, stream| answer(stream, JSON, None, mega(b' ', 200)));
    ProgramRun::check("200 MB of card", &url, &[]).says("more than any card has: the body is longer than 5 MB");
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
        let ran = ProgramRun::check(what, &url, &["--reach-timeout", "2"]);
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
    ProgramRun::check("big heads", &url, &[]);
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
    let ran = ProgramRun::check("silent stream", &url, &["--idle-timeout", "1"]);
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
    ProgramRun::check("redirects", &url, &[]).says("redirected more than 5 times");
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
    let ran = ProgramRun::check("many big answers", &url, &["--timeout", "300"]);
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
    let ran = ProgramRun::check("endless stream", &url, &[]);
    assert!(ran.text.contains("the stream contains more than 2000 events"));
    assert!(ran.passed() > 50, "{}", ran.passed());
}

#[test]
fn a_line_of_1_gb_is_not_an_event() {
    let agent = Served::agent(&[]);
    let url = server(agent.agent_url(), usize::MAX, |_, asked, stream| {
        asked.streams() && answer(stream, EVENTS, None, [b"data: ".to_vec()].into_iter().chain(mega(b'x', 1024)))
    });
    let ran = ProgramRun::check("1 GB line", &url, &[]);
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
    let ran = ProgramRun::check("10 000 levels", &url, &[]);
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
    let ran =
        ProgramRun::check("slow drip", &url, &["--answer-timeout", "2", "--event-timeout", "3", "--timeout", "20"]);
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
    let ran = ProgramRun::check("a run of 6 s", &url, &["--run-timeout", "6"]);
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
    let ran = ProgramRun::check("cut short", &url, &[]);
    ran.says("the answer broke off in the middle");
    assert!(ran.passed() > 50, "{}", ran.passed());
    assert_eq!(ran.failed(), Vec::<&str>::new());
}

#[test]
fn an_agent_that_dies_after_20_requests_is_reported_with_the_fatal_request() {
    let agent = Served::agent(&[]);
    // The one after the twentieth is accepted, and closed without a word.
    let url = server(agent.agent_url(), 21, |number, _, _| number == 20);
    let ran = ProgramRun::check("dies after 20", &url, &[]);
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
    let ran = ProgramRun::check("cold start", &url, &["--only", "discovery.*"]);
    ran.says("the first answer took 6 s, as if the agent had to start up");
    let text = again(&url, &["--only", "discovery.*", "--format", "markdown"]);
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
    let ran = ProgramRun::check("5 000 interfaces", &url, &["--only", "card.*"]);
    assert!(ran.incomplete().starts_with("16 of the 5000 interfaces of the card were checked"), "{}", ran.incomplete());
    assert_eq!(ran.report["lanes"].as_array().map(Vec::len), Some(16));
    assert_eq!(ran.report["notChecked"].as_array().map(Vec::len), Some(4_984));
    // Where people read, the first of them are enough.
    let text = again(&url, &["--only", "card.*"]);
    assert!(text.contains("4968 more interfaces") && text.len() < 100_000, "{} bytes", text.len());
}
