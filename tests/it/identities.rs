//! Two identities: what a run with both finds and says, what one without the second leaves open, and where the credentials of
//! the second go and are found.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use a2a_conformance::agent::fault::{Faults, SECOND_TOKEN};
use a2a_conformance::engine::event::{Agent, Event};
use a2a_conformance::engine::options::{FixedCredentials, Options};
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::verdict::{Outcome, Verdict};
use a2a_conformance::host::{StreamedResponse, Transport};
use a2a_conformance::report::{ConformanceLevel, Environment, Format, ReportBuilder, fallback, write_or_raw};
use a2a_conformance::wire::base64::STANDARD;
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::{Value, json};

use crate::support::{AGENT, FinishedRun, check, check_as_told, check_at, check_on, host};

/// The checks that take two identities.
const CHECKS: [&str; 9] = [
    "auth.foreign-get",
    "auth.foreign-subscribe",
    "auth.foreign-cancel",
    "auth.foreign-message",
    "auth.foreign-push",
    "auth.foreign-push-delete",
    "list.scoped-to-caller",
    "auth.foreign-error",
    "auth.foreign-existence",
];

fn pair(name: &str, value: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), value.to_owned())]
}

/// The results of the checks of two identities on every lane.
fn said(told: &FinishedRun) -> Vec<(&'static str, Level, Verdict)> {
    let ours = told.results.iter().filter(|result| CHECKS.contains(&result.row.check.id));
    ours.map(|result| (result.row.check.id, result.level, result.verdict.clone())).collect()
}

fn level(told: &FinishedRun) -> Option<ConformanceLevel> {
    let mut recorder =
        ReportBuilder::new(Environment { tool_version: "0".to_owned(), host: "test".to_owned(), user_agent: None });
    told.events.iter().for_each(|event| recorder.apply(event));
    recorder.report().assessment.rating.level()
}

#[test]
fn an_agent_that_keeps_two_users_apart_passes_in_every_version_and_binding() {
    for at in ["", "/0.3", "/0.2", "/0.1"] {
        let told = check_at(at, &["two-users"], Options::default());
        assert_eq!(level(&told), Some(ConformanceLevel::Full), "{at}");
        let said = said(&told);
        assert!(said.len() >= 5, "{at}");
        for (id, level, verdict) in said {
            assert_eq!(verdict.outcome, Outcome::Pass, "{at} {id}: {}", verdict.message);
            // Only 1.0 has the words; the older texts wish for the principle of least privilege (0.3 §4.6).
            let is_must = at.is_empty() && id != "auth.foreign-existence";
            assert_eq!(level, if is_must { Level::Must } else { Level::Should }, "{at} {id}");
        }
    }
}

#[test]
fn without_a_second_identity_nothing_is_sent_nothing_counts_and_the_option_is_named() {
    let (with, without) = (check(&["two-users"], Options::default()), check(&["protected"], Options::default()));
    assert_eq!(level(&without), Some(ConformanceLevel::Full));
    for (id, _, verdict) in said(&without) {
        assert_eq!(verdict.outcome, Outcome::NotApplicable, "{id}");
        assert!(verdict.message.contains("--second-bearer"), "{id}: {}", verdict.message);
    }
    assert!(without.exchanges.iter().all(|exchange| exchange.scenario != "auth-foreign-tasks"));
    // On each of two lanes one message of the first identity, and one that is refused to the second.
    assert_eq!(with.tally.messages, without.tally.messages + 4);
}

/// Credentials of two identities, for an agent that knows the first.
fn two(second: &str) -> Options {
    let known = Faults::parse(["two-users"]).unwrap();
    let second = FixedCredentials { headers: pair("Authorization", second), query: Vec::new() };
    Options { headers: known.credentials(), second, ..Options::default() }
}

#[test]
fn what_is_refused_to_credentials_that_nobody_knows_proves_nothing() {
    let told = check_as_told(&["two-users"], two("Bearer mistyped"));
    for (id, _, verdict) in said(&told) {
        assert_eq!(verdict.outcome, Outcome::Inconclusive, "{id}: {}", verdict.message);
        assert!(verdict.message.contains("may be wrong"), "{id}: {}", verdict.message);
    }
}

