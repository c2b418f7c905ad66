//! Client tests for a client of somebody else: each stated answer is given to it, and what it read is held against `expect_parsed`. The
//! events are those of a watch over a client.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use serde_json::Value;

use super::corpus;
use super::document::{ActsDocument, ActsOperation, ActsStep, ActsTest, StepAction};
use super::expectations;
use super::matching::{Unmet, judge};
use super::read_step::operation_name;
use super::scope::TestScope;
use super::settings::TestSettings;
use super::written_tests::areas;
use crate::engine::check::Area;
use crate::engine::event::{Agent, CheckResult, Completion, Emit, Event, Row, Tally};
use crate::engine::run_settings::RunSettings;
use crate::engine::verdict::Verdict;
use crate::wire::exchange::Exchange;

/// The version of A2A whose answers clients are given.
const VERSION: &str = "1.0";

/// Why a test is not run without an adapter.
const NEEDS_ADAPTER: &str = "what a client reads is not seen from outside; name a command that shows it with --adapter \
                             (docs/SCENARIOS.md)";

/// An answer that a client is given.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedAnswer {
    /// The operation that it answers, in the format's words: `send_message`.
    pub operation: &'static str,
    /// The answer's document.
    pub payload: Value,
}

/// What a client made of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientReading {
    /// It read this.
    Parsed(Value),
    /// It could not read it, and why.
    Refused(String),
    /// It has no such operation, in words.
    Unsupported(String),
    /// It was not shown what it read, and why: a fault of the adapter.
    NotShown(String),
}

/// A client under test.
pub trait ClientAdapter {
    /// What the client calls itself.
    fn name(&self) -> String;

    /// Gives the client an answer: what it made of it, and what was exchanged.
    fn read(&self, answer: StatedAnswer) -> LocalBoxFuture<'_, (ClientReading, Vec<Exchange>)>;
}

/// Runs every client test of these documents and emits what happens; without an adapter none can be judged. Returns how many there are.
pub async fn run_client_tests(
    documents: &[ActsDocument],
    settings: TestSettings,
    discovery: &'static Area,
    adapter: Option<&dyn ClientAdapter>,
    clock: &dyn crate::host::Clock,
    emit: &Emit,
) -> usize {
    let started_ms = clock.now_ms();
    let name = adapter.map_or_else(|| "a client without an adapter".to_owned(), ClientAdapter::name);
    let run_settings = Box::new(RunSettings { source: "client", ..RunSettings::default() });
    emit(Event::Started { address: name.clone(), wall_ms: clock.wall_ms(), settings: run_settings });
    emit(Event::Agent(Agent { name, ..Agent::default() }));
    let tests = client_tests(documents);
    let areas = areas(documents.to_vec(), settings.clone(), discovery);
    let rows: Vec<Row> = tests.iter().filter_map(|(_, test)| row_of(areas, &test.id)).collect();
    emit(Event::Planned { rows: rows.clone(), messages: 0 });
    let mut tally = Tally { total: u32::try_from(rows.len()).unwrap_or(u32::MAX), ..Tally::default() };
    let mut exchanged = 0;
    for ((document, test), row) in tests.iter().zip(rows) {
        let started_ms = clock.now_ms();
        let (verdict, exchanges) = match adapter {
            None => (Verdict::not_observable(NEEDS_ADAPTER), Vec::new()),
            Some(adapter) => {
                let exchanges = RefCell::default();
                let run = ClientTest { document, test, settings: &settings, adapter, exchanges };
                (run.verdict().await, run.exchanges.into_inner())
            }
        };
        let mut verdict = corpus::settled(test, verdict);
        for exchange in exchanges {
            exchanged += 1;
            verdict = verdict.seen_in(exchanged);
            let scenario = test.id.clone();
            emit(Event::Exchanged(Rc::new(Exchange { id: exchanged, scenario, ..exchange })));
        }
        let level = row.level();
        tally.count(verdict.outcome, level);
        let duration_ms = clock.now_ms() - started_ms;
        emit(Event::Judged { result: Rc::new(CheckResult { row, verdict, level, duration_ms }), tally });
    }
    let duration_ms = clock.now_ms() - started_ms;
    emit(Event::Finished { completion: Completion::Watched, tally, cause: None, duration_ms });
    tests.len()
}

