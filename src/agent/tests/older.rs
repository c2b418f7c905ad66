//! The agent in the older versions, against literal JSON.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use super::{BASE, Client, Loopback, Read};
use crate::wire::http::{Method, Request};

const OLDER: [&str; 3] = ["0.3", "0.2", "0.1"];

/// A call by JSON-RPC of an agent of that version.
fn call(client: &Client, version: &str, method: &str, params: Value) -> Read {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    client.read(Request::post(format!("{BASE}/{version}/rpc"), "application/json", body.to_string()))
}

/// The result of a call that must succeed.
fn ask(client: &Client, version: &str, method: &str, params: Value) -> Value {
    let answer = call(client, version, method, params).json();
    answer.get("result").unwrap_or_else(|| panic!("{method}: {answer}")).clone()
}

/// The error of a call that must fail.
fn refused(client: &Client, version: &str, method: &str, params: Value) -> Value {
    let answer = call(client, version, method, params).json();
    answer.get("error").unwrap_or_else(|| panic!("{method}: {answer}")).clone()
}

/// The events of a stream that must end.
fn stream(client: &Client, version: &str, method: &str, params: Value) -> Vec<Value> {
    let read = call(client, version, method, params);
    assert!(read.ended && read.head.contains("text/event-stream"), "{}", String::from_utf8_lossy(&read.body));
    read.events()
}

/// A call of the 0.3 agent by a route.
fn route(client: &Client, method: Method, path: &str, body: Option<&Value>) -> Read {
    let url = format!("{BASE}/0.3/rest{path}");
    let request = match body {
        Some(body) => Request::post(url, "application/json", body.to_string()),
        None => Request::get(url),
    };
    client.read(Request { method, ..request })
}

/// A message of 0.2 and 0.3.
fn message(text: &str) -> Value {
    json!({ "message": { "kind": "message", "messageId": "m-1", "role": "user", "parts": [{ "kind": "text", "text": text }] } })
}

/// A message of 0.1 to the task of that id.
fn to_task(id: &str, text: &str) -> Value {
    json!({ "id": id, "sessionId": "s-1", "message": { "role": "user", "parts": [{ "type": "text", "text": text }] } })
}

/// The text of a value with every generated id and time in it blotted out, so that it can be compared.
fn blotted(mut value: Value) -> Value {
    fn blot(name: &str, value: &mut Value) {
        match value {
            Value::String(text) if name == "timestamp" && text.ends_with('Z') => *text = "T".to_owned(),
            Value::String(text) if text.starts_with("id-") => *text = "I".to_owned(),
            Value::Array(list) => list.iter_mut().for_each(|entry| blot("", entry)),
            Value::Object(map) => map.iter_mut().for_each(|(name, member)| blot(name, member)),
            _ => {}
        }
    }
    blot("", &mut value);
    value
}

fn card(client: &Client, path: &str) -> Value {
    let read = client.read(Request::get(format!("{BASE}{path}")));
    assert_eq!(read.status, 200, "{path}");
    read.json()
}

#[test]
fn each_version_has_a_card_of_its_own_where_it_belongs() {
    let client = Client::of(&[]);
    let three = card(&client, "/0.3/.well-known/agent-card.json");
    assert_eq!(three["protocolVersion"], "0.3.0");
    assert_eq!(three["url"], "https://agent.example/0.3/rpc");
    assert_eq!(three["preferredTransport"], "JSONRPC");
    assert_eq!(
        three["additionalInterfaces"],
        json!([
            { "url": "https://agent.example/0.3/rpc", "transport": "JSONRPC" },
            { "url": "https://agent.example/0.3/rest", "transport": "HTTP+JSON" },
        ])
    );
    assert_eq!(
        three["capabilities"],
        json!({ "streaming": true, "pushNotifications": true, "stateTransitionHistory": true })
    );
    assert_eq!(three["supportsAuthenticatedExtendedCard"], false);
    let two = card(&client, "/0.2/.well-known/agent.json");
    assert_eq!((&two["protocolVersion"], &two["url"]), (&json!("0.2.6"), &json!("https://agent.example/0.2/rpc")));
    let one = card(&client, "/0.1/.well-known/agent.json");
    assert_eq!(one["url"], "https://agent.example/0.1/rpc");
    for member in ["protocolVersion", "preferredTransport", "supportedInterfaces", "supportsAuthenticatedExtendedCard"]
    {
        assert!(one.get(member).is_none(), "{member}");
    }
    assert!(three.get("supportedInterfaces").is_none() && two.get("supportedInterfaces").is_none());
    for path in ["/0.3/.well-known/agent.json", "/0.2/.well-known/agent-card.json", "/0.1/.well-known/agent-card.json"]
    {
        assert_eq!(client.read(Request::get(format!("{BASE}{path}"))).status, 404, "{path}");
    }
}

