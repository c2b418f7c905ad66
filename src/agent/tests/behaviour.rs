//! The behaviour of a conformant agent.

use serde_json::json;

use super::*;
use crate::a2a::cursor::Cursor;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::Operation;
use crate::a2a::rule::Notes;
use crate::wire::exchange::TransportErrorKind;

const NO_TASK: &str = "00000000-0000-0000-0000-000000000000";

#[test]
fn the_card_is_served_with_its_caching_headers_and_revalidates() {
    let client = Client::with_faults(&[]);
    let url = format!("{BASE}/.well-known/agent-card.json");
    let first = client.read(Request::get(&url));
    assert_eq!((first.status, first.json()["skills"].as_array().unwrap().len()), (200, 9));
    assert!(
        first.head.contains("cache-control: public, max-age=60")
            && first.head.contains("content-type: application/json")
    );
    let etag = first.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let again = client.read(Request::get(&url).with_header("If-None-Match", format!("\"x\", W/{etag}")));
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(client.read(Request::get(&url).with_header("If-None-Match", "\"x\"")).status, 200);
}

#[test]
fn paths_and_methods_that_are_not_served_say_so() {
    let client = Client::with_faults(&[]);
    assert_eq!(client.read(Request::get(format!("{BASE}/rpc"))).status, 405);
    assert_eq!(client.read(Request::get(format!("{BASE}/elsewhere"))).status, 404);
    assert_eq!(client.read(Request::get(format!("{BASE}/.well-known/agent.json"))).status, 404);
    let elsewhere = client.fetch(Request::get("https://other.invalid/")).unwrap();
    assert_eq!(elsewhere.err().unwrap().kind, TransportErrorKind::Unreachable);
}

#[test]
fn an_agent_below_a_path_is_found_there_and_its_card_at_the_root_too() {
    let (clock, ids) = (Rc::new(ManualClock::default()), Rc::new(CountedIds::default()));
    let agent = ScriptedAgent::new("http://h:1/a/b/", clock, ids, Faults::none());
    for (path, status) in [
        ("/a/b/.well-known/agent-card.json?x", 200),
        ("/.well-known/agent-card.json", 200),
        ("/a/b/rpc", 405),
        ("/a/b", 404),
    ] {
        let answer = agent.respond(Request::get(format!("http://h:1{path}"))).now_or_never().unwrap().unwrap();
        assert_eq!(answer.head.status, status, "{path}");
    }
}

#[test]
fn each_keyword_shows_its_behaviour() {
    let client = Client::with_faults(&[]);
    assert_eq!(
        client.send("Message-Only hi")["message"]["parts"][0]["text"],
        "This is a message and no task: Message-Only hi"
    );
    for (text, expected, artifacts) in [
        ("task-lifecycle x", "TASK_STATE_COMPLETED", 1),
        ("anything else", "TASK_STATE_COMPLETED", 1),
        ("task-failure x", "TASK_STATE_FAILED", 0),
        ("task-reject x", "TASK_STATE_REJECTED", 0),
        ("task-cancel x", "TASK_STATE_COMPLETED", 0),
        ("multi-turn x", "TASK_STATE_INPUT_REQUIRED", 0),
        ("streaming x", "TASK_STATE_COMPLETED", 1),
        ("long-running x", "TASK_STATE_COMPLETED", 1),
        ("data-types x", "TASK_STATE_COMPLETED", 5),
    ] {
        let task = client.send(text)["task"].clone();
        assert_eq!(state(&task), expected, "{text}");
        assert_eq!(task["artifacts"].as_array().map_or(0, Vec::len), artifacts, "{text}");
    }
}

#[test]
fn a_test_kits_names_count_in_message_ids_too() {
    let client = Client::with_faults(&[]);
    let mut params = message("whatever");
    params["message"]["messageId"] = "tck-artifact-data-17".into();
    let task = client.ask("SendMessage", params);
    assert_eq!(task["task"]["artifacts"][0]["parts"][0]["data"], json!({ "key": "value", "count": 42 }));
}

#[test]
fn a_task_goes_on_though_nobody_waits_for_it() {
    let client = Client::with_faults(&[]);
    let task = client.start("task-lifecycle x");
    assert_eq!(state(&task), "TASK_STATE_SUBMITTED");
    client.clock.pass(25.0);
    assert_eq!(state(&client.task(&task["id"])), "TASK_STATE_WORKING");
    client.clock.pass(1000.0);
    let done = client.task(&task["id"]);
    assert_eq!(state(&done), "TASK_STATE_COMPLETED");
    assert_eq!(done["status"]["timestamp"], "2026-02-03T04:05:06.060Z");
    assert_eq!(client.task(&task["id"]), done);
}

