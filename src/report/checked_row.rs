//! A row of the plan with its verdict: what every format says of one check on one lane.

use super::spec_links;
use crate::engine::check::{Area, Category, Check, Scenario};
use crate::engine::event::{CheckResult, Row, row_key};
use crate::engine::lane_words::remedy;
use crate::engine::requirement::{Basis, Level, Requirement};
use crate::engine::verdict::{Outcome, Reward, Verdict, VerdictOfRuns};

/// A row with its verdict.
#[derive(Debug, Clone)]
pub struct CheckedRow {
    /// The check's stable id.
    pub check: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Its area of the suite.
    pub area: &'static Area,
    /// The category it is filed under.
    pub category: Category,
    /// The lane; `None` for checks of the card.
    pub lane: Option<String>,
    /// The level of the result.
    pub level: Level,
    /// Whether it is about good practice that the specification does not ask for: shown as advice, never counted.
    pub good_practice: bool,
    /// The conclusion.
    pub outcome: Outcome,
    /// Why, in one sentence; may be empty for a plain pass.
    pub message: String,
    /// The expected value of a finding.
    pub expected: Option<String>,
    /// The value that the agent sent instead, of a finding.
    pub actual: Option<String>,
    /// The JSON pointer, header or frame that a finding is about.
    pub pointer: Option<String>,
    /// The numbers of the exchanges it was read from.
    pub exchanges: Vec<u32>,
    /// Advice to the agent's author about a finding.
    pub remediation: Option<String>,
    /// The ids of the requirements that were judged.
    pub requirements: Vec<&'static str>,
    /// The place in the specification: `1.0 §9.5`.
    pub spec: String,
    /// A link to that place.
    pub spec_url: Option<String>,
    /// How long its exchanges took, in milliseconds.
    pub duration_ms: f64,
    /// What a test that a user wrote has earned.
    pub reward: Option<Reward>,
    /// What each of several runs concluded where they differ, the gravest first; else empty.
    pub of_runs: Vec<VerdictOfRuns>,
    /// The scenario of its check.
    pub scenario: &'static Scenario,
    /// The declaration of its check.
    pub declaration: &'static Check,
    /// Whether only the command line has that declaration: its report describes it for a page.
    pub is_described: bool,
}

impl CheckedRow {
    /// A row that was judged.
    #[must_use]
    pub fn judged(result: &CheckResult) -> Self {
        Self::new(&result.row, &result.verdict, result.level, result.duration_ms)
    }

    /// A row that was not judged, and why.
    #[must_use]
    pub fn not_run(row: &Row, why: &str) -> Self {
        Self::new(row, &Verdict::not_run(why), row.level(), 0.0)
    }

    fn new(row: &Row, verdict: &Verdict, level: Level, duration_ms: f64) -> Self {
        let version = row.version;
        let requirement = cited(&row.check.requirements(), version);
        let is_finding = matches!(verdict.outcome, Outcome::Fail | Outcome::Note) || fails_in(&verdict.of_runs) > 0;
        Self {
            check: row.check.id,
            title: row.check.title,
            area: row.area,
            category: row.category(),
            lane: row.lane.as_ref().map(|lane| lane.id.clone()),
            level,
            good_practice: requirement.is_some_and(|requirement| requirement.basis == Basis::Practical),
            outcome: verdict.outcome,
            message: verdict.message.clone(),
            expected: verdict.expected.clone(),
            actual: verdict.actual.clone(),
            pointer: verdict.pointer.clone().filter(|pointer| !pointer.is_empty()),
            exchanges: verdict.exchanges.clone(),
            remediation: is_finding.then(|| remedy(row.lane.as_deref(), row.check.fix, verdict)),
            requirements: row.check.requirement_ids().collect(),
            spec: requirement.map_or_else(String::new, |requirement| requirement.cite(version)),
            spec_url: requirement.and_then(|requirement| link(requirement, version)),
            duration_ms,
            reward: verdict.reward,
            of_runs: verdict.of_runs.clone(),
            scenario: row.scenario,
            declaration: row.check,
            is_described: row.is_only_native(),
        }
    }

    /// The strength of its rule for people: `good practice`, or `required`.
    #[must_use]
    pub const fn level_in_words(&self) -> &'static str {
        if self.good_practice { "good practice" } else { self.level.title() }
    }

    /// The result in one word for people.
    #[must_use]
    pub const fn in_words(&self) -> &'static str {
        self.outcome.in_words(self.level)
    }

    /// Whether it failed at must level.
    #[must_use]
    pub fn is_breach(&self) -> bool {
        self.outcome == Outcome::Fail && self.level == Level::Must
    }

    /// Whether it failed below must level: advice.
    #[must_use]
    pub fn is_advice(&self) -> bool {
        self.outcome == Outcome::Fail && self.level != Level::Must
    }

    /// In how many of several runs it failed, where they differ.
    #[must_use]
    pub fn fails_in(&self) -> usize {
        fails_in(&self.of_runs)
    }

    /// Whether it passed: in some of the runs at least, where several differ.
    #[must_use]
    pub fn passed_once(&self) -> bool {
        let is_pass = |each: &VerdictOfRuns| matches!(each.verdict.outcome, Outcome::Pass | Outcome::Note);
        self.outcome == Outcome::Pass || self.of_runs.iter().any(is_pass)
    }

    /// Unique in the run, as [`Row::key`].
    #[must_use]
    pub fn key(&self) -> String {
        row_key(self.check, self.lane.as_deref())
    }
}

fn fails_in(of_runs: &[VerdictOfRuns]) -> usize {
    of_runs.iter().filter(|each| each.verdict.outcome == Outcome::Fail).map(|each| each.runs.len()).sum()
}

/// The requirement that a report cites: the first that has a section in this version.
fn cited(requirements: &[&'static Requirement], version: &str) -> Option<&'static Requirement> {
    requirements
        .iter()
        .find(|requirement| requirement.section(version).is_some())
        .or_else(|| requirements.first())
        .copied()
}

fn link(requirement: &Requirement, version: &str) -> Option<String> {
    let section = requirement.section(version).filter(|_| requirement.basis.is_specification())?;
    spec_links::spec_url(version, section)
}
