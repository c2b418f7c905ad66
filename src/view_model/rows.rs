//! A row of the table: the kinds that it is shown as, what never changes of it, and the state that a result fills in.

use crate::engine::event::{CheckResult, Row};
use crate::engine::lane_name::lane_name;
use crate::engine::requirement::Level;
use crate::engine::verdict::Outcome;
use crate::view_model::binary_encoding::binary_encoding;

/// The kind that a row is shown as: one shape, one colour, one filter each. In the order in which a reader looks at them: a check that
/// was skipped says less than one that passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowKind {
    /// Broken at must level.
    Fail,
    /// Broken at should level.
    Advisory,
    /// Not the same in each of several runs.
    Unsteady,
    /// Its scenario is running.
    Running,
    /// Not begun.
    Pending,
    /// Holds.
    Pass,
    /// Could not be judged.
    NotJudged,
    /// Does not apply, or was not asked for.
    Skip,
}

binary_encoding! { enum RowKind { Fail, Advisory, Unsteady, Running, Pending, Pass, NotJudged, Skip } }

impl RowKind {
    /// The kinds that a filter can choose, in the order of the buttons.
    pub const FILTERS: [Self; 6] =
        [Self::Fail, Self::Advisory, Self::Unsteady, Self::NotJudged, Self::Skip, Self::Pass];

    const fn id_and_title(self) -> (&'static str, &'static str) {
        match self {
            Self::Fail => ("fail", "Failed"),
            Self::Advisory => ("advisory", "Suggestions"),
            Self::Unsteady => ("unsteady", "Unsteady"),
            Self::NotJudged => ("blocked", "Not judged"),
            Self::Skip => ("skip", "Not applicable"),
            Self::Pass => ("pass", "Passed"),
            Self::Running => ("running", "Running"),
            Self::Pending => ("pending", "Waiting"),
        }
    }

    /// Its name in the link, in `data-status` and in style sheets.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.id_and_title().0
    }

    /// Its name on a filter.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.id_and_title().1
    }

    /// The kind of that name.
    #[must_use]
    pub fn parse(id: &str) -> Option<Self> {
        Self::FILTERS.into_iter().find(|kind| kind.id() == id)
    }

    /// Its place in an array of counters.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind of a result.
    #[must_use]
    pub fn from_outcome(outcome: Outcome, level: Level) -> Self {
        match outcome {
            Outcome::Pass | Outcome::Note => Self::Pass,
            Outcome::Fail if level == Level::Must => Self::Fail,
            Outcome::Fail => Self::Advisory,
            Outcome::Unsteady => Self::Unsteady,
            Outcome::Blocked | Outcome::HarnessError | Outcome::NotObservable | Outcome::Inconclusive => {
                Self::NotJudged
            }
            Outcome::NotApplicable | Outcome::NotRun => Self::Skip,
        }
    }
}

/// How many rows there are of each kind.
pub type Counts = [u32; 8];

/// The part of a row that never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowInfo {
    /// Its place in the plan.
    pub index: usize,
    /// Unique in the run: `send.task-shape@jsonrpc-1.0`.
    pub key: String,
    /// The check's id.
    pub check: String,
    /// The title of the check.
    pub title: String,
    /// The lane's id; empty for checks of the card.
    pub lane: String,
    /// The lane for people: `JSON-RPC 1.0`; empty for checks of the card.
    pub lane_label: String,
    /// The check's level.
    pub level: Level,
    /// The category's place among the categories.
    pub category: usize,
}

binary_encoding! { struct RowInfo { index, key, check, title, lane, lane_label, level, category } }

impl RowInfo {
    /// The row at that place of the plan.
    #[must_use]
    pub fn new(index: usize, row: &Row) -> Self {
        Self {
            index,
            key: row.key(),
            check: row.check.id.to_owned(),
            title: title(row),
            lane: row.lane.as_ref().map(|lane| lane.id.clone()).unwrap_or_default(),
            lane_label: row.lane.as_ref().map(|lane| lane_name(&lane.id)).unwrap_or_default(),
            level: row.level(),
            category: row.category() as usize,
        }
    }
}