#[test]
fn a_conversation_goes_on_until_done() {
    let client = Client::with_faults(&[]);
    let task = client.send("multi-turn start")["task"].clone();
    assert!(task["status"]["message"]["parts"][0]["text"].is_string());
    let context = task["contextId"].as_str();
    let again = client.ask("SendMessage", more("here is more", &task, context))["task"].clone();
    assert_eq!((state(&again), &again["id"]), ("TASK_STATE_INPUT_REQUIRED", &task["id"]));
    let done = client.ask("SendMessage", more("done", &task, None))["task"].clone();
    assert_eq!((state(&done), &done["contextId"]), ("TASK_STATE_COMPLETED", &task["contextId"]));
    assert_eq!(done["history"].as_array().unwrap().len(), 5);
    assert_eq!(client.refused("SendMessage", more("more", &task, None)), -32004);
}

#[test]
fn cancelling_stops_a_task_for_good_and_keeps_the_metadata() {
    let client = Client::with_faults(&[]);
    let task = client.start("task-cancel x");
    let cancelled = client.ask("CancelTask", json!({ "id": task["id"], "metadata": { "reason": "test" } }));
    assert_eq!((state(&cancelled), &cancelled["metadata"]["reason"]), ("TASK_STATE_CANCELED", &json!("test")));
    client.clock.pass(60_000.0);
    assert_eq!(client.task(&task["id"]), cancelled);
    assert_eq!(client.refused("CancelTask", json!({ "id": task["id"] })), -32002);
    assert_eq!(client.refused("CancelTask", json!({ "id": NO_TASK })), -32001);
}

#[test]
fn a_stream_begins_with_the_task_and_ends_with_its_end() {
    let client = Client::with_faults(&[]);
    let events = client.stream("SendStreamingMessage", message("streaming x"));
    let chunks = ["artifactUpdate"; 4];
    assert_eq!(outline(&events), [&["task", "working"][..], &chunks, &["completed"]].concat());
    let flags: Vec<_> = events
        .iter()
        .filter_map(|e| e.get("artifactUpdate"))
        .map(|u| (u.get("append").is_some(), u.get("lastChunk").is_some()))
        .collect();
    assert_eq!(flags, [(false, false), (true, false), (true, false), (true, true)]);
    assert_eq!(client.task(&events[0]["task"]["id"])["artifacts"][0]["parts"].as_array().unwrap().len(), 4);
    assert_eq!(outline(&client.stream("SendStreamingMessage", message("message-only x"))), ["message"]);
    assert_eq!(outline(&client.stream("SendStreamingMessage", message("multi-turn x"))), ["task", "input_required"]);
}

#[test]
fn a_subscription_tells_the_rest_and_dropping_it_changes_nothing() {
    let client = Client::with_faults(&[]);
    let task = client.start("long-running x");
    client.clock.pass(450.0);
    let mut dropped = client.fetch(Client::request("SubscribeToTask", &json!({ "id": task["id"] }))).unwrap().unwrap();
    assert!(dropped.body.next().now_or_never().unwrap().is_some());
    drop(dropped);
    let events = client.stream("SubscribeToTask", json!({ "id": task["id"] }));
    assert_eq!(outline(&events), ["task", "working", "working", "working", "working", "artifactUpdate", "completed"]);
    assert_eq!(client.refused("SubscribeToTask", json!({ "id": task["id"] })), -32004);
    assert_eq!(client.refused("SubscribeToTask", json!({ "id": NO_TASK })), -32001);
}

#[test]
fn an_open_stream_hears_of_what_another_request_does() {
    let client = Client::with_faults(&[]);
    let task = client.send("multi-turn x")["task"].clone();
    let mut stream =
        client.fetch(Client::request("SubscribeToTask", &json!({ "id": task["id"] }))).unwrap().unwrap().body;
    assert!(stream.next().now_or_never().is_some());
    // It waits for the client's next message, and is woken by it.
    let woken = std::sync::Arc::new(Woken::default());
    let waker = std::task::Waker::from(std::sync::Arc::clone(&woken));
    let mut context = std::task::Context::from_waker(&waker);
    assert!(stream.poll_next_unpin(&mut context).is_pending());
    client.ask("CancelTask", json!({ "id": task["id"] }));
    assert!(woken.0.load(std::sync::atomic::Ordering::Relaxed));
    let chunk = stream.next().now_or_never().flatten().unwrap().unwrap();
    assert!(String::from_utf8(chunk).unwrap().contains("TASK_STATE_CANCELED"));
    assert!(stream.next().now_or_never().unwrap().is_none());
}

