//! `Report`: the results of a run, its cause, and writing it in a format.

use crate::engine::requirement::Level;
use crate::engine::verdict::{Outcome, Status};
use crate::report::{self, CheckedRow, ConformanceLevel, Format, VerdictWord};

/// The target of a run, and the result of each check.
#[derive(Debug, Clone)]
pub struct Report(report::Report);

impl Report {
    pub(super) const fn new(report: report::Report) -> Self {
        Self(report)
    }

    /// The verdict in one word.
    #[must_use]
    pub const fn verdict(&self) -> VerdictWord {
        self.0.word
    }

    /// How far the agent conforms; `None` where too little was seen to say.
    #[must_use]
    pub const fn level(&self) -> Option<ConformanceLevel> {
        self.0.level()
    }

    /// One sentence on what explains most of what went wrong, if there is one.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    /// The agent's name, or its host as long as no card was read.
    #[must_use]
    pub fn agent_name(&self) -> String {
        self.0.agent_name()
    }

    /// Every result, in the order of the plan.
    pub fn results(&self) -> impl Iterator<Item = CheckResult> {
        self.0.results.iter().map(CheckResult::new)
    }

    /// The report as a file's text; JSON is by `docs/report-v1.schema.json`.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        report::write_or_raw(&self.0, format).text
    }
}

/// The result of one check on one interface. More members may come.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CheckResult {
    /// The check's stable id.
    pub check: &'static str,
    /// The statement that holds when the check passes.
    pub title: &'static str,
    /// The interface, as `jsonrpc-1.0`; `None` for checks of the agent card.
    pub lane: Option<String>,
    /// How strongly the specification asks for it.
    pub level: Level,
    /// The conclusion.
    pub outcome: Outcome,
    /// Why, in one sentence; may be empty for a plain pass.
    pub message: String,
    /// The expected value, of a finding.
    pub expected: Option<String>,
    /// The received value, of a finding.
    pub actual: Option<String>,
    /// The JSON pointer, header or frame that a finding is about.
    pub pointer: Option<String>,
    /// Advice to the agent's author about a finding.
    pub fix: Option<String>,
    /// The place in the specification: `1.0 §9.5`.
    pub spec: String,
    /// A link to that place.
    pub spec_url: Option<String>,
}

impl CheckResult {
    pub(super) fn new(row: &CheckedRow) -> Self {
        Self {
            check: row.check,
            title: row.title,
            lane: row.lane.clone(),
            level: row.level,
            outcome: row.outcome,
            message: row.message.clone(),
            expected: row.expected.clone(),
            actual: row.actual.clone(),
            pointer: row.pointer.clone(),
            fix: row.remediation.clone(),
            spec: row.spec.clone(),
            spec_url: row.spec_url.clone(),
        }
    }

    /// Whether it was observed to be broken, at whatever level: at must the agent does not conform, below it is advice.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.outcome.status() == Status::Fail
    }
}
