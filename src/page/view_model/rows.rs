//! A row of the table: what never changes of it, and the state that a result fills in.

use crate::engine::event::{CheckResult, Row};
use crate::engine::lane_name::lane_name;
use crate::engine::requirement::Level;
use crate::engine::transcript::Lane;
use crate::engine::verdict::Outcome;
use crate::page::view_model::binary_encoding::binary_encoding;

/// The kind that a row is shown as: one shape, one colour, one filter each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Broken at must level.
    Fail,
    /// Broken at should level.
    Advisory,
    /// Not the same in each of several runs.
    Unsteady,
    /// Something before it stopped us.
    Blocked,
    /// Not judged, for any other reason.
    Skip,
    /// Holds.
    Pass,
    /// Its scenario is running.
    Running,
    /// Not begun.
    Pending,
}

binary_encoding! { enum Kind { Fail, Advisory, Unsteady, Blocked, Skip, Pass, Running, Pending } }

impl Kind {
    /// The kinds that a filter can choose, in the order of the buttons.
    pub const FILTERS: [Self; 6] = [Self::Fail, Self::Advisory, Self::Unsteady, Self::Blocked, Self::Skip, Self::Pass];

    /// Its name in the link, in `data-status` and in style sheets.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Advisory => "advisory",
            Self::Unsteady => "unsteady",
            Self::Blocked => "blocked",
            Self::Skip => "skip",
            Self::Pass => "pass",
            Self::Running => "running",
            Self::Pending => "pending",
        }
    }

    /// Its name on a filter.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Fail => "Failed",
            Self::Advisory => "Advisory",
            Self::Unsteady => "Unsteady",
            Self::Blocked => "Blocked",
            Self::Skip => "Not judged",
            Self::Pass => "Passed",
            Self::Running => "Running",
            Self::Pending => "Waiting",
        }
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
    pub fn of(outcome: Outcome, level: Level) -> Self {
        match outcome {
            Outcome::Pass | Outcome::Note => Self::Pass,
            Outcome::Fail if level == Level::Must => Self::Fail,
            Outcome::Fail => Self::Advisory,
            Outcome::Unsteady => Self::Unsteady,
            Outcome::Blocked | Outcome::HarnessError => Self::Blocked,
            Outcome::NotApplicable | Outcome::NotObservable | Outcome::Inconclusive | Outcome::NotRun => Self::Skip,
        }
    }
}

/// How many rows there are of each kind.
pub type Counts = [u32; 8];

/// The word beside the shape.
#[must_use]
pub const fn status_word(outcome: Outcome, level: Level) -> &'static str {
    match outcome {
        Outcome::Pass => "pass",
        Outcome::Note => "pass with a note",
        Outcome::Fail if matches!(level, Level::Must) => "fail",
        Outcome::Fail => "advisory",
        Outcome::NotApplicable => "not applicable",
        Outcome::NotObservable => "not observable",
        Outcome::Inconclusive => "inconclusive",
        Outcome::Unsteady => "unsteady",
        Outcome::Blocked => "blocked",
        Outcome::NotRun => "not run",
        Outcome::HarnessError => "checker error",
    }
}

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
            lane_label: row.lane.as_ref().map(|lane| lane_label(lane)).unwrap_or_default(),
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

/// A lane as people name it.
#[must_use]
pub fn lane_label(lane: &Lane) -> String {
    lane_name(&lane.id)
}

/// The part of a row that a result fills in.
#[derive(Debug, Clone, PartialEq)]
pub struct RowState {
    /// The kind that it is shown as.
    pub kind: Kind,
    /// The word beside the shape.
    pub word: &'static str,
    /// Why; the search looks here too.
    pub message: String,
    /// How long its exchanges took, in milliseconds; 0 if there were none.
    pub ms: f64,
    /// Its rank when the failing rows come first.
    pub rank: u8,
    /// The same when the run was over: what is run again keeps its place.
    pub order: u8,
    /// The word of the result before this one, where it was run before; else empty.
    pub was: &'static str,
}

impl RowState {
    /// Before anything happened.
    pub const PENDING: Self = Self {
        kind: Kind::Pending,
        word: "waiting",
        message: String::new(),
        ms: 0.0,
        rank: u8::MAX,
        order: u8::MAX,
        was: "",
    };
    /// While its scenario runs.
    pub const RUNNING: Self = Self {
        kind: Kind::Running,
        word: "running",
        message: String::new(),
        ms: 0.0,
        rank: u8::MAX - 1,
        order: u8::MAX,
        was: "",
    };

    /// When the run ended before it was judged.
    pub const NOT_RUN: Self = Self {
        kind: Kind::Skip,
        word: status_word(Outcome::NotRun, Level::Must),
        message: String::new(),
        ms: 0.0,
        rank: rank(Outcome::NotRun, Level::Must),
        order: rank(Outcome::NotRun, Level::Must),
        was: "",
    };

    /// With its result.
    #[must_use]
    pub fn of(result: RowResult) -> Self {
        let RowResult { outcome, level, message, ms } = result;
        Self {
            kind: Kind::of(outcome, level),
            word: status_word(outcome, level),
            message,
            ms,
            rank: rank(outcome, level),
            order: rank(outcome, level),
            was: "",
        }
    }

    /// The same in the place of another state of its row: a row that has its place in the list keeps it.
    #[must_use]
    pub fn in_place_of(self, before: &Self) -> Self {
        if before.order == u8::MAX { self } else { Self { order: before.order, ..self } }
    }

    /// The same, after a result with that word.
    #[must_use]
    pub fn after(self, was: &'static str) -> Self {
        Self { was, ..self }
    }

