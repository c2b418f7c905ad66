//! The neutral view of a run that every writer reads: what was checked, what came of it, and what that is worth.

use std::rc::Rc;
use std::sync::OnceLock;

use super::builder::Environment;
use super::level::{Assessment, ConformanceLevel};
use super::recommend::Recommendation;
use super::verdict::{MustCounts, VerdictWord};
use crate::engine::check::{Area, Category};
use crate::engine::credentials::CREDENTIALS;
use crate::engine::event::{Agent, CheckResult, Completion, Row, Tally};
use crate::engine::requirement::{self, Basis, Level, Requirement};
use crate::engine::upgrade::Upgrade;
use crate::engine::verdict::{Outcome, Verdict};
use crate::wire::exchange::Exchange;

/// A run, finished or not, ready to be written.
#[derive(Debug, Clone)]
pub struct Report {
    /// Where the run took place.
    pub environment: Environment,
    /// The id of the requirement set that was judged by.
    pub suite: String,
    /// What was checked, as the user gave it, without the secrets that an address may carry.
    pub address: String,
    /// The agent; `None` as long as no card was read.
    pub agent: Option<Agent>,
    /// When the run began, in milliseconds since 1970; `None` when it never did.
    pub started_ms: Option<f64>,
    /// How long it took, in milliseconds.
    pub duration_ms: f64,
    /// How it ended; `None` while it runs.
    pub completion: Option<Completion>,
    /// One sentence on what explains most of what went wrong.
    pub cause: Option<String>,
    /// The lanes, each with its own level.
    pub lanes: Vec<LaneReport>,
    /// Every planned row in the order of the plan.
    pub results: Vec<CheckedRow>,
    /// The counts over all rows, those included that were not judged.
    pub tally: Tally,
    /// What became of the musts.
    pub musts: MustCounts,
    /// The agent's level, or why it has none.
    pub assessment: Assessment,
    /// The verdict in one word.
    pub word: VerdictWord,
    /// What to do about the failures, musts first.
    pub recommendations: Vec<Recommendation>,
    /// What would have to change for the next version of the protocol, if there is one.
    pub upgrade: Option<Upgrade>,
    /// The recording, in the order of the exchanges' numbers.
    pub exchanges: Vec<Rc<Exchange>>,
}

impl Report {
    /// The agent's name, or its host as long as no card was read.
    #[must_use]
    pub fn agent_name(&self) -> String {
        self.agent.as_ref().map_or_else(|| super::text::host(&self.address), |agent| agent.name.clone())
    }

    /// What is to be said of an agent that had to wake up first.
    #[must_use]
    pub fn cold_start(&self) -> Option<String> {
        // Tokens come from somebody else.
        let first = self.exchanges.iter().find(|exchange| exchange.scenario != CREDENTIALS);
        first.and_then(|exchange| crate::engine::cause::cold_start(exchange))
    }

    /// The agent's level, if one is given.
    #[must_use]
    pub const fn level(&self) -> Option<ConformanceLevel> {
        self.assessment.rating.level()
    }

    /// The protocol versions of the lanes, each once, in the order of the lanes; empty without lanes.
    #[must_use]
    pub fn versions(&self) -> Vec<&str> {
        let mut versions: Vec<&str> = Vec::new();
        for lane in &self.lanes {
            if !versions.contains(&lane.protocol_version) {
                versions.push(lane.protocol_version);
            }
        }
        versions
    }

    /// What the level covers: `streaming yes, push notifications not declared`. Empty as long as no card was read.
    #[must_use]
    pub fn coverage(&self) -> String {
        let Some(agent) = &self.agent else { return String::new() };
        let mut parts: Vec<String> = agent
            .capabilities
            .iter()
            .map(|(name, declared)| format!("{name} {}", if *declared { "yes" } else { "not declared" }))
            .collect();
        if self.musts.not_observable > 0 {
            parts.push(format!(
                "{} not observable from the {}",
                count(self.musts.not_observable, "must"),
                self.environment.host
            ));
        }
        if !agent.silent_interfaces.is_empty() {
            parts.push(format!("{} not checked", count_of(agent.silent_interfaces.len(), "interface")));
        }
        parts.join(", ")
    }

    /// The level with what it covers: `full; streaming yes, push notifications not declared`.
    #[must_use]
    pub fn level_sentence(&self) -> String {
        let level = self.assessment.rating.to_string();
        let coverage = self.coverage();
        if coverage.is_empty() { level } else { format!("{level}; {coverage}") }
    }
}

