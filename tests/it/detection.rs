//! The version that an agent is judged by: the one that it answers in, if its card does not say so or says one that is
//! unknown.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use a2a_conformance::engine::event::{Agent, Event};
use a2a_conformance::engine::options::{Endpoint, Options, Source};
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{StreamedResponse, Transport};
use a2a_conformance::wire::exchange::{Exchange, TransportError};
use a2a_conformance::wire::http::{Method, Request};
use futures_util::future::LocalBoxFuture;
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::support::{AGENT, FinishedRun, check_on, host};

/// A server before the scripted agent. Its functions do what other people's servers do.
#[derive(Clone, Copy)]
struct Front {
    /// Changes the card.
    card: fn(&mut Value),
    /// Answers a call of JSON-RPC in the agent's place, with a status and a body.
    answer: fn(&Value) -> Option<(u16, String)>,
    /// Changes the version that a request names.
    version: fn(&str) -> String,
    /// Changes the result of a call.
    result: fn(&mut Value),
}

const NONE: Front = Front { card: |_| {}, answer: |_| None, version: str::to_owned, result: |_| {} };

struct Fronted {
    inner: Rc<dyn Transport>,
    front: Front,
    /// The methods that were called, and the versions that were named.
    calls: Rc<RefCell<Vec<(String, String)>>>,
}