#[test]
fn a_protected_agent_declares_its_schemes_as_the_version_does() {
    let client = Client::of(&["protected"]);
    let three = card(&client, "/0.3/.well-known/agent-card.json");
    assert_eq!(three["securitySchemes"]["tok"], json!({ "type": "http", "scheme": "Bearer" }));
    assert_eq!(three["securitySchemes"]["sso"]["type"], "oauth2");
    assert_eq!(three["security"], json!([{ "tok": [] }]));
    assert_eq!(three["supportsAuthenticatedExtendedCard"], true);
    let one = card(&client, "/0.1/.well-known/agent.json");
    assert_eq!(one["authentication"]["schemes"], json!(["Bearer", "oauth2"]));
    let credentials: Value = serde_json::from_str(one["authentication"]["credentials"].as_str().unwrap()).unwrap();
    assert_eq!(credentials["tokenUrl"], "https://login.example.com/token");
    assert_eq!(one["skills"][0]["inputModes"], json!(["text/plain", "application/json"]));
    assert!(one.get("securitySchemes").is_none() && one.get("security").is_none());

    let by_method = ask(&client, "0.3", "agent/getAuthenticatedExtendedCard", Value::Null);
    let by_route = route(&client, Method::Get, "/v1/card", None).json();
    let by_get = card(&client, "/0.2/agent/authenticatedExtendedCard");
    for extended in [&by_method, &by_route, &by_get] {
        assert_eq!(extended["skills"].as_array().unwrap().last().unwrap()["id"], "statistics");
    }
    assert_eq!(by_method, by_route);
    assert_eq!(by_get["protocolVersion"], "0.2.6");

    let stranger = Client { headers: Vec::new(), ..Client::of(&["protected"]) };
    for version in OLDER {
        assert_eq!(call(&stranger, version, "tasks/get", json!({ "id": "t" })).status, 401, "{version}");
    }
    assert_eq!(stranger.read(Request::get(format!("{BASE}/0.2/agent/authenticatedExtendedCard"))).status, 401);
    let plain = Client::of(&[]);
    assert_eq!(plain.read(Request::get(format!("{BASE}/0.2/agent/authenticatedExtendedCard"))).status, 404);
    assert_eq!(refused(&plain, "0.3", "agent/getAuthenticatedExtendedCard", Value::Null)["code"], -32007);
    assert_eq!(route(&plain, Method::Get, "/v1/card", None).status, 404);
}

#[test]
fn a_send_is_answered_by_a_bare_task_or_message() {
    for version in ["0.3", "0.2"] {
        let client = Client::of(&[]);
        let mut params = message("task-lifecycle x");
        params["configuration"] = json!({ "blocking": true, "historyLength": 1 });
        assert_eq!(
            blotted(ask(&client, version, "message/send", params)),
            json!({
                "id": "I", "contextId": "I", "kind": "task",
                "status": { "state": "completed", "timestamp": "T" },
                "artifacts": [{
                    "artifactId": "result", "name": "Result",
                    "parts": [{ "text": "task-lifecycle x", "kind": "text" }],
                }],
                "history": [{
                    "messageId": "I", "contextId": "I", "taskId": "I", "kind": "message", "role": "agent",
                    "parts": [{ "text": "Working on it.", "kind": "text" }],
                }],
            })
        );
        assert_eq!(
            blotted(ask(&client, version, "message/send", message("message-only hi"))),
            json!({
                "messageId": "I", "contextId": "I", "role": "agent", "kind": "message",
                "parts": [{ "text": "This is a message and no task: message-only hi", "kind": "text" }],
            })
        );
    }
}

#[test]
fn a_send_of_0_1_makes_a_task_of_the_clients_id() {
    let client = Client::of(&[]);
    assert_eq!(
        blotted(ask(&client, "0.1", "tasks/send", to_task("t-mine", "task-lifecycle x"))),
        json!({
            "id": "t-mine", "sessionId": "s-1",
            "status": { "state": "completed", "timestamp": "T" },
            "artifacts": [{ "name": "Result", "parts": [{ "text": "task-lifecycle x", "type": "text" }], "index": 0 }],
        })
    );
    // What is a message elsewhere is a task here.
    let told = ask(&client, "0.1", "tasks/send", to_task("t-2", "message-only hi"));
    assert_eq!((&told["id"], &told["status"]["state"]), (&json!("t-2"), &json!("completed")));
    let said = json!({ "role": "agent", "parts": [{ "text": "This is a message and no task: message-only hi", "type": "text" }] });
    assert_eq!(told["status"]["message"], said);
    // Without a session, the agent makes one.
    let mut params = to_task("t-3", "task-lifecycle");
    params.as_object_mut().unwrap().remove("sessionId");
    assert!(ask(&client, "0.1", "tasks/send", params)["sessionId"].is_string());
}