/// The tests of clients: those that give an answer and call nothing.
fn client_tests(documents: &[ActsDocument]) -> Vec<(&ActsDocument, &ActsTest)> {
    let is_of_client = |test: &&ActsTest| {
        let mut steps = test.steps.iter().map(|step| &step.action);
        let is_answer = |action: &StepAction| matches!(action, StepAction::Client { .. });
        steps.clone().any(is_answer) && steps.all(|action| is_answer(action) || matches!(action, StepAction::Assert(_)))
    };
    let suites = documents.iter().flat_map(|document| document.suites.iter().map(move |suite| (document, suite)));
    let tests = suites.flat_map(|(document, suite)| suite.tests.iter().map(move |test| (document, test)));
    tests.filter(|(_, test)| is_of_client(test)).collect()
}

fn row_of(areas: &'static [&'static Area], id: &str) -> Option<Row> {
    areas.iter().find_map(|area| {
        let scenario = area.scenarios.iter().find(|scenario| scenario.id == id)?;
        let check = scenario.checks.first()?;
        Some(Row { check, scenario, area, lane: None, version: VERSION })
    })
}

struct ClientTest<'a> {
    document: &'a ActsDocument,
    test: &'a ActsTest,
    settings: &'a TestSettings,
    adapter: &'a dyn ClientAdapter,
    exchanges: RefCell<Vec<Exchange>>,
}

impl ClientTest<'_> {
    async fn verdict(&self) -> Verdict {
        let spec_version = &self.document.spec_version;
        if spec_version != VERSION && !spec_version.starts_with(&format!("{VERSION}.")) {
            let why = format!("the test is for A2A {spec_version}, and clients are given answers of {VERSION}");
            return Verdict::not_applicable(why);
        }
        let ids = || "client-test".to_owned();
        let known = (self.document.variables.as_slice(), self.document.files.as_slice());
        let scope = TestScope::new(known, self.settings, &ids, "");
        for step in &self.test.steps {
            if let Err(verdict) = self.step(step, &scope).await {
                return verdict;
            }
        }
        let mut whole = self.test.assertions.iter();
        let met = whole.try_for_each(|wanted| expectations::named(wanted, &scope));
        met.map_or_else(|unmet| unmet.verdict("assertions", 0), |()| corpus::passed(self.test))
    }

    /// Gives the client the answer of a step, and judges what it read.
    async fn step(&self, step: &ActsStep, scope: &TestScope<'_>) -> Result<(), Verdict> {
        let met = match &step.action {
            StepAction::Client { operation, payload, expect_parsed } => {
                let payload = scope.fill(payload).map_err(|why| Unmet::Unresolved(why).verdict(&step.id, 0))?;
                let parsed = self.given(*operation, payload, step).await?;
                let met = judge(expect_parsed, Some(&parsed), "", scope);
                scope.keep_response(&step.id, parsed);
                met
            }
            StepAction::Assert(wanted) => expectations::named(wanted, scope),
            StepAction::Call(..) | StepAction::Raw(_) => Ok(()),
        };
        let mut more = step.assertions.iter();
        met.and_then(|()| more.try_for_each(|wanted| expectations::named(wanted, scope)))
            .map_err(|unmet| unmet.verdict(&step.id, 0))
    }

    /// What the client read of an answer.
    async fn given(&self, operation: ActsOperation, payload: Value, step: &ActsStep) -> Result<Value, Verdict> {
        let operation = operation_name(operation);
        let (reading, seen) = self.adapter.read(StatedAnswer { operation, payload }).await;
        let was_asked = !seen.is_empty();
        self.exchanges.borrow_mut().extend(seen);
        match reading {
            ClientReading::Parsed(_) if !was_asked => {
                let why = "the adapter printed a result, and its client made no request";
                Err(Verdict::blocked(format!("step {}: {why}", step.id)))
            }
            ClientReading::Parsed(parsed) => Ok(parsed),
            ClientReading::Refused(why) => {
                let because =
                    format!("step {}: expected an answer that the client reads, got an error: {why}", step.id);
                Err(Verdict::fail(0, "an answer that the client reads", why).because(because).at(step.id.as_str()))
            }
            ClientReading::Unsupported(why) => {
                Err(Verdict::not_applicable(format!("step {}: the client has no {operation}: {why}", step.id)))
            }
            ClientReading::NotShown(why) => Err(Verdict::blocked(format!("step {}: {why}", step.id))),
        }
        .map_err(without_number)
    }
}

/// The exchanges are numbered, and become evidence, once all are known.
fn without_number(mut verdict: Verdict) -> Verdict {
    verdict.exchanges.retain(|id| *id > 0);
    verdict
}
