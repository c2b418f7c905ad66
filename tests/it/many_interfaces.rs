//! Agents whose cards list more than a run can look at: which interfaces are called, what is said of the others, and what it costs.
//! Nothing here is timed: what is counted are rows, requests and turns.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use a2a_conformance::engine::event::{Completion, Event};
use a2a_conformance::engine::options::{Options, Source};
use a2a_conformance::engine::run::run;
use a2a_conformance::engine::timeouts::Timeouts;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Clock, Host, StreamedResponse, Transport};
use a2a_conformance::report::{ConformanceLevel, Environment, Report, ReportBuilder, VerdictWord, headline};
use a2a_conformance::suite;
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::support::{AGENT, FinishedRun, JumpClock, check_on, host};

/// A transport to the agent, whose card lists its first interface so many times, each at a place of its own.
struct Copied {
    agent: Rc<dyn Transport>,
    copies: usize,
}

/// The path below which the agent is found once more.
fn copy(number: usize) -> String {
    format!("{AGENT}/copy-{number}")
}

impl Transport for Copied {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if let Some((number, path)) =
            request.url.strip_prefix(&format!("{AGENT}/copy-")).and_then(|rest| rest.split_once('/'))
        {
            assert!(number.parse::<usize>().is_ok(), "{}", request.url);
            request.url = format!("{AGENT}/{path}");
        }
        let is_card = request.url.ends_with("agent-card.json");
        let (answer, copies) = (self.agent.send(request), self.copies);
        async move {
            let answer = answer.await?;
            if !is_card {
                return Ok(answer);
            }
            let chunks: Vec<_> = answer.body.collect().await;
            let body = chunks.into_iter().collect::<Result<Vec<_>, _>>().expect("a whole card").concat();
            let mut body = body;
            if let Ok(mut card) = serde_json::from_slice::<Value>(&body) {
                let first = card["supportedInterfaces"][0].clone();
                let path = first["url"].as_str().unwrap().strip_prefix(AGENT).unwrap().to_owned();
                let at = |number| {
                    let mut interface = first.clone();
                    interface["url"] = Value::from(format!("{}{path}", copy(number)));
                    interface
                };
                card["supportedInterfaces"] = (1..=copies).map(at).collect();
                body = card.to_string().into_bytes();
            }
            Ok(StreamedResponse { head: answer.head, body: iter([Ok(body)]).boxed_local() })
        }
        .boxed_local()
    }
}

/// Checks the scripted agent with so many interfaces.
fn checked(copies: usize, options: Options) -> FinishedRun {
    let (plain, clock) = host(&[]);
    let transport = Rc::new(Copied { agent: Rc::clone(&plain.transport), copies });
    check_on(Host { transport, ..plain }, &clock, options)
}

fn report(told: &FinishedRun) -> Report {
    let mut builder = ReportBuilder::new(Environment::default());
    told.events.iter().for_each(|event| builder.apply(event));
    builder.report()
}