#[derive(Default)]
struct Woken(std::sync::atomic::AtomicBool);

impl std::task::Wake for Woken {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

#[test]
fn history_is_cut_to_the_newest() {
    let client = Client::with_faults(&[]);
    let task = client.send("long-running x")["task"].clone();
    let all = task["history"].as_array().unwrap().clone();
    assert_eq!(all.len(), 8);
    let cut = |n: i64| client.ask("GetTask", json!({ "id": task["id"], "historyLength": n })).get("history").cloned();
    assert_eq!(cut(0), None);
    assert_eq!(cut(2), Some(json!(all[6..])));
    assert_eq!(cut(100), Some(json!(all)));
    assert_eq!(client.refused("GetTask", json!({ "id": task["id"], "historyLength": -1 })), -32602);
}

#[test]
fn a_list_is_paged_newest_first_and_filtered() {
    let client = Client::with_faults(&[]);
    let mut ids = Vec::new();
    for text in ["one", "two", "three", "task-failure"] {
        let mut params = message(text);
        params["message"]["contextId"] = if text == "one" { "c-1" } else { "c-2" }.into();
        ids.insert(0, client.ask("SendMessage", params)["task"]["id"].clone());
    }
    let page = client.ask("ListTasks", json!({ "pageSize": 3 }));
    let listed = |page: &Value| page["tasks"].as_array().unwrap().iter().map(|t| t["id"].clone()).collect::<Vec<_>>();
    assert_eq!(listed(&page), ids[..3]);
    assert_eq!((page["totalSize"].as_i64(), page["pageSize"].as_i64()), (Some(4), Some(3)));
    assert!(page["tasks"][1].get("artifacts").is_none());
    let rest = client.ask("ListTasks", json!({ "pageSize": 3, "pageToken": page["nextPageToken"] }));
    assert_eq!((listed(&rest).as_slice(), &rest["nextPageToken"]), (&ids[3..], &json!("")));
    let count = |params: Value| client.ask("ListTasks", params)["tasks"].as_array().unwrap().len();
    assert_eq!(count(Value::Null), 4);
    assert_eq!(count(json!({ "contextId": "c-1" })), 1);
    assert_eq!(count(json!({ "status": "TASK_STATE_FAILED" })), 1);
    let since = client.task(&ids[1])["status"]["timestamp"].clone();
    assert_eq!(count(json!({ "statusTimestampAfter": since })), 2);
    assert!(client.ask("ListTasks", json!({ "includeArtifacts": true }))["tasks"][0]["artifacts"].is_array());
    for bad in [
        json!({ "pageSize": 0 }),
        json!({ "pageSize": 101 }),
        json!({ "pageToken": "x" }),
        json!({ "status": "done" }),
        json!({ "statusTimestampAfter": "today" }),
    ] {
        assert_eq!(client.refused("ListTasks", bad.clone()), -32602, "{bad}");
    }
}

#[test]
fn envelopes_that_are_no_calls_are_told_apart() {
    let client = Client::with_faults(&[]);
    for (body, code, id) in [
        ("{", -32700, Value::Null),
        ("", -32700, Value::Null),
        ("[]", -32600, Value::Null),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]"#, -32600, Value::Null),
        ("5", -32600, Value::Null),
        (r#"{"jsonrpc":"1.0","id":"a","method":"GetTask"}"#, -32600, json!("a")),
        (r#"{"jsonrpc":"2.0","id":7}"#, -32600, json!(7)),
        (r#"{"jsonrpc":"2.0","id":{},"method":"GetTask"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":"b","method":"Nothing"}"#, -32601, json!("b")),
    ] {
        let answer = client.read(Client::post(body)).json();
        assert_eq!((answer["error"]["code"].as_i64(), answer["id"].clone()), (Some(code), id), "{body}: {answer}");
    }
}

#[test]
fn versions_count_by_major_and_minor() {
    let client = Client::with_faults(&[]);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ListTasks"}"#;
    let code = |url: &str, version: Option<&str>| {
        let request = Request::post(url, "application/json", body);
        let request = version.iter().fold(request, |request, version| request.with_header("a2a-version", *version));
        client.read(request).json().pointer("/error/code").and_then(Value::as_i64)
    };
    let url = format!("{BASE}/rpc");
    for served in ["1.0", "1.0.7", " 1.0 "] {
        assert_eq!(code(&url, Some(served)), None, "{served}");
    }
    for other in [None, Some(""), Some("0.3"), Some("1.1"), Some("99.0"), Some("one")] {
        assert_eq!(code(&url, other), Some(-32009), "{other:?}");
    }
    assert_eq!(code(&format!("{url}?a=b&A2A-Version=1.0"), None), None);
}

#[test]
fn parameters_are_refused_by_the_name_of_the_field() {
    let client = Client::with_faults(&[]);
    let with = |place: &str, value: Value| {
        let mut params = message("x");
        params["configuration"] = json!({});
        let (holder, name) = place.rsplit_once('/').unwrap();
        params.pointer_mut(holder).unwrap()[name] = value;
        params
    };
    for (params, field) in [
        (Value::Null, "message"),
        (json!([]), "params"),
        (with("/message", json!("x")), "message"),
        (with("/message/messageId", Value::Null), "message.messageId"),
        (with("/message/messageId", json!(5)), "message.messageId"),
        (with("/message/role", Value::Null), "message.role"),
        (with("/message/role", json!("ROLE_ROBOT")), "message.role"),
        (with("/message/role", json!("ROLE_UNSPECIFIED")), "message.role"),
        (with("/message/parts", json!([])), "message.parts"),
        (with("/message/parts", json!({})), "message.parts"),
        (with("/message/parts", json!([{}])), "message.parts[0]"),
        (with("/message/parts", json!([{ "text": "a", "data": 1 }])), "message.parts[0]"),
        (with("/message/parts", json!([{ "raw": "a b" }])), "message.parts[0].raw"),
        (with("/configuration/historyLength", json!("ten")), "configuration.historyLength"),
        (with("/configuration/historyLength", json!(-1)), "configuration.historyLength"),
        (with("/configuration/returnImmediately", json!("yes")), "configuration.returnImmediately"),
    ] {
        let answer = client.call("SendMessage", params.clone());
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
        assert_eq!(answer["error"]["data"][0]["fieldViolations"][0]["field"], field, "{params}");
    }
    let media_type = with("/message/parts", json!([{ "raw": "YQ==", "mediaType": "video/mp4" }]));
    assert_eq!(client.refused("SendMessage", media_type), -32005);
    // Valid forms that the agent must accept: foreign members, nulls, enum numbers, the proto's own names.
    client.ask("SendMessage", with("/message/surprise", json!(1)));
    client.ask("SendMessage", with("/message/role", json!(1)));
    client.ask("SendMessage", with("/message/role", json!("ROLE_AGENT")));
    client.ask("SendMessage", with("/message/parts", json!([{ "data": null }])));
    client.ask("SendMessage", with("/configuration/history_length", Value::Null));
}

#[test]
fn tasks_and_contexts_that_do_not_fit_are_refused() {
    let client = Client::with_faults(&[]);
    let task = client.start("task-cancel x");
    assert_eq!(client.refused("SendMessage", more("x", &json!({ "id": NO_TASK }), None)), -32001);
    assert_eq!(client.refused("SendMessage", more("x", &task, Some("another"))), -32602);
    assert_eq!(client.refused("GetTask", json!({})), -32602);
    let unknown = client.call("GetTask", json!({ "id": NO_TASK }));
    assert_eq!(
        unknown["error"]["data"],
        json!([{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org", "metadata": { "taskId": NO_TASK } }])
    );
    assert_eq!(client.refused("GetExtendedAgentCard", Value::Null), -32004);
}

#[test]
fn push_configs_are_kept_with_their_task() {
    let client = Client::with_faults(&[]);
    let mut params = message("multi-turn x");
    params["configuration"] =
        json!({ "taskPushNotificationConfig": { "id": "inline", "url": "https://example.com/", "token": "t" } });
    let task = client.ask("SendMessage", params)["task"]["id"].clone();
    let config = |more: Value| {
        let mut config = json!({ "taskId": task });
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        config
    };
    let list = || client.ask("ListTaskPushNotificationConfigs", config(json!({})))["configs"].clone();
    let inline = config(json!({ "id": "inline", "url": "https://example.com/", "token": "t" }));
    assert_eq!(list(), json!([inline]));
    let made = client.ask("CreateTaskPushNotificationConfig", config(json!({ "url": "https://example.com/b" })));
    assert!(made["id"].as_str().is_some_and(|id| !id.is_empty()) && made["taskId"] == task);
    assert_eq!(client.ask("GetTaskPushNotificationConfig", config(json!({ "id": made["id"] }))), made);
    let again = config(json!({ "id": "inline", "url": "https://example.com/c" }));
    assert_eq!(client.ask("CreateTaskPushNotificationConfig", again.clone()), again);
    assert_eq!(list(), json!([made, again]));
    for _ in 0..2 {
        assert_eq!(client.ask("DeleteTaskPushNotificationConfig", config(json!({ "id": "inline" }))), json!({}));
    }
    assert_eq!(list(), json!([made]));
    for (method, params, code) in [
        ("GetTaskPushNotificationConfig", config(json!({ "id": "inline" })), -32001),
        ("GetTaskPushNotificationConfig", config(json!({})), -32602),
        ("CreateTaskPushNotificationConfig", config(json!({ "id": "none" })), -32602),
        ("CreateTaskPushNotificationConfig", config(json!({ "url": "hook" })), -32602),
        ("CreateTaskPushNotificationConfig", config(json!({ "url": "http://10.0.0.1/" })), -32602),
        ("CreateTaskPushNotificationConfig", json!({ "taskId": NO_TASK, "url": "https://example.com/" }), -32001),
        ("ListTaskPushNotificationConfigs", json!({ "taskId": NO_TASK }), -32001),
        ("DeleteTaskPushNotificationConfig", json!({ "taskId": NO_TASK, "id": "inline" }), -32001),
    ] {
        assert_eq!(client.refused(method, params.clone()), code, "{method} {params}");
    }
}

#[test]
fn what_has_no_id_is_done_and_not_answered() {
    let client = Client::with_faults(&[]);
    let call = json!({ "jsonrpc": "2.0", "method": "SendMessage", "params": message("task-lifecycle x") });
    let read = client.read(Client::post(&call.to_string()));
    assert_eq!((read.status, read.body.len()), (204, 0));
    assert_eq!(client.ask("ListTasks", json!({}))["totalSize"], 1);
    let no_method = client.read(Client::post(r#"{"jsonrpc":"2.0"}"#)).json();
    assert_eq!(no_method["error"]["code"], -32600);
}

#[test]
fn streams_take_no_hurry_and_keep_to_the_length_of_a_history() {
    let client = Client::with_faults(&[]);
    let mut params = message("task-lifecycle x");
    params["configuration"] = json!({ "returnImmediately": true, "historyLength": 0 });
    let events = client.stream("SendStreamingMessage", params);
    assert_eq!(outline(&events), ["task", "working", "artifactUpdate", "completed"]);
    assert!(events[0]["task"].get("history").is_none());
}

#[test]
fn results_suit_the_media_types_that_a_client_takes() {
    let client = Client::with_faults(&[]);
    let mut params = message("echo this");
    params["configuration"] = json!({ "acceptedOutputModes": ["application/json"] });
    let task = client.ask("SendMessage", params);
    assert_eq!(task["task"]["artifacts"][0]["parts"][0]["data"], json!({ "text": "echo this" }));
}

#[test]
fn the_dialects_reader_finds_nothing_wrong() {
    let client = Client::with_faults(&[]);
    let mut notes = Notes::default();
    for text in
        ["task-lifecycle x", "task-failure x", "data-types x", "multi-turn x", "message-only x", "long-running x"]
    {
        let sent = client.send(text);
        (V1_0.read_result)(&V1_0, Operation::SendMessage, &Cursor::root(&sent), &mut notes);
        if let Some(id) = sent.pointer("/task/id") {
            (V1_0.read_result)(&V1_0, Operation::GetTask, &Cursor::root(&client.task(id)), &mut notes);
        }
        for event in client.stream("SendStreamingMessage", message(text)) {
            (V1_0.read_event)(&V1_0, &Cursor::root(&event), &mut notes);
        }
    }
    let list = client.ask("ListTasks", json!({ "includeArtifacts": true, "historyLength": 5 }));
    (V1_0.read_result)(&V1_0, Operation::ListTasks, &Cursor::root(&list), &mut notes);
    let broken: Vec<_> = notes.deviations().collect();
    assert!(broken.is_empty(), "{broken:?}");
}
