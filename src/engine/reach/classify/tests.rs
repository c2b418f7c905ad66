//! Every situation between a page and an agent that was measured in three browser engines, and the reason it must get.

use super::*;
use crate::engine::reach::triage::triage;
use crate::host::probe::{Browser, PageOrigin};

const ANSWER: ProbeOutcome = ProbeOutcome::Answer(200);
const LOOPBACK: &str = "http://localhost:8080/";
const PUBLIC: &str = "https://checker.example/";

fn target(url: &str, page: &str, browser: Browser) -> Triage {
    triage(url, &PageOrigin { browser, ..PageOrigin::from_address(page) }).unwrap()
}

fn local() -> Triage {
    target("http://127.0.0.1:9999/x", LOOPBACK, Browser::Chromium)
}

fn read(target: &Triage, seen: Observations) -> ReachFinding {
    classify(Stage::Read, Method::Get, target, &seen)
}

fn with(first: ProbeOutcome, hidden: ProbeOutcome) -> Observations {
    Observations { hidden: Some(hidden), ..Observations::new(first) }
}

#[test]
fn reading_gets_the_reason_of_every_row_of_the_table() {
    use Browser::{Chromium, Firefox, WebKit};
    use Permission::{Denied, Granted, Prompt, Unknown};
    // Situation; URL; the page; browser; cors; no-cors; permission; reason; the likeliest cause.
    type Row = (
        &'static str,
        &'static str,
        &'static str,
        Browser,
        ProbeOutcome,
        ProbeOutcome,
        Permission,
        &'static str,
        &'static str,
    );
    let (error, hidden, pending) = (ProbeOutcome::Error, ProbeOutcome::Hidden, ProbeOutcome::Pending);
    let rows: &[Row] = &[
        (
            "no, a wrong or two allow-origin",
            "http://127.0.0.1:9/",
            LOOPBACK,
            Chromium,
            error,
            hidden,
            Unknown,
            "cors-missing",
            "",
        ),
        (
            "the same in Firefox",
            "http://127.0.0.1:9999/",
            LOOPBACK,
            Firefox,
            error,
            hidden,
            Unknown,
            "cors-missing",
            "",
        ),
        ("the same in Safari", "https://a.example/", PUBLIC, WebKit, error, hidden, Unknown, "cors-missing", ""),
        (
            "resource policy same-origin",
            "https://a.example/",
            PUBLIC,
            Chromium,
            error,
            error,
            Unknown,
            "unreachable",
            "certificate",
        ),
        (
            "port refused",
            "http://127.0.0.1:9999/",
            LOOPBACK,
            Chromium,
            error,
            error,
            Unknown,
            "unreachable",
            "listening",
        ),
        ("name missing", "http://a.example/", LOOPBACK, Chromium, error, error, Unknown, "unreachable", "dns"),
        (
            "closes or resets",
            "http://localhost:9999/",
            LOOPBACK,
            Firefox,
            error,
            error,
            Unknown,
            "unreachable",
            "listening",
        ),
        (
            "no HTTP on the port, in Firefox",
            "http://localhost:9999/",
            LOOPBACK,
            Firefox,
            error,
            hidden,
            Unknown,
            "cors-missing",
            "",
        ),
        (
            "a bad certificate",
            "https://a.example/",
            PUBLIC,
            Firefox,
            error,
            error,
            Unknown,
            "unreachable",
            "certificate",
        ),
        (
            "https to a plain port",
            "https://localhost:9999/",
            LOOPBACK,
            Chromium,
            error,
            error,
            Unknown,
            "unreachable",
            "certificate",
        ),
        (
            "http to a TLS port",
            "http://10.0.0.7:9443/",
            LOOPBACK,
            Chromium,
            error,
            error,
            Unknown,
            "unreachable",
            "scheme-https",
        ),
        ("silent", "http://127.0.0.1:9999/", LOOPBACK, Chromium, pending, pending, Unknown, "no-answer", ""),
        (
            "silent only to the second",
            "http://127.0.0.1:9999/",
            LOOPBACK,
            Chromium,
            error,
            pending,
            Unknown,
            "no-answer",
            "",
        ),
        (
            "a private name is missing",
            "http://box.local/",
            LOOPBACK,
            Chromium,
            error,
            error,
            Unknown,
            "unreachable",
            "dns",
        ),
        ("mixed content, public", "http://a.example/", PUBLIC, Chromium, error, error, Unknown, "mixed-content", ""),
        (
            "mixed content, loopback in Safari",
            "http://localhost:9999/",
            PUBLIC,
            WebKit,
            error,
            error,
            Unknown,
            "mixed-content",
            "",
        ),
        (
            "mixed content, LAN in Firefox",
            "http://192.168.0.2/",
            PUBLIC,
            Firefox,
            error,
            error,
            Unknown,
            "mixed-content",
            "",
        ),
        ("bad port", "http://127.0.0.1:6667/", LOOPBACK, Chromium, error, error, Unknown, "bad-port", ""),
        (
            "the unspecified address",
            "http://0.0.0.0:8000/",
            LOOPBACK,
            Firefox,
            error,
            error,
            Unknown,
            "unspecified",
            "",
        ),
        (
            "permission denied",
            "http://localhost:9999/",
            PUBLIC,
            Chromium,
            error,
            error,
            Denied,
            "permission-denied",
            "",
        ),
        (
            "permission denied, https to a LAN",
            "https://192.168.0.2/",
            PUBLIC,
            Firefox,
            error,
            error,
            Denied,
            "permission-denied",
            "",
        ),
        ("asking now", "http://localhost:9999/", PUBLIC, Chromium, pending, pending, Prompt, "permission-waiting", ""),
        (
            "asked, nothing listens",
            "http://localhost:9999/",
            PUBLIC,
            Chromium,
            error,
            error,
            Prompt,
            "unreachable",
            "listening",
        ),
        (
            "granted, CORS missing",
            "http://localhost:9999/",
            PUBLIC,
            Firefox,
            error,
            hidden,
            Granted,
            "cors-missing",
            "",
        ),
        (
            "granted, nothing listens",
            "http://localhost:9999/",
            PUBLIC,
            Chromium,
            error,
            error,
            Granted,
            "unreachable",
            "listening",
        ),
        (
            "a page of http",
            "http://localhost:9999/",
            "http://checker.example/",
            Chromium,
            error,
            error,
            Unknown,
            "permission-insecure",
            "",
        ),
        (
            "a page of http, to which the browser calls it denied",
            "http://localhost:9999/",
            "http://checker.example/",
            Chromium,
            error,
            error,
            Denied,
            "permission-insecure",
            "",
        ),
        (
            "denied is nothing to a page of this machine",
            "http://localhost:9999/",
            LOOPBACK,
            Chromium,
            error,
            hidden,
            Denied,
            "cors-missing",
            "",
        ),
    ];
    for (situation, url, page, browser, cors, no_cors, permission, reason, cause) in rows {
        let seen = Observations { permission: *permission, ..with(*cors, *no_cors) };
        let url = url.replace(":9/", ":9999/");
        let found = read(&target(&url, page, *browser), seen);
        assert_eq!(found.reason.id.as_str(), *reason, "{situation}");
        assert_eq!(found.causes.first().map_or("", |cause| cause.as_str()), *cause, "{situation}");
    }
}

