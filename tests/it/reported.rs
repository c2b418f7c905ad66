//! Mistakes of checkers that people reported, and that others saw on their agents: each is rebuilt on the wire, over the conformant agent.

use std::cell::Cell;
use std::rc::Rc;

use a2a_conformance::agent::fault::TOKEN;
use a2a_conformance::engine::event::CheckResult;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::verdict::{Outcome, Verdict};
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::report::VerdictWord;
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::support::{AGENT, FinishedRun, JumpClock, check, check_at, check_on, host, report_of};

/// What an agent answers instead of what it would: status, media type and body.
pub(crate) type Instead = (u16, &'static str, String);

/// The same answer to everything.
type Answer = fn() -> Option<Instead>;

/// An agent that answers some requests in another way.
pub(crate) struct Answering<F> {
    pub(crate) agent: Rc<dyn Transport>,
    pub(crate) instead: F,
}

impl<F: Fn(&Request, &Value) -> Option<Instead>> Transport for Answering<F> {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let body = request.body.as_deref().and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default();
        let Some((status, media_type, text)) = (self.instead)(&request, &body) else { return self.agent.send(request) };
        let mut answer =
            StreamedResponse { head: Default::default(), body: iter([Ok(text.into_bytes())]).boxed_local() };
        answer.head.status = status;
        answer.head.url = request.url;
        answer.head.headers = [("content-type", media_type)].into_iter().collect();
        ready(Ok(answer)).boxed_local()
    }
}

pub(crate) fn answering(
    faults: &[&str],
    instead: impl Fn(&Request, &Value) -> Option<Instead> + 'static,
) -> (Host, JumpClock) {
    let (mut host, clock) = host(faults);
    host.transport = Rc::new(Answering { agent: host.transport, instead });
    (host, clock)
}

/// The address of the agent in a version, and no other interface.
pub(crate) fn only(version: &str) -> Options {
    Options { address: format!("{AGENT}{version}"), first_interface_only: true, ..Options::default() }
}

pub(crate) fn failed_musts(told: &FinishedRun) -> Vec<String> {
    let fails =
        |result: &&Rc<CheckResult>| result.row.level() == Level::Must && result.verdict.outcome == Outcome::Fail;
    told.results
        .iter()
        .filter(fails)
        .map(|result| format!("{}: {}", result.row.key(), result.verdict.message))
        .collect()
}

#[track_caller]
pub(crate) fn verdict<'t>(told: &'t FinishedRun, check: &str) -> &'t Verdict {
    let of = told.results.iter().find(|result| result.row.check.id == check);
    &of.unwrap_or_else(|| panic!("{check} is there")).verdict
}

/// The path of a card, which is open.
pub(crate) fn is_card(request: &Request) -> bool {
    request.url.contains("/.well-known/")
}

/// No agent is accused of a refusal, and the verdict says what to give.
#[track_caller]
pub(crate) fn asks_for_credentials(told: &FinishedRun, said: &str, case: &str) {
    assert_eq!(failed_musts(told), Vec::<String>::new(), "{case}");
    let report = report_of(told);
    assert_eq!(report.word, VerdictWord::Incomplete, "{case}");
    let why = report.assessment.rating.to_string();
    assert!(why.contains("the agent requires credentials") && why.contains(said), "{case}: {why}");
    assert_ne!(verdict(told, "send.accepts-text").exchanges.len(), 0, "{case}: no evidence");
}

#[test]
fn a_refusal_without_credentials_is_no_fault_in_whatever_words_it_comes() {
    for version in ["", "/0.3", "/0.2"] {
        for (status, code, message) in
            [(200, -32600, "Missing token"), (400, -32000, "Missing token"), (200, -32603, "Internal error")]
        {
            let (host, clock) = answering(&["protected"], move |request, body| {
                let error = json!({"jsonrpc": "2.0", "id": body["id"], "error": {"code": code, "message": message}});
                (!is_card(request)).then(|| (status, "application/json", error.to_string()))
            });
            let told = check_on(host, &clock, only(version));
            asks_for_credentials(&told, message, &format!("{version} {status} {message}"));
        }
    }
}

