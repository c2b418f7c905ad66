//! HAR files judged offline: what an answer shows by itself is judged, and nobody is accused of what a file does not hold.

use a2a_conformance::checker::{RunRecord, open_har};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::report::{Environment, Format, Report, VerdictWord};
use a2a_conformance::view_model::messages::{Opened, Opening};
use a2a_conformance::view_model::traffic::TrafficLine;
use serde_json::{Value, json};

use crate::support::{check_as_told, host};

fn environment() -> Environment {
    Environment { tool_version: "0.0.0".to_owned(), host: "page".to_owned(), user_agent: None }
}

/// The HAR file of a whole run.
fn recorded(faults: &[&str]) -> Value {
    let mut record = RunRecord::new(environment(), None);
    for event in &check_as_told(faults, Options::default()).events {
        record.apply(event);
    }
    serde_json::from_str(&record.file(Format::Har, &[]).text).unwrap()
}

fn try_open(text: &str) -> Option<Result<(RunRecord, Opened), String>> {
    let (host, clock) = host(&[]);
    let opened = clock.block_on(open_har(text, host, environment()))?;
    Some(opened.map(|(record, opening)| match opening {
        Opening::Report(opened) => (record, *opened),
        Opening::Card => panic!("a HAR file is no card"),
    }))
}

fn judged(har: &Value) -> (Report, Vec<TrafficLine>) {
    let (record, opened) = try_open(&har.to_string()).expect("a HAR file").expect("one that can be read");
    assert!(!opened.messages.is_empty());
    (record.report(), record.traffic())
}

/// The checks that fail on a lane, without those of the card.
fn failing(report: &Report) -> Vec<&'static str> {
    let failed = report.results.iter().filter(|row| row.outcome == Outcome::Fail);
    let mut failed: Vec<_> = failed.filter(|row| row.lane.is_some()).map(|row| row.check).collect();
    failed.dedup();
    failed
}

fn passing(report: &Report) -> usize {
    report.results.iter().filter(|row| row.outcome == Outcome::Pass && row.lane.is_some()).count()
}

/// The same file with every entry changed.
fn with_each(har: &Value, change: impl Fn(&mut Value)) -> Value {
    let mut har = har.clone();
    // Another program's file: ours are known to hold requests that are wrong on purpose.
    har["log"]["creator"] = json!({"name": "Some Browser", "version": "1"});
    har["log"]["entries"].as_array_mut().unwrap().iter_mut().for_each(change);
    har
}

#[test]
fn a_conformant_agent_is_accused_of_nothing_and_what_needs_a_conversation_is_not_observed() {
    let har = recorded(&[]);
    let (report, traffic) = judged(&har);
    assert_eq!(failing(&report), Vec::<&str>::new());
    assert!(passing(&report) > 10, "{}", passing(&report));
    assert_eq!(report.word, VerdictWord::Incomplete);
    assert_eq!(traffic.len(), har["log"]["entries"].as_array().unwrap().len());
    for row in report.results.iter().filter(|row| row.lane.is_some()) {
        assert!(
            matches!(row.outcome, Outcome::Pass | Outcome::Note | Outcome::NotObservable),
            "{}: {:?}",
            row.key(),
            row.outcome
        );
    }
    let subject = report.results.iter().find(|row| row.check == "cancel.returns-task");
    assert!(subject.is_none_or(|row| row.outcome == Outcome::NotObservable));
}

#[test]
fn a_fault_of_form_is_found_with_its_exchange() {
    for (fault, check) in [
        ("rpc-version-missing", "jsonrpc.version-member"),
        ("states-lowercase", "enum.task-state"),
        ("answers-text-plain", "jsonrpc.response-content-type"),
    ] {
        let (report, traffic) = judged(&recorded(&[fault]));
        assert!(failing(&report).contains(&check), "{fault}: {:?}", failing(&report));
        assert_eq!(report.word, VerdictWord::NotConformant);
        let row = report.results.iter().find(|row| row.check == check && row.outcome == Outcome::Fail).unwrap();
        assert!(traffic.iter().any(|line| row.exchanges.first() == Some(&line.id)), "{fault}");
    }
}

