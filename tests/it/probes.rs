//! Every request that a scenario sends is valid in all ways but the one it tests: it names the tenant, asks for the required
//! extensions, names the version, has an id and brings the credentials. An agent may look at any of these first.

use std::collections::BTreeSet;
use std::rc::Rc;

use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::prompt::{Behaviour, Profile};
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::wire::exchange::{Exchange, TransportError};
use a2a_conformance::wire::http::{Headers, Request, ResponseHead};
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::support::{AGENT, FinishedRun, check_at, check_on, host};

/// An agent that wants everything at once.
const STRICT: [&str; 3] = ["protected", "extensions", "tenants"];
/// The tenant that its card names.
const TENANT: &str = "workshop";
/// The extension that its card requires.
const REQUIRED: &str = "https://example.org/extensions/trace/v1";

/// The versions, by the paths of their agents.
const VERSIONS: [&str; 4] = ["", "/0.3", "/0.2", "/0.1"];

/// The properties that every request needs, whatever it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    Credentials,
    Version,
    Extensions,
    Tenant,
    Envelope,
}

/// The requests that lack something on purpose: the scenario and the step that sends them, and what they lack.
const ON_PURPOSE: [(&str, &str, Need); 26] = [
    ("auth", "list-none", Need::Credentials),
    ("auth", "get-none", Need::Credentials),
    ("auth", "send-none", Need::Credentials),
    // These have another scheme.
    ("auth", "list-foreign", Need::Credentials),
    ("auth-tasks", "get", Need::Credentials),
    ("auth-tasks", "missing", Need::Credentials),
    ("auth-tasks", "cancel", Need::Credentials),
    ("auth-tasks", "push-list", Need::Credentials),
    ("auth-tasks", "stream", Need::Credentials),
    ("auth-tasks", "subscribe", Need::Credentials),
    ("auth-tasks", "subscribe-missing", Need::Credentials),
    ("extended-card", "none", Need::Credentials),
    ("extended-url", "none", Need::Credentials),
    ("versions", "absent", Need::Version),
    ("versions", "unsupported", Need::Version),
    ("versions", "patch", Need::Version),
    // The version is in the query.
    ("routes", "query-version", Need::Version),
    ("extensions", "none", Need::Extensions),
    ("extensions", "other-version", Need::Extensions),
    ("malformed", "truncated", Need::Envelope),
    ("malformed", "no-method", Need::Envelope),
    ("malformed", "no-request", Need::Envelope),
    ("malformed", "text-params", Need::Tenant),
    ("malformed", "odd-id", Need::Envelope),
    ("malformed", "boolean-id", Need::Envelope),
    // A notification has no id.
    ("malformed", "notification", Need::Envelope),
];

/// The properties that a request to an agent at this path lacks.
fn lacks(at: &str, request: &Request) -> Vec<Need> {
    let header = |name: &str| request.headers.get(name).unwrap_or_default().to_owned();
    let body = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()).into_owned();
    let mut lacks = Vec::new();
    if !header("authorization").starts_with("Bearer ") {
        lacks.push(Need::Credentials);
    }
    // 1.0 §3.6.1; versions before it know no such header.
    if at.is_empty() && header("a2a-version") != "1.0" {
        lacks.push(Need::Version);
    }
    let name = match at {
        "" => Some("a2a-extensions"),
        "/0.1" => None,
        _ => Some("x-a2a-extensions"),
    };
    if name.is_some_and(|name| !header(name).split(',').any(|uri| uri.trim() == REQUIRED)) {
        lacks.push(Need::Extensions);
    }
    // A body that is not JSON may name the tenant all the same.
    let named = body.contains(&format!("\"tenant\":\"{TENANT}\"")) || request.url.contains(&format!("tenant={TENANT}"));
    if at.is_empty() && !named {
        lacks.push(Need::Tenant);
    }
    let rpc = request.url.contains("/rpc");
    let calls = serde_json::from_str(&body).map(|document: Value| match document {
        Value::Array(calls) => calls,
        call => vec![call],
    });
    let is_call = |call: &Value| {
        let id = call.get("id").is_some_and(|id| id.is_string() || id.is_u64());
        id && call["jsonrpc"] == "2.0" && call["method"].is_string()
    };
    if rpc && !calls.is_ok_and(|calls| calls.iter().all(is_call)) {
        lacks.push(Need::Envelope);
    }
    lacks
}