#[test]
fn a_page_where_people_sign_in_is_a_refusal() {
    const PAGE: &str = "<!doctype html><form action=/login><input name=user><input type=\"password\"></form>";
    let (host, clock) = answering(&["protected"], |request, _| {
        (!is_card(request)).then(|| (200, "text/html; charset=utf-8", PAGE.to_owned()))
    });
    asks_for_credentials(&check_on(host, &clock, only("")), "sign in", "");
    // A page with a link to such a page, of an agent that asks for nothing, is in place of the endpoint.
    let (host, clock) = answering(&[], |request, _| {
        (!is_card(request)).then(|| (200, "text/html", "<!doctype html><a href=/login>Log in</a>".to_owned()))
    });
    assert_eq!(verdict(&check_on(host, &clock, only("")), "card.interface-accurate").outcome, Outcome::Fail);
}

/// An agent that takes every message and says in its task, or in a message, that it does not know who asks.
#[test]
fn an_answer_that_says_that_credentials_are_missing_is_a_refusal() {
    const SAID: &str = "Missing authentication token";
    let parts = || json!([{"text": SAID}]);
    let message = || json!({"messageId": "m", "role": "ROLE_AGENT", "parts": parts()});
    let task = |state: &str, more: Value| {
        let mut task = json!({"id": "t", "contextId": "c", "status": {"state": state}});
        for (name, value) in more.as_object().into_iter().flatten() {
            task[name] = value.clone();
        }
        json!({"task": task})
    };
    let failed = json!({"status": {"state": "TASK_STATE_FAILED", "message": message()}});
    for (case, result) in [
        ("a failed task", task("", failed)),
        ("an artifact", task("TASK_STATE_COMPLETED", json!({"artifacts": [{"artifactId": "a", "parts": parts()}]}))),
        ("a message", json!({"message": message()})),
    ] {
        let (host, clock) = answering(&["auth-not-checked"], move |_, body| {
            let answer = json!({"jsonrpc": "2.0", "id": body["id"], "result": result});
            (body["method"] == "SendMessage").then(|| (200, "application/json", answer.to_string()))
        });
        asks_for_credentials(&check_on(host, &clock, only("")), SAID, case);
    }
}

/// One error for everything, from an agent whose card asks for nothing, does not mean that credentials are missing.
#[test]
fn an_agent_that_fails_at_everything_is_not_excused() {
    let (host, clock) = answering(&[], |request, body| {
        let error = json!({"jsonrpc": "2.0", "id": body["id"], "error": {"code": -32603, "message": "Internal error"}});
        (!is_card(request)).then(|| (200, "application/json", error.to_string()))
    });
    assert_ne!(failed_musts(&check_on(host, &clock, only(""))), Vec::<String>::new());
    // Nor is one that knows the user and refuses unknown tasks with an error of its own.
    let (host, clock) = answering(&["protected"], |_, body| {
        let error = json!({"jsonrpc": "2.0", "id": body["id"], "error": {"code": -32603, "message": "Missing token"}});
        let is_unknown =
            body["params"]["id"].as_str().is_some_and(|id| id.starts_with("00000000-0000-4000-8000-0000000"));
        (body["method"] == "GetTask" && is_unknown).then(|| (200, "application/json", error.to_string()))
    });
    let headers = vec![("authorization".to_owned(), format!("Bearer {TOKEN}"))];
    let told = check_on(host, &clock, Options { headers, ..only("") });
    assert_eq!(verdict(&told, "get.not-found").outcome, Outcome::Fail);
}

