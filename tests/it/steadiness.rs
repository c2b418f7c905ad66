//! The same agent gets the same verdict: an ordinary agent whose tasks take a given time, fixed or not, behind a network that delays every
//! answer by another time, and with a process that stands still for a moment now and then. `make stability` does the same with real
//! agents; here it costs no time.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use a2a_conformance::agent::ScriptedAgent;
use a2a_conformance::agent::fault::Faults;
use a2a_conformance::agent::loopback::Loopback;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::prompt::Behaviour;
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::verdict::{Outcome, Status};
use a2a_conformance::host::native::RingVerifier;
use a2a_conformance::host::{Clock, Host, StreamedResponse, Transport, Visibility};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt};

use crate::support::{AGENT, CountedIds, FinishedRun, JumpClock, check_on};
use crate::timing::Jitter;

/// How long an ordinary task of the scripted agent takes by its own clock, in milliseconds.
const SCRIPTED_MS: f64 = 60.0;

/// A clock by which the agent's tasks take another time, and by which no two take the same if it is told to be uneven: it is slower or
/// faster from one stretch of time to the next.
struct AgentClock {
    inner: Rc<dyn Clock>,
    takes_ms: f64,
    uneven: f64,
    seed: u64,
    /// The agent's time at the beginning of each stretch so far.
    beginnings: RefCell<Vec<f64>>,
}

/// The length of a stretch, in milliseconds.
const STRETCH_MS: f64 = 25.0;

impl AgentClock {
    /// How much of the agent's time passes in a millisecond of that stretch.
    fn speed(&self, stretch: usize) -> f64 {
        let random = Jitter::new(self.seed + 7 * stretch as u64).next();
        SCRIPTED_MS / (self.takes_ms * (1.0 + self.uneven * (2.0 * random - 1.0)))
    }

    fn beginning(&self, stretch: usize) -> f64 {
        let mut beginnings = self.beginnings.borrow_mut();
        while beginnings.len() <= stretch {
            let last = beginnings.len() - 1;
            let next = beginnings[last] + STRETCH_MS * self.speed(last);
            beginnings.push(next);
        }
        beginnings[stretch]
    }

    /// When it will be that time for the agent.
    fn real_ms(&self, agent_ms: f64) -> f64 {
        let mut stretch = (self.inner.now_ms() / STRETCH_MS) as usize;
        while self.beginning(stretch + 1) < agent_ms {
            stretch += 1;
        }
        stretch as f64 * STRETCH_MS + (agent_ms - self.beginning(stretch)) / self.speed(stretch)
    }
}

impl Clock for AgentClock {
    fn now_ms(&self) -> f64 {
        let now_ms = self.inner.now_ms();
        let stretch = (now_ms / STRETCH_MS) as usize;
        self.beginning(stretch) + (now_ms - stretch as f64 * STRETCH_MS) * self.speed(stretch)
    }

    fn wall_ms(&self) -> f64 {
        self.inner.wall_ms() - self.inner.now_ms() + self.now_ms()
    }

    fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        let until_ms = self.real_ms(self.now_ms() + ms);
        self.inner.sleep((until_ms - self.inner.now_ms()).max(0.0))
    }
}

/// What is between a checker and an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Load {
    Quiet,
    /// Every request, answer and event is late by up to so many milliseconds.
    Busy(f64),
    /// The process stands still for 10 to 150 ms, again and again.
    Hiccups,
}

/// Brings requests to the agent, and answers back, under a load.
struct Loaded {
    inner: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    jitter: Rc<Jitter>,
    load: Load,
    /// When the process stands still and when it goes on, in order.
    stops: Rc<Vec<(f64, f64)>>,
}

/// The times at which a process stands still in the first minutes.
fn stops(seed: u64) -> Vec<(f64, f64)> {
    let jitter = Jitter::new(seed);
    let mut now_ms = 0.0;
    let mut stops = Vec::new();
    while now_ms < 300_000.0 {
        let begins_ms = now_ms + 50.0 + 450.0 * jitter.next();
        now_ms = begins_ms + 10.0 + 140.0 * jitter.next();
        stops.push((begins_ms, now_ms));
    }
    stops
}

