//! How fast an agent answers, and what overtakes what, changes no verdict: the same agent behind a network that takes
//! another time for every answer is judged alike.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::prompt::Behaviour;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Clock, Host, StreamedResponse, Transport};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt};

use crate::support::{AGENT, FinishedRun, JumpClock, check_on, host};

/// Numbers that look random and are the same each time (xorshift).
pub(crate) struct Jitter(Cell<u64>);

impl Jitter {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Cell::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }

    /// A number from 0 to 1.
    pub(crate) fn next(&self) -> f64 {
        let mut x = self.0.get();
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.0.set(x);
        (x >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The delays of a network for every request, answer and event of a stream: a time that each always takes, and one that it
/// takes at most besides.
#[derive(Clone, Copy)]
struct Network {
    seed: u64,
    least_ms: f64,
    varies_ms: f64,
}

const NONE: Network = Network { seed: 0, least_ms: 0.0, varies_ms: 0.0 };

struct Unsteady {
    inner: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    jitter: Rc<Jitter>,
    network: Network,
}

impl Transport for Unsteady {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let Network { least_ms, varies_ms, .. } = self.network;
        let (inner, clock, jitter) = (Rc::clone(&self.inner), Rc::clone(&self.clock), Rc::clone(&self.jitter));
        async move {
            clock.sleep(least_ms + varies_ms * jitter.next()).await;
            let mut answer = inner.send(request).await?;
            clock.sleep(least_ms + varies_ms * jitter.next()).await;
            let chunks = answer.body.then(move |chunk| {
                let pause = clock.sleep(varies_ms * jitter.next());
                async move {
                    pause.await;
                    chunk
                }
            });
            answer.body = chunks.boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

/// Checks the scripted agent behind a network.
fn check(faults: &[&str], network: Network, options: Options) -> FinishedRun {
    let (mut host, clock) = host(faults);
    host.transport = Rc::new(Unsteady {
        inner: host.transport,
        clock: Rc::clone(&host.clock),
        jitter: Rc::new(Jitter::new(network.seed)),
        network,
    });
    check_on(host, &clock, options)
}

/// An agent that takes longer for every answer the more requests are under way, and no time for a single one.
struct Crowded {
    inner: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    ms: f64,
    under_way: Rc<Cell<u32>>,
}

impl Transport for Crowded {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (inner, clock, under_way) = (Rc::clone(&self.inner), Rc::clone(&self.clock), Rc::clone(&self.under_way));
        let others = under_way.replace(under_way.get() + 1);
        let ms = self.ms * f64::from(others);
        async move {
            let answer = inner.send(request).await;
            clock.sleep(ms).await;
            under_way.set(under_way.get() - 1);
            answer
        }
        .boxed_local()
    }
}

/// Options for the scripted agent of a version.
fn version(at: &str) -> Options {
    Options { address: format!("{AGENT}{at}"), ..Options::default() }
}

/// The outcome of every row.
fn outcomes(told: &FinishedRun) -> BTreeMap<String, Outcome> {
    told.results.iter().map(|result| (result.row.key(), result.verdict.outcome)).collect()
}

/// An agent with these was seen to get 240 passes in one run and 242 in the next.
const FIVE: [&str; 5] = [
    "cancel-terminal-wrong-code",
    "get-missing-id-accepted",
    "stream-two-payloads",
    "card-no-cache-control",
    "timestamps-seconds",
];

#[test]
fn no_verdict_depends_on_how_long_answers_take() {
    let mut differences = Vec::new();
    let waits = ["return-immediately-ignored"];
    for (at, faults) in [("", &[] as &[&str]), ("", &FIVE), ("", &waits), ("/0.3", &[]), ("/0.2", &[]), ("/0.1", &[])] {
        let without = outcomes(&check(faults, NONE, version(at)));
        assert!(without.len() > 60, "{at}: only {} rows", without.len());
        // The forms of older versions take the same ways; a few networks are enough for them.
        for seed in (1..=10).step_by(if at.is_empty() { 1 } else { 3 }) {
            // From a network that hardly delays anything to one on which answers overtake each other by a lot.
            let network = Network { seed, least_ms: 0.0, varies_ms: 15.0 * seed as f64 };
            let with = outcomes(&check(faults, network, version(at)));
            differences.extend(without.iter().filter(|(row, outcome)| with.get(*row) != Some(*outcome)).map(
                |(row, outcome)| format!("{at} {faults:?} seed {seed}: {row} is {:?}, was {outcome:?}", with.get(row)),
            ));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// The agent had our other requests to answer, so that a task was over before the call that needs it at work: that call is
/// made again alone.
#[test]
fn no_verdict_depends_on_how_busy_our_own_requests_keep_the_agent() {
    let waits = ["return-immediately-ignored"];
    for (at, faults) in [("", &[] as &[&str]), ("", &waits), ("/0.3", &[])] {
        // A task that takes a second is over before a cancel that waits for seven other answers. For three lists while an agent
        // waits for its end it is too short.
        let options = || {
            let mut options = version(at);
            if faults.is_empty() {
                options.prompts.set(Behaviour::Cancel, "long-running start process".to_owned());
            }
            options
        };
        let without = outcomes(&check(faults, NONE, options()));
        for ms in [150.0, 300.0, 450.0] {
            let (mut host, clock) = host(faults);
            let (inner, under_way) = (Rc::clone(&host.transport), Rc::default());
            host.transport = Rc::new(Crowded { inner, clock: Rc::clone(&host.clock), ms, under_way });
            let told = check_on(host, &clock, options());
            let with = outcomes(&told);
            let differences: Vec<_> = without
                .iter()
                .filter(|(row, outcome)| with.get(*row) != Some(*outcome))
                .map(|(row, outcome)| format!("{row} is {:?}, was {outcome:?}", with.get(row)))
                .collect();
            assert_eq!(differences, [""; 0], "{at} {faults:?} {ms} ms");
            // Of each lane's plan three messages may go out once more.
            assert!(told.tally.messages <= 60 + 6, "{} messages", told.tally.messages);
        }
    }
}

/// The agent's times have no fractions here, so that two tasks of one second would leave their order open.
#[test]
fn the_order_of_a_list_shows_in_times_of_whole_seconds() {
    let told = outcomes(&check(&["timestamps-seconds"], NONE, version("")));
    for lane in ["jsonrpc-1.0", "rest-1.0"] {
        assert_eq!(told.get(&format!("list.sorted@{lane}")), Some(&Outcome::Pass));
    }
    let told = outcomes(&check(&["timestamps-seconds", "list-oldest-first"], NONE, version("")));
    assert_eq!(told.get("list.sorted@jsonrpc-1.0"), Some(&Outcome::Fail));
}

/// A quick task on a slow network does not mean that the agent holds its events back.
#[test]
fn a_slow_network_does_not_make_a_burst_of_a_quick_stream() {
    let mut options = version("");
    options.prompts.set(Behaviour::Stream, "tck-stream-002".to_owned());
    let told = outcomes(&check(&[], Network { seed: 1, least_ms: 400.0, varies_ms: 0.0 }, options));
    assert_eq!(told.get("stream.incremental@jsonrpc-1.0"), Some(&Outcome::Inconclusive));
}

/// Holds back requests, each for a time that is chosen by its URL and body, and their answers for as long if asked to.
struct Delayed<F> {
    inner: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    /// How long a request is held back, in milliseconds.
    delay_ms: F,
    delays_answers: bool,
}

impl<F: Fn(&Request) -> f64> Transport for Delayed<F> {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let ms = (self.delay_ms)(&request);
        let (inner, clock, delays_answers) = (Rc::clone(&self.inner), Rc::clone(&self.clock), self.delays_answers);
        async move {
            clock.sleep(ms).await;
            let answer = inner.send(request).await?;
            if delays_answers {
                clock.sleep(ms).await;
            }
            Ok(answer)
        }
        .boxed_local()
    }
}

/// The scripted agent behind a network that holds back some requests.
fn delayed(faults: &[&str], delay_ms: impl Fn(&Request) -> f64 + 'static) -> (Host, JumpClock) {
    let (mut host, clock) = host(faults);
    let (inner, own_clock) = (host.transport, Rc::clone(&host.clock));
    host.transport = Rc::new(Delayed { inner, clock: own_clock, delay_ms, delays_answers: false });
    (host, clock)
}

/// The body of a request as text.
fn body(request: &Request) -> String {
    String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()).into_owned()
}

/// Of what a stream took, the way of an answer is taken off as it is when the stream is there, and not as it was at first.
#[test]
fn a_network_that_becomes_slow_does_not_make_a_burst_of_a_quick_stream() {
    for (faults, text, outcome) in [
        (&[] as &[&str], "tck-stream-002", Outcome::Inconclusive),
        (&["stream-burst"], "tck-stream-002", Outcome::Inconclusive),
        (&["stream-burst"], "long-running start process", Outcome::Fail),
    ] {
        // Answers at once until the first stream, and from then on only after a time.
        let is_tired = Cell::new(false);
        let (host, clock) = delayed(faults, move |request| {
            let streams = request.headers.get("accept").is_some_and(|accept| accept.contains("text/event-stream"));
            is_tired.set(is_tired.get() || streams);
            if is_tired.get() { 800.0 } else { 0.0 }
        });
        let mut options = version("");
        options.prompts.set(Behaviour::Stream, text.to_owned());
        let told = outcomes(&check_on(host, &clock, options));
        assert_eq!(told.get("stream.incremental@jsonrpc-1.0"), Some(&outcome), "{faults:?} {text}");
    }
}

/// Checks the scripted agent with a task to cancel that this text makes.
fn check_cancel(faults: &[&str], network: Network, text: &str) -> BTreeMap<String, Outcome> {
    let mut options = version("");
    options.prompts.set(Behaviour::Cancel, text.to_owned());
    outcomes(&check(faults, network, options))
}

const AT_ONCE: [&str; 2] = ["send.return-immediately@jsonrpc-1.0", "send.return-immediately@rest-1.0"];

/// A message may be long under way to an agent that answers it at once, and an agent may think before it makes a task of it.
/// With a quick task one cannot tell whether the agent waited for its end.
#[test]
fn a_late_answer_with_a_finished_task_does_not_show_that_the_agent_waited() {
    let waits = ["return-immediately-ignored"];
    for ms in [0.0, 3_000.0, 10_000.0] {
        let (mut host, clock) = host(&waits);
        // The messages that ask for an answer at once, and their answers, are held back.
        let delay_ms =
            move |request: &Request| if body(request).contains(r#""returnImmediately":true"#) { ms } else { 0.0 };
        let (inner, own_clock) = (host.transport, Rc::clone(&host.clock));
        host.transport = Rc::new(Delayed { inner, clock: own_clock, delay_ms, delays_answers: true });
        let mut options = version("");
        options.prompts.set(Behaviour::Cancel, "task-lifecycle and quickly".to_owned());
        let told = outcomes(&check_on(host, &clock, options));
        assert_eq!(AT_ONCE.map(|row| told.get(row).copied()), [Some(Outcome::Inconclusive); 2], "held for {ms} ms");
    }
    for varies_ms in [40.0, 3_000.0] {
        let network = Network { seed: 7, least_ms: varies_ms * 3.0, varies_ms };
        let told = check_cancel(&waits, network, "task-lifecycle and quickly");
        assert_eq!(AT_ONCE.map(|row| told.get(row).copied()), [Some(Outcome::Inconclusive); 2], "{varies_ms} ms");
    }
}

/// That it waits shows in what it lists meanwhile, and not in how long it took.
#[test]
fn an_agent_that_waits_is_found_whether_its_work_takes_a_second_or_many() {
    for text in ["long-running start process", "task-cancel start"] {
        // A second is over before three answers have come on a network that takes half of it for each.
        for varies_ms in [0.0, 20.0, 40.0] {
            let network = Network { seed: 3, least_ms: varies_ms, varies_ms };
            let told = check_cancel(&["return-immediately-ignored"], network, text);
            assert_eq!(AT_ONCE.map(|row| told.get(row).copied()), [Some(Outcome::Fail); 2], "{text}: {varies_ms} ms");
            let told = check_cancel(&[], network, text);
            assert_eq!(AT_ONCE.map(|row| told.get(row).copied()), [Some(Outcome::Pass); 2], "{text}: {varies_ms} ms");
        }
    }
}

/// A stream that is late with its end shows nothing of an agent that is late with everything.
#[test]
fn a_stream_is_blamed_for_staying_open_only_where_calls_are_answered_in_less_time() {
    for (at, row) in [("", "stream.closes-on-terminal@jsonrpc-1.0"), ("/0.3", "stream.final-ends@jsonrpc-0.3")] {
        for (least_ms, outcome) in [(0.0, Outcome::Fail), (200.0, Outcome::Fail), (1_000.0, Outcome::Inconclusive)] {
            let network = Network { seed: 5, least_ms, varies_ms: 1.0 };
            let told = outcomes(&check(&["stream-stays-open"], network, version(at)));
            assert_eq!(told.get(row), Some(&outcome), "{at}: {least_ms} ms");
            let told = outcomes(&check(&[], network, version(at)));
            assert_eq!(told.get(row), Some(&Outcome::Pass), "{at}: {least_ms} ms");
        }
    }
}

#[test]
fn subscribers_who_were_not_there_together_are_not_compared() {
    for (faults, expected) in [(&[] as &[&str], Outcome::Pass), (&["subscribers-share-events"], Outcome::Fail)] {
        for ms in (0..=3_000).step_by(100) {
            // Of two subscriptions to the same task the one that was sent first is kept back.
            let kept_back = RefCell::new(BTreeSet::new());
            let (host, clock) = delayed(faults, move |request| {
                let body: serde_json::Value = serde_json::from_str(&body(request)).unwrap_or_default();
                let is_first = body["method"] == "SubscribeToTask"
                    && kept_back.borrow_mut().insert(body["params"]["id"].to_string());
                if is_first { f64::from(ms) } else { 0.0 }
            });
            let options = Options { only: vec!["subscribe.*".to_owned()], ..version("") };
            let outcome = outcomes(&check_on(host, &clock, options))["subscribe.multi-broadcast@jsonrpc-1.0"];
            // Later than that, the task may be over before both are there.
            if ms <= 1_000 {
                assert_eq!(outcome, expected, "{faults:?}: {ms} ms");
            } else if faults.is_empty() {
                assert_ne!(outcome, Outcome::Fail, "{ms} ms");
            }
        }
    }
}

/// A cancel that is answered when such tasks are about to end may have met the end: what it shows then is chance.
#[test]
fn a_cancel_that_is_answered_late_accuses_nobody() {
    for (fault, row, late, note) in [
        ("cancel-says-completed", "cancel.matches-get", Outcome::Inconclusive, "the cancel was answered so late"),
        ("get-rewrites-canceled", "task.one-end", Outcome::Pass, "met once in this run"),
    ] {
        for ms in [0.0, 700.0] {
            let (host, clock) =
                delayed(&[fault], move |request| if body(request).contains("CancelTask") { ms } else { 0.0 });
            let mut options = version("");
            options.prompts.set(Behaviour::Cancel, "long-running start process".to_owned());
            let told = check_on(host, &clock, options);
            let result = told.results.iter().find(|result| result.row.key() == format!("{row}@jsonrpc-1.0"));
            let verdict = result.map(|result| &result.verdict).expect("the row is there");
            let expected = if ms > 0.0 { late } else { Outcome::Fail };
            assert_eq!(verdict.outcome, expected, "{fault} {ms} ms: {}", verdict.message);
            assert_eq!(verdict.message.contains(note), ms > 0.0, "{fault} {ms} ms: {}", verdict.message);
        }
    }
}

/// Whether an operation exists does not depend on whether the task was over when it was called.
#[test]
fn a_subscription_that_does_not_exist_is_judged_alike_when_it_came_too_late() {
    for at in ["", "/0.3", "/0.2"] {
        let (host, clock) = delayed(&["subscribe-missing"], |request| {
            let text = format!("{} {}", request.url, body(request));
            let subscribes =
                ["SubscribeToTask", ":subscribe", "tasks/resubscribe"].iter().any(|name| text.contains(name));
            if subscribes { 5_000.0 } else { 0.0 }
        });
        let late = outcomes(&check_on(host, &clock, version(at)));
        let differs = |(row, outcome): &(&String, &Outcome)| {
            row.starts_with("subscribe.") && row.contains("@jsonrpc") && late.get(*row) != Some(*outcome)
        };
        let without = outcomes(&check(&["subscribe-missing"], NONE, version(at)));
        let differences: Vec<_> = without.iter().filter(differs).map(|(row, was)| (row, was, late.get(row))).collect();
        assert!(differences.is_empty(), "{at}: {differences:?}");
    }
}

/// Shows a task as older in the first reading behind a subscription than it is.
struct Moved {
    inner: Rc<dyn Transport>,
    is_next: Rc<Cell<bool>>,
}

impl Transport for Moved {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let body = body(&request);
        if body.contains("SubscribeToTask") {
            self.is_next.set(true);
        }
        let is_first = body.contains("GetTask") && self.is_next.replace(false);
        let sent = self.inner.send(request);
        async move {
            let mut answer = sent.await?;
            if is_first {
                let text = |chunk: Vec<u8>| String::from_utf8_lossy(&chunk).into_owned();
                let older = move |chunk: Result<Vec<u8>, String>| {
                    chunk.map(|chunk| text(chunk).replace("\"timestamp\":\"20", "\"timestamp\":\"19").into_bytes())
                };
                answer.body = answer.body.map(older).boxed_local();
            }
            Ok(answer)
        }
        .boxed_local()
    }
}

/// An agent may notice only a moment later that nobody listens any more.
#[test]
fn a_task_that_stands_still_after_a_moment_stands_still() {
    for moves in [false, true] {
        let (mut host, clock) = host(&["disconnect-stops"]);
        if moves {
            host.transport = Rc::new(Moved { inner: host.transport, is_next: Rc::default() });
        }
        let told = check_on(host, &clock, version(""));
        let row = "subscribe.task-moves-on@jsonrpc-1.0";
        assert_eq!(outcomes(&told).get(row), Some(&Outcome::Fail), "{moves}");
    }
    // Without a subscription that hangs, the task is not read for as long as a scenario may take.
    let (host, clock) = host(&["disconnect-stops", "subscribe-missing"]);
    let told = check_on(host, &clock, version("/0.2"));
    let settled =
        told.exchanges.iter().filter(|exchange| exchange.scenario == "subscribe" && exchange.step == "settled");
    let sent: Vec<_> = settled.filter(|exchange| exchange.lane.as_deref() == Some("jsonrpc-0.2")).collect();
    let read_ms = sent.last().zip(sent.first()).map_or(0.0, |(last, first)| last.sent_ms - first.sent_ms);
    assert!((10_000.0..30_000.0).contains(&read_ms), "{read_ms} ms");
}

#[test]
fn a_task_that_was_not_watched_for_long_may_end_yet() {
    let options = |timeout_ms| Options { timeout_ms, only: vec!["raise.*".to_owned()], ..Options::default() };
    for (timeout_ms, expected) in [(60_000.0, Outcome::Note), (8_000.0, Outcome::Inconclusive)] {
        let told = check(&["raise-left-working"], NONE, options(timeout_ms));
        for lane in ["jsonrpc-1.0", "rest-1.0"] {
            assert_eq!(outcomes(&told).get(&format!("raise.task-ends@{lane}")), Some(&expected), "{lane}");
        }
    }
}