/// The card's URL of an interface.
fn https_of(url: &'static str) -> Outcome {
    let (host, clock) = answering(&[], move |request, _| {
        let card = json!({
            "name": "a", "description": "d", "version": "1", "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "capabilities": {}, "skills": [],
            "supportedInterfaces": [{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        });
        is_card(request).then(|| (200, "application/json", card.to_string()))
    });
    verdict(&check_on(host, &clock, only("")), "card.interface-https").outcome
}

#[test]
fn https_is_asked_for_on_the_public_internet_alone() {
    for url in [
        "http://billing.payments.svc/a2a",
        "http://billing.payments:8080/",
        "http://[::]:9999/",
        "http://[::ffff:127.0.0.1]/",
        "http://100.64.3.4/",
        "http://[fc00::7]/",
        "http://nas.home.arpa/",
        "http://agent.lan/",
        "http://agent.intranet/",
        "http://agent.corp/",
    ] {
        assert_eq!(https_of(url), Outcome::NotApplicable, "{url}");
    }
    for url in ["http://agents.example.com/", "http://93.184.216.34/", "http://[2606:2800:21f::1]/"] {
        assert_eq!(https_of(url), Outcome::Fail, "{url}");
    }
}

/// A task that waits is over after a time of its own: a follow-up that comes later is refused by right.
#[test]
fn a_follow_up_to_a_task_that_was_over_unseen_may_be_refused() {
    for version in ["", "/0.3"] {
        let is_over = Rc::new(Cell::new(false));
        let (host, clock) = answering(&[], move |_, body| {
            let params = &body["params"];
            let early = [&params["configuration"]["returnImmediately"], &params["configuration"]["blocking"]];
            let is_early = *early[0] == json!(true) || *early[1] == json!(false);
            let follows = body["method"].as_str().is_some_and(|name| name == "SendMessage" || name == "message/send")
                && params["message"]["taskId"].is_string();
            if follows && is_early {
                is_over.set(true);
                let error = json!({"code": -32004, "message": "the task is over"});
                let answer = json!({"jsonrpc": "2.0", "id": body["id"], "error": error});
                return Some((200, "application/json", answer.to_string()));
            }
            let reads = body["method"].as_str().is_some_and(|name| name == "GetTask" || name == "tasks/get");
            (is_over.get() && reads).then(|| {
                let state = if body["method"] == "GetTask" { "TASK_STATE_COMPLETED" } else { "completed" };
                let task = json!({"id": params["id"], "kind": "task", "contextId": "c", "status": {"state": state}});
                (200, "application/json", json!({"jsonrpc": "2.0", "id": body["id"], "result": task}).to_string())
            })
        });
        let told = check_on(host, &clock, only(version));
        let of = verdict(&told, "input-required.not-blocking");
        assert_eq!(of.outcome, Outcome::Inconclusive, "{version}: {}", of.message);
    }
    let told = check(&["follow-up-early-refused"], only(""));
    assert_eq!(verdict(&told, "input-required.not-blocking").outcome, Outcome::Fail);
}

#[test]
fn an_agent_whose_tasks_all_ask_for_input_is_not_called_broken() {
    let (host, clock) = answering(&[], |_, body| {
        if body["method"] == "SendStreamingMessage" {
            let error = json!({"code": -32004, "message": "streams are off"});
            let answer = json!({"jsonrpc": "2.0", "id": body["id"], "error": error});
            return Some((200, "application/json", answer.to_string()));
        }
        (body["method"] == "SendMessage").then(|| {
            let message = &body["params"]["message"];
            let id = message["taskId"].as_str().or(message["messageId"].as_str()).unwrap_or_default();
            let task = json!({
                "id": id, "contextId": "c",
                "status": {"state": "TASK_STATE_INPUT_REQUIRED",
                    "message": {"messageId": "q", "role": "ROLE_AGENT", "parts": [{"text": "Which city?"}]}},
            });
            let answer = json!({"jsonrpc": "2.0", "id": body["id"], "result": {"task": task}});
            (200, "application/json", answer.to_string())
        })
    });
    let told = check_on(host, &clock, only(""));
    let of = verdict(&told, "task.completes");
    assert_eq!(of.outcome, Outcome::Inconclusive, "{}", of.message);
    assert!(of.message.contains("prompt \"complete\""), "{}", of.message);
}

/// An address at which there is something other than a card: no fault of an agent was observed.
#[test]
fn where_no_card_is_found_nothing_is_called_broken() {
    let page = || Some((200, "text/html", "<!doctype html><title>Shop</title>".to_owned()));
    let missing = || Some((404, "text/plain", "not found".to_owned()));
    let text = || Some((200, "text/plain", "hello".to_owned()));
    let cases: [(&str, Answer, &str); 3] =
        [("a page", page, "HTML page"), ("nothing", missing, "HTTP 404"), ("a text", text, "not JSON")];
    for (case, instead, said) in cases {
        let (host, clock) = answering(&[], move |_, _| instead());
        let told = check_on(host, &clock, only("/hello"));
        assert_eq!(failed_musts(&told), Vec::<String>::new(), "{case}");
        let report = report_of(&told);
        assert_eq!(report.word, VerdictWord::Incomplete, "{case}");
        let why = report.assessment.rating.to_string();
        for part in [
            "no agent card found here",
            said,
            "/hello/.well-known/agent-card.json",
            "agent.test/.well-known/agent.json",
        ] {
            assert!(why.contains(part), "{case}: {part}: {why}");
        }
    }
    // Where a card is served that nobody can read, its agent is to blame.
    let told = check(&["card-cut-off"], only(""));
    assert_eq!(verdict(&told, "discovery.card-available").outcome, Outcome::Fail);
}

#[test]
fn a_card_that_is_not_where_it_was_named_is_looked_for_beside_it_and_at_the_origin() {
    for (named, found) in [
        ("/0.3/agent-card.json", "/0.3/.well-known/agent-card.json"),
        ("/0.3/card.json", "/0.3/.well-known/agent-card.json"),
        ("/nobody/card.json", "/.well-known/agent-card.json"),
    ] {
        let told = check_at(named, &[], only(""));
        let card = verdict(&told, "discovery.card-available");
        assert_eq!(card.outcome, Outcome::Pass, "{named}");
        for part in [format!("read from {AGENT}{found}"), format!("there is none at {AGENT}{named}")] {
            assert!(card.message.contains(&part), "{named}: {}", card.message);
        }
    }
}

/// A card that names its own address as that of calls, or one at which nothing is.
#[test]
fn a_wrong_url_in_the_card_is_called_so_and_the_right_one_is_named() {
    for (named, status, said) in [
        ("/.well-known/agent-card.json", 405, "a GET there returns the agent card"),
        ("/api/v2", 405, "http://agent.test/rpc answers such calls"),
        ("/api/v2", 404, "http://agent.test/rpc answers such calls"),
    ] {
        let (mut host, clock) = host(&[]);
        let agent = Rc::clone(&host.transport);
        let wrong = Rc::new(Answering {
            agent,
            instead: move |request: &Request, body: &Value| {
                let is_call = !body.is_null() && request.url.ends_with(named);
                is_call.then(|| (status, "text/plain", "no".to_owned()))
            },
        });
        host.transport = Rc::new(Changing {
            agent: wrong,
            change: move |request: &Request, document: &mut Value| {
                if is_card(request) {
                    let url = format!("{AGENT}{named}");
                    let interface = json!({"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"});
                    document["supportedInterfaces"] = json!([interface]);
                }
            },
        });
        let told = check_on(host, &clock, only(""));
        let of = verdict(&told, "card.interface-accurate");
        assert_eq!(of.outcome, Outcome::Fail, "{named} {status}");
        let actual = of.actual.as_deref().unwrap_or_default();
        assert!(actual.contains(said), "{named} {status}: {actual}");
        assert_eq!(verdict(&told, "jsonrpc.accepts-json-post").outcome, Outcome::Blocked, "{named} {status}");
        assert_eq!(failed_musts(&told).len(), 1, "{named} {status}: {:?}", failed_musts(&told));
    }
}

/// An agent whose documents, those in streams included, are changed.
pub(crate) struct Changing<F> {
    pub(crate) agent: Rc<dyn Transport>,
    pub(crate) change: F,
}

impl<F: Fn(&Request, &mut Value) + Clone + 'static> Transport for Changing<F> {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (sent, change) = (self.agent.send(request.clone()), self.change.clone());
        async move {
            let mut answer = sent.await?;
            let is_stream = answer.head.headers.media_type().as_deref() == Some("text/event-stream");
            let changed = move |bytes: Vec<u8>| {
                let text = String::from_utf8(bytes).expect("text");
                let of_line = |line: &str| {
                    let (prefix, json) = line.strip_prefix("data:").map_or(("", line), |json| ("data: ", json.trim()));
                    match serde_json::from_str(json) {
                        Ok(mut document) => {
                            change(&request, &mut document);
                            format!("{prefix}{document}")
                        }
                        Err(_) => line.to_owned(),
                    }
                };
                text.split('\n').map(of_line).collect::<Vec<_>>().join("\n").into_bytes()
            };
            answer.body = if is_stream {
                answer.body.map(move |chunk| chunk.map(&changed)).boxed_local()
            } else {
                let body: Vec<u8> = answer.body.map(Result::unwrap).concat().await;
                iter([Ok(changed(body))]).boxed_local()
            };
            Ok(answer)
        }
        .boxed_local()
    }
}

