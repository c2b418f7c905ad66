//! How long a run takes with an agent that thinks before each answer, counted in its answers; how many requests are under
//! way at once; and what an ordinary agent shows in the words of its own skills' examples.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use a2a_conformance::engine::event::Completion;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Clock, Host, StreamedResponse, Transport};
use a2a_conformance::wire::exchange::{Exchange, TransportError};
use a2a_conformance::wire::http::Request;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::support::{FinishedRun, check_on, host};

/// Changes a card.
type Change = fn(&mut Value);

/// Answers everything after the same time, and counts who waits for the head of an answer.
struct Slow {
    inner: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    delay_ms: f64,
    card: Change,
    waiting: Rc<Cell<usize>>,
    most: Rc<Cell<usize>>,
}

impl Transport for Slow {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        self.waiting.set(self.waiting.get() + 1);
        self.most.set(self.most.get().max(self.waiting.get()));
        let (change, is_card) = (self.card, request.url.ends_with("agent-card.json"));
        let (answer, sleep, waiting) =
            (self.inner.send(request), self.clock.sleep(self.delay_ms), Rc::clone(&self.waiting));
        async move {
            sleep.await;
            let mut answer = answer.await?;
            waiting.set(waiting.get() - 1);
            if is_card {
                let body: Vec<u8> = answer.body.map(Result::unwrap).concat().await;
                let changed = serde_json::from_slice::<Value>(&body).map(|mut card| {
                    change(&mut card);
                    card.to_string().into_bytes()
                });
                answer.body = iter([Ok(changed.unwrap_or(body))]).boxed_local();
            }
            Ok(answer)
        }
        .boxed_local()
    }
}

/// Checks a slow agent; returns what was told and how many calls waited for their answers at once.
fn check_slow(card: Change, delay_ms: f64, options: Options) -> (FinishedRun, usize) {
    check_slow_with(&[], card, delay_ms, options)
}

fn check_slow_with(faults: &[&str], card: Change, delay_ms: f64, options: Options) -> (FinishedRun, usize) {
    let (host, clock) = host(faults);
    let most = Rc::new(Cell::default());
    let transport = Slow {
        inner: Rc::clone(&host.transport),
        clock: Rc::clone(&host.clock),
        delay_ms,
        card,
        waiting: Rc::default(),
        most: Rc::clone(&most),
    };
    let told = check_on(Host { transport: Rc::new(transport), ..host }, &clock, options);
    (told, most.get())
}

fn as_it_is(_: &mut Value) {}

fn only_json_rpc(card: &mut Value) {
    if let Some(interfaces) = card["supportedInterfaces"].as_array_mut() {
        interfaces.retain(|interface| interface["protocolBinding"] == "JSONRPC");
    }
}

/// Nothing in the card shows what the agent can do, but for the examples of its skills.
fn ordinary(card: &mut Value) {
    card["skills"] = json!([
        { "id": "talk", "name": "Talk", "description": "Talks.", "tags": ["talk"],
          "examples": ["Tell me something", "long-running please", "message-only please"] },
        { "id": "ask", "name": "Ask", "description": "Asks back.", "tags": ["ask"], "examples": ["multi-turn please"] },
    ]);
}

fn ordinary_and_only_json_rpc(card: &mut Value) {
    only_json_rpc(card);
    ordinary(card);
}

/// The checks of level must that a run left open.
fn open(told: &FinishedRun) -> Vec<String> {
    let is_open = |outcome| matches!(outcome, Outcome::Inconclusive | Outcome::Blocked | Outcome::NotRun);
    let results = told.results.iter().filter(|result| result.level == Level::Must && is_open(result.verdict.outcome));
    results.map(|result| format!("{}: {}", result.row.key(), result.verdict.message)).collect()
}

/// Every result, without what depends on when it was seen.
fn outcomes(told: &FinishedRun) -> BTreeMap<String, Outcome> {
    told.results.iter().map(|result| (result.row.key(), result.verdict.outcome)).collect()
}

#[test]
fn a_run_takes_at_most_twenty_answers_and_asks_for_no_more_at_once_than_it_may() {
    // The work of the agent itself, and the pauses between two looks at it, come on top.
    const WORK_MS: f64 = 100.0;
    let usual = Options::default().concurrency;
    // Two lanes share the places, and are compared after that: with enough of them they take no longer than one.
    let cases: [(&str, Change, f64, usize, f64); 6] = [
        ("json-rpc only", only_json_rpc, 1_000.0, usual, 20.0),
        ("json-rpc only", only_json_rpc, 5_000.0, usual, 20.0),
        ("ordinary", ordinary_and_only_json_rpc, 5_000.0, usual, 20.0),
        ("both lanes", as_it_is, 5_000.0, usual, 39.1),
        ("both lanes, twice as many at once", as_it_is, 5_000.0, usual * 2, 21.1),
        ("both lanes, three times as many at once", as_it_is, 5_000.0, usual * 3, 20.0),
    ];
    for (name, card, delay_ms, places, most_answers) in cases {
        let options = Options { concurrency: places, ..Options::default() };
        let (told, at_once) = check_slow(card, delay_ms, options);
        let answers = (told.duration_ms - WORK_MS) / delay_ms;
        println!(
            "{name}, {delay_ms} ms: {answers} answers, {} requests, {} messages",
            told.exchanges.len(),
            told.tally.messages
        );
        assert!(answers <= most_answers, "{name}, {delay_ms} ms: {answers} answers");
        assert!(at_once <= places, "{name}, {delay_ms} ms: {at_once} at once");
        assert!(told.tally.messages <= 60, "{name}: {} messages", told.tally.messages);
        assert_eq!(told.tally.failed, 0, "{name}, {delay_ms} ms: {:?}", told.tripped());
    }
}