#[test]
fn a_browser_without_network_and_a_page_with_a_policy_say_so() {
    let remote = target("https://a.example/", PUBLIC, Browser::Chromium);
    let gone = with(ProbeOutcome::Error, ProbeOutcome::Error);
    assert_eq!(read(&remote, Observations { offline: true, ..gone.clone() }).reason.id.as_str(), "offline");
    assert_ne!(read(&local(), Observations { offline: true, ..gone.clone() }).reason.id.as_str(), "offline");
    assert_eq!(read(&remote, Observations { policy: true, ..gone }).reason.id.as_str(), "policy");
}

#[test]
fn one_host_can_withhold_one_answer() {
    let withheld = with(ProbeOutcome::Error, ProbeOutcome::Hidden);
    let hop = Observations { manual: Some(ProbeOutcome::Redirect), ..withheld.clone() };
    assert_eq!(read(&local(), hop).reason.id.as_str(), "cors-redirect");
    let hop =
        Observations { manual: Some(ProbeOutcome::Error), elsewhere: Some(ProbeOutcome::Error), ..withheld.clone() };
    assert_eq!(read(&local(), hop).reason.id.as_str(), "cors-missing");
    let other = Observations { elsewhere: Some(ProbeOutcome::Answer(404)), ..withheld };
    assert_eq!(read(&local(), other).reason.id.as_str(), "cors-this-path");
}