/// Whether a request lacks that on purpose.
fn on_purpose(exchange: &Exchange, need: Need) -> bool {
    ON_PURPOSE.contains(&(exchange.scenario.as_str(), exchange.step.as_str(), need))
}

#[test]
fn every_request_is_valid_in_all_ways_but_the_one_that_it_tests() {
    let mut wrong = BTreeSet::new();
    let mut used = BTreeSet::new();
    let mut lanes = BTreeSet::new();
    for at in VERSIONS {
        let told = check_at(at, &STRICT, Options::default());
        // Requests to no interface are those for the card, and those that are made before the card is understood.
        for exchange in told.exchanges.iter().filter(|exchange| exchange.lane.is_some()) {
            lanes.extend(exchange.lane.clone());
            for need in lacks(at, &exchange.request) {
                if on_purpose(exchange, need) {
                    used.insert((exchange.scenario.clone(), exchange.step.clone(), need));
                } else {
                    wrong.insert(format!("{at} {}/{} lacks {need:?}", exchange.scenario, exchange.step));
                }
            }
            if !at.is_empty()
                && exchange.scenario != "version-header"
                && exchange.request.headers.get("a2a-version").is_some()
            {
                wrong.insert(format!("{at} {}/{} names a version", exchange.scenario, exchange.step));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
    assert_eq!(lanes.len(), 7, "{lanes:?}");
    let listed = ON_PURPOSE.map(|(scenario, step, need)| (scenario.to_owned(), step.to_owned(), need));
    assert_eq!(used, BTreeSet::from(listed), "the list says what is sent, and no more");
}

/// An agent may take a message whose id it has seen for the same message (1.0 §3.3.1).
#[test]
fn every_message_has_an_id_of_its_own() {
    for at in VERSIONS {
        let told = check_at(at, &STRICT, Options::default());
        let mut seen = BTreeSet::new();
        for exchange in &told.exchanges {
            let Ok(body) = serde_json::from_slice::<Value>(exchange.request.body.as_deref().unwrap_or_default()) else {
                continue;
            };
            let message = body.pointer("/params/message").or_else(|| body.get("message"));
            let Some(id) = message.and_then(|message| message.get("messageId")).and_then(Value::as_str) else {
                continue;
            };
            assert!(seen.insert(id.to_owned()), "{at} {}/{} repeats {id}", exchange.scenario, exchange.step);
        }
        assert!(at == "/0.1" || seen.len() > 20, "{at}: only {} messages", seen.len());
    }
}

/// The agent behind a gate that looks at version, extensions and tenant before it reads anything else.
struct Gate(Rc<dyn Transport>);

impl Transport for Gate {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let door = ["/rpc", "/rest"].into_iter().find(|door| request.url.contains(door));
        let lacks = lacks("", &request);
        let (Some(door), Some(need)) = (door, lacks.into_iter().find(|need| refused(*need, &request))) else {
            return self.0.send(request);
        };
        let (code, status, reason, message) = match need {
            Need::Version => (-32009, 400, "VERSION_NOT_SUPPORTED", "name the version 1.0"),
            Need::Extensions => (-32008, 400, "EXTENSION_SUPPORT_REQUIRED", "ask for the extension"),
            _ => (-32602, 400, "", "the tenant is unknown"),
        };
        let info = json!({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "domain": "a2a-protocol.org", "reason": reason });
        let details = if reason.is_empty() { json!([]) } else { json!([info]) };
        let document: Value = serde_json::from_slice(request.body.as_deref().unwrap_or_default()).unwrap_or_default();
        let (http, answer) = if door == "/rpc" {
            let id = document.get("id").cloned().unwrap_or_default();
            (200, json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message, "data": details } }))
        } else {
            let error = json!({ "code": status, "status": "INVALID_ARGUMENT", "message": message, "details": details });
            (status, json!({ "error": error }))
        };
        let headers: Headers = [("content-type", "application/json")].into_iter().collect();
        let head = ResponseHead { status: http, headers, url: request.url, redirected: false };
        ready(Ok(StreamedResponse { head, body: iter([Ok(answer.to_string().into_bytes())]).boxed_local() }))
            .boxed_local()
    }
}