impl Transport for Fronted {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let front = self.front;
        let named = request.headers.get("a2a-version").unwrap_or_default().to_owned();
        let call = request.body.as_deref().and_then(|body| serde_json::from_slice::<Value>(body).ok());
        let canned = call.as_ref().filter(|call| call.get("method").is_some()).and_then(front.answer);
        if let Some(call) = &call {
            let method = call["method"].as_str().unwrap_or_default().to_owned();
            self.calls.borrow_mut().push((method, named.clone()));
        }
        if !named.is_empty() {
            request.headers.replace("a2a-version", (front.version)(&named));
        }
        let is_card = request.method == Method::Get && request.url.contains("/.well-known/");
        let sent = self.inner.send(request);
        async move {
            let mut answer = sent.await?;
            if let Some((status, body)) = canned {
                answer.head.status = status;
                answer.head.headers.replace("content-type", "application/json");
                answer.body = iter([Ok(body.into_bytes())]).boxed_local();
                return Ok(answer);
            }
            if answer.head.headers.media_type().as_deref() == Some("text/event-stream") {
                return Ok(answer);
            }
            let body: Vec<u8> = answer.body.map(Result::unwrap).concat().await;
            let changed = serde_json::from_slice::<Value>(&body).ok().map(|mut document| {
                if is_card && answer.head.status == 200 {
                    (front.card)(&mut document)
                } else {
                    (front.result)(&mut document)
                }
                document.to_string().into_bytes()
            });
            answer.body = iter([Ok(changed.unwrap_or(body))]).boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

/// The result of a run behind a front.
struct Seen {
    told: FinishedRun,
    agent: Agent,
    calls: Vec<(String, String)>,
}

impl Seen {
    fn outcome(&self, row: &str) -> Option<Outcome> {
        self.told.results.iter().find(|result| result.row.key() == row).map(|result| result.verdict.outcome)
    }

    fn failed(&self) -> Vec<String> {
        let failed = self.told.results.iter().filter(|result| result.verdict.outcome == Outcome::Fail);
        failed
            .map(|result| {
                let verdict = &result.verdict;
                format!("{}: {:?} {:?}", result.row.key(), verdict.expected, verdict.actual)
            })
            .collect()
    }

    /// The methods that were called before the first lane was.
    fn questions(&self) -> Vec<&str> {
        let is_question = |exchange: &&Rc<Exchange>| exchange.step.starts_with("speaks");
        let count = self.told.exchanges.iter().filter(is_question).count();
        self.calls.iter().take(count).map(|(method, _)| method.as_str()).collect()
    }
}

fn check(at: &str, front: Front, options: Options) -> Seen {
    check_with(at, &[], front, options)
}

fn check_with(at: &str, faults: &[&str], front: Front, options: Options) -> Seen {
    let (mut host, clock) = host(faults);
    let calls = Rc::default();
    host.transport = Rc::new(Fronted { inner: host.transport, front, calls: Rc::clone(&calls) });
    let told = check_on(host, &clock, Options { address: format!("{AGENT}{at}"), ..options });
    let agent = told.events.iter().find_map(|event| match event {
        Event::Agent(agent) => Some(agent.clone()),
        _ => None,
    });
    Seen { agent: agent.expect("a card"), calls: calls.take(), told }
}

/// A card as servers of 0.2 and 0.3 are met that do not say their version and have members of 0.1.
fn silent(card: &mut Value) {
    let card = card.as_object_mut().unwrap();
    for name in [
        "protocolVersion",
        "description",
        "defaultInputModes",
        "preferredTransport",
        "additionalInterfaces",
        "supportsAuthenticatedExtendedCard",
        "securitySchemes",
        "security",
        "iconUrl",
    ] {
        card.remove(name);
    }
    card.insert("authentication".to_owned(), json!({ "schemes": [] }));
}

fn asks_nothing(call: &Value) -> bool {
    call["params"].as_object().is_some_and(serde_json::Map::is_empty)
}

#[test]
fn a_card_without_a_version_is_of_the_version_that_the_agent_answers_in() {
    let newer = check("/0.2", Front { card: silent, ..NONE }, Options::default());
    assert_eq!(newer.agent.detected.0, "0.2", "{}", newer.agent.detected.1);
    // The method of the newer version is known, so that the older one is not asked for.
    assert_eq!(newer.questions(), ["message/send"]);
    let failed = newer.failed();
    assert!(failed.iter().all(|row| row.starts_with("card.")), "{}", failed.join("\n"));

    let older = check("/0.1", Front { card: silent, ..NONE }, Options::default());
    assert_eq!(older.agent.detected.0, "0.1", "{}", older.agent.detected.1);
    assert_eq!(older.questions(), ["message/send", "tasks/send"]);
}

#[test]
fn an_agent_that_breaks_at_a_request_without_parameters_is_asked_by_a_message() {
    let breaks: fn(&Value) -> Option<(u16, String)> =
        |call| asks_nothing(call).then(|| (500, "Internal Server Error".to_owned()));
    let newer = check("/0.2", Front { card: silent, answer: breaks, ..NONE }, Options::default());
    assert_eq!(newer.agent.detected.0, "0.2", "{}", newer.agent.detected.1);
    assert_eq!(newer.questions(), ["message/send", "tasks/send", "message/send"]);
    // This one refuses the message, too.
    let older = check("/0.1", Front { card: silent, answer: breaks, ..NONE }, Options::default());
    assert_eq!(older.agent.detected.0, "0.1", "{}", older.agent.detected.1);
}

#[test]
fn a_member_that_nearly_says_the_version_is_named() {
    let card: fn(&mut Value) = |card| {
        let card = card.as_object_mut().unwrap();
        let version = card.remove("protocolVersion").unwrap();
        card.insert("protocol_version".to_owned(), version);
    };
    let seen = check("/0.3", Front { card, ..NONE }, Options::default());
    assert_eq!(seen.agent.detected.0, "0.3", "{}", seen.agent.detected.1);
    assert!(seen.agent.detected.1.contains("protocol_version 0.3.0"), "{}", seen.agent.detected.1);
    let failed = seen.failed();
    assert_eq!(failed.len(), 1, "{}", failed.join("\n"));
    assert!(failed[0].starts_with("card.older-required-fields: "), "{}", failed[0]);
    assert!(failed[0].contains("protocol_version is most likely meant as protocolVersion"), "{}", failed[0]);
}

#[test]
fn the_version_that_the_user_chose_judges_the_card_too() {
    let chosen = Options { version: Some("0.3".to_owned()), ..Options::default() };
    let seen = check("/0.3", Front { card: silent, ..NONE }, chosen);
    assert_eq!(seen.agent.detected.0, "0.3", "{}", seen.agent.detected.1);
    assert_eq!(seen.outcome("card.older-required-fields"), Some(Outcome::Fail));
    assert_eq!(seen.outcome("card.first-required-fields"), None);
    // Nothing is open any more.
    assert!(seen.questions().is_empty(), "{:?}", seen.questions());
}

/// Declares 1.1 for both interfaces.
fn declares_1_1(card: &mut Value) {
    for interface in card.get_mut("supportedInterfaces").and_then(Value::as_array_mut).into_iter().flatten() {
        interface["protocolVersion"] = json!("1.1");
    }
}

/// The members that 1.1 is to have: numbers of 64 bits, as strings (ProtoJSON).
fn generations(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.values_mut().for_each(generations);
            if map.contains_key("status") {
                map.insert("generation".to_owned(), json!("3"));
            }
        }
        Value::Array(list) => list.iter_mut().for_each(generations),
        _ => {}
    }
}

