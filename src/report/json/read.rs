//! Reads a report of a file, so that every other format can be written from a file as well, and why a file cannot be read. What a
//! file says is taken from it and not worked out anew, but for sums over its results.

use std::cell::OnceCell;
use std::mem::take;
use std::rc::Rc;

use serde_json::Value;

use super::described_check::{self, CheckDescription};
use super::write::{CATEGORIES, SCHEMA_VERSION, completion_word};
use crate::engine::check::{Category, DeclaredCheck};
use crate::engine::event::{Agent, Completion, LeftOut, Tally};
use crate::engine::options::Options;
use crate::engine::prompt::{Behaviour, Profile};
use crate::engine::requirement::Level;
use crate::engine::run_settings::RunSettings;
use crate::engine::upgrade::{Upgrade, UpgradeChange};
use crate::engine::verdict::{Outcome, Reward, Status, Verdict, VerdictOfRuns};
use crate::report::checked_row::CheckedRow;
use crate::report::connection::Connection;
use crate::report::level::{Assessment, ConformanceLevel, LaneReport, LevelReason, Rating};
use crate::report::load_figures;
use crate::report::members::{self, MalformedMember, Members};
use crate::report::model::Report;
use crate::report::recommend;
use crate::report::recording;
use crate::report::report_file::{ReportFile, RunSummary, UnknownInReport};
use crate::report::spec_links::{self, leads_to_specification};
use crate::report::text::one_line;
use crate::report::tool::Environment;
use crate::report::verdict::{MustCounts, VerdictWord};
use crate::wire::json::{self, FlawKind};
use crate::wire::order;
use crate::wire::timestamp;

/// Why a file cannot be opened as a report.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not JSON.
    #[error("the file is not JSON: {0}")]
    NotJson(String),
    /// It is JSON, but not a report.
    #[error("the file is not a conformance report: it has no schemaVersion")]
    NotAReport,
    /// It has a schema version that this program does not know.
    #[error("the report has schema version {0}; this program reads version 1")]
    Version(String),
    /// It claims version 1 but does not have its shape.
    #[error("the report is damaged: {0}")]
    Damaged(MalformedMember),
}

