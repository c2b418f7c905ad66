//! From a file back to the report it was written from, so that every other format can be written from a file as well. What
//! a file says is taken from it and not worked out anew, but for sums over its results.

use std::rc::Rc;

use super::types::{
    JsonCompletion, JsonLane, JsonLeftOut, JsonLevel, JsonOptions, JsonReport, JsonResult, JsonRunsResult, JsonStatus,
    JsonStrength,
};
use crate::engine::check::Area;
use crate::engine::event::{Agent, Completion, LeftOut, Tally};
use crate::engine::options::Options;
use crate::engine::prompt::{Behaviour, Profile};
use crate::engine::requirement::Level;
use crate::engine::run_settings::RunSettings;
use crate::engine::upgrade::{Upgrade, UpgradeChange};
use crate::engine::verdict::{Outcome, Verdict, VerdictOfRuns};
use crate::report::checked_row::{CheckedRow, DescribedCheck};
use crate::report::connection::Connection;
use crate::report::environment::Environment;
use crate::report::lane_report::LaneReport;
use crate::report::level::{Assessment, ConformanceLevel, LevelReason, Rating};
use crate::report::model::Report;
use crate::report::must_counts::MustCounts;
use crate::report::recommend;
use crate::report::recording;
use crate::report::spec_links;
use crate::report::verdict::VerdictWord;
use crate::wire::order;
use crate::wire::timestamp;

/// The parts of a check that a file leaves out: it names the checks that every program has by their ids only.
#[derive(Debug, Clone, Copy)]
pub struct DeclaredCheck {
    /// Its area.
    pub area: &'static Area,
    /// Its id.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The ids of its requirements; none for the one that has the check's own id.
    pub requirements: &'static [&'static str],
    /// Its declaration, where the file describes it.
    pub described: Option<DescribedCheck>,
}

/// Why no report can be made of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestoreReportError {
    /// A check of another version of this program.
    #[error("the report has a check that this version does not know: {0}")]
    Check(String),
    /// A version of the protocol that this program does not know.
    #[error("the report has a version of A2A that this version does not know: {0}")]
    Version(String),
    /// A skip for a reason that this program does not know.
    #[error("the report has a reason that this version does not know: {0}")]
    Reason(String),
    /// An exchange that is damaged.
    #[error("the report is damaged: {0}")]
    Exchange(#[from] recording::RestoreError),
}

impl JsonReport {
    /// The report that was written. `declared` finds the check of a result.
    ///
    /// The agent's security schemes are not in a file; no format has them.
    ///
    /// # Errors
    /// [`RestoreReportError`] when the file is of a version that knows more than this one, or damaged.
    pub fn restore(
        &self,
        declared: &dyn Fn(&JsonResult) -> Option<DeclaredCheck>,
    ) -> Result<Report, RestoreReportError> {
        let mut results: Vec<(usize, CheckedRow)> = Vec::new();
        for result in self.results() {
            results.push((result.number.unwrap_or_default(), result.restore(declared)?));
        }
        // Stable: a file without numbers keeps the order of its categories.
        order::sort_by_key(&mut results, |(number, _)| *number);
        let results: Vec<CheckedRow> = results.into_iter().map(|(_, result)| result).collect();
        let mut lanes = Vec::new();
        for lane in &self.lanes {
            lanes.push(lane.restore(self.reasons_of(&lane.level_reasons, &results))?);
        }
        let musts = MustCounts::of(&results);
        let tally = self.tally(&results);
        let assessment = Assessment {
            rating: rating(self.conformance_level, &self.level_in_words),
            reasons: self.reasons_of(&self.level_reasons, &results),
        };
        let completion = self.completion();
        let others = |reports: &[Self]| -> Result<Vec<_>, RestoreReportError> {
            reports.iter().map(|other| other.restore(declared).map(Rc::new)).collect()
        };
        Ok(Report {
            environment: Environment {
                tool_version: self.tool.version.clone(),
                host: self.tool.host.clone(),
                user_agent: self.tool.user_agent.clone(),
            },
            connection: Connection { remarks: self.remarks.clone(), ..Connection::default() },
            suite: self.tool.suite.clone(),
            address: self.agent_url.clone(),
            settings: self.options.as_ref().map(JsonOptions::restore).unwrap_or_default(),
            agent: self.agent(),
            left_out: self.left_out.iter().map(JsonLeftOut::restore).collect(),
            load: self.load.clone().map(Rc::new),
            runs: self.runs,
            started_ms: self.started_ms(),
            duration_ms: self.duration_ms,
            cause: self.cause.clone(),
            word: VerdictWord::of(&musts, &results, &assessment.rating, completion.as_ref()),
            recommendations: recommend::of(&results),
            upgrade: self.upgrade()?,
            exchanges: self
                .exchanges
                .iter()
                .flatten()
                .map(|exchange| exchange.restore_for_show().map(Rc::new))
                .collect::<Result<_, _>>()?,
            agents: others(&self.agents)?,
            clients: others(&self.clients)?,
            completion,
            lanes,
            results,
            tally,
            musts,
            assessment,
        })
    }