/// A row's title. One that goes on where the check before it stopped (`... with id null`) begins with its scenario's, since
/// rows are sorted and filtered.
fn title(row: &Row) -> String {
    match row.check.title.strip_prefix("... ") {
        Some(rest) => format!("{}: {rest}", row.scenario.title),
        None => row.check.title.to_owned(),
    }
}

/// How a row stands. Its shape, its word and its rank follow from this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowStatus {
    /// Nothing has happened.
    Pending,
    /// Its scenario runs.
    Running,
    /// It was judged: the conclusion, and the level that the result has.
    Judged(Outcome, Level),
}

impl RowStatus {
    /// The kind that it is shown as.
    #[must_use]
    pub fn kind(self) -> RowKind {
        match self {
            Self::Pending => RowKind::Pending,
            Self::Running => RowKind::Running,
            Self::Judged(outcome, level) => RowKind::from_outcome(outcome, level),
        }
    }

    /// Its rank: the lower, the earlier a reader wants to see it.
    #[must_use]
    pub const fn rank(self) -> u8 {
        match self {
            Self::Judged(Outcome::Fail, Level::Must) => 0,
            Self::Judged(Outcome::Fail, _) => 1,
            Self::Judged(Outcome::Unsteady, _) => 2,
            Self::Judged(Outcome::HarnessError, _) => 3,
            Self::Judged(Outcome::Blocked, _) => 4,
            Self::Judged(Outcome::Inconclusive, _) => 5,
            Self::Judged(Outcome::Note, _) => 6,
            Self::Judged(Outcome::Pass, _) => 7,
            Self::Judged(Outcome::NotObservable, _) => 8,
            Self::Judged(Outcome::NotRun, _) => 9,
            Self::Judged(Outcome::NotApplicable, _) => 10,
            Self::Running => u8::MAX - 1,
            Self::Pending => u8::MAX,
        }
    }

    /// The word beside the shape.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Judged(outcome, level) => outcome.in_words(level),
            Self::Running => "running",
            Self::Pending => "waiting",
        }
    }

    /// Why it was not judged, as files and links name it; empty where it was.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Judged(outcome, _) => outcome.reason().unwrap_or_default(),
            Self::Running | Self::Pending => "",
        }
    }

    /// Whether it has no result yet.
    #[must_use]
    pub const fn is_open(self) -> bool {
        !matches!(self, Self::Judged(..))
    }

    /// Whether it stands in the list by itself: what failed, and what somebody can open.
    #[must_use]
    pub const fn needs_attention(self) -> bool {
        use Outcome::{Fail, HarnessError, Inconclusive, Unsteady};
        matches!(self, Self::Judged(Fail | Unsteady | Inconclusive | HarnessError, _))
    }
}

/// The part of a row that a result fills in.
#[derive(Debug, Clone, PartialEq)]
pub struct RowState {
    /// How it stands.
    pub status: RowStatus,
    /// Why; the search looks here too.
    pub message: String,
    /// How long its exchanges took, in milliseconds; 0 if there were none.
    pub ms: f64,
    /// The result before this one, where it was run before.
    pub was: Option<RowStatus>,
}

impl RowState {
    /// Before anything happened.
    pub const PENDING: Self = Self::without_message(RowStatus::Pending);
    /// While its scenario runs.
    pub const RUNNING: Self = Self::without_message(RowStatus::Running);
    /// When the run ended before it was judged.
    pub const NOT_RUN: Self = Self::without_message(RowStatus::Judged(Outcome::NotRun, Level::Must));

    const fn without_message(status: RowStatus) -> Self {
        Self { status, message: String::new(), ms: 0.0, was: None }
    }

    /// With its result.
    #[must_use]
    pub fn from_result(result: RowResult) -> Self {
        let status = RowStatus::Judged(result.outcome, result.level);
        Self { status, message: result.message, ms: result.ms, was: None }
    }