#[test]
fn states_that_0_1_lacks_are_the_nearest_ones() {
    let client = Client::of(&[]);
    let state = |text: &str, id: &str| ask(&client, "0.1", "tasks/send", to_task(id, text))["status"]["state"].clone();
    assert_eq!(state("auth-required", "t-1"), "input-required");
    assert_eq!(state("task-reject", "t-2"), "failed");
    let mut params = message("auth-required");
    params["configuration"] = json!({ "blocking": true });
    assert_eq!(ask(&client, "0.3", "message/send", params)["status"]["state"], "auth-required");
}

#[test]
fn every_kind_of_part_has_its_form() {
    let client = Client::of(&[]);
    let parts = |task: &Value| -> Vec<Value> {
        task["artifacts"].as_array().unwrap().iter().map(|artifact| artifact["parts"][0].clone()).collect()
    };
    let task = ask(&client, "0.3", "message/send", message("data-types"));
    let three = parts(&task);
    assert_eq!(three[0], json!({ "text": "Some text.", "kind": "text" }));
    assert_eq!(three[1], json!({ "data": { "key": "value", "count": 42 }, "kind": "data" }));
    assert_eq!(three[2]["file"]["mimeType"], "image/svg+xml");
    assert!(three[2]["file"]["bytes"].is_string() && three[2].get("raw").is_none());
    let file = json!({ "uri": "https://example.com/output.txt", "name": "output.txt", "mimeType": "text/plain" });
    assert_eq!(three[3], json!({ "file": file, "kind": "file" }));
    let one = ask(&client, "0.1", "tasks/send", to_task("t", "data-types"));
    assert_eq!(parts(&one)[3], json!({ "file": file, "type": "file" }));
    let indexes: Vec<_> =
        one["artifacts"].as_array().unwrap().iter().map(|artifact| artifact["index"].clone()).collect();
    assert_eq!(indexes, [0, 1, 2, 3, 4]);
}

#[test]
fn sent_parts_are_read_and_what_is_no_part_is_refused() {
    let client = Client::of(&[]);
    let with = |part: Value| {
        let mut params = message("task-lifecycle");
        params["message"]["parts"].as_array_mut().unwrap().push(part);
        params
    };
    for part in [
        json!({ "kind": "data", "data": { "a": 1 } }),
        json!({ "kind": "file", "file": { "bytes": "aGk=", "mimeType": "text/plain", "name": "hi.txt" } }),
        json!({ "kind": "file", "file": { "uri": "https://example.com/x" } }),
    ] {
        let task = ask(&client, "0.3", "message/send", with(part.clone()));
        assert_eq!(task["history"][0]["parts"][1].as_object(), part.as_object(), "{task}");
    }
    for part in [
        json!({}),
        json!({ "kind": "text" }),
        json!({ "kind": "song", "text": "la" }),
        json!({ "kind": "text", "text": 5 }),
        json!({ "kind": "file", "file": {} }),
        json!("text"),
    ] {
        assert_eq!(refused(&client, "0.3", "message/send", with(part.clone()))["code"], -32602, "{part}");
    }
    let image = json!({ "kind": "file", "file": { "bytes": "aGk=", "mimeType": "image/png" } });
    assert_eq!(refused(&client, "0.3", "message/send", with(image))["code"], -32005);
    let mut robot = message("task-lifecycle");
    robot["message"]["role"] = json!("robot");
    assert_eq!(refused(&client, "0.3", "message/send", robot)["code"], -32602);
}

#[test]
fn a_client_that_does_not_block_gets_the_task_as_it_is() {
    for (version, wanted) in [("0.3", "submitted"), ("0.2", "submitted")] {
        let client = Client::of(&[]);
        let mut params = message("task-lifecycle");
        params["configuration"] = json!({ "blocking": false });
        let task = ask(&client, version, "message/send", params);
        assert_eq!(task["status"]["state"], wanted);
        client.clock.pass(100.0);
        assert_eq!(ask(&client, version, "tasks/get", json!({ "id": task["id"] }))["status"]["state"], "completed");
    }
}

