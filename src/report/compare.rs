//! Two reports compared, check by check and lane by lane: what was fixed, what is newly broken, what changed otherwise, and
//! what only one of them has. It reads files, so that reports of different versions of this program can be compared.

use super::json::{JsonLevel, JsonReport, JsonResult, JsonRunsResult, JsonStatus, JsonStrength, JsonVerdict};
use super::load_figures;
use crate::wire::order;

/// The differences between two reports. The lists have musts first, then the order of the later report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The earlier report.
    pub before: ComparedReport,
    /// The later one.
    pub after: ComparedReport,
    /// Failed before, passes now.
    pub fixed: Vec<ResultDifference>,
    /// Fails now and did not fail before, not in a single one of several runs either.
    pub newly_broken: Vec<ResultDifference>,
    /// Has another outcome or level, and is neither fixed nor newly broken: judged before and left open now, for example, or unsteady in
    /// one of the two.
    pub changed: Vec<ResultDifference>,
    /// Only the earlier report has it.
    pub only_before: Vec<UnpairedResult>,
    /// Only the later report has it.
    pub only_after: Vec<UnpairedResult>,
    /// How many have the same outcome in both.
    pub unchanged: usize,
    /// The figures of the two loads side by side: name, before and after; empty where the agent was put under none.
    pub load: Vec<[String; 3]>,
}

/// One of the two reports: its target, its date and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedReport {
    /// The agent's name.
    pub agent: String,
    /// Its address.
    pub address: String,
    /// When the run began: RFC 3339.
    pub date: String,
    /// The version of the program.
    pub tool_version: String,
    /// The id of the requirement set.
    pub suite: String,
    /// The verdict.
    pub verdict: Option<JsonVerdict>,
    /// The level, if one was given.
    pub level: Option<JsonLevel>,
    /// How many passed and how many failed.
    pub passed: u32,
    /// The same.
    pub failed: u32,
    /// Why the run was not a whole one, if it was not.
    pub incomplete: Option<String>,
}

/// A check on a lane that both reports have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultDifference {
    /// The check.
    pub check: String,
    /// The lane; `None` for checks of the card.
    pub lane: Option<String>,
    /// The result in the earlier report.
    pub before: ComparedVerdict,
    /// The result in the later one.
    pub after: ComparedVerdict,
}

/// A check on a lane that one report has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnpairedResult {
    /// The check.
    pub check: String,
    /// The lane; `None` for checks of the card.
    pub lane: Option<String>,
    /// The result in that report.
    pub said: ComparedVerdict,
}

/// The result of a check in a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedVerdict {
    /// The outcome.
    pub status: JsonStatus,
    /// The kind of skip.
    pub reason: Option<String>,
    /// The level.
    pub level: JsonStrength,
    /// Why.
    pub message: String,
    /// In how many of how many runs it failed, where several runs of its report differ.
    pub unsteady: Option<(usize, usize)>,
}

impl ComparedVerdict {
    fn of(result: &JsonResult) -> Self {
        let runs = |of: &dyn Fn(&JsonRunsResult) -> bool| {
            result.repeated.iter().filter(|each| of(each)).map(|each| each.runs.len()).sum()
        };
        let counts = (runs(&|each| each.status == JsonStatus::Fail), runs(&|_| true));
        Self {
            unsteady: (!result.repeated.is_empty()).then_some(counts),
            status: result.status,
            reason: result.reason.clone(),
            level: result.level,
            message: result.message.clone().unwrap_or_default(),
        }
    }

    /// Whether it failed in some of several runs, and not in all.
    #[must_use]
    pub fn fails_at_times(&self) -> bool {
        self.unsteady.is_some_and(|(failed, _)| failed > 0)
    }

    /// `unsteady: failed in 2 of 5 runs`, where several runs differ.
    #[must_use]
    pub fn unsteady_in_words(&self) -> Option<String> {
        let (failed, runs) = self.unsteady?;
        Some(match failed {
            0 => format!("unsteady: not the same in each of {runs} runs"),
            failed => format!("unsteady: failed in {failed} of {runs} runs"),
        })
    }

    /// Whether it fails at must.
    #[must_use]
    pub fn is_breach(&self) -> bool {
        self.status == JsonStatus::Fail && self.level == JsonStrength::Must
    }
}

impl Comparison {
    /// Whether both were judged by the same requirement set. If not, a difference may be one of the checker.
    #[must_use]
    pub fn is_same_suite(&self) -> bool {
        self.before.suite == self.after.suite
    }

    /// Whether both are of the same address.
    #[must_use]
    pub fn is_same_address(&self) -> bool {
        self.before.address == self.after.address
    }

    /// How many musts fail now that did not before. One that only the later report has counts when both were judged by the
    /// same requirement set: then it is the agent that has more to judge.
    #[must_use]
    pub fn new_breaches(&self) -> usize {
        let broken = self.newly_broken.iter().filter(|difference| difference.after.is_breach()).count();
        let added = self.only_after.iter().filter(|single| single.said.is_breach()).count();
        broken + if self.is_same_suite() { added } else { 0 }
    }