pub(crate) fn changing(change: impl Fn(&Request, &mut Value) + Clone + 'static) -> (Host, JumpClock) {
    let (mut host, clock) = host(&[]);
    host.transport = Rc::new(Changing { agent: host.transport, change });
    (host, clock)
}

pub(crate) fn is_call(request: &Request, methods: &[&str]) -> bool {
    let body: Value = request.body.as_deref().and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default();
    methods.iter().any(|method| body["method"] == *method)
}

/// In the versions before 1.0 the stored task has to say what the stream said as well.
#[test]
fn a_store_that_never_learns_of_the_end_of_a_stream_is_seen_in_every_version() {
    for version in ["", "/0.3", "/0.2", "/0.1"] {
        let (host, clock) = changing(|request, document| {
            if is_call(request, &["GetTask", "tasks/get"]) && document["result"]["status"]["state"].is_string() {
                let submitted = if is_call(request, &["GetTask"]) { "TASK_STATE_SUBMITTED" } else { "submitted" };
                document["result"]["status"] = json!({"state": submitted});
            }
        });
        let told =
            check_on(host, &clock, Options { version: version.strip_prefix('/').map(str::to_owned), ..only(version) });
        let of = verdict(&told, "stream.matches-get");
        assert_eq!(of.outcome, Outcome::Fail, "{version}: {}", of.message);
    }
}