    /// When the run began, in milliseconds since 1970; `None` when it never did.
    #[must_use]
    pub fn started_ms(&self) -> Option<f64> {
        started_ms(&self.test_date)
    }

    fn agent(&self) -> Option<Agent> {
        let detected = self.detected.as_ref();
        Some(Agent {
            // As long as no card was read a file has no profile.
            profile: self.profile.clone()?,
            name: self.agent_name.clone(),
            version: self.agent_version.clone(),
            card_url: self.card_url.clone().unwrap_or_default(),
            capabilities: self.declares.iter().map(|each| (each.capability.clone(), each.declared)).collect(),
            detected: detected.map(|each| (each.version.clone(), each.why.clone())).unwrap_or_default(),
            silent_interfaces: self.not_checked.iter().map(|each| (each.interface.clone(), each.why.clone())).collect(),
            ..Agent::default()
        })
    }

    /// How the run ended; `None` while it goes on.
    pub fn completion(&self) -> Option<Completion> {
        let why = || self.incomplete.clone().unwrap_or_default();
        match self.completion {
            Some(JsonCompletion::Running) => None,
            Some(JsonCompletion::Complete) => Some(Completion::Complete),
            Some(JsonCompletion::Filtered) => Some(Completion::Filtered),
            Some(JsonCompletion::CardOnly) => Some(Completion::CardOnly),
            Some(JsonCompletion::EndpointOnly) => Some(Completion::EndpointOnly),
            Some(JsonCompletion::Written) => Some(Completion::Written),
            Some(JsonCompletion::Pair) => Some(Completion::Pair),
            Some(JsonCompletion::Watched) => Some(Completion::Watched),
            Some(JsonCompletion::Stopped) => Some(Completion::Stopped),
            Some(JsonCompletion::Incomplete) => Some(Completion::Incomplete(why())),
            None if self.incomplete.is_some() => Some(Completion::Incomplete(why())),
            None => Some(Completion::Complete),
        }
    }

    fn tally(&self, results: &[CheckedRow]) -> Tally {
        let mut tally = Tally::default();
        for result in results {
            tally.count(result.outcome, result.level);
        }
        tally.total = tally.judged;
        let not_run = results.iter().filter(|result| result.outcome == Outcome::NotRun).count();
        tally.judged = tally.judged.saturating_sub(u32::try_from(not_run).unwrap_or(u32::MAX));
        tally
    }

    fn upgrade(&self) -> Result<Option<Upgrade>, RestoreReportError> {
        let Some(upgrade) = &self.upgrade else { return Ok(None) };
        let change = |what: &str, section: &str| UpgradeChange { what: what.to_owned(), section: section.to_owned() };
        Ok(Some(Upgrade {
            from: version(&upgrade.from)?.to_owned(),
            to: version(&upgrade.to)?.to_owned(),
            changes: upgrade.changes.iter().map(|each| change(&each.what, &each.section)).collect(),
        }))
    }