/// Opens a report of a file. `declared` finds a check by its id; a file describes those that not every program has.
///
/// The agent's security schemes are not in a file; no format has them.
///
/// # Errors
/// [`ReadError`] says why the text is not a report.
pub fn read(text: &str, declared: fn(&str) -> Option<DeclaredCheck>) -> Result<ReportFile, ReadError> {
    let value = value(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(ReadError::NotJson)?;
    match value.get("schemaVersion") {
        None => return Err(ReadError::NotAReport),
        Some(version) if version.as_u64() != Some(SCHEMA_VERSION) => {
            return Err(ReadError::Version(one_line(&version.to_string(), 40)));
        }
        Some(_) => {}
    }
    let reading = ReportReading { declared, unknown: OnceCell::new(), truncated: OnceCell::new() };
    let (report, stated) = members::of_file(&value, |m| reading.report(m)).map_err(ReadError::Damaged)?;
    Ok(ReportFile { report, stated, unknown: reading.unknown.into_inner(), truncated: reading.truncated.into_inner() })
}

/// The report in a text, or the first fault of the text.
fn value(text: &str) -> Result<Value, String> {
    let parsed = json::parse(text.as_bytes());
    match parsed.flaws.iter().find(|flaw| flaw.kind != FlawKind::DuplicateKey) {
        Some(flaw) => Err(flaw.to_string()),
        None => Ok(parsed.value.unwrap_or_default()),
    }
}

/// What is noted besides the report while a file is read.
struct ReportReading {
    declared: fn(&str) -> Option<DeclaredCheck>,
    /// The first thing that this program does not know.
    unknown: OnceCell<UnknownInReport>,
    /// The first exchange that is not whole.
    truncated: OnceCell<u32>,
}

impl ReportReading {
    fn report(&self, m: Members<'_>) -> (Report, RunSummary) {
        let results = m.object("categories", |m| self.results(m));
        let mut lanes = m.list("lanes", |m| self.lane(m));
        let mut assessment = assessment(m, "conformanceLevel", m.texts("levelReasons"));
        let ids: Vec<String> = lanes.iter().map(|lane| lane.id.clone()).collect();
        for each in lanes.iter_mut().map(|lane| &mut lane.assessment).chain([&mut assessment]) {
            each.reasons.iter_mut().for_each(|reason| take_apart(reason, &ids, &results));
        }
        let (environment, suite) = m.object("tool", tool);
        let incomplete = m.maybe_text("incomplete");
        let completion = completion(m, incomplete.as_deref());
        let [_, passed, failed, ..] = m.object("summary", |m| {
            ["total", "passed", "failed", "skipped", "failedRequired", "failedAdvisory", "inconclusive", "blocked"]
                .map(|name| m.count(name))
        });
        // Two words are one in files.
        let words = VerdictWord::ALL
            .map(|word| if word == VerdictWord::PartlyChecked { VerdictWord::Incomplete } else { word });
        let stated = RunSummary {
            agent: m.text("agentName"),
            address: m.text("agentUrl"),
            date: m.text("testDate"),
            tool_version: environment.tool_version.clone(),
            suite: suite.clone(),
            verdict: m.maybe_word("verdict", &words, |word| word.as_str()),
            passed,
            failed,
            incomplete,
        };
        m.list("recommendations", |_| ());
        let musts = MustCounts::from_rows(&results);
        let others = |list| {
            let report = |m: Members<'_>| Rc::new(m.object("report", |m| self.report(m).0));
            m.maybe_list(list, report).unwrap_or_default()
        };
        let report = Report {
            environment,
            connection: Connection {
                remarks: m.maybe_object("connection", |m| m.texts("remarks")).unwrap_or_default(),
                ..Connection::default()
            },
            suite,
            address: stated.address.clone(),
            settings: m.maybe_object("options", settings).unwrap_or_default(),
            agent: agent(m, &stated.agent),
            left_out: m
                .maybe_list("leftOut", |m| LeftOut { title: m.text("scenario"), messages: m.count("messages") })
                .unwrap_or_default(),
            load: m.maybe_object("load", load_figures::read).map(Rc::new),
            runs: m.maybe_count("runs"),
            started_ms: started_ms(&stated.date),
            duration_ms: m.number("duration_ms"),
            cause: m.maybe_text("cause"),
            word: VerdictWord::conclude(&musts, &results, &assessment.rating, completion.as_ref()),
            recommendations: recommend::recommendations(&results),
            upgrade: m.maybe_object("upgrade", |m| self.upgrade(m)),
            exchanges: m.maybe_list("exchanges", |m| Rc::new(recording::read(m, &self.truncated))).unwrap_or_default(),
            agents: others("agents"),
            clients: others("clients"),
            completion,
            lanes,
            tally: tally(&results),
            results,
            musts,
            assessment,
        };
        (report, stated)
    }

    fn note(&self, unknown: UnknownInReport) {
        self.unknown.get_or_init(|| unknown);
    }

    /// A version of the protocol.
    fn version(&self, name: String) -> String {
        if spec_links::version(&name).is_none() {
            self.note(UnknownInReport::Version(name.clone()));
        }
        name
    }

    /// The results of all categories, in the order of the plan. A file without numbers keeps the order of its categories.
    fn results(&self, m: Members<'_>) -> Vec<CheckedRow> {
        let lists = CATEGORIES.map(|(name, _)| m.list(name, |m| self.result(m)));
        let mut results: Vec<(usize, CheckedRow)> = lists.into_iter().flatten().collect();
        order::sort_by_key(&mut results, |(number, _)| *number);
        results.into_iter().map(|(_, result)| result).collect()
    }

    /// A result with its number in the plan.
    fn result(&self, m: Members<'_>) -> (usize, CheckedRow) {
        let level = m.word("level", Level::May, &Level::ALL, |level| level.as_str());
        let remediation = m.maybe_text("remediation");
        let ((area, scenario, check), is_described) = self.check(m, level, remediation.as_deref());
        let mut verdict = self.verdict(m);
        let of_runs = |m: Members<'_>| VerdictOfRuns {
            runs: m.maybe_counts("runs").unwrap_or_default(),
            verdict: self.verdict(m),
        };
        let of_runs = m.maybe_list("repeated", of_runs).unwrap_or_default();
        let result = CheckedRow {
            check: check.id,
            title: check.title,
            area,
            category: area.category,
            lane: m.maybe_text("lane"),
            level,
            good_practice: m.maybe_flag("goodPractice").unwrap_or_default(),
            outcome: match verdict.outcome {
                Outcome::Inconclusive if !of_runs.is_empty() => Outcome::Unsteady,
                outcome => outcome,
            },
            message: take(&mut verdict.message),
            expected: verdict.expected.take(),
            actual: verdict.actual.take(),
            pointer: verdict.pointer.take(),
            exchanges: take(&mut verdict.exchanges),
            remediation,
            requirements: check.requirement_ids().collect(),
            spec: m.text("spec"),
            spec_url: m.maybe_text("specUrl").filter(|url| leads_to_specification(url)),
            duration_ms: m.maybe_number("duration_ms").unwrap_or_default(),
            reward: m.maybe_object("reward", |m| Reward { earned: m.number("earned"), worth: m.number("worth") }),
            of_runs,
            scenario,
            declaration: check,
            is_described,
        };
        (m.maybe_count("number").unwrap_or_default(), result)
    }

    /// The check of a result, and whether the file describes it. One that neither the file nor this program knows is made of its id.
    fn check(&self, m: Members<'_>, level: Level, fix: Option<&str>) -> (DeclaredCheck, bool) {
        let id = m.text("test");
        let category = m.word("category", Category::AgentCard, &Category::ALL, |category| category.as_str());
        let requirements = m.texts("requirement");
        let texts = |m: Members<'_>| ["title", "why", "area", "scenario", "scenarioTitle"].map(|name| m.text(name));
        let described = m.maybe_object("described", texts);
        let is_described = described.is_some();
        if !is_described && let Some(known) = (self.declared)(&id) {
            return (known, false);
        }
        let fix = fix.filter(|_| is_described).unwrap_or_default().to_owned();
        let [title, why, area, scenario, scenario_title] = described.unwrap_or_else(|| {
            self.note(UnknownInReport::Check(id.clone()));
            [&id, "", "", "", ""].map(str::to_owned)
        });
        let said =
            CheckDescription { id, title, why, fix, level, requirements, area, category, scenario, scenario_title };
        (described_check::declared(said), is_described)
    }

    /// The members that a result has in common with each of several runs.
    fn verdict(&self, m: Members<'_>) -> Verdict {
        let status = m.word("status", Status::Skip, &Status::ALL, |word| word.as_str());
        let reason = m.maybe_text("reason").unwrap_or_default();
        let mut verdict = Verdict::pass_with(m.maybe_text("message").unwrap_or_default());
        verdict.expected = m.maybe_text("expected");
        verdict.actual = m.maybe_text("actual");
        verdict.pointer = m.maybe_text("pointer");
        verdict.exchanges = m.maybe_counts("exchanges").unwrap_or_default();
        verdict.outcome = match status {
            Status::Pass if verdict.expected.is_some() => Outcome::Note,
            Status::Pass => Outcome::Pass,
            Status::Fail => Outcome::Fail,
            Status::Skip => self.skip(reason),
        };
        verdict
    }

    fn skip(&self, reason: String) -> Outcome {
        const SKIPS: [Outcome; 6] = [
            Outcome::NotApplicable,
            Outcome::NotObservable,
            Outcome::Inconclusive,
            Outcome::Blocked,
            Outcome::NotRun,
            Outcome::HarnessError,
        ];
        let known = SKIPS.into_iter().find(|skip| skip.reason() == Some(reason.as_str()));
        known.unwrap_or_else(|| {
            self.note(UnknownInReport::Reason(reason));
            Outcome::Inconclusive
        })
    }

    fn lane(&self, m: Members<'_>) -> LaneReport {
        LaneReport {
            id: m.text("id"),
            url: m.text("url"),
            binding: m.text("binding"),
            protocol_version: self.version(m.text("protocolVersion")),
            tenant: m.maybe_text("tenant"),
            assessment: assessment(m, "level", m.maybe_texts("levelReasons").unwrap_or_default()),
        }
    }

    fn upgrade(&self, m: Members<'_>) -> Upgrade {
        Upgrade {
            from: self.version(m.text("from")),
            to: self.version(m.text("to")),
            changes: m.list("changes", |m| UpgradeChange { what: m.text("what"), section: m.text("section") }),
        }
    }
}