#[test]
fn texts_that_differ_are_shown_from_where_they_part() {
    let (host, clock) = changing(|request, document| {
        let artifacts = document["result"]["artifacts"].as_array_mut();
        for artifact in artifacts.into_iter().flatten().filter(|_| is_call(request, &["GetTask"])) {
            let text = artifact["parts"][0]["text"].as_str().unwrap_or_default();
            artifact["parts"] = json!([{"text": format!("{}#", text.chars().take(3).collect::<String>())}]);
        }
    });
    let told = check_on(host, &clock, only(""));
    let of = verdict(&told, "stream.matches-get");
    let expected = of.expected.as_deref().unwrap_or_default();
    assert!(
        expected.starts_with("the text that was streamed: \"") && expected.ends_with(" after the first 3 characters"),
        "{expected}"
    );
    assert_eq!(of.actual.as_deref(), Some("\"#\""));
}

/// A chunk that does not say that it is appended begins the artifact again.
#[test]
fn chunks_that_replace_each_other_are_named_where_the_store_joins_them() {
    let (host, clock) = changing(|_, document| {
        if document["result"]["artifactUpdate"].is_object() {
            document["result"]["artifactUpdate"]["append"] = json!(false);
        }
    });
    let told = check_on(host, &clock, only(""));
    let of = verdict(&told, "stream.matches-get");
    assert_eq!(of.outcome, Outcome::Fail);
    let expected = of.expected.as_deref().unwrap_or_default();
    assert!(expected.contains("append false"), "{expected}");
}

/// Before 1.0 only a comment of the schema says that a task's stream has no message, so that it is advice.
#[test]
fn a_message_in_the_stream_of_a_task_is_advice_before_1_0() {
    let (host, clock) = changing(|request, document| {
        if is_call(request, &["message/stream"]) && document["result"]["kind"] == "status-update" {
            document["result"] = json!({"kind": "message", "messageId": "m", "role": "agent", "parts": [{"kind": "text", "text": "hi"}]});
        }
    });
    let told = check_on(host, &clock, only("/0.3"));
    let lifecycle = told.results.iter().find(|result| result.row.check.id == "stream.task-lifecycle").expect("a row");
    assert_eq!((lifecycle.row.level(), lifecycle.verdict.outcome), (Level::Should, Outcome::Fail));
}

