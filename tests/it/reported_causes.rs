//! Mistakes that people reported about findings: that one cause was several findings, or that the words did not name the cause.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use a2a_conformance::engine::event::CheckResult;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::reported::{Changing, answering, changing, failed_musts, is_card, only};
use crate::support::{AGENT, FinishedRun, JumpClock, check_at, check_on, host};

/// The result of a check on a lane: `check@lane`.
#[track_caller]
pub(crate) fn result<'t>(told: &'t FinishedRun, key: &str) -> &'t CheckResult {
    let keys = || told.results.iter().map(|result| result.row.key()).filter(|known| known.starts_with(&key[..5]));
    let of = told.results.iter().find(|result| result.row.key() == key);
    of.unwrap_or_else(|| panic!("{key} is not one of {:?}", keys().collect::<Vec<_>>()))
}

/// The agent of a version with nothing but its interface over HTTP+JSON; these calls to it are answered in another way.
fn over_rest(
    version: &'static str,
    instead: impl Fn(&Request, &Value) -> Option<(u16, &'static str, String)> + 'static,
) -> (Host, JumpClock) {
    let (mut host, clock) = answering(&[], instead);
    let change = move |request: &Request, document: &mut Value| {
        if !is_card(request) {
            return;
        }
        if let Some(interfaces) = document["supportedInterfaces"].as_array_mut() {
            interfaces.retain(|interface| interface["protocolBinding"] == "HTTP+JSON");
            assert_eq!(interfaces.len(), 1);
        } else {
            document["url"] = json!(format!("{AGENT}{version}/rest"));
            document["preferredTransport"] = json!("HTTP+JSON");
            document["additionalInterfaces"] = json!([]);
        }
    };
    host.transport = Rc::new(Changing { agent: host.transport, change });
    (host, clock)
}

/// The lane over HTTP+JSON of a version at a path.
fn rest_lane(version: &str) -> String {
    format!("rest-{}", if version.is_empty() { "1.0" } else { &version[1..] })
}

/// As over JSON-RPC, of which `a_stream_in_another_format_is_one_finding` is.
#[test]
fn a_stream_of_lines_over_http_json_is_one_finding() {
    for version in ["", "/0.3"] {
        let changed = Rc::new(Cell::new(0));
        let count = Rc::clone(&changed);
        let (host, clock) = over_rest(version, move |request, body| {
            let makes_task = request.url.ends_with("/message:stream")
                && body["message"]["taskId"].is_null()
                && body["message"]["task_id"].is_null();
            let event = |state: &str| match version {
                "" => json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": state}}}),
                _ => {
                    json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": state}, "final": state.ends_with("COMPLETED")}})
                }
            };
            let lines = format!("{}\n{}\n", event("TASK_STATE_WORKING"), event("TASK_STATE_COMPLETED"));
            makes_task.then(|| {
                count.set(count.get() + 1);
                (200, "application/x-ndjson", lines)
            })
        });
        let told = check_on(host, &clock, only(version));
        assert!(changed.get() > 0, "{version}");
        let failed = failed_musts(&told);
        let [sse] = failed.as_slice() else { panic!("{version}: {failed:#?}") };
        assert!(sse.starts_with(&format!("rest.sse@{}", rest_lane(version))), "{version}: {sse}");
        assert!(sse.contains("application/x-ndjson"), "{version}: {sse}");
    }
}

#[test]
fn a_list_that_is_refused_as_unsupported_is_noted_in_words() {
    const SAID: &str = "the agent says that it cannot list, and no capability would tell clients so: ";
    let (host, clock) = answering(&[], |_, body| {
        let error = json!({"code": -32004, "message": "no lists here"});
        let answer = json!({"jsonrpc": "2.0", "id": body["id"], "error": error});
        (body["method"] == "ListTasks").then(|| (200, "application/json", answer.to_string()))
    });
    let over_rpc = check_on(host, &clock, only(""));
    let (host, clock) = over_rest("", |request, body| {
        let path = request.url.split('?').next().unwrap_or_default();
        let info = json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "UNSUPPORTED_OPERATION", "domain": "a2a-protocol.org",
        });
        let error =
            json!({"code": 400, "status": "FAILED_PRECONDITION", "message": "no lists here", "details": [info]});
        (path.ends_with("/rest/tasks") && body.is_null())
            .then(|| (400, "application/a2a+json", json!({ "error": error }).to_string()))
    });
    let over_rest = check_on(host, &clock, only(""));
    for (told, lane, error) in [(over_rpc, "jsonrpc-1.0", "error -32004"), (over_rest, "rest-1.0", "HTTP 400")] {
        let of = &result(&told, &format!("list.answers@{lane}")).verdict;
        assert_eq!(of.outcome, Outcome::Note, "{lane}: {}", of.message);
        let error = of.message.strip_prefix(SAID).is_some_and(|said| said.starts_with(error));
        assert!(error && of.message.contains("no lists here"), "{lane}: {}", of.message);
        assert_eq!(failed_musts(&told), Vec::<String>::new(), "{lane}");
    }
}