#[test]
fn a_host_that_answers_elsewhere_is_there() {
    let gone = with(ProbeOutcome::Error, ProbeOutcome::Error);
    let up = Observations { elsewhere: Some(ProbeOutcome::Hidden), ..gone.clone() };
    assert_eq!(read(&local(), up).reason.id.as_str(), "breaks");
    let down = Observations { elsewhere: Some(ProbeOutcome::Error), ..gone };
    assert_eq!(read(&local(), down).reason.id.as_str(), "unreachable");
}

#[test]
fn calling_names_what_the_preflight_refuses() {
    const NAMES: [&str; 3] = ["content-type", "a2a-version", "authorization"];
    let (yes, no) = (ProbeOutcome::Answer(400), ProbeOutcome::Error);
    for (situation, first, simple, hidden, headers, reason, named) in [
        (
            "only content-type is allowed",
            no,
            yes,
            None,
            [yes, no, no],
            "preflight-header",
            vec!["a2a-version", "authorization"],
        ),
        ("a2a-version is not allowed", no, yes, None, [yes, no, yes], "preflight-header", vec!["a2a-version"]),
        ("OPTIONS is refused", no, yes, None, [no, no, no], "preflight-refused", NAMES.to_vec()),
        (
            "the preflight is never answered",
            ProbeOutcome::Pending,
            yes,
            None,
            [ProbeOutcome::Pending; 3],
            "preflight-silent",
            vec![],
        ),
        ("the card alone has CORS", no, no, Some(ProbeOutcome::Hidden), [no; 3], "cors-missing-write", vec![]),
        ("the connection breaks on calls", no, no, Some(no), [no; 3], "unreachable", vec![]),
        ("nobody answers calls", ProbeOutcome::Pending, ProbeOutcome::Pending, None, [no; 3], "no-answer", vec![]),
        ("it was a moment's failure", no, yes, None, [yes; 3], "passed-since", vec![]),
    ] {
        let headers = NAMES.into_iter().map(str::to_owned).zip(headers).collect();
        let seen = Observations { simple: Some(simple), hidden, headers, ..Observations::new(first) };
        let found = classify(Stage::Write, Method::Post, &local(), &seen);
        assert_eq!(found.reason.id.as_str(), reason, "{situation}");
        assert_eq!(found.headers, named, "{situation}");
        assert_eq!(found.stage, Stage::Write, "{situation}");
    }
}

#[test]
fn a_method_that_must_be_listed_is_named_when_every_header_passes() {
    let headers = vec![("a2a-version".to_owned(), ANSWER)];
    let seen = Observations { simple: Some(ANSWER), headers, ..Observations::new(ProbeOutcome::Error) };
    assert_eq!(classify(Stage::Write, Method::Delete, &local(), &seen).reason.id.as_str(), "preflight-method");
}

#[test]
fn a_card_that_needs_a_header_is_diagnosed_like_a_call() {
    let headers = vec![("authorization".to_owned(), ProbeOutcome::Error)];
    let seen = Observations { simple: Some(ANSWER), headers, ..Observations::new(ProbeOutcome::Error) };
    let found = read(&local(), seen);
    assert_eq!((found.reason.id.as_str(), found.stage), ("preflight-refused", Stage::Read));
}

#[test]
fn a_stream_that_is_withheld_is_told_from_a_call() {
    let seen = Observations {
        simple: Some(ProbeOutcome::Error),
        hidden: Some(ProbeOutcome::Hidden),
        ..Observations::new(ProbeOutcome::Error)
    };
    assert_eq!(classify(Stage::Stream, Method::Post, &local(), &seen).reason.id.as_str(), "cors-missing-stream");
}

#[test]
fn a_stream_whose_headers_all_pass_is_withheld_or_breaks_and_both_are_said() {
    let headers = vec![
        ("content-type".to_owned(), ProbeOutcome::Answer(400)),
        ("a2a-version".to_owned(), ProbeOutcome::Answer(400)),
    ];
    let seen =
        Observations { simple: Some(ProbeOutcome::Answer(415)), headers, ..Observations::new(ProbeOutcome::Error) };
    let found = classify(Stage::Stream, Method::Post, &local(), &seen);
    assert_eq!((found.reason.id.as_str(), found.causes.len()), ("stream-unseen", 2));
}