#[test]
fn an_interface_of_1_0_without_its_version_is_checked_all_the_same() {
    for (value, said) in [(Some(Value::Null), "null"), (None, "missing or empty"), (Some(json!("")), "\"\"")] {
        let given = value.clone();
        let (host, clock) = changing(move |request, document| {
            if is_card(request)
                && let Some(interface) = document["supportedInterfaces"][0].as_object_mut()
            {
                interface.remove("protocolVersion");
                interface.extend(given.clone().map(|value| ("protocolVersion".to_owned(), value)));
            }
        });
        let told = check_on(host, &clock, only(""));
        let of = verdict(&told, "card.interface-required-fields");
        assert_eq!(of.outcome, Outcome::Fail);
        assert!(of.actual.as_deref().is_some_and(|actual| actual.contains(said)), "{said}: {:?}", of.actual);
        assert_eq!(verdict(&told, "send.accepts-text").outcome, Outcome::Pass, "{said}");
    }
}

/// Events that come as lines of JSON are one mistake, and not to be sent as application/json.
#[test]
fn a_stream_in_another_format_is_one_finding() {
    let (host, clock) = answering(&[], |_, body| {
        let event = |state: &str| {
            let status = json!({"taskId": "t", "contextId": "c", "status": {"state": state}});
            json!({"jsonrpc": "2.0", "id": body["id"], "result": {"statusUpdate": status}})
        };
        let lines = format!("{}\n{}\n", event("TASK_STATE_WORKING"), event("TASK_STATE_COMPLETED"));
        let makes_task = body["method"] == "SendStreamingMessage" && body["params"]["message"]["taskId"].is_null();
        makes_task.then_some((200, "application/x-ndjson", lines))
    });
    let told = check_on(host, &clock, only(""));
    let of = verdict(&told, "jsonrpc.sse-content-type");
    assert_eq!(of.outcome, Outcome::Fail);
    assert_eq!(failed_musts(&told).len(), 1, "{:#?}", failed_musts(&told));
}

/// Every call under the tasks of HTTP+JSON gets what a framework says of a route that it does not have.
#[test]
fn routes_of_tasks_that_are_missing_are_one_finding() {
    for (version, by) in [("", "rest.paths@rest-1.0"), ("/0.3", "cancel.returns-task@rest-0.3")] {
        let (host, clock) = answering(&[], |request, _| {
            let is_route = request.url.contains("/rest") && request.url.contains("/tasks");
            is_route.then(|| (404, "application/json", json!({"detail": "Not Found"}).to_string()))
        });
        let told = check_on(host, &clock, Options { address: format!("{AGENT}{version}"), ..Options::default() });
        let failed = failed_musts(&told);
        let [only] = failed.as_slice() else { panic!("{failed:#?}") };
        assert!(only.starts_with(by) && only.contains("not judged for this reason: "), "{only}");
    }
}