#[test]
fn history_of_0_1_is_shown_only_when_asked_for() {
    let client = Client::of(&[]);
    ask(&client, "0.1", "tasks/send", to_task("t", "task-lifecycle"));
    let get = |params: Value| ask(&client, "0.1", "tasks/get", params);
    assert!(get(json!({ "id": "t" })).get("history").is_none());
    assert!(get(json!({ "id": "t", "historyLength": 0 })).get("history").is_none());
    assert_eq!(
        get(json!({ "id": "t", "historyLength": 5 }))["history"],
        json!([
            { "role": "user", "parts": [{ "text": "task-lifecycle", "type": "text" }] },
            { "role": "agent", "parts": [{ "text": "Working on it.", "type": "text" }] },
        ])
    );
    let mut params = to_task("t-2", "task-lifecycle");
    params["historyLength"] = json!(1);
    assert_eq!(ask(&client, "0.1", "tasks/send", params)["history"].as_array().unwrap().len(), 1);
}

/// What the events of a stream tell: kind, and state or text.
fn outline(events: &[Value]) -> Vec<String> {
    let line = |event: &Value| {
        let kind =
            event["kind"].as_str().unwrap_or(if event.get("artifact").is_some() { "artifact" } else { "status" });
        let state = event["status"]["state"].as_str().unwrap_or_default();
        format!("{kind} {state} {}", event["final"]).replace(" null", "").trim_end().to_owned()
    };
    events.iter().map(line).collect()
}

#[test]
fn a_stream_ends_with_its_final_update() {
    for version in ["0.3", "0.2"] {
        let client = Client::of(&[]);
        let events = stream(&client, version, "message/stream", message("task-lifecycle x"));
        assert_eq!(
            outline(&events),
            ["task submitted", "status-update working false", "artifact-update", "status-update completed true"]
        );
        assert_eq!(
            blotted(events[2].clone()),
            json!({
                "taskId": "I", "contextId": "I", "kind": "artifact-update", "lastChunk": true,
                "artifact": {
                    "artifactId": "result", "name": "Result",
                    "parts": [{ "text": "task-lifecycle x", "kind": "text" }],
                },
            })
        );
        assert_eq!(
            blotted(events[3].clone()),
            json!({
                "taskId": "I", "contextId": "I", "kind": "status-update", "final": true,
                "status": { "state": "completed", "timestamp": "T" },
            })
        );
        let events = stream(&client, version, "message/stream", message("multi-turn"));
        assert_eq!(outline(&events), ["task submitted", "status-update input-required true"]);
        let events = stream(&client, version, "message/stream", message("message-only"));
        assert_eq!(outline(&events), ["message"]);
    }
}

#[test]
fn a_stream_of_0_1_has_updates_only() {
    let client = Client::of(&[]);
    let events = stream(&client, "0.1", "tasks/sendSubscribe", to_task("t", "streaming"));
    assert_eq!(
        outline(&events),
        [
            "status submitted false",
            "status working false",
            "artifact",
            "artifact",
            "artifact",
            "artifact",
            "status completed true"
        ]
    );
    let mut first = events[2].clone();
    first["artifact"]["parts"] = Value::Null;
    assert_eq!(first, json!({ "id": "t", "artifact": { "name": "Streamed result", "index": 0, "parts": null } }));
    assert_eq!((&events[3]["artifact"]["append"], &events[5]["artifact"]["lastChunk"]), (&json!(true), &json!(true)));
    assert_eq!(
        blotted(events[6].clone()),
        json!({ "id": "t", "status": { "state": "completed", "timestamp": "T" }, "final": true })
    );
    let events = stream(&client, "0.1", "tasks/sendSubscribe", to_task("t-2", "message-only"));
    assert_eq!(outline(&events), ["status submitted false", "status completed true"]);
}

