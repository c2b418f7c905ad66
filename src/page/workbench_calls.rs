//! The questions of the workbench to the checker, and the changes that the answers make to its state.

use leptos::prelude::*;

use super::checker_client::{CheckerAnswer, answer_or_say, when_answered};
use super::focus::rescue;
use super::run::look_at_form;
use super::state::{Page, RunPhase, RunTarget};
use crate::view_model::format::sentence;
use crate::view_model::messages::Question;
use crate::view_model::workbench::{Ask, Bench, Composed, ConversationAction, ExchangeProgress};

/// Whether the demo agent is asked: it was chosen, or is what was run last, or there is no other. Tracks.
pub(super) fn is_demo(page: Page) -> bool {
    match page.bench.draft.with(|draft| draft.get("agent").to_owned()).as_str() {
        "" => {
            let was_run =
                page.phase.get() != RunPhase::Empty && page.target.with_untracked(|target| *target == RunTarget::Demo);
            (was_run && !page.edited.get()) || page.address.with(|address| address.trim().is_empty())
        }
        chosen => chosen == "demo",
    }
}

fn question(page: Page, ask: Ask) -> Question {
    let mut draft = page.bench.draft.get_untracked();
    draft.set("agent", if untrack(move || is_demo(page)) { "demo" } else { "address" });
    let faults = page.faults.get_untracked();
    let (address, settings) = (page.address.get_untracked(), Box::new(page.settings.get_untracked()));
    Question::Workbench { bench: Box::new(Bench { address, settings, home: page.home.clone(), faults, draft }), ask }
}

/// Writes the request that the choices amount to; one that was edited stays as it is.
pub(super) fn compose(page: Page, what: Ask) {
    let bench = &page.bench;
    let turn = bench.asked.get_untracked().wrapping_add(1);
    bench.asked.set(turn);
    let reads = matches!(what, Ask::ReadCard);
    answer_or_say(&question(page, what), bench.problem, move |composed: Composed| {
        if bench.asked.get_untracked() == turn {
            if let Some(request) = composed.request.as_ref().filter(|_| !bench.edited.get_untracked()) {
                bench.show(request);
            }
            bench.composed.set(composed);
        } else if reads {
            // Something was chosen meanwhile, when there was no card yet.
            compose(page, Ask::Compose);
        }
    });
}

/// The form may hold credentials of another agent: they are put aside first.
fn look(page: Page) -> bool {
    page.bench.problem.set(String::new());
    page.bench.can_insist.set(false);
    if untrack(move || is_demo(page)) {
        return true;
    }
    match look_at_form(page) {
        Ok(()) => true,
        Err(problem) => {
            page.bench.problem.set(sentence(&problem));
            false
        }
    }
}

pub(super) fn read_card(page: Page) {
    if look(page) {
        compose(page, Ask::ReadCard);
    }
}

pub(super) fn send(page: Page, as_it_is: bool) {
    if look(page) {
        begin(page, Ask::Send { request: page.bench.typed(), as_it_is });
    }
}

/// Goes on in the conversation.
pub(super) fn talk(page: Page, act: ConversationAction) {
    if look(page) {
        let text = page.bench.message.get_untracked();
        begin(page, Ask::Talk { act, text });
    }
}

/// Hangs up.
pub(super) fn stop(page: Page) {
    when_answered(&question(page, Ask::Stop), |_: CheckerAnswer<()>| {});
}

fn begin(page: Page, what: Ask) {
    let bench = &page.bench;
    if bench.is_busy.get_untracked() {
        if matches!(what, Ask::Talk { act: ConversationAction::Cancel, .. }) {
            cancel_aside(page, what);
        }
        return;
    }
    bench.is_busy.set(true);
    let is_said = matches!(what, Ask::Talk { act: ConversationAction::Say | ConversationAction::Stream, .. });
    when_answered(&question(page, what), move |sent: CheckerAnswer<Result<(), String>>| {
        match sent.flatten() {
            Ok(()) => {
                // A message that could not be sent stays in its field.
                if is_said {
                    bench.message.set(String::new());
                }
                hear(page, 0);
            }
            Err(problem) => {
                bench.can_insist.set(problem.starts_with("The body is not JSON"));
                bench.problem.set(problem);
                end(page);
            }
        }
    });
}

/// A request is over, or was not sent.
fn end(page: Page) {
    page.bench.is_busy.set(false);
    rescue("bench-send");
    // Ids that were used are not used again.
    compose(page, Ask::Compose);
}

/// Cancels a task whose stream is being watched, and goes on watching.
fn cancel_aside(page: Page, what: Ask) {
    when_answered(&question(page, what), move |sent: CheckerAnswer<Result<(), String>>| {
        if let Ok(Err(problem)) = sent {
            page.bench.problem.set(problem);
        }
    });
}

/// Shows what comes after that many events, until it is over.
fn hear(page: Page, known: u32) {
    let bench = &page.bench;
    when_answered(&question(page, Ask::Hear(known)), move |heard: CheckerAnswer<ExchangeProgress>| {
        let heard = match heard {
            Ok(heard) => heard,
            Err(problem) => {
                bench.problem.set(problem);
                return end(page);
            }
        };
        bench.problem.set(heard.problem.clone());
        let (count, is_over) = (heard.count, heard.is_over);
        if is_over {
            let said = heard.ended.as_ref().map(|ended| ended.judged.sentence.clone());
            page.spoken.set(said.unwrap_or_default());
        }
        bench.heard.set(heard);
        if is_over { end(page) } else { hear(page, count) }
    });
}
