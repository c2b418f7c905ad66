//! Mistakes that people reported about the thing to do: it named what the agent has already, or lacked what comes first.

use std::rc::Rc;

use a2a_conformance::engine::event::CheckResult;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::report::CheckedRow;
use a2a_conformance::wire::http::Request;
use serde_json::{Value, json};

use crate::reported::{Changing, answering, is_card, only};
use crate::reported_causes::result;
use crate::support::{AGENT, FinishedRun, check_at, check_on, host};

/// What a report tells to do about a finding.
#[track_caller]
fn remedy(told: &FinishedRun, key: &str) -> String {
    CheckedRow::judged(result(told, key)).remediation.unwrap_or_else(|| panic!("{key} is not a finding"))
}

#[test]
fn a_missing_operation_is_to_be_implemented_first() {
    for (fault, at, lane, rows) in [
        ("subscribe-missing", "", "jsonrpc-1.0", &[("subscribe.not-found", "SubscribeToTask")][..]),
        ("cancel-missing", "", "jsonrpc-1.0", &[("cancel.not-found", "CancelTask")]),
        ("cancel-missing", "/0.3", "jsonrpc-0.3", &[("cancel.not-found", "tasks/cancel")]),
        ("list-missing", "", "jsonrpc-1.0", &[("list.answers", "ListTasks")]),
        (
            "grpc-cancel-missing",
            "",
            "grpc-1.0",
            &[
                ("cancel.not-found", "CancelTask"),
                ("cancel.terminal", "CancelTask"),
                ("cancel.returns-task", "CancelTask"),
            ],
        ),
        (
            "grpc-streams-missing",
            "",
            "grpc-1.0",
            &[
                ("stream.unknown-task", "SendStreamingMessage"),
                ("subscribe.not-found", "SubscribeToTask"),
                ("subscribe.terminal-code", "SubscribeToTask"),
            ],
        ),
    ] {
        let told = check_at(at, &[fault], Options::default());
        for (check, operation) in rows {
            let fix = remedy(&told, &format!("{check}@{lane}"));
            assert!(fix.starts_with(&format!("Implement {operation} first. ")), "{fault} {check}@{lane}: {fix}");
            assert_eq!(fix.to_lowercase().matches("implement").count(), 1, "{fault} {check}@{lane}: {fix}");
        }
    }
}

/// An operation that the card does not declare may be missing: an error is due, and nothing is to be implemented.
#[test]
fn what_the_card_does_not_declare_is_not_to_be_implemented() {
    let (mut host, clock) = answering(&[], |_, body| {
        let streams = ["SendStreamingMessage", "SubscribeToTask"].map(Value::from).contains(&body["method"]);
        let error = json!({"code": -32601, "message": "Method not found"});
        let answer = json!({"jsonrpc": "2.0", "id": body["id"], "error": error});
        streams.then(|| (200, "application/json", answer.to_string()))
    });
    let change = |request: &Request, document: &mut Value| {
        if is_card(request) {
            document["capabilities"]["streaming"] = json!(false);
        }
    };
    host.transport = Rc::new(Changing { agent: host.transport, change });
    let told = check_on(host, &clock, only(""));
    for check in ["stream.unsupported", "subscribe.unsupported"] {
        let key = format!("{check}@jsonrpc-1.0");
        assert_eq!(result(&told, &key).verdict.outcome, Outcome::Fail, "{check}");
        assert!(remedy(&told, &key).starts_with("Return "), "{check}: {}", remedy(&told, &key));
    }
}

/// Who has an operation that returns the wrong error is not told to implement it.
#[test]
fn an_operation_that_breaks_is_not_said_to_be_missing() {
    for (fault, check) in [
        ("list-internal", "list.answers"),
        ("get-unknown-internal", "get.not-found"),
        ("cancel-unknown-internal", "cancel.not-found"),
        ("cancel-twice-internal", "cancel.idempotent"),
        ("push-get-internal", "push.get-not-found-code"),
    ] {
        let told = check_at("", &[fault], Options::default());
        let found: Vec<_> = told.results.iter().filter(|result| result.verdict.expected.is_some()).collect();
        assert!(found.iter().any(|result| result.row.check.id == check), "{fault}: {:?}", told.tripped());
        for result in found {
            let fix = CheckedRow::judged(result).remediation.unwrap_or_default();
            assert!(
                !fix.is_empty() && !fix.to_lowercase().contains("implement"),
                "{fault} {}: {fix}",
                result.row.key()
            );
        }
        if fault == "list-internal" {
            for lane in ["jsonrpc-1.0", "rest-1.0"] {
                let fix = remedy(&told, &format!("{check}@{lane}"));
                assert!(fix.starts_with("Return a list of tasks from ListTasks, and no error"), "{fix}");
            }
        }
    }
}

/// Names that no version before 1.0 has over JSON-RPC or HTTP+JSON.
const OF_1_0: [&str; 6] =
    ["SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "CancelTask", "SubscribeToTask"];

/// The texts are those of the checks, in the words of the lane: what any fault may show is among them.
#[test]
fn nobody_before_1_0_is_told_of_the_methods_of_1_0() {
    let mut wrong = Vec::new();
    for version in ["/0.3", "/0.2", "/0.1"] {
        let options = Options {
            address: format!("{AGENT}{version}"),
            version: Some(version[1..].to_owned()),
            is_thorough: true,
            ..Options::default()
        };
        let (host, clock) = host(&[]);
        let told = check_on(host, &clock, options);
        assert!(told.results.len() > 100, "{version}: {}", told.results.len());
        for result in &told.results {
            let mut result = CheckResult::clone(result);
            result.verdict.outcome = Outcome::Fail;
            let fix = CheckedRow::judged(&result).remediation.unwrap_or_default();
            assert!(!fix.is_empty(), "{}", result.row.key());
            if OF_1_0.iter().any(|name| fix.contains(name)) {
                wrong.push(format!("{}: {fix}", result.row.key()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
