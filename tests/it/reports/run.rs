//! Made-up runs: a small suite, and events for whatever verdicts a test wants.

use std::collections::BTreeMap;
use std::rc::Rc;

use a2a_conformance::a2a::binding::BINDINGS;
use a2a_conformance::a2a::dialect::DIALECTS;
use a2a_conformance::a2a::model::Interface;
use a2a_conformance::engine::check::{Area, Check, Scenario, Scope};
use a2a_conformance::engine::event::{Agent, CheckResult, Completion, Event, Row, Tally};
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::transcript::Lane;
use a2a_conformance::engine::verdict::{Status, Verdict};
use a2a_conformance::report::{Environment, Report, ReportBuilder};
use a2a_conformance::suite;
use a2a_conformance::wire::exchange::{End, Exchange, Response, TimedFrame};
use a2a_conformance::wire::http::Request;
use a2a_conformance::wire::sse::Frame;

const fn check(id: &'static str, title: &'static str, requirements: &'static [&'static str]) -> Check {
    Check {
        id,
        title,
        why: "Clients rely on it.",
        fix: "do what `the section` says.",
        requirements,
        ..Check::tripped_by(&["canned-error"])
    }
}

const fn scenario(
    id: &'static str,
    area: &'static Area,
    scope: Scope,
    checks: &'static [Check],
) -> (&'static Area, Scenario) {
    (area, Scenario { id, title: id, scope, checks, ..Scenario::DEFAULTS })
}

pub(super) static SUITE: [(&Area, Scenario); 9] = [
    scenario(
        "discovery",
        &suite::discovery::AREA,
        Scope::Agent,
        &[
            check("discovery.card-available", "The card can be fetched", &["discovery.card-available"]),
            check("discovery.etag", "The card has an ETag", &["discovery.etag"]),
            check("cors.card", "A page may read the card", &["discovery.card-json-media-type"]),
        ],
    ),
    scenario(
        "card",
        &suite::card::AREA,
        Scope::Agent,
        &[
            check("card.required-fields", "The card has its required members", &["card.required-fields"]),
            check("card.modes-are-media-types", "Modes are media types", &["card.modes-are-media-types"]),
        ],
    ),
    scenario(
        "probe",
        &suite::messaging::AREA,
        Scope::Lane,
        &[
            check("send.accepts-text", "A text message is accepted", &["send.accepts-text"]),
            check("send.task-or-message", "A send answers a task or a message", &["send.task-or-message"]),
            check("card.interface-accurate", "The interface is what the card says", &["card.interface-accurate"]),
        ],
    ),
    scenario(
        "tasks",
        &suite::tasks::AREA,
        Scope::Lane,
        &[
            check("get.returns-task", "A task can be read back", &["get.returns-task"]),
            check("cancel.returns-task", "Cancel answers the task", &["cancel.returns-task"]),
            check("cancel.state", "A cancelled task is canceled", &["cancel.state"]),
            check("send.message-id-dedupe", "A repeated message makes no second task", &["error.no-internals"]),
        ],
    ),
    scenario(
        "stream",
        &suite::streaming::AREA,
        Scope::Lane,
        &[check("stream.first-event", "A stream starts with a task or a message", &["stream.first-event"])],
    ),
    scenario(
        "push",
        &suite::push::AREA,
        Scope::Lane,
        &[check("push.create", "A push config can be stored", &["push.unsupported"])],
    ),
    scenario(
        "errors",
        &suite::errors::AREA,
        Scope::Lane,
        &[
            check("get.not-found", "An unknown task is not found", &["get.not-found"]),
            check("error.no-internals", "Errors show no internals", &["error.no-internals"]),
        ],
    ),
    scenario(
        "extended",
        &suite::card::AREA,
        Scope::Lane,
        &[check("extended.returns-card", "The extended card is a card", &["extended.unsupported"])],
    ),
    scenario(
        "extensions",
        &suite::extensions::AREA,
        Scope::Lane,
        &[check("extensions.activated", "An extension is activated", &["timestamp.millis"])],
    ),
];

/// A run to be made up: what the agent is, and how everything ended.
pub(super) struct Run {
    pub(super) lanes: Vec<&'static str>,
    pub(super) completion: Option<Completion>,
    pub(super) cause: Option<String>,
    pub(super) agent: Option<Agent>,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            lanes: vec!["jsonrpc-1.0"],
            completion: Some(Completion::Complete),
            cause: None,
            agent: Some(Agent {
                name: "Echo".into(),
                version: "2.1".into(),
                card_url: "https://agent.example.com/.well-known/agent-card.json".into(),
                capabilities: vec![("streaming".into(), true), ("push notifications".into(), false)],
                profile: "generic".into(),
                detected: ("1.0".to_owned(), "the card lists supportedInterfaces".to_owned()),
                silent_interfaces: Vec::new(),
                asks: Vec::new(),
                elsewhere: Vec::new(),
            }),
        }
    }
}