#[test]
fn error_data_that_is_not_an_array_is_one_finding() {
    let told = check_at("", &["error-data-object"], Options::default());
    assert_eq!(told.tripped(), ["error.data-array"]);
    let finding = &result(&told, "error.data-array@jsonrpc-1.0").verdict;
    assert_eq!(finding.pointer.as_deref(), Some("/error/data"));
    let explained = &result(&told, "error.info-jsonrpc@jsonrpc-1.0").verdict;
    assert_eq!(explained.outcome, Outcome::Blocked);
    assert_eq!(explained.message, "error.data is not an array of details: see error.data-array");
    // Where nobody judges the array, the details are missing all the same.
    let told = check_at(
        "",
        &["error-data-object"],
        Options { only: vec!["error.info-jsonrpc".to_owned()], ..Options::default() },
    );
    assert_eq!(told.tripped(), ["error.info-jsonrpc"]);
}

/// A server behind the right URL that breaks at whatever it is asked.
#[test]
fn an_agent_that_breaks_at_every_call_is_where_its_card_says() {
    let breaks = |request: &Request, _: &Value| {
        (!is_card(request)).then(|| (500, "text/plain", "Internal Server Error".to_owned()))
    };
    for (version, lane, by) in [
        ("", "jsonrpc-1.0", "jsonrpc.response-object"),
        ("/0.3", "jsonrpc-0.3", "jsonrpc.response-object"),
        ("", "rest-1.0", "rest.error-body"),
        // Here a status alone is an error.
        ("/0.3", "rest-0.3", "send.accepts-text"),
    ] {
        let (host, clock) = if lane.starts_with("rest") { over_rest(version, breaks) } else { answering(&[], breaks) };
        let told = check_on(host, &clock, only(version));
        let failed = failed_musts(&told);
        let [one] = failed.as_slice() else { panic!("{lane}: {failed:#?}") };
        assert!(one.starts_with(&format!("{by}@{lane}: ")) && one.contains("HTTP 500"), "{one}");
        let of = &result(&told, &format!("card.interface-accurate@{lane}")).verdict;
        if lane == "rest-0.3" {
            assert_eq!(of.outcome, Outcome::Pass, "{}", of.message);
        } else {
            let said = format!("what is at the interface's URL breaks at each call: see {by}");
            assert_eq!((of.outcome, &of.message), (Outcome::Blocked, &said), "{lane}");
            assert!(one.ends_with("not judged for this reason: card.interface-accurate"), "{one}");
        }
    }
}

