//! Which check is open, and moving among the rows.

use leptos::prelude::*;

use super::focus::{focus, focused_id};
use super::state::Page;
use super::view::groups;

/// From this width on, the detail stands beside the list (`style/layout.css` says so too).
const BESIDE: &str = "(min-width: 960px)";

/// What the ids of the rows' buttons begin with.
const ROW: &str = "row-";

/// The id of a row's button.
pub(super) fn row_id(index: usize) -> String {
    format!("{ROW}{index}")
}

/// Whether the keyboard is at a row.
pub(super) fn row_has_focus() -> bool {
    focused_id().starts_with(ROW)
}

/// Opens the detail of a row.
pub(super) fn open(page: Page, index: usize) {
    page.cursor.set(Some(index));
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

/// Closes the detail; the focus goes back to the row that opened it.
pub(super) fn close(page: Page) {
    let Some(index) = page.selected.get_untracked() else { return };
    page.cursor.set(Some(index));
    page.selected.set(None);
    // The list may have been hidden behind the detail until now.
    request_animation_frame(move || {
        focus(&row_id(index));
    });
}

/// Moves to the next row shown, or the one before; an open detail goes along. Answers whether there is one.
pub(super) fn step(page: Page, by: isize) -> bool {
    let shown = page.shown();
    let at = page.selected.get_untracked().or_else(|| page.cursor.get_untracked());
    let Some(next) = groups::step(&shown, at, by) else { return false };
    page.cursor.set(Some(next));
    if page.selected.get_untracked().is_some() {
        page.selected.set(Some(next));
    }
    focus(&row_id(next))
}
