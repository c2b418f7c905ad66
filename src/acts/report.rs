//! The report of the format (ACTS §13): one JSON document for one binding.

use serde_json::{Map, Value, json};

use super::document::{ActsDocument, ActsTest};
use crate::engine::requirement::Level;
use crate::engine::transcript::whole_ms;
use crate::engine::verdict::Outcome;
use crate::report::{
    CheckedRow, Distribution, Report, RewardTotal, RunMetrics, StepMetrics, compact_time, harmless_json, rfc3339,
};

/// What a report is written from.
#[derive(Debug, Clone, Copy)]
pub struct ActsReport<'a> {
    /// The documents that were run.
    pub documents: &'a [ActsDocument],
    /// The run.
    pub report: &'a Report,
}

impl ActsReport<'_> {
    /// The document, for the first binding of the run.
    #[must_use]
    pub fn write(&self) -> String {
        let lane = self.report.lanes.first();
        let lane_id = lane.map(|lane| lane.id.as_str());
        let mut counted: Vec<(Level, &str)> = Vec::new();
        let mut suites = Vec::new();
        for suite in self.documents.iter().flat_map(|document| &document.suites) {
            let rows = self.report.results.iter().filter(|row| row.lane.as_deref() == lane_id);
            let mut results = Vec::new();
            for test in &suite.tests {
                let Some(row) = rows.clone().find(|row| row.check == test.id) else { continue };
                let result = result_word(row.outcome);
                counted.push((test.level, result));
                results.push(self.test(test, row, result));
            }
            // The format wants at least one test in a suite.
            if !results.is_empty() {
                suites.push(json!({ "id": suite.id, "name": suite.name, "tests": results }));
            }
        }
        let first = self.documents.first();
        let of_level = |level: Level| counts(counted.iter().filter(|(of, _)| *of == level));
        let [must, should, may] = [Level::Must, Level::Should, Level::May].map(of_level);
        let mut summary = counts(counted.iter());
        if let Some(members) = summary.as_object_mut() {
            members.insert("duration_ms".to_owned(), whole_ms(self.report.duration_ms).into());
            members.insert("by_level".to_owned(), json!({ "must": must, "should": should, "may": may }));
        }
        let version = self.report.agent.as_ref().map_or("", |agent| &agent.version);
        let environment = &self.report.environment;
        let document = json!({
            "acts_version": first.map_or("1.0", |document| &document.acts_version),
            "spec_version": first.map_or("1.0", |document| &document.spec_version),
            "generated_at": rfc3339(self.report.started_ms.unwrap_or_default()),
            "sdk": { "name": self.report.agent_name(), "version": version, "language": "unknown" },
            "transport": binding(lane_id),
            "environment": { "runner": format!("a2a-conformance {}", environment.tool_version), "host": environment.host },
            "summary": summary,
            "suites": suites,
            "x-metrics": metrics(self.report),
        });
        let mut text = harmless_json(serde_json::to_string_pretty(&document).unwrap_or_default());
        text.push('\n');
        text
    }

    fn test(&self, test: &ActsTest, row: &CheckedRow, result: &str) -> Value {
        let mut members = Map::new();
        let mut set = |name: &str, value: Value| members.insert(name.to_owned(), value);
        set("id", test.id.as_str().into());
        set("name", test.name.as_str().into());
        set("level", row.level.as_str().into());
        set("result", result.into());
        set("duration_ms", whole_ms(row.duration_ms).into());
        let failing = step_and_path(row);
        match result {
            "skip" => {
                set("skip_reason", row.message.as_str().into());
            }
            "fail" | "error" => {
                set("failure", failure(row, failing));
            }
            _ => {}
        }
        if let Some(reward) = row.reward {
            set("x-reward", json!({ "earned": reward.earned, "worth": reward.worth }));
        }
        if result != "skip" {
            set("steps", self.steps(test, row, result, failing).into());
        }
        Value::Object(members)
    }

    /// The steps: those before the one that failed passed, those behind it were not run.
    fn steps(&self, test: &ActsTest, row: &CheckedRow, result: &str, failing: Option<(&str, &str)>) -> Vec<Value> {
        let failing = failing.map(|(step, _)| step).or_else(|| row.message.strip_prefix("step ")?.split(':').next());
        let mut is_over = false;
        let mut steps = Vec::new();
        for step in &test.steps {
            let is_failing = result != "pass" && failing == Some(step.id.as_str());
            let word = match (is_over, is_failing) {
                (true, _) => "skip",
                (false, true) => result,
                (false, false) => "pass",
            };
            is_over |= is_failing;
            let exchanges = self.report.exchanges.iter().filter(|exchange| {
                exchange.scenario == test.id && exchange.step == step.id && exchange.lane == row.lane
            });
            let duration: f64 = exchanges.map(|exchange| exchange.duration_ms()).sum();
            let mut members = json!({ "id": step.id, "result": word, "duration_ms": whole_ms(duration) });
            if let (true, Some(members)) = (is_failing, members.as_object_mut()) {
                members.insert("failure".to_owned(), failure(row, step_and_path(row)));
            }
            steps.push(members);
        }
        steps
    }
}

