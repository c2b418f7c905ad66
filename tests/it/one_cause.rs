//! One cause is one finding, and an accident is not a finding: agents whose answers are changed on their way.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::verdict::{Outcome, Verdict};
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::{Headers, Request, ResponseHead};
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::support::{
    AGENT, Answers, FinishedRun, Touched, check, check_at, check_on, host, with_address_and_credentials,
};

/// The body of an answer over HTTP+JSON that is not a success, with its status and media type.
type RestError = fn(&Value, u16) -> (u16, &'static str, String);

/// An agent whose errors over HTTP+JSON have another form.
struct OtherErrors {
    agent: Rc<dyn Transport>,
    form: RestError,
    touched: Rc<Touched>,
}

impl OtherErrors {
    fn over(agent: Rc<dyn Transport>, form: RestError) -> Rc<Self> {
        Rc::new(Self { agent, form, touched: Touched::at(&[Answers::HttpJson]) })
    }
}

impl Transport for OtherErrors {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (sent, form, touched) = (self.agent.send(request.clone()), self.form, Rc::clone(&self.touched));
        async move {
            let mut answer = sent.await?;
            if !request.url.contains("/rest") || answer.head.status < 400 {
                return Ok(answer);
            }
            touched.note(&request.url, true);
            let body: Vec<u8> = answer.body.map(Result::unwrap).concat().await;
            let document = serde_json::from_slice(&body).unwrap_or_default();
            let (status, media_type, body) = form(&document, answer.head.status);
            answer.head.status = status;
            answer.head.headers = [("content-type", media_type)].into_iter().collect();
            answer.body = iter([Ok(body.into_bytes())]).boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

/// An agent that closes the connection on some requests.
struct HangsUp {
    agent: Rc<dyn Transport>,
    on: fn(&Request) -> bool,
    /// How often it still does.
    times: Rc<Cell<u32>>,
}

impl Transport for HangsUp {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if self.times.get() == 0 || !(self.on)(&request) {
            return self.agent.send(request);
        }
        self.times.set(self.times.get() - 1);
        let detail = "connection closed before message completed".to_owned();
        ready(Err(TransportError { kind: TransportErrorKind::Closed, detail })).boxed_local()
    }
}

/// An agent whose JSON documents are changed, those in streams included.
struct Changed<F> {
    agent: Rc<dyn Transport>,
    change: F,
}

impl<F: Fn(&Request, String) -> String + Clone + 'static> Transport for Changed<F> {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (sent, change) = (self.agent.send(request.clone()), self.change.clone());
        async move {
            let mut answer = sent.await?;
            let chunk = move |chunk: Result<Vec<u8>, String>| {
                chunk.map(|chunk| change(&request, String::from_utf8(chunk).unwrap()).into_bytes())
            };
            answer.body = answer.body.map(chunk).boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

fn check_over(transport: impl FnOnce(Rc<dyn Transport>) -> Rc<dyn Transport>) -> FinishedRun {
    check_faults_over(&[], transport)
}

fn check_faults_over(faults: &[&str], transport: impl FnOnce(Rc<dyn Transport>) -> Rc<dyn Transport>) -> FinishedRun {
    let (plain, clock) = host(faults);
    let over = Host { transport: transport(Rc::clone(&plain.transport)), ..plain };
    check_on(over, &clock, Options { address: AGENT.to_owned(), ..Options::default() })
}

fn verdict<'a>(told: &'a FinishedRun, key: &str) -> &'a Verdict {
    let result = told.results.iter().find(|result| result.row.key() == key);
    &result.unwrap_or_else(|| panic!("{key} was not judged")).verdict
}

/// The musts that failed on a lane.
fn failed_musts(told: &FinishedRun, lane: &str) -> Vec<&'static str> {
    let failed = told.results.iter().filter(|result| {
        let is_of_lane = result.row.lane.as_ref().is_some_and(|own| own.id == lane);
        is_of_lane && result.verdict.outcome == Outcome::Fail && result.level == Level::Must
    });
    failed.map(|result| result.row.check.id).collect()
}

