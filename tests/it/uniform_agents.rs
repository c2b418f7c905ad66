//! Agents that answer everything alike, or not at all: never better than they are, never a hang, and one sentence that
//! says what is wrong.

use a2a_conformance::agent::fault::Faults;
use a2a_conformance::engine::event::{Completion, Event};
use a2a_conformance::engine::options::{FixedCredentials, Options};
use a2a_conformance::report::{ConformanceLevel, Environment, ReportBuilder};

use std::rc::Rc;

use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::{Headers, Request, ResponseHead};
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::Value;

use crate::support::{AGENT, FinishedRun, check, check_as_told, check_on, host};

fn level(told: &FinishedRun) -> Option<ConformanceLevel> {
    let mut recorder =
        ReportBuilder::new(Environment { tool_version: "0".to_owned(), host: "test".to_owned(), user_agent: None });
    for event in &told.events {
        recorder.apply(event);
    }
    recorder.report().assessment.rating.level()
}

#[test]
fn degenerate_agents_are_reported_with_the_cause() {
    for (fault, best, words) in [
        ("canned-error", Some(ConformanceLevel::NonConformant), "same response"),
        ("canned-message", Some(ConformanceLevel::Minimal), "same response"),
        ("canned-html", None, "HTML page"),
        ("canned-empty", Some(ConformanceLevel::NonConformant), "does not speak"),
        ("silent", None, "no answer"),
    ] {
        let told = check(&[fault], Options { timeout_ms: 5_000.0, ..Options::default() });
        let level = level(&told);
        let good_enough = match (level, best) {
            (None, _) => true,
            (Some(level), Some(best)) => level == best || level == ConformanceLevel::NonConformant,
            (Some(_), None) => false,
        };
        assert!(good_enough, "{fault}: {level:?}");
        let cause = told.cause.clone().unwrap_or_else(|| panic!("{fault}: no sentence"));
        assert!(cause.contains(words), "{fault}: {cause}");
        // A deadline for the card, one for the probe, and little else.
        assert!(told.duration_ms < 60_000.0, "{fault} took {} ms", told.duration_ms);
        let incomplete = matches!(told.completion, Completion::Incomplete(_));
        let failed = told.tally.failed_required > 0;
        assert!(failed || incomplete, "{fault} would exit with zero");
    }
}

#[test]
fn an_agent_that_dies_during_the_run_blocks_the_rest_and_the_run_ends() {
    let told = check(&["dies-after-ten"], Options::default());
    assert!(matches!(told.events.last(), Some(Event::Finished { .. })));
    assert!(told.tally.blocked > 10, "{:?}", told.tally);
    assert_ne!(level(&told), Some(ConformanceLevel::Full));
}

#[test]
fn an_agent_that_requires_credentials_is_blocked_and_not_failed() {
    for headers in [Vec::new(), vec![("Authorization".to_owned(), "Bearer has run out".to_owned())]] {
        let has_token = !headers.is_empty();
        let told = check_as_told(&["protected"], Options { headers, ..Options::default() });
        assert_eq!(told.tally.failed, 0, "{:?}", told.tripped());
        let Completion::Incomplete(why) = &told.completion else { panic!("{:?}", told.completion) };
        let who = if has_token { "your token was refused" } else { "the agent requires credentials" };
        assert_eq!(*why, format!("{who} (HTTP 401: Bearer realm=\"scripted agent\")"));
    }
}

#[test]
fn an_agent_that_serves_another_version_gets_one_explanation() {
    let told = check(&["kind-members", "states-lowercase", "roles-lowercase"], Options::default());
    let cause = told.cause.clone().expect("a sentence");
    assert!(cause.contains("format of 0.3"), "{cause}");
    // One slip is not a language.
    assert_eq!(check(&["kind-members"], Options::default()).cause, None);
    assert_eq!(check(&["states-lowercase"], Options::default()).cause, None);
}

#[test]
fn credentials_are_tried_with_an_operation_that_exists() {
    // Every call of a list is refused, with or without credentials: that is not access control.
    let told = check(&["protected", "list-missing", "auth-any-token"], Options::default());
    let failed = told.places();
    assert!(failed.contains(&("auth.invalid-credentials", Some("jsonrpc-1.0".to_owned()))), "{failed:?}");
    let told = check(&["protected", "list-missing"], Options::default());
    assert!(told.tripped().iter().all(|check| !check.starts_with("auth.")), "{:?}", told.tripped());
}

#[test]
fn undeclared_credentials_are_advice_to_a_client_that_has_none() {
    // Nothing else can be judged, but this is what its author has to know.
    let told = check_as_told(&["auth-undeclared"], Options::default());
    assert_eq!(told.tripped(), ["auth.declared"]);
    assert_eq!(told.tally.messages, 0);
}

