//! Streams and subscriptions in the older versions.

use super::*;

/// The kind of each event of a stream, with its state or text.
pub(super) fn outline(events: &[Value]) -> Vec<String> {
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
        let client = Client::with_faults(&[]);
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
    let client = Client::with_faults(&[]);
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
    let client = Client::with_faults(&[]);
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
