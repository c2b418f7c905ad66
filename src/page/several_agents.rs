//! Several agents beside each other, as a form: the list as it is typed or opened, a catalogue's address, and a credential for each
//! agent. The runs are the checker's; `several_agents_runs.rs` asks how they stand.

use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::checker_client::{answer_or_say, when_answered, when_answered_of};
use super::copy_button::CopyButton;
use super::focus::{focus, focus_when_shown};
use super::several_agents_results::Results;
use super::several_agents_runs::{follow, stop};
use super::share::url;
use super::state::Page;
use super::widgets::{FilePicker, ForEach, address_field, button, button_unless, lines, problem, submitted};
use crate::view_model::format::count;
use crate::view_model::messages::Question;
use crate::view_model::settings::Settings;
use crate::view_model::several_agents::{AgentList, RequestedAgent};
use crate::view_model::share_link::Link;

/// The heading, which has the focus when the view is shown.
const TITLE: &str = "several-title";

pub(super) fn show(page: Page) {
    page.several.set(true);
    focus_when_shown(TITLE);
}

/// The setup that the link to this view holds: the list, as far as it was understood.
pub(super) fn link(page: Page) -> Link {
    Link {
        setup: page.setup().without_second_address(),
        agents: Some(page.reading.with(|reading| reading.agents.clone())),
        ..Link::default()
    }
}

/// Reads the list as it is typed.
fn read(page: Page) {
    let text = page.agents_text.get_untracked();
    when_answered(&Question::ReadList(text.clone()), move |read| {
        // Meanwhile somebody may have typed more.
        if page.agents_text.with_untracked(|now| *now == text) {
            match read {
                Ok(reading) => page.reading.set(reading),
                Err(problem) => page.agents_problem.set(problem),
            }
        }
    });
}

/// Adds the agents of a file, or of a catalogue, to the list; what could not be used is told.
pub(super) fn add(page: Page, origin: String, question: Question, file: JsValue) {
    page.agents_problem.set(String::new());
    when_answered_of(&question, file, move |list| {
        let AgentList { agents, told } = match list {
            Ok(list) => list,
            Err(problem) => return page.agents_problem.set(problem),
        };
        page.agents_text.update(|text| {
            for agent in &agents {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                text.push_str(agent);
                text.push('\n');
            }
        });
        let number = u32::try_from(agents.len()).unwrap_or(u32::MAX);
        let head = format!("{origin}: {} added to the list.", count(number, "agent"));
        page.agents_told.set([vec![head], told].concat());
        read(page);
    });
}

fn start(page: Page) {
    let addresses = page.reading.with_untracked(|reading| reading.agents.clone());
    if addresses.is_empty() {
        page.agents_problem.set("There is no agent in the list yet.".to_owned());
        focus("several-list");
        return;
    }
    page.agents_problem.set(String::new());
    let agents = addresses.into_iter().map(|address| {
        let credential = untrack(|| credential_of(page, &address));
        RequestedAgent { address, credential }
    });
    let agents = agents.collect();
    // The part of the form that may be shared, so that none of its credentials even leaves the page.
    let mut settings = Settings::default();
    untrack(|| page.setup()).without_second_address().put_into(&mut settings);
    let question = Question::SeveralAgents { agents, settings: Box::new(settings), home: page.home.clone() };
    answer_or_say(&question, page.agents_problem, move |()| follow(page));
}

/// Beside the results of one of them: the way back.
#[component]
pub(super) fn BackToAgents(page: Page) -> impl IntoView {
    let back = move || {
        let has_agents = page.agents.with(|lines| !lines.agents.is_empty());
        has_agents.then(|| link_here(page, "several-back", "Back to all agents"))
    };
    view! { {move || back().into_any()} }
}

/// A button that shows this view.
pub(super) fn link_here(page: Page, id: &'static str, text: &'static str) -> AnyView {
    view! { <p class="several-way">{button("plain", id, text, move || show(page))}</p> }.into_any()
}

#[component]
pub(super) fn SeveralAgents(page: Page) -> impl IntoView {
    if page.agents_text.with_untracked(|text| !text.is_empty()) {
        read(page);
    }
    let has_runs = Memo::new(move |_| page.agents.with(|lines| !lines.agents.is_empty()));
    let close = move || {
        page.several.set(false);
        focus_when_shown("address");
    };
    view! {
        <section class="several" aria-labelledby=TITLE>
            <div class="several-head">
                <h2 id=TITLE tabindex="-1">"Several agents"</h2>
                {button("quiet", "several-close", "Back to one agent", close)}
            </div>
            <List page/>
            {move || has_runs.get().then(|| view! { <Results page/> }.into_any()).into_any()}
        </section>
    }
}

