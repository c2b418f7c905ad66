//! The members of the JSON report, version 1, as a reader sees them.

use serde_json::{Map, Value};

use crate::engine::event::Completion;
use crate::engine::load::LoadFigures;
use crate::engine::verdict::Reward;
use crate::report::recording::JsonExchange;

/// The version of this shape.
pub const SCHEMA_VERSION: u64 = 1;

/// A report as a file. Fields may be added in later versions of this program; a reader ignores what it does not know.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonReport {
    /// Always 1.
    pub schema_version: u64,
    /// The program that made it.
    pub tool: JsonTool,
    /// What every report says of the connections, a sentence each.
    pub remarks: Vec<String>,
    /// The target, as the user gave it.
    pub agent_url: String,
    /// The agent's name, or its host when no card was read.
    pub agent_name: String,
    /// The agent's version; empty when no card was read.
    pub agent_version: String,
    /// The version of the card; absent when no card was read.
    pub detected: Option<JsonDetected>,
    /// The profile that chose the prompts; absent when no card was read.
    pub profile: Option<String>,
    /// Where the card came from.
    pub card_url: Option<String>,
    /// The optional capabilities, and whether the card declares them.
    pub declares: Vec<JsonDeclaration>,
    /// The interfaces of the card that were not checked.
    pub not_checked: Vec<JsonNotChecked>,
    /// The scenarios that only a thorough run drives; empty in a thorough run.
    pub left_out: Vec<JsonLeftOut>,
    /// The figures of the load that the agent was put under, if it was.
    pub load: Option<LoadFigures>,
    /// How many whole runs it is about, where the agent was checked several times.
    pub runs: Option<u32>,
    /// How the user wanted the run.
    pub options: Option<JsonOptions>,
    /// When the run began: RFC 3339, UTC.
    pub test_date: String,
    /// How long it took.
    pub duration_ms: f64,
    /// The verdict in one word. Absent from files that another program made to the contract's letter.
    pub verdict: Option<JsonVerdict>,
    /// The verdict in one sentence.
    pub headline: String,
    /// How the run ended; absent from files of older versions.
    pub completion: Option<JsonCompletion>,
    /// The cause that explains most failures.
    pub cause: Option<String>,
    /// Why the run is not a whole one, if it is not.
    pub incomplete: Option<String>,
    /// The lanes.
    pub lanes: Vec<JsonLane>,
    /// The counts.
    pub summary: JsonSummary,
    /// The results.
    pub categories: JsonCategories,
    /// The level; absent when none is given, and `level_reasons` then says why.
    pub conformance_level: Option<JsonLevel>,
    /// The level as it is shown, or why there is none.
    pub level_in_words: String,
    /// Why it is not the next level up.
    pub level_reasons: Vec<String>,
    /// Which optional capabilities the level covers; empty when no card was read.
    pub capabilities: String,
    /// Recommendations for the failures.
    pub recommendations: Vec<JsonRecommendation>,
    /// The changes needed for the next version of the protocol, if there is one.
    pub upgrade: Option<JsonUpgrade>,
    /// The reports of the two agents of a report about both, each of them alone.
    pub agents: Vec<Self>,
    /// The reports of the agent as a client of others.
    pub clients: Vec<Self>,
    /// The recording.
    pub exchanges: Option<Vec<JsonExchange>>,
}

/// A version, and how it was detected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonDetected {
    /// The version: `0.3`.
    pub version: String,
    /// How it was detected.
    pub why: String,
}

/// The program that made a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonTool {
    /// The program.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The id of the requirement set.
    pub suite: String,
    /// `page` or `command line`.
    pub host: String,
    /// The browser, if it was one.
    pub user_agent: Option<String>,
}

/// An optional capability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonDeclaration {
    /// Its name in words.
    pub capability: String,
    /// Whether the card declares it.
    pub declared: bool,
}