/// `1 must`, `2 musts`.
pub(super) fn count(number: u32, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// As [`count`], of a length.
pub(super) fn count_of(number: usize, noun: &str) -> String {
    count(u32::try_from(number).unwrap_or(u32::MAX), noun)
}

/// The name of this program in every report.
pub const TOOL: &str = "a2a-conformance";

/// The id of the requirement set: its size and a digest (FNV-1a) of the table, so that two reports can be told to be
/// judged by the same rules.
#[must_use]
pub fn suite() -> String {
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| {
        let digest = requirement::SOURCE
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        format!("a2a-requirements-{}-{digest:016x}", requirement::known().len())
    })
    .clone()
}

/// One way of talking to the agent, and what it is worth.
#[derive(Debug, Clone)]
pub struct LaneReport {
    /// Unique in the run: `jsonrpc-1.0`.
    pub id: String,
    /// Where.
    pub url: String,
    /// As the card names it: `JSONRPC`.
    pub binding: String,
    /// The version whose rules it is judged by.
    pub protocol_version: &'static str,
    /// The routing string of the interface.
    pub tenant: Option<String>,
    /// Its own level.
    pub assessment: Assessment,
}

/// A row with its verdict.
#[derive(Debug, Clone)]
pub struct CheckedRow {
    /// The check's stable id.
    pub check: &'static str,
    /// What it looks at.
    pub title: &'static str,
    /// The part of the suite.
    pub area: &'static Area,
    /// The category it is filed under.
    pub category: Category,
    /// The lane; `None` for checks of the card.
    pub lane: Option<String>,
    /// The version it was judged by.
    pub version: &'static str,
    /// The level of the result.
    pub level: Level,
    /// Whether it is about good practice that the specification does not ask for: shown as advice, never counted.
    pub good_practice: bool,
    /// The conclusion.
    pub outcome: Outcome,
    /// Why, in one sentence; may be empty for a plain pass.
    pub message: String,
    /// What was expected, of a finding.
    pub expected: Option<String>,
    /// What came, of a finding.
    pub actual: Option<String>,
    /// The JSON pointer, header or frame that a finding is about.
    pub pointer: Option<String>,
    /// The numbers of the exchanges it was read from.
    pub exchanges: Vec<u32>,
    /// What an agent's author can do about a finding.
    pub remediation: Option<String>,
    /// The ids of the requirements that were judged.
    pub requirements: Vec<&'static str>,
    /// The place in the specification: `1.0 §9.5`.
    pub spec: String,
    /// A link to that place.
    pub spec_url: Option<String>,
    /// How long its exchanges took, in milliseconds.
    pub duration_ms: f64,
}

impl CheckedRow {
    /// The view of a judged row.
    #[must_use]
    pub fn judged(result: &CheckResult) -> Self {
        Self::new(&result.row, &result.verdict, result.level, result.duration_ms)
    }

    /// The view of a row that was not judged, for a reason.
    #[must_use]
    pub fn not_run(row: &Row, why: &str) -> Self {
        Self::new(row, &Verdict::not_run(why), row.level(), 0.0)
    }

    fn new(row: &Row, verdict: &Verdict, level: Level, duration_ms: f64) -> Self {
        let version = row.version;
        let requirement = cited(&row.check.requirements(), version);
        let is_finding = matches!(verdict.outcome, Outcome::Fail | Outcome::Note);
        Self {
            check: row.check.id,
            title: row.check.title,
            area: row.area,
            category: row.category(),
            lane: row.lane.as_ref().map(|lane| lane.id.clone()),
            version,
            level,
            good_practice: requirement.is_some_and(|requirement| requirement.basis == Basis::Practical),
            outcome: verdict.outcome,
            message: verdict.message.clone(),
            expected: verdict.expected.clone(),
            actual: verdict.actual.clone(),
            pointer: verdict.pointer.clone().filter(|pointer| !pointer.is_empty()),
            exchanges: verdict.exchanges.clone(),
            remediation: is_finding.then(|| row.check.fix.to_owned()),
            requirements: row.check.requirement_ids().collect(),
            spec: requirement.map_or_else(String::new, |requirement| requirement.cite(version)),
            spec_url: requirement.and_then(|requirement| link(requirement, version)),
            duration_ms,
        }
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

    /// Unique in the run, as [`Row::key`].
    #[must_use]
    pub fn key(&self) -> String {
        match &self.lane {
            Some(lane) => format!("{}@{lane}", self.check),
            None => self.check.to_owned(),
        }
    }
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
    let section = requirement.section(version).filter(|_| requirement.basis != Basis::Practical)?;
    super::spec::spec_url(version, section)
}
