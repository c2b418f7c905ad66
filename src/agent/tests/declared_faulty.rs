//! Responses that are wrong on purpose, and those that are wrong by mistake.

use std::cell::RefCell;

use serde_json::json;

use super::*;
use crate::agent::responses_directive;
use crate::wire::base64::{STANDARD, URL_SAFE};

fn declaring(turns: &str) -> Value {
    message(&responses_directive("c", turns).unwrap())
}

/// The error for a message with this text.
fn error_of(text: &str) -> Value {
    Client::with_faults(&[]).call("SendMessage", message(text))["error"].clone()
}

#[test]
fn what_is_wrong_with_responses_is_said_with_its_place() {
    for (turns, problem) in [
        ("{", "responses_json is not JSON: "),
        ("7", "responses_json must be an array of turns, not "),
        ("[]", "responses_json has no turns"),
        (r#"[{"kind":"task"}]"#, "responses_json[0] must be an array of events, not "),
        (r#"[[],["task"]]"#, "responses_json[1][0] must be an event, not "),
        (r#"[[{"kind":"status_update"}]]"#, "responses_json[0][0].kind is \"status_update\"; the kinds are task, "),
        (r#"[[{"state":"working"}]]"#, "responses_json[0][0] does not tell what kind of event it is, "),
        (r#"[[{"kind":"status-update"}]]"#, "responses_json[0][0] has no status"),
        (
            r#"[[{"kind":"task","status":{"state":"done"}}]]"#,
            "responses_json[0][0].status.state is \"done\", which no version has",
        ),
        (r#"[[{"kind":"artifact-update"}]]"#, "responses_json[0][0] has no artifact"),
        (r#"[[{"kind":"message","parts":"hi"}]]"#, "responses_json[0][0].parts must be an array of parts"),
        (
            r#"[[{"message":{"role":"robot","parts":[]}}]]"#,
            "responses_json[0][0].message.role is \"robot\", which no version has",
        ),
        (
            r#"[[{"message":{"parts":[{"kind":"text"}]}}]]"#,
            "responses_json[0][0].message.parts[0] must have exactly one content",
        ),
        (
            r#"[[{"message":{"parts":[{"raw":"?"}]}}]]"#,
            "responses_json[0][0].message.parts[0] has a file whose bytes are not base64",
        ),
        (
            r#"[[{"message":{"parts":[]}},{"drop":true},{"message":{"parts":[]}}]]"#,
            "responses_json[0] has a message beside other events",
        ),
        (r#"[[{"drop":true,"delayMs":-1}]]"#, "responses_json[0][0].delayMs must be a number from 0 to 600000"),
        (r#"[[{"drop":1}]]"#, "responses_json[0][0].drop must be true or false"),
        (r#"[[{"raw":1}]]"#, "responses_json[0][0].raw must be a string"),
        (r#"[[{"raw":"","message":{"parts":[]}}]]"#, "responses_json[0][0].raw is sent in place of a content"),
        (r#"[[{"httpStatus":99}]]"#, "responses_json[0][0].httpStatus must be from 200 to 599"),
        (
            r#"[[{"drop":true},{"httpStatus":500}]]"#,
            "responses_json[0][1].httpStatus stands in the first event of a turn",
        ),
        (
            r#"{"turns":[[]],"setup_artifacts":[{"filename":"a"}]}"#,
            "responses_json.setup_artifacts[0] must have exactly one of content, content_base64 and sample_bytes",
        ),
        (
            r#"{"turns":[[]],"setup_artifacts":[{"filename":"a","sample_bytes":0}]}"#,
            "responses_json.setup_artifacts[0] has sample_bytes that are not from 1 to 16000000",
        ),
        (
            r#"{"turns":[[]],"setup_artifacts":[{"filename":"a","content_base64":"?"}]}"#,
            "responses_json.setup_artifacts[0] has a content_base64 that is not base64",
        ),
        (
            r#"{"turns":[[{"message":{"parts":[{"setup_artifact":"a","as":"file"}]}}]],"setup_artifacts":[{"filename":"a","content":""}]}"#,
            "responses_json[0][0].as must be bytes or url",
        ),
        (
            r#"[[{"message":{"parts":[{"text":"a"}]},"chunkBytes":1}]]"#,
            "responses_json[0][0].chunkBytes is for artifact updates",
        ),
        (
            r#"[[{"artifactUpdate":{"artifact":{"parts":[{"text":"a"}]}},"chunkBytes":1}]]"#,
            "responses_json[0][0].chunkBytes needs an artifact with the bytes of a file",
        ),
        (
            r#"[[{"artifactUpdate":{"artifact":{"parts":[{"raw":"AAEC"}]}},"chunkBytes":0}]]"#,
            "responses_json[0][0].chunkBytes must be a whole number from 1",
        ),
        (
            r#"[[{"message":{"parts":[{"setup_artifact":"a"}]}}]]"#,
            "responses_json[0][0] names the setup artifact \"a\"",
        ),
    ] {
        let said = responses_directive("c", turns).unwrap_err().to_string();
        assert!(said.starts_with(problem), "{turns}: {said}");
        let error = error_of(&format!("[responses_json={}]", STANDARD.encode(turns.as_bytes())));
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!(-32602), &json!(format!("invalid parameters: {said}")))
        );
    }
    let many = format!("[[{}]]", vec![r#"{"raw":""}"#; 401].join(","));
    assert_eq!(responses_directive("c", &many).unwrap_err().to_string(), "responses_json[0] has more than 400 events");
}

#[test]
fn what_is_wrong_with_directives_is_said_too() {
    for (text, problem) in [
        ("[responses_json=W1td", "responses_json has no closing bracket"),
        ("[responses_json=W1!dXQ==]", "responses_json is not base64: byte 2 is '!'"),
        ("[responses_json=W1tdX]", "responses_json is not base64: its last group has one character only"),
        ("[test_case_id=]", "test_case_id must have from 1 to 200 bytes and a closing bracket"),
        ("[test_case_id=c", "test_case_id must have from 1 to 200 bytes and a closing bracket"),
    ] {
        assert_eq!(error_of(text)["message"], format!("invalid parameters: {problem}"), "{text}");
    }
    assert!(responses_directive("a]b", "[[]]").is_err());
}

#[test]
fn base64_is_read_in_both_alphabets_and_over_several_lines() {
    // The text has bytes that the alphabets write differently.
    let turns = r#"[[{"kind":"message","parts":[{"kind":"text","text":"???~~~ÿÿÿ"}]}]]"#.as_bytes();
    let (standard, url_safe) = (STANDARD.encode(turns), URL_SAFE.encode(turns));
    assert_ne!(standard.trim_end_matches('='), url_safe);
    let (head, tail) = standard.split_at(40);
    for coded in [standard.clone(), url_safe, format!("{head}\n      {tail}")] {
        let sent = Client::with_faults(&[]).send(&format!("[responses_json={coded}]"));
        assert_eq!(sent["message"]["parts"][0]["text"], "???~~~ÿÿÿ");
    }
}

#[test]
fn raw_text_is_sent_as_it_is() {
    let client = Client::with_faults(&[]);
    let turns = r#"[[{"raw": "data: {oops\n\n"}, {"kind": "task", "status": {"state": "completed"}}]]"#;
    let read = client.read(Client::request("SendStreamingMessage", &declaring(turns)));
    let body = String::from_utf8(read.body).unwrap();
    assert!(body.starts_with("data: {oops\n\ndata: {\"jsonrpc\"") && read.ended, "{body}");
    let body = client.read(Client::request("SendMessage", &declaring(r#"[[{"raw": "{oops"}]]"#))).body;
    assert_eq!(body, b"{oops");
}

#[test]
fn a_connection_is_dropped_where_the_turn_says_so() {
    let client = Client::with_faults(&[]);
    let turns = r#"[[{"kind": "status-update", "status": {"state": "working"}, "drop": true},
                     {"kind": "task", "status": {"state": "completed"}, "delayMs": 100}]]"#;
    let mut stream = client.fetch(Client::request("SendStreamingMessage", &declaring(turns))).unwrap().unwrap();
    let mut chunks = Vec::new();
    while let Some(Some(chunk)) = stream.body.next().now_or_never() {
        chunks.push(chunk.map(|bytes| bytes.len() > 20));
    }
    let dropped = "the connection was dropped, as responses_json declares".to_owned();
    assert_eq!(chunks, [Ok(true), Ok(true), Err(dropped.clone())]);
    // The task goes on.
    let id = client.ask("ListTasks", json!({}))["tasks"][0]["id"].clone();
    client.clock.pass(100.0);
    assert_eq!(state(&client.task(&id)), "TASK_STATE_COMPLETED");
    let problem = client.fetch(Client::request("SendMessage", &declaring(turns))).unwrap().err();
    assert_eq!(problem.unwrap().detail, dropped);
}

#[test]
fn a_status_comes_with_an_answer_or_is_all_of_it() {
    let client = Client::with_faults(&[]);
    // A client that tries again gets the next turn.
    let turns = r#"[[{"httpStatus": 503}], [{"httpStatus": 500, "raw": "<h1>Sorry</h1>"}],
                    [{"httpStatus": 202, "kind": "task", "status": {"state": "completed"}}]]"#;
    for (method, status, body) in [
        ("SendStreamingMessage", 503, "a test case declares this answer"),
        ("SendMessage", 500, "<h1>Sorry</h1>"),
        ("SendMessage", 202, "TASK_STATE_COMPLETED"),
        ("SendStreamingMessage", 202, "TASK_STATE_COMPLETED"),
    ] {
        let read = client.read(Client::request(method, &declaring(turns)));
        assert_eq!(read.status, status);
        assert!(String::from_utf8(read.body).unwrap().contains(body), "{body}");
    }
}

#[test]
fn webhooks_are_told_of_the_task_and_not_of_a_connection() {
    let client = Client::with_faults(&[]);
    let deliveries = Rc::new(RefCell::new(Vec::new()));
    let kept = Rc::clone(&deliveries);
    client.agent.send_webhooks_by(Rc::new(move |delivery, _| kept.borrow_mut().push(delivery)));
    let mut params = declaring(
        r#"[[{"kind": "status-update", "status": {"state": "working"}}, {"raw": ": hm\n\n"},
             {"kind": "task", "status": {"state": "completed"}}, {"drop": true}]]"#,
    );
    params["configuration"] = json!({ "taskPushNotificationConfig": { "url": "https://example.com/hook" } });
    assert!(client.fetch(Client::request("SendMessage", &params)).unwrap().is_err());
    let mut delivery = deliveries.borrow_mut().pop().unwrap();
    let mut told = Vec::new();
    while let Some(Some(notification)) = delivery.next().now_or_never() {
        told.push(serde_json::from_slice(&notification.body.unwrap()).unwrap());
    }
    assert_eq!(outline(&told), ["working", "task"]);
}