/// An interface that was not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonNotChecked {
    /// Which.
    pub interface: String,
    /// Why.
    pub why: String,
}

/// A scenario that only a thorough run drives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonLeftOut {
    /// What it does.
    pub scenario: String,
    /// How many messages it would send at most.
    pub messages: u32,
}

/// How the user wanted the run, without secrets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JsonOptions {
    /// The kind of target that the run began with: `address`, `card` or `endpoint`.
    pub source: String,
    /// The version that the user chose.
    pub protocol_version: Option<String>,
    /// The profile that the user chose.
    pub profile: Option<String>,
    /// The patterns of the checks that were selected; empty for all.
    pub only: Vec<String>,
    /// Whether scenarios were driven, too, that cost many messages.
    pub thorough: bool,
    /// How many interfaces were called at most, if that was not the usual number.
    pub interfaces: Option<usize>,
    /// The ids of the skills that the user chose; empty for all.
    pub skills: Vec<String>,
    /// The user's prompts, by the names of their behaviours.
    pub prompts: Map<String, Value>,
    /// The kinds of credentials that were sent.
    pub credentials: Vec<String>,
    /// Whether there were credentials of a second identity as well.
    pub second_identity: bool,
    /// Whether the user said whose keys sign the card.
    pub trusted_keys: bool,
    /// How many requests could be under way at once.
    pub concurrency: usize,
    /// How many runs were asked for; 0 in files that say nothing of it.
    pub repeat: u32,
    /// How long was waited for what.
    pub timeouts_ms: Map<String, Value>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are those of `engine::event::Completion`")]
pub enum JsonCompletion {
    /// It has not ended.
    Running,
    Complete,
    Filtered,
    CardOnly,
    EndpointOnly,
    Written,
    Pair,
    Watched,
    Stopped,
    Incomplete,
}

/// The word for how a run ended.
pub(super) const fn completion_word(completion: Option<&Completion>) -> &'static str {
    match completion {
        None => "running",
        Some(Completion::Complete) => "complete",
        Some(Completion::Filtered) => "filtered",
        Some(Completion::CardOnly) => "card-only",
        Some(Completion::EndpointOnly) => "endpoint-only",
        Some(Completion::Written) => "written-tests",
        Some(Completion::Pair) => "pair",
        Some(Completion::Watched) => "watched-client",
        Some(Completion::Stopped) => "stopped",
        Some(Completion::Incomplete(_)) => "incomplete",
    }
}

/// The verdict in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are those of `VerdictWord`")]
pub enum JsonVerdict {
    Conformant,
    ConformantWithAdvice,
    NotConformant,
    Incomplete,
}

/// A lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonLane {
    /// Its id: what `lane` of a result names.
    pub id: String,
    /// The interface's URL.
    pub url: String,
    /// As the card names it.
    pub binding: String,
    /// The version it was judged by.
    pub protocol_version: String,
    /// The interface's tenant.
    pub tenant: Option<String>,
    /// Its own level; absent when none is given.
    pub level: Option<JsonLevel>,
    /// The level as it is shown, or why there is none.
    pub level_in_words: String,
    /// Why it is not the next level up.
    pub level_reasons: Vec<String>,
}

/// The counts over all results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the members are those of `engine::event::Tally`")]
pub struct JsonSummary {
    pub total: u32,
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
    pub failed_required: u32,
    pub failed_advisory: u32,
    pub inconclusive: u32,
    pub blocked: u32,
}

/// The results by category, each in the order of the plan.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(missing_docs, reason = "the members are those of `Category`")]
pub struct JsonCategories {
    pub agent_card: Vec<JsonResult>,
    pub lifecycle: Vec<JsonResult>,
    pub streaming: Vec<JsonResult>,
    pub error_handling: Vec<JsonResult>,
    pub interop: Vec<JsonResult>,
}

