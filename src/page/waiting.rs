//! The view of the run's current wait, with buttons to wait longer and to give up; its name is made in `view_model/waiting.rs`. It
//! has its place from the start of a run, so that nothing moves when a wait begins or ends.

use leptos::prelude::*;

use super::checker_client::{CheckerAnswer, when_answered};
use super::focus::{focus, focused_id};
use super::state::Page;
use super::widgets::button_unless;
use crate::engine::user_waits::Waiting as Wait;
use crate::view_model::messages::Question;
use crate::view_model::waiting::{self, is_long};

/// Its buttons.
const BUTTONS: [&str; 2] = ["wait-longer", "give-up"];

/// Asks the checker what is waited for.
pub(super) fn ask(page: Page) {
    let run = page.runs.get_untracked();
    when_answered(&Question::Waiting, move |waits: CheckerAnswer<Vec<Wait>>| {
        if let Ok(mut waits) = waits {
            waits.retain(is_long);
            // While the browser asks its user, nobody waits for the agent.
            if page.runs.get_untracked() == run && page.is_busy_now() && !page.is_asking() {
                show(page, waits);
            }
        }
    });
}

/// Nothing is waited for any more.
pub(super) fn nothing(page: Page) {
    show(page, Vec::new());
}

fn show(page: Page, waits: Vec<Wait>) {
    let before = page.waiting.with_untracked(Vec::len);
    if before == 0 && waits.is_empty() {
        return;
    }
    // Before the buttons go: the focus would fall out of the page with them.
    if waits.is_empty() && BUTTONS.contains(&focused_id().as_str()) && !focus("stop") {
        focus("verdict");
    }
    if before == 0
        && let Some(first) = waits.first()
    {
        page.spoken.set(format!("Waiting for {}", waiting::whom(first)));
    }
    page.waiting.set(waits);
}

/// The name of the wait.
#[component]
pub(super) fn WaitingFor(page: Page) -> impl IntoView {
    let is_none = move || page.waiting.with(Vec::is_empty);
    let text = move || page.waiting.with(|waits| waiting::in_words(waits));
    let act = move |question: fn(u32) -> Question| {
        if let Some(id) = page.waiting.with_untracked(|waits| waits.first().map(|wait| wait.id)) {
            when_answered(&question(id), move |_: CheckerAnswer<()>| ask(page));
        }
    };
    view! {
        <div class="waiting" id="waiting" class:invisible=move || is_none()>
            <span id="waiting-text">{move || text()}</span>
            {button_unless(is_none, "plain", "wait-longer", "Wait longer", move || act(Question::WaitLonger))}
            {button_unless(is_none, "plain", "give-up", "Skip this one", move || act(Question::GiveUp))}
        </div>
    }
}