#[test]
fn a_subscription_begins_with_what_is_and_ends_with_the_final_update() {
    let client = Client::of(&[]);
    let mut params = message("long-running");
    params["configuration"] = json!({ "blocking": false });
    let task = ask(&client, "0.3", "message/send", params);
    let events = stream(&client, "0.3", "tasks/resubscribe", json!({ "id": task["id"] }));
    assert_eq!(outline(&events)[0], "task submitted");
    assert_eq!(outline(&events).last().unwrap(), "status-update completed true");
    // A finished task is shown once more.
    let events = stream(&client, "0.3", "tasks/resubscribe", json!({ "id": task["id"] }));
    assert_eq!(outline(&events), ["task completed"]);
    assert_eq!(refused(&client, "0.2", "tasks/resubscribe", json!({ "id": "nobody" }))["code"], -32001);

    ask(&client, "0.1", "tasks/send", to_task("t", "task-lifecycle"));
    let late = call(&client, "0.1", "tasks/resubscribe", json!({ "id": "t" }));
    assert_eq!((late.status, &late.json()["error"]["code"]), (400, &json!(-32009)));
    let unknown = call(&client, "0.1", "tasks/resubscribe", json!({ "id": "nobody" }));
    assert_eq!((unknown.status, &unknown.json()["error"]["code"]), (400, &json!(-32001)));
}

#[test]
fn a_conversation_goes_on_in_its_task() {
    let client = Client::of(&[]);
    let task = ask(&client, "0.3", "message/send", message("multi-turn"));
    assert_eq!(task["status"]["state"], "input-required");
    let mut more = message("done");
    more["message"]["taskId"] = task["id"].clone();
    assert_eq!(ask(&client, "0.3", "message/send", more.clone())["status"]["state"], "completed");
    assert_eq!(refused(&client, "0.3", "message/send", more)["code"], -32004);
    ask(&client, "0.1", "tasks/send", to_task("t", "multi-turn"));
    let done = ask(&client, "0.1", "tasks/send", to_task("t", "done"));
    assert_eq!((&done["id"], &done["status"]["state"]), (&json!("t"), &json!("completed")));
    // 0.1 has an error of its own for that.
    assert_eq!(refused(&client, "0.1", "tasks/send", to_task("t", "more"))["code"], -32009);
}

#[test]
fn tasks_are_read_and_cancelled() {
    for version in OLDER {
        let client = Client::of(&[]);
        let (send, params) = match version {
            "0.1" => ("tasks/sendSubscribe", to_task("t", "task-cancel")),
            _ => ("message/send", {
                let mut params = message("task-cancel");
                params["configuration"] = json!({ "blocking": false });
                params
            }),
        };
        let id = match version {
            "0.1" => {
                let body = json!({ "jsonrpc": "2.0", "id": 1, "method": send, "params": params });
                let url = format!("{BASE}/{version}/rpc");
                drop(client.fetch(Request::post(url, "application/json", body.to_string())));
                json!("t")
            }
            _ => ask(&client, version, send, params)["id"].clone(),
        };
        assert_eq!(ask(&client, version, "tasks/get", json!({ "id": id }))["id"], id);
        let cancelled = ask(&client, version, "tasks/cancel", json!({ "id": id }));
        assert_eq!((&cancelled["id"], &cancelled["status"]["state"]), (&id, &json!("canceled")), "{version}");
        assert_eq!(refused(&client, version, "tasks/cancel", json!({ "id": id }))["code"], -32002, "{version}");
        let unknown = refused(&client, version, "tasks/get", json!({ "id": "nobody" }));
        assert_eq!(
            unknown,
            json!({ "code": -32001, "message": "there is no task with that id", "data": { "taskId": "nobody" } })
        );
        assert_eq!(refused(&client, version, "tasks/get", json!({}))["code"], -32602);
    }
}

#[test]
fn a_long_task_of_0_1_is_answered_as_it_is_after_a_while() {
    let client = Client::of(&[]);
    assert_eq!(ask(&client, "0.1", "tasks/send", to_task("t", "task-cancel"))["status"]["state"], "working");
    assert_eq!(client.clock.0.get(), 600.0);
    assert_eq!(ask(&client, "0.1", "tasks/send", to_task("t-2", "task-lifecycle"))["status"]["state"], "completed");
}

#[test]
fn what_a_version_does_not_have_is_no_method_there() {
    let client = Client::of(&[]);
    for (version, method) in [
        ("0.3", "SendMessage"),
        ("0.3", "tasks/list"),
        ("0.3", "tasks/send"),
        ("0.2", "agent/getAuthenticatedExtendedCard"),
        ("0.1", "message/send"),
        ("0.1", "tasks/pushNotificationConfig/set"),
        ("0.1", "tasks/pushNotification/list"),
    ] {
        assert_eq!(refused(&client, version, method, json!({ "id": "t" }))["code"], -32601, "{version} {method}");
    }
    // A task that is not there, and a route that is not.
    let there = client.read(Request::get(format!("{BASE}/0.2/rest/v1/tasks/t")));
    assert!(String::from_utf8_lossy(&there.body).contains("-32001"), "{}", String::from_utf8_lossy(&there.body));
    assert_eq!(client.read(Request::get(format!("{BASE}/0.1/rest/v1/tasks/t"))).status, 404);
    assert_eq!(
        refused(&client, "0.1", "tasks/send", json!({ "message": to_task("", "x")["message"] }))["code"],
        -32602
    );
}

