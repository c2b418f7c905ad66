//! Helpers of the tests: a clock that jumps instead of waiting, ids that count, and runs against the scripted agent.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use a2a_conformance::agent::ScriptedAgent;
use a2a_conformance::agent::fault::{FaultId, Faults};
use a2a_conformance::agent::gateway::{GATEWAY_PATH, Gateway};
use a2a_conformance::agent::loopback::Loopback;
use a2a_conformance::engine::event::{CheckResult, Completion, Event, Tally};
use a2a_conformance::engine::lane_words::remedy;
use a2a_conformance::engine::options::{FixedCredentials, Options};
use a2a_conformance::engine::run::{Areas, run_watched};
use a2a_conformance::engine::user_waits::Waits;
use a2a_conformance::engine::verdict::{Outcome, Status};
use a2a_conformance::host::native::RingVerifier;
pub(crate) use a2a_conformance::host::virtual_clock::VirtualClock as JumpClock;
use a2a_conformance::host::{Clock, Host, IdSource, StreamedResponse, Transport, Visibility};
use a2a_conformance::report::{Environment, Report, ReportBuilder};
use a2a_conformance::suite;
use a2a_conformance::wire::exchange::{Exchange, TransportError};
use a2a_conformance::wire::http::Request;
use futures_util::future::LocalBoxFuture;

use crate::webhook_double::{Delivering, PUBLIC, WebhookDouble};

/// Where the answers of an agent come from that a test changes on their way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Answers {
    /// Its card.
    Card,
    /// Its interface of JSON-RPC.
    JsonRpc,
    /// Its interface of HTTP+JSON.
    HttpJson,
}

/// Notes where a test changed answers, and fails it at the end where it did not: a change that fits nothing shows nothing.
pub(crate) struct Touched {
    expected: &'static [Answers],
    seen: RefCell<BTreeSet<Answers>>,
}

impl Touched {
    /// Of a test that changes answers from all of these places.
    pub(crate) fn at(expected: &'static [Answers]) -> Rc<Self> {
        Rc::new(Self { expected, seen: RefCell::default() })
    }

    /// Notes whether the answer to a request was changed.
    pub(crate) fn note(&self, url: &str, was_changed: bool) {
        let places = [("/.well-known/", Answers::Card), ("/rpc", Answers::JsonRpc), ("/rest", Answers::HttpJson)];
        let place = places.iter().find(|(part, _)| url.contains(part));
        if let Some((_, place)) = place.filter(|_| was_changed) {
            self.seen.borrow_mut().insert(*place);
        }
    }
}

impl Drop for Touched {
    fn drop(&mut self) {
        let seen = self.seen.borrow();
        let is_seen = self.expected.iter().all(|place| seen.contains(place));
        assert!(
            is_seen || std::thread::panicking(),
            "answers of {:?} should be changed, not of {seen:?} only",
            self.expected
        );
    }
}

/// The URL of the tests' scripted agent.
pub(crate) const AGENT: &str = "http://agent.test";

/// The URL when it is reached by https.
pub(crate) const SECURE_AGENT: &str = "https://agent.example.com";

/// Ids that count: the same in every run.
#[derive(Default)]
pub(crate) struct CountedIds(Cell<u64>);

impl CountedIds {
    /// Ids behind this number.
    pub(crate) fn from(number: u64) -> Self {
        Self(Cell::new(number))
    }
}

impl IdSource for CountedIds {
    fn fresh(&self) -> String {
        self.0.set(self.0.get() + 1);
        format!("00000000-0000-4000-8000-{:012}", self.0.get())
    }
}

/// Everything a run told.
pub(crate) struct FinishedRun {
    pub(crate) events: Vec<Event>,
    pub(crate) results: Vec<Rc<CheckResult>>,
    pub(crate) exchanges: Vec<Rc<Exchange>>,
    pub(crate) completion: Completion,
    pub(crate) cause: Option<String>,
    pub(crate) tally: Tally,
    pub(crate) duration_ms: f64,
}