/// An agent that was given the methods and the card of 1.0, and still reads the objects of 0.3.
#[test]
fn an_agent_that_reads_the_objects_of_0_3_is_told_so() {
    let (host, clock) = answering(&[], |request, body| {
        let text = body.to_string();
        if is_card(request) || !text.contains("\"parts\"") {
            return None;
        }
        let answer = if text.contains("\"kind\"") {
            let task = json!({"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}});
            json!({"jsonrpc": "2.0", "id": body["id"], "result": {"task": task}})
        } else {
            let error = json!({"code": -32602, "message": "parts.0.kind: field required"});
            json!({"jsonrpc": "2.0", "id": body["id"], "error": error})
        };
        Some((200, "application/json", answer.to_string()))
    });
    let told = check_on(host, &clock, only(""));
    let failed = failed_musts(&told);
    let [refused] = failed.as_slice() else { panic!("{failed:#?}") };
    assert!(refused.starts_with("send.accepts-text") && refused.contains("reads the objects of 0.3"), "{refused}");
}

/// No sentence before 1.0 says which error a request without a method gets.
#[test]
fn the_code_for_a_request_without_a_method_is_open_before_1_0() {
    for (version, code, outcome) in [
        ("", -32601, Outcome::Fail),
        ("/0.3", -32601, Outcome::Note),
        ("/0.3", -32000, Outcome::Note),
        ("/0.2", -32601, Outcome::Note),
    ] {
        let (host, clock) = answering(&[], move |request, body| {
            let lacks = body.get("jsonrpc").is_some() && body.get("method").is_none();
            let error = json!({"jsonrpc": "2.0", "id": body["id"], "error": {"code": code, "message": "no"}});
            (lacks && !is_card(request)).then(|| (200, "application/json", error.to_string()))
        });
        let found = verdict(&check_on(host, &clock, only(version)), "jsonrpc.invalid-request").outcome;
        assert_eq!(found, outcome, "{version} {code}");
    }
}

/// A method or a whole interface that the server's framework does not know.
#[test]
fn http_501_is_no_support_of_a_version() {
    let (host, clock) = answering(&[], |request, _| (!is_card(request)).then(|| (501, "text/plain", String::new())));
    let told = check_on(host, &clock, only(""));
    assert_ne!(verdict(&told, "version.supported").outcome, Outcome::Pass);
}

/// An agent that keeps no tasks says so by the error that is there for it, whether the error has its details or not.
#[test]
fn a_list_that_is_refused_as_unsupported_is_one_thing() {
    let reason = json!([{
        "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "UNSUPPORTED_OPERATION", "domain": "a2a-protocol.org",
    }]);
    for (code, data, outcome) in [
        (-32004, Value::Null, Outcome::Note),
        (-32004, reason, Outcome::Note),
        (-32601, Value::Null, Outcome::Fail),
        (-32603, Value::Null, Outcome::Fail),
    ] {
        let (host, clock) = answering(&[], move |_, body| {
            let mut error = json!({"jsonrpc": "2.0", "id": body["id"], "error": {"code": code, "message": "no lists"}});
            if !data.is_null() {
                error["error"]["data"] = data.clone();
            }
            (body["method"] == "ListTasks").then(|| (200, "application/json", error.to_string()))
        });
        assert_eq!(verdict(&check_on(host, &clock, only("")), "list.answers").outcome, outcome, "{code}");
    }
}

/// The card says where to call and how; that nothing works there is another matter.
#[test]
fn an_interface_is_where_the_card_says_although_its_operations_are_broken() {
    let (host, clock) = answering(&[], |request, body| {
        let error = json!({"jsonrpc": "2.0", "id": body["id"], "error": {"code": -32603, "message": "Internal error"}});
        (!is_card(request)).then(|| (200, "application/json", error.to_string()))
    });
    assert_ne!(verdict(&check_on(host, &clock, only("")), "card.interface-accurate").outcome, Outcome::Fail);
}

/// Before 1.0 the schema's comments ask for the most recent messages, which makes it advice.
#[test]
fn which_of_the_history_an_agent_keeps_is_seen_in_every_version() {
    for (fault, check, versions) in [
        ("history-oldest", "get.history-recent", &["/0.3", "/0.2"][..]),
        ("send-history-oldest", "send.history-recent", &["/0.3", "/0.2"]),
    ] {
        for at in versions {
            let told = check_at(at, &[fault], Options { version: Some(at[1..].to_owned()), ..Options::default() });
            let result = told.results.iter().find(|result| result.row.check.id == check).expect("a row");
            let found = (result.row.level(), result.verdict.outcome);
            assert_eq!(found, (Level::Should, Outcome::Fail), "{at} {check}: {}", result.verdict.message);
        }
    }
}

/// A send waits for its task in the middle of a conversation too, and where no send waits that is one finding.
#[test]
fn a_second_follow_up_that_is_answered_too_early_is_found() {
    for (at, level) in [("", Level::Must), ("/0.3", Level::Should), ("/0.2", Level::Should)] {
        let told = check_at(at, &["third-turn-returns-early"], Options::default());
        let found: Vec<_> = told.results.iter().filter(|result| result.verdict.outcome == Outcome::Fail).collect();
        assert!(!found.is_empty(), "{at}");
        for result in found {
            assert_eq!((result.row.check.id, result.row.level()), ("send.blocking-follow-up", level), "{at}");
            let actual = result.verdict.actual.as_deref().unwrap_or_default().to_ascii_lowercase();
            assert!(actual.contains("working"), "{at}: {actual}");
        }
    }
}