#[test]
fn what_a_file_leaves_out_accuses_nobody() {
    let har = recorded(&[]);
    type Change = (&'static str, fn(&mut Value));
    let changes: [Change; 7] = [
        ("no header fields", |entry| entry["response"]["headers"] = json!([])),
        ("no bodies", |entry| {
            entry["response"]["content"].as_object_mut().unwrap().remove("text");
        }),
        ("bodies that are cut", |entry| {
            let content = &mut entry["response"]["content"];
            if let Some(text) = content["text"].as_str().map(str::to_owned) {
                content["text"] = text.chars().take(text.chars().count() / 2).collect::<String>().into();
            }
        }),
        ("nothing that says what a body is", |entry| {
            entry["response"]["headers"] = json!([]);
            entry["response"]["content"]["mimeType"] = json!("");
        }),
        ("answers out of a cache", |entry| entry["_fromCache"] = json!("disk")),
        ("errors of a gateway", |entry| {
            entry["response"]["status"] = json!(500);
            let text = r#"{"error": {"message": "upstream", "code": "bad"}}"#;
            entry["response"]["content"] = json!({"size": text.len(), "mimeType": "application/json", "text": text});
        }),
        ("pages of a proxy", |entry| {
            entry["response"]["status"] = json!(502);
            entry["response"]["content"] = json!({"size": 6, "mimeType": "text/html", "text": "<html>"});
        }),
    ];
    for (what, change) in changes {
        let (report, _) = judged(&with_each(&har, change));
        assert_eq!(failing(&report), Vec::<&str>::new(), "{what}");
    }
    let no_requests = with_each(&har, |entry| {
        entry["request"].as_object_mut().unwrap().remove("postData");
    });
    let (report, _) = judged(&no_requests);
    assert_eq!((failing(&report), passing(&report)), (Vec::new(), 0));
}

#[test]
fn an_answer_to_head_is_not_judged_for_its_missing_body() {
    let mut har = recorded(&[]);
    let entries = har["log"]["entries"].as_array_mut().unwrap();
    let mut head = entries.iter().find(|entry| entry["request"]["method"] == "GET").unwrap().clone();
    head["request"]["method"] = json!("HEAD");
    head["response"]["content"]["text"] = json!("");
    entries.insert(0, head);
    let (report, _) = judged(&har);
    assert_eq!(failing(&report), Vec::<&str>::new());
}

#[test]
fn a_body_in_base64_is_judged_as_its_text() {
    use a2a_conformance::wire::base64::STANDARD;
    let encode = |entry: &mut Value| {
        let content = &mut entry["response"]["content"];
        if content["encoding"].is_null()
            && let Some(text) = content["text"].as_str().map(str::to_owned)
        {
            content["text"] = STANDARD.encode(text.as_bytes()).into();
            content["encoding"] = json!("base64");
        }
    };
    for fault in [&[][..], &["states-lowercase"]] {
        let har = recorded(fault);
        let (plain, encoded) = (judged(&with_each(&har, |_| {})).0, judged(&with_each(&har, encode)).0);
        assert_eq!((failing(&plain), passing(&plain)), (failing(&encoded), passing(&encoded)));
    }
}

fn entry(url: &str, version: Option<&str>, request: &Value, response: &Value) -> Value {
    let mut headers = vec![json!({"name": "Content-Type", "value": "application/json"})];
    headers.extend(version.map(|version| json!({"name": "A2A-Version", "value": version})));
    let text = response.to_string();
    json!({
        "startedDateTime": "2026-11-21T08:00:00.000Z", "time": 12.5,
        "request": {"method": "POST", "url": url, "headers": headers,
            "postData": {"mimeType": "application/json", "text": request.to_string()}},
        "response": {"status": 200, "headers": [{"name": "content-type", "value": "application/json"}],
            "content": {"size": text.len(), "mimeType": "application/json", "text": text}},
    })
}

#[test]
fn traffic_that_is_not_of_a2a_or_of_no_known_version_is_shown_and_not_judged() {
    // A task of another protocol over JSON-RPC, one whose version nothing names, and one of a version that is not spoken.
    let task = json!({"jsonrpc": "2.0", "id": 1, "result": {"state": "odd", "context_id": 7}});
    let of = |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"id": "x"}});
    let entries = json!([
        entry("https://mcp.example/rpc", None, &of("tasks/get"), &task),
        entry("https://agent.example/a2a", None, &of("message/send"), &task),
        entry("https://agent.example/a2a", None, &of("GetTask"), &task),
        entry("https://agent.example/a2a", Some("9.9"), &of("GetTask"), &task),
        entry("https://shop.example/api/tasks/1", Some("1.0"), &json!({"a": 1}), &json!({"context_id": 1})),
    ]);
    let (report, traffic) = judged(&json!({"log": {"entries": entries}}));
    assert_eq!((report.results.len(), traffic.len()), (0, 5));
    assert_eq!(report.word, VerdictWord::Incomplete);

    // The same answer to a call that names its version.
    let certain = entry("https://agent.example/a2a?x=1", Some("1.0"), &of("GetTask"), &task);
    let (report, _) = judged(&json!({"log": {"entries": [certain]}}));
    assert!(failing(&report).contains(&"json.camel-case"), "{:?}", failing(&report));
}

#[test]
fn credentials_of_a_recording_are_masked_before_anything_is_shown_or_written() {
    let result = json!({"jsonrpc": "2.0", "id": 1, "result": {"id": "t", "note": "canary-token-0123456789"}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "t"}});
    let mut entry = entry("https://agent.example/a2a?api_key=canary", Some("1.0"), &call, &result);
    let headers = entry["request"]["headers"].as_array_mut().unwrap();
    headers.push(json!({"name": "Authorization", "value": "Bearer canary-token-0123456789"}));
    headers.push(json!({"name": "Cookie", "value": "a=canary"}));
    entry["response"]["headers"].as_array_mut().unwrap().push(json!({"name": "Set-Cookie", "value": "s=canary"}));
    let text = json!({"log": {"entries": [entry]}}).to_string();
    let (record, opened) = try_open(&text).unwrap().unwrap();
    for format in Format::ALL {
        assert!(!record.file(format, &[]).text.contains("canary"), "{format:?}");
    }
    assert!(!format!("{:?}", (opened, record.traffic())).contains("canary"));
}

#[test]
fn what_is_no_har_file_says_what_was_expected() {
    assert!(try_open("{\"a\": 1}").is_none(), "another reader's");
    assert!(try_open("plain text").is_none());
    for (text, said) in [
        (r#"{"log": {}}"#, "log.entries is not an array"),
        (r#"{"log": {"entries": {}}}"#, "log.entries is not an array"),
        (r#"{"log": {"entries": []}}"#, "no request"),
        (r#"{"log": {"entries": [1, {}, {"request": {"url": "data:x"}}]}}"#, "no request"),
    ] {
        let problem = try_open(text).expect("it has a log").map(|_| ()).unwrap_err();
        assert!(problem.contains(said), "{problem}");
    }
}