#[test]
fn as_many_requests_are_under_way_as_the_user_allows_and_the_verdicts_are_the_same() {
    let (told, _) = check_slow(as_it_is, 100.0, Options::default());
    let wanted = outcomes(&told);
    for concurrency in [1, 2, 3, 16] {
        let (told, at_once) = check_slow(as_it_is, 100.0, Options { concurrency, ..Options::default() });
        // A task that has two subscribers is streamed twice and read meanwhile, whatever the user allows.
        assert!(at_once <= concurrency.max(3), "{at_once} at once, {concurrency} allowed");
        assert_eq!(outcomes(&told), wanted, "{concurrency} at once");
    }
}

#[test]
fn what_scenarios_of_a_lane_ask_alike_is_asked_once() {
    let (told, _) = check_slow(as_it_is, 10.0, Options::default());
    let alike = |lane: &str, fits: &dyn Fn(&Request) -> bool| {
        let of_lane = told.exchanges.iter().filter(|exchange| exchange.lane.as_deref() == Some(lane));
        of_lane.filter(|exchange| fits(&exchange.request)).count()
    };
    let is_empty_rpc = |request: &Request| text(request).contains(r#""method":"SendMessage","params":{}"#);
    let is_empty = |request: &Request| request.url.ends_with("/message:send") && text(request) == "{}";
    assert_eq!((alike("jsonrpc-1.0", &is_empty_rpc), alike("rest-1.0", &is_empty)), (1, 1));
    // Each check names it where it stands.
    let judged = |check: &str| {
        let result = told.results.iter().find(|result| result.row.key() == format!("{check}@jsonrpc-1.0"));
        result.map(|result| (result.verdict.outcome, result.verdict.exchanges.clone())).expect(check)
    };
    let (refused, detailed) = (judged("send.missing-message"), judged("error.validation-detail"));
    assert_eq!(refused, detailed);
    assert_eq!(refused.0, Outcome::Pass);
    // A task that is seen to wait is not read to find that out.
    let read = |exchange: &&Rc<Exchange>| exchange.scenario == "follow-ups" && exchange.step == "settled";
    assert_eq!(told.exchanges.iter().filter(read).count(), 0);
    // What follows up on a task names its context as well, so that there is no other reason to refuse it.
    let late: Vec<_> = told.exchanges.iter().filter(|exchange| exchange.step == "failed-message").collect();
    assert!(late.len() == 2 && late.iter().all(|exchange| text(&exchange.request).contains("\"contextId\"")));
}

#[test]
fn an_ordinary_agent_shows_what_it_can_do_in_the_words_of_its_skills() {
    let (told, _) = check_slow(ordinary, 10.0, Options::default());
    assert_eq!(open(&told), [""; 0]);
    assert_eq!(told.tally.failed, 0, "{:?}", told.tripped());
    assert!(told.tally.messages <= 60, "{} messages", told.tally.messages);
    let tried = told.exchanges.iter().filter(|exchange| exchange.step == "example").count();
    assert_eq!(tried, 4, "each is tried once, on one lane");

    // What is over, or asks for something, is not read again; what is at work is.
    let (early, _) = check_slow_with(&["send-returns-early"], ordinary, 10.0, Options::default());
    let was_read = |told: &FinishedRun| told.exchanges.iter().any(|exchange| exchange.step == "example-settled");
    assert_eq!((was_read(&told), was_read(&early)), (false, true));

    // One skill alone does not ask back.
    let (told, _) = check_slow(ordinary, 10.0, Options { skills: vec!["talk".to_owned()], ..Options::default() });
    assert!(open(&told).iter().any(|row| row.contains("context.mismatch")), "{:?}", open(&told));
    assert!(told.exchanges.iter().all(|exchange| !text(&exchange.request).contains("multi-turn please")));

    let (told, _) = check_slow(ordinary, 10.0, Options { skills: vec!["walk".to_owned()], ..Options::default() });
    let why = "the agent has no skill walk; its skills are: talk, ask";
    assert_eq!(told.completion, Completion::Incomplete(why.to_owned()));
    assert_eq!(told.tally.messages, 0);
}

#[test]
fn an_agent_whose_first_example_completes_nothing_is_asked_for_the_others() {
    let (told, _) = check_slow(
        |card| {
            ordinary(card);
            card["skills"][0]["examples"] = json!(["multi-turn please", "Tell me something"]);
        },
        10.0,
        Options::default(),
    );
    let passed = told.passed();
    let lane = || Some("jsonrpc-1.0".to_owned());
    for check in ["get.after-completion", "cancel.terminal-refused", "input-required.continue"] {
        assert!(passed.contains(&(check, lane())), "{check}");
    }
}

fn text(request: &Request) -> String {
    String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()).into_owned()
}