    /// Whether it stays in view although a result like this would be folded away: it changed, or is run again.
    #[must_use]
    pub fn lingers(&self) -> bool {
        let is_open = matches!(self.kind, Kind::Running | Kind::Pending);
        (is_open && needs_attention(self.was)) || !self.changed_from().is_empty()
    }

    /// The kinds by which filters find it: its own, and the one that it had before.
    #[must_use]
    pub fn kinds(&self) -> [Kind; 2] {
        let before = match self.was {
            "" => self.kind,
            "fail" => Kind::Fail,
            "advisory" => Kind::Advisory,
            "blocked" | "checker error" => Kind::Blocked,
            "pass" | "pass with a note" => Kind::Pass,
            "unsteady" => Kind::Unsteady,
            _ => Kind::Skip,
        };
        [self.kind, before]
    }

    /// The earlier result of a row that changed, as it is shown beside it: `was: fail`; empty where nothing changed.
    #[must_use]
    pub fn changed_from(&self) -> &'static str {
        let is_open = matches!(self.kind, Kind::Running | Kind::Pending);
        if is_open || self.was == self.word { "" } else { self.was }
    }
}

/// Whether a result with that word stands in the list by itself: what failed, and what somebody can open.
#[must_use]
pub const fn needs_attention(word: &str) -> bool {
    matches!(word.as_bytes(), b"fail" | b"advisory" | b"unsteady" | b"inconclusive" | b"checker error")
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
    pub fn of(result: &CheckResult) -> Self {
        let verdict = &result.verdict;
        let (outcome, message) = (verdict.outcome, verdict.message.clone());
        Self { outcome, level: result.level, message, ms: result.duration_ms }
    }
}

/// The rank of a kind: the lower, the earlier a reader wants to see it.
#[must_use]
pub const fn rank(outcome: Outcome, level: Level) -> u8 {
    match outcome {
        Outcome::Fail if matches!(level, Level::Must) => 0,
        Outcome::Fail => 1,
        Outcome::Unsteady => 2,
        Outcome::HarnessError => 3,
        Outcome::Blocked => 4,
        Outcome::Inconclusive => 5,
        Outcome::Note => 6,
        Outcome::Pass => 7,
        Outcome::NotObservable => 8,
        Outcome::NotRun => 9,
        Outcome::NotApplicable => 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_is_found_by_its_name_and_counts_on_its_own() {
        let mut counts = Counts::default();
        for kind in Kind::FILTERS {
            assert_eq!(Kind::parse(kind.id()), Some(kind));
            counts[kind.index()] += 1;
        }
        assert_eq!(counts.iter().sum::<u32>(), 6);
        assert!(counts.iter().all(|count| *count <= 1));
        assert_eq!(Kind::parse("pending"), None);
    }

    #[test]
    fn only_a_broken_must_is_a_failure() {
        assert_eq!(Kind::of(Outcome::Fail, Level::Must), Kind::Fail);
        assert_eq!(Kind::of(Outcome::Fail, Level::Should), Kind::Advisory);
        assert_eq!(Kind::of(Outcome::Note, Level::May), Kind::Pass);
        assert_eq!(Kind::of(Outcome::HarnessError, Level::Must), Kind::Blocked);
        assert_eq!(Kind::of(Outcome::NotApplicable, Level::Must), Kind::Skip);
    }

    #[test]
    fn only_a_changed_result_says_what_it_was() {
        let passed =
            || RowState::of(RowResult { outcome: Outcome::Pass, level: Level::Must, message: String::new(), ms: 1.0 });
        assert_eq!(passed().changed_from(), "", "it was never run before");
        assert_eq!(passed().after("pass").changed_from(), "");
        assert_eq!(passed().after("fail").changed_from(), "fail");
        assert_eq!(RowState::RUNNING.after("fail").changed_from(), "", "nothing has changed yet");
        assert!(RowState::RUNNING.after("fail").lingers() && passed().after("fail").lingers());
        assert!(!RowState::RUNNING.after("pass").lingers() && !passed().after("pass").lingers() && !passed().lingers());
        let failed =
            RowState::of(RowResult { outcome: Outcome::Fail, level: Level::Must, message: String::new(), ms: 1.0 });
        let running = RowState::RUNNING.in_place_of(&failed);
        assert_eq!(
            (running.order, passed().in_place_of(&running).order),
            (failed.order, failed.order),
            "it stays where it was"
        );
        assert_eq!(passed().in_place_of(&RowState::PENDING).order, passed().rank);
        assert_eq!(passed().after("fail").kinds(), [Kind::Pass, Kind::Fail], "a filter keeps what it showed");
        for (outcome, level) in [
            (Outcome::Pass, Level::Must),
            (Outcome::Note, Level::May),
            (Outcome::Fail, Level::Must),
            (Outcome::Fail, Level::Should),
            (Outcome::Blocked, Level::Must),
            (Outcome::HarnessError, Level::Must),
            (Outcome::Inconclusive, Level::Must),
            (Outcome::Unsteady, Level::Must),
            (Outcome::NotApplicable, Level::Must),
        ] {
            assert_eq!(RowState::RUNNING.after(status_word(outcome, level)).kinds()[1], Kind::of(outcome, level));
        }
        assert_eq!(RowState::NOT_RUN.after("fail").changed_from(), "fail");
    }

    #[test]
    fn a_skip_is_never_called_a_pass() {
        for outcome in
            [Outcome::NotApplicable, Outcome::NotObservable, Outcome::Inconclusive, Outcome::Unsteady, Outcome::Blocked]
        {
            assert!(!status_word(outcome, Level::Must).contains("pass"));
            assert_ne!(Kind::of(outcome, Level::Must), Kind::Pass);
        }
    }
}