/// The program and its host, and the id of the requirement set.
fn tool(m: Members<'_>) -> (Environment, String) {
    let environment = Environment {
        tool_version: m.text("version"),
        host: m.maybe_text("host").unwrap_or_default(),
        user_agent: m.maybe_text("userAgent"),
    };
    (environment, m.text("suite"))
}

/// The agent; `None` as long as no card was read, when a file has no profile.
fn agent(m: Members<'_>, name: &str) -> Option<Agent> {
    let version = m.text("agentVersion");
    Some(Agent {
        profile: m.maybe_text("profile")?,
        name: name.to_owned(),
        version,
        card_url: m.maybe_text("cardUrl").unwrap_or_default(),
        capabilities: m.maybe_list("declares", |m| (m.text("capability"), m.flag("declared"))).unwrap_or_default(),
        detected: m.maybe_object("detected", |m| (m.text("version"), m.text("why"))).unwrap_or_default(),
        silent_interfaces: m.maybe_list("notChecked", |m| (m.text("interface"), m.text("why"))).unwrap_or_default(),
        ..Agent::default()
    })
}

fn settings(m: Members<'_>) -> RunSettings {
    let usual = RunSettings::from_options(&Options::default());
    let prompt = |(name, text): (&String, &Value)| Some((Behaviour::parse(name)?.as_str(), text.as_str()?.to_owned()));
    let timeout = |(name, ms): (&String, &Value)| {
        let known = usual.timeouts_ms.iter().find(|(known, _)| known == name)?;
        Some((known.0, ms.as_f64()?))
    };
    let source = m.maybe_text("source");
    let source =
        source.and_then(|said| ["address", "card", "endpoint", "client"].into_iter().find(|known| *known == said));
    RunSettings {
        source: source.unwrap_or_default(),
        version: m.maybe_text("protocolVersion"),
        profile: m.maybe_text("profile").and_then(|name| Profile::parse(&name)).map(Profile::as_str),
        only: m.texts("only"),
        thorough: m.maybe_flag("thorough").unwrap_or_default(),
        interfaces: m.maybe_count("interfaces"),
        skills: m.maybe_texts("skills").unwrap_or_default(),
        prompts: m.map("prompts").iter().filter_map(prompt).collect(),
        credentials: m.texts("credentials"),
        second_identity: m.maybe_flag("secondIdentity").unwrap_or_default(),
        trusted_keys: m.maybe_flag("trustedKeys").unwrap_or_default(),
        concurrency: m.maybe_count("concurrency").unwrap_or_default(),
        repeat: m.maybe_count("repeat").unwrap_or_default(),
        timeouts_ms: m.maybe_map("timeouts_ms").unwrap_or_default().iter().filter_map(timeout).collect(),
    }
}

