//! Responses that a test case declares in its message, in every version and binding.

use serde_json::json;

use super::*;
use crate::agent::responses_directive;

/// Two turns as a test of 0.3 writes them.
const TWO_TURNS: &str = r#"[
    [
        {"kind": "status-update", "final": false, "status": {"state": "working", "message":
            {"role": "agent", "parts": [{"kind": "text", "text": "Starting."}]}}},
        {"kind": "artifact-update", "artifact": {"artifactId": "a-1", "name": "report.csv", "parts": [
            {"kind": "file", "file": {"name": "report.csv", "mimeType": "text/csv", "bytes": "YSxiCjEsMg=="}}]}},
        {"kind": "task", "status": {"state": "completed", "message":
            {"role": "agent", "parts": [{"kind": "text", "text": "Done."}]}}}
    ],
    [{"kind": "task", "status": {"state": "completed", "message":
        {"role": "agent", "parts": [{"kind": "text", "text": "Once more."}]}}}]
]"#;

/// A message with directives in the middle of its text.
fn declaring(case: &str, turns: &str) -> Value {
    message(&format!("Please do this. {} Thank you.", responses_directive(case, turns).unwrap()))
}

/// The text of a task's status.
fn says(task: &Value) -> &str {
    task["status"]["message"]["parts"][0]["text"].as_str().unwrap_or_default()
}

/// A call by JSON-RPC of the agent of an older version.
fn call_older(client: &Client, version: &str, method: &str, params: &Value) -> Read {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    client.read(Request::post(format!("{BASE}/{version}/rpc"), "application/json", body.to_string()))
}

#[test]
fn a_send_returns_the_task_as_the_turn_leaves_it() {
    let client = Client::with_faults(&[]);
    let task = client.ask("SendMessage", declaring("c", TWO_TURNS))["task"].clone();
    assert_eq!((state(&task), says(&task)), ("TASK_STATE_COMPLETED", "Done."));
    assert_eq!(
        task["artifacts"],
        json!([{ "artifactId": "a-1", "name": "report.csv",
            "parts": [{ "raw": "YSxiCjEsMg==", "filename": "report.csv", "mediaType": "text/csv" }] }])
    );
    // What the author need not write.
    let said = &task["status"]["message"];
    assert_eq!((&said["taskId"], &said["contextId"]), (&task["id"], &task["contextId"]));
    assert_eq!(said["role"], "ROLE_AGENT");
    assert!(said["messageId"].is_string() && task["status"]["timestamp"].is_string());
    assert_eq!(client.task(&task["id"]), task);
}

#[test]
fn a_stream_has_each_event_in_its_order_after_the_task() {
    let client = Client::with_faults(&[]);
    let events = client.stream("SendStreamingMessage", declaring("c", TWO_TURNS));
    assert_eq!(outline(&events), ["task", "working", "artifactUpdate", "task"]);
    assert_eq!(state(&events[0]["task"]), "TASK_STATE_SUBMITTED");
    assert_eq!((state(&events[3]["task"]), says(&events[3]["task"])), ("TASK_STATE_COMPLETED", "Done."));
    // A turn that begins with a task is its own beginning.
    let own = client.stream(
        "SendStreamingMessage",
        declaring(
            "d",
            r#"[[{"task": {"status": {"state": "TASK_STATE_WORKING"}}},
        {"statusUpdate": {"status": {"state": "TASK_STATE_COMPLETED"}}}]]"#,
        ),
    );
    assert_eq!(outline(&own), ["task", "completed"]);
    assert_eq!(state(&own[0]["task"]), "TASK_STATE_WORKING");
}

#[test]
fn http_json_plays_the_same() {
    let client = Client::with_faults(&[]);
    let post = |path: &str| client.read(Client::route(Method::Post, path, Some(&declaring("c", TWO_TURNS))));
    assert_eq!(says(&post("/message:send").json()["task"]), "Done.");
    assert_eq!(outline(&post("/message:stream").frames()), ["task", "working", "artifactUpdate", "task"]);
}

