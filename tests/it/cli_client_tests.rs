//! `client-tests`: what an adapter shows is judged, and what it does not show is not held against its client.

use serde_json::{Value, json};

use crate::cli::{Folder, run, stderr, stdout};

const ANSWERS: &str = r#"
acts_version: "1.0"
spec_version: "1.0"
suites:
  - id: client
    name: Client
    tests:
      - {id: READ, name: A task is read, level: must, steps: [{id: read, client_response: {operation: get_task, wire_payload: {jsonrpc: "2.0", id: 1, result: {id: t, contextId: c, status: {state: TASK_STATE_WORKING}}}}, expect_parsed: {id: t, status: {state: TASK_STATE_WORKING}}}]}
      - {id: CALLS, name: An agent is called, level: must, steps: [{id: call, operation: get_task, params: {id: t}}]}
"#;

/// The report on a client behind this command, with the exit code.
fn judged(folder: &Folder, name: &str, more: &[&str]) -> (Option<i32>, Value) {
    let file = folder.0.join(format!("{name}.acts.yaml"));
    std::fs::write(&file, ANSWERS).unwrap();
    let args = [&["client-tests", file.to_str().unwrap(), "--format", "json"], more].concat();
    let output = run(&args);
    let text = stdout(&output);
    let report = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{}", stderr(&output)));
    (output.status.code(), report)
}

/// The one result of a report.
fn row(report: &Value) -> &Value {
    let rows: Vec<&Value> =
        report["categories"].as_object().unwrap().values().flat_map(|rows| rows.as_array().unwrap()).collect();
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows[0]
}

/// A command that makes requests by this program, and then prints a text.
fn reads(shown: &str) -> String {
    let program = env!("CARGO_BIN_EXE_a2a-conformance");
    format!("sh -c '{program} check \"$1\" --only get.not-found -q >/dev/null 2>&1; echo '\\''{shown}'\\''' adapter")
}

#[cfg(unix)]
#[test]
fn what_a_client_reads_is_held_against_the_test() {
    let folder = Folder::new("client-tests");
    let right = reads(r#"{"id": "t", "status": {"state": "TASK_STATE_WORKING"}}"#);
    let (code, report) = judged(&folder, "right", &["--adapter", &right]);
    assert_eq!((code, &row(&report)["status"]), (Some(0), &json!("pass")), "{}", row(&report));
    assert_eq!((&report["subject"], &report["verdict"]), (&json!("client"), &json!("conformant")));
    let exchanges = report["exchanges"].as_array().unwrap();
    assert!(exchanges.len() > 1 && exchanges.iter().all(|exchange| exchange["scenario"] == "READ"));

    let wrong = reads(r#"{"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}}"#);
    let (code, report) = judged(&folder, "wrong", &["--adapter", &wrong]);
    let message = row(&report)["message"].as_str().unwrap_or_default();
    assert_eq!((code, &row(&report)["status"]), (Some(1), &json!("fail")));
    assert!(message.contains("at status.state, got \"TASK_STATE_COMPLETED\""), "{message}");
}

#[cfg(unix)]
#[test]
fn a_client_that_refuses_fails_and_an_adapter_that_shows_nothing_does_not() {
    let folder = Folder::new("client-tests-kinds");
    for (name, command, code, status, part) in [
        ("refused", "sh -c 'echo no such state >&2; exit 1'", 1, "fail", "got an error: no such state"),
        ("late", "sh -c 'exec sleep 30'", 1, "fail", "no result within"),
        ("unsupported", "sh -c 'echo reads only >&2; exit 64'", 3, "skip", "the client has no get_task: reads only"),
        ("crashed", "sh -c 'exit 3'", 3, "skip", "the adapter ended with"),
        ("words", "echo hello", 3, "skip", "the adapter printed no JSON: \"hello http://127.0.0.1:"),
        ("idle", "sh -c 'echo {}'", 3, "skip", "its client made no request"),
        ("absent", "no-such-command-here", 3, "skip", "the adapter ended with"),
    ] {
        let (seen, report) = judged(&folder, name, &["--adapter", command, "--timeout", "1"]);
        let row = row(&report);
        let message = row["message"].as_str().unwrap_or_default();
        assert_eq!((seen, row["status"].as_str()), (Some(code), Some(status)), "{name}: {row}");
        assert!(message.contains(part), "{name}: {message}");
    }
}

#[test]
fn without_an_adapter_nothing_is_claimed_and_files_without_client_tests_are_refused() {
    let folder = Folder::new("client-tests-none");
    let (code, report) = judged(&folder, "none", &[]);
    assert_eq!((code, &row(&report)["reason"]), (Some(3), &json!("not-observable")), "{}", row(&report));
    let file = folder.0.join("calls.acts.yaml");
    let only_calls: String =
        ANSWERS.lines().filter(|line| !line.contains("READ")).map(|line| format!("{line}\n")).collect();
    std::fs::write(&file, only_calls).unwrap();
    let output = run(&["client-tests", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no test of a client"), "{}", stderr(&output));
}