/// How the run ended; `None` while it goes on. Files of older versions do not say it.
fn completion(m: Members<'_>, incomplete: Option<&str>) -> Option<Completion> {
    let cut_short = Completion::Incomplete(incomplete.unwrap_or_default().to_owned());
    let all = [
        None,
        Some(Completion::Complete),
        Some(Completion::Filtered),
        Some(Completion::CardOnly),
        Some(Completion::EndpointOnly),
        Some(Completion::Written),
        Some(Completion::Pair),
        Some(Completion::Watched),
        Some(Completion::Stopped),
        Some(cut_short.clone()),
    ];
    let stated = m.maybe_word("completion", &all, |each| completion_word(each.as_ref()));
    stated.unwrap_or_else(|| Some(incomplete.map_or(Completion::Complete, |_| cut_short)))
}

/// The level of that member, or from the words why there is none: `not rated (the run was stopped)`.
fn assessment(m: Members<'_>, level: &str, reasons: Vec<String>) -> Assessment {
    let words = m.maybe_text("levelInWords").unwrap_or_default();
    let reason = |sentence| LevelReason { check: None, lanes: Vec::new(), sentence };
    Assessment {
        rating: match m.maybe_word(level, &ConformanceLevel::ALL, |level| level.as_str()) {
            Some(level) => Rating::Rated(level),
            None => {
                let why = words.strip_prefix("not rated (").and_then(|words| words.strip_suffix(')'));
                Rating::NotRated(why.unwrap_or(&words).to_owned())
            }
        },
        reasons: reasons.into_iter().map(reason).collect(),
    }
}

/// Takes the text of a [`LevelReason`] apart again: a check or lanes of this file in front of the sentence.
fn take_apart(reason: &mut LevelReason, ids: &[String], results: &[CheckedRow]) {
    let Some((head, sentence)) = reason.sentence.split_once(": ") else { return };
    let check = |id: &str| results.iter().map(|result| result.check).find(|known| *known == id);
    // Lanes of this file, separated by commas; `None` when one of them is not.
    let lanes_named = |text: &str| {
        text.split(", ").map(|id| ids.iter().find(|known| *known == id).cloned()).collect::<Option<Vec<_>>>()
    };
    let (check, lanes) = match head.strip_suffix(')').and_then(|head| head.split_once(" (")) {
        Some((id, lanes)) => (check(id), lanes_named(lanes).filter(|_| check(id).is_some())),
        None => match lanes_named(head) {
            Some(lanes) => (None, Some(lanes)),
            None => (check(head), check(head).map(|_| Vec::new())),
        },
    };
    if let Some(lanes) = lanes {
        *reason = LevelReason { check, lanes, sentence: sentence.to_owned() };
    }
}

fn tally(results: &[CheckedRow]) -> Tally {
    let mut tally = Tally::default();
    for result in results {
        tally.count(result.outcome, result.level);
    }
    tally.total = tally.judged;
    let not_run = results.iter().filter(|result| result.outcome == Outcome::NotRun).count();
    tally.judged = tally.judged.saturating_sub(u32::try_from(not_run).unwrap_or(u32::MAX));
    tally
}

/// A run that never began is written as one of 1970.
fn started_ms(date: &str) -> Option<f64> {
    let (seconds, nanos) = timestamp::parse(date)?;
    // Whole milliseconds of this century are exact in a double.
    (seconds > 0).then(|| seconds as f64 * 1000.0 + f64::from(nanos / 1_000_000))
}