    /// Takes the texts of [`LevelReason`] apart again: a check or lanes of this file in front of the sentence.
    fn reasons_of(&self, texts: &[String], results: &[CheckedRow]) -> Vec<LevelReason> {
        texts.iter().map(|text| self.reason(text, results)).collect()
    }

    fn reason(&self, text: &str, results: &[CheckedRow]) -> LevelReason {
        let plain = || LevelReason { check: None, lanes: Vec::new(), sentence: text.to_owned() };
        let Some((head, sentence)) = text.split_once(": ") else { return plain() };
        let check = |id: &str| results.iter().map(|result| result.check).find(|known| *known == id);
        let (check, lanes) = match head.strip_suffix(')').and_then(|head| head.split_once(" (")) {
            Some((id, lanes)) => (check(id), self.lanes_named(lanes).filter(|_| check(id).is_some())),
            None => match self.lanes_named(head) {
                Some(lanes) => (None, Some(lanes)),
                None => (check(head), check(head).map(|_| Vec::new())),
            },
        };
        lanes.map_or_else(plain, |lanes| LevelReason { check, lanes, sentence: sentence.to_owned() })
    }

    /// Lanes of this file, separated by commas; `None` when one of them is not.
    fn lanes_named(&self, text: &str) -> Option<Vec<String>> {
        text.split(", ").map(|id| self.lanes.iter().find(|lane| lane.id == id).map(|lane| lane.id.clone())).collect()
    }
}

impl JsonLeftOut {
    fn restore(&self) -> LeftOut {
        LeftOut { title: self.scenario.clone(), messages: self.messages }
    }
}

impl JsonOptions {
    fn restore(&self) -> RunSettings {
        let usual = RunSettings::of(&Options::default());
        let prompt = |(name, text): (&String, &serde_json::Value)| {
            Some((Behaviour::parse(name)?.as_str(), text.as_str()?.to_owned()))
        };
        let timeout = |(name, ms): (&String, &serde_json::Value)| {
            let known = usual.timeouts_ms.iter().find(|(known, _)| known == name)?;
            Some((known.0, ms.as_f64()?))
        };
        RunSettings {
            source: ["address", "card", "endpoint", "client"]
                .into_iter()
                .find(|known| *known == self.source)
                .unwrap_or_default(),
            version: self.protocol_version.clone(),
            profile: self.profile.as_deref().and_then(Profile::parse).map(Profile::as_str),
            only: self.only.clone(),
            thorough: self.thorough,
            interfaces: self.interfaces,
            skills: self.skills.clone(),
            prompts: self.prompts.iter().filter_map(prompt).collect(),
            credentials: self.credentials.clone(),
            second_identity: self.second_identity,
            trusted_keys: self.trusted_keys,
            concurrency: self.concurrency,
            repeat: self.repeat,
            timeouts_ms: self.timeouts_ms.iter().filter_map(timeout).collect(),
        }
    }
}

impl JsonLane {
    fn restore(&self, reasons: Vec<LevelReason>) -> Result<LaneReport, RestoreReportError> {
        Ok(LaneReport {
            id: self.id.clone(),
            url: self.url.clone(),
            binding: self.binding.clone(),
            protocol_version: version(&self.protocol_version)?,
            tenant: self.tenant.clone(),
            assessment: Assessment { rating: rating(self.level, &self.level_in_words), reasons },
        })
    }
}