    /// Whether the two say the same of everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fixed.is_empty()
            && self.newly_broken.is_empty()
            && self.changed.is_empty()
            && self.only_before.is_empty()
            && self.only_after.is_empty()
    }
}

/// A check and its lane.
type Key<'a> = (&'a str, Option<&'a str>);

/// Compares an earlier report with a later one.
#[must_use]
pub fn compare(before: &JsonReport, after: &JsonReport) -> Comparison {
    let (old, new) = (by_key(before), by_key(after));
    let mut comparison = Comparison {
        before: side(before),
        after: side(after),
        fixed: Vec::new(),
        newly_broken: Vec::new(),
        changed: Vec::new(),
        only_before: Vec::new(),
        only_after: Vec::new(),
        unchanged: 0,
        load: load_figures::side_by_side(before.load.as_ref(), after.load.as_ref()),
    };
    for (key, now) in in_order(&new) {
        match of_key(&old, key) {
            Some(then) => comparison.sort_in(key, ComparedVerdict::of(then), ComparedVerdict::of(now)),
            None => comparison.only_after.push(single(key, now)),
        }
    }
    let gone = in_order(&old).into_iter().filter(|(key, _)| of_key(&new, *key).is_none());
    comparison.only_before = gone.map(|(key, then)| single(key, then)).collect();
    // Stable: within a level the order of the report stays.
    for list in [&mut comparison.fixed, &mut comparison.newly_broken, &mut comparison.changed] {
        order::sort_by_key(list, |difference| rank(difference.after.level));
    }
    for list in [&mut comparison.only_before, &mut comparison.only_after] {
        order::sort_by_key(list, |single| rank(single.said.level));
    }
    comparison
}

impl Comparison {
    fn sort_in(&mut self, (check, lane): Key<'_>, before: ComparedVerdict, after: ComparedVerdict) {
        let is_same = before.status == after.status
            && before.reason == after.reason
            && before.level == after.level
            && before.unsteady.is_some() == after.unsteady.is_some()
            && before.fails_at_times() == after.fails_at_times();
        let list = match (before.status, after.status) {
            _ if is_same => {
                self.unchanged += 1;
                return;
            }
            // This may be one of the runs that fail, or that do not.
            _ if before.fails_at_times() => &mut self.changed,
            (JsonStatus::Fail, JsonStatus::Pass) => &mut self.fixed,
            (JsonStatus::Pass | JsonStatus::Skip, JsonStatus::Fail) => &mut self.newly_broken,
            // Advice that became a must.
            (JsonStatus::Fail, JsonStatus::Fail) if after.is_breach() => &mut self.newly_broken,
            _ => &mut self.changed,
        };
        list.push(ResultDifference { check: check.to_owned(), lane: lane.map(str::to_owned), before, after });
    }
}

fn key(result: &JsonResult) -> Key<'_> {
    (&result.test, result.lane.as_deref())
}

/// The rows, sorted by their keys, each with its place in the report; of two that claim to be the same row, the first.
fn by_key(report: &JsonReport) -> Vec<(Key<'_>, usize, &JsonResult)> {
    let numbered = report.results().enumerate();
    let mut results: Vec<_> = numbered.map(|(place, result)| (key(result), place, result)).collect();
    order::sort_by_key(&mut results, |(key, ..)| *key);
    results.dedup_by_key(|(key, ..)| *key);
    results
}

fn of_key<'a>(results: &[(Key<'a>, usize, &'a JsonResult)], key: Key<'_>) -> Option<&'a JsonResult> {
    let place = results.partition_point(|(other, ..)| *other < key);
    results.get(place).filter(|(other, ..)| *other == key).map(|(.., result)| *result)
}

fn in_order<'a>(results: &[(Key<'a>, usize, &'a JsonResult)]) -> Vec<(Key<'a>, &'a JsonResult)> {
    let mut results = results.to_vec();
    order::sort_by_key(&mut results, |(_, place, result)| (result.number.unwrap_or_default(), *place));
    results.into_iter().map(|(key, _, result)| (key, result)).collect()
}

fn single((check, lane): Key<'_>, result: &JsonResult) -> UnpairedResult {
    UnpairedResult { check: check.to_owned(), lane: lane.map(str::to_owned), said: ComparedVerdict::of(result) }
}

fn side(report: &JsonReport) -> ComparedReport {
    ComparedReport {
        agent: report.agent_name.clone(),
        address: report.agent_url.clone(),
        date: report.test_date.clone(),
        tool_version: report.tool.version.clone(),
        suite: report.tool.suite.clone(),
        verdict: report.verdict,
        level: report.conformance_level,
        passed: report.summary.passed,
        failed: report.summary.failed,
        incomplete: report.incomplete.clone(),
    }
}

const fn rank(level: JsonStrength) -> u8 {
    match level {
        JsonStrength::Must => 0,
        JsonStrength::Should => 1,
        JsonStrength::May => 2,
    }
}
