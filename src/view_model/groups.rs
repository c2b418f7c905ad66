//! The list in groups: by category, each in the plan's order, so that nothing changes its place; and which groups are unfolded.

/// The lines of one category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineGroup {
    /// The category's place among the categories.
    pub category: usize,
    /// The lines' places in the plan.
    pub lines: Vec<usize>,
}

/// The lines in their groups, given the category of each in the plan's order.
#[must_use]
pub fn group(categories: impl Iterator<Item = usize>) -> Vec<LineGroup> {
    let mut groups: Vec<LineGroup> = Vec::new();
    for (index, category) in categories.enumerate() {
        let at = groups.partition_point(|group| group.category < category);
        match groups.get_mut(at) {
            Some(group) if group.category == category => group.lines.push(index),
            _ => groups.insert(at, LineGroup { category, lines: vec![index] }),
        }
    }
    groups
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

    #[test]
    fn groups_have_the_order_of_a_report_and_lines_that_of_the_plan() {
        let groups = group([1, 0, 1, 1, 0, 1, 2].into_iter());
        let flat: Vec<_> = groups.into_iter().map(|group| (group.category, group.lines)).collect();
        assert_eq!(flat, [(0, vec![1, 4]), (1, vec![0, 2, 3, 5]), (2, vec![6])]);
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
