//! The keyboard, and moving the focus. Single keys are off inside fields and while a dialog is open.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, HtmlElement, KeyboardEvent, ScrollIntoViewOptions, ScrollLogicalPosition};

use super::erase::{Child, El, Fixed, View, el, html, pair, tag};
use super::state::{Page, Phase};
use super::view::groups;
use super::{run, table};

/// Listens to the keyboard as long as the page lives.
pub(super) fn listen(page: Page) {
    let handle = window_event_listener_untyped("keydown", move |event| press(page, event.unchecked_ref()));
    // The page is never taken down.
    std::mem::forget(handle);
}

fn press(page: Page, event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.is_composing() || dialog_is_open() {
        return;
    }
    let key = event.key();
    let in_field = is_field(event);
    if key == "Escape" {
        if page.selected.get_untracked().is_some() {
            close_detail(page);
        } else if page.is_running() {
            run::stop(page);
            focus("run");
        } else if in_field {
            // Out of the search, so that the other keys work again.
            focus("main");
        }
        return;
    }
    if in_field {
        return;
    }
    let done = match key.as_str() {
        "/" => focus("filter-text") || focus("address"),
        "r" if page.phase.get_untracked() != Phase::Running => {
            run::start(page);
            true
        }
        "?" => open_help(),
        "j" => walk(page, 1),
        "k" => walk(page, -1),
        "ArrowDown" if table::has_focus() => walk(page, 1),
        "ArrowUp" if table::has_focus() => walk(page, -1),
        _ => false,
    };
    if done {
        event.prevent_default();
    }
}

fn is_field(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    target.is_some_and(|element| {
        matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT") || element.is_content_editable()
    })
}

/// Moves to the next row shown, or the one before; an open detail goes along.
fn walk(page: Page, by: isize) -> bool {
    let shown = page.shown();
    let at = page.selected.get_untracked().or_else(|| page.cursor.get_untracked());
    let Some(next) = groups::step(&shown, at, by) else { return false };
    page.cursor.set(Some(next));
    if page.selected.get_untracked().is_some() {
        page.selected.set(Some(next));
    }
    focus(&table::row_id(next))
}

/// Closes the detail; the focus goes back to the row that opened it.
pub(super) fn close_detail(page: Page) {
    let Some(open) = page.selected.get_untracked() else { return };
    page.cursor.set(Some(open));
    page.selected.set(None);
    // The list may have been hidden behind the detail until now.
    request_animation_frame(move || {
        focus(&table::row_id(open));
    });
}

fn element(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Focuses an element by its id; answers whether it is there.
pub(super) fn focus(id: &str) -> bool {
    element(id).is_some_and(|element| element.focus().is_ok())
}

/// Brings an element into view, unless it is.
pub(super) fn reveal(id: &'static str) {
    request_animation_frame(move || {
        if let Some(element) = element(id) {
            let options = ScrollIntoViewOptions::new();
            options.set_block(ScrollLogicalPosition::Nearest);
            element.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
}

fn dialog_is_open() -> bool {
    document().query_selector("dialog[open]").ok().flatten().is_some()
}

fn open_help() -> bool {
    let dialog = document().get_element_by_id("help").and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok());
    dialog.is_some_and(|dialog| dialog.show_modal().is_ok())
}

/// The keys, listed.
const KEYS: [(&str, &str); 7] = [
    ("/", "search the checks"),
    ("r", "run"),
    ("j", "next check"),
    ("k", "previous check"),
    ("Enter", "open the check"),
    ("Esc", "close the detail, or stop the run"),
    ("?", "this list"),
];

/// The button and the dialog that list the keys.
pub(super) fn help() -> (El, El) {
    let fixed: Fixed = &[("type", "button"), ("class", "quiet"), ("id", "help-open"), ("aria-haspopup", "dialog")];
    let open = |_| {
        open_help();
    };
    let button = el("button", fixed).on("click", open).child("Keys");
    let rows: Vec<View> = KEYS.iter().map(|(key, what)| pair(tag("kbd", "", *key), *what).view()).collect();
    let form = el("form", &[("method", "dialog")])
        .child(html("<h2 id=\"help-title\">Keys</h2>"))
        .child(tag("dl", "keys", rows))
        .child(html("<p class=\"note\">They do not work while you type in a field.</p>"))
        .child(html("<button class=\"plain\">Close</button>"));
    (button, el("dialog", &[("id", "help"), ("aria-labelledby", "help-title")]).child(form))
}