impl JsonResult {
    fn restore(
        &self,
        declared: &dyn Fn(&JsonResult) -> Option<DeclaredCheck>,
    ) -> Result<CheckedRow, RestoreReportError> {
        let declared = declared(self).ok_or_else(|| RestoreReportError::Check(self.test.clone()))?;
        Ok(CheckedRow {
            check: declared.id,
            title: declared.title,
            area: declared.area,
            category: declared.area.category,
            lane: self.lane.clone(),
            level: match self.level {
                JsonStrength::Must => Level::Must,
                JsonStrength::Should => Level::Should,
                JsonStrength::May => Level::May,
            },
            good_practice: self.good_practice,
            outcome: self.outcome()?,
            message: self.message.clone().unwrap_or_default(),
            expected: self.expected.clone(),
            actual: self.actual.clone(),
            pointer: self.pointer.clone(),
            exchanges: self.exchanges.clone().unwrap_or_default(),
            remediation: self.remediation.clone(),
            requirements: match declared.requirements {
                [] => vec![declared.id],
                several => several.to_vec(),
            },
            spec: self.spec.clone(),
            spec_url: self.spec_url.clone(),
            duration_ms: self.duration_ms.unwrap_or_default(),
            reward: self.reward,
            of_runs: self.repeated.iter().map(JsonRunsResult::restore).collect::<Result<_, _>>()?,
            described: declared.described,
        })
    }

    /// The conclusion.
    ///
    /// # Errors
    /// [`RestoreReportError::Reason`] for a skip that this program has no word for.
    pub fn outcome(&self) -> Result<Outcome, RestoreReportError> {
        match outcome(self.status, self.expected.as_deref(), self.reason.as_deref())? {
            Outcome::Inconclusive if !self.repeated.is_empty() => Ok(Outcome::Unsteady),
            outcome => Ok(outcome),
        }
    }
}

impl JsonRunsResult {
    fn restore(&self) -> Result<VerdictOfRuns, RestoreReportError> {
        let mut verdict = Verdict::pass_with(self.message.clone().unwrap_or_default());
        verdict.outcome = outcome(self.status, self.expected.as_deref(), self.reason.as_deref())?;
        verdict.expected.clone_from(&self.expected);
        verdict.actual.clone_from(&self.actual);
        verdict.pointer.clone_from(&self.pointer);
        verdict.exchanges = self.exchanges.clone().unwrap_or_default();
        Ok(VerdictOfRuns { runs: self.runs.clone(), verdict })
    }
}

fn outcome(status: JsonStatus, expected: Option<&str>, reason: Option<&str>) -> Result<Outcome, RestoreReportError> {
    match (status, expected) {
        (JsonStatus::Pass, None) => Ok(Outcome::Pass),
        (JsonStatus::Pass, Some(_)) => Ok(Outcome::Note),
        (JsonStatus::Fail, _) => Ok(Outcome::Fail),
        (JsonStatus::Skip, _) => {
            const SKIPS: [Outcome; 6] = [
                Outcome::NotApplicable,
                Outcome::NotObservable,
                Outcome::Inconclusive,
                Outcome::Blocked,
                Outcome::NotRun,
                Outcome::HarnessError,
            ];
            let reason = reason.unwrap_or_default();
            SKIPS
                .into_iter()
                .find(|skip| skip.reason() == Some(reason))
                .ok_or_else(|| RestoreReportError::Reason(reason.to_owned()))
        }
    }
}

fn version(name: &str) -> Result<&'static str, RestoreReportError> {
    spec_links::version(name).ok_or_else(|| RestoreReportError::Version(name.to_owned()))
}

/// The rating, or from the words why there is none: `not rated (the run was stopped)`.
fn rating(level: Option<JsonLevel>, words: &str) -> Rating {
    match level {
        Some(JsonLevel::Full) => Rating::Rated(ConformanceLevel::Full),
        Some(JsonLevel::Partial) => Rating::Rated(ConformanceLevel::Partial),
        Some(JsonLevel::Minimal) => Rating::Rated(ConformanceLevel::Minimal),
        Some(JsonLevel::NonConformant) => Rating::Rated(ConformanceLevel::NonConformant),
        None => {
            let why = words.strip_prefix("not rated (").and_then(|words| words.strip_suffix(')'));
            Rating::NotRated(why.unwrap_or(words).to_owned())
        }
    }
}

/// A run that never began is written as one of 1970.
fn started_ms(date: &str) -> Option<f64> {
    let (seconds, nanos) = timestamp::parse(date)?;
    // Whole milliseconds of this century are exact in a double.
    (seconds > 0).then(|| seconds as f64 * 1000.0 + f64::from(nanos / 1_000_000))
}