/// As web frameworks write errors: the message, and nothing else.
const DETAIL: RestError = |document, status| {
    let message = document.pointer("/error/message").cloned().unwrap_or_else(|| json!("Not Found"));
    (status, "application/json", json!({ "detail": message }).to_string())
};

/// The same whatever the error is.
const NOT_FOUND: RestError = |_, status| (status, "application/json", json!({ "detail": "Not Found" }).to_string());

#[test]
fn a_route_that_served_a_task_is_not_said_to_be_missing() {
    // Also where nobody can tell that a task is missing from that a route is.
    for form in [DETAIL, NOT_FOUND] {
        let told = check_over(|agent| OtherErrors::over(agent, form));
        let verdict = verdict(&told, "rest.paths@rest-1.0");
        assert_eq!(verdict.outcome, Outcome::Pass, "{}", verdict.message);
    }
}

#[test]
fn a_connection_that_closes_once_accuses_nobody() {
    let wrong_type: fn(&Request) -> bool =
        |request| String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()).contains("not an object");
    let large: fn(&Request) -> bool = |request| request.body.as_ref().is_some_and(|body| body.len() > 1_000_000);
    let any: fn(&Request) -> bool = |request| request.url.contains("/rest/") || request.url.ends_with("/rpc");
    for (on, check) in
        [(any, "card.interface-accurate"), (wrong_type, "transport.input-validated"), (large, "transport.size-limit")]
    {
        let times = Rc::new(Cell::new(1));
        let told = check_over(|agent| Rc::new(HangsUp { agent, on, times: Rc::clone(&times) }));
        assert_eq!(times.get(), 0, "{check}: no connection was closed");
        for lane in ["jsonrpc-1.0", "rest-1.0"] {
            let verdict = verdict(&told, &format!("{check}@{lane}"));
            assert_eq!(verdict.outcome, Outcome::Pass, "{}", verdict.message);
        }
    }
}

#[test]
fn where_every_send_failed_no_message_is_said_to_have_come() {
    let told = check_over(|agent| {
        let change = |request: &Request, body: String| {
            let asked: Value = serde_json::from_slice(request.body.as_deref().unwrap_or_default()).unwrap_or_default();
            if !matches!(asked["method"].as_str(), Some("SendMessage" | "SendStreamingMessage")) {
                return body;
            }
            let error = json!({ "code": -32603, "message": "the model is out" });
            let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error }).to_string();
            if body.starts_with("data:") { format!("data: {answer}\n\n") } else { answer }
        };
        Rc::new(Changed { agent, change })
    });
    let on_lane = |result: &&Rc<a2a_conformance::engine::event::CheckResult>| {
        result.row.lane.as_ref().is_some_and(|lane| lane.id == "jsonrpc-1.0")
    };
    let wrong: Vec<_> = told
        .results
        .iter()
        .filter(on_lane)
        .filter(|result| result.verdict.message.contains("answered with a Message"))
        .map(|result| result.row.check.id)
        .collect();
    assert_eq!(wrong, Vec::<&str>::new());
    let unique = &verdict(&told, "send.task-ids-unique@jsonrpc-1.0").message;
    assert!(unique.contains("every send failed") && unique.contains("-32603"), "{unique}");
}

#[test]
fn a_character_that_cannot_be_seen_is_named() {
    let told = check_over(|agent| {
        let change = |_: &Request, body: String| body.replace("TASK_STATE_COMPLETED", "TASK_STATE_COMPLETED\u{200b}");
        Rc::new(Changed { agent, change })
    });
    let found: Vec<_> = told.results.iter().filter(|result| result.verdict.outcome == Outcome::Fail).collect();
    assert!(!found.is_empty());
    let named = |text: &Option<String>| text.as_deref().is_some_and(|text| text.contains("<U+200B ZERO WIDTH SPACE>"));
    assert!(found.iter().any(|result| named(&result.verdict.actual)));
    for result in &told.results {
        let verdict = &result.verdict;
        for text in [Some(&verdict.message), verdict.expected.as_ref(), verdict.actual.as_ref()].into_iter().flatten() {
            assert!(!text.contains('\u{200b}'), "{}: {text}", result.row.key());
        }
    }
}

