//! Calls that an agent never answers, or answers late: what a run costs then, what it says, and that an agent which is only slow gets the
//! verdicts that it would get if everybody had all the time there is.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::timeouts::{TimeoutOverrides, Timeouts};
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Clock, Host, StreamedResponse, Transport};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use crate::support::{FinishedRun, check_at, check_on, host};

/// How long each answer takes, by the number of the request from 1 and its URL and body.
type Delay = Rc<dyn Fn(usize, &str) -> f64>;

/// Whether a request sends a message.
fn sends(request: &str) -> bool {
    ["message:s", "message/s", "SendMessage", "SendStreamingMessage"].iter().any(|name| request.contains(name))
}

/// Whether a request subscribes to a task.
fn subscribes(request: &str) -> bool {
    ["SubscribeToTask", ":subscribe", "tasks/resubscribe"].iter().any(|name| request.contains(name))
}

/// Answers late.
struct Late {
    inner: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    delay_ms: Delay,
    count: Cell<usize>,
}

impl Transport for Late {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        self.count.set(self.count.get() + 1);
        let body = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default());
        let text = format!("{} {body}", request.url);
        let sleep = self.clock.sleep((self.delay_ms)(self.count.get(), &text));
        let answer = self.inner.send(request);
        async move {
            sleep.await;
            answer.await
        }
        .boxed_local()
    }
}

/// Checks the agent at that place, which answers late.
fn check_late(at: &str, options: Options, delay_ms: Delay) -> FinishedRun {
    let (plain, clock) = host(&[]);
    let transport =
        Late { inner: Rc::clone(&plain.transport), clock: Rc::clone(&plain.clock), delay_ms, count: Cell::default() };
    let options = Options { address: format!("{}{at}", crate::support::AGENT), ..options };
    check_on(Host { transport: Rc::new(transport), ..plain }, &clock, options)
}

/// The options of a run in which every call has all the time there is, as if its user had said so.
fn unlimited() -> Options {
    Options { timeouts: Timeouts { least_ms: f64::INFINITY, ..Timeouts::default() }, ..Options::default() }
}

/// Every result, without what depends on when it was seen.
fn outcomes(told: &FinishedRun) -> BTreeMap<String, Outcome> {
    told.results.iter().map(|result| (result.row.key(), result.verdict.outcome)).collect()
}

/// The rows that fail, with their levels and what came.
fn failing(told: &FinishedRun) -> Vec<(String, Level, String)> {
    let failed = told.results.iter().filter(|result| result.verdict.outcome == Outcome::Fail);
    failed.map(|result| (result.row.key(), result.level, result.verdict.actual.clone().unwrap_or_default())).collect()
}

/// What a run says of whether calls are answered, by lanes.
fn answers(told: &FinishedRun) -> Vec<(Outcome, String)> {
    let rows = told.results.iter().filter(|result| result.row.check.id == "transport.answers");
    rows.map(|result| (result.verdict.outcome, result.verdict.message.clone())).collect()
}

#[test]
fn a_call_that_is_never_answered_costs_a_run_one_full_wait_and_is_advice() {
    // The fault, at which version, how long a run may take at most in seconds, and what else fails of level must.
    let cases: [(&str, &str, f64, &[&str]); 7] = [
        ("stream-to-task-hangs", "", 60.0, &["stream.terminal-task", "stream.unknown-task"]),
        ("stream-to-task-hangs", "/0.3", 60.0, &[]),
        ("subscribe-over-hangs", "", 60.0, &["subscribe.not-found", "subscribe.terminal"]),
        ("subscribe-over-hangs", "/0.3", 60.0, &[]),
        ("subscribe-at-work-hangs", "", 120.0, &[]),
        ("subscribe-at-work-hangs", "/0.3", 120.0, &[]),
        ("cancel-hangs", "", 120.0, &["cancel.terminal-refused"]),
    ];
    for (fault, at, most_s, musts) in cases {
        let usual_ms = check_at(at, &[], Options::default()).duration_ms;
        let told = check_at(at, &[fault], Options::default());
        let taken_s = (told.duration_ms - usual_ms) / 1000.0;
        println!("{fault} {at}: {taken_s} s more, {:?}", failing(&told));
        assert!(taken_s <= most_s, "{fault} {at}: {taken_s} s");
        for (row, level, actual) in failing(&told) {
            let check = row.split('@').next().unwrap_or_default();
            assert!(actual.starts_with("no answer within the "), "{fault} {at}: {row}: {actual}");
            let expected_level = if check == "transport.answers" { Level::Should } else { Level::Must };
            assert!(level != Level::Must || musts.contains(&check), "{fault} {at}: {row}");
            assert!(check != "transport.answers" || level == expected_level);
        }
        let failed: Vec<_> = failing(&told).into_iter().map(|(row, ..)| row).collect();
        for check in musts.iter().chain(&["transport.answers"]) {
            assert!(
                failed.iter().any(|row| row.starts_with(&format!("{check}@"))),
                "{fault} {at}: {check}: {failed:?}"
            );
        }
        assert!(
            answers(&told).iter().all(|(outcome, _)| *outcome == Outcome::Fail),
            "{fault} {at}: {:?}",
            answers(&told)
        );
    }
}