#[test]
fn an_agent_that_asks_for_no_credentials_is_not_blamed_for_having_one_kind_of_caller() {
    let told = check_as_told(&[], two(&format!("Bearer {SECOND_TOKEN}")));
    for (id, _, verdict) in said(&told) {
        assert_eq!(verdict.outcome, Outcome::NotApplicable, "{id}: {}", verdict.message);
        assert!(verdict.message.contains("without credentials"), "{id}: {}", verdict.message);
    }
}

#[test]
fn a_finding_says_what_two_identities_assert() {
    let told = check(&["foreign-task-read"], Options::default());
    let found: Vec<_> = told.results.iter().filter(|result| result.verdict.outcome == Outcome::Fail).collect();
    assert_eq!(found.len(), 2, "{:?}", told.tripped());
    for result in found {
        assert_eq!((result.row.check.id, result.level), ("auth.foreign-get", Level::Must));
        assert!(result.verdict.message.contains("the task is another identity's"), "{}", result.verdict.message);
        assert!(result.row.check.fix.contains("lets these two identities share tasks"));
    }
}

#[test]
fn an_agent_that_shows_everything_to_both_has_one_finding_that_says_so() {
    let told = check(&["users-not-told-apart"], Options::default());
    let said = said(&told);
    for (id, _, verdict) in &said {
        let (outcome, words) = match *id {
            "auth.foreign-get" => (Outcome::Fail, "the agent may take both identities for one"),
            _ => (Outcome::Inconclusive, "auth.foreign-get"),
        };
        assert_eq!(verdict.outcome, outcome, "{id}: {}", verdict.message);
        assert!(verdict.message.contains(words), "{id}: {}", verdict.message);
    }
    assert_eq!(told.tripped(), ["auth.foreign-get"]);
}

#[test]
fn a_list_is_read_beyond_its_first_page_but_not_without_end() {
    let told = check(&["foreign-page-listed"], Options::default());
    assert_eq!(told.tripped(), ["list.scoped-to-caller"]);
    let pages = |told: &FinishedRun, step: &str| told.exchanges.iter().filter(|exchange| exchange.step == step).count();
    assert!(pages(&told, "list-next") >= 2, "{}", pages(&told, "list-next"));

    // One that always has another page.
    let endless: Change = |answer, turn| {
        if let Some(list) = answer.get_mut("result").filter(|result| result.get("nextPageToken").is_some()) {
            list["nextPageToken"] = json!(format!("{turn:024x}"));
        }
    };
    let told = changed(&["two-users"], "ListTasks", endless);
    // Five of each of two lists.
    assert_eq!((pages(&told, "list-next"), pages(&told, "list-context-next")), (5, 5));
}

#[test]
fn a_deletion_that_is_accepted_and_does_nothing_is_no_finding() {
    let accepted: Change = |answer, _| *answer = json!({ "jsonrpc": "2.0", "id": answer["id"].clone(), "result": {} });
    let told = changed(&["two-users"], "DeleteTaskPushNotificationConfig", accepted);
    let said = said(&told);
    let [(_, _, verdict)] = said.iter().filter(|(id, ..)| *id == "auth.foreign-push-delete").collect::<Vec<_>>()[..]
    else {
        panic!("{said:?}")
    };
    assert_eq!(verdict.outcome, Outcome::Pass, "{}", verdict.message);
    assert!(verdict.message.contains("nothing was deleted"), "{}", verdict.message);
    assert_eq!(told.tripped(), [""; 0]);
}

#[test]
fn a_message_that_names_the_task_shows_that_it_was_reached() {
    let by_message: Change = |answer, _| {
        if let Some(task) = answer.pointer("/error/data/0/metadata/taskId").cloned() {
            let message =
                json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "Done." }], "taskId": task });
            *answer = json!({ "jsonrpc": "2.0", "id": answer["id"].clone(), "result": { "message": message } });
        }
    };
    let told = changed(&["two-users"], "SendMessage", by_message);
    let said = said(&told);
    let found = said.iter().find(|(id, ..)| *id == "auth.foreign-message").map(|(.., verdict)| verdict);
    assert_eq!(found.map(|verdict| verdict.outcome), Some(Outcome::Fail), "{found:?}");
}