#[test]
fn a_modest_agent_refuses_in_the_codes_of_the_version() {
    let client = Client::of(&["modest"]);
    for version in ["0.3", "0.2"] {
        assert_eq!(refused(&client, version, "message/stream", message("x"))["code"], -32004);
        let params = json!({ "taskId": "t", "pushNotificationConfig": { "url": "https://example.com/" } });
        assert_eq!(refused(&client, version, "tasks/pushNotificationConfig/set", params)["code"], -32003);
    }
    assert_eq!(refused(&client, "0.1", "tasks/sendSubscribe", to_task("t", "x"))["code"], -32006);
}

#[test]
fn push_configs_are_kept_in_the_form_of_0_3() {
    for version in ["0.3", "0.2"] {
        let client = Client::of(&[]);
        let task = ask(&client, version, "message/send", message("task-lifecycle"));
        let id = &task["id"];
        let given = json!({ "url": "https://example.com/hook", "token": "n-1", "authentication": { "schemes": ["Bearer"], "credentials": "c" } });
        let set = ask(
            &client,
            version,
            "tasks/pushNotificationConfig/set",
            json!({ "taskId": id, "pushNotificationConfig": given }),
        );
        let config = &set["pushNotificationConfig"];
        assert_eq!((&set["taskId"], set.as_object().unwrap().len()), (id, 2));
        let mut wanted = given.clone();
        wanted["id"] = config["id"].clone();
        assert!(config["id"].is_string());
        assert_eq!(config, &wanted);
        let named = json!({ "id": id, "pushNotificationConfigId": config["id"] });
        assert_eq!(ask(&client, version, "tasks/pushNotificationConfig/get", named.clone()), set);
        assert_eq!(ask(&client, version, "tasks/pushNotificationConfig/get", json!({ "id": id })), set);
        assert_eq!(ask(&client, version, "tasks/pushNotificationConfig/list", json!({ "id": id })), json!([set]));
        let answer = call(&client, version, "tasks/pushNotificationConfig/delete", named.clone()).json();
        assert_eq!(answer, json!({ "jsonrpc": "2.0", "id": 1, "result": null }));
        assert_eq!(ask(&client, version, "tasks/pushNotificationConfig/list", json!({ "id": id })), json!([]));
        assert_eq!(refused(&client, version, "tasks/pushNotificationConfig/get", named)["code"], -32001);
        let none = json!({ "taskId": id });
        assert_eq!(refused(&client, version, "tasks/pushNotificationConfig/set", none)["code"], -32602);
        let mut inline = message("task-lifecycle");
        inline["configuration"] = json!({ "pushNotificationConfig": { "id": "p", "url": "https://example.com/hook" } });
        let id = ask(&client, version, "message/send", inline)["id"].clone();
        let kept = ask(&client, version, "tasks/pushNotificationConfig/list", json!({ "id": id }));
        assert_eq!(kept[0]["pushNotificationConfig"], json!({ "url": "https://example.com/hook", "id": "p" }));
    }
}

#[test]
fn push_configs_of_0_1_have_no_ids() {
    let client = Client::of(&[]);
    let mut params = to_task("t", "task-lifecycle");
    params["pushNotification"] = json!({ "url": "https://example.com/first" });
    ask(&client, "0.1", "tasks/send", params);
    let get = || ask(&client, "0.1", "tasks/pushNotification/get", json!({ "id": "t" }));
    assert_eq!(get(), json!({ "id": "t", "pushNotificationConfig": { "url": "https://example.com/first" } }));
    let second = json!({ "id": "t", "pushNotificationConfig": { "url": "https://example.com/second", "token": "n" } });
    assert_eq!(ask(&client, "0.1", "tasks/pushNotification/set", second.clone()), second);
    assert_eq!(get(), second);
}