/// What was measured, in milliseconds.
fn metrics(report: &Report) -> Value {
    let run = RunMetrics::from_report(report);
    let steps = run.steps.iter().map(|step| {
        let names = json!({ "lane": step.lane, "test": step.test, "step": step.step });
        let mut members = names.as_object().cloned().unwrap_or_default();
        members.extend(measured(step));
        Value::Object(members)
    });
    let mut members = measured(&run.total);
    members.insert("tests_passed".to_owned(), run.passed.into());
    members.insert("tests_judged".to_owned(), run.judged.into());
    members.insert("success_rate".to_owned(), share(run.passed, run.judged));
    if let Some(total) = RewardTotal::from_report(report) {
        let reward = json!({ "tests": total.tests, "sum": total.earned, "worth": total.worth, "mean": total.mean() });
        members.insert("reward".to_owned(), reward);
    }
    members.insert("steps".to_owned(), steps.collect());
    Value::Object(members)
}

fn measured(step: &StepMetrics) -> Map<String, Value> {
    let members = json!({
        "requests": step.requests,
        "answered": step.answered,
        "answer_rate": share(step.answered, step.requests),
        "sent_bytes": step.sent_bytes,
        "received_bytes": step.received_bytes,
        "latency_ms": distribution(&step.latency),
        "first_event_ms": distribution(&step.first_event),
    });
    members.as_object().cloned().unwrap_or_default()
}

/// A share, or null of nothing.
fn share(part: usize, whole: usize) -> Value {
    if whole == 0 { Value::Null } else { Value::from(part as f64 / whole as f64) }
}

/// Minimum, median, 95 % and maximum; null where nothing was measured.
fn distribution(values: &Distribution) -> Value {
    if values.count() == 0 {
        return Value::Null;
    }
    let of = |share: f64| values.quantile(share).map(|ms| (ms * 1000.0).round() / 1000.0);
    json!({ "min": of(0.0), "median": of(0.5), "p95": of(0.95), "max": of(1.0) })
}

/// The step that failed and the path in its answer.
fn step_and_path(row: &CheckedRow) -> Option<(&str, &str)> {
    row.pointer.as_deref()?.split_once(": ")
}

fn failure(row: &CheckedRow, failing: Option<(&str, &str)>) -> Value {
    let members = [
        ("message", Some(row.message.as_str())),
        ("step_id", failing.map(|(step, _)| step)),
        ("expected", row.expected.as_deref()),
        ("actual", row.actual.as_deref()),
        ("assertion_path", failing.map(|(_, path)| path).filter(|path| !path.is_empty())),
    ];
    members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?)))).collect()
}

/// The word of the format for an outcome. A test of level may that failed is a note to us, and a failure to the format.
const fn result_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail | Outcome::Note => "fail",
        Outcome::Blocked | Outcome::HarnessError => "error",
        Outcome::NotApplicable
        | Outcome::NotObservable
        | Outcome::Inconclusive
        | Outcome::Unsteady
        | Outcome::NotRun => "skip",
    }
}

fn binding(lane: Option<&str>) -> &str {
    lane.and_then(|lane| lane.split('-').next()).unwrap_or("jsonrpc")
}

/// How often each word of the format was the result.
fn counts<'a>(results: impl Iterator<Item = &'a (Level, &'a str)> + Clone) -> Value {
    let of = |word: &str| results.clone().filter(|(_, result)| *result == word).count();
    json!({
        "total": results.clone().count(), "passed": of("pass"), "failed": of("fail"), "skipped": of("skip"),
        "errors": of("error"),
    })
}

/// The file's name (ACTS §13.5): `acts-report-my-agent-jsonrpc-20250525T210000Z.json`.
#[must_use]
pub fn file_name(report: &Report) -> String {
    let name: String = report
        .agent_name()
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(60)
        .collect();
    let lane = report.lanes.first().map(|lane| lane.id.as_str());
    let time = compact_time(report.started_ms.unwrap_or_default()).replace('-', "T");
    format!("acts-report-{}-{}-{time}.json", name.trim_matches('-'), binding(lane))
}