/// A framework's word for a method that nobody has written says nothing about the version.
#[test]
fn http_501_over_http_json_is_no_support_of_a_version() {
    for (media_type, body) in [("text/plain", ""), ("application/json", r#"{"detail":"Not Implemented"}"#)] {
        let (host, clock) =
            over_rest("", move |request, _| (!is_card(request)).then(|| (501, media_type, body.to_owned())));
        let told = check_on(host, &clock, only(""));
        let of = &result(&told, "version.supported@rest-1.0").verdict;
        let is_open = matches!(of.outcome, Outcome::Blocked | Outcome::Inconclusive);
        assert!(is_open, "{body}: {:?} {}", of.outcome, of.message);
    }
}

#[test]
fn a_finished_task_that_a_cancel_changes_is_said_to_be_changed() {
    for (at, lanes, before, after) in [
        ("", ["jsonrpc-1.0", "rest-1.0"], "TASK_STATE_COMPLETED", "TASK_STATE_CANCELED"),
        ("/0.3", ["jsonrpc-0.3", "rest-0.3"], "completed", "canceled"),
    ] {
        let told = check_at(at, &["cancel-overwrites-finished"], Options::default());
        for lane in lanes {
            let changed = result(&told, &format!("task.terminal-immutable@{lane}"));
            let said = format!("expected {before}, as before the message and the cancel, got {after}");
            assert_eq!((changed.verdict.outcome, changed.verdict.message.as_str()), (Outcome::Fail, said.as_str()));
            assert_eq!(changed.level, Level::Must, "{lane}");
            let accepted = &result(&told, &format!("cancel.terminal-refused@{lane}")).verdict;
            let said = format!("expected an error for cancelling a finished task, got a Task in state {after}");
            assert_eq!((accepted.outcome, accepted.message.as_str()), (Outcome::Fail, said.as_str()), "{lane}");
        }
    }
}

/// The task of a stream that was dropped is at work for ever.
#[test]
fn a_task_that_never_ends_after_its_stream_was_dropped_is_advice() {
    // Before 1.0 it is good practice and no more.
    for (at, lanes, outcome, level) in [
        ("", ["jsonrpc-1.0", "rest-1.0"], Outcome::Fail, Level::Should),
        ("/0.3", ["jsonrpc-0.3", "rest-0.3"], Outcome::Note, Level::May),
    ] {
        let told = check_at(at, &["disconnect-stops"], Options::default());
        for lane in lanes {
            let stopped = result(&told, &format!("subscribe.task-moves-on@{lane}"));
            let message = &stopped.verdict.message;
            assert_eq!((stopped.verdict.outcome, stopped.level), (outcome, level), "{lane}: {message}");
            let parts = ["the task to go on after its stream was dropped", "without any change for"];
            assert!(parts.iter().all(|part| message.contains(part)), "{lane}: {message}");
        }
    }
}

/// An agent that looks at no id: it returns the newest task from whatever reads or cancels one.
struct Newest {
    agent: Rc<dyn Transport>,
    task: Rc<RefCell<Value>>,
    /// How often it returned another task than the one that was asked for.
    times: Rc<Cell<u32>>,
}

/// Whether a request reads or cancels a task that it names.
fn names_task(request: &Request, body: &Value) -> bool {
    let path = request.url.split('?').next().unwrap_or_default();
    let is_call = ["GetTask", "CancelTask", "tasks/get", "tasks/cancel"].iter().any(|method| body["method"] == *method);
    let others = ["ushNotification", ":subscribe"];
    let is_route =
        path.contains("/rest") && path.contains("/tasks/") && !others.iter().any(|other| path.contains(other));
    (is_call && body["params"]["id"].is_string()) || is_route
}

impl Transport for Newest {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let body: Value =
            request.body.as_deref().and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default();
        let (sent, task, times) = (self.agent.send(request.clone()), Rc::clone(&self.task), Rc::clone(&self.times));
        async move {
            let mut answer = sent.await?;
            if is_card(&request) || answer.head.headers.media_type().as_deref() == Some("text/event-stream") {
                return Ok(answer);
            }
            let bytes: Vec<u8> = answer.body.map(Result::unwrap).concat().await;
            let document: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            let is_rest = request.url.contains("/rest");
            let payload = if is_rest { &document } else { &document["result"] };
            let shown = payload.get("task").unwrap_or(payload);
            let error = document.get("error").unwrap_or(&document);
            // It looks at the version, and at whether its newest task can be cancelled, all the same.
            let is_not_found = error["code"] == -32001 || answer.head.status == 404;
            let is_task = shown["id"].is_string() && shown["status"].is_object();
            let bytes = if names_task(&request, &body) && (is_task || is_not_found) && task.borrow().is_object() {
                times.set(times.get() + u32::from(shown["id"] != task.borrow()["id"]));
                answer.head.status = 200;
                let task = task.borrow().clone();
                let call = json!({"jsonrpc": "2.0", "id": body["id"], "result": task});
                (if is_rest { task } else { call }).to_string().into_bytes()
            } else {
                if is_task {
                    task.replace(shown.clone());
                }
                bytes
            };
            answer.body = iter([Ok(bytes)]).boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

#[test]
fn ids_that_nobody_looks_at_fail_one_check_and_no_others() {
    for (version, lane) in [("", "jsonrpc-1.0"), ("", "rest-1.0"), ("/0.3", "jsonrpc-0.3")] {
        let (mut host, clock) = if lane.starts_with("rest") { over_rest(version, |_, _| None) } else { host(&[]) };
        let times = Rc::new(Cell::new(0));
        host.transport = Rc::new(Newest { agent: host.transport, task: Rc::default(), times: Rc::clone(&times) });
        let told = check_on(host, &clock, only(version));
        assert!(times.get() > 3, "{lane}: {}", times.get());
        let failed = failed_musts(&told);
        let [one] = failed.as_slice() else { panic!("{lane}: {failed:#?}") };
        assert!(one.starts_with(&format!("cancel.unknown-refused@{lane}: ")), "{one}");
        assert!(one.contains("(CancelTask returned another task, "), "{one}");
        let others: Vec<_> = told.results.iter().map(|result| &result.verdict).collect();
        let others: Vec<_> = others
            .into_iter()
            .filter(|verdict| {
                verdict.outcome == Outcome::Blocked && verdict.message.contains("returned another task, ")
            })
            .collect();
        assert!(others.len() > 1, "{lane}: {others:#?}");
        for other in others {
            assert!(other.message.ends_with(": see cancel.unknown-refused"), "{lane}: {}", other.message);
        }
    }
}

/// An agent that says "canceled" and lets the task go on: until it completes, or for longer than anybody looks.
#[test]
fn a_cancel_that_never_took_place_is_said_to_be_that() {
    for (at, lanes, canceled, completed, working) in [
        ("", ["jsonrpc-1.0", "rest-1.0"], "TASK_STATE_CANCELED", "TASK_STATE_COMPLETED", "TASK_STATE_WORKING"),
        ("/0.3", ["jsonrpc-0.3", "rest-0.3"], "canceled", "completed", "working"),
    ] {
        for goes_on in [false, true] {
            let cancelled = Rc::new(RefCell::new(Vec::<String>::new()));
            let change = move |request: &Request, document: &mut Value| {
                let body: Value =
                    serde_json::from_slice(request.body.as_deref().unwrap_or_default()).unwrap_or_default();
                let cancels = request.url.ends_with(":cancel")
                    || body["method"] == "CancelTask"
                    || body["method"] == "tasks/cancel";
                let task = if request.url.contains("/rest") { document } else { &mut document["result"] };
                let Some(id) = task["id"].as_str().map(str::to_owned) else { return };
                if cancels && task["status"]["state"] == canceled {
                    cancelled.borrow_mut().push(id);
                } else if cancelled.borrow().contains(&id) && task["status"].is_object() {
                    task["status"]["state"] = json!(if goes_on { working } else { completed });
                }
            };
            let (host, clock) = changing(change);
            let told = check_on(host, &clock, Options { address: format!("{AGENT}{at}"), ..Options::default() });
            for lane in lanes {
                let said = result(&told, &format!("cancel.matches-get@{lane}"));
                let state = &result(&told, &format!("cancel.state@{lane}")).verdict;
                if goes_on {
                    assert_eq!(said.verdict.outcome, Outcome::Blocked, "{lane}: {}", said.verdict.message);
                    let due = format!("expected the canceled state, got {working} after the grace period");
                    assert_eq!((state.outcome, &state.message), (Outcome::Fail, &due), "{lane}");
                } else {
                    let due = format!(
                        "expected {completed}, as the next read shows, got {canceled}: the cancel never took place, or was undone"
                    );
                    assert_eq!((said.verdict.outcome, &said.verdict.message), (Outcome::Fail, &due), "{lane}");
                    assert_eq!(said.level, Level::Must, "{lane}");
                }
            }
        }
    }
}

/// A name of the card in snake_case.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}

/// A document with every name in snake_case.
fn in_snake_case(document: &Value) -> Value {
    match document {
        Value::Object(map) => map.iter().map(|(name, value)| (snake(name), in_snake_case(value))).collect(),
        Value::Array(list) => list.iter().map(in_snake_case).collect(),
        other => other.clone(),
    }
}

/// A version's path, a change to its card, the check that finds it, and the members that it names.
type CardChange = (&'static str, fn(&mut Value), &'static str, &'static [&'static str]);

#[test]
fn a_card_in_snake_case_is_explained_by_that() {
    let inside = |document: &mut Value| {
        document["supportedInterfaces"] = in_snake_case(&document["supportedInterfaces"]);
    };
    let whole = |document: &mut Value| *document = in_snake_case(document);
    let changes: [CardChange; 3] = [
        ("", whole, "card.required-fields", &["supportedInterfaces", "defaultInputModes", "defaultOutputModes"]),
        ("", inside, "card.interface-required-fields", &["protocolBinding", "protocolVersion"]),
        ("/0.3", whole, "card.older-required-fields", &["defaultInputModes", "defaultOutputModes"]),
    ];
    for (version, change, check, members) in changes {
        let (host, clock) = changing(move |request, document| {
            if is_card(request) {
                change(document);
            }
        });
        let told = check_on(host, &clock, only(version));
        let failed = failed_musts(&told);
        let [one] = failed.as_slice() else { panic!("{version}: {failed:#?}") };
        assert!(one.starts_with(&format!("{check}: ")), "{version}: {one}");
        for member in members {
            let said = format!("{member}: missing; {} is most likely meant as {member}", snake(member));
            assert!(one.contains(&said), "{version}: {said}: {one}");
        }
        if version == "/0.3" {
            let advice = &result(&told, "card.preferred-transport").verdict;
            let said = "preferred_transport is most likely meant as preferredTransport";
            assert!(advice.message.contains(said), "{:?} {}", advice.outcome, advice.message);
        }
    }
}
