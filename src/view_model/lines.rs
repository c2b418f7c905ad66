//! The lines of the list: one for each check, which stands for the check's row on every lane.

use super::rows::{RowKind, RowState, RowStatus};

/// The state of a line from its rows: the kind of the one that needs attention most, and the time of all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineState {
    /// The status that it is shown by.
    pub status: RowStatus,
    /// How long the exchanges of all rows took, in milliseconds.
    pub ms: f64,
    /// The word of the earlier result of a row that changed; else empty.
    pub was: &'static str,
    /// Whether a row stays in view until its new result has been seen.
    pub lingers: bool,
}

impl LineState {
    /// Of a line without rows.
    pub const NONE: Self = Self { status: RowStatus::Pending, ms: 0.0, was: "", lingers: false };

    /// The state with one more row.
    #[must_use]
    pub fn and(line: Option<Self>, row: &RowState) -> Self {
        let line = line.unwrap_or(Self::NONE);
        let ms = line.ms + row.ms;
        let was = if line.was.is_empty() { row.changed_from() } else { line.was };
        let lingers = line.lingers || row.lingers();
        let status = if row.status.rank() < line.status.rank() { row.status } else { line.status };
        Self { status, ms, was, lingers }
    }

    /// Whether it stands in the list by itself once the run is over: what failed, what changed, and what somebody can open. The others are
    /// folded into the counts of their group.
    #[must_use]
    pub const fn needs_attention(&self) -> bool {
        self.status.needs_attention() || self.lingers
    }
}

/// The counts of a group, by the words that stand for its rows.
#[derive(Debug, Default)]
pub struct Summary(Vec<(u8, &'static str, u32)>);

impl Summary {
    /// Counts one more row.
    pub fn add(&mut self, row: &RowState) {
        let rank = row.status.rank();
        let word = match row.status.kind() {
            RowKind::Fail => "failed",
            RowKind::Pass => "passed",
            RowKind::Advisory => "to improve",
            _ => row.status.word(),
        };
        match self.0.iter_mut().find(|(_, known, _)| *known == word) {
            Some((_, _, count)) => *count += 1,
            None => {
                let place = self.0.partition_point(|(known, _, _)| *known <= rank);
                self.0.insert(place, (rank, word, 1));
            }
        }
    }

    /// In words, what needs attention first: `2 failed, 47 passed, 12 not applicable`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let words: Vec<String> = self.0.iter().map(|(_, word, count)| format!("{count} {word}")).collect();
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::requirement::Level;
    use crate::engine::verdict::Outcome;
    use crate::view_model::rows::RowResult;

    fn row(outcome: Outcome, level: Level) -> RowState {
        RowState::from_result(RowResult { outcome, level, message: String::new(), ms: 5.0 })
    }

    fn line(rows: &[&RowState]) -> LineState {
        rows.iter().fold(None, |line, row| Some(LineState::and(line, row))).unwrap_or(LineState::NONE)
    }

    #[test]
    fn a_line_is_as_bad_as_its_worst_row() {
        let pass = row(Outcome::Pass, Level::Must);
        let absent = row(Outcome::NotApplicable, Level::Must);
        let advice = row(Outcome::Fail, Level::Should);
        let fail = row(Outcome::Fail, Level::Must);
        assert_eq!(line(&[&absent, &pass]).status.kind(), RowKind::Pass);
        assert_eq!(line(&[&pass, &advice, &absent]).status.kind(), RowKind::Advisory);
        let worst = line(&[&pass, &advice, &fail]);
        assert_eq!((worst.status, worst.ms), (RowStatus::Judged(Outcome::Fail, Level::Must), 15.0));
        let unsteady = row(Outcome::Unsteady, Level::Must);
        assert_eq!(line(&[&pass, &unsteady, &absent]).status.word(), "unsteady");
        assert_eq!(line(&[&unsteady, &fail]).status.word(), "fail");
        assert_eq!(line(&[&RowState::PENDING, &RowState::RUNNING]).status, RowStatus::Running);
        assert_eq!(line(&[&RowState::PENDING, &pass]).status.kind(), RowKind::Pass);
        assert_eq!(line(&[]).status, RowStatus::Pending);
    }

    #[test]
    fn only_what_somebody_can_act_upon_stands_by_itself() {
        let stands = |outcome, level| line(&[&row(outcome, level)]).needs_attention();
        assert!(stands(Outcome::Fail, Level::Must) && stands(Outcome::Fail, Level::Should));
        assert!(stands(Outcome::Inconclusive, Level::May) && stands(Outcome::HarnessError, Level::Must));
        assert!(stands(Outcome::Unsteady, Level::May));
        for outcome in [Outcome::Pass, Outcome::Note, Outcome::NotApplicable, Outcome::NotObservable, Outcome::Blocked]
        {
            assert!(!stands(outcome, Level::Must), "{outcome:?}");
        }
        let before = |outcome| Some(RowStatus::Judged(outcome, Level::Must));
        let mended = row(Outcome::Pass, Level::Must).after(before(Outcome::Fail));
        assert!(line(&[&mended]).needs_attention() && line(&[&row(Outcome::Pass, Level::Must), &mended]).was == "fail");
        assert!(!line(&[&row(Outcome::Pass, Level::Must).after(before(Outcome::Pass))]).needs_attention());
    }

    #[test]
    fn a_group_counts_in_words_and_begins_with_what_is_wrong() {
        let rows = [
            row(Outcome::Pass, Level::Must),
            row(Outcome::NotApplicable, Level::Must),
            row(Outcome::Fail, Level::Should),
            row(Outcome::Pass, Level::Should),
            row(Outcome::Fail, Level::Must),
        ];
        let summary = |rows: &[RowState]| {
            let mut summary = Summary::default();
            rows.iter().for_each(|row| summary.add(row));
            summary.in_words()
        };
        assert_eq!(summary(&rows), "1 failed, 1 to improve, 2 passed, 1 not applicable");
        assert_eq!(summary(&[]), "");
        assert_eq!(summary(&[RowState::PENDING, RowState::RUNNING]), "1 running, 1 waiting");
    }
}