#[test]
fn a_version_that_nobody_knows_is_judged_by_the_nearest_that_the_agent_accepts() {
    // One that serves its version and 1.0, one that serves its version only, and the same with the members of 1.1.
    let both: fn(&str) -> String = |named| named.replace("1.1", "1.0");
    let only: fn(&str) -> String =
        |named| if named.starts_with("1.1") { named.replace("1.1", "1.0") } else { "9.9".to_owned() };
    for (version, named) in [(both, "1.0"), (only, "1.1")] {
        let seen = check("", Front { card: declares_1_1, version, result: generations, ..NONE }, Options::default());
        assert_eq!(seen.failed(), [""; 0]);
        assert_eq!(seen.outcome("version.supported@jsonrpc-1.1"), Some(Outcome::Pass));
        assert_eq!(seen.outcome("send.task-shape@rest-1.1"), Some(Outcome::Pass));
        let sends = seen.calls.iter().filter(|(method, _)| method == "SendStreamingMessage");
        assert!(sends.clone().count() > 0 && sends.clone().all(|(_, version)| version == named), "{:?}", seen.calls);
        assert!(seen.agent.detected.1.contains("1.1 is judged by 1.0"), "{}", seen.agent.detected.1);
    }
    // One that refuses the version of its own card.
    let seen = check("", Front { card: declares_1_1, ..NONE }, Options::default());
    let failed = seen.failed();
    assert_eq!(failed.len(), 2, "{}", failed.join("\n"));
    assert!(failed.iter().all(|row| row.starts_with("version.supported@")), "{}", failed.join("\n"));
    assert_eq!(seen.outcome("send.task-shape@jsonrpc-1.1"), Some(Outcome::Pass));
}

#[test]
fn the_error_of_1_1_is_none_of_our_findings() {
    let mismatch: fn(&Value) -> Option<(u16, String)> = |call| {
        let is_unknown = call["method"] == "CancelTask";
        let error = json!({ "jsonrpc": "2.0", "id": call["id"], "error": {
            "code": -32010, "message": "the task's generation does not match", "data": [{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "TASK_GENERATION_MISMATCH", "domain": "a2a-protocol.org",
            }],
        } });
        is_unknown.then(|| (200, error.to_string()))
    };
    let seen = check("", Front { answer: mismatch, ..NONE }, Options::default());
    for row in ["jsonrpc.error-code-range", "error.reason-name", "error.info-jsonrpc", "error.details-typed"] {
        assert_eq!(seen.outcome(&format!("{row}@jsonrpc-1.0")), Some(Outcome::Pass), "{row}");
    }
}

/// Knows sending and streaming only, and says so in the words of its web framework.
fn framework_refusal(call: &Value) -> Option<(u16, String)> {
    let sends = matches!(
        call["method"].as_str(),
        Some("message/send" | "message/stream" | "SendMessage" | "SendStreamingMessage")
    );
    (!sends).then(|| (400, json!({ "detail": "Invalid A2A request" }).to_string()))
}

