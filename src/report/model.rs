//! The view of a run that every format is written from: what was checked, the results, and the level they amount to.

use std::rc::Rc;

use super::checked_row::CheckedRow;
use super::connection::Connection;
use super::groups::distinct;
use super::level::{Assessment, ConformanceLevel, LaneReport, Rating};
use super::recommend::Recommendation;
use super::text;
use super::tool::Environment;
use super::verdict::{MustCounts, VerdictWord};
use crate::engine::credentials::CREDENTIALS;
use crate::engine::event::{Agent, Completion, LeftOut, PUSH_NOTIFICATIONS, STREAMING, Tally};
use crate::engine::load::LoadFigures;
use crate::engine::plural::{count, count_of};
use crate::engine::run_settings::RunSettings;
use crate::engine::upgrade::Upgrade;
use crate::engine::verdict::Outcome;
use crate::wire::exchange::Exchange;

/// The highest level, of an agent that declares neither streaming nor push notifications.
const FULL_FOR_LITTLE: &str = "full for what it declares";

/// A run, finished or not, ready to be written.
#[derive(Debug, Clone)]
pub struct Report {
    /// The environment of the run.
    pub environment: Environment,
    /// How the agent was reached, as far as the host knows it.
    pub connection: Connection,
    /// The id of the requirement set that was judged by.
    pub suite: String,
    /// The target, as the user gave it, without the secrets that an address may carry.
    pub address: String,
    /// How the user wanted it, without secrets.
    pub settings: RunSettings,
    /// The agent; `None` as long as no card was read.
    pub agent: Option<Agent>,
    /// The scenarios that only a thorough run drives; empty in a thorough run.
    pub left_out: Vec<LeftOut>,
    /// The figures of the load that the agent was put under, if it was.
    pub load: Option<Rc<LoadFigures>>,
    /// How many whole runs it is about, where the agent was checked several times, one run after another; `None` where once.
    pub runs: Option<u32>,
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
    /// The outcomes of the must-level rows, counted.
    pub musts: MustCounts,
    /// The agent's level, or why it has none.
    pub assessment: Assessment,
    /// The verdict in one word.
    pub word: VerdictWord,
    /// Advice about the failures, musts first.
    pub recommendations: Vec<Recommendation>,
    /// The changes that the next version of the protocol would require, if there is one.
    pub upgrade: Option<Upgrade>,
    /// The recording, in the order of the exchanges' numbers.
    pub exchanges: Vec<Rc<Exchange>>,
    /// The reports of the two agents that this one is about together, each of them alone; empty for a report of one agent.
    pub agents: Vec<Rc<Self>>,
    /// What an agent that was told to call another showed as a client: a report with the subject `client`. Empty for one that was not.
    pub clients: Vec<Rc<Self>>,
}

impl Report {
    /// The agent's name, or its host as long as no card was read.
    #[must_use]
    pub fn agent_name(&self) -> String {
        self.agent.as_ref().map_or_else(|| text::host(&self.address), |agent| agent.name.clone())
    }

    /// The verdict for people: `Conformant`, and of two agents whether they work together.
    #[must_use]
    pub fn verdict_title(&self) -> &'static str {
        match (&self.completion, self.word) {
            (Some(Completion::Pair), VerdictWord::Conformant) => "The two agents work together",
            (Some(Completion::Pair), VerdictWord::ConformantWithAdvice) => {
                "The two agents work together, with suggestions"
            }
            (Some(Completion::Pair), VerdictWord::NotConformant) => "The two agents do not work together",
            (_, word) => word.title(),
        }
    }

    /// Whether a client was judged, and not an agent.
    #[must_use]
    pub fn is_of_client(&self) -> bool {
        self.completion == Some(Completion::Watched)
    }

    /// What was judged, for a label: `Agent`, or `Client`.
    #[must_use]
    pub fn subject_title(&self) -> &'static str {
        if self.is_of_client() { "Client" } else { "Agent" }
    }

    /// A remark on an agent that had to start before it answered.
    #[must_use]
    pub fn cold_start(&self) -> Option<String> {
        // Tokens come from an authorization server.
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
        distinct(self.lanes.iter().map(|lane| lane.protocol_version.as_str()))
    }

    /// The optional capabilities of the agent: `streaming yes, push notifications not declared`. Empty as long as no card was read.
    #[must_use]
    pub fn coverage(&self) -> String {
        let Some(agent) = &self.agent else { return String::new() };
        let mut parts: Vec<String> = agent
            .capabilities
            .iter()
            .map(|(name, declared)| format!("{name} {}", if *declared { "yes" } else { "not declared" }))
            .collect();
        if !agent.silent_interfaces.is_empty() {
            parts.push(format!("{} not checked", count_of(agent.silent_interfaces.len(), "interface")));
        }
        parts.join(", ")
    }

    /// The results that are not the same in each of several runs.
    pub fn unsteady(&self) -> impl Iterator<Item = &CheckedRow> {
        self.results.iter().filter(|row| row.outcome == Outcome::Unsteady)
    }

    /// What a thorough run would do besides, if anything: `2 scenarios with up to 14 messages (Send many messages; Stream a burst)`.
    #[must_use]
    pub fn left_out_in_words(&self) -> String {
        if self.left_out.is_empty() {
            return String::new();
        }
        let messages = self.left_out.iter().map(|each| each.messages).sum();
        let titles: Vec<&str> = self.left_out.iter().map(|each| each.title.as_str()).collect();
        let scenarios = count_of(titles.len(), "scenario");
        format!("{scenarios} with up to {} ({})", count(messages, "message"), titles.join("; "))
    }

    /// A rating of this agent's in words. Full, for an agent that declares neither streaming nor push notifications, is
    /// less than for one that has both: `full for what it declares`.
    #[must_use]
    pub fn rating_in_words(&self, rating: &Rating) -> String {
        match rating {
            Rating::Rated(ConformanceLevel::Full) if self.declares_neither() => FULL_FOR_LITTLE.to_owned(),
            rating => rating.to_string(),
        }
    }

    /// Whether the agent declares neither streaming nor push notifications. Unknown as long as no card was read.
    #[must_use]
    pub fn declares_neither(&self) -> bool {
        let Some(agent) = &self.agent else { return false };
        let counted = agent.capabilities.iter();
        let counted = counted.filter(|(name, _)| matches!(name.as_str(), STREAMING | PUSH_NOTIFICATIONS));
        let declared: Vec<bool> = counted.map(|(_, declared)| *declared).collect();
        !declared.is_empty() && !declared.contains(&true)
    }

    /// The level with what it covers: `full; streaming yes, push notifications not declared`.
    #[must_use]
    pub fn level_sentence(&self) -> String {
        let level = self.rating_in_words(&self.assessment.rating);
        let coverage = self.coverage();
        if coverage.is_empty() { level } else { format!("{level}; {coverage}") }
    }
}

/// One of several agents, for the files that hold all of them.
#[derive(Debug)]
pub struct Subject {
    /// Its address as it was listed, without the secrets that one may carry.
    pub address: String,
    /// One sentence of reason for its verdict.
    pub reason: String,
    /// Its report; of one that was never begun an empty one.
    pub report: Report,
}
