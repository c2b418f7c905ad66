//! Files of ten megabytes, over real sockets: what the scripted agent is sent arrives whole, and comes back as it was.

use a2a_conformance::host::StreamedResponse;
use a2a_conformance::host::native::{block_on, host};
use a2a_conformance::wire::base64::STANDARD;
use a2a_conformance::wire::http::Request;
use a2a_conformance::wire::sample::sample_bytes;
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::cli::{Served, run, stdout};

/// The status and the body of an answer.
fn call(mut request: Request) -> (u16, Vec<u8>) {
    request.headers.push("a2a-version", "1.0");
    block_on(async {
        let StreamedResponse { head, mut body } = host().transport.send(request).await.expect("an answer");
        let mut bytes = Vec::new();
        while let Some(chunk) = body.next().await {
            bytes.extend(chunk.expect("a whole body"));
        }
        (head.status, bytes)
    })
}

fn message(raw: &str) -> Value {
    let part = json!({ "raw": raw, "filename": "data.bin" });
    json!({ "message": { "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "task-lifecycle keep this" }, part] } })
}

fn post(url: String, document: &Value) -> Value {
    let (status, body) = call(Request::post(url, "application/json", document.to_string().into_bytes()));
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body[..body.len().min(500)]));
    serde_json::from_slice(&body).expect("JSON")
}

/// The bytes of the file in the history of a task.
fn returned(task: &Value) -> Vec<u8> {
    let raw = task.pointer("/history/0/parts/1/raw").and_then(Value::as_str).expect("the file in the history");
    STANDARD.decode(raw).expect("base64")
}

#[test]
fn ten_megabytes_arrive_whole_and_come_back_as_they_were_over_both_bindings() {
    let agent = Served::agent(&[]);
    let base = agent.agent_url();
    let sent = sample_bytes(10_000_000);
    let params = message(&STANDARD.encode(&sent));

    let document = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params });
    let answer = post(format!("{base}/rpc"), &document);
    let task = &answer["result"]["task"];
    assert!(returned(task) == sent, "JSON-RPC, in the answer to the send");
    let get = json!({ "jsonrpc": "2.0", "id": 2, "method": "GetTask", "params": { "id": task["id"] } });
    assert!(returned(&post(format!("{base}/rpc"), &get)["result"]) == sent, "JSON-RPC, read again");

    let answer = post(format!("{base}/rest/message:send"), &params);
    let task = &answer["task"];
    assert!(returned(task) == sent, "HTTP+JSON, in the answer to the send");
    let id = task["id"].as_str().expect("an id");
    let (status, body) = call(Request::get(format!("{base}/rest/tasks/{id}")));
    assert_eq!(status, 200);
    assert!(returned(&serde_json::from_slice(&body).expect("JSON")) == sent, "HTTP+JSON, read again");
}

/// The same through a file of tests, which compares what it received: sent, in one piece, in one event, in chunks, and at a URL.
#[test]
fn files_of_tests_compare_ten_megabytes_byte_for_byte() {
    let agent = Served::agent(&[]);
    let file = format!("{}/tests/acts/large-files.acts.yaml", env!("CARGO_MANIFEST_DIR"));
    let output = run(&["scenario", &file, agent.agent_url(), "--format", "acts", "--transport", "jsonrpc"]);
    let rest = run(&["scenario", &file, agent.agent_url(), "--format", "acts", "--transport", "rest"]);
    for (binding, output) in [("jsonrpc", output), ("rest", rest)] {
        assert_eq!(output.status.code(), Some(1), "{binding}");
        let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        let tests = report["suites"][0]["tests"].as_array().expect("tests");
        assert_eq!(tests.len(), 6, "{binding}");
        for test in tests {
            let wanted = if test["id"].as_str().is_some_and(|id| id.ends_with("FAIL")) { "fail" } else { "pass" };
            assert_eq!(test["result"], wanted, "{binding}: {test}");
        }
        let failed = tests.iter().find(|test| test["result"] == "fail").expect("one fails");
        let actual = "10000000 bytes, of which the first 9999999 are the same";
        assert_eq!(failed["failure"]["actual"], actual, "{binding}");
    }
}

#[test]
fn a_body_that_is_longer_than_the_agent_reads_is_refused_with_the_limit() {
    let agent = Served::agent(&[]);
    let body = vec![b' '; (24 << 20) + 1];
    let (status, body) = call(Request::post(format!("{}/rpc", agent.agent_url()), "application/json", body));
    assert_eq!(status, 413);
    assert!(String::from_utf8_lossy(&body).contains("longer than 24 MiB"), "{body:?}");
}
