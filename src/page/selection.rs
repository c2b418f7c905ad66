//! The check that is open, the place that it was opened from, and moving among the rows and the findings.

use std::cell::Cell;

use leptos::prelude::*;
use web_sys::HtmlElement;

use super::focus::{element, focus, focus_this, focused, focused_id, is_within, reveal_line, unfold};
use super::incremental_list::when_complete;
use super::state::Page;
use crate::view_model::filter::Filter;
use crate::view_model::findings::{FIRST, entry_id, place_of, said_of};
use crate::view_model::groups;
use crate::view_model::tabs::Tab;

thread_local! {
    /// What the detail was opened from, and how far the page was scrolled then; without that where the detail has moved on.
    static OPENER: Cell<Option<(HtmlElement, Option<f64>)>> = const { Cell::new(None) };
}

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
        page.tab.set(Tab::Results);
        page.uncover(&row);
        open(page, row.info.index);
    }
}

/// Opens the detail of a row; the focus goes to its heading.
pub(super) fn open(page: Page, index: usize) {
    if !is_within("detail") {
        OPENER.set(focused().map(|opener| (opener, window().scroll_y().ok())));
    }
    show(page, index);
    // On a narrow screen the detail takes the list's place.
    let is_beside = window().match_media(BESIDE).ok().flatten().is_some_and(|query| query.matches());
    request_animation_frame(move || {
        focus("detail-title");
        if !is_beside {
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
    });
}

/// Shows the detail of a row, and says which finding it is.
fn show(page: Page, index: usize) {
    page.cursor.set(page.line_of(index));
    page.selected.set(Some(index));
    let key = untrack(|| page.selected_key()).unwrap_or_default();
    if let Some(said) = page.banner.with_untracked(|banner| said_of(&banner.as_ref()?.findings, &key)) {
        page.spoken.set(said);
    }
}

/// The place of the open row among the findings, and how many there are; `None` for one that is none of them. Tracks.
pub(super) fn finding_place(page: Page) -> Option<(usize, usize)> {
    let key = page.selected_key()?;
    page.banner.with(|banner| {
        let findings = &banner.as_ref()?.findings;
        Some((place_of(findings, &key)?, findings.len()))
    })
}

/// Shows the next finding, or the one before; that button keeps the focus.
pub(super) fn step_finding(page: Page, by: isize, button: &'static str) {
    let Some((at, _)) = untrack(|| finding_place(page)) else { return };
    let next = at.saturating_add_signed(by);
    let key = page.banner.with_untracked(|banner| Some(banner.as_ref()?.findings.get(next)?.rows.first()?.1.clone()));
    let row = page.rows.with_untracked(|rows| rows.iter().find(|row| Some(&row.info.key) == key.as_ref()).cloned());
    let Some(row) = row else { return };
    page.uncover(&row);
    show(page, row.info.index);
    if next >= FIRST {
        unfold("more-findings");
    }
    OPENER.set(element(&entry_id(next)).map(|opener| (opener, None)));
    request_animation_frame(move || {
        // At the last one it cannot be pressed.
        if !element(button).is_some_and(|button| focus_this(&button)) {
            focus("detail-title");
        }
    });
}

/// Brings the line into view that a link opened: the order has become another, now that the run is over.
pub(super) fn show_linked(page: Page) {
    let linked = page.linked_row.get_untracked().filter(|row| page.selected.get_untracked() == Some(*row));
    if let Some(line) = linked.and_then(|row| page.line_of(row)) {
        when_complete(move || reveal_line(line_id(line)));
    }
}

/// Closes the detail; focus and page go back to where it was opened, or to the line of its check.
pub(super) fn close(page: Page) {
    let Some(line) = page.selected.get_untracked().and_then(|index| page.line_of(index)) else { return };
    page.cursor.set(Some(line));
    page.selected.set(None);
    // The list may have been hidden behind the detail until now.
    let opener = OPENER.take();
    request_animation_frame(move || match opener {
        Some((opener, scrolled)) if focus_this(&opener) => {
            if let Some(scrolled) = scrolled {
                window().scroll_to_with_x_and_y(0.0, scrolled);
            }
        }
        // Its line may be folded away.
        _ => {
            let _ = focus(&line_id(line)) || focus("verdict");
        }
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
        OPENER.set(None);
    }
    focus(&line_id(next))
}