/// Changes an answer to the second identity, of whose calls of that method it is the answer of that number.
type Change = fn(&mut Value, usize);

/// An agent of one interface whose answers to the second identity are changed.
struct Changed {
    inner: Rc<dyn Transport>,
    method: &'static str,
    change: Change,
    turns: Cell<usize>,
}

impl Transport for Changed {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let is_second = request.headers.get("authorization") == Some(&format!("Bearer {SECOND_TOKEN}"));
        let body: Value = request.body.as_deref().map(serde_json::from_slice).and_then(Result::ok).unwrap_or_default();
        let is_changed = is_second && body["method"] == self.method;
        let is_card = request.url.ends_with("agent-card.json");
        self.turns.set(self.turns.get() + usize::from(is_changed));
        let (answer, change, turn) = (self.inner.send(request), self.change, self.turns.get());
        async move {
            let mut answer = answer.await?;
            if is_changed || is_card {
                let body: Vec<u8> = answer.body.map(Result::unwrap).concat().await;
                let changed = serde_json::from_slice::<Value>(&body).map(|mut document| {
                    match document.get_mut("supportedInterfaces").and_then(Value::as_array_mut) {
                        Some(interfaces) => interfaces.truncate(1),
                        None => change(&mut document, turn),
                    }
                    document.to_string().into_bytes()
                });
                // A card that has not changed has no body.
                answer.body = stream::iter([Ok(changed.unwrap_or(body))]).boxed_local();
            }
            Ok(answer)
        }
        .boxed_local()
    }
}

/// Checks an agent whose answers to the second identity are changed.
fn changed(faults: &[&str], method: &'static str, change: Change) -> FinishedRun {
    let (mut host, clock) = host(faults);
    host.transport = Rc::new(Changed { inner: host.transport, method, change, turns: Cell::default() });
    check_on(host, &clock, two(&format!("Bearer {SECOND_TOKEN}")))
}

/// An agent that has users by other credentials than tokens, and sends back what it is asked with.
struct Echo {
    inner: Rc<dyn Transport>,
    sent: Rc<RefCell<Vec<Request>>>,
    /// The URL of its second interface, as the card gives it.
    moved: Option<&'static str>,
}

const CANARY: &str = "c4nary/+ \u{e4}";
/// The part of the canary that is the same in every form in which it can be written.
const TRACE: &str = "c4nary";

/// The second identity in each kind of credentials.
fn kinds() -> Vec<FixedCredentials> {
    let basic = format!("Basic {}", STANDARD.encode(format!("other:{CANARY}").as_bytes()));
    let fixed = |headers: &[(&str, &str)], query: Vec<(String, String)>| FixedCredentials {
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        query,
    };
    vec![
        fixed(&[("Authorization", "Bearer c4nary-token")], Vec::new()),
        fixed(&[("Authorization", &basic)], Vec::new()),
        fixed(&[("X-Key", "c4nary-key")], Vec::new()),
        fixed(&[], pair("user", CANARY)),
    ]
}

