//! The three reports of a run of two agents, one of which is shown, and why the two cannot talk.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::banner::verdict_shape;
use super::checker_client::answer;
use super::run;
use super::state::Page;
use super::view::agents_switch::{AgentsSwitch, NAMES, ReportLine};
use super::view::messages::{Opened, Question};
use super::widgets::Shape;

/// Shows another of the reports.
fn show(page: Page, place: usize) {
    if page.is_busy_now() || page.agents_switch.with_untracked(|switch| switch.shown == place) {
        return;
    }
    let number = page.runs.get_untracked();
    spawn_local(async move {
        let opened = answer::<Option<Opened>>(&Question::ShowReport { place }).await;
        if let Ok(Some(opened)) = opened
            && page.runs.get_untracked() == number
        {
            run::show_report(page, opened);
        }
    });
}

/// The switch; nothing for a run of one agent.
#[component]
pub(super) fn AgentsSwitchGroup(page: Page) -> impl IntoView {
    // The buttons are made once, so that the one that was pressed keeps the focus.
    let is_given = Memo::new(move |_| page.agents_switch.with(AgentsSwitch::is_given));
    let obstacle = Memo::new(move |_| page.agents_switch.with(|switch| switch.obstacle.clone()));
    let buttons = move || {
        view! {
            <section class="agents-switch" aria-label="The reports of this run">
                <p class="obstacle" id="cannot-talk">{move || obstacle.get()}</p>
                <ul>{NAMES.into_iter().enumerate().map(|(place, name)| button(page, place, name)).collect_view()}</ul>
            </section>
        }
        .into_any()
    };
    view! { {move || is_given.get().then(buttons).into_any()} }
}

fn button(page: Page, place: usize, name: &'static str) -> AnyView {
    let line = Memo::new(move |_| page.agents_switch.with(|switch| switch.reports.get(place).cloned()));
    let of = move |what: fn(&ReportLine) -> String| line.with(|line| line.as_ref().map(what).unwrap_or_default());
    let is_shown = move || page.agents_switch.with(|switch| switch.shown == place);
    let can_show = move || line.with(|line| line.as_ref().is_some_and(|line| line.can_show));
    let word = move || line.with(|line| line.as_ref().and_then(|line| line.word));
    let shape = move || word().map(|word| view! { <Shape id=verdict_shape(word)/> }.into_any());
    view! {
        <li>
            <button
                type="button"
                class="plain"
                id=format!("report-{place}")
                data-word=move || word().map_or("", |word| word.as_str())
                aria-pressed=move || is_shown().to_string()
                aria-disabled=move || (!is_shown() && !can_show()).to_string()
                on:click=move |_| show(page, place)
            >
                <b>{name}</b>
                <span class="agents-switch-verdict">{move || shape().into_any()} {move || of(|line| line.verdict.clone())}</span>
                <span class="agents-switch-address">{move || of(|line| line.address.clone())}</span>
            </button>
        </li>
    }
    .into_any()
}
