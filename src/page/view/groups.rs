//! The order of the table: by category, in the plan's order while the run goes on, the failing first after it.

use super::rows::Kind;

/// How rows are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As planned: nothing jumps while somebody reads.
    Planned,
    /// What needs attention comes first.
    FailingFirst,
}

/// Failures and advice have the ranks below this one (`rows::rank`); groups without them are in no hurry.
const NOTHING_BROKEN: u8 = 2;

/// What ordering needs to know of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the plan.
    pub index: usize,
    /// The category's place among the categories.
    pub category: usize,
    /// The lower, the more attention it needs.
    pub rank: u8,
}

/// The rows of one category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The category's place among the categories.
    pub category: usize,
    /// The rows' places in the plan, in the order to show.
    pub rows: Vec<usize>,
}

/// The rows in their groups, rows and groups ordered as asked. Groups that need the same attention keep the order of a
/// report.
#[must_use]
pub fn group(entries: impl Iterator<Item = Entry>, order: Order) -> Vec<Group> {
    let mut groups: Vec<Ranked> = Vec::new();
    for Entry { index, category, rank } in entries {
        // While nothing may jump, all rows are alike.
        let row = (if order == Order::Planned { 0 } else { rank }, index);
        let at = groups.partition_point(|group| group.category < category);
        match groups.get_mut(at) {
            Some(group) if group.category == category => {
                let at = group.rows.partition_point(|known| *known < row);
                group.rows.insert(at, row);
            }
            _ => groups.insert(at, Ranked { category, rows: vec![row] }),
        }
    }
    // The first row of a group is its worst.
    let urgency = |group: &Ranked| group.rows.first().map(|(rank, _)| (*rank).min(NOTHING_BROKEN));
    let mut ordered = Vec::with_capacity(groups.len());
    for rank in 0..=NOTHING_BROKEN {
        for group in groups.iter().filter(|group| urgency(group) == Some(rank)) {
            let rows = group.rows.iter().map(|(_, index)| *index).collect();
            ordered.push(Group { category: group.category, rows });
        }
    }
    ordered
}

/// The rows of one category with their ranks, in order.
struct Ranked {
    category: usize,
    rows: Vec<(u8, usize)>,
}

/// The row that many steps after (or before) the selected one among those shown; the first one when none is selected.
/// It stays at the ends.
#[must_use]
pub fn step(shown: &[usize], selected: Option<usize>, by: isize) -> Option<usize> {
    let place = selected.and_then(|selected| shown.iter().position(|row| *row == selected));
    let next = match place {
        Some(place) => place.saturating_add_signed(by).min(shown.len().saturating_sub(1)),
        None => 0,
    };
    shown.get(next).copied()
}

/// A group's counts in words: `2 failed, 1 blocked`; empty when nothing needs attention.
#[must_use]
pub fn attention(kinds: &[Kind]) -> String {
    let (mut failed, mut advisory, mut blocked) = (0_u32, 0_u32, 0_u32);
    for kind in kinds {
        match kind {
            Kind::Fail => failed += 1,
            Kind::Advisory => advisory += 1,
            Kind::Blocked => blocked += 1,
            _ => {}
        }
    }
    let mut words = String::new();
    for (count, word) in [(failed, "failed"), (advisory, "advisory"), (blocked, "blocked")] {
        if count > 0 {
            let comma = if words.is_empty() { "" } else { ", " };
            words.push_str(&format!("{comma}{count} {word}"));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        [(0, 1, 6), (1, 0, 6), (2, 1, 0), (3, 1, 1), (4, 0, 1), (5, 1, 0), (6, 2, 6), (7, 3, 9)]
            .map(|(index, category, rank)| Entry { index, category, rank })
            .to_vec()
    }

    fn flat(order: Order) -> Vec<(usize, Vec<usize>)> {
        group(entries().into_iter(), order).into_iter().map(|group| (group.category, group.rows)).collect()
    }

    #[test]
    fn the_plan_rules_during_the_run_and_failures_after_it() {
        assert_eq!(flat(Order::Planned), [(0, vec![1, 4]), (1, vec![0, 2, 3, 5]), (2, vec![6]), (3, vec![7])]);
        assert_eq!(flat(Order::FailingFirst), [(1, vec![2, 5, 3, 0]), (0, vec![4, 1]), (2, vec![6]), (3, vec![7])]);
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

    #[test]
    fn a_heading_counts_what_needs_attention() {
        assert_eq!(attention(&[Kind::Fail, Kind::Pass, Kind::Fail, Kind::Blocked]), "2 failed, 1 blocked");
        assert_eq!(attention(&[Kind::Pass, Kind::Skip]), "");
    }
}