impl Transport for Echo {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        self.sent.borrow_mut().push(request.clone());
        let header = |name: &str| request.headers.get(name).unwrap_or_default().to_owned();
        let echo = format!("{} {} {}", header("authorization"), header("x-key"), request.url);
        let is_second = kinds().iter().any(|kind| {
            let all = kind.headers.iter().all(|(name, value)| header(name) == *value);
            all && kind.query.iter().all(|(name, _)| request.url.contains(&format!("{name}=")))
        });
        if is_second {
            request.headers.replace("authorization", format!("Bearer {SECOND_TOKEN}"));
        }
        request.url = request.url.replace("https://evil.test", AGENT);
        let (answer, moved) = (self.inner.send(request), self.moved);
        async move {
            let mut answer = answer.await?;
            answer.head.headers.push("x-echo", echo.as_str());
            if answer.head.headers.media_type().as_deref() == Some("text/event-stream") {
                return Ok(answer);
            }
            let body: Vec<u8> = answer.body.map(Result::unwrap).concat().await;
            let mut document: Value = serde_json::from_slice(&body).unwrap_or_default();
            if let Some(error) = document.get_mut("error") {
                error["message"] = json!(format!("refused: {echo}"));
            }
            if let (Some(moved), true) = (moved, document.get("supportedInterfaces").is_some()) {
                document["supportedInterfaces"][1]["url"] = json!(moved);
            }
            let body = if document.is_null() { body } else { document.to_string().into_bytes() };
            answer.body = stream::iter([Ok(body)]).boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

/// Checks the agent with two users through the echo, and returns what was sent to it, too.
fn echoed(second: FixedCredentials, moved: Option<&'static str>, origins: &[&str]) -> (FinishedRun, Vec<Request>) {
    let (mut host, clock) = host(&["two-users"]);
    let sent = Rc::new(RefCell::default());
    host.transport = Rc::new(Echo { inner: host.transport, sent: Rc::clone(&sent), moved });
    let origins = origins.iter().map(|origin| (*origin).to_owned()).collect();
    let told = check_on(host, &clock, Options { second, origins, ..two("") });
    (told, sent.take())
}

/// Everything that leaves the run.
fn exports(told: &FinishedRun) -> Vec<String> {
    let mut recorder =
        ReportBuilder::new(Environment { tool_version: "0".to_owned(), host: "test".to_owned(), user_agent: None });
    told.events.iter().for_each(|event| recorder.apply(event));
    let report = recorder.report();
    let mut all: Vec<_> =
        [Format::Json, Format::Markdown, Format::JUnit].map(|format| write_or_raw(&report, format).text).into();
    all.extend([fallback::write(&report), format!("{:?}", told.events)]);
    for exchange in &told.exchanges {
        all.push(format!("{exchange:?}"));
        all.extend(exchange.request.body.iter().map(|body| String::from_utf8_lossy(body).into_owned()));
        all.extend(exchange.response.iter().map(|response| String::from_utf8_lossy(&response.body).into_owned()));
    }
    all
}

#[test]
fn a_second_identity_of_any_kind_is_told_apart_and_no_secret_of_it_is_left() {
    for second in kinds() {
        let (told, sent) = echoed(second.clone(), None, &[]);
        for (id, _, verdict) in said(&told) {
            assert_eq!(verdict.outcome, Outcome::Pass, "{second:?} {id}: {}", verdict.message);
        }
        let coded = STANDARD.encode(format!("other:{CANARY}").as_bytes());
        // It was sent, and came back.
        let raw = format!("{sent:?}");
        assert!(raw.contains(TRACE) || raw.contains(&coded), "{second:?}");
        for export in exports(&told) {
            let at = export.find(TRACE).or_else(|| export.find(&coded));
            let near = at.map(|at| export.get(at.saturating_sub(80)..at + 40).unwrap_or("(at a boundary)").to_owned());
            assert_eq!(near, None, "{second:?}");
        }
        // Requests of one identity carry nothing of the other's.
        for request in sent.iter().filter(|request| format!("{request:?}").contains(TRACE)) {
            assert_ne!(request.headers.get("authorization"), Some("Bearer open-sesame"), "{}", request.url);
        }
    }
}

#[test]
fn a_second_identity_goes_to_no_other_origin_than_the_first() {
    let second = || kinds().remove(0);
    let elsewhere = "https://evil.test/rest";
    let is_elsewhere = |request: &&Request| !request.url.starts_with(AGENT);
    let (told, sent) = echoed(second(), Some(elsewhere), &[]);
    assert!(!sent.iter().any(|request| is_elsewhere(&request)));
    let asks_for = |agent: &Agent| agent.elsewhere.iter().any(|origin| origin == "https://evil.test");
    assert!(told.events.iter().any(|event| matches!(event, Event::Agent(agent) if asks_for(agent))));
    let (_, sent) = echoed(second(), Some(elsewhere), &["https://evil.test"]);
    let there = sent.iter().filter(is_elsewhere);
    assert!(there.filter_map(|request| request.headers.get("authorization")).any(|value| value.contains(TRACE)));
}