#[test]
fn a_403_everywhere_is_advice_too_and_one_alone_gives_no_lane_up() {
    let told = check_as_told(&["auth-undeclared", "auth-refused-with-403"], Options::default());
    assert_eq!(told.tripped(), ["auth.declared"]);
    assert_eq!(told.tally.messages, 0);
    // An agent may deny a task that does not exist, so that nobody learns which do.
    let (mut host, clock) = host(&[]);
    let agent = Framework {
        agent: host.transport,
        refuses: |document| {
            let id = document.and_then(|document| document.pointer("/params/id")).and_then(Value::as_str);
            id.is_some_and(|id| id.starts_with("00000000-0000-4000-8000-000000000"))
        },
        status: 403,
        media_type: "text/plain",
        body: "not yours",
    };
    host.transport = Rc::new(agent);
    let told = check_on(host, &clock, Options::default());
    assert!(!told.tripped().contains(&"auth.declared"), "{:?}", told.tripped());
    assert!(told.passed().contains(&("send.accepts-text", Some("jsonrpc-1.0".to_owned()))));
}

/// The agent behind a web framework that validates requests in its own way and answers what it refuses in its own words.
struct Framework {
    agent: Rc<dyn Transport>,
    refuses: fn(Option<&Value>) -> bool,
    status: u16,
    media_type: &'static str,
    body: &'static str,
}

impl Transport for Framework {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let document: Option<Value> = serde_json::from_slice(request.body.as_deref().unwrap_or_default()).ok();
        if !request.url.contains("/rpc") || !(self.refuses)(document.as_ref()) {
            return self.agent.send(request);
        }
        let headers: Headers = [("content-type", self.media_type)].into_iter().collect();
        let head = ResponseHead { status: self.status, headers, url: request.url, redirected: false };
        let body = iter([Ok(self.body.as_bytes().to_vec())]).boxed_local();
        ready(Ok(StreamedResponse { head, body })).boxed_local()
    }
}

/// Checks the agent at a path behind such a framework.
fn check_behind(at: &str, framework: impl FnOnce(Rc<dyn Transport>) -> Framework) -> FinishedRun {
    let (plain, clock) = host(&[]);
    let behind = Host { transport: Rc::new(framework(Rc::clone(&plain.transport))), ..plain };
    // A card of 0.1 does not say its version.
    let version = (at == "/0.1").then(|| "0.1".to_owned());
    check_on(behind, &clock, Options { address: format!("{AGENT}{at}"), version, ..Options::default() })
}

/// The musts that failed on the JSON-RPC lane.
fn failed_musts(told: &FinishedRun) -> Vec<&'static str> {
    let failed = told.results.iter().filter(|result| {
        let over_rpc = result.row.lane.as_ref().is_some_and(|lane| lane.id.starts_with("jsonrpc"));
        over_rpc && result.verdict.outcome == Outcome::Fail && result.level == Level::Must
    });
    failed.map(|result| result.row.check.id).collect()
}

fn message<'a>(told: &'a FinishedRun, check: &str) -> &'a str {
    let over_rpc = |lane: &str| lane.starts_with("jsonrpc");
    let result = told
        .results
        .iter()
        .find(|result| result.row.check.id == check && result.row.lane.as_ref().is_some_and(|lane| over_rpc(&lane.id)));
    result.map_or("", |result| result.verdict.message.as_str())
}

/// Requests that pydantic or zod refuse: invalid ones, unknown methods, and parameters that lack a member.
fn invalid(document: Option<&Value>) -> bool {
    let Some(Value::Object(request)) = document else { return true };
    let known = |method: &str| method != "NoSuchMethod";
    let params = request.get("params").cloned().unwrap_or_default();
    let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
    let sends = matches!(method, "SendMessage" | "message/send" | "tasks/send");
    let lacks_message = sends && !params["message"]["parts"].is_array();
    let lacks_id = matches!(method, "GetTask" | "tasks/get") && !params["id"].is_string();
    method.is_empty() || !known(method) || lacks_message || lacks_id
}

