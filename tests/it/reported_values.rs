//! Broken agents whose fault has to be found: values that change on their way, lists that leave something out, and forms that do not fit.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use a2a_conformance::engine::event::CheckResult;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::prompt::{Behaviour, Texts};
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::future::{LocalBoxFuture, pending};
use futures_util::stream::{self, iter};
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::reported::{answering, changing, is_call, is_card};
use crate::support::{AGENT, Answers, FinishedRun, JumpClock, Touched, check_on, host};

/// The lanes of 1.0.
pub(crate) const LANES: [&str; 2] = ["jsonrpc-1.0", "rest-1.0"];

/// The agent of a version with all its interfaces.
pub(crate) fn whole(version: &str) -> Options {
    Options { address: format!("{AGENT}{version}"), ..Options::default() }
}

/// What a check said on a lane.
#[track_caller]
pub(crate) fn result<'t>(told: &'t FinishedRun, key: &str) -> &'t CheckResult {
    let of = told.results.iter().find(|result| result.row.key() == key);
    of.unwrap_or_else(|| panic!("{key} is judged"))
}

/// Asserts what a check says on a lane: its outcome, its level, and words of its message.
#[track_caller]
pub(crate) fn says(told: &FinishedRun, key: &str, expected: (Outcome, Level), said: &str) {
    let of = result(told, key);
    let found = (of.verdict.outcome, of.level);
    let message = &of.verdict.message;
    assert_eq!(found, expected, "{key}: {message}; tripped: {:?}", told.tripped_on_lanes());
    assert!(message.contains(said), "{key}: {said:?} is not in {message:?}");
}

#[track_caller]
pub(crate) fn passes(told: &FinishedRun, key: &str) {
    let of = result(told, key);
    assert_eq!(of.verdict.outcome, Outcome::Pass, "{key}: {}", of.verdict.message);
}

/// The body of a request.
pub(crate) fn sent(request: &Request) -> Value {
    request.body.as_deref().and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default()
}

/// The parameters of a request with a body, in either binding.
pub(crate) fn params(request: &Request) -> Value {
    let mut body = sent(request);
    if body.get("jsonrpc").is_some() { body["params"].take() } else { body }
}

/// Whether a request is one of these methods, or over HTTP+JSON a path with this end.
pub(crate) fn asks(request: &Request, methods: &[&str], end: &str) -> bool {
    let path = request.url.split('?').next().unwrap_or_default();
    is_call(request, methods) || (request.url.contains("/rest") && path.ends_with(end))
}

/// The result in a document, in either binding.
pub(crate) fn result_in(document: &mut Value) -> &mut Value {
    if document.get("result").is_some() { &mut document["result"] } else { document }
}

/// The tasks of a list.
fn list_in(document: &mut Value) -> Option<&mut Vec<Value>> {
    result_in(document).get_mut("tasks")?.as_array_mut()
}

/// Calls `change` on every object of a document.
pub(crate) fn every_object(value: &mut Value, change: &mut dyn FnMut(&mut serde_json::Map<String, Value>)) {
    match value {
        Value::Object(map) => {
            map.values_mut().for_each(|member| every_object(member, change));
            change(map);
        }
        Value::Array(list) => list.iter_mut().for_each(|element| every_object(element, change)),
        _ => {}
    }
}

/// What `change` makes of the documents of both interfaces; it has to change some of each.
pub(crate) fn changed(
    touched: &'static [Answers],
    change: impl Fn(&Request, &mut Value) + Clone + 'static,
) -> (Host, JumpClock, Rc<Touched>) {
    let notes = Touched::at(touched);
    let seen = Rc::clone(&notes);
    let (host, clock) = changing(move |request, document| {
        let before = document.clone();
        change(request, document);
        seen.note(&request.url, before != *document);
    });
    (host, clock, notes)
}

/// Where a test changes the answers of both interfaces.
pub(crate) const BOTH: &[Answers] = &[Answers::JsonRpc, Answers::HttpJson];

fn is_list(request: &Request) -> bool {
    asks(request, &["ListTasks"], "/tasks")
}

/// A member of a list's request, as text.
fn asked(request: &Request, name: &str) -> Option<String> {
    let query = request.url.split_once('?').map_or("", |(_, query)| query);
    let of_query = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let of_body = || params(request)[name].as_str().map(str::to_owned);
    of_query.map(|value| value.replace("%3A", ":")).or_else(of_body)
}