impl Run {
    /// Records the run with these verdicts; a row without one is never judged.
    pub(super) fn record(&self, verdict: impl Fn(&Row) -> Option<Verdict>) -> ReportBuilder {
        let mut recorder = ReportBuilder::new(Environment {
            tool_version: "0.1.0".into(),
            host: "command line".into(),
            user_agent: None,
        });
        recorder.apply(&Event::Started {
            address: "https://agent.example.com".into(),
            wall_ms: 1_795_248_000_000.0,
            settings: Box::default(),
        });
        let lanes: Vec<Rc<Lane>> = self.lanes.iter().map(|id| lane(id)).collect();
        let mut rows = rows(Scope::Agent, None);
        recorder.apply(&Event::Planned { rows: rows.clone(), messages: 0 });
        if let Some(agent) = &self.agent {
            recorder.apply(&Event::Agent(agent.clone()));
        }
        recorder.apply(&Event::Lanes(lanes.clone()));
        for lane in &lanes {
            let more = self::rows(Scope::Lane, Some(lane));
            recorder.apply(&Event::Planned { rows: more.clone(), messages: 2 });
            rows.extend(more);
        }
        recorder.apply(&Event::Exchanged(Rc::new(exchange(2, "second"))));
        recorder.apply(&Event::Exchanged(Rc::new(exchange(1, "first"))));
        let mut tally = Tally { total: u32::try_from(rows.len()).unwrap(), messages: 2, ..Tally::default() };
        // Judged in another order than planned, as runs are.
        for row in rows.iter().rev() {
            if let Some(verdict) = verdict(row) {
                let level = row.level();
                // As the runner sums it: -0.0 over no exchange.
                let duration_ms = verdict.exchanges.iter().map(|_| 12.0).sum();
                let result = CheckResult { row: row.clone(), verdict, level, duration_ms };
                tally.count(result.verdict.outcome, result.level);
                recorder.apply(&Event::Judged { result: Rc::new(result), tally });
            }
        }
        if let Some(completion) = self.completion.clone() {
            let cause = self.cause.clone();
            recorder.apply(&Event::Finished { completion, tally, cause, duration_ms: 3210.0 });
        }
        recorder
    }

    /// The report where everything passes but these checks, on every lane.
    pub(super) fn except(&self, verdicts: &[(&str, Verdict)]) -> Report {
        let verdicts: BTreeMap<&str, &Verdict> = verdicts.iter().map(|(id, verdict)| (*id, verdict)).collect();
        self.record(|row| Some(verdicts.get(row.check.id).map_or_else(Verdict::pass, |verdict| (*verdict).clone())))
            .report()
    }
}

fn lane(id: &str) -> Rc<Lane> {
    let interface = Interface {
        url: format!("https://agent.example.com/{id}"),
        binding: "JSONRPC".into(),
        version: "1.0".into(),
        tenant: None,
    };
    Rc::new(Lane {
        id: id.into(),
        interface,
        dialect: DIALECTS[0],
        binding: BINDINGS[0],
        other_verb: Default::default(),
        form: Default::default(),
        named_version: Default::default(),
        wants_output_modes: Default::default(),
        asked: Default::default(),
    })
}

pub(super) fn rows(scope: Scope, lane: Option<&Rc<Lane>>) -> Vec<Row> {
    let of_scope = SUITE.iter().filter(|(_, scenario)| scenario.scope == scope);
    of_scope
        .flat_map(|(area, scenario)| {
            scenario.checks.iter().map(move |check| Row { check, scenario, area, lane: lane.cloned(), version: "1.0" })
        })
        .collect()
}

pub(super) fn exchange(id: u32, said: &str) -> Exchange {
    Exchange {
        id,
        lane: Some("jsonrpc-1.0".into()),
        scenario: "probe".into(),
        step: "send".into(),
        request: Request::post("https://agent.example.com/rpc", "application/json", "{}"),
        sent_ms: 1.0,
        response: Some(Response {
            status: 200,
            headers: [("content-type", said)].into_iter().collect(),
            body: said.as_bytes().to_vec(),
            bytes: said.len(),
            frames: vec![TimedFrame { at_ms: 2.0, frame: Frame { data: said.into(), ..Frame::default() } }],
            ..Response::default()
        }),
        end: End::Complete,
        end_ms: 5.0,
    }
}

pub(super) fn fail() -> Verdict {
    Verdict::fail(1, "a task", "HTTP 500").at("/result")
}

pub(super) fn note() -> Verdict {
    fail().as_note()
}

/// Made-up outcomes: the same seed gives the same run.
pub(super) struct Outcomes {
    seed: u64,
}

impl Outcomes {
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed }
    }

    fn draw(&self, key: &str, below: usize) -> usize {
        let hash =
            key.bytes().fold(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17)
            });
        usize::try_from((hash >> 20) % below as u64).unwrap()
    }

    pub(super) fn run(&self) -> Run {
        let completion = match self.draw("completion", 12) {
            0 => Some(Completion::Stopped),
            1 => Some(Completion::Filtered),
            2 => None,
            _ => Some(Completion::Complete),
        };
        Run { completion, ..Run::default() }
    }

    pub(super) fn verdict(&self, row: &Row, texts: &[&'static str]) -> Option<Verdict> {
        // Some runs are mostly fine and some are mostly not, or no level above the lowest would ever come up.
        let trouble = [3, 10, 60, 100][self.draw("trouble", 4)];
        let key = row.key();
        let text = texts[self.draw(&format!("{key} text"), texts.len())];
        let other = texts[self.draw(&format!("{key} other"), texts.len())];
        if self.draw(&format!("{key} fine"), 100) >= trouble {
            return Some(Verdict::pass_with(text));
        }
        let finding = Verdict::fail(1, text, other).at(other);
        Some(match self.draw(&format!("{key} outcome"), 14) {
            0..=2 if row.level() == Level::May => finding.as_note(),
            0..=2 => finding,
            3..=5 => Verdict::blocked(text),
            6 | 7 => Verdict::inconclusive(text),
            8 => Verdict::not_observable(text),
            9 | 10 => Verdict::not_applicable(text),
            11 => Verdict::harness_error(text),
            12 => Verdict::not_run(text),
            _ => return None,
        })
    }
}

pub(super) fn random(seed: u64, texts: &[&'static str]) -> Report {
    let outcomes = Outcomes::new(seed);
    let report = outcomes.run().record(|row| outcomes.verdict(row, texts)).report();
    assert!(report.results.iter().all(|result| result.outcome.status() != Status::Fail || result.level != Level::May));
    report
}