    /// The same, after that result.
    #[must_use]
    pub fn after(self, was: Option<RowStatus>) -> Self {
        Self { was, ..self }
    }

    /// Whether it stays in view although a result like this would be folded away: it changed, or is run again.
    #[must_use]
    pub fn lingers(&self) -> bool {
        (self.status.is_open() && self.was.is_some_and(RowStatus::needs_attention)) || !self.changed_from().is_empty()
    }

    /// The word of the earlier result of a row that changed, as it is shown beside it: `was: fail`; empty where nothing changed.
    #[must_use]
    pub fn changed_from(&self) -> &'static str {
        let before = self.was.map_or("", RowStatus::word);
        if self.status.is_open() || before == self.status.word() { "" } else { before }
    }
}

/// A result as the list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct RowResult {
    /// The conclusion.
    pub outcome: Outcome,
    /// The level that the result has.
    pub level: Level,
    /// Why.
    pub message: String,
    /// How long its exchanges took, in milliseconds; 0 if there were none.
    pub ms: f64,
}

binary_encoding! { struct RowResult { outcome, level, message, ms } }

impl RowResult {
    /// This result as the list shows it.
    #[must_use]
    pub fn from_result(result: &CheckResult) -> Self {
        let verdict = &result.verdict;
        let (outcome, message) = (verdict.outcome, verdict.message.clone());
        Self { outcome, level: result.level, message, ms: result.duration_ms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_is_found_by_its_name_and_counts_on_its_own() {
        let mut counts = Counts::default();
        for kind in RowKind::FILTERS {
            assert_eq!(RowKind::parse(kind.id()), Some(kind));
            counts[kind.index()] += 1;
        }
        assert_eq!(counts.iter().sum::<u32>(), 6);
        assert!(counts.iter().all(|count| *count <= 1));
        assert_eq!(RowKind::parse("pending"), None);
    }

    #[test]
    fn only_a_broken_must_is_a_failure() {
        assert_eq!(RowKind::from_outcome(Outcome::Fail, Level::Must), RowKind::Fail);
        assert_eq!(RowKind::from_outcome(Outcome::Fail, Level::Should), RowKind::Advisory);
        assert_eq!(RowKind::from_outcome(Outcome::Note, Level::May), RowKind::Pass);
        assert_eq!(RowKind::from_outcome(Outcome::HarnessError, Level::Must), RowKind::NotJudged);
        assert_eq!(RowKind::from_outcome(Outcome::NotApplicable, Level::Must), RowKind::Skip);
    }

    #[test]
    fn only_a_changed_result_says_what_it_was() {
        let passed = || {
            RowState::from_result(RowResult {
                outcome: Outcome::Pass,
                level: Level::Must,
                message: String::new(),
                ms: 1.0,
            })
        };
        let [pass, fail] = [Outcome::Pass, Outcome::Fail].map(|outcome| Some(RowStatus::Judged(outcome, Level::Must)));
        assert_eq!(passed().changed_from(), "", "it was never run before");
        assert_eq!(passed().after(pass).changed_from(), "");
        assert_eq!(passed().after(fail).changed_from(), "fail");
        assert_eq!(RowState::RUNNING.after(fail).changed_from(), "", "nothing has changed yet");
        assert!(RowState::RUNNING.after(fail).lingers() && passed().after(fail).lingers());
        assert!(!RowState::RUNNING.after(pass).lingers() && !passed().after(pass).lingers() && !passed().lingers());
        assert_eq!(RowState::NOT_RUN.after(fail).changed_from(), "fail");
    }

    #[test]
    fn a_skip_is_never_called_a_pass() {
        for outcome in
            [Outcome::NotApplicable, Outcome::NotObservable, Outcome::Inconclusive, Outcome::Unsteady, Outcome::Blocked]
        {
            assert!(!RowStatus::Judged(outcome, Level::Must).word().contains("pass"));
            assert_ne!(RowKind::from_outcome(outcome, Level::Must), RowKind::Pass);
        }
    }
}