/// The copies that something was sent to.
fn called(told: &FinishedRun) -> Vec<usize> {
    let number = |url: &str| url.strip_prefix(&format!("{AGENT}/copy-"))?.split_once('/')?.0.parse().ok();
    let mut numbers: Vec<usize> = told.exchanges.iter().filter_map(|exchange| number(&exchange.request.url)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[test]
fn an_agent_whose_last_interface_was_not_called_is_not_called_conformant() {
    let told = checked(3, Options { most_interfaces: 2, ..Options::default() });
    assert_eq!(called(&told), [1, 2]);
    let seen = report(&told);
    assert_eq!(seen.tally.failed, 0, "{}", headline(&seen));
    assert_eq!(seen.lanes.len(), 2);
    // The interfaces that were called conform; of the rest nothing is known.
    assert_eq!((seen.word, seen.level()), (VerdictWord::Incomplete, Some(ConformanceLevel::Partial)));
    let why = "2 of the 3 interfaces of the card were checked; to check all of them, run: a2a-conformance check \
               http://agent.test/ --interfaces 3";
    assert_eq!(seen.completion, Some(Completion::Incomplete(why.to_owned())));
    assert!(headline(&seen).contains("--interfaces 3"), "{}", headline(&seen));
    assert_eq!(seen.settings.interfaces, Some(2));
    let unchecked = &seen.agent.as_ref().unwrap().silent_interfaces;
    let [(name, reason)] = unchecked.as_slice() else { panic!("{unchecked:?}") };
    assert!(name.starts_with(&format!("JSONRPC 1.0 at {}", copy(3))), "{name}");
    assert_eq!(reason, "this run was about no more than 2 interfaces");

    let told = checked(3, Options { most_interfaces: 3, ..Options::default() });
    let seen = report(&told);
    assert_eq!((called(&told), seen.lanes.len()), (vec![1, 2, 3], 3));
    assert_eq!((seen.completion.clone(), seen.level()), (Some(Completion::Complete), Some(ConformanceLevel::Full)));
    assert!(seen.agent.unwrap().silent_interfaces.is_empty());
}

#[test]
fn thousands_of_interfaces_cost_no_more_rows_and_requests_than_sixteen() {
    let only = || Options { only: vec!["get.*".to_owned()], ..Options::default() };
    let (few, many) = (checked(16, only()), checked(5_000, only()));
    assert_eq!(few.completion, Completion::Filtered);
    assert!(matches!(&many.completion, Completion::Incomplete(why) if why.starts_with("16 of the 5000")));
    assert_eq!((many.exchanges.len(), many.results.len()), (few.exchanges.len(), few.results.len()));
    assert_eq!(many.tally.total, few.tally.total);
    assert_eq!(called(&many), (1..=16).collect::<Vec<_>>());
    assert_eq!(report(&many).agent.unwrap().silent_interfaces.len(), 4_984);
}

/// A card with so many interfaces.
fn card(interfaces: usize) -> Vec<u8> {
    let at = |number| json!({ "url": format!("https://h/{number}"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
    let card = json!({
        "name": "n", "description": "d", "version": "1", "capabilities": {}, "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"], "supportedInterfaces": (0..interfaces).map(at).collect::<Value>(),
        "skills": [{ "id": "s", "name": "s", "description": "s", "tags": ["s"] }],
    });
    card.to_string().into_bytes()
}

/// A clock by which every look at it takes so long: a computer that does nothing but compute.
struct BusyClock {
    clock: JumpClock,
    look_ms: f64,
    computed_ms: Cell<f64>,
}

impl Clock for BusyClock {
    fn now_ms(&self) -> f64 {
        self.computed_ms.set(self.computed_ms.get() + self.look_ms);
        self.clock.now_ms() + self.computed_ms.get()
    }

    fn wall_ms(&self) -> f64 {
        self.clock.wall_ms()
    }

    fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        self.clock.sleep(ms)
    }
}

/// Judges a card with sixteen interfaces alone, on a computer for which every look at the clock takes so long: the events, and how
/// often the run gave way.
fn judged_alone(look_ms: f64, run_ms: f64) -> (Vec<Event>, usize) {
    let (plain, clock) = host(&[]);
    let busy = Rc::new(BusyClock { clock: clock.clone(), look_ms, computed_ms: Cell::default() });
    let options = Options {
        address: "card.json".to_owned(),
        source: Source::Card(card(16)),
        timeouts: Timeouts { run_ms, ..Timeouts::default() },
        ..Options::default()
    };
    let events = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&events);
    let emit = Rc::new(move |event| sink.borrow_mut().push(event));
    let mut checking = run(Host { clock: busy, ..plain }, suite::AREAS, options, emit);
    let turns = Cell::new(0);
    clock.block_on(std::future::poll_fn(|context| {
        turns.set(turns.get() + 1);
        checking.poll_unpin(context)
    }));
    (events.take(), turns.get())
}

#[test]
fn a_run_that_only_computes_gives_way_to_whoever_wants_to_stop_it() {
    let (events, turns) = judged_alone(0.0, f64::MAX);
    let rows = events.iter().filter(|event| matches!(event, Event::Judged { .. })).count();
    assert_eq!(turns, 1, "no time has passed");
    // At least one look for each row, and a turn lasts for fifty milliseconds.
    let (busy, turns) = judged_alone(5.0, f64::MAX);
    assert_eq!(busy.iter().filter(|event| matches!(event, Event::Judged { .. })).count(), rows);
    assert!(rows > 1_000 && turns > rows / 10, "{turns} turns for {rows} rows");
}

#[test]
fn a_run_whose_time_is_over_stops_judging_what_it_reads() {
    let (events, _) = judged_alone(100.0, 1_000.0);
    let judged: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Judged { result, .. } => Some(&result.verdict),
            _ => None,
        })
        .collect();
    let not_run: Vec<_> = judged.iter().filter(|verdict| verdict.outcome == Outcome::NotRun).collect();
    // What was recorded may be judged for five seconds more; what the agent would have to be asked for is said to be so anyway.
    assert!(not_run.len() > 5 && not_run.len() < judged.len() / 10, "{} of {}", not_run.len(), judged.len());
    assert!(not_run.iter().all(|verdict| verdict.message == "the run reached its limit of 1 s"));
}