#[test]
fn errors_of_another_form_over_http_json_are_one_finding() {
    let text: RestError = |_, _| (500, "text/plain", "Internal Server Error".to_owned());
    for form in [text, DETAIL] {
        let told = check_over(|agent| OtherErrors::over(agent, form));
        assert_eq!(failed_musts(&told, "rest-1.0"), ["rest.error-body"]);
        let finding = &verdict(&told, "rest.error-body@rest-1.0").message;
        assert!(
            finding.contains("not judged for this reason: ") && finding.contains("subscribe.not-found"),
            "{finding}"
        );
    }
}

#[test]
fn the_same_answer_to_everything_is_one_finding() {
    for fault in ["canned-message", "canned-error"] {
        let told = check(&[fault], Options::default());
        for lane in ["jsonrpc-1.0", "rest-1.0"] {
            let failed = failed_musts(&told, lane);
            let [only] = failed.as_slice() else { panic!("{fault}: {failed:?}") };
            let finding = &verdict(&told, &format!("{only}@{lane}")).message;
            assert!(finding.contains("not judged for this reason: "), "{fault}: {finding}");
        }
    }
}

#[test]
fn a_context_that_takes_no_further_message_is_a_finding() {
    let told = check_over(|agent| {
        let change = |request: &Request, answer: String| {
            let body = request.body.as_deref().unwrap_or_default();
            let call: Value = serde_json::from_slice(body).unwrap_or_default();
            let message = &call["params"]["message"];
            if message["contextId"].is_null() || !message["taskId"].is_null() {
                return answer;
            }
            let error = json!({ "code": -32602, "message": "The context is closed." });
            json!({ "jsonrpc": "2.0", "id": call["id"], "error": error }).to_string()
        };
        Rc::new(Changed { agent, change })
    });
    let found = verdict(&told, "context.new-task-in-context@jsonrpc-1.0");
    assert_eq!(found.outcome, Outcome::Fail, "{found:?}");
}

/// 1.0 §3.1.4: fifty tasks where no number is asked for.
#[test]
fn a_page_of_fifty_tasks_is_as_long_as_it_may_be() {
    for (count, expected) in [(50, Outcome::Pass), (51, Outcome::Fail)] {
        let told = check_over(|agent| {
            let change = move |request: &Request, answer: String| {
                let body = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()).into_owned();
                let mut document: Value = serde_json::from_str(&answer).unwrap_or_default();
                let task = document.pointer("/result/tasks/0").cloned();
                let Some(task) = task.filter(|_| body.contains("ListTasks") && !body.contains("pageSize")) else {
                    return answer;
                };
                document["result"]["tasks"] = (0..count).map(|_| task.clone()).collect();
                document.to_string()
            };
            Rc::new(Changed { agent, change })
        });
        let found = verdict(&told, "list.default-page-size@jsonrpc-1.0");
        assert_eq!(found.outcome, expected, "{count}: {found:?}");
    }
}

/// Other contextIds in lists leave open neither the pages nor the run.
#[test]
fn pages_are_judged_whatever_contextid_their_tasks_have() {
    let told = check(&["list-other-context"], Options::default());
    for lane in ["jsonrpc-1.0", "rest-1.0"] {
        assert_eq!(verdict(&told, &format!("list.cursor-pagination@{lane}")).outcome, Outcome::Pass, "{lane}");
    }
    let told = check(&["list-other-context", "list-page-repeats"], Options::default());
    assert_eq!(verdict(&told, "list.cursor-pagination@jsonrpc-1.0").outcome, Outcome::Fail);
}

