//! Tables about several agents, made while somebody looks at them: what each interface supports, and how every two agents work
//! together, which is checked when somebody asks for it.

use leptos::ev;
use leptos::prelude::*;
use web_sys::Element;

use super::checker_client::answer_or_say;
use super::several_agents_runs::{file_buttons, follow};
use super::state::Page;
use super::text_tables::text_table;
use super::widgets::button_unless;
use crate::report::Format;
use crate::view_model::messages::Question;
use crate::view_model::several_agents::{ABOUT_PAIRS, AgentLines, TableTopic};
use crate::view_model::text_table::TextTable;

#[component]
pub(super) fn Tables(page: Page) -> impl IntoView {
    let support =
        [(Format::Json, "support-json"), (Format::Html, "support-html"), (Format::Markdown, "support-markdown")];
    let pairs = [(Format::Json, "pairs-json"), (Format::Html, "pairs-html"), (Format::Markdown, "pairs-markdown")];
    view! {
        {fold(page, TableTopic::Support, "several-support", "What the agents support", support, ().into_any())}
        {fold(page, TableTopic::Pairs, "several-pairs", "How the agents work together", pairs, check_pairs(page))}
    }
}

fn fold(
    page: Page,
    topic: TableTopic,
    id: &'static str,
    title: &'static str,
    files: [(Format, &'static str); 3],
    tools: AnyView,
) -> AnyView {
    let tables = RwSignal::new(Vec::<TextTable>::new());
    let is_open = RwSignal::new(false);
    let news = Memo::new(move |_| page.agents.with(AgentLines::news));
    Effect::new(move || {
        // Both are read each time, so that both are followed.
        let (has_news, is_open) = (news.get() > 0, is_open.get());
        if has_news && is_open {
            answer_or_say(&Question::SeveralTables(topic), page.agents_problem, move |told| {
                // The view may have been left meanwhile.
                tables.try_set(told);
            });
        }
    });
    let toggle = move |event: ev::Event| is_open.set(event_target::<Element>(&event).has_attribute("open"));
    let shown = move || {
        let tables = tables.get();
        let files = (!tables.is_empty()).then(|| file_buttons(page, title, files, Some(topic)));
        files.into_iter().chain(tables.into_iter().map(text_table)).collect_view().into_any()
    };
    view! {
        <details class="fold" id=id on:toggle=toggle>
            <summary>{title}</summary>
            {tools}
            {move || shown()}
        </details>
    }
    .into_any()
}

/// What a check of every pair is, and the button that begins it.
fn check_pairs(page: Page) -> AnyView {
    let is_possible = Memo::new(move |_| page.agents.with(AgentLines::can_check_pairs));
    let press = move || {
        answer_or_say(&Question::SeveralPairs, page.agents_problem, move |()| follow(page));
    };
    view! {
        <p class="note">
            {ABOUT_PAIRS}
        </p>
        <p class="buttons">
            {button_unless(move || !is_possible.get(), "plain", "pairs-run", "Check every pair", press)}
        </p>
    }
    .into_any()
}