#[test]
fn a_lane_that_answers_messages_is_not_given_up() {
    for (at, lane) in [("", "jsonrpc-1.0"), ("/0.3", "jsonrpc-0.3")] {
        let seen = check(at, Front { answer: framework_refusal, ..NONE }, Options::default());
        assert_eq!(seen.outcome(&format!("card.interface-accurate@{lane}")), Some(Outcome::Pass), "{at}");
        assert_eq!(seen.outcome(&format!("send.accepts-text@{lane}")), Some(Outcome::Pass), "{at}");
        assert_eq!(seen.outcome(&format!("get.returns-task@{lane}")), Some(Outcome::Fail), "{at}");
    }
    // Of one that lists tasks no more is asked.
    let lists: fn(&Value) -> Option<(u16, String)> =
        |call| framework_refusal(call).filter(|_| call["method"] != "ListTasks");
    let seen = check("", Front { answer: lists, ..NONE }, Options::default());
    let probed = seen.told.exchanges.iter().filter(|exchange| exchange.scenario == "probe");
    let steps: BTreeSet<_> = probed.map(|exchange| exchange.step.as_str()).collect();
    assert!(steps.contains("list") && !steps.contains("cancel"), "{steps:?}");
    // An address without any agent is told in one sentence.
    let nothing: fn(&Value) -> Option<(u16, String)> = |_| Some((400, json!({ "detail": "no" }).to_string()));
    let seen = check("", Front { answer: nothing, ..NONE }, Options::default());
    assert_eq!(seen.outcome("card.interface-accurate@jsonrpc-1.0"), Some(Outcome::Fail));
    assert_eq!(seen.outcome("send.accepts-text@jsonrpc-1.0"), Some(Outcome::Blocked));
}

#[test]
fn versions_and_extensions_are_tried_with_an_operation_that_works() {
    let without_get: fn(&Value) -> Option<(u16, String)> = |call| {
        let error =
            json!({ "jsonrpc": "2.0", "id": call["id"], "error": { "code": -32601, "message": "Method not found" } });
        (call["method"] == "GetTask").then(|| (200, error.to_string()))
    };
    let seen = check("", Front { answer: without_get, ..NONE }, Options::default());
    for row in ["version.unsupported", "version.patch-ignored", "ext.unknown-ignored"] {
        assert_eq!(seen.outcome(&format!("{row}@jsonrpc-1.0")), Some(Outcome::Pass), "{row}");
    }
    for (fault, row) in
        [("version-ignored", "version.unsupported"), ("unknown-extension-refused", "ext.unknown-ignored")]
    {
        let seen = check_with("", &[fault], Front { answer: without_get, ..NONE }, Options::default());
        assert_eq!(seen.outcome(&format!("{row}@jsonrpc-1.0")), Some(Outcome::Fail), "{row}");
    }
}

/// Raises the version of a card of 0.3 and changes nothing else.
fn raised(card: &mut Value) {
    card["protocolVersion"] = json!("1.0");
}

#[test]
fn a_card_of_the_older_layout_that_names_1_0_is_one_finding_and_its_agent_is_judged_as_it_answers() {
    let seen = check("/0.3", Front { card: raised, ..NONE }, Options::default());
    assert_eq!(seen.agent.detected.0, "0.3", "{}", seen.agent.detected.1);
    assert_eq!(seen.questions(), ["SendMessage", "message/send"]);
    assert!(seen.agent.detected.1.contains("it knows message/send but not SendMessage"), "{}", seen.agent.detected.1);
    let failed = seen.failed();
    assert_eq!(failed.len(), 1, "{}", failed.join("\n"));
    assert!(failed[0].starts_with("card.older-required-fields: "), "{}", failed[0]);
    assert!(failed[0].contains("1.0, whose cards list their interfaces in supportedInterfaces"), "{}", failed[0]);
    assert_eq!(seen.outcome("send.accepts-text@jsonrpc-0.3"), Some(Outcome::Pass));

    // The same card before an agent of 1.0.
    let older: fn(&mut Value) = |card| {
        let card = card.as_object_mut().unwrap();
        card.remove("supportedInterfaces");
        card.insert("url".to_owned(), json!(format!("{AGENT}/rpc")));
        card.insert("protocolVersion".to_owned(), json!("1.0"));
    };
    let seen = check("", Front { card: older, ..NONE }, Options::default());
    assert_eq!(seen.agent.detected.0, "1.0", "{}", seen.agent.detected.1);
    assert_eq!(seen.questions(), ["SendMessage"]);
    let failed = seen.failed();
    assert_eq!(failed.len(), 1, "{}", failed.join("\n"));
    assert!(failed[0].starts_with("card.required-fields: "), "{}", failed[0]);
    assert!(failed[0].contains("the card has url, as in 0.3, where clients of 1.0 do not look"), "{}", failed[0]);
    assert_eq!(seen.outcome("send.accepts-text@jsonrpc-1.0"), Some(Outcome::Pass));
}

