//! The keyboard: which key does what, and the dialog that lists them. Single keys are off inside fields and while a dialog is open.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, HtmlElement, KeyboardEvent};

use super::focus::focus;
use super::state::{Page, RunPhase};
use super::{run, selection};
use crate::view_model::tabs::Tab;

/// Listens to the keyboard as long as the page lives.
pub(super) fn listen(page: Page) {
    // The handle is dropped and the listener stays: the page is never taken down.
    window_event_listener(ev::keydown, move |event| press(page, &event));
}

fn press(page: Page, event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.is_composing() || dialog_is_open() {
        return;
    }
    // They are about the run of one agent.
    if (page.several.get_untracked() || page.watch.is_open.get_untracked()) && event.key() != "?" {
        return;
    }
    let key = event.key();
    let in_field = is_field(event);
    if key == "Escape" {
        if page.selected.get_untracked().is_some() {
            selection::close(page);
        } else if page.is_busy_now() {
            run::stop(page);
            focus("run");
        } else if in_field {
            // A browser empties the search; the filter goes with it. And out of it, so that the other keys work again.
            page.filter.update(|filter| filter.search(""));
            focus("main");
        }
        return;
    }
    if in_field {
        return;
    }
    let in_results = page.tab.get_untracked() == Tab::Results;
    let done = match key.as_str() {
        "/" if page.tab.get_untracked() == Tab::Traffic && focus("traffic-text") => true,
        "/" => focus("filter-text") || focus("address"),
        "r" if page.phase.get_untracked() != RunPhase::Running => {
            run::start(page);
            true
        }
        "?" => open_help(),
        "j" if in_results => selection::step(page, 1),
        "k" if in_results => selection::step(page, -1),
        "ArrowDown" if selection::line_has_focus() => selection::step(page, 1),
        "ArrowUp" if selection::line_has_focus() => selection::step(page, -1),
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

fn dialog_is_open() -> bool {
    // A browser closes what lies over the page itself; one without popovers does not know the other selector.
    ["dialog[open]", ":popover-open"].iter().any(|open| document().query_selector(open).ok().flatten().is_some())
}

fn open_help() -> bool {
    let dialog = document().get_element_by_id("help").and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok());
    dialog.is_some_and(|dialog| dialog.show_modal().is_ok())
}

/// The button that opens the list of keys.
#[component]
pub(super) fn HelpButton() -> impl IntoView {
    let open = |_| {
        open_help();
    };
    view! {
        <button type="button" class="quiet" id="help-open" aria-haspopup="dialog" on:click=open>
            "Keys"
        </button>
    }
}

#[component]
pub(super) fn HelpDialog() -> impl IntoView {
    view! {
        <dialog id="help" aria-labelledby="help-title">
            <form method="dialog">
                <h2 id="help-title">"Keys"</h2>
                <dl class="keys">
                    <div><dt><kbd>"/"</kbd></dt><dd>"search the checks, or the traffic"</dd></div>
                    <div><dt><kbd>"r"</kbd></dt><dd>"run"</dd></div>
                    <div><dt><kbd>"j"</kbd></dt><dd>"next check"</dd></div>
                    <div><dt><kbd>"k"</kbd></dt><dd>"previous check"</dd></div>
                    <div><dt><kbd>"Enter"</kbd></dt><dd>"open the check"</dd></div>
                    <div><dt><kbd>"Esc"</kbd></dt><dd>"close the detail, or stop the run"</dd></div>
                    <div><dt><kbd>"?"</kbd></dt><dd>"this list"</dd></div>
                </dl>
                <p class="note">"They do not work while you type in a field."</p>
                <button class="plain">"Close"</button>
            </form>
        </dialog>
    }
}