#[test]
fn a_missing_operation_is_one_finding() {
    let told = check(&["cancel-missing"], Options::default());
    assert_eq!(failed_musts(&told, "jsonrpc-1.0"), ["cancel.not-found"]);
    let finding = &verdict(&told, "cancel.not-found@jsonrpc-1.0").message;
    assert!(finding.contains("the operation CancelTask to exist"), "{finding}");
    let explained = &verdict(&told, "cancel.returns-task@jsonrpc-1.0").message;
    assert_eq!(explained, "CancelTask does not exist: see cancel.not-found");
    // Over HTTP+JSON no error says so.
    assert_eq!(failed_musts(&told, "rest-1.0"), ["cancel.returns-task"]);
    let finding = &verdict(&told, "cancel.returns-task@rest-1.0").message;
    assert!(finding.contains("CancelTask returns the same for every task, as if its route did not exist"), "{finding}");
    let explained = &verdict(&told, "rest.error-info@rest-1.0").message;
    assert!(explained.ends_with(": see cancel.returns-task"), "{explained}");
}

#[test]
fn what_a_web_framework_says_of_an_operation_tells_nothing_of_the_version() {
    let not_allowed: RestError = |_, _| {
        let error = json!({ "error": { "code": 405, "status": "UNIMPLEMENTED", "message": "Method Not Allowed" } });
        (405, "application/json", error.to_string())
    };
    let told = check_over(|agent| OtherErrors::over(agent, not_allowed));
    assert_eq!(verdict(&told, "version.supported@rest-1.0").outcome, Outcome::Blocked);
}

#[test]
fn a_route_is_not_said_to_be_missing_where_it_returns_something_else_for_a_task_that_exists() {
    let told = check_faults_over(&["cancel-answers-null"], |agent| OtherErrors::over(agent, NOT_FOUND));
    let finding = verdict(&told, "cancel.returns-task@rest-1.0");
    assert_eq!(finding.outcome, Outcome::Fail);
    assert!(!finding.message.contains("route"), "{finding:?}");
}

#[test]
fn an_operation_that_answers_is_not_said_to_be_missing_for_what_it_says_of_an_unknown_task() {
    let told = check_faults_over(&["cancel-answers-null"], |agent| {
        let change = |request: &Request, answer: String| {
            let cancels = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()).contains("CancelTask");
            if cancels { answer.replace("-32001", "-32601") } else { answer }
        };
        Rc::new(Changed { agent, change })
    });
    for check in ["cancel.returns-task", "cancel.not-found"] {
        assert_eq!(verdict(&told, &format!("{check}@jsonrpc-1.0")).outcome, Outcome::Fail, "{check}");
    }
}

#[test]
fn credentials_that_nobody_checks_are_one_finding() {
    let told = check(&["auth-not-checked"], Options::default());
    for lane in ["jsonrpc-1.0", "rest-1.0"] {
        let failed: Vec<_> = failed_musts(&told, lane).into_iter().filter(|id| id.starts_with("auth.")).collect();
        assert_eq!(failed, ["auth.missing-credentials"], "{lane}");
        let finding = &verdict(&told, &format!("auth.missing-credentials@{lane}")).message;
        let named = ["auth.invalid-credentials", "auth.other-scheme", "auth.task-without-credentials"];
        assert!(named.iter().all(|check| finding.contains(check)), "{finding}");
    }
}

/// An agent that shows a task without credentials once on each interface, and not again.
struct OpensOnce {
    agent: Rc<dyn Transport>,
    opened: RefCell<BTreeSet<bool>>,
}

impl Transport for OpensOnce {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let text = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()).into_owned();
        let reads = text.contains("\"tasks/get\"") || (text.is_empty() && request.url.contains("/tasks/"));
        let is_open = request.headers.get("authorization").is_some()
            || !reads
            || self.opened.borrow_mut().insert(request.url.contains("/rpc"));
        let (sent, url) = (self.agent.send(request.clone()), request.url);
        async move {
            let answer = sent.await?;
            let head = ResponseHead { status: 401, headers: Headers::new(), url, redirected: false };
            Ok(if is_open { answer } else { StreamedResponse { head, body: iter([]).boxed_local() } })
        }
        .boxed_local()
    }
}

