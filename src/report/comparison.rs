//! Two reports compared, check by check and lane by lane: what was fixed, what is newly broken, what changed otherwise, and
//! what only one of them has. Reports of different versions of this program can be compared.

use std::cmp::Reverse;

use super::checked_row::CheckedRow;
use super::load_figures;
use super::report_file::{ReportFile, RunSummary};
use crate::engine::requirement::Level;
use crate::engine::verdict::{Outcome, Status};
use crate::wire::order;
use crate::wire::place_index::PlaceIndex;

/// The differences between two reports. The lists have musts first, then the order of the later report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The earlier report.
    pub before: RunSummary,
    /// The later one.
    pub after: RunSummary,
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
    pub outcome: Outcome,
    /// The level.
    pub level: Level,
    /// Why.
    pub message: String,
    /// In how many of how many runs it failed, where several runs of its report differ.
    pub unsteady: Option<(usize, usize)>,
}

impl ComparedVerdict {
    fn from_row(result: &CheckedRow) -> Self {
        let runs = result.of_runs.iter().map(|each| each.runs.len()).sum();
        Self {
            unsteady: (!result.of_runs.is_empty()).then_some((result.fails_in(), runs)),
            outcome: result.outcome,
            level: result.level,
            message: result.message.clone(),
        }
    }

    /// What makes two results the same. A note is a pass, and what differs between runs is one kind of skip.
    fn kind(&self) -> (Status, Option<&str>, Level, bool, bool) {
        let (status, reason) = (self.outcome.status(), self.outcome.reason_in_files());
        (status, reason, self.level, self.unsteady.is_some(), self.fails_at_times())
    }

    /// Whether it failed in some of several runs, and not in all.
    #[must_use]
    pub fn fails_at_times(&self) -> bool {
        self.unsteady.is_some_and(|(failed, _)| failed > 0)
    }

    /// The result in words: `fail`, `not judged`, `unsteady: failed in 2 of 5 runs`.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self.unsteady {
            None => self.outcome.in_words(self.level).to_owned(),
            Some((0, runs)) => format!("unsteady: not the same in each of {runs} runs"),
            Some((failed, runs)) => format!("unsteady: failed in {failed} of {runs} runs"),
        }
    }

    /// Whether it fails at must.
    #[must_use]
    pub fn is_breach(&self) -> bool {
        self.outcome == Outcome::Fail && self.level == Level::Must
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

/// Compares an earlier report with a later one.
#[must_use]
pub fn compare(before: &ReportFile, after: &ReportFile) -> Comparison {
    let (old, new) = (RowsByKey::new(before), RowsByKey::new(after));
    let mut comparison = Comparison {
        before: before.stated.clone(),
        after: after.stated.clone(),
        fixed: Vec::new(),
        newly_broken: Vec::new(),
        changed: Vec::new(),
        only_before: Vec::new(),
        only_after: Vec::new(),
        unchanged: 0,
        load: load_figures::side_by_side(before.report.load.as_deref(), after.report.load.as_deref()),
    };
    for now in new.rows() {
        match old.find(now) {
            Some(then) => comparison.sort_in(then, now),
            None => comparison.only_after.push(single(now)),
        }
    }
    comparison.only_before = old.rows().filter(|then| new.find(then).is_none()).map(single).collect();
    // Stable: within a level the order of the report stays.
    for list in [&mut comparison.fixed, &mut comparison.newly_broken, &mut comparison.changed] {
        order::sort_by_key(list, |difference| Reverse(difference.after.level));
    }
    for list in [&mut comparison.only_before, &mut comparison.only_after] {
        order::sort_by_key(list, |single| Reverse(single.said.level));
    }
    comparison
}

impl Comparison {
    fn sort_in(&mut self, before: &CheckedRow, after: &CheckedRow) {
        let (check, lane) = (after.check.to_owned(), after.lane.clone());
        let (before, after) = (ComparedVerdict::from_row(before), ComparedVerdict::from_row(after));
        let list = match (before.outcome.status(), after.outcome.status()) {
            _ if before.kind() == after.kind() => {
                self.unchanged += 1;
                return;
            }
            // This may be one of the runs that fail, or that do not.
            _ if before.fails_at_times() => &mut self.changed,
            (Status::Fail, Status::Pass) => &mut self.fixed,
            (Status::Pass | Status::Skip, Status::Fail) => &mut self.newly_broken,
            // Advice that became a must.
            (Status::Fail, Status::Fail) if after.is_breach() => &mut self.newly_broken,
            _ => &mut self.changed,
        };
        list.push(ResultDifference { check, lane, before, after });
    }
}

/// The rows of a report by check and lane; of two that claim to be the same row, the first.
struct RowsByKey<'a> {
    rows: &'a [CheckedRow],
    places: PlaceIndex,
}

impl<'a> RowsByKey<'a> {
    fn new(file: &'a ReportFile) -> Self {
        let (rows, mut places) = (file.report.results.as_slice(), PlaceIndex::default());
        rows.iter().enumerate().for_each(|(place, row)| places.insert(&key(row), place));
        Self { rows, places }
    }

    /// Its row of the check and the lane of another.
    fn find(&self, other: &CheckedRow) -> Option<&'a CheckedRow> {
        self.rows.get(self.places.find(&key(other))?)
    }

    fn rows(&self) -> impl Iterator<Item = &'a CheckedRow> {
        let is_first = move |(place, row): &(usize, &CheckedRow)| self.places.find(&key(row)) == Some(*place);
        self.rows.iter().enumerate().filter(is_first).map(|(_, row)| row)
    }
}

fn key(row: &CheckedRow) -> [&str; 2] {
    [row.check, row.lane.as_deref().unwrap_or("no lane")]
}

fn single(row: &CheckedRow) -> UnpairedResult {
    UnpairedResult { check: row.check.to_owned(), lane: row.lane.clone(), said: ComparedVerdict::from_row(row) }
}