#[test]
fn errors_in_the_form_of_a_web_framework_are_one_finding() {
    for (status, media_type, body) in [
        (500, "text/plain; charset=utf-8", "Internal Server Error"),
        (422, "application/json", r#"{"detail":[{"loc":["body"],"msg":"Field required","type":"missing"}]}"#),
        (400, "application/json", r#"{"error":"Invalid request body","issues":[]}"#),
    ] {
        for at in ["", "/0.3", "/0.2", "/0.1"] {
            let told = check_behind(at, |agent| Framework { agent, refuses: invalid, status, media_type, body });
            assert_eq!(failed_musts(&told), ["jsonrpc.response-object"], "HTTP {status} at {at:?}");
            let finding = message(&told, "jsonrpc.response-object");
            for words in [&format!("HTTP {status}"), "a truncated body", "an unknown method", &body[..13]] {
                assert!(finding.contains(words), "{words} is not in {finding}");
            }
            let explained = message(&told, "jsonrpc.parse-error");
            assert!(explained.ends_with("see jsonrpc.response-object"), "{explained}");
        }
    }
}

#[test]
fn what_the_form_explains_fails_where_the_form_is_not_judged() {
    let (plain, clock) = host(&[]);
    let (status, media_type, body) = (500, "text/plain", "Internal Server Error");
    let agent = Rc::clone(&plain.transport);
    let framework = Framework { agent, refuses: invalid, status, media_type, body };
    let only = vec!["jsonrpc.parse-error".to_owned()];
    let options = Options { only, ..Options::default() };
    let told = check_on(Host { transport: Rc::new(framework), ..plain }, &clock, options);
    assert_eq!(failed_musts(&told), ["jsonrpc.parse-error"]);
}

/// A message that does not say which output modes its sender accepts, as it may.
fn lacks_output_modes(document: Option<&Value>) -> bool {
    let request = document.cloned().unwrap_or_default();
    let sends = request["method"].as_str().is_some_and(|method| method.starts_with("message/"));
    sends && request.pointer("/params/configuration/acceptedOutputModes").is_none()
}

#[test]
fn an_agent_that_demands_an_optional_member_is_told_which_and_judged() {
    let (status, media_type, body) = (500, "text/plain", "Internal Server Error");
    let told = check_behind("/0.3", |agent| Framework { agent, refuses: lacks_output_modes, status, media_type, body });
    assert_eq!(failed_musts(&told), ["send.accepts-text", "jsonrpc.response-object"]);
    let finding = message(&told, "send.accepts-text");
    assert!(finding.contains("acceptedOutputModes") && finding.contains("Internal Server Error"), "{finding}");
    assert!(told.tally.passed > 60, "only {} checks passed", told.tally.passed);
}

#[test]
fn an_agent_that_refuses_every_message_is_found_and_speaks_its_binding() {
    let (status, media_type, body) = (500, "text/plain", "Internal Server Error");
    let refuses = |document: Option<&Value>| document.is_none_or(|request| request["method"] != "tasks/get");
    let told = check_behind("/0.3", |agent| Framework { agent, refuses, status, media_type, body });
    let failed = failed_musts(&told);
    assert!(failed.contains(&"send.accepts-text") && failed.contains(&"jsonrpc.response-object"), "{failed:?}");
    assert!(told.cause.as_deref().is_none_or(|cause| !cause.contains("does not speak")), "{:?}", told.cause);
}

#[test]
fn methods_of_another_version_are_one_finding_that_names_them() {
    let told = check(&["methods-of-0.3"], Options::default());
    assert_eq!(failed_musts(&told), ["jsonrpc.method-names"]);
    assert!(message(&told, "jsonrpc.method-names").contains("the agent knows tasks/get"));
    let compared = told.tripped().into_iter().filter(|check| check.starts_with("interop.")).collect::<Vec<_>>();
    assert_eq!(compared, Vec::<&str>::new());
    let cause = told.cause.unwrap_or_default();
    assert!(cause.contains("none of the methods"), "{cause}");
}

#[test]
fn an_operation_that_does_not_exist_is_one_finding() {
    let told = check(&["subscribe-missing"], Options::default());
    assert_eq!(told.tripped_on_lanes(), ["subscribe.not-found@jsonrpc-1.0"]);
    let finding = message(&told, "subscribe.not-found");
    assert!(finding.contains("the operation SubscribeToTask to exist"), "{finding}");
}

/// The agent for somebody who only ever answers with a Message: every text asks for one.
struct NeverTasks(Rc<dyn Transport>);

impl Transport for NeverTasks {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let body = String::from_utf8(request.body.clone().unwrap_or_default()).unwrap_or_default();
        if body.contains("\"parts\"") {
            request.body = Some(body.replace("\"text\":\"", "\"text\":\"message-only ").into_bytes());
        }
        self.0.send(request)
    }
}

#[test]
fn an_agent_that_makes_no_tasks_keeps_nothing_from_being_seen() {
    for (at, faults) in [("", &[] as &[&str]), ("", &["protected"]), ("/0.3", &[]), ("/0.2", &[]), ("/0.1", &[])] {
        let (plain, clock) = host(faults);
        let never = Host { transport: Rc::new(NeverTasks(Rc::clone(&plain.transport))), ..plain };
        let known = Faults::parse(faults.iter().copied()).unwrap();
        let options = Options {
            address: format!("{AGENT}{at}"),
            headers: known.credentials(),
            second: FixedCredentials { headers: known.second_credentials(), query: Vec::new() },
            ..Options::default()
        };
        let told = check_on(never, &clock, options);
        let blocked: Vec<_> = told
            .results
            .iter()
            .filter(|result| result.verdict.outcome == Outcome::Blocked)
            .map(|result| format!("{}: {}", result.row.key(), result.verdict.message))
            .collect();
        assert!(blocked.is_empty(), "{at} {faults:?}:\n{}", blocked.join("\n"));
        assert_eq!(told.completion, Completion::Complete, "{at} {faults:?}");
    }
}

#[test]
fn a_card_that_cannot_be_read_is_not_said_to_be_missing() {
    let told = check(&["canned-html"], Options::default());
    let of_card = told.results.iter().filter(|result| result.row.check.id.starts_with("card."));
    let messages: Vec<_> = of_card.map(|result| result.verdict.message.as_str()).collect();
    assert!(messages.len() > 10);
    for message in messages {
        assert!(
            message.starts_with("nothing can be asked without a card: ") && message.contains("HTML page"),
            "{message}"
        );
    }
}
