//! Documents of tests as areas of the engine: a suite is an area, a test a scenario with one check.

use futures_util::future::LocalBoxFuture;

use super::corpus;
use super::document::{ActsDocument, ActsOperation, ActsSuite, ActsTest, StepAction};
use super::settings::TestSettings;
use super::test_run::TestRun;
use crate::a2a::model::Operation;
use crate::engine::check::{Area, Category, Check, Scenario, Scope, WrittenTest};
use crate::engine::drive::Driver;
use crate::engine::run::Areas;
use crate::engine::verdict::Verdict;

/// The areas of these documents, for a run of the engine. `discovery` has the scenario that fetches the card; nothing is
/// judged by it. They are kept as long as the program runs, as the suite is, since rows of reports point to them.
pub fn areas(documents: Vec<ActsDocument>, settings: TestSettings, discovery: &'static Area) -> Areas {
    let documents: &'static [ActsDocument] = documents.leak();
    let settings: &'static TestSettings = Box::leak(Box::new(settings));
    let fetching = discovery.scenarios.iter().map(|scenario| without_checks(scenario)).collect();
    let mut areas = vec![area(discovery.name, discovery.category, fetching)];
    for document in documents {
        for suite in &document.suites {
            let scenarios = suite.tests.iter().map(|test| scenario(FileTest { document, test, settings })).collect();
            areas.push(area(&suite.id, category(suite), scenarios));
        }
    }
    areas.leak()
}

fn without_checks(scenario: &'static Scenario) -> &'static Scenario {
    let Scenario { id, title, drive, .. } = *scenario;
    Box::leak(Box::new(Scenario { id, title, scope: Scope::Agent, drive, ..Scenario::DEFAULTS }))
}

fn area(name: &'static str, category: Category, scenarios: Vec<&'static Scenario>) -> &'static Area {
    Box::leak(Box::new(Area { name, category, is_optional: false, scenarios: scenarios.leak() }))
}

/// The category that a suite is filed under, by its id.
fn category(suite: &ActsSuite) -> Category {
    const WORDS: [(&[&str], Category); 4] = [
        (&["card", "discovery"], Category::AgentCard),
        (&["stream", "sse", "subscri"], Category::Streaming),
        (&["error"], Category::ErrorHandling),
        (&["transport", "wire", "version", "client", "interop"], Category::Interop),
    ];
    let found = WORDS.into_iter().find(|(words, _)| words.iter().any(|word| suite.id.contains(word)));
    found.map_or(Category::Lifecycle, |(_, category)| category)
}

fn scenario(file: FileTest) -> &'static Scenario {
    let FileTest { test, .. } = file;
    let calls = || {
        test.steps.iter().filter_map(|step| match &step.action {
            StepAction::Call(ActsOperation::Call(operation), _) => Some(*operation),
            _ => None,
        })
    };
    let sends = calls().filter(|call| matches!(call, Operation::SendMessage | Operation::SendStreamingMessage)).count();
    let trials = test.trials.map_or(1, |(trials, _)| trials);
    let fix: &'static str = if test.spec_ref.is_empty() {
        "See the test's description."
    } else {
        format!("The test names this place in the specification: {}.", test.spec_ref).leak()
    };
    let check = Check {
        id: &test.id,
        title: &test.name,
        why: if test.description.is_empty() { &test.name } else { &test.description },
        fix,
        own_level: Some(test.level),
        judge: |transcript| match &transcript.stopped {
            Some(verdict) => Ok(verdict.clone()),
            None => Err(Verdict::harness_error("the test ended without a verdict")),
        },
        ..Check::DEFAULTS
    };
    Box::leak(Box::new(Scenario {
        id: &test.id,
        title: &test.name,
        messages: u32::try_from(sends).unwrap_or(u32::MAX).saturating_mul(trials),
        streams: u32::from(calls().any(Operation::streams)),
        rounds: u32::try_from(test.steps.len()).unwrap_or(u32::MAX),
        written: Some(Box::leak(Box::new(file))),
        checks: vec![check].leak(),
        ..Scenario::DEFAULTS
    }))
}

struct FileTest {
    document: &'static ActsDocument,
    test: &'static ActsTest,
    settings: &'static TestSettings,
}

impl WrittenTest for FileTest {
    fn drive<'a>(&'a self, driver: &'a Driver) -> LocalBoxFuture<'a, ()> {
        Box::pin(async move {
            let run = TestRun { document: self.document, test: self.test, settings: self.settings, driver };
            let verdict = run.verdict().await;
            driver.stop(corpus::settled(self.test, verdict));
        })
    }

    fn steps(&self) -> Vec<(String, String)> {
        self.test.steps.iter().map(|step| (step.id.clone(), describe(&step.action))).collect()
    }
}

/// What a step does, for people.
fn describe(action: &StepAction) -> String {
    match action {
        StepAction::Call(ActsOperation::Call(operation), _) => format!("{operation:?}"),
        StepAction::Call(ActsOperation::Card, _) => "fetches the agent card".to_owned(),
        StepAction::Raw(raw) => format!("{} {}", raw.method.as_str(), raw.path),
        StepAction::Client { .. } => "reads a payload as a client does".to_owned(),
        StepAction::Assert(_) => "judges an earlier response".to_owned(),
    }
}
