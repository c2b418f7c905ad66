//! The agent in the older versions, against literal JSON.

mod push_and_routes;
mod streams;

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
    let client = Client::with_faults(&[]);
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
    let client = Client::with_faults(&["protected"]);
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

    let stranger = Client { headers: Vec::new(), ..Client::with_faults(&["protected"]) };
    for version in OLDER {
        assert_eq!(call(&stranger, version, "tasks/get", json!({ "id": "t" })).status, 401, "{version}");
    }
    assert_eq!(stranger.read(Request::get(format!("{BASE}/0.2/agent/authenticatedExtendedCard"))).status, 401);
    let plain = Client::with_faults(&[]);
    assert_eq!(plain.read(Request::get(format!("{BASE}/0.2/agent/authenticatedExtendedCard"))).status, 404);
    assert_eq!(refused(&plain, "0.3", "agent/getAuthenticatedExtendedCard", Value::Null)["code"], -32007);
    assert_eq!(route(&plain, Method::Get, "/v1/card", None).status, 404);
}

#[test]
fn a_send_is_answered_by_a_bare_task_or_message() {
    for version in ["0.3", "0.2"] {
        let client = Client::with_faults(&[]);
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
    let client = Client::with_faults(&[]);
    assert_eq!(
        blotted(ask(&client, "0.1", "tasks/send", to_task("t-mine", "task-lifecycle x"))),
        json!({
            "id": "t-mine", "sessionId": "s-1",
            "status": { "state": "completed", "timestamp": "T" },
            "artifacts": [{ "name": "Result", "parts": [{ "text": "task-lifecycle x", "type": "text" }], "index": 0 }],
        })
    );
    // An answer that is a message in other versions is a task here.
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
    let client = Client::with_faults(&[]);
    let state = |text: &str, id: &str| ask(&client, "0.1", "tasks/send", to_task(id, text))["status"]["state"].clone();
    assert_eq!(state("auth-required", "t-1"), "input-required");
    assert_eq!(state("task-reject", "t-2"), "failed");
    let mut params = message("auth-required");
    params["configuration"] = json!({ "blocking": true });
    assert_eq!(ask(&client, "0.3", "message/send", params)["status"]["state"], "auth-required");
}

#[test]
fn every_kind_of_part_has_its_form() {
    let client = Client::with_faults(&[]);
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
    let client = Client::with_faults(&[]);
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
        let client = Client::with_faults(&[]);
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
    let client = Client::with_faults(&[]);
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

#[test]
fn a_conversation_goes_on_in_its_task() {
    let client = Client::with_faults(&[]);
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
        let client = Client::with_faults(&[]);
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
    let client = Client::with_faults(&[]);
    assert_eq!(ask(&client, "0.1", "tasks/send", to_task("t", "task-cancel"))["status"]["state"], "working");
    assert_eq!(client.clock.0.get(), 600.0);
    assert_eq!(ask(&client, "0.1", "tasks/send", to_task("t-2", "task-lifecycle"))["status"]["state"], "completed");
}

#[test]
fn what_a_version_does_not_have_is_no_method_there() {
    let client = Client::with_faults(&[]);
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
    let client = Client::with_faults(&["modest"]);
    for version in ["0.3", "0.2"] {
        assert_eq!(refused(&client, version, "message/stream", message("x"))["code"], -32004);
        let params = json!({ "taskId": "t", "pushNotificationConfig": { "url": "https://example.com/" } });
        assert_eq!(refused(&client, version, "tasks/pushNotificationConfig/set", params)["code"], -32003);
    }
    assert_eq!(refused(&client, "0.1", "tasks/sendSubscribe", to_task("t", "x"))["code"], -32006);
}

#[test]
fn a_hybrid_agent_speaks_0_3_to_whoever_names_no_version() {
    let client = Client::with_faults(&["hybrid"]);
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
fn a_task_is_one_and_the_same_in_every_version() {
    let client = Client::with_faults(&[]);
    ask(&client, "0.1", "tasks/send", to_task("t", "task-lifecycle"));
    assert_eq!(client.task(&json!("t"))["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(ask(&client, "0.3", "tasks/get", json!({ "id": "t" }))["contextId"], "s-1");
}

#[test]
fn faults_of_form_and_of_behaviour_show_in_older_versions_too() {
    let wrapped =
        ask(&Client::with_faults(&["get-wrapped", "get-unknown-found"]), "0.3", "tasks/get", json!({ "id": "t" }));
    assert_eq!(wrapped["task"]["kind"], "task");
    let found = refused(&Client::with_faults(&["get-unknown-internal"]), "0.1", "tasks/get", json!({ "id": "t" }));
    assert_eq!(found["code"], -32603);
    let code = refused(&Client::with_faults(&["error-code-text"]), "0.2", "tasks/get", json!({ "id": "t" }));
    assert_eq!(code["code"], "-32001");
    let bare = ask(&Client::with_faults(&["artifact-no-id"]), "0.3", "message/send", message("task-lifecycle"));
    assert!(bare["artifacts"][0].get("artifactId").is_none());
    let snake = ask(&Client::with_faults(&["snake-case"]), "0.3", "message/send", message("task-lifecycle"));
    assert!(snake.get("context_id").is_some() && snake["artifacts"][0].get("artifact_id").is_some());
    let late = stream(
        &Client::with_faults(&["stream-update-after-terminal"]),
        "0.3",
        "message/stream",
        message("task-lifecycle"),
    );
    assert_eq!(streams::outline(&late)[3..], ["status-update completed true", "artifact-update"]);
}
