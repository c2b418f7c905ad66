//! What the agent keeps of the requests that it received.

use serde_json::json;

use super::*;
use crate::agent::{CapturedRequests, responses_directive};

/// A client of an agent that keeps what it receives.
fn capturing(faults: &[&str]) -> (Client, CapturedRequests) {
    let client = Client::with_faults(faults);
    let captured = client.agent.capture_requests();
    (client, captured)
}

#[test]
fn requests_belong_to_the_test_case_that_they_or_their_tasks_name() {
    let (client, captured) = capturing(&[]);
    let turns = r#"[[{"kind": "status-update", "status": {"state": "working"}}]]"#;
    let task = client.ask("SendMessage", message(&responses_directive("a", turns).unwrap()))["task"].clone();
    let labelled = client.send("[test_case_id=b] task-lifecycle")["task"].clone();
    client.task(&task["id"]);
    client.call("CancelTask", json!({ "id": labelled["id"] }));
    client.call("SendMessage", more("more", &task, None));
    client.read(Client::route(Method::Get, &format!("/tasks/{}", task["id"].as_str().unwrap()), None));
    client.read(Client::route(
        Method::Post,
        &format!("/tasks/{}:cancel", task["id"].as_str().unwrap()),
        Some(&json!({})),
    ));
    client.send("task-lifecycle");
    let methods = |test_case: Option<&str>| -> Vec<String> {
        let name = |text: &str| serde_json::from_str::<Value>(text).ok()?["method"].as_str().map(str::to_owned);
        captured
            .of_test_case(test_case)
            .iter()
            .map(|request| name(&request.text()).unwrap_or(request.path.clone()))
            .collect()
    };
    let id = task["id"].as_str().unwrap();
    let of_a =
        ["SendMessage", "GetTask", "SendMessage", &format!("/rest/tasks/{id}"), &format!("/rest/tasks/{id}:cancel")];
    assert_eq!(methods(Some("a")), of_a);
    assert_eq!(methods(Some("b")), ["SendMessage", "CancelTask"]);
    assert_eq!(methods(None).len(), 8);
    captured.clear(Some("a"));
    assert_eq!((methods(Some("a")).len(), methods(None).len()), (0, 3));
    captured.clear(None);
    client.send("task-lifecycle");
    assert_eq!(captured.of_test_case(None)[0].number, 1);
}

#[test]
fn a_request_is_kept_as_it_came() {
    let (client, captured) = capturing(&[]);
    let body = "{ \"not\": \"compact\" }";
    client.read(
        Request::post(format!("{BASE}/rest/message:send?A2A-Version=1.0"), "application/json", body)
            .with_header("X-Mine", "1"),
    );
    let request = &captured.of_test_case(None)[0];
    assert_eq!((request.method, request.path.as_str()), (Method::Post, "/rest/message:send?A2A-Version=1.0"));
    assert_eq!((request.text().as_str(), request.headers.get("x-mine")), (body, Some("1")));
    assert_eq!((request.time.as_str(), request.number), ("2026-02-03T04:05:06.000Z", 1));
    assert!(request.test_case.is_none() && request.identity.is_none());
}

#[test]
fn credentials_are_masked_and_told_apart() {
    let (client, captured) = capturing(&[]);
    let jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZUBleGFtcGxlLm9yZyJ9.c2lnbmF0dXJl";
    for (name, value) in [
        ("Authorization", format!("Bearer {jwt}")),
        ("Authorization", "Basic Ym9iOmh1bnRlcjI=".to_owned()),
        ("Authorization", format!("Bearer {jwt}")),
        ("X-Api-Key", "canary-key".to_owned()),
    ] {
        // An echo in the body is masked as well.
        let echo = message(&format!("with {value}"));
        client.read(Client::request("SendMessage", &echo).with_header(name, value));
    }
    client.read(Request::get(format!("{BASE}/rest/tasks?pageToken=next&api_key=canary-query")));
    let requests = captured.of_test_case(None);
    let written = format!("{requests:?}{}", requests.iter().map(|request| request.text()).collect::<String>());
    for secret in [jwt, "c2lnbmF0dXJl", "Ym9iOmh1bnRlcjI=", "hunter2", "canary"] {
        assert!(!written.contains(secret), "{secret} in {written}");
    }
    assert_eq!(requests[0].headers.get("authorization"), Some("Bearer [redacted]"));
    assert_eq!(requests[4].path, "/rest/tasks?pageToken=next&api_key=[redacted]");
    let identities: Vec<_> = requests
        .iter()
        .map(|request| request.identity.as_ref().map(|who| (who.scheme.as_str(), who.name.as_deref(), who.number)))
        .collect();
    assert_eq!(
        identities,
        [
            Some(("Bearer", Some("alice@example.org"), Some(1))),
            Some(("Basic", Some("bob"), Some(2))),
            Some(("Bearer", Some("alice@example.org"), Some(1))),
            Some(("ApiKey", None, Some(3))),
            None,
        ]
    );
}

#[test]
fn the_oldest_make_room() {
    let (client, captured) = capturing(&[]);
    for _ in 0..1001 {
        client.read(Request::get(format!("{BASE}/nothing")));
    }
    assert_eq!(
        (captured.of_test_case(None).len(), captured.of_test_case(None)[0].number, captured.dropped()),
        (1000, 2, 1)
    );
    for _ in 0..3 {
        client.read(Request::post(format!("{BASE}/nothing"), "text/plain", "x".repeat(6 << 20)));
    }
    assert_eq!((captured.of_test_case(None).len(), captured.dropped()), (2, 1002));
}