/// An agent that shows its card of 0.3 to whoever names no version (T-VER-6).
struct OlderCard(Rc<dyn Transport>);

impl Transport for OlderCard {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if request.url.ends_with("/.well-known/agent-card.json") && request.headers.get("a2a-version").is_none() {
            request.url = request.url.replace("/.well-known/", "/0.3/.well-known/");
        }
        self.0.send(request)
    }
}

#[test]
fn what_the_cards_of_two_versions_at_one_address_declare_is_joined() {
    let shown = |version: Option<&str>| {
        let (mut host, clock) = host(&[]);
        host.transport = Rc::new(OlderCard(host.transport));
        let options = Options { address: AGENT.to_owned(), version: version.map(str::to_owned), ..Options::default() };
        let told = check_on(host, &clock, options);
        // Each card is judged by the rules of its version.
        assert_eq!(told.findings(), [""; 0]);
        let mut events = told.events.iter();
        let detected =
            events.find_map(|event| if let Event::Agent(agent) = event { Some(agent.detected.clone()) } else { None });
        let lanes: BTreeSet<_> = told.passed().into_iter().filter_map(|(_, lane)| lane).collect();
        (detected.expect("an agent"), lanes.into_iter().collect::<Vec<_>>().join(" "))
    };
    let ((version, why), lanes) = shown(None);
    assert_eq!((version.as_str(), lanes.as_str()), ("1.0", "jsonrpc-0.3 jsonrpc-1.0 rest-0.3 rest-1.0"));
    assert!(why.contains("when requested with A2A-Version: 1.0; otherwise "), "{why}");
    for (chosen, lanes) in [("1.0", "jsonrpc-1.0 rest-1.0"), ("0.3", "jsonrpc-0.3 rest-0.3")] {
        let ((version, why), found) = shown(Some(chosen));
        assert_eq!((version.as_str(), found.as_str()), (chosen, lanes), "{why}");
    }
}

/// An agent whose card cannot be read, and that denies access where older agents have theirs.
struct BrokenCard(Rc<dyn Transport>);

impl Transport for BrokenCard {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (is_older, is_card) = (request.url.ends_with("/agent.json"), request.url.contains("/.well-known/"));
        let sent = self.0.send(request);
        async move {
            let mut answer = sent.await?;
            if is_older {
                answer.head.status = 403;
            } else if is_card {
                answer.body = iter([Ok(b"[]".to_vec())]).boxed_local();
            }
            Ok(answer)
        }
        .boxed_local()
    }
}

#[test]
fn a_card_that_nobody_can_read_is_told_whatever_another_path_says() {
    let (mut host, clock) = host(&[]);
    host.transport = Rc::new(BrokenCard(host.transport));
    let told = check_on(host, &clock, Options { address: AGENT.to_owned(), ..Options::default() });
    assert!(told.exchanges.iter().any(|exchange| exchange.status() == Some(403)));
    assert_eq!(told.tripped(), ["discovery.card-available"]);
}

/// Checks an endpoint without its card.
fn check_endpoint(at: &str, binding: &str, front: Front) -> Seen {
    let endpoint = Endpoint {
        binding: binding.to_owned(),
        tenant: None,
        extensions: Vec::new(),
        streaming: true,
        push_notifications: true,
        extended_card: false,
    };
    check(at, front, Options { source: Source::Endpoint(endpoint), ..Options::default() })
}