/// A check, and the lane that it judged.
pub(crate) type Place = (&'static str, Option<String>);

fn place(result: &Rc<CheckResult>) -> Place {
    (result.row.check.id, result.row.lane.as_ref().map(|lane| lane.id.clone()))
}

/// Whether a check failed, or noted something.
fn trips(result: &Rc<CheckResult>) -> bool {
    result.verdict.outcome.status() == Status::Fail || result.verdict.outcome == Outcome::Note
}

impl FinishedRun {
    /// The ids of the checks that tripped: failed, or noted something.
    pub(crate) fn tripped(&self) -> Vec<&'static str> {
        let mut ids: Vec<_> =
            self.results.iter().filter(|result| trips(result)).map(|result| result.row.check.id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The checks that tripped, each with the lane on which it did; no lane for what judges the agent.
    pub(crate) fn places(&self) -> BTreeSet<Place> {
        self.results.iter().filter(|result| trips(result)).map(place).collect()
    }

    /// Every check with a verdict of any kind.
    pub(crate) fn judged(&self) -> BTreeSet<Place> {
        self.results.iter().map(place).collect()
    }

    /// The same of the checks that passed.
    pub(crate) fn passed(&self) -> BTreeSet<Place> {
        self.results.iter().filter(|result| result.verdict.outcome == Outcome::Pass).map(place).collect()
    }

    /// The ids of the checks that tripped, with the lane behind an id whose check judged several lanes and did not trip on all of them.
    pub(crate) fn tripped_on_lanes(&self) -> Vec<String> {
        let of_check = |id: &str| {
            let results: Vec<_> = self.results.iter().filter(|result| result.row.check.id == id).cloned().collect();
            let (tripped, quiet): (Vec<_>, Vec<_>) = results.into_iter().partition(trips);
            let lanes: Vec<_> =
                tripped.iter().filter_map(|result| result.row.lane.as_ref()).map(|lane| &lane.id).collect();
            let all = quiet.is_empty() || lanes.is_empty();
            if all { vec![id.to_owned()] } else { lanes.iter().map(|lane| format!("{id}@{lane}")).collect() }
        };
        self.tripped().into_iter().flat_map(of_check).collect()
    }

    /// Every check that tripped, as a user reads it: `check@lane,lane | expected | actual | pointer | fix`. Lanes with the
    /// same words share a line, and values that differ from run to run are masked.
    pub(crate) fn findings(&self) -> Vec<String> {
        let mut findings: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
        for result in self.results.iter().filter(|result| trips(result)) {
            let verdict = &result.verdict;
            // A finding without an expectation says it in its message.
            let expected = verdict.expected.as_ref().or(Some(&verdict.message));
            let cells = [expected, verdict.actual.as_ref(), verdict.pointer.as_ref()];
            let cells = cells.map(|text| text.filter(|text| !text.is_empty()).map_or("-", String::as_str));
            let fix = remedy(result.row.lane.as_deref(), result.row.check.fix, verdict);
            let words = format!("{} | {fix}", masked(&cells.join(" | ")));
            let lanes = findings.entry((result.row.check.id, words)).or_default();
            lanes.extend(result.row.lane.as_ref().map(|lane| lane.id.as_str()));
        }
        findings
            .into_iter()
            .map(|((check, words), mut lanes)| {
                lanes.sort_unstable();
                let at = if lanes.is_empty() { "" } else { "@" };
                format!("{check}{at}{} | {words}", lanes.join(","))
            })
            .collect()
    }
}

/// The report of a run.
pub(crate) fn report_of(told: &FinishedRun) -> Report {
    let mut builder = ReportBuilder::new(Environment::default());
    told.events.iter().for_each(|event| builder.apply(event));
    builder.report()
}

/// A text on one line, with names such as `UUID-1` and `TIME-2` for what differs from run to run: the same thing has the
/// same name.
fn masked(text: &str) -> String {
    let text = text.replace('\n', "\\n");
    let mut seen: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut masked = String::new();
    let mut rest = text.as_str();
    while let Some(character) = rest.chars().next() {
        let length = match SHAPES.iter().find(|(shape, _)| fits(shape, rest.as_bytes())) {
            Some((shape, name)) => {
                let seen = seen.entry(name).or_default();
                let number = seen.iter().position(|known| *known == &rest[..shape.len()]).unwrap_or(seen.len());
                if number == seen.len() {
                    seen.push(&rest[..shape.len()]);
                }
                masked.push_str(&format!("{name}-{}", number + 1));
                shape.len()
            }
            None => {
                masked.push(character);
                character.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    masked
}

/// Patterns for values that vary: `x` stands for a hexadecimal digit, `9` for a decimal one.
const SHAPES: [(&str, &str); 3] = [
    ("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "UUID"),
    ("9999-99-99T99:99:99.999Z", "TIME"),
    ("9999-99-99T99:99:99Z", "TIME"),
];

fn fits(shape: &str, bytes: &[u8]) -> bool {
    let fits = |(shape, byte): (u8, &u8)| match shape {
        b'x' => byte.is_ascii_hexdigit(),
        b'9' => byte.is_ascii_digit(),
        literal => literal == *byte,
    };
    bytes.len() >= shape.len() && shape.bytes().zip(bytes).all(fits)
}

/// A host that talks to a scripted agent with these faults, or of these variants, in jumping time.
pub(crate) fn host(faults: &[&str]) -> (Host, JumpClock) {
    let (host, clock) = host_with_webhooks(faults, (PUBLIC, true));
    (Host { webhooks: None, ..host }, clock)
}

/// The same with webhooks whose URLs begin so, and whether the user says that the agent reaches them.
pub(crate) fn host_with_webhooks(faults: &[&str], webhooks: (&'static str, bool)) -> (Host, JumpClock) {
    let clock = JumpClock::default();
    let shared: Rc<dyn Clock> = Rc::new(clock.clone());
    let ids: Rc<dyn IdSource> = Rc::new(CountedIds::default());
    let faults = Faults::parse(faults.iter().copied()).expect("known faults");
    let base = if faults.has(FaultId::Https) { SECURE_AGENT } else { AGENT };
    let agent = ScriptedAgent::new(base, Rc::clone(&shared), Rc::new(CountedIds(Cell::new(1_000_000))), faults);
    let webhooks = Rc::new(WebhookDouble::of(&agent, Rc::clone(&shared), webhooks.0, webhooks.1));
    let inner: Rc<dyn Transport> =
        Rc::new(WithGateway { gateway: Gateway::before(agent.clone()), agent: Loopback::new(agent) });
    (
        Host {
            transport: Rc::new(Delivering { inner, webhooks: Rc::clone(&webhooks) }),
            clock: shared,
            ids,
            verifier: Rc::new(RingVerifier),
            visibility: Visibility::FULL,
            prober: None,
            webhooks: Some(webhooks),
            beacon: None,
        },
        clock,
    )
}

/// The scripted agent, with its gateway at the path of that.
struct WithGateway {
    agent: Loopback,
    gateway: Gateway,
}

impl Transport for WithGateway {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if request.url.contains(GATEWAY_PATH) { self.gateway.respond(request) } else { self.agent.send(request) }
    }
}

/// The address of the gateway before the scripted agent of a version, or before all.
pub(crate) fn gateway_of(at: &str) -> String {
    format!("{AGENT}{GATEWAY_PATH}{at}")
}

/// Checks the scripted agent with these faults, or of these variants, with the credentials that it asks for.
pub(crate) fn check(faults: &[&str], options: Options) -> FinishedRun {
    check_at("", faults, options)
}

/// Checks the scripted agent that is at a path under the plain one, which is that of a version: `/0.3`.
pub(crate) fn check_at(at: &str, faults: &[&str], options: Options) -> FinishedRun {
    check_at_as_told(at, faults, with_credentials(faults, options))
}

/// The same on a host where push notifications arrive.
pub(crate) fn check_at_with_webhooks(at: &str, faults: &[&str], options: Options) -> FinishedRun {
    let options = Options { address: address(at, faults), ..with_credentials(faults, options) };
    let (host, clock) = host_with_webhooks(faults, (PUBLIC, true));
    check_on(host, &clock, options)
}

fn with_credentials(faults: &[&str], options: Options) -> Options {
    let mut headers = options.headers;
    let known = Faults::parse(faults.iter().copied()).expect("known faults");
    headers.extend(known.credentials());
    let second = FixedCredentials { headers: known.second_credentials(), query: Vec::new() };
    Options { headers, second, ..options }
}

/// The options of a run of the agent at that place with these faults.
pub(crate) fn with_address_and_credentials(at: &str, faults: &[&str], options: Options) -> Options {
    Options { address: address(at, faults), ..with_credentials(faults, options) }
}

fn address(at: &str, faults: &[&str]) -> String {
    let secure = Faults::parse(faults.iter().copied()).expect("known faults").has(FaultId::Https);
    format!("{}{at}", if secure { SECURE_AGENT } else { AGENT })
}

/// Checks the scripted agent with no other credentials than those of the options.
pub(crate) fn check_as_told(faults: &[&str], options: Options) -> FinishedRun {
    check_at_as_told("", faults, options)
}

fn check_at_as_told(at: &str, faults: &[&str], options: Options) -> FinishedRun {
    let (host, clock) = host(faults);
    check_on(host, &clock, Options { address: address(at, faults), ..options })
}

/// Checks whatever answers on that host.
pub(crate) fn check_on(host: Host, clock: &JumpClock, options: Options) -> FinishedRun {
    check_areas_on(host, clock, suite::areas_for(&options), options)
}

/// Checks whatever answers on that host by these areas.
pub(crate) fn check_areas_on(host: Host, clock: &JumpClock, areas: Areas, options: Options) -> FinishedRun {
    check_watched(host, clock, areas, options, Waits::default())
}

/// The same, with a handle to what it waits for.
pub(crate) fn check_watched(
    host: Host,
    clock: &JumpClock,
    areas: Areas,
    options: Options,
    waits: Waits,
) -> FinishedRun {
    let events = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&events);
    let address = if options.address.is_empty() { AGENT.to_owned() } else { options.address };
    let options = Options { address, ..options };
    let emit = Rc::new(move |event| sink.borrow_mut().push(event));
    clock.block_on(run_watched(host, areas, options, emit, waits));
    let events = events.take();
    let mut told = FinishedRun {
        events: Vec::new(),
        results: Vec::new(),
        exchanges: Vec::new(),
        completion: Completion::Stopped,
        cause: None,
        tally: Tally::default(),
        duration_ms: 0.0,
    };
    for event in &events {
        match event {
            Event::Judged { result, .. } => told.results.push(Rc::clone(result)),
            Event::Exchanged(exchange) => told.exchanges.push(Rc::clone(exchange)),
            Event::Finished { completion, tally, cause, duration_ms } => {
                told.completion = completion.clone();
                told.tally = *tally;
                told.cause = cause.clone();
                told.duration_ms = *duration_ms;
            }
            _ => {}
        }
    }
    told.events = events;
    told
}
