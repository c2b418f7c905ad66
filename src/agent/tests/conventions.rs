//! The words by which the protocol's test kit and ACTS choose what an agent does, and the requests that clients in the wild send.

use serde_json::json;

use super::*;

#[test]
fn each_keyword_of_acts_chooses_its_behaviour() {
    let client = Client::with_faults(&[]);
    for (text, expected) in [
        ("tck-complete-task hello", "TASK_STATE_COMPLETED"),
        ("tck-input-required hello", "TASK_STATE_INPUT_REQUIRED"),
        ("tck-multi-turn start", "TASK_STATE_INPUT_REQUIRED"),
        ("tck-reject-task hello", "TASK_STATE_REJECTED"),
        ("tck-task-failure trigger error", "TASK_STATE_FAILED"),
        ("tck-auth-required trigger auth", "TASK_STATE_AUTH_REQUIRED"),
        ("tck-artifact-text hello", "TASK_STATE_COMPLETED"),
        ("tck-artifact-file document", "TASK_STATE_COMPLETED"),
        ("tck-artifact-file-url document", "TASK_STATE_COMPLETED"),
        ("tck-artifact-data structured", "TASK_STATE_COMPLETED"),
        ("tck-long-running start", "TASK_STATE_COMPLETED"),
    ] {
        assert_eq!(state(&client.send(text)["task"]), expected, "{text}");
    }
    for (text, content) in [
        ("tck-artifact-text", "text"),
        ("tck-artifact-file", "raw"),
        ("tck-artifact-file-url", "url"),
        ("tck-artifact-data", "data"),
    ] {
        let part = client.send(text)["task"]["artifacts"][0]["parts"][0].clone();
        assert!(part.get(content).is_some(), "{text} {part}");
    }
    for text in ["tck-task-failure x", "tck-auth-required x"] {
        assert!(client.send(text)["task"]["status"]["message"].is_object(), "{text}");
    }
}

#[test]
fn streams_are_those_that_acts_asks_for() {
    let client = Client::with_faults(&[]);
    let stream = |text: &str| outline(&client.stream("SendStreamingMessage", message(text)));
    assert_eq!(stream("tck-stream-basic generate output"), ["task", "working", "artifactUpdate", "completed"]);
    let chunked = stream("tck-stream-chunked multi-part");
    assert_eq!(chunked, ["task", "working", "artifactUpdate", "artifactUpdate", "completed"]);
    assert_eq!(stream("tck-message-response streaming"), ["message"]);
}

#[test]
fn a_task_at_work_shows_it_to_a_client_that_asks_every_second() {
    let client = Client::with_faults(&[]);
    for text in ["tck-long-running start process", "tck-cancel start"] {
        let task = client.start(text);
        // The second and the third time that such a client asks.
        for _ in 0..2 {
            client.clock.pass(1000.0);
            assert_eq!(state(&client.task(&task["id"])), "TASK_STATE_WORKING", "{text}");
        }
    }
}

#[test]
fn a_conversation_of_acts_goes_on_until_done() {
    let client = Client::with_faults(&[]);
    let task = client.send("tck-multi-turn first")["task"].clone();
    let second = client.ask("SendMessage", more("tck-multi-turn second", &task, None))["task"].clone();
    assert_eq!(state(&second), "TASK_STATE_INPUT_REQUIRED");
    assert_eq!(state(&client.ask("SendMessage", more("done", &task, None))["task"]), "TASK_STATE_COMPLETED");
}

#[test]
fn a_message_in_place_of_a_task_has_the_context_that_the_client_named() {
    let client = Client::with_faults(&[]);
    let answer = client.send("tck-message-response hello")["message"].clone();
    assert!(answer.get("contextId").is_none() && answer.get("taskId").is_none(), "{answer}");
    let mut params = message("tck-message-response hello");
    params["message"]["contextId"] = "mine".into();
    assert_eq!(client.ask("SendMessage", params)["message"]["contextId"], "mine");
    // Everybody else gets one.
    assert!(client.send("message-only hello")["message"]["contextId"].is_string());
}

#[test]
fn a_context_is_refused_where_the_message_asks_for_it() {
    let client = Client::with_faults(&[]);
    let mut params = message("tck-complete-task reject client context id");
    assert_eq!(state(&client.ask("SendMessage", params.clone())["task"]), "TASK_STATE_COMPLETED");
    params["message"]["contextId"] = "mine".into();
    assert_eq!(client.refused("SendMessage", params), -32602);
}

#[test]
fn the_media_type_that_acts_invents_is_refused() {
    let client = Client::with_faults(&[]);
    let of_type = |media_type: &str| {
        let part = json!({ "data": { "value": 1 }, "metadata": { "contentType": media_type } });
        client.call("SendMessage", json!({ "message": { "messageId": "m", "role": "ROLE_USER", "parts": [part] } }))
    };
    assert_eq!(of_type("application/x-unsupported-type-12345")["error"]["code"], -32005);
    assert!(of_type("application/pdf")["result"].is_object());
}

#[test]
fn a_slash_after_the_endpoint_changes_nothing() {
    for faults in [&[][..], &["hybrid"]] {
        let client = Client::with_faults(faults);
        let mut request = Client::request("SendMessage", &message("task-lifecycle"));
        request.url.push('/');
        assert_eq!(state(&client.read(request).json()["result"]["task"]), "TASK_STATE_COMPLETED");
    }
    let client = Client::with_faults(&[]);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": { "id": "?" } }).to_string();
    let request = Request::post(format!("{BASE}/0.3/rpc/"), "application/json", body.clone());
    assert_eq!(client.read(request).json()["error"]["code"], -32001);
    // Without a version, the hybrid takes it for 0.3.
    let request = Request::post(format!("{BASE}/rpc/"), "application/json", body);
    assert_eq!(Client::with_faults(&["hybrid"]).read(request).json()["error"]["code"], -32001);
    assert_eq!(client.read(Request::get(format!("{BASE}/rpcs"))).status, 404);
}

#[test]
fn head_and_options_are_answered() {
    let client = Client::with_faults(&[]);
    let ask = |method, path: &str| client.read(Request { method, ..Request::get(format!("{BASE}{path}")) });
    let card = "/.well-known/agent-card.json";
    let (head, get) = (ask(Method::Head, card), ask(Method::Get, card));
    assert_eq!((head.status, &head.head, head.body.len()), (200, &get.head, 0));
    assert!(!get.body.is_empty());
    for (path, status, allowed) in [
        ("/rpc", 405, "POST, OPTIONS"),
        ("/rpc/", 405, "POST, OPTIONS"),
        (card, 200, "GET, HEAD, OPTIONS"),
        ("/rest/tasks", 400, "GET, HEAD, POST, DELETE, OPTIONS"),
    ] {
        assert_eq!(ask(Method::Head, path).status, status, "{path}");
        let options = ask(Method::Options, path);
        assert!(
            options.status == 204 && options.head.contains(&format!("allow: {allowed}\n")),
            "{path} {}",
            options.head
        );
    }
    assert_eq!((ask(Method::Head, "/nothing").status, ask(Method::Options, "/nothing").status), (404, 404));
}

#[test]
fn a_variant_answers_as_the_sdks_do() {
    for (faults, media_type) in [(&[][..], "application/a2a+json"), (&["plain-json"], "application/json")] {
        let client = Client::with_faults(faults);
        for path in ["/message:send", "/tasks/none:cancel"] {
            let read = client.read(Client::route(Method::Post, path, Some(&message("task-lifecycle"))));
            assert!(read.head.starts_with(&format!("content-type: {media_type}\n")), "{path} {}", read.head);
        }
    }
}
