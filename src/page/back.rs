//! What the browser's Back closes: the detail of a check, and an agent that was opened out of several. One step of the history stands
//! for whatever is open, so that nobody leaves the page, and loses its results, by going back to where they came from.

use std::cell::Cell;
use std::rc::Rc;

use leptos::ev::popstate;
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::{History, ScrollRestoration};

use super::selection;
use super::several_agents;
use super::state::Page;
use crate::view_model::several_agents::AgentLines;

/// The state of the step that stands for what is open.
const OPEN: &str = "open";

/// Keeps that step there as long as something is open, and no longer.
pub(super) fn begin(page: Page) {
    let Ok(history) = window().history() else { return };
    let is_ours = Rc::new(Cell::new(false));
    let (listening, pressed) = (history.clone(), Rc::clone(&is_ours));
    Effect::new(move || {
        page.history_steps.track();
        match (is_open(page), has_step(&history)) {
            (true, false) if !is_ours.get() => {
                // What is closed returns to its place by itself.
                let _ = history.set_scroll_restoration(ScrollRestoration::Manual);
                let _ = history.push_state(&OPEN.into(), "");
            }
            (false, true) if !is_ours.get() => is_ours.set(history.back().is_ok()),
            _ => {}
        }
    });
    let _ = window_event_listener(popstate, move |_| {
        let is_back = !has_step(&listening);
        let was_ours = pressed.replace(false);
        if !was_ours && is_back {
            if !untrack(|| is_open(page)) {
                // A link was put into the address bar, which a reload follows.
                return;
            }
            if page.selected.get_untracked().is_some() {
                selection::close(page);
            } else if page.agents.with_untracked(AgentLines::is_begun) {
                several_agents::show(page);
            }
        }
        page.history_steps.update(|steps| *steps += 1);
    });
}

fn is_open(page: Page) -> bool {
    page.selected.get().is_some() || !page.several.get() && page.agents.with(AgentLines::is_begun)
}

fn has_step(history: &History) -> bool {
    history.state().is_ok_and(|state: JsValue| state == OPEN)
}
