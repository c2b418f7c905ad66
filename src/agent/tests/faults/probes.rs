//! The requests by which the tests see what a fault changes.

use std::fmt::Write as _;

use futures_util::{FutureExt, StreamExt};

use super::super::*;
use crate::a2a::grpc_codec::to_wire;
use crate::agent::fault::SECOND_TOKEN;
use crate::wire::grpc::MEDIA_TYPE;

const NO_TASK: &str = "00000000-0000-0000-0000-000000000000";

/// Requests to an agent of their own, and what came of them as text.
pub(super) type Probe = (&'static str, fn(&Client, &mut String));

/// Writes down the answer to a request.
pub(super) fn show(client: &Client, out: &mut String, request: Request) {
    show_answer(client, out, client.fetch(request));
}

fn show_answer(client: &Client, out: &mut String, answer: Option<Result<StreamedResponse, TransportError>>) {
    match answer {
        None => out.push_str("no answer yet\n"),
        Some(Err(trouble)) => writeln!(out, "{:?}", trouble.kind).unwrap(),
        Some(Ok(answer)) => {
            let read = read(answer);
            let Read { status, head, body, chunks, ended } = read;
            writeln!(out, "{status}\n{head}\n{}\n{chunks} {ended} {}", body.escape_ascii(), client.clock.now_ms())
                .unwrap();
        }
    }
}

fn call(client: &Client, out: &mut String, method: &str, params: Value) {
    show(client, out, Client::request(method, &params));
}

/// The answer, as far as it is JSON.
fn answered(client: &Client, method: &str, params: &Value) -> Value {
    let answer = client.fetch(Client::request(method, params)).and_then(Result::ok);
    serde_json::from_slice(&answer.map(|answer| read(answer).body).unwrap_or_default()).unwrap_or_default()
}

/// Starts a task, whatever form the answer has.
fn start(client: &Client, text: &str) -> Value {
    let mut params = message(text);
    params["configuration"] = json!({ "returnImmediately": true });
    let value = answered(client, "SendMessage", &params);
    let result = &value["result"];
    let task = if result["task"].is_object() { &result["task"] } else { result };
    json!({ "id": task["id"].as_str().unwrap_or("id-2"), "contextId": task["contextId"].as_str().unwrap_or("id-1") })
}

fn rpc(body: &str, version: Option<&str>) -> Request {
    let request = Request::post(format!("{BASE}/rpc"), "application/json", body);
    version.iter().fold(request, |request, version| request.with_header("A2A-Version", *version))
}

/// Shows the answer to a call over gRPC, which is given as JSON.
fn grpc(client: &Client, out: &mut String, method: &str, params: &Value, version: &str) {
    let url = format!("{BASE}/lf.a2a.v1.A2AService/{method}");
    let request = Request::post(url, MEDIA_TYPE, params.to_string()).with_header("A2A-Version", version);
    show(client, out, to_wire(&request, true).unwrap());
}

const LIST_CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ListTasks"}"#;

pub(super) const PROBES: &[Probe] = &[
    ("card", |client, out| {
        for path in ["agent-card.json", "agent.json"] {
            show(client, out, Request::get(format!("{BASE}/.well-known/{path}")));
        }
    }),
    ("gRPC", |client, out| {
        grpc(client, out, "GetTask", &json!({ "id": NO_TASK }), "1.0");
        grpc(client, out, "GetTask", &json!({ "id": NO_TASK }), "99.0");
        grpc(client, out, "CancelTask", &json!({ "id": NO_TASK }), "1.0");
        grpc(client, out, "SendStreamingMessage", &message("task-lifecycle x"), "1.0");
        let task = start(client, "task-lifecycle x");
        grpc(client, out, "GetTask", &json!({ "id": task["id"] }), "1.0");
        let config = json!({ "taskId": task["id"], "id": "c", "url": "https://example.com/hook" });
        grpc(client, out, "CreateTaskPushNotificationConfig", &config, "1.0");
        grpc(client, out, "DeleteTaskPushNotificationConfig", &json!({ "taskId": task["id"], "id": "c" }), "1.0");
    }),
    ("card revalidated", |client, out| {
        let get = || Request::get(format!("{BASE}/.well-known/agent-card.json"));
        let first = client.read(get());
        let etag = first.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap_or("none");
        writeln!(out, "{}", client.read(get().with_header("If-None-Match", etag)).status).unwrap();
    }),
    ("card twice", |client, out| {
        let get = || client.read(Request::get(format!("{BASE}/.well-known/agent-card.json"))).body;
        writeln!(out, "{}", get() == get()).unwrap();
    }),
    ("send", |client, out| call(client, out, "SendMessage", message("task-lifecycle x"))),
    ("send types", |client, out| call(client, out, "SendMessage", message("data-types x"))),
    ("send parts", |client, out| {
        let mut params = message("task-lifecycle x");
        let part = json!({ "data": { "a": 1 }, "filename": "a.json", "mediaType": "application/json", "metadata": { "b": 2 } });
        params["message"]["parts"].as_array_mut().unwrap().push(part);
        call(client, out, "SendMessage", params);
    }),
    ("send message-only", |client, out| call(client, out, "SendMessage", message("message-only x"))),
    ("send failing", |client, out| call(client, out, "SendMessage", message("task-failure x"))),
    ("send history 1", |client, out| {
        let mut params = message("task-lifecycle x");
        params["configuration"] = json!({ "historyLength": 1 });
        call(client, out, "SendMessage", params);
    }),
    ("send with context", |client, out| {
        let mut params = message("task-lifecycle x");
        params["message"]["contextId"] = "mine".into();
        call(client, out, "SendMessage", params);
    }),
    ("send returning immediately", |client, out| {
        let mut params = message("task-cancel x");
        params["configuration"] = json!({ "returnImmediately": true });
        call(client, out, "SendMessage", params);
    }),
    ("send multi-turn", |client, out| call(client, out, "SendMessage", message("multi-turn x"))),
    ("conversation", |client, out| {
        let task = start(client, "multi-turn x");
        client.clock.pass(50.0);
        call(client, out, "SendMessage", more("more", &task, None));
        call(client, out, "SendMessage", more("done", &task, None));
    }),
    ("follow-ups", |client, out| {
        let task = start(client, "multi-turn x");
        let with = |configuration: Value| {
            let mut params = more("more", &task, None);
            params["configuration"] = configuration;
            params
        };
        for (method, params) in [
            ("SendMessage", with(json!({}))),
            ("SendMessage", with(json!({ "historyLength": 1 }))),
            ("SendStreamingMessage", with(json!({}))),
            ("SendMessage", with(json!({ "returnImmediately": true }))),
            ("CancelTask", json!({ "id": task["id"] })),
            ("SendMessage", with(json!({}))),
        ] {
            client.clock.pass(50.0);
            call(client, out, method, params);
        }
    }),
    ("message to a failed task", |client, out| {
        let task = start(client, "task-failure x");
        client.clock.pass(100.0);
        call(client, out, "SendMessage", more("more", &task, None));
    }),
    ("foreign context", |client, out| {
        let task = start(client, "multi-turn x");
        client.clock.pass(50.0);
        call(client, out, "SendMessage", more("more", &task, Some("foreign")));
    }),
    ("two tasks", |client, out| {
        for _ in 0..2 {
            let id = start(client, "task-cancel x")["id"].clone();
            writeln!(out, "{id}").unwrap();
        }
    }),
    ("get finished", |client, out| {
        let task = start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        call(client, out, "GetTask", json!({ "id": task["id"] }));
    }),
    ("get working", |client, out| {
        let task = start(client, "task-cancel x");
        client.clock.pass(100.0);
        call(client, out, "GetTask", json!({ "id": task["id"] }));
    }),
    ("get history", |client, out| {
        let task = start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        for n in [0, 1] {
            call(client, out, "GetTask", json!({ "id": task["id"], "historyLength": n }));
        }
    }),
    ("get unknown", |client, out| call(client, out, "GetTask", json!({ "id": NO_TASK }))),
    ("get without id", |client, out| call(client, out, "GetTask", json!({}))),
    ("get negative history", |client, out| {
        let task = start(client, "task-lifecycle x");
        call(client, out, "GetTask", json!({ "id": task["id"], "historyLength": -1 }));
    }),
    ("get history in words", |client, out| {
        let task = start(client, "task-lifecycle x");
        call(client, out, "GetTask", json!({ "id": task["id"], "historyLength": "all" }));
    }),
    ("three tasks in a context", |client, out| {
        let mut params = message("task-lifecycle x");
        params["message"]["contextId"] = "mine".into();
        for _ in 0..3 {
            client.clock.pass(100.0);
            writeln!(out, "{}", answered(client, "SendMessage", &params)["result"]["task"]["contextId"]).unwrap();
        }
    }),
    ("get unknown member", |client, out| {
        let task = start(client, "task-cancel x");
        call(client, out, "GetTask", json!({ "id": task["id"], "surprise": 1 }));
    }),
    ("get after stream", |client, out| {
        let read = client.fetch(Client::request("SendStreamingMessage", &message("task-lifecycle x")));
        let text =
            read.and_then(Result::ok).map(|answer| String::from_utf8_lossy(&super::read(answer).body).into_owned());
        let text = text.unwrap_or_default();
        let id = text.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned();
        call(client, out, "GetTask", json!({ "id": id }));
    }),
    ("cancel", |client, out| {
        let task = start(client, "task-cancel x");
        client.clock.pass(50.0);
        call(client, out, "CancelTask", json!({ "id": task["id"], "metadata": { "reason": "enough" } }));
    }),
    ("raise", |client, out| {
        call(client, out, "SendMessage", message("raise x"));
        client.clock.pass(100.0);
        call(client, out, "SendStreamingMessage", message("raise x"));
        let task = start(client, "raise x");
        client.clock.pass(100.0);
        call(client, out, "GetTask", json!({ "id": task["id"] }));
        call(client, out, "SendMessage", message("task-lifecycle x"));
    }),
    ("tasks at the same time", |client, out| {
        for text in ["streaming x", "burst x"] {
            let streams = [(); 3].map(|()| client.fetch(Client::request("SendStreamingMessage", &message(text))));
            for stream in streams {
                show_answer(client, out, stream);
            }
        }
        for _ in 0..2 {
            writeln!(out, "{}", start(client, "streaming y")).unwrap();
        }
    }),
    ("burst that is read slowly", |client, out| {
        let answer = client.fetch(Client::request("SendStreamingMessage", &message("burst x")));
        let Some(Ok(mut answer)) = answer else { return };
        answer.body.next().now_or_never();
        client.clock.pass(2_000.0);
        show_answer(client, out, Some(Ok(answer)));
    }),
    ("message to a rejected task", |client, out| {
        let task = start(client, "task-reject x");
        client.clock.pass(50.0);
        call(client, out, "SendMessage", more("x", &task, None));
    }),
    ("cancel twice", |client, out| {
        let task = start(client, "task-cancel x");
        client.fetch(Client::request("CancelTask", &json!({ "id": task["id"] })));
        call(client, out, "CancelTask", json!({ "id": task["id"] }));
    }),
    ("cancelled task shown twice", |client, out| {
        let task = start(client, "task-cancel x");
        client.fetch(Client::request("CancelTask", &json!({ "id": task["id"] })));
        for _ in 0..2 {
            call(client, out, "GetTask", json!({ "id": task["id"] }));
            call(client, out, "ListTasks", json!({}));
        }
    }),
    ("push configs of a task sent without one", |client, out| {
        let task = start(client, "task-lifecycle x");
        call(client, out, "ListTaskPushNotificationConfigs", json!({ "taskId": task["id"] }));
    }),
    ("cancel waiting", |client, out| {
        let task = start(client, "auth-required x");
        client.clock.pass(100.0);
        call(client, out, "CancelTask", json!({ "id": task["id"] }));
        call(client, out, "GetTask", json!({ "id": task["id"] }));
    }),
    ("cancel finished", |client, out| {
        let task = start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        call(client, out, "CancelTask", json!({ "id": task["id"] }));
    }),
    ("just finished", |client, out| {
        for method in ["CancelTask", "SendMessage", "SubscribeToTask"] {
            let task = start(client, "task-lifecycle x");
            client.clock.pass(65.0);
            let is_message = method == "SendMessage";
            call(client, out, method, if is_message { more("more", &task, None) } else { json!({ "id": task["id"] }) });
            call(client, out, "GetTask", json!({ "id": task["id"] }));
        }
    }),
    ("cancel unknown", |client, out| call(client, out, "CancelTask", json!({ "id": NO_TASK }))),
    ("message to finished", |client, out| {
        let task = start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        call(client, out, "SendMessage", more("more", &task, None));
    }),
    ("finished after message", |client, out| {
        let task = start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        client.fetch(Client::request("SendMessage", &more("more", &task, None)));
        call(client, out, "GetTask", json!({ "id": task["id"] }));
    }),
    ("message to unknown", |client, out| call(client, out, "SendMessage", more("x", &json!({ "id": NO_TASK }), None))),
    ("stream to unknown", |client, out| {
        call(client, out, "SendStreamingMessage", more("x", &json!({ "id": NO_TASK }), None));
    }),
    ("send nothing", |client, out| call(client, out, "SendMessage", json!({}))),
    ("send incomplete", |client, out| {
        let mut params = message("x");
        params["message"].as_object_mut().unwrap().remove("messageId");
        call(client, out, "SendMessage", params);
    }),
    ("send as robot", |client, out| {
        let mut params = message("x");
        params["message"]["role"] = "ROLE_ROBOT".into();
        call(client, out, "SendMessage", params);
    }),
    ("send text for message", |client, out| call(client, out, "SendMessage", json!({ "message": "hello" }))),
    ("stream", |client, out| call(client, out, "SendStreamingMessage", message("task-lifecycle x"))),
    ("stream chunks", |client, out| call(client, out, "SendStreamingMessage", message("streaming x"))),
    ("stream message-only", |client, out| call(client, out, "SendStreamingMessage", message("message-only x"))),
    ("subscribe", |client, out| {
        let task = start(client, "long-running x");
        client.clock.pass(500.0);
        call(client, out, "SubscribeToTask", json!({ "id": task["id"] }));
    }),
    ("subscribe finished", |client, out| {
        let task = start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        call(client, out, "SubscribeToTask", json!({ "id": task["id"] }));
    }),
    ("auth-required", |client, out| {
        let task = start(client, "auth-required x");
        client.clock.pass(100.0);
        call(client, out, "GetTask", json!({ "id": task["id"] }));
        let mut more = message("well?");
        more["message"]["taskId"] = task["id"].clone();
        call(client, out, "SendMessage", more);
    }),
    ("http task of JSON-RPC", |client, out| {
        let task = start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        let of = |path: &str| format!("/tasks/{}{path}", task["id"].as_str().unwrap());
        show(client, out, Client::route(Method::Get, &of(""), None));
        show(client, out, Client::route(Method::Post, &of(":cancel"), Some(&json!({}))));
    }),
    ("with the tenant", |client, out| call(client, out, "ListTasks", json!({ "tenant": "workshop" }))),
    ("subscribe unknown", |client, out| call(client, out, "SubscribeToTask", json!({ "id": NO_TASK }))),
    ("stream dropped", |client, out| {
        let task = start(client, "long-running x");
        let answer = client.fetch(Client::request("SubscribeToTask", &json!({ "id": task["id"] })));
        drop(answer);
        call(client, out, "GetTask", json!({ "id": task["id"] }));
    }),
    ("stream of a send dropped", |client, out| {
        drop(client.fetch(Client::request("SendStreamingMessage", &message("long-running x"))));
        client.clock.pass(5_000.0);
        call(client, out, "ListTasks", json!({}));
    }),
    ("list", |client, out| {
        for _ in 0..3 {
            start(client, "task-lifecycle x");
        }
        client.clock.pass(100.0);
        call(client, out, "ListTasks", json!({}));
    }),
    ("list page", |client, out| {
        for _ in 0..3 {
            start(client, "task-lifecycle x");
        }
        call(client, out, "ListTasks", json!({ "pageSize": 2 }));
    }),
    ("list context", |client, out| {
        start(client, "task-cancel x");
        call(client, out, "ListTasks", json!({ "contextId": "another" }));
    }),
    ("list without params", |client, out| call(client, out, "ListTasks", Value::Null)),
    ("push config", |client, out| {
        let task = start(client, "task-cancel x");
        call(
            client,
            out,
            "CreateTaskPushNotificationConfig",
            json!({ "taskId": task["id"], "url": "https://example.com/" }),
        );
        call(client, out, "ListTaskPushNotificationConfigs", json!({ "taskId": task["id"] }));
    }),
    ("push configs", |client, out| {
        let mut params = message("multi-turn x");
        params["configuration"] =
            json!({ "taskPushNotificationConfig": { "id": "a", "url": "https://example.com/a" } });
        client.fetch(Client::request("SendMessage", &params));
        let task = answered(client, "ListTasks", &json!({}))["result"]["tasks"][0]["id"].clone();
        for task in [task, NO_TASK.into()] {
            for (id, url) in
                [("b", "https://example.com/b"), ("c", ""), ("", "https://example.com/d"), ("e", "http://10.0.0.1/")]
            {
                call(client, out, "CreateTaskPushNotificationConfig", json!({ "taskId": task, "id": id, "url": url }));
            }
            for id in ["b", "z"] {
                call(client, out, "GetTaskPushNotificationConfig", json!({ "taskId": task, "id": id }));
            }
            for _ in 0..2 {
                call(client, out, "ListTaskPushNotificationConfigs", json!({ "taskId": task }));
                call(client, out, "DeleteTaskPushNotificationConfig", json!({ "taskId": task, "id": "b" }));
            }
        }
    }),
    ("another user", |client, out| {
        let task = start(client, "multi-turn x");
        client.clock.pass(50.0);
        let id = || task["id"].clone();
        let config = json!({ "taskId": id(), "id": "a", "url": "https://example.com/" });
        call(client, out, "CreateTaskPushNotificationConfig", config.clone());
        for (method, params) in [
            ("GetTask", json!({ "id": id() })),
            ("ListTasks", json!({})),
            ("ListTasks", json!({ "contextId": task["contextId"] })),
            ("SubscribeToTask", json!({ "id": id() })),
            ("GetTaskPushNotificationConfig", json!({ "taskId": id(), "id": "a" })),
            ("ListTaskPushNotificationConfigs", json!({ "taskId": id() })),
            ("DeleteTaskPushNotificationConfig", json!({ "taskId": id(), "id": "a" })),
            ("CreateTaskPushNotificationConfig", config),
            ("SendMessage", more("more", &task, None)),
            ("CancelTask", json!({ "id": id() })),
        ] {
            let token = format!("Bearer {SECOND_TOKEN}");
            show(client, out, Client::request(method, &params).with_header("Authorization", token));
        }
        call(client, out, "GetTask", json!({ "id": id() }));
        call(client, out, "ListTaskPushNotificationConfigs", json!({ "taskId": id() }));
    }),
    ("send with more", |client, out| {
        for (place, value) in [
            ("/message/parts", json!([{ "text": "a" }, { "text": "b" }])),
            ("/message/parts", json!([])),
            ("/message/parts", json!([{}])),
            ("/message/parts", json!([{ "raw": "YQ==", "mediaType": "video/mp4" }])),
            ("/message/metadata", json!({ "a": 1 })),
            ("/message/referenceTaskIds", json!(["a"])),
            ("/configuration", json!({ "acceptedOutputModes": ["text/plain"] })),
        ] {
            let mut params = message("task-lifecycle x");
            crate::agent::json_values::change(&mut params, place, Some(value));
            call(client, out, "SendMessage", params);
        }
    }),
    ("send in an old context", |client, out| {
        let task = start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        let mut params = message("task-lifecycle x");
        params["message"]["contextId"] = task["contextId"].clone();
        call(client, out, "SendMessage", params);
    }),
    ("stream with options", |client, out| {
        let mut params = message("task-lifecycle x");
        params["configuration"] = json!({ "returnImmediately": true, "historyLength": 0 });
        call(client, out, "SendStreamingMessage", params);
    }),
    ("stream to finished", |client, out| {
        let task = start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        call(client, out, "SendStreamingMessage", more("more", &task, None));
    }),
    ("two subscribers", |client, out| {
        let task = start(client, "long-running x");
        client.clock.pass(300.0);
        let subscribe = || client.fetch(Client::request("SubscribeToTask", &json!({ "id": task["id"] })));
        let (first, second) = (subscribe(), subscribe());
        drop(second);
        if let Some(Ok(answer)) = first {
            writeln!(out, "{}", read(answer).body.escape_ascii()).unwrap();
        }
    }),
    ("failed task", |client, out| {
        let task = start(client, "task-failure x");
        client.clock.pass(300.0);
        call(client, out, "ListTasks", json!({}));
        for method in ["GetTask", "SubscribeToTask", "CancelTask"] {
            call(client, out, method, json!({ "id": task["id"] }));
        }
        call(client, out, "SendMessage", more("more", &task, None));
    }),
    ("stream failing", |client, out| call(client, out, "SendStreamingMessage", message("task-failure x"))),
    ("page after a new task", |client, out| {
        start(client, "task-lifecycle x");
        start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        let first = answered(client, "ListTasks", &json!({ "pageSize": 1 }));
        start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        call(client, out, "ListTasks", json!({ "pageSize": 1, "pageToken": first["result"]["nextPageToken"] }));
    }),
    ("list filtered", |client, out| {
        start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        let task = start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        let read = answered(client, "GetTask", &json!({ "id": task["id"] }));
        for params in [
            json!({ "status": "TASK_STATE_AUTH_REQUIRED" }),
            json!({ "statusTimestampAfter": read["result"]["status"]["timestamp"] }),
            json!({ "statusTimestampAfter": whole_second(&read["result"]["status"]["timestamp"]) }),
            json!({ "pageSize": "two" }),
            json!({ "status": "TASK_STATE_AUTH_REQUIRED", "statusTimestampAfter": "2000-01-01T00:00:00Z" }),
            json!({ "includeArtifacts": true, "historyLength": 1 }),
            json!({ "pageSize": 101 }),
            json!({ "pageToken": "x" }),
            json!({ "status": "x" }),
            json!({ "statusTimestampAfter": "x" }),
        ] {
            call(client, out, "ListTasks", params);
        }
    }),
    ("list pages", |client, out| {
        start(client, "task-lifecycle x");
        client.clock.pass(100.0);
        start(client, "task-lifecycle x");
        let mut token = String::new();
        for _ in 0..2 {
            let page = json!({ "pageSize": 1, "pageToken": token });
            let body = answered(client, "ListTasks", &page);
            writeln!(out, "{body}").unwrap();
            token = body["result"]["nextPageToken"].as_str().unwrap_or_default().to_owned();
        }
    }),
    ("no id", |client, out| {
        show(client, out, Client::post(r#"{"jsonrpc":"2.0","method":"ListTasks"}"#));
    }),
    ("batch", |client, out| {
        show(client, out, Client::post(r#"[{"jsonrpc":"2.0","id":1,"method":"ListTasks"}]"#));
    }),
    ("large request", |client, out| {
        show(client, out, Client::post(&" ".repeat(1_100_000)));
    }),
    ("extended card", |client, out| call(client, out, "GetExtendedAgentCard", Value::Null)),
    ("params that are a text", |client, out| call(client, out, "GetTask", json!("a text"))),
    ("an id that is true", |client, out| {
        let params = json!({ "id": NO_TASK });
        let call = json!({ "jsonrpc": "2.0", "id": true, "method": "GetTask", "params": params });
        show(client, out, Client::post(&call.to_string()));
    }),
    ("unknown method", |client, out| call(client, out, "Nothing", Value::Null)),
    ("malformed", |client, out| show(client, out, Client::post("{"))),
    ("no request", |client, out| {
        show(client, out, Client::post("{}"));
        // Whether the answer came from elsewhere is not part of it.
        let answer = client.fetch(Client::post("{}")).and_then(Result::ok);
        writeln!(out, "{:?}", answer.map(|answer| answer.head.redirected)).unwrap();
    }),
    ("no request", |client, out| show(client, out, Client::post(r#"{"jsonrpc":"1.0","id":1,"method":"GetTask"}"#))),
    ("version 99.0", |client, out| show(client, out, rpc(LIST_CALL, Some("99.0")))),
    ("no version", |client, out| show(client, out, rpc(LIST_CALL, None))),
    ("version 1.0.5", |client, out| show(client, out, rpc(LIST_CALL, Some("1.0.5")))),
    ("get by the method of 0.3", |client, out| call(client, out, "tasks/get", json!({ "id": NO_TASK }))),
    ("http get unknown", |client, out| {
        show(client, out, Client::route(Method::Get, &format!("/tasks/{NO_TASK}"), None))
    }),
    ("http get of unlike tasks", |client, out| {
        for words in ["data-types x", "task-reject x", "task-lifecycle x"] {
            let task = start(client, words);
            client.clock.pass(300.0);
            let path = format!("/tasks/{}", task["id"].as_str().unwrap_or_default());
            show(client, out, Client::route(Method::Get, &path, None));
        }
    }),
    ("http send with an extension", |client, out| {
        let mut params = message("task-lifecycle x");
        params["message"]["extensions"] = json!(["https://example.com/extension"]);
        show(client, out, Client::route(Method::Post, "/message:send", Some(&params)));
    }),
    ("http nothing sent", |client, out| {
        show(client, out, Client::route(Method::Post, "/message:send", Some(&json!({}))))
    }),
    ("http stream", |client, out| {
        show(client, out, Client::route(Method::Post, "/message:stream", Some(&message("task-lifecycle x"))));
    }),
    ("http list", |client, out| show(client, out, Client::route(Method::Get, "/tasks", None))),
    ("http list with its version in the query", |client, out| {
        show(client, out, Request::get(format!("{BASE}/rest/tasks?A2A-Version=1.0")));
        show(
            client,
            out,
            Request::post(format!("{BASE}/rest/message:send"), "text/plain", "{}").with_header("A2A-Version", "1.0"),
        );
    }),
    ("http cancel", |client, out| {
        let url = || format!("{BASE}/rest/tasks/{NO_TASK}:cancel");
        for (media_type, body) in [("application/json", "{}"), ("application/a2a+json", "{}"), ("application/json", "")]
        {
            show(client, out, Request::post(url(), media_type, body).with_header("A2A-Version", "1.0"));
        }
        show(client, out, Request::get(url()).with_header("A2A-Version", "1.0"));
    }),
    ("http unknown path", |client, out| show(client, out, Client::route(Method::Get, "/nothing", None))),
    ("other credentials", |client, out| {
        for credentials in ["none", "Bearer another", "Bearer an.old.one", "Basic YTpi"] {
            let with = |method| Client::request(method, &json!({})).with_header("Authorization", credentials);
            for method in
                ["ListTasks", "GetTask", "SendMessage", "CancelTask", "SubscribeToTask", "GetExtendedAgentCard"]
            {
                show(client, out, with(method));
            }
        }
    }),
    ("extensions", |client, out| {
        let base = "https://example.org/extensions";
        for asked in [format!("{base}/trace/v1"), format!("{base}/trace/v9"), format!("{base}/x/v1, {base}/trace/v1")] {
            show(
                client,
                out,
                Client::request("SendMessage", &message("message-only x")).with_header("A2A-Extensions", asked),
            );
        }
    }),
    ("fifty calls", |client, out| {
        for _ in 0..50 {
            show(client, out, rpc(LIST_CALL, Some("1.0")));
        }
    }),
    ("eleven calls", |client, out| {
        for _ in 0..11 {
            show(client, out, rpc(LIST_CALL, Some("1.0")));
        }
    }),
];

/// The same of an agent of an older version, as paths below it and bodies; none is a GET.
pub(super) const OLDER_PROBES: &[(&str, &str, Option<&str>)] = &[
    ("card", "/.well-known/agent-card.json", None),
    ("card at its old place", "/.well-known/agent.json", None),
    (
        "send types",
        "/rpc",
        Some(
            r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"data-types"}]}}}"#,
        ),
    ),
    (
        "send not blocking",
        "/rpc",
        Some(
            r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"task-cancel"}]},"configuration":{"blocking":false}}}"#,
        ),
    ),
    (
        "stream",
        "/rpc",
        Some(
            r#"{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"task-lifecycle"}]}}}"#,
        ),
    ),
    (
        "stream over HTTP",
        "/rest/v1/message:stream",
        Some(r#"{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"task-lifecycle"}]}}"#),
    ),
    (
        "push config",
        "/rpc",
        Some(
            r#"{"jsonrpc":"2.0","id":1,"method":"tasks/pushNotificationConfig/set","params":{"taskId":"id-2","pushNotificationConfig":{"url":"https://example.com/"}}}"#,
        ),
    ),
    (
        "push configs",
        "/rpc",
        Some(r#"{"jsonrpc":"2.0","id":1,"method":"tasks/pushNotificationConfig/list","params":{"id":"id-2"}}"#),
    ),
    (
        "push config again",
        "/rpc",
        Some(r#"{"jsonrpc":"2.0","id":1,"method":"tasks/pushNotificationConfig/get","params":{"id":"id-2"}}"#),
    ),
    ("get over HTTP", "/rest/v1/tasks/id-2", None),
    ("get", "/rpc", Some(r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"id-2","historyLength":9}}"#)),
    ("resubscribe", "/rpc", Some(r#"{"jsonrpc":"2.0","id":1,"method":"tasks/resubscribe","params":{"id":"id-2"}}"#)),
    (
        "message",
        "/rpc",
        Some(
            r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"message-only"}]}}}"#,
        ),
    ),
    (
        "picture",
        "/rpc",
        Some(
            r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"user","parts":[{"kind":"file","file":{"bytes":"aGk=","mimeType":"image/png"}}]}}}"#,
        ),
    ),
    (
        "with a version",
        "/rpc?a2a-version=1.0",
        Some(r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"id-2"}}"#),
    ),
    ("http get", "/rest/v1/tasks/nobody", None),
    ("http list", "/rest/v1/tasks", None),
    ("http push configs", "/rest/v1/tasks/nobody/pushNotificationConfigs", None),
    ("extended card", "/agent/authenticatedExtendedCard", None),
    (
        "long task of 0.1",
        "/rpc",
        Some(
            r#"{"jsonrpc":"2.0","id":1,"method":"tasks/sendSubscribe","params":{"id":"t-3","message":{"role":"user","parts":[{"type":"text","text":"long-running"}]}}}"#,
        ),
    ),
    (
        "send types to 0.1",
        "/rpc",
        Some(
            r#"{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":"t","sessionId":"s","message":{"role":"user","parts":[{"type":"text","text":"data-types"}]}}}"#,
        ),
    ),
    (
        "stream of 0.1",
        "/rpc",
        Some(
            r#"{"jsonrpc":"2.0","id":1,"method":"tasks/sendSubscribe","params":{"id":"t-2","message":{"role":"user","parts":[{"type":"text","text":"task-lifecycle"}]}}}"#,
        ),
    ),
    (
        "send in a context of words",
        "/rpc",
        Some(
            r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"user","contextId":"of my own","parts":[{"kind":"text","text":"task-lifecycle x"}]}}}"#,
        ),
    ),
];

/// A time without its fraction of a second.
fn whole_second(timestamp: &Value) -> String {
    let (second, _) = timestamp.as_str().and_then(|text| text.split_once('.')).unwrap_or_default();
    format!("{second}Z")
}
