//! The cells of the picture beside the verdict: lanes by categories, each with its worst result and how many there are.

use super::filter::Filter;
use super::rows::{Counts, RowInfo, RowKind};
use crate::engine::check::Category;

/// A cell: the results of one category on one lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridCell {
    /// The category's place among the categories.
    pub category: usize,
    /// How many rows there are of each kind.
    pub counts: Counts,
}

/// The row of a lane, or of the card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridLane {
    /// The lane's id; empty for the card.
    pub id: String,
    /// For people.
    pub label: String,
    /// A cell for each category that the run has.
    pub cells: Vec<GridCell>,
}

/// The picture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grid {
    /// The categories that the run has, by their places among the categories.
    pub categories: Vec<usize>,
    /// The card, if it has rows, and the lanes in their order.
    pub lanes: Vec<GridLane>,
}

impl Grid {
    /// The picture of some rows with what they are shown as.
    #[must_use]
    pub fn from_rows<'a>(rows: impl Iterator<Item = (&'a RowInfo, RowKind)> + Clone) -> Self {
        let has = |category: &usize| rows.clone().any(|(row, _)| row.category == *category);
        let categories: Vec<usize> = (0..Category::ALL.len()).filter(has).collect();
        let mut lanes: Vec<GridLane> = Vec::new();
        for (row, kind) in rows {
            let place = lanes.iter().position(|lane| lane.id == row.lane).unwrap_or_else(|| {
                let cell = |category: &usize| GridCell { category: *category, counts: Counts::default() };
                let label = if row.lane.is_empty() { "Agent card".to_owned() } else { row.lane_label.clone() };
                lanes.push(GridLane { id: row.lane.clone(), label, cells: categories.iter().map(cell).collect() });
                lanes.len() - 1
            });
            let Some(lane) = lanes.get_mut(place) else { continue };
            let cell = lane.cells.iter_mut().find(|cell| cell.category == row.category);
            if let Some(count) = cell.and_then(|cell| cell.counts.get_mut(kind.index())) {
                *count += 1;
            }
        }
        Self { categories, lanes }
    }
}

impl GridCell {
    /// The kinds of its rows, with how many are of each.
    fn kinds(&self) -> impl Iterator<Item = (RowKind, u32)> {
        let of = |kind: RowKind| (kind, self.counts.get(kind.index()).copied().unwrap_or_default());
        let kinds = RowKind::FILTERS.into_iter().chain([RowKind::Running, RowKind::Pending]);
        kinds.map(of).filter(|(_, count)| *count > 0)
    }

    /// The worst kind and how many rows are of it; what passed only where nothing is worse. `None` without rows.
    #[must_use]
    pub fn worst(&self) -> Option<(RowKind, u32)> {
        self.kinds().min()
    }

    /// The filter that is set when it is pressed.
    #[must_use]
    pub fn filter(&self, lane: &GridLane) -> Filter {
        let mut filter = Filter::default();
        filter.category = Some(self.category);
        // The checks of the card have no lane to tell them apart by, and a category of their own.
        filter.lane = (!lane.id.is_empty()).then(|| lane.id.clone());
        filter
    }

    /// For those who do not see it: `Streaming, JSON-RPC 1.0: 2 failed, 14 passed`.
    #[must_use]
    pub fn spoken(&self, lane: &GridLane) -> String {
        let category = Category::ALL.get(self.category).map_or("", |category| category.title());
        let words = self.kinds().map(|(kind, count)| format!("{count} {}", kind.title().to_ascii_lowercase()));
        format!("{category}, {}: {}", lane.label, words.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::requirement::Level;

    fn row(lane: &str, category: usize) -> RowInfo {
        RowInfo {
            index: 0,
            key: String::new(),
            check: "a.b".to_owned(),
            title: "It holds".into(),
            lane: lane.into(),
            lane_label: lane.to_ascii_uppercase(),
            level: Level::Must,
            category,
        }
    }

    #[test]
    fn every_row_is_counted_in_its_cell_and_the_worst_result_shows() {
        let rows = [
            (row("", 0), RowKind::Pass),
            (row("a", 1), RowKind::Pass),
            (row("a", 1), RowKind::Advisory),
            (row("a", 2), RowKind::Skip),
            (row("b", 1), RowKind::Fail),
            (row("b", 1), RowKind::Pass),
            (row("b", 1), RowKind::Pass),
        ];
        let grid = Grid::from_rows(rows.iter().map(|(row, kind)| (row, *kind)));
        assert_eq!(grid.categories, [0, 1, 2]);
        assert_eq!(grid.lanes.iter().map(|lane| lane.label.as_str()).collect::<Vec<_>>(), ["Agent card", "A", "B"]);
        let worst = |lane: usize, cell: usize| grid.lanes[lane].cells[cell].worst();
        assert_eq!(worst(0, 0), Some((RowKind::Pass, 1)));
        assert_eq!(worst(0, 1), None);
        assert_eq!(worst(1, 1), Some((RowKind::Advisory, 1)));
        assert_eq!(worst(1, 2), Some((RowKind::Skip, 1)));
        assert_eq!(worst(2, 1), Some((RowKind::Fail, 1)));
        let total: u32 = grid.lanes.iter().flat_map(|lane| &lane.cells).flat_map(|cell| cell.counts).sum();
        assert_eq!(total, 7);
        assert_eq!(grid.lanes[2].cells[1].spoken(&grid.lanes[2]), "Task lifecycle, B: 1 failed, 2 passed");
    }

    #[test]
    fn a_cell_is_a_filter_for_its_rows() {
        let rows = [(row("a", 1), RowKind::Pass), (row("b", 1), RowKind::Fail), (row("a", 2), RowKind::Fail)];
        let grid = Grid::from_rows(rows.iter().map(|(row, kind)| (row, *kind)));
        let filter = grid.lanes[0].cells[0].filter(&grid.lanes[0]);
        let shown: Vec<bool> = rows.iter().map(|(row, kind)| filter.shows(row, *kind, "pass", "")).collect();
        assert_eq!(shown, [true, false, false]);
    }
}
