//! The order of the list: by category, in the plan's order while the run goes on, the failing first after it.

/// How lines are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOrder {
    /// As planned: nothing jumps while somebody reads.
    Planned,
    /// Lines that need attention come first.
    FailingFirst,
}

/// Failures, advice and what is unsteady have the ranks below this one (`RowStatus::rank`); groups without them are in no hurry.
const NOTHING_BROKEN: u8 = 3;

/// The properties of a line that ordering needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the plan.
    pub index: usize,
    /// The category's place among the categories.
    pub category: usize,
    /// The lower, the more attention it needs.
    pub rank: u8,
}

/// The lines of one category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineGroup {
    /// The category's place among the categories.
    pub category: usize,
    /// The lines' places in the plan, in the order to show.
    pub lines: Vec<usize>,
}

/// The lines in their groups, lines and groups ordered as asked. Groups that need the same attention keep the order of a
/// report.
#[must_use]
pub fn group(entries: impl Iterator<Item = Entry>, order: RowOrder) -> Vec<LineGroup> {
    let mut groups: Vec<Ranked> = Vec::new();
    for Entry { index, category, rank } in entries {
        // While nothing may jump, all lines are alike.
        let line = (if order == RowOrder::Planned { 0 } else { rank }, index);
        let at = groups.partition_point(|group| group.category < category);
        match groups.get_mut(at) {
            Some(group) if group.category == category => {
                let at = group.lines.partition_point(|known| *known < line);
                group.lines.insert(at, line);
            }
            _ => groups.insert(at, Ranked { category, lines: vec![line] }),
        }
    }
    // The first line of a group is its worst.
    let urgency = |group: &Ranked| group.lines.first().map(|(rank, _)| (*rank).min(NOTHING_BROKEN));
    let mut ordered = Vec::with_capacity(groups.len());
    for rank in 0..=NOTHING_BROKEN {
        for group in groups.iter().filter(|group| urgency(group) == Some(rank)) {
            let lines = group.lines.iter().map(|(_, index)| *index).collect();
            ordered.push(LineGroup { category: group.category, lines });
        }
    }
    ordered
}

/// The lines of one category with their ranks, in order.
struct Ranked {
    category: usize,
    lines: Vec<(u8, usize)>,
}

/// The groups that show all their lines: all but some, or none but some.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unfolded {
    all: bool,
    /// The categories that are the other way.
    others: Vec<usize>,
}

impl Unfolded {
    /// Every group, those included that are still to come.
    pub const ALL: Self = Self { all: true, others: Vec::new() };

    /// Whether a category's group shows all its lines.
    #[must_use]
    pub fn has(&self, category: usize) -> bool {
        self.all != self.others.contains(&category)
    }

    /// Whether any may.
    #[must_use]
    pub fn is_none(&self) -> bool {
        !self.all && self.others.is_empty()
    }

    /// Unfolds a group, or folds it.
    pub fn toggle(&mut self, category: usize) {
        match self.others.iter().position(|known| *known == category) {
            Some(at) => {
                self.others.swap_remove(at);
            }
            None => self.others.push(category),
        }
    }
}

/// The line that many steps after (or before) the selected one among those shown; the first one when none is selected.
/// It stays at the ends.
#[must_use]
pub fn step(shown: &[usize], selected: Option<usize>, by: isize) -> Option<usize> {
    let place = selected.and_then(|selected| shown.iter().position(|line| *line == selected));
    let next = match place {
        Some(place) => place.saturating_add_signed(by).min(shown.len().saturating_sub(1)),
        None => 0,
    };
    shown.get(next).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        [(0, 1, 6), (1, 0, 6), (2, 1, 0), (3, 1, 1), (4, 0, 1), (5, 1, 0), (6, 2, 6), (7, 3, 9)]
            .map(|(index, category, rank)| Entry { index, category, rank })
            .to_vec()
    }

    fn flat(order: RowOrder) -> Vec<(usize, Vec<usize>)> {
        group(entries().into_iter(), order).into_iter().map(|group| (group.category, group.lines)).collect()
    }

    #[test]
    fn the_plan_rules_during_the_run_and_failures_after_it() {
        assert_eq!(flat(RowOrder::Planned), [(0, vec![1, 4]), (1, vec![0, 2, 3, 5]), (2, vec![6]), (3, vec![7])]);
        assert_eq!(flat(RowOrder::FailingFirst), [(1, vec![2, 5, 3, 0]), (0, vec![4, 1]), (2, vec![6]), (3, vec![7])]);
    }

    #[test]
    fn a_group_that_comes_later_is_unfolded_with_all_others() {
        let mut unfolded = Unfolded::default();
        assert!(unfolded.is_none());
        unfolded.toggle(2);
        assert!(unfolded.has(2) && !unfolded.has(3) && !unfolded.is_none());
        unfolded.toggle(2);
        assert!(unfolded.is_none());
        let mut unfolded = Unfolded::ALL;
        unfolded.toggle(2);
        assert!(!unfolded.has(2) && unfolded.has(3) && !unfolded.is_none());
    }

    #[test]
    fn walking_stays_within_what_is_shown() {
        let shown = [4, 1, 7];
        assert_eq!(step(&shown, None, 1), Some(4));
        assert_eq!(step(&shown, Some(4), 1), Some(1));
        assert_eq!(step(&shown, Some(4), -1), Some(4));
        assert_eq!(step(&shown, Some(7), 1), Some(7));
        assert_eq!(step(&shown, Some(99), 1), Some(4));
        assert_eq!(step(&[], Some(1), 1), None);
    }
}