/// A list that cuts each history at its wrong end.
#[test]
fn a_list_with_the_oldest_message_of_a_history_is_found() {
    let firsts: Rc<RefCell<BTreeMap<String, Value>>> = Rc::default();
    let (host, clock, _touched) = changed(BOTH, move |request, document| {
        let is_list = is_list(request);
        every_object(document, &mut |task| {
            let Some(id) = task.get("id").and_then(Value::as_str).map(str::to_owned) else { return };
            let Some(history) = task.get_mut("history").and_then(Value::as_array_mut) else { return };
            if let [first, _, ..] = history.as_slice() {
                firsts.borrow_mut().insert(id, first.clone());
            } else if let (Some(first), true, [only]) = (firsts.borrow().get(&id), is_list, history.as_mut_slice()) {
                *only = first.clone();
            }
        });
    });
    let told = check_on(host, &clock, whole(""));
    for lane in LANES {
        let said = "expected the latest message, got the oldest, ";
        says(&told, &format!("list.history-recent@{lane}"), (Outcome::Fail, Level::Must), said);
        passes(&told, &format!("get.history-recent@{lane}"));
    }
}

/// The whole seconds of a time.
fn whole_seconds(time: &str) -> String {
    format!("{}Z", time.trim_end_matches('Z').split('.').next().unwrap_or_default())
}

/// Times in whole seconds are allowed where the filter knows them too.
#[test]
fn times_in_whole_seconds_everywhere_lose_no_task() {
    let (host, clock, _touched) = changed(BOTH, |_, document| {
        every_object(document, &mut |map| {
            if let Some(Value::String(time)) = map.get_mut("timestamp") {
                *time = whole_seconds(time);
            }
        });
    });
    let told = check_on(host, &clock, whole(""));
    assert_eq!(told.tripped(), ["timestamp.millis"]);
    for lane in LANES {
        for check in ["list.filter-timestamp", "list.filter-timestamp-equal"] {
            passes(&told, &format!("{check}@{lane}"));
        }
        says(&told, &format!("timestamp.millis@{lane}"), (Outcome::Note, Level::Should), "");
    }
}

/// An agent that stores whole seconds, shows more, and compares what it stores.
#[test]
fn a_filter_by_whole_seconds_that_loses_a_task_is_found() {
    let (host, clock, _touched) = changed(BOTH, |request, document| {
        let Some(after) = asked(request, "statusTimestampAfter").filter(|_| is_list(request)) else { return };
        let after = if after.contains('.') { after } else { after.replace('Z', ".000Z") };
        if let Some(tasks) = list_in(document) {
            tasks.retain(|task| {
                let time = whole_seconds(task["status"]["timestamp"].as_str().unwrap_or_default());
                time.replace('Z', ".000Z") >= after
            });
        }
    });
    let told = check_on(host, &clock, whole(""));
    for lane in LANES {
        let said = "expected the task ";
        says(&told, &format!("list.filter-timestamp-equal@{lane}"), (Outcome::Fail, Level::Should), said);
        passes(&told, &format!("list.filter-timestamp@{lane}"));
    }
}

/// A list by context that drops the second task of its context, or shows it in another.
#[test]
fn a_task_that_the_list_of_its_context_lacks_or_moves_is_found() {
    for (is_moved, check, level, said) in [
        (
            false,
            "list.cursor-pagination",
            Level::Must,
            "expected both tasks of the context, got a single task on all pages",
        ),
        (
            true,
            "list.matches-get",
            Level::Should,
            "as the response to its message showed, got contextId another-context",
        ),
    ] {
        let made: Rc<RefCell<BTreeMap<String, Vec<String>>>> = Rc::default();
        let (host, clock, _touched) = changed(BOTH, move |request, document| {
            if asks(request, &["SendMessage"], "/message:send") {
                let none = Value::Null;
                let task = document.pointer("/result/task").or_else(|| document.get("task")).unwrap_or(&none);
                if let (Some(id), Some(context)) = (task["id"].as_str(), task["contextId"].as_str()) {
                    let mut made = made.borrow_mut();
                    let of_context = made.entry(context.to_owned()).or_default();
                    if !of_context.iter().any(|known| known == id) {
                        of_context.push(id.to_owned());
                    }
                }
            }
            let Some(context) = asked(request, "contextId").filter(|_| is_list(request)) else { return };
            let Some(last) =
                made.borrow().get(&context).filter(|ids| ids.len() > 1).and_then(|ids| ids.last().cloned())
            else {
                return;
            };
            if let Some(tasks) = list_in(document) {
                if is_moved {
                    for task in tasks.iter_mut().filter(|task| task["id"] == *last) {
                        task["contextId"] = json!("another-context");
                    }
                } else {
                    tasks.retain(|task| task["id"] != *last);
                }
            }
        });
        let told = check_on(host, &clock, whole(""));
        for lane in LANES {
            says(&told, &format!("{check}@{lane}"), (Outcome::Fail, level), said);
        }
    }
}