/// For how long nothing passes now, in milliseconds.
fn held_ms(load: Load, now_ms: f64, jitter: &Jitter, stops: &[(f64, f64)]) -> f64 {
    match load {
        Load::Quiet => 0.5 + jitter.next(),
        Load::Busy(most_ms) => most_ms * jitter.next(),
        Load::Hiccups => {
            let stop = stops.iter().find(|(begins_ms, ends_ms)| (*begins_ms..*ends_ms).contains(&now_ms));
            0.5 + stop.map_or(0.0, |(_, ends_ms)| ends_ms - now_ms)
        }
    }
}

impl Transport for Loaded {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (inner, clock, jitter) = (Rc::clone(&self.inner), Rc::clone(&self.clock), Rc::clone(&self.jitter));
        let (load, stops) = (self.load, Rc::clone(&self.stops));
        let hold = move || clock.sleep(held_ms(load, clock.now_ms(), &jitter, &stops));
        async move {
            hold().await;
            let mut answer = inner.send(request).await?;
            hold().await;
            answer.body = answer
                .body
                .then(move |chunk| {
                    let held = hold();
                    async move {
                        held.await;
                        chunk
                    }
                })
                .boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

/// An ordinary agent: no words are known that make it do anything but its usual work.
#[derive(Clone, Copy, Debug)]
struct Ordinary<'a> {
    /// How long its tasks take, in milliseconds, and by what share of it that differs.
    takes_ms: f64,
    uneven: f64,
    /// The version, as the path of its agent.
    at: &'a str,
    fault: Option<&'a str>,
}

/// Checks it under a load. Two runs with different seeds meet different moments.
fn check(agent: Ordinary<'_>, load: Load, seed: u64, options: Options) -> FinishedRun {
    let clock = JumpClock::default();
    let shared: Rc<dyn Clock> = Rc::new(clock.clone());
    let own: Rc<dyn Clock> = Rc::new(AgentClock {
        inner: Rc::clone(&shared),
        takes_ms: agent.takes_ms.max(0.5),
        uneven: agent.uneven,
        seed,
        beginnings: RefCell::new(vec![0.0]),
    });
    let faults = Faults::parse(agent.fault).expect("a known fault");
    let scripted = ScriptedAgent::new(AGENT, own, Rc::new(CountedIds::from(1_000_000)), faults);
    let host = Host {
        transport: Rc::new(Loaded {
            inner: Rc::new(Loopback::new(scripted)),
            clock: Rc::clone(&shared),
            jitter: Rc::new(Jitter::new(seed)),
            load,
            stops: Rc::new(stops(seed)),
        }),
        clock: shared,
        ids: Rc::new(CountedIds::default()),
        verifier: Rc::new(RingVerifier),
        visibility: Visibility::FULL,
        prober: None,
        webhooks: None,
        beacon: None,
    };
    // Words that are not keywords of the scripted agent, for everything that an ordinary agent would be asked for.
    let mut options = Options { address: format!("{AGENT}{}", agent.at), ..options };
    for behaviour in [Behaviour::Complete, Behaviour::Stream, Behaviour::Cancel, Behaviour::LongRunning] {
        options.prompts.set(behaviour, "Tell me something".to_owned());
    }
    check_on(host, &clock, options)
}

/// Status and reason of every row, and its level.
type Rows = BTreeMap<String, (Status, Option<&'static str>, Level)>;

fn rows(told: &FinishedRun) -> Rows {
    let row = |result: &Rc<a2a_conformance::engine::event::CheckResult>| {
        let outcome = result.verdict.outcome;
        (result.row.key(), (outcome.status(), outcome.reason(), result.level))
    };
    told.results.iter().map(row).collect()
}

/// Every row that is not the same in all of these runs, with what it was.
fn differences(runs: &[(String, Rows)]) -> Vec<String> {
    let Some((_, first)) = runs.first() else { return Vec::new() };
    let differs = |row: &&String| runs.iter().any(|(_, rows)| rows.get(*row) != first.get(*row));
    let told = |row: &String| {
        let each = runs.iter().map(|(name, rows)| match rows.get(row) {
            Some((status, reason, _)) => format!("{name}: {} {}", status.as_str(), reason.unwrap_or_default()),
            None => format!("{name}: no row"),
        });
        format!("{row}\n    {}", each.collect::<Vec<_>>().join("\n    "))
    };
    first.keys().filter(differs).map(told).collect()
}

/// The loads of a run of each, with the seeds that choose the moments.
fn loads(runs: u64) -> Vec<(Load, u64)> {
    let of_seed = |seed| {
        [
            (Load::Quiet, seed),
            (Load::Busy(8.0), seed),
            (Load::Busy(30.0), seed),
            (Load::Hiccups, seed),
            (Load::Hiccups, seed + 100),
        ]
    };
    (1..=runs).flat_map(of_seed).collect()
}

/// `STEADINESS_RUNS` makes more runs of each, for who looks for what is rare.
fn runs() -> u64 {
    std::env::var("STEADINESS_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(1)
}

#[test]
fn no_row_depends_on_the_moment() {
    let mut found = Vec::new();
    let differing = Cell::new(0);
    for at in ["", "/0.3"] {
        for takes_ms in [0.0, 5.0, 20.0, 50.0, 100.0, 200.0, 400.0, 1_000.0] {
            for uneven in [0.0, 0.5] {
                let agent = Ordinary { takes_ms, uneven, at, fault: None };
                let seen: Vec<_> = loads(runs())
                    .into_iter()
                    .map(|(load, seed)| {
                        let told = check(agent, load, seed, Options::default());
                        (format!("{load:?} {seed}, {} messages", told.tally.messages), rows(&told))
                    })
                    .collect();
                assert!(seen.iter().all(|(_, rows)| rows.len() > 60));
                let differences = differences(&seen);
                differing.set(differing.get() + differences.len());
                found.extend(differences.into_iter().map(|difference| format!("{agent:?}: {difference}")));
            }
        }
    }
    assert!(found.is_empty(), "{} rows differ\n{}", differing.get(), found.join("\n"));
}

/// An agent that overwrites the end of a task for a moment is never blamed for it at must, whatever a run meets; a thorough one tells how
/// often. One that always does so is blamed in every run.
#[test]
fn what_only_chance_meets_is_a_rate_and_what_always_happens_is_a_must() {
    let of = |fault| Ordinary { takes_ms: 60.0, uneven: 0.0, at: "", fault: Some(fault) };
    for (load, seed) in loads(2) {
        let told = check(of("cancel-overwrites-just-finished"), load, seed, Options::default());
        let musts: Vec<_> = told
            .results
            .iter()
            .filter(|result| result.level == Level::Must && result.verdict.outcome == Outcome::Fail)
            .map(|result| format!("{}: {}", result.row.key(), result.verdict.message))
            .collect();
        assert_eq!(musts, [""; 0], "{load:?} {seed}");
        let tripped = check(of("cancel-overwrites-finished"), load, seed, Options::default()).tripped();
        for check in ["cancel.terminal-refused", "task.terminal-immutable"] {
            assert!(tripped.contains(&check), "{load:?} {seed}: {tripped:?}");
        }
    }
    let thorough = Options { is_thorough: true, ..Options::default() };
    let told = check(of("cancel-overwrites-just-finished"), Load::Quiet, 1, thorough);
    let rate = told.results.iter().find(|result| result.row.check.id == "cancel.at-end").expect("a row");
    assert_eq!((rate.verdict.outcome, rate.level), (Outcome::Fail, Level::Should), "{}", rate.verdict.message);
    assert!(rate.verdict.message.contains(" of 12 cancels a task that was "), "{}", rate.verdict.message);
}