#[test]
fn every_version_plays_what_any_version_wrote() {
    let in_1_0 = r#"[[{"statusUpdate": {"status": {"state": "TASK_STATE_INPUT_REQUIRED", "message":
        {"role": "ROLE_AGENT", "parts": [{"text": "Which?"}]}}}}]]"#;
    let in_0_3 = r#"[[{"kind": "status-update", "status": {"state": "input-required", "message":
        {"role": "agent", "parts": [{"kind": "text", "text": "Which?"}]}}}]]"#;
    let in_0_1 = r#"[[{"final": true, "status": {"state": "input-required", "message":
        {"role": "agent", "parts": [{"type": "text", "text": "Which?"}]}}}]]"#;
    for turns in [in_1_0, in_0_3, in_0_1] {
        let client = Client::with_faults(&[]);
        let task = client.ask("SendMessage", declaring("c", turns))["task"].clone();
        assert_eq!((state(&task), says(&task)), ("TASK_STATE_INPUT_REQUIRED", "Which?"));
        let text = responses_directive("c", turns).unwrap();
        for version in ["0.3", "0.2"] {
            let params = json!({ "message": { "kind": "message", "messageId": "m", "role": "user",
                "parts": [{ "kind": "text", "text": text }] } });
            let task = call_older(&client, version, "message/send", &params).json()["result"].clone();
            assert_eq!((state(&task), says(&task)), ("input-required", "Which?"), "{version}");
            assert_eq!(task["status"]["message"]["parts"][0]["kind"], "text");
            let events = call_older(&client, version, "message/stream", &params).events();
            assert_eq!((&events[1]["kind"], &events[1]["final"]), (&json!("status-update"), &json!(true)));
            assert_eq!(events.len(), 2);
        }
        let params =
            json!({ "id": "chosen", "message": { "role": "user", "parts": [{ "type": "text", "text": text }] } });
        let task = call_older(&client, "0.1", "tasks/send", &params).json()["result"].clone();
        assert_eq!((&task["id"], state(&task), says(&task)), (&json!("chosen"), "input-required", "Which?"));
        assert_eq!(task["status"]["message"]["parts"][0]["type"], "text");
    }
}