/// One binding that writes metadata of messages in another way.
#[test]
fn metadata_that_one_binding_changes_is_found_there_alone() {
    for is_key in [true, false] {
        let (host, clock, _touched) = changed(&[Answers::HttpJson], move |request, document| {
            if !request.url.contains("/rest") {
                return;
            }
            every_object(document, &mut |map| {
                if !map.contains_key("messageId") {
                    return;
                }
                let Some(members) = map.get_mut("metadata").and_then(Value::as_object_mut) else { return };
                let Some((name, value)) = members.iter().next().map(|(name, value)| (name.clone(), value.clone()))
                else {
                    return;
                };
                members.remove(&name);
                let (name, value) = if is_key { (name.to_uppercase(), value) } else { (name, json!("changed")) };
                members.insert(name, value);
            });
        });
        let told = check_on(host, &clock, whole(""));
        let said = "/metadata/";
        says(&told, "history.as-sent@rest-1.0", (Outcome::Fail, Level::Should), said);
        passes(&told, "history.as-sent@jsonrpc-1.0");
    }
}

/// Which subscription to a task is silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mute {
    /// Every second one to the same task gets as many events, and no more.
    Second(usize),
    /// One to a task that waits gets none, and ends or does not.
    Waiting { ends: bool },
}

/// An agent some of whose subscriptions get less than they should.
struct Muted {
    agent: Rc<dyn Transport>,
    mute: Mute,
    known: Rc<RefCell<BTreeSet<String>>>,
    muted: Rc<RefCell<BTreeSet<Answers>>>,
}

impl Transport for Muted {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let is_subscription = asks(&request, &["SubscribeToTask"], ":subscribe");
        let task = params(&request)["id"].as_str().map_or_else(|| request.url.clone(), str::to_owned);
        let is_second = is_subscription && !self.known.borrow_mut().insert(task);
        let place = if request.url.contains("/rest") { Answers::HttpJson } else { Answers::JsonRpc };
        let (sent, mute, muted) = (self.agent.send(request), self.mute, Rc::clone(&self.muted));
        async move {
            let mut answer = sent.await?;
            let is_stream = answer.head.headers.media_type().as_deref() == Some("text/event-stream");
            match mute {
                Mute::Second(events) if is_second && is_stream => {
                    muted.borrow_mut().insert(place);
                    answer.body = answer.body.take(events).chain(stream::pending()).boxed_local();
                }
                Mute::Waiting { ends } if is_subscription && is_stream => {
                    let first = answer.body.next().await;
                    let text = first
                        .as_ref()
                        .and_then(|first| first.as_ref().ok())
                        .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
                    let waits = text.is_some_and(|text| text.contains("\"state\":\"TASK_STATE_INPUT_REQUIRED\""));
                    answer.body = match (waits, ends) {
                        (true, true) => iter([]).boxed_local(),
                        (true, false) => stream::pending().boxed_local(),
                        (false, _) => iter(first).chain(answer.body).boxed_local(),
                    };
                    if waits {
                        muted.borrow_mut().insert(place);
                    }
                }
                _ => {}
            }
            Ok(answer)
        }
        .boxed_local()
    }
}

/// Checks an agent some of whose subscriptions are silent.
#[track_caller]
fn check_muted(mute: Mute) -> FinishedRun {
    let (mut host, clock) = host(&[]);
    let muted: Rc<RefCell<BTreeSet<Answers>>> = Rc::default();
    host.transport = Rc::new(Muted { agent: host.transport, mute, known: Rc::default(), muted: Rc::clone(&muted) });
    let told = check_on(host, &clock, whole(""));
    assert_eq!(muted.borrow().len(), 2, "both bindings had such a subscription");
    told
}

#[test]
fn a_second_subscriber_who_gets_nothing_is_found() {
    let told = check_muted(Mute::Second(1));
    for lane in LANES {
        let said = "none, although its stream was open when the first subscriber saw the end of the task";
        says(&told, &format!("subscribe.multi-broadcast@{lane}"), (Outcome::Fail, Level::Must), said);
        passes(&told, &format!("subscribe.updates@{lane}"));
    }
    // Without so much as the task it is a call that is never answered.
    let told = check_muted(Mute::Second(0));
    for lane in LANES {
        says(&told, &format!("transport.answers@{lane}"), (Outcome::Fail, Level::Should), "SubscribeToTask");
        says(&told, &format!("subscribe.multi-broadcast@{lane}"), (Outcome::Blocked, Level::Must), "no event came");
    }
}

#[test]
fn a_subscription_to_a_waiting_task_without_an_event_is_found() {
    for (ends, said) in
        [(true, "the end of the stream without an event"), (false, "a stream without an event within the ")]
    {
        let told = check_muted(Mute::Waiting { ends });
        for lane in LANES {
            says(&told, &format!("subscribe.waiting@{lane}"), (Outcome::Fail, Level::Should), said);
            passes(&told, &format!("subscribe.first-event@{lane}"));
        }
    }
}

