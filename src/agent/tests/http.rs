//! The behaviour of a conformant agent over HTTP+JSON.

use serde_json::json;

use super::*;

const NO_TASK: &str = "00000000-0000-0000-0000-000000000000";

impl Client {
    fn get_route(&self, path: &str) -> Read {
        self.read(Self::route(Method::Get, path, None))
    }

    fn post_route(&self, path: &str, body: &Value) -> Read {
        self.read(Self::route(Method::Post, path, Some(body)))
    }
}

#[test]
fn results_are_bare_and_of_the_type_that_the_text_recommends() {
    let client = Client::with_faults(&[]);
    let sent = client.post_route("/message:send", &message("task-lifecycle x"));
    assert_eq!(sent.status, 200);
    assert_eq!(sent.head, "content-type: application/a2a+json\nstrict-transport-security: max-age=31536000\n");
    let task = sent.json()["task"].clone();
    assert_eq!(state(&task), "TASK_STATE_COMPLETED");
    let id = task["id"].as_str().unwrap();
    // Ids may be written with or without their codes.
    let coded: String = id.bytes().map(|byte| format!("%{byte:02x}")).collect();
    for id in [id, &coded] {
        assert_eq!(client.get_route(&format!("/tasks/{id}")).json(), task);
    }
    assert_eq!(client.get_route("/tasks").json()["tasks"][0]["id"], task["id"]);
}

#[test]
fn an_error_is_a_status_that_says_which_error_it_is() {
    let client = Client::with_faults(&[]);
    let unknown = client.get_route(&format!("/tasks/{NO_TASK}"));
    assert_eq!(
        (unknown.status, unknown.head.as_str()),
        (404, "content-type: application/a2a+json\nstrict-transport-security: max-age=31536000\n")
    );
    assert_eq!(
        unknown.json(),
        json!({ "error": {
            "code": 404, "status": "NOT_FOUND", "message": "there is no task with that id",
            "details": [{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND",
                "domain": "a2a-protocol.org", "metadata": { "taskId": NO_TASK },
            }],
        } })
    );
    let task = client.send("task-lifecycle x")["task"].clone();
    let cancel = format!("/tasks/{}:cancel", task["id"].as_str().unwrap());
    let of_pushes = Client::route(Method::Get, &format!("/tasks/{NO_TASK}/pushNotificationConfigs"), None);
    for (answer, status, name, reason) in [
        (client.post_route(&cancel, &json!({})), 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"),
        (
            Client::with_faults(&["modest"]).read(of_pushes),
            400,
            "FAILED_PRECONDITION",
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
        (client.read(Request::get(format!("{BASE}/rest/tasks"))), 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"),
    ] {
        let error = answer.json()["error"].clone();
        assert_eq!((answer.status, &error["code"]), (status, &json!(status)), "{error}");
        assert_eq!((&error["status"], &error["details"][0]["reason"]), (&json!(name), &json!(reason)));
    }
}

#[test]
fn a_query_is_decoded_and_typed() {
    let client = Client::with_faults(&[]);
    let mut params = message("task-lifecycle x");
    params["message"]["contextId"] = "a b/ü".into();
    client.ask("SendMessage", params);
    client.send("task-failure x");
    let page = |query: &str| client.get_route(&format!("/tasks?{query}"));
    assert_eq!(page("").json()["totalSize"], 2);
    assert_eq!(page("contextId=a%20b%2F%C3%BC").json()["totalSize"], 1);
    assert_eq!(page("status=TASK_STATE_FAILED&surprise=1").json()["totalSize"], 1);
    assert_eq!(page("pageSize=1").json()["tasks"].as_array().map(Vec::len), Some(1));
    assert!(page("includeArtifacts=true&historyLength=1").json()["tasks"][1]["artifacts"].is_array());
    for (query, field) in [
        ("pageSize=many", "pageSize"),
        ("pageSize=0", "pageSize"),
        ("includeArtifacts=yes", "includeArtifacts"),
        ("historyLength=-1", "historyLength"),
        ("statusTimestampAfter=today", "statusTimestampAfter"),
    ] {
        let answer = page(query);
        let violation = answer.json()["error"]["details"][0]["fieldViolations"][0]["field"].clone();
        assert_eq!((answer.status, violation.as_str()), (400, Some(field)), "{query}");
    }
}

#[test]
fn bodies_are_taken_by_their_type_and_their_form() {
    let client = Client::with_faults(&[]);
    let status = |media_type: &str, body: &str| {
        let url = format!("{BASE}/rest/tasks/{NO_TASK}:cancel");
        client.read(Request::post(url, media_type, body).with_header("a2a-version", "1.0")).status
    };
    for (media_type, body, expected) in [
        ("application/json", "{}", 404),
        ("application/json; charset=utf-8", "{}", 404),
        ("application/a2a+json", "{}", 404),
        // The id in the path counts.
        ("application/json", r#"{"id":"another","metadata":{}}"#, 404),
        ("application/json", "", 404),
        ("application/json", "{", 400),
        ("application/json", "[]", 400),
        ("text/plain", "{}", 415),
    ] {
        assert_eq!(status(media_type, body), expected, "{media_type} {body}");
    }
}

#[test]
fn a_version_counts_in_the_header_and_in_the_query() {
    let client = Client::with_faults(&[]);
    let status = |query: &str, header: Option<&str>| {
        let request = Request::get(format!("{BASE}/rest/tasks{query}"));
        client.read(header.iter().fold(request, |request, version| request.with_header("A2A-Version", *version))).status
    };
    for (query, header, expected) in [
        ("", Some("1.0"), 200),
        ("", Some("1.0.3"), 200),
        ("?a2a-version=1.0", None, 200),
        ("", None, 400),
        ("", Some("99.0"), 400),
        ("?A2A-Version=1.0", Some("99.0"), 400),
    ] {
        assert_eq!(status(query, header), expected, "{query} {header:?}");
    }
}

#[test]
fn paths_that_are_not_served_and_verbs_that_are_not_say_so() {
    let client = Client::with_faults(&[]);
    for path in ["", "/", "/nothing", "/v1/tasks", "/tasks/a/b", "/tasks/a:b", "/message:sends"] {
        assert_eq!(client.get_route(path).status, 404, "{path}");
    }
    for (method, path, allowed) in [
        (Method::Get, "/message:send", "POST"),
        (Method::Get, "/tasks/a:cancel", "POST"),
        (Method::Delete, "/tasks/a:subscribe", "POST, GET"),
        (Method::Put, "/tasks/a/pushNotificationConfigs/b", "GET, DELETE"),
    ] {
        let answer = client.read(Client::route(method, path, None));
        assert!(answer.status == 405 && answer.head.contains(&format!("allow: {allowed}\n")), "{path} {}", answer.head);
    }
}

#[test]
fn a_stream_is_of_bare_events_and_a_subscription_takes_both_verbs() {
    let client = Client::with_faults(&[]);
    let read = client.post_route("/message:stream", &message("task-lifecycle x"));
    assert!(read.ended && read.head.contains("content-type: text/event-stream"));
    assert_eq!(outline(&read.frames()), ["task", "working", "artifactUpdate", "completed"]);
    for method in [Method::Post, Method::Get] {
        let task = client.start("long-running x");
        let path = format!("/tasks/{}:subscribe", task["id"].as_str().unwrap());
        let events = client.read(Client::route(method, &path, None)).frames();
        assert_eq!(outline(&events).last().map(String::as_str), Some("completed"));
        let again = client.read(Client::route(method, &path, None)).json();
        assert_eq!(again["error"]["details"][0]["reason"], "UNSUPPORTED_OPERATION");
    }
}