#[test]
fn a_task_in_a_stream_of_0_1_is_its_updates() {
    let client = Client::with_faults(&[]);
    let text = responses_directive("c", TWO_TURNS).unwrap();
    let params = json!({ "id": "chosen", "message": { "role": "user", "parts": [{ "type": "text", "text": text }] } });
    let events = call_older(&client, "0.1", "tasks/sendSubscribe", &params).events();
    let names: Vec<_> =
        events.iter().map(|event| if event.get("artifact").is_some() { "artifact" } else { state(event) }).collect();
    assert_eq!(names, ["submitted", "working", "artifact", "artifact", "completed"]);
    assert!(events.iter().all(|event| event["id"] == "chosen"), "{events:?}");
    let message_only =
        responses_directive("d", r#"[[{"kind": "message", "parts": [{"kind": "text", "text": "Hi."}]}]]"#);
    let params = json!({ "id": "other", "message": { "role": "user", "parts": [{ "type": "text", "text": message_only.unwrap() }] } });
    let task = call_older(&client, "0.1", "tasks/send", &params).json()["result"].clone();
    assert_eq!((state(&task), says(&task)), ("completed", "Hi."));
}

#[test]
fn the_history_of_the_task_chooses_the_turn() {
    let client = Client::with_faults(&[]);
    let task = client.ask("SendMessage", declaring("c", TWO_TURNS))["task"].clone();
    // The author lets a finished task go on, and so it does.
    let again = client.ask("SendMessage", more("more", &task, None))["task"].clone();
    assert_eq!((says(&again), &again["id"]), ("Once more.", &task["id"]));
    let error = client.call("SendMessage", more("still more", &task, None))["error"].clone();
    assert_eq!(error["code"], -32004);
    assert_eq!(error["message"], "responses_json ends with turn 2, and this message asks for turn 3");
    assert_eq!(error["data"][0]["metadata"]["testCaseId"], "c");
    // Another task of the same test case begins anew; the responses need not be there again.
    let other = client.send("And now [test_case_id=c] for something else")["task"].clone();
    assert!(says(&other) == "Done." && other["id"] != task["id"]);
    // Another test case has its own.
    let apart = client.ask("SendMessage", declaring("d", r#"[[{"kind":"task","status":{"state":"rejected"}}]]"#));
    assert_eq!(state(&apart["task"]), "TASK_STATE_REJECTED");
    assert_eq!(says(&client.send("[test_case_id=c]")["task"]), "Done.");
    // A client that names no test case gets the agent's own answers.
    assert_eq!(client.send("task-lifecycle x")["task"]["artifacts"][0]["parts"][0]["text"], "task-lifecycle x");
    assert_eq!(state(&client.send("[test_case_id=unheard-of] task-lifecycle")["task"]), "TASK_STATE_COMPLETED");
}

#[test]
fn turns_without_a_task_are_counted_by_their_context() {
    let client = Client::with_faults(&[]);
    let turns = r#"[[{"kind": "message", "parts": [{"kind": "text", "text": "One."}]}],
                    [{"message": {"parts": [{"text": "Two."}]}}]]"#;
    let first = client.ask("SendMessage", declaring("c", turns))["message"].clone();
    assert_eq!((&first["parts"][0]["text"], &first["role"]), (&json!("One."), &json!("ROLE_AGENT")));
    assert!(first.get("taskId").is_none());
    let mut next = message("[test_case_id=c]");
    next["message"]["contextId"] = first["contextId"].clone();
    let second = client.ask("SendMessage", next.clone())["message"].clone();
    assert_eq!((&second["parts"][0]["text"], &second["contextId"]), (&json!("Two."), &first["contextId"]));
    assert_eq!(client.refused("SendMessage", next), -32004);
    assert_eq!(client.send("[test_case_id=c]")["message"]["parts"][0]["text"], "One.");
    assert_eq!(outline(&client.stream("SendStreamingMessage", declaring("d", turns))), ["message"]);
    assert_eq!(client.ask("ListTasks", json!({}))["totalSize"], 0);
}

#[test]
fn chunks_are_appended_to_one_artifact() {
    let client = Client::with_faults(&[]);
    let turns = r#"[[
        {"kind": "artifact-update", "artifact": {"name": "big", "parts": [{"kind": "text", "text": "one "}]}},
        {"kind": "artifact-update", "append": true, "artifact": {"parts": [{"kind": "text", "text": "two "}]}},
        {"artifactUpdate": {"append": true, "lastChunk": true, "artifact": {"parts": [{"text": "three"}]}}},
        {"kind": "artifact-update", "append": false, "artifact": {"parts": [
            {"kind": "file", "file": {"uri": "https://example.com/a.txt"}}, {"kind": "data", "data": {"n": 1}}]}},
        {"kind": "task", "status": {"state": "completed"}}]]"#;
    let task = client.ask("SendMessage", declaring("c", turns))["task"].clone();
    let artifacts = task["artifacts"].as_array().unwrap();
    assert_eq!(artifacts[0]["parts"], json!([{ "text": "one " }, { "text": "two " }, { "text": "three" }]));
    assert_eq!(artifacts[1]["parts"], json!([{ "url": "https://example.com/a.txt" }, { "data": { "n": 1 } }]));
    assert_eq!(artifacts.len(), 2);
    let events = client.stream("SendStreamingMessage", declaring("c", turns));
    let chunk = &events[3]["artifactUpdate"];
    assert_eq!((&chunk["append"], &chunk["lastChunk"]), (&json!(true), &json!(true)));
    assert_eq!(chunk["artifact"]["artifactId"], events[1]["artifactUpdate"]["artifact"]["artifactId"]);
}

#[test]
fn files_that_were_set_up_stand_in_for_parts() {
    let client = Client::with_faults(&[]);
    let turns = r#"{
        "setup_artifacts": [{"filename": "in.txt", "content": "hello", "mime_type": "text/plain"},
                            {"filename": "in.bin", "content_base64": "AAEC"}],
        "turns": [[{"kind": "task", "status": {"state": "completed"}, "artifacts": [
            {"parts": [{"setup_artifact": "in.txt"}, {"setup_artifact": "in.bin"}]}]}]]}"#;
    let task = client.ask("SendMessage", declaring("c", turns))["task"].clone();
    assert_eq!(
        task["artifacts"][0]["parts"],
        json!([{ "raw": "aGVsbG8=", "filename": "in.txt", "mediaType": "text/plain" }, { "raw": "AAEC", "filename": "in.bin" }])
    );
}