#[test]
fn routes_of_0_3_answer_in_wrappers() {
    let client = Client::of(&[]);
    let sent = route(&client, Method::Post, "/v1/message:send", Some(&message("task-lifecycle x")));
    assert_eq!(sent.status, 200);
    assert!(sent.head.contains("content-type: application/json\n"));
    let task = sent.json()["task"].clone();
    assert_eq!((&task["kind"], &task["status"]["state"]), (&json!("task"), &json!("completed")));
    let id = task["id"].as_str().unwrap();
    let said = route(&client, Method::Post, "/v1/message:send", Some(&message("message-only"))).json();
    assert_eq!(said["message"]["kind"], "message");
    let read = route(&client, Method::Get, &format!("/v1/tasks/{id}?historyLength=1"), None).json();
    assert_eq!((&read["kind"], read["history"].as_array().unwrap().len()), (&json!("task"), 1));
    let list = route(&client, Method::Get, "/v1/tasks", None).json();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["kind"]), (1, &json!("task")));

    let streamed = route(&client, Method::Post, "/v1/message:stream", Some(&message("task-lifecycle"))).frames();
    let names: Vec<_> =
        streamed.iter().map(|event| event.as_object().unwrap().keys().next().unwrap().clone()).collect();
    assert_eq!(names, ["task", "statusUpdate", "artifactUpdate", "statusUpdate"]);
    assert_eq!(
        (&streamed[3]["statusUpdate"]["kind"], &streamed[3]["statusUpdate"]["final"]),
        (&json!("status-update"), &json!(true))
    );
    for method in [Method::Get, Method::Post] {
        let again = route(&client, method, &format!("/v1/tasks/{id}:subscribe"), None).frames();
        assert_eq!((again.len(), &again[0]["task"]["id"]), (1, &json!(id)));
    }

    let late = route(
        &client,
        Method::Post,
        &format!("/v1/tasks/{id}:cancel"),
        Some(&json!({ "name": format!("tasks/{id}") })),
    );
    assert_eq!((late.status, &late.json()["code"]), (400, &json!(-32002)));
    let unknown = route(&client, Method::Get, "/v1/tasks/nobody", None);
    assert_eq!(unknown.status, 404);
    assert_eq!(
        unknown.json(),
        json!({ "code": -32001, "message": "there is no task with that id", "data": { "taskId": "nobody" } })
    );
    assert_eq!(route(&client, Method::Get, "/tasks/nobody", None).status, 404);
}

#[test]
fn push_configs_by_routes_come_alone_or_in_a_member() {
    let client = Client::of(&[]);
    let task =
        route(&client, Method::Post, "/v1/message:send", Some(&message("task-lifecycle"))).json()["task"].clone();
    let path = format!("/v1/tasks/{}/pushNotificationConfigs", task["id"].as_str().unwrap());
    let config = json!({ "url": "https://example.com/hook", "id": "p" });
    let wanted = json!({ "taskId": task["id"], "pushNotificationConfig": config });
    for body in [
        json!({ "taskId": task["id"], "pushNotificationConfig": config }),
        json!({ "config": { "taskId": task["id"], "pushNotificationConfig": config } }),
        json!({ "parent": "tasks/x", "configId": "p", "config": { "name": "tasks/x", "pushNotificationConfig": config } }),
    ] {
        assert_eq!(route(&client, Method::Post, &path, Some(&body)).json(), wanted, "{body}");
    }
    assert_eq!(route(&client, Method::Get, &path, None).json(), json!([wanted]));
    let one = format!("{path}/p");
    assert_eq!(route(&client, Method::Get, &one, None).json(), wanted);
    assert_eq!(route(&client, Method::Delete, &one, None).json(), json!({}));
    assert_eq!(route(&client, Method::Get, &one, None).status, 404);
}

#[test]
fn the_form_of_the_proto_is_read_over_http() {
    let client = Client::of(&[]);
    let body = json!({
        "message": {
            "messageId": "m-1", "role": "ROLE_USER",
            "content": [
                { "text": "task-lifecycle x" },
                { "data": { "data": { "a": 1 } } },
                { "file": { "fileWithBytes": "aGk=", "mimeType": "text/plain" } },
            ],
        },
        "configuration": { "blocking": true, "pushNotification": { "url": "https://example.com/hook" } },
    });
    let task = route(&client, Method::Post, "/v1/message:send", Some(&body)).json()["task"].clone();
    assert_eq!(
        task["history"][0]["parts"],
        json!([
            { "text": "task-lifecycle x", "kind": "text" },
            { "data": { "a": 1 }, "kind": "data" },
            { "file": { "bytes": "aGk=", "mimeType": "text/plain" }, "kind": "file" },
        ])
    );
    let path = format!("/v1/tasks/{}/pushNotificationConfigs", task["id"].as_str().unwrap());
    assert_eq!(route(&client, Method::Get, &path, None).json().as_array().unwrap().len(), 1);
}