/// A result. A pass that has `expected` is a note: a remark that never counts.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonResult {
    /// Its place in the plan, from 1; absent from files of older versions.
    pub number: Option<usize>,
    /// The check's stable id.
    pub test: String,
    /// Its category.
    pub category: JsonCategory,
    /// The outcome.
    pub status: JsonStatus,
    /// Why.
    pub message: Option<String>,
    /// How long its exchanges took.
    pub duration_ms: Option<f64>,
    /// The lane; absent for checks of the card.
    pub lane: Option<String>,
    /// How strongly the specification puts it.
    pub level: JsonStrength,
    /// Whether it is about good practice that the specification does not ask for.
    pub good_practice: bool,
    /// The requirements that were judged.
    pub requirement: Vec<String>,
    /// The place in the specification.
    pub spec: String,
    /// A link to it.
    pub spec_url: Option<String>,
    /// The kind of skip: `blocked`, `inconclusive`, ...
    pub reason: Option<String>,
    /// The expected value.
    pub expected: Option<String>,
    /// The value that the agent sent instead.
    pub actual: Option<String>,
    /// The JSON pointer, header or frame it is about.
    pub pointer: Option<String>,
    /// The exchanges it was read from.
    pub exchanges: Option<Vec<u32>>,
    /// The fix, for the agent's author.
    pub remediation: Option<String>,
    /// What a test that a user wrote has earned.
    pub reward: Option<Reward>,
    /// What each of several runs concluded where they differ, the gravest first; else empty.
    pub repeated: Vec<JsonRunsResult>,
    /// What the file says of a check that only the command line has.
    pub described: Option<JsonDescribedCheck>,
}

/// What some of several runs concluded of a check, as the first of them did. The members are those of [`JsonResult`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the members are those of `JsonResult`")]
pub struct JsonRunsResult {
    /// The numbers of these runs, from 1.
    pub runs: Vec<u32>,
    pub status: JsonStatus,
    pub reason: Option<String>,
    pub message: Option<String>,
    pub expected: Option<String>,
    pub actual: Option<String>,
    pub pointer: Option<String>,
    pub exchanges: Option<Vec<u32>>,
}

/// A check that a file describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonDescribedCheck {
    /// Its title.
    pub title: String,
    /// Why it matters.
    pub why: String,
    /// The name of its area.
    pub area: String,
    /// The id of its scenario.
    pub scenario: String,
    /// The scenario's title.
    pub scenario_title: String,
}

/// A recommendation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonRecommendation {
    /// The check.
    pub test: String,
    /// Its category.
    pub category: JsonCategory,
    /// The finding.
    pub message: String,
    /// The fix.
    pub recommendation: String,
}

/// The way to the next version of the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonUpgrade {
    /// The newest version that the agent speaks.
    pub from: String,
    /// The one after it.
    pub to: String,
    /// The changes.
    pub changes: Vec<JsonChange>,
}

/// Something that changed from one version to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonChange {
    /// The instruction.
    pub what: String,
    /// Where the specification says so.
    pub section: String,
}

/// A conformance level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are those of `ConformanceLevel`")]
pub enum JsonLevel {
    Full,
    Partial,
    Minimal,
    NonConformant,
}

/// A category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are those of `Category`")]
pub enum JsonCategory {
    AgentCard,
    Lifecycle,
    Streaming,
    ErrorHandling,
    Interop,
}

/// A status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are those of `Status`")]
pub enum JsonStatus {
    Pass,
    Fail,
    Skip,
}

/// The strength of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are those of `Level`")]
pub enum JsonStrength {
    Must,
    Should,
    May,
}

impl JsonReport {
    /// Every result, in the order of the categories.
    pub fn results(&self) -> impl Iterator<Item = &JsonResult> {
        let categories = &self.categories;
        [
            &categories.agent_card,
            &categories.lifecycle,
            &categories.streaming,
            &categories.error_handling,
            &categories.interop,
        ]
        .into_iter()
        .flatten()
    }
}
