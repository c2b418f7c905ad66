//! The switch among the three reports of a run of two agents, and why the two cannot talk.

use leptos::prelude::*;

use super::banner::verdict_shape;
use super::checker_client::{CheckerAnswer, when_answered};
use super::focus::focus;
use super::run;
use super::state::Page;
use super::widgets::{Shape, said};
use crate::view_model::agents_switch::{AgentsSwitch, NAMES, ReportLine};
use crate::view_model::messages::{Opening, Question};

/// Shows another of the reports.
fn show(page: Page, place: usize) {
    let number = page.runs.get_untracked();
    when_answered(&Question::ShowReport(place), move |opened: CheckerAnswer<Option<Result<Opening, String>>>| {
        if let Ok(Some(Ok(Opening::Report(opened)))) = opened
            && page.runs.get_untracked() == number
        {
            run::show_report(page, *opened);
            // The button that was pressed is made anew.
            request_animation_frame(move || {
                focus(&id(place));
            });
        }
    });
}

fn id(place: usize) -> String {
    format!("report-{place}")
}

/// The switch; nothing for a run of one agent.
#[component]
pub(super) fn AgentsSwitchGroup(page: Page) -> impl IntoView {
    let group = move |switch: AgentsSwitch| {
        let AgentsSwitch { reports, shown, obstacle, .. } = switch;
        let button = |(place, line)| button(page, place, line, place == shown);
        view! {
            <section class="agents-switch" aria-label="The reports of this run">
                {said("obstacle", Some("cannot-talk"), obstacle)}
                <ul>{reports.into_iter().enumerate().map(button).collect_view()}</ul>
            </section>
        }
        .into_any()
    };
    view! { {move || Some(page.agents_switch.get()).filter(AgentsSwitch::is_given).map(group).into_any()} }
}

fn button(page: Page, place: usize, line: ReportLine, is_shown: bool) -> AnyView {
    let ReportLine { address, word, verdict, can_show } = line;
    let shape = word.map(|word| view! { <Shape id=verdict_shape(word)/> }.into_any());
    view! {
        <li>
            <button
                type="button"
                class="plain"
                id=id(place)
                aria-pressed=is_shown.to_string()
                aria-disabled=(!can_show).to_string()
                on:click=move |_| {
                    if can_show && !is_shown {
                        show(page, place);
                    }
                }
            >
                <b>{NAMES.get(place).copied()}</b>
                <span>{shape} " " {verdict}</span>
                <span class="agents-switch-address">{address}</span>
            </button>
        </li>
    }
    .into_any()
}