/// The requests that the gate refuses. An agent looks at credentials first; it may look at a version that is named first,
/// too, and at the extensions of a message, whose absence it refuses in its own words.
fn refused(need: Need, request: &Request) -> bool {
    let message = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()).contains("\"message\"");
    match need {
        Need::Credentials | Need::Envelope => false,
        Need::Version => request.headers.get("a2a-version").is_none(),
        Need::Extensions => !message,
        Need::Tenant => true,
    }
}

fn failed(told: &FinishedRun, level: Level) -> Vec<String> {
    let failed = told.results.iter().filter(|result| result.level == level && result.verdict.outcome == Outcome::Fail);
    failed.map(|result| format!("{}: {}", result.row.key(), result.verdict.message)).collect()
}

#[test]
fn an_agent_that_looks_at_version_extensions_and_tenant_first_fails_nothing() {
    let (plain, clock) = host(&STRICT);
    let gate = Host { transport: Rc::new(Gate(Rc::clone(&plain.transport))), ..plain };
    let credentials = vec![("Authorization".to_owned(), "Bearer open-sesame".to_owned())];
    let told =
        check_on(gate, &clock, Options { address: AGENT.to_owned(), headers: credentials, ..Options::default() });
    assert_eq!(failed(&told, Level::Must), Vec::<String>::new());
    assert_eq!(failed(&told, Level::Should), Vec::<String>::new());
    assert!(told.tally.passed > 150, "only {} checks passed", told.tally.passed);
}

/// An agent that takes what is sent to a finished task changes the task, and would be blamed for it wherever the task is read
/// afterwards.
#[test]
fn what_may_change_a_finished_task_is_sent_when_nobody_reads_it_any_more() {
    for (at, lane) in [("", "jsonrpc-1.0"), ("", "rest-1.0"), ("/0.3", "jsonrpc-0.3")] {
        // The history of the plain task is read where no conversation has a longer one.
        let mut options = Options { profile: Some(Profile::Generic), ..Options::default() };
        options.prompts.set(Behaviour::Complete, "task-lifecycle process this data".to_owned());
        let told = check_at(at, &[], options);
        let sent = |scenario: &str, steps: &[&str]| {
            let of_step = |exchange: &&Rc<Exchange>| {
                exchange.scenario == scenario
                    && steps.contains(&exchange.step.as_str())
                    && exchange.lane.as_deref() == Some(lane)
            };
            told.exchanges.iter().filter(of_step).map(|exchange| exchange.id).collect::<Vec<_>>()
        };
        let changes = sent("finished", &["message", "cancel"]);
        let last_changes = sent("finished", &["negative", "stream-message"]);
        let reads = sent("history", &["whole", "one", "two", "whole-again"]);
        let looks = sent("finished", &["get", "subscribe"]);
        assert!(!changes.is_empty() && !reads.is_empty() && !looks.is_empty(), "{lane}");
        assert!(reads.iter().max() < changes.iter().min(), "{lane}: {reads:?} before {changes:?}");
        if at.is_empty() {
            assert_eq!(last_changes.len(), 2, "{lane}");
            assert!(looks.iter().max() < last_changes.iter().min(), "{lane}: {looks:?} before {last_changes:?}");
        }
    }
}