#[test]
fn a_file_that_was_set_up_may_be_at_a_url_until_it_is_forgotten() {
    let mut client = Client::with_faults(&["protected"]);
    let turns = r#"{
        "setup_artifacts": [{"filename": "in 1.txt", "content": "hello", "mime_type": "text/plain"},
                            {"filename": "sample", "sample_bytes": 4}],
        "turns": [[{"kind": "task", "status": {"state": "completed"}, "artifacts": [
            {"parts": [{"setup_artifact": "in 1.txt", "as": "url"}, {"setup_artifact": "sample", "as": "bytes"}]}]}]]}"#;
    let task = client.ask("SendMessage", declaring("c", turns))["task"].clone();
    client.headers.clear();
    let [by_url, inline] = task["artifacts"][0]["parts"].as_array().unwrap().as_slice() else { panic!("{task}") };
    assert_eq!(inline, &json!({ "raw": "PF6BtA==", "filename": "sample" }));
    let url = by_url["url"].as_str().unwrap();
    assert_eq!((&by_url["filename"], &by_url["mediaType"]), (&json!("in 1.txt"), &json!("text/plain")));
    assert!(url.starts_with(&format!("{BASE}/_files/")) && url.ends_with("/in%201.txt"), "{url}");
    // Anyone who has the URL can read the file; files that are sent otherwise have no URL.
    let file = client.read(Request::get(url));
    assert_eq!((file.status, file.body.as_slice()), (200, b"hello".as_slice()));
    assert!(file.head.contains("text/plain"), "{}", file.head);
    assert_ne!(client.read(Request::get(url.replace("in%201.txt", "other"))).status, 200);
    // Another test case with the same file does not take it away when it ends.
    client.headers = Client::with_faults(&["protected"]).headers;
    client.ask("SendMessage", declaring("another", turns));
    client.headers.clear();
    client.agent.forget_responses(Some("another"));
    assert_eq!(client.read(Request::get(url)).status, 200);
    client.agent.forget_responses(Some("c"));
    assert_ne!(client.read(Request::get(url)).status, 200);
}

#[test]
fn a_file_may_come_in_chunks_of_some_length() {
    let client = Client::with_faults(&[]);
    let turns = r#"[[{"kind": "artifact-update", "chunkBytes": 2, "delayMs": 10,
                      "artifact": {"artifactId": "a", "parts": [{"raw": "AAECAwQ=", "filename": "f"}]}},
                     {"kind": "task", "status": {"state": "completed"}}]]"#;
    let events = client.stream("SendStreamingMessage", declaring("c", turns));
    let chunk = |index: usize| {
        let update = &events[index]["artifactUpdate"];
        let raw = update["artifact"]["parts"][0]["raw"].as_str().unwrap().to_owned();
        (raw, update["append"] == true, update["lastChunk"] == true)
    };
    let chunks = [chunk(1), chunk(2), chunk(3)];
    let expected = [("AAE=", false, false), ("AgM=", true, false), ("BA==", true, true)];
    assert_eq!(chunks, expected.map(|(raw, append, last)| (raw.to_owned(), append, last)));
    assert_eq!(outline(&events).len(), 5);
}

#[test]
fn a_turn_may_pause_and_a_client_may_come_back_later() {
    let client = Client::with_faults(&[]);
    let turns = r#"[[{"kind": "status-update", "status": {"state": "working"}},
                     {"kind": "task", "status": {"state": "completed"}, "delayMs": 5000}]]"#;
    let mut params = declaring("c", turns);
    params["configuration"] = json!({ "returnImmediately": true, "historyLength": 0 });
    let task = client.ask("SendMessage", params)["task"].clone();
    assert_eq!((state(&task), task.get("history")), ("TASK_STATE_WORKING", None));
    client.clock.pass(4000.0);
    assert_eq!(state(&client.task(&task["id"])), "TASK_STATE_WORKING");
    assert_eq!(outline(&client.stream("SubscribeToTask", json!({ "id": task["id"] }))), ["task", "task"]);
    assert_eq!(state(&client.task(&task["id"])), "TASK_STATE_COMPLETED");
    // A send that waits does so for the whole turn, and a turn may leave its task at work.
    let open = client.ask(
        "SendMessage",
        declaring(
            "d",
            r#"[[{"kind": "status-update", "status": {"state": "working"}}],
        [{"kind": "task", "status": {"state": "completed"}}]]"#,
        ),
    )["task"]
        .clone();
    assert_eq!(state(&open), "TASK_STATE_WORKING");
    assert_eq!(state(&client.ask("SendMessage", more("go on", &open, None))["task"]), "TASK_STATE_COMPLETED");
    let cancelled =
        client.ask("SendMessage", declaring("d", r#"[[{"kind": "status-update", "status": {"state": "working"}}]]"#));
    let cancelled = client.ask("CancelTask", json!({ "id": cancelled["task"]["id"] }));
    assert_eq!(state(&cancelled), "TASK_STATE_CANCELED");
}