#[component]
fn List(page: Page) -> impl IntoView {
    let submit = submitted(move || start(page));
    let edit = move |event| {
        page.agents_problem.set(String::new());
        page.agents_told.set(Vec::new());
        page.agents_text.set(event_target_value(&event));
        read(page);
    };
    let number = Memo::new(move |_| page.reading.with(|reading| reading.agents.len()));
    let agents = move || count(u32::try_from(number.get()).unwrap_or(u32::MAX), "agent");
    let is_under_way = Memo::new(move |_| page.agents.with(|lines| !lines.is_over && !lines.agents.is_empty()));
    let told = move || {
        let sentences = [page.agents_told.get(), page.reading.with(|reading| reading.told.clone())].concat();
        lines(sentences).into_any()
    };
    let stop_all = move || {
        stop(page, None);
        focus("several-run");
    };
    let with_options = move || {
        let words = page.setup().without_second_address().in_words();
        if words.is_empty() { String::new() } else { format!("Of the form for one agent, each is run with: {words}.") }
    };
    view! {
        <form class="several-form" novalidate=true on:submit=submit>
            <label for="several-list">"Agents: an address on each line, or an AI Catalog"</label>
            <textarea
                id="several-list"
                rows="6"
                autocapitalize="off"
                autocomplete="off"
                spellcheck="false"
                aria-describedby="several-read several-problem"
                prop:value=move || page.agents_text.get()
                on:input=edit
            ></textarea>
            <p class="note" id="several-read" role="status">{move || format!("{} to check.", agents())}</p>
            <ul class="several-told" id="several-told">{move || told()}</ul>
            {problem("several-problem", page.agents_problem)}
            <div class="several-sources">
                <FilePicker purpose="agents" label="Add the agents of a file: a list, or an AI Catalog"/>
                <Catalogue page/>
            </div>
            <Credentials page number/>
            <p class="note">
                "Four agents at a time, each within limits of its own. Credentials of the form for one agent are not used here. "
                {move || with_options()}
            </p>
            <p class="buttons">
                <button type="submit" class="primary" id="several-run">
                    {move || format!("Run {}", agents())}
                </button>
                {button_unless(move || !is_under_way.get(), "plain", "several-stop", "Stop all", stop_all)}
                <CopyButton class="plain" id="several-link" text=move || untrack(|| url(&link(page)))>"Copy link"</CopyButton>
                <span class="note" id="several-holds">{move || format!("It holds {}; no secrets.", link(page).holds())}</span>
            </p>
        </form>
    }
}

/// A catalogue, by its address. No field of the form: Enter here reads, and does not run.
#[component]
fn Catalogue(page: Page) -> impl IntoView {
    let address = RwSignal::new(String::new());
    let read = Callback::new(move |()| {
        let typed = address.get_untracked().trim().to_owned();
        if !typed.is_empty() {
            add(page, "The catalogue".to_owned(), Question::ReadCatalogue(typed), JsValue::UNDEFINED);
        }
    });
    let ids = ["several-catalogue", "several-catalogue-read"];
    address_field(ids, "Add the agents of an AI Catalog at an address", "https://example.com", "Read", address, read)
}

/// What was typed for the agent at an address; tracks.
fn credential_of(page: Page, address: &str) -> String {
    page.agents_credentials
        .with(|all| all.iter().find(|(known, _)| known == address).map(|(_, typed)| typed.clone()).unwrap_or_default())
}

/// A field for each agent. What is typed is in this tab's memory alone, and belongs to that address.
#[component]
fn Credentials(page: Page, number: Memo<usize>) -> impl IntoView {
    let places = Memo::new(move |_| (0..number.get()).collect::<Vec<usize>>());
    let field = move |place: usize| {
        let address =
            Memo::new(move |_| page.reading.with(|reading| reading.agents.get(place).cloned().unwrap_or_default()));
        let value = move || credential_of(page, &address.get());
        let edit = move |event| {
            let (address, typed) = (address.get_untracked(), event_target_value(&event));
            page.agents_credentials.update(|all| {
                all.retain(|(known, _)| *known != address);
                if !typed.is_empty() {
                    all.push((address, typed));
                }
            });
        };
        view! {
            <label class="field">
                <span>{move || address.get()}</span>
                <input
                    type="password"
                    autocomplete="off"
                    data-credential=place.to_string()
                    prop:value=move || value()
                    on:input=edit
                />
            </label>
        }
        .into_any()
    };
    view! {
        <details class="fold" id="several-credentials">
            <summary>"Credentials, for each agent its own"</summary>
            <p class="note">
                "A bearer token, or a header as Name: value. It is sent to this agent alone, is kept nowhere, and is not in the link."
            </p>
            <ForEach numbers=places view=field/>
        </details>
    }
}