#[test]
fn a_hybrid_agent_speaks_0_3_to_whoever_names_no_version() {
    let client = Client::of(&["hybrid"]);
    let post = |body: Value| Request::post(format!("{BASE}/rpc"), "application/json", body.to_string());
    let old = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": message("task-lifecycle") });
    for request in [post(old.clone()), post(old.clone()).with_header("A2A-Version", "0.3")] {
        assert_eq!(client.read(request).json()["result"]["kind"], "task");
    }
    assert_eq!(client.send("task-lifecycle")["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    let wrong = client.read(post(old.clone()).with_header("A2A-Version", "1.0"));
    assert_eq!(wrong.json()["error"]["code"], -32601);
    let never = client.read(post(old).with_header("A2A-Version", "99.0"));
    assert_eq!(never.json()["error"]["code"], -32009);
    let body = message("task-lifecycle").to_string();
    let routed = client.read(Request::post(format!("{BASE}/rest/v1/message:send"), "application/json", body));
    assert_eq!(routed.json()["task"]["kind"], "task");
    let card = card(&client, "/.well-known/agent-card.json");
    let versions: Vec<_> =
        card["supportedInterfaces"].as_array().unwrap().iter().map(|entry| entry["protocolVersion"].clone()).collect();
    assert_eq!(versions, ["1.0", "1.0", "0.3", "0.3"]);
    assert_eq!((&card["url"], &card["protocolVersion"]), (&json!("https://agent.example/rpc"), &json!("0.3")));
}

#[test]
fn webhooks_get_notifications_of_the_version_that_set_them() {
    let clock = super::ManualClock::default();
    let agent = super::ScriptedAgent::new(
        BASE,
        Rc::new(clock.clone()),
        Rc::new(super::CountedIds::default()),
        super::Faults::none(),
    );
    let deliveries = Rc::new(RefCell::new(Vec::new()));
    let kept = Rc::clone(&deliveries);
    agent.send_webhooks_by(Rc::new(move |delivery| kept.borrow_mut().push(delivery)));
    let client = Client { clock, transport: Loopback::new(agent), headers: Vec::new() };
    let mut params = message("task-lifecycle");
    params["configuration"] = json!({
        "blocking": false,
        "pushNotificationConfig": {
            "url": "https://example.com/hook", "token": "n", "authentication": { "schemes": ["Bearer"], "credentials": "c" },
        },
    });
    ask(&client, "0.3", "message/send", params);
    client.clock.pass(25.0);
    let mut delivery = deliveries.borrow_mut().pop().unwrap();
    let notification = delivery.next().now_or_never().flatten().unwrap();
    assert_eq!(
        (notification.url.as_str(), notification.headers.get("authorization")),
        ("https://example.com/hook", Some("Bearer c"))
    );
    let body: Value = serde_json::from_slice(&notification.body.unwrap()).unwrap();
    assert_eq!((&body["kind"], &body["status"]["state"]), (&json!("task"), &json!("working")));
}

#[test]
fn a_task_is_one_and_the_same_in_every_version() {
    let client = Client::of(&[]);
    ask(&client, "0.1", "tasks/send", to_task("t", "task-lifecycle"));
    assert_eq!(client.task(&json!("t"))["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(ask(&client, "0.3", "tasks/get", json!({ "id": "t" }))["contextId"], "s-1");
}

#[test]
fn faults_of_form_and_of_behaviour_show_in_older_versions_too() {
    let wrapped = ask(&Client::of(&["get-wrapped", "get-unknown-found"]), "0.3", "tasks/get", json!({ "id": "t" }));
    assert_eq!(wrapped["task"]["kind"], "task");
    let found = refused(&Client::of(&["get-unknown-internal"]), "0.1", "tasks/get", json!({ "id": "t" }));
    assert_eq!(found["code"], -32603);
    let code = refused(&Client::of(&["error-code-text"]), "0.2", "tasks/get", json!({ "id": "t" }));
    assert_eq!(code["code"], "-32001");
    let bare = ask(&Client::of(&["artifact-no-id"]), "0.3", "message/send", message("task-lifecycle"));
    assert!(bare["artifacts"][0].get("artifactId").is_none());
    let snake = ask(&Client::of(&["snake-case"]), "0.3", "message/send", message("task-lifecycle"));
    assert!(snake.get("context_id").is_some() && snake["artifacts"][0].get("artifact_id").is_some());
    let late =
        stream(&Client::of(&["stream-update-after-terminal"]), "0.3", "message/stream", message("task-lifecycle"));
    assert_eq!(outline(&late)[3..], ["status-update completed true", "artifact-update"]);
}
