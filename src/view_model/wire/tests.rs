//! How an exchange is shown.

use super::*;
use crate::wire::exchange::TransportError;
use crate::wire::http::Request;
use crate::wire::sse::Frame;

fn exchange(request: Request, response: Option<Response>) -> Exchange {
    Exchange {
        id: 1,
        lane: None,
        scenario: "s".into(),
        step: "send".into(),
        request,
        sent_ms: 100.0,
        response,
        end: End::Complete,
        end_ms: 200.0,
    }
}

fn text(lines: &[TextLine]) -> String {
    lines
        .iter()
        .map(|line| line.spans.iter().map(|span| span.1.as_str()).collect::<String>())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_place_of_a_finding_is_read_from_its_words() {
    let mark = |event, pointer: Option<&str>, words: &str| Mark {
        event,
        pointer: pointer.map(Into::into),
        words: words.into(),
    };
    for (place, read) in [
        ("/result/id", mark(None, Some("/result/id"), "")),
        ("event 3 /status/state", mark(Some(3), Some("/status/state"), "event 3")),
        ("event 2", mark(Some(2), None, "event 2")),
        ("Content-Type", mark(None, None, "content-type")),
        ("application/json", mark(None, None, "application/json")),
        ("", mark(None, None, "")),
    ] {
        assert_eq!(Mark::parse(place), read, "{place}");
    }
}

#[test]
fn the_pointed_at_line_is_marked_and_no_other() {
    let ShownBody::Text { lines, cut } = body(br#"{"a":{"b":1},"b":2}"#, 19, &Mark::parse("/a/b")) else { panic!() };
    let marked: Vec<_> = lines.iter().filter(|line| line.marked).collect();
    assert_eq!(marked.len(), 1);
    assert_eq!(text(&[marked[0].clone()]), "    \"b\": 1");
    assert_eq!(cut, None);
}

#[test]
fn a_long_body_is_cut_around_the_marked_place() {
    let value: json::Value = (0..3_000).map(|n| json::Value::from(format!("value {n}"))).collect();
    let bytes = serde_json::to_vec(&value).unwrap();
    let ShownBody::Text { lines, cut } = body(&bytes, bytes.len(), &Mark::parse("/2500")) else { panic!() };
    assert!(text(&lines).len() < SHOWN + 100);
    assert!(lines.iter().any(|line| line.marked));
    assert!(cut.unwrap().ends_with(&format!("of 3002 are shown; the whole is {}.", format::bytes(bytes.len()))));
}

#[test]
fn what_is_no_json_is_shown_as_it_came_with_its_size() {
    let bytes = "<b>é</b>\n".repeat(4_000).into_bytes();
    let ShownBody::Text { lines, cut } = body(&bytes, 999_999, &Mark::default()) else { panic!() };
    assert_eq!(text(&lines[..1]), "<b>é</b>");
    assert_eq!(cut.as_deref(), Some("Cut: 10 kB of 1 MB are shown."));
}

#[test]
fn a_stream_is_a_timeline_with_its_gaps() {
    let frame = |at_ms, data: &str| TimedFrame { at_ms, frame: Frame { data: data.into(), ..Frame::default() } };
    let frames = vec![frame(110.0, r#"{"a":1}"#), frame(1_310.0, "no json"), frame(1_311.0, "x")];
    let response = Response { frames, ..Response::default() };
    let sheet = response_of(&exchange(Request::get("http://h/"), Some(response)), "event 1 /a");
    let ShownBody::Timeline { events, cut: None } = sheet.body else { panic!() };
    let shown: Vec<_> = events.iter().map(|e| (e.at.as_str(), e.gap.as_str(), e.scale, e.marked)).collect();
    assert_eq!(shown, [("10 ms", "10 ms", 2, true), ("1.2 s", "1.2 s", 5, false), ("1.2 s", "1 ms", 0, false)]);
    assert!(events[0].lines.iter().any(|line| line.marked));
}

fn response_of(exchange: &Exchange, place: &str) -> HttpMessage {
    response(exchange, &Mark::parse(place), None).unwrap()
}

#[test]
fn a_header_that_a_finding_is_about_is_marked() {
    let response = Response {
        headers: [("content-type", "text/html"), ("etag", "x")].into_iter().collect(),
        ..Response::default()
    };
    let sheet = response_of(&exchange(Request::get("http://h/"), Some(response)), "header Content-Type");
    assert_eq!(sheet.headers.iter().map(|field| field.marked).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn curl_quotes_for_the_shell_and_asks_for_secrets() {
    let request = Request::post("http://h/?a=b&c", "application/json", "{\"t\":\"it's [redacted]\"}")
        .with_header("authorization", "Bearer [redacted]");
    assert_eq!(
        bash(&exchange(request, None)),
        "curl -i -X POST 'http://h/?a=b&c' \\\n  -H 'content-type: application/json' \\\n  \
         -H 'authorization: Bearer '\"$SECRET\"'' \\\n  --data-binary '{\"t\":\"it'\\''s '\"$SECRET\"'\"}'"
    );
    assert_eq!(bash(&exchange(Request::get("http://h/"), None)), "curl -i 'http://h/'");
}

#[test]
fn what_the_engine_of_a_browser_calls_every_trouble_is_not_shown() {
    let end = |kind| End::NoAnswer(TransportError { kind, detail: "Failed to fetch".to_owned() });
    for shown in [ending(&end(TransportErrorKind::Opaque)), end(TransportErrorKind::Opaque).cut()] {
        let shown = shown.unwrap();
        assert!(
            shown.to_lowercase().contains("no answer that this page may read") && !shown.contains("fetch"),
            "{shown}"
        );
    }
    assert!(ending(&end(TransportErrorKind::Other)).unwrap().contains("Failed to fetch"));
}

#[test]
fn a_page_says_which_headers_the_browser_may_have_hidden_from_it() {
    let mut answer = Response { status: 200, url: "https://agent.example/a2a".into(), ..Response::default() };
    answer.headers.push("content-type", "application/json");
    let hidden = |answer: &Response, from| {
        let exchange = exchange(Request::get("https://agent.example/a2a"), Some(answer.clone()));
        response(&exchange, &Mark::default(), from).unwrap().hidden
    };
    let text = hidden(&answer, Some("https://page.example"));
    assert!(text.contains("WWW-Authenticate, ETag") && text.contains("cache-control"), "{text}");
    assert_eq!(hidden(&answer, None), "", "the command line sees everything");
    assert_eq!(hidden(&answer, Some("https://agent.example")), "", "nothing is hidden from the agent's own pages");
    answer.headers.push("access-control-expose-headers", "etag, WWW-Authenticate");
    let text = hidden(&answer, Some("https://page.example"));
    assert!(!text.contains("ETag") && text.contains("Retry-After") && text.contains("X-A2A-Extensions"), "{text}");
    answer.headers.replace("access-control-expose-headers", "*");
    assert_eq!(hidden(&answer, Some("https://page.example")), "");
}