#[test]
fn of_many_calls_that_are_never_answered_one_is_waited_for_to_the_end() {
    let told = check_at("", &["list-hangs"], Options::default());
    let patient = check_at("", &["list-hangs"], unlimited());
    assert!(told.duration_ms < patient.duration_ms * 0.6, "{} of {} ms", told.duration_ms, patient.duration_ms);
    for lane in ["jsonrpc-1.0", "rest-1.0"] {
        let of_lane = told.exchanges.iter().filter(|exchange| exchange.lane.as_deref() == Some(lane));
        let whole = of_lane.filter(|exchange| exchange.duration_ms() > 40_000.0).count();
        // Two more may have been under way already.
        assert!((1..=3).contains(&whole), "{lane}: {whole}");
    }
    assert!(answers(&told).iter().all(|(outcome, _)| *outcome == Outcome::Fail), "{:?}", answers(&told));
    let musts = failing(&told).into_iter().filter(|(_, level, _)| *level == Level::Must);
    assert_eq!(musts.collect::<Vec<_>>(), Vec::new(), "no must asks for a list within a time");
}

#[test]
fn an_agent_that_is_only_slow_gets_the_verdicts_of_unlimited_patience() {
    let unlimited =
        || Options { timeouts: Timeouts { least_ms: f64::INFINITY, ..Timeouts::default() }, ..Options::default() };
    // Every answer takes three seconds, and what makes it work forty; reads are quick, and work takes forty; one kind of call is slow.
    let delays: [fn(usize, &str) -> f64; 3] = [
        |_, request| if sends(request) { 40_000.0 } else { 3_000.0 },
        |_, request| if sends(request) { 40_000.0 } else { 10.0 },
        |_, request| if subscribes(request) { 8_000.0 } else { 10.0 },
    ];
    for (index, delay_ms) in delays.into_iter().enumerate() {
        for at in ["", "/0.3"] {
            let told = check_late(at, Options::default(), Rc::new(delay_ms));
            let patient = check_late(at, unlimited(), Rc::new(delay_ms));
            assert_eq!(outcomes(&told), outcomes(&patient), "{index} {at}");
            assert!(
                failing(&told).iter().all(|(row, ..)| !row.starts_with("transport.answers")),
                "{:?}",
                failing(&told)
            );
        }
    }
}

#[test]
fn an_agent_that_answers_nothing_any_more_is_not_blamed_for_the_call_at_which_that_began() {
    let is_silent = Cell::new(false);
    let told = check_late(
        "",
        Options::default(),
        Rc::new(move |_, text| {
            let is_early = text.contains("\"returnImmediately\":true") && text.contains("\"taskId\"");
            is_silent.set(is_silent.get() || is_early);
            if is_silent.get() { 1e9 } else { 0.0 }
        }),
    );
    let found = outcomes(&told).remove("input-required.not-blocking@jsonrpc-1.0");
    assert!(matches!(found, Some(Outcome::Blocked | Outcome::Inconclusive)), "{found:?}");
}

#[test]
fn an_answer_that_is_late_once_changes_no_verdict() {
    let usual = outcomes(&check_late("", Options::default(), Rc::new(|_, _| 1.0)));
    let requests = check_late("", Options::default(), Rc::new(|_, _| 1.0)).exchanges.len();
    // As long as an agent stops for a garbage collection, and longer than a call that costs no work is waited for at first.
    for (late_ms, first) in [(150.0, 5), (2_000.0, 11), (8_000.0, 3)] {
        for nth in (first..requests).step_by(37) {
            let delay_ms = move |count, request: &str| if count == nth && !sends(request) { late_ms } else { 1.0 };
            let told = check_late("", Options::default(), Rc::new(delay_ms));
            assert_eq!(outcomes(&told), usual, "request {nth} came {late_ms} ms late");
        }
    }
}

#[test]
fn what_may_only_take_long_is_left_open_and_a_limit_of_the_user_holds_for_everything() {
    // The agent works longer than we wait, and always did: that is not silence.
    let works = |count: usize, request: &str| match (sends(request), count > 60) {
        (true, true) => 90_000.0,
        (true, false) => 20_000.0,
        (false, _) => 5.0,
    };
    let told = check_late("", Options::default(), Rc::new(works));
    assert!(answers(&told).iter().any(|(outcome, _)| *outcome == Outcome::Inconclusive), "{:?}", answers(&told));
    for (outcome, message) in answers(&told) {
        assert!(outcome != Outcome::Fail && outcome != Outcome::Note, "{message}");
        assert!(outcome == Outcome::Pass || message.contains("--timeout"), "{message}");
    }
    assert!(failing(&told).iter().all(|(_, level, _)| *level != Level::Must), "{:?}", failing(&told));

    for seconds in [2.0, 70.0] {
        let said = TimeoutOverrides { scenario: Some(seconds * 1000.0), ..TimeoutOverrides::default() };
        let (timeout_ms, timeouts) = said.settle();
        let options = Options { timeout_ms, timeouts, ..Options::default() };
        let told = check_at("", &["list-hangs"], options);
        let waits =
            told.exchanges.iter().filter(|exchange| exchange.step == "list").map(|exchange| exchange.duration_ms());
        let longest_ms = waits.fold(0.0, f64::max);
        assert!((seconds * 1000.0 - longest_ms).abs() < 500.0, "{seconds} s: {longest_ms} ms");
    }
}