#[test]
fn a_task_that_is_shown_once_is_not_blamed_on_a_check_that_saw_none() {
    let faults = ["auth-tasks-open"];
    let (plain, clock) = host(&faults);
    let transport = OpensOnce { agent: Rc::clone(&plain.transport), opened: RefCell::default() };
    let options = with_address_and_credentials("/0.3", &faults, Options::default());
    let told = check_on(Host { transport: Rc::new(transport), ..plain }, &clock, options);
    for lane in ["jsonrpc-0.3", "rest-0.3"] {
        assert_eq!(failed_musts(&told, lane), ["auth.missing-credentials"]);
    }
}

#[test]
fn a_subscription_is_compared_with_the_task_only_where_both_show_the_same_end() {
    let told = check(&["stream-get-differ", "subscribe-no-artifacts"], Options::default());
    for lane in ["jsonrpc-1.0", "rest-1.0"] {
        let found = verdict(&told, &format!("subscribe.matches-get@{lane}"));
        assert_eq!(found.outcome, Outcome::Inconclusive, "{found:?}");
    }
}

#[test]
fn ids_that_are_reused_explain_nothing_of_other_tasks() {
    let told = check_faults_over(&["failed-not-terminal"], |agent| {
        let count = Rc::new(Cell::new(0));
        // The first two tasks of JSON-RPC have one id; that one fails is told by a stream.
        let change = move |request: &Request, answer: String| {
            let sends =
                String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()).contains("\"SendMessage\"");
            let mut document: Value = serde_json::from_str(&answer).unwrap_or_default();
            match document.pointer_mut("/result/task/id") {
                Some(id) if sends && count.get() < 2 => {
                    count.set(count.get() + 1);
                    *id = json!("the-same");
                    document.to_string()
                }
                _ => answer,
            }
        };
        Rc::new(Changed { agent, change })
    });
    for check in ["send.task-ids-unique", "task.failed-stays"] {
        let found = verdict(&told, &format!("{check}@jsonrpc-1.0"));
        assert_eq!(found.outcome, Outcome::Fail, "{check}: {found:?}");
    }
}

#[test]
fn a_finding_is_said_to_explain_what_it_explains_and_nothing_else() {
    let told = check(&["auth-not-checked", "version-ignored"], Options::default());
    for lane in ["jsonrpc-1.0", "rest-1.0"] {
        let other = verdict(&told, &format!("version.unsupported@{lane}"));
        assert!(other.outcome == Outcome::Fail && !other.message.contains("auth."), "{other:?}");
    }
}

/// The expected findings for agents with these faults, each at the path of the version that has it.
const FAMILIES: [(&str, &str, &[&str]); 13] = [
    ("error-code-text", "", &["jsonrpc.error-object", "rest.error-body"]),
    ("snake-case", "", &["json.camel-case"]),
    ("rest-errors-ok", "/0.3", &["rest.status-fits"]),
    ("tenant-refused", "", &["interop.tenant-echo"]),
    ("task-ids-reused", "", &["send.task-ids-unique"]),
    ("endpoint-404", "", &["card.interface-accurate"]),
    ("endpoint-415", "", &["jsonrpc.accepts-json-post"]),
    ("card-cut-off", "", &["discovery.card-available"]),
    ("methods-of-0.3", "", &["jsonrpc.method-names"]),
    ("methods-of-1.0", "/0.3", &["send.known"]),
    ("auth-tasks-open", "/0.3", &["auth.task-without-credentials"]),
    ("list-other-context", "", &["list.matches-get"]),
    ("parse-error-html", "", &["jsonrpc.response-object", "rest.error-body"]),
];

