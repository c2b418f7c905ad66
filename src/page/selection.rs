//! The check that is open, and moving among the rows.

use leptos::prelude::*;

use super::focus::{focus, focus_with_next_frame, focused_id, reveal_line};
use super::incremental_list::when_complete;
use super::state::Page;
use crate::view_model::filter::Filter;
use crate::view_model::groups;
use crate::view_model::tabs::Tab;

/// From this width on, the detail stands beside the list (`style/layout.css` says so too).
const BESIDE: &str = "(min-width: 960px)";

/// The beginning of the ids of the lines' buttons.
const LINE: &str = "line-";

/// The id of a line's button.
pub(super) fn line_id(index: usize) -> String {
    format!("{LINE}{index}")
}

/// Whether the keyboard is at a line.
pub(super) fn line_has_focus() -> bool {
    focused_id().starts_with(LINE)
}

/// Shows every check again; the focus goes to the search, as the button that was pressed is gone.
pub(super) fn show_all(page: Page) {
    page.filter.set(Filter::default());
    focus("filter-text");
}

/// Opens the row of that key, wherever it is.
pub(super) fn open_key(page: Page, key: &str) {
    let row = page.rows.with_untracked(|rows| rows.iter().find(|row| row.info.key == key).cloned());
    if let Some(row) = row {
        let was_elsewhere = page.tab.get_untracked() != Tab::Results;
        page.tab.set(Tab::Results);
        page.uncover(&row);
        open(page, row.info.index);
        if was_elsewhere {
            // The button that was pressed is out of sight.
            focus_with_next_frame("detail-title");
        }
    }
}

/// Opens the detail of a row.
pub(super) fn open(page: Page, index: usize) {
    page.cursor.set(page.line_of(index));
    page.selected.set(Some(index));
    // On a narrow screen the detail takes the list's place, so that the focus must go there.
    let is_beside = window().match_media(BESIDE).ok().flatten().is_some_and(|query| query.matches());
    if !is_beside {
        request_animation_frame(|| {
            focus("detail-title");
            window().scroll_to_with_x_and_y(0.0, 0.0);
        });
    }
}

/// Brings the line into view that a link opened: the order has become another, now that the run is over.
pub(super) fn show_linked(page: Page) {
    let linked = page.linked_row.get_untracked().filter(|row| page.selected.get_untracked() == Some(*row));
    if let Some(line) = linked.and_then(|row| page.line_of(row)) {
        when_complete(move || reveal_line(line_id(line)));
    }
}

/// Closes the detail; the focus goes back to the line that opened it.
pub(super) fn close(page: Page) {
    let Some(line) = page.selected.get_untracked().and_then(|index| page.line_of(index)) else { return };
    page.cursor.set(Some(line));
    page.selected.set(None);
    // The list may have been hidden behind the detail until now.
    request_animation_frame(move || {
        // Its line may be folded away.
        let _ = focus(&line_id(line)) || focus("verdict");
    });
}

/// Moves to the next line shown, or the one before; an open detail goes along. Answers whether there is one.
pub(super) fn step(page: Page, by: isize) -> bool {
    let shown = page.shown();
    let opened = page.selected.get_untracked().and_then(|row| page.line_of(row));
    let at = opened.or_else(|| page.cursor.get_untracked());
    let Some(next) = groups::step(&shown, at, by) else { return false };
    page.cursor.set(Some(next));
    if page.selected.get_untracked().is_some() {
        page.selected.set(page.line(next).and_then(|line| line.worst()));
    }
    focus(&line_id(next))
}