/// A query of a URL that is not parsed strictly.
#[test]
fn words_in_the_place_of_numbers_that_one_binding_takes_are_found_there_alone() {
    let (host, clock) = answering(&[], |request, _| {
        let is_wrong = request.url.contains("/rest/tasks?") && request.url.contains("historyLength=all");
        let list = json!({"tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0});
        is_wrong.then(|| (200, "application/a2a+json", list.to_string()))
    });
    let told = check_on(host, &clock, whole(""));
    let said = "the pageSize \"two\" and the historyLength \"all\"";
    says(&told, "list.parameter-types@rest-1.0", (Outcome::Fail, Level::Should), said);
    passes(&told, "list.parameter-types@jsonrpc-1.0");
}

/// An agent whose card gets a new ETag with every request.
struct Retagged {
    agent: Rc<dyn Transport>,
    number: Rc<Cell<u32>>,
    is_weak_only: bool,
}

impl Transport for Retagged {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let is_card = is_card(&request);
        if is_card {
            request.headers.remove("if-none-match");
            self.number.set(self.number.get() + 1);
        }
        let number = self.number.get();
        let tag = match (self.is_weak_only, number % 2) {
            (true, 0) => "W/\"one\"".to_owned(),
            (true, _) => "\"one\"".to_owned(),
            (false, _) => format!("\"number-{number}\""),
        };
        let sent = self.agent.send(request);
        async move {
            let mut answer = sent.await?;
            if is_card {
                answer.head.headers.replace("etag", tag);
            }
            Ok(answer)
        }
        .boxed_local()
    }
}

#[test]
fn an_etag_that_changes_while_the_card_stays_the_same_is_found() {
    for (is_weak_only, outcome, said) in [
        (false, Outcome::Fail, "200 with the same card under another ETag, \"number-"),
        (true, Outcome::Pass, "answered with the same card instead of 304"),
    ] {
        let (mut host, clock) = host(&[]);
        let number = Rc::new(Cell::new(0));
        host.transport = Rc::new(Retagged { agent: host.transport, number: Rc::clone(&number), is_weak_only });
        let told = check_on(host, &clock, whole(""));
        assert!(number.get() > 1, "the card was asked for once");
        says(&told, "discovery.conditional-get", (outcome, Level::Should), said);
        passes(&told, "discovery.etag");
    }
}

/// An agent that never answers follow-ups that ask it not to wait.
struct Waits {
    agent: Rc<dyn Transport>,
    places: Rc<RefCell<BTreeSet<Answers>>>,
}

impl Transport for Waits {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let sent = params(&request);
        let message = if sent.get("message").is_some() { &sent["message"] } else { &sent["request"] };
        let configuration = &sent["configuration"];
        let is_early = configuration["returnImmediately"] == json!(true) || configuration["blocking"] == json!(false);
        if is_early && message["taskId"].is_string() {
            let place = if request.url.contains("/rest") { Answers::HttpJson } else { Answers::JsonRpc };
            self.places.borrow_mut().insert(place);
            return pending().boxed_local();
        }
        self.agent.send(request)
    }
}

#[test]
fn a_follow_up_that_must_not_wait_and_is_never_answered_is_found() {
    for (version, lanes) in [("", LANES.as_slice()), ("/0.3", &["jsonrpc-0.3"])] {
        let (mut host, clock) = host(&[]);
        let places: Rc<RefCell<BTreeSet<Answers>>> = Rc::default();
        host.transport = Rc::new(Waits { agent: host.transport, places: Rc::clone(&places) });
        let told = check_on(host, &clock, whole(version));
        assert!(places.borrow().len() >= lanes.len(), "{version}: only {:?}", places.borrow());
        for lane in lanes {
            let said = "no answer within ";
            says(&told, &format!("input-required.not-blocking@{lane}"), (Outcome::Fail, Level::Should), said);
        }
    }
}

/// A message in place of a task is an answer in the client's context too.
#[test]
fn a_message_in_another_context_than_the_client_chose_is_found() {
    let (host, clock, _touched) = changed(BOTH, |request, document| {
        let has_own = params(request)["message"]["contextId"].is_string();
        let message = result_in(document).get_mut("message");
        if let Some(message) = message.filter(|message| has_own && message["messageId"].is_string()) {
            message["contextId"] = json!("another-context");
        }
    });
    let mut prompts = Texts::default();
    prompts.set(Behaviour::Reject, "message-only hello".to_owned());
    let told = check_on(host, &clock, Options { prompts, ..whole("") });
    for lane in LANES {
        says(&told, &format!("context.client-id@{lane}"), (Outcome::Fail, Level::Must), "got another-context");
    }
}