#[test]
fn an_endpoint_is_judged_by_the_newest_version_that_it_answers_in() {
    let breaks: fn(&Value) -> Option<(u16, String)> =
        |call| asks_nothing(call).then(|| (500, "Internal Server Error".to_owned()));
    for (at, binding, front, version, asked) in [
        ("/rpc", "JSONRPC", NONE, "1.0", 1),
        ("/0.3/rpc", "JSONRPC", NONE, "0.3", 2),
        ("/0.1/rpc", "JSONRPC", NONE, "0.1", 3),
        ("/rest", "HTTP+JSON", NONE, "1.0", 1),
        ("/0.3/rest", "HTTP+JSON", NONE, "0.3", 2),
        // Some break at a request without parameters.
        ("/0.3/rpc", "JSONRPC", Front { answer: breaks, ..NONE }, "0.3", 5),
    ] {
        let seen = check_endpoint(at, binding, front);
        assert_eq!(seen.agent.detected.0, version, "{at}: {}", seen.agent.detected.1);
        let questions = seen.told.exchanges.iter().filter(|exchange| exchange.step.starts_with("speaks"));
        assert_eq!(questions.count(), asked, "{at}");
        // An agent that breaks at one request is blamed for that, and for nothing else.
        let failed: Vec<_> =
            seen.failed().into_iter().filter(|row| !row.starts_with("jsonrpc.response-object")).collect();
        assert_eq!(failed, [""; 0], "{at}");
        assert!(seen.told.tally.passed > 40, "{at}: {:?}", seen.told.tally);
        // What the user said that it has is looked at.
        let has = |topic: &str| seen.told.passed().iter().any(|(check, _)| check.starts_with(topic));
        assert!(has("push.") && has("stream."), "{at}");
    }
    // One that answers nothing of the kind is judged by the newest.
    let nothing: fn(&Value) -> Option<(u16, String)> = |_| Some((500, "Internal Server Error".to_owned()));
    let seen = check_endpoint("/rpc", "JSONRPC", Front { answer: nothing, ..NONE });
    assert_eq!(seen.agent.detected.0, "1.0", "{}", seen.agent.detected.1);
    // When a version was chosen, no other is tried.
    let chosen = Options { version: Some("0.3".to_owned()), ..Options::default() };
    let seen = check("/0.3", NONE, chosen);
    assert!(seen.questions().is_empty(), "{:?}", seen.questions());
}

/// The card of an agent that takes JSON and no text, with an example of it.
fn takes_json(card: &mut Value) {
    card["defaultInputModes"] = json!(["application/json"]);
    let example = r#"{"amount": 12}"#;
    card["skills"] =
        json!([{ "id": "pay", "name": "Pay", "description": "Pays.", "tags": ["money"], "examples": [example] }]);
}

#[test]
fn an_agent_that_takes_json_and_no_text_is_sent_data() {
    let data = json!({ "amount": 12 });
    for (at, part) in [("", json!({ "data": data })), ("/0.3", json!({ "kind": "data", "data": data }))] {
        let seen = check(at, Front { card: takes_json, ..NONE }, Options::default());
        let bodies =
            seen.told.exchanges.iter().filter(|exchange| exchange.step == "send" && exchange.request.body.is_some());
        let parts = |exchange: &Rc<Exchange>| {
            let body: Value = serde_json::from_slice(exchange.request.body.as_deref().unwrap()).unwrap();
            body.pointer("/params/message/parts").or(body.pointer("/message/parts")).cloned()
        };
        let sent: Vec<_> = bodies.filter_map(parts).collect();
        assert!(!sent.is_empty());
        assert!(sent.iter().all(|parts| *parts == json!([part])), "{at}: {sent:?}");
        assert_eq!(seen.failed(), [""; 0], "{at}");
    }
    // One of its skills takes text.
    let mixed: fn(&mut Value) = |card| {
        takes_json(card);
        card["skills"][0]["inputModes"] = json!(["text/plain"]);
    };
    let seen = check("", Front { card: mixed, ..NONE }, Options::default());
    let text = |exchange: &&Rc<Exchange>| {
        exchange
            .request
            .body
            .as_deref()
            .is_some_and(|body| String::from_utf8_lossy(body).contains(r#""text":"{\"amount"#))
    };
    assert!(seen.told.exchanges.iter().any(|exchange| text(&exchange)));
}