#[test]
fn one_cause_is_one_finding() {
    let mut others = Vec::new();
    for (fault, at, expected) in FAMILIES {
        let told = check_at(at, &[fault], Options::default());
        let failed = told.results.iter().filter(|result| result.verdict.outcome == Outcome::Fail);
        let found: BTreeSet<_> = failed.map(|result| result.row.check.id).collect();
        if found != expected.iter().copied().collect() {
            others.push(format!("{fault}: {found:?}"));
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn an_object_that_is_no_list_is_one_finding_about_it() {
    let told = check_over(|agent| {
        let change = |request: &Request, answer: String| {
            let is_called =
                request.body.as_deref().is_some_and(|body| String::from_utf8_lossy(body).contains("\"ListTasks\""));
            let is_requested = request.url.contains("/rest/tasks?") || request.url.ends_with("/rest/tasks");
            match (is_called || is_requested, serde_json::from_str::<Value>(&answer)) {
                (true, Ok(mut document)) => {
                    if let Some(result) = document.get_mut("result") {
                        *result = json!({ "items": [] });
                    } else if document.get("tasks").is_some() {
                        document = json!({ "items": [] });
                    }
                    document.to_string()
                }
                _ => answer,
            }
        };
        Rc::new(Changed { agent, change })
    });
    for lane in ["jsonrpc-1.0", "rest-1.0"] {
        assert_eq!(verdict(&told, &format!("list.response-fields@{lane}")).outcome, Outcome::Fail);
        for check in ["list.next-page-token", "list.includes-created"] {
            let explained = verdict(&told, &format!("{check}@{lane}"));
            assert_eq!(explained.outcome, Outcome::Blocked, "{check}");
            assert!(explained.message.ends_with("see list.response-fields"), "{}", explained.message);
        }
    }
}

#[test]
fn a_second_fault_does_not_hide_behind_the_first() {
    let mut hidden = Vec::new();
    for (faults, at, second) in [
        (["error-code-text", "get-unknown-internal"], "", "get.not-found"),
        (["snake-case", "artifact-no-id"], "", "artifact.shape"),
        (["cancel-missing", "status-no-info"], "", "rest.error-info"),
        (["rest-errors-ok", "unknown-task-id-accepted"], "/0.3", "send.unknown-task-refused"),
        (["task-ids-reused", "artifact-no-id"], "", "artifact.shape"),
        (["methods-of-0.3", "parse-error-wrong-code"], "", "jsonrpc.parse-error"),
        (["auth-tasks-open", "auth-any-token"], "/0.3", "auth.invalid-credentials"),
        (["auth-tasks-open", "auth-any-token"], "", "auth.invalid-credentials"),
    ] {
        let found = check_at(at, &faults, Options::default()).tripped();
        if !found.contains(&second) {
            hidden.push(format!("{faults:?}: {found:?}"));
        }
    }
    assert!(hidden.is_empty(), "{}", hidden.join("\n"));
}

#[test]
fn an_agent_with_the_methods_of_another_version_is_told_which_it_has() {
    for (version, own, known, name) in [
        ("0.3", ["message/send", "message/stream"], ["tasks/send", "tasks/sendSubscribe"], "tasks/send"),
        ("0.2", ["message/send", "message/stream"], ["tasks/send", "tasks/sendSubscribe"], "tasks/send"),
        ("0.1", ["tasks/send", "tasks/sendSubscribe"], ["message/send", "message/stream"], "message/send"),
    ] {
        let (plain, clock) = host(&[]);
        let agent = Rc::new(Renamed { agent: Rc::clone(&plain.transport), own, known });
        let options =
            Options { address: format!("{AGENT}/{version}"), version: Some(version.to_owned()), ..Options::default() };
        let told = check_on(Host { transport: agent, ..plain }, &clock, options);
        let lane = format!("jsonrpc-{version}");
        assert_eq!(failed_musts(&told, &lane), ["send.known"]);
        let finding = &verdict(&told, &format!("send.known@{lane}")).message;
        assert!(finding.contains(&format!("the agent knows {name}")), "{finding}");
        let explained = &verdict(&told, &format!("send.accepts-text@{lane}")).message;
        assert!(explained.ends_with("see send.known"), "{explained}");
    }
}

/// An agent that does not know some methods and refuses others for their parameters.
struct Renamed {
    agent: Rc<dyn Transport>,
    own: [&'static str; 2],
    known: [&'static str; 2],
}

impl Transport for Renamed {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let asked: Value = serde_json::from_slice(request.body.as_deref().unwrap_or_default()).unwrap_or_default();
        let method = asked["method"].as_str().unwrap_or_default();
        let code = if self.own.contains(&method) {
            -32601
        } else if self.known.contains(&method) {
            -32602
        } else {
            return self.agent.send(request);
        };
        let error = json!({ "code": code, "message": "no" });
        let body = json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error }).to_string();
        // Any answer of the agent's has the head that this one needs.
        let get = json!({ "jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": { "id": "none" } });
        let sent = self.agent.send(Request { body: Some(get.to_string().into_bytes()), ..request });
        async move {
            let mut answer = sent.await?;
            answer.body = iter([Ok(body.into_bytes())]).boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

/// An agent that returns the first task that was read from every GetTask.
struct OneTask {
    agent: Rc<dyn Transport>,
    first: Rc<RefCell<Option<Value>>>,
    with_history: bool,
}

impl Transport for OneTask {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let asked: Value = serde_json::from_slice(request.body.as_deref().unwrap_or_default()).unwrap_or_default();
        let (sent, first, with_history) = (self.agent.send(request), Rc::clone(&self.first), self.with_history);
        async move {
            let mut answer = sent.await?;
            if asked["method"] != "GetTask" {
                return Ok(answer);
            }
            let body: Vec<u8> = answer.body.map(Result::unwrap).concat().await;
            let mut document: Value = serde_json::from_slice(&body).unwrap_or_default();
            let is_task = document["result"].is_object();
            if is_task {
                let mut read = document["result"].take();
                if !with_history {
                    read.as_object_mut().unwrap().remove("history");
                }
                document["result"] = first.borrow_mut().get_or_insert(read).clone();
            }
            let body = if is_task { document.to_string().into_bytes() } else { body };
            answer.body = iter([Ok(body)]).boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

#[test]
fn another_task_than_the_one_that_was_asked_for_is_one_finding_that_says_so() {
    for with_history in [false, true] {
        let told = check_over(|agent| Rc::new(OneTask { agent, first: Rc::default(), with_history }));
        let failed = failed_musts(&told, "jsonrpc-1.0");
        let [only] = failed.as_slice() else {
            let found = failed.iter().map(|id| &verdict(&told, &format!("{id}@jsonrpc-1.0")).message);
            panic!("{failed:?}: {:?}", found.collect::<Vec<_>>());
        };
        let finding = &verdict(&told, &format!("{only}@jsonrpc-1.0"));
        assert!(finding.message.contains("GetTask returned another task"), "{}", finding.message);
        let others = told.results.iter().filter(|result| result.verdict.message.ends_with(&format!("see {only}")));
        assert!(others.count() > 1);
    }
}

/// Checks the agent of a version, each of whose JSON documents passes through that, with what was asked; those of cards do not.
fn check_changed(version: &str, change: impl Fn(&Request, &Value, Value) -> Value + Clone + 'static) -> FinishedRun {
    let (plain, clock) = host(&[]);
    let change = move |request: &Request, body: String| {
        let asked = serde_json::from_slice(request.body.as_deref().unwrap_or_default()).unwrap_or_default();
        if request.url.contains("/.well-known/") {
            return body;
        }
        let (before, text) = body.split_once("data: ").map_or(("", body.as_str()), |_| ("data: ", &body[6..]));
        let Ok(document) = serde_json::from_str(text) else { return body };
        let after = if before.is_empty() { "" } else { "\n\n" };
        format!("{before}{}{after}", change(request, &asked, document))
    };
    let over = Host { transport: Rc::new(Changed { agent: Rc::clone(&plain.transport), change }), ..plain };
    check_on(over, &clock, Options { address: format!("{AGENT}{version}"), ..Options::default() })
}

/// The result of a call of JSON-RPC, or what HTTP+JSON has in its place.
fn payload(document: &mut Value) -> Option<&mut Value> {
    if document.get("jsonrpc").is_some() { document.get_mut("result") } else { Some(document) }
}

#[test]
fn one_code_for_all_errors_is_one_finding() {
    for (version, lane, other) in [("", "jsonrpc-1.0", "rest-1.0"), ("/0.3", "jsonrpc-0.3", "rest-0.3")] {
        let told = check_changed(version, |_, _, mut document| {
            if document.get("jsonrpc").is_some() && document.get("error").is_some() {
                document["error"] = json!({ "code": -32000, "message": document["error"]["message"] });
            }
            document
        });
        assert_eq!(failed_musts(&told, lane), ["get.not-found"], "{version}");
        assert_eq!(failed_musts(&told, other), Vec::<&str>::new(), "{version}");
        let finding = &verdict(&told, &format!("get.not-found@{lane}")).message;
        assert!(finding.contains("not judged for this reason: "), "{finding}");
        let explained = verdict(&told, &format!("cancel.terminal@{lane}"));
        assert_eq!(explained.outcome, Outcome::Blocked);
        assert_eq!(explained.message, "the agent gives error -32000 where other errors are due: see get.not-found");
    }
    // Two errors that are mixed up are two faults.
    let told = check(&["cancel-unknown-internal", "get-unknown-internal"], Options::default());
    assert_eq!(failed_musts(&told, "jsonrpc-1.0"), ["get.not-found", "cancel.not-found"]);
}

#[test]
fn a_member_around_a_task_is_one_finding() {
    for version in ["", "/0.3"] {
        let told = check_changed(version, |request, asked, mut document| {
            let called = asked["method"].as_str().unwrap_or_default();
            let path = request.url.split('?').next().unwrap_or_default();
            let is_task = matches!(called, "GetTask" | "CancelTask" | "tasks/get" | "tasks/cancel")
                || (path.contains("/rest") && path.contains("/tasks/") && !path.contains("ushNotification"));
            if let Some(task) = payload(&mut document).filter(|payload| is_task && payload.get("status").is_some()) {
                *task = json!({ "task": task });
            }
            document
        });
        for lane in
            ["jsonrpc", "rest"].map(|binding| format!("{binding}-{}", if version.is_empty() { "1.0" } else { "0.3" }))
        {
            assert_eq!(failed_musts(&told, &lane), ["get.returns-task"], "{lane}");
            let explained = &verdict(&told, &format!("cancel.returns-task@{lane}")).message;
            assert!(explained.contains("the task is in a member task"), "{explained}");
        }
    }
}

#[test]
fn a_wrapper_around_every_event_is_one_finding() {
    for (version, check, lanes) in
        [("", "stream.oneof", &["jsonrpc-1.0", "rest-1.0"][..]), ("/0.3", "stream.kinds", &["jsonrpc-0.3"][..])]
    {
        let told = check_changed(version, |request, asked, mut document| {
            let called = asked["method"].as_str().unwrap_or_default();
            let streams =
                matches!(called, "SendStreamingMessage" | "SubscribeToTask" | "message/stream" | "tasks/resubscribe")
                    || request.url.contains(":stream")
                    || request.url.contains(":subscribe");
            if let Some(event) = payload(&mut document).filter(|payload| streams && payload.get("error").is_none()) {
                *event = json!({ "event": event });
            }
            document
        });
        for lane in lanes {
            assert_eq!(failed_musts(&told, lane), [check], "{lane}");
        }
    }
}

#[test]
fn an_id_that_nobody_looks_at_is_one_finding() {
    let last = Rc::new(RefCell::new(Value::Null));
    let told = check_changed("", move |_, asked, document| {
        let called = asked["method"].as_str().unwrap_or_default();
        if let Some(task) = document.pointer("/result/task") {
            last.replace(task.clone());
        }
        let last = last.borrow();
        let is_read = matches!(called, "GetTask" | "CancelTask") && last.is_object() && asked["params"].is_object();
        if is_read && document.get("error").is_none_or(|error| error["code"] != -32009) {
            return json!({ "jsonrpc": "2.0", "id": asked["id"], "result": *last });
        }
        document
    });
    let failed = failed_musts(&told, "jsonrpc-1.0");
    assert!(failed.len() <= 2, "{failed:?}");
    let explained = told.results.iter().filter(|result| result.verdict.outcome == Outcome::Blocked);
    let explained: Vec<_> = explained.filter(|result| result.verdict.message.contains("another task")).collect();
    assert!(explained.len() >= 3, "{failed:?}");
}
