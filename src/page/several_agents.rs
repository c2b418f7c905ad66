//! Several agents beside each other, as a form: the list as it is typed or opened, a catalogue's address, and a credential for each
//! agent. The runs are the checker's; `several_agents_runs.rs` asks how they stand.

use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::checker_client::{answer_or_say, when_answered, when_answered_of};
use super::copy_button::CopyButton;
use super::focus::{focus, focus_when_shown, fold_up, unfold};
use super::several_agents_results::Results;
use super::several_agents_runs::{follow, stop};
use super::share::url;
use super::state::Page;
use super::widgets::{FilePicker, ForEach, address_field, button, button_unless, lines, problem, submitted};
use crate::view_model::format::count;
use crate::view_model::messages::Question;
use crate::view_model::settings::Settings;
use crate::view_model::several_agents::{AgentLines, AgentList, RequestedAgent};
use crate::view_model::share_link::Link;

/// The heading, which has the focus when the view is shown.
const TITLE: &str = "several-title";
/// The list and what belongs to it, folded up once it is run.
const SETUP: &str = "several-setup";

pub(super) fn show(page: Page) {
    page.several.set(true);
    focus_when_shown(TITLE);
}

/// The setup that the link to this view holds: the list, as far as it was understood.
pub(super) fn link(page: Page) -> Link {
    Link { setup: page.setup().without_second_address(), agents: Some(page.agents_read.get()), ..Link::default() }
}

/// Reads the list as it is typed.
fn read(page: Page) {
    read_and(page, |_| ());
}

/// Reads the list as it stands, and goes on with it.
fn read_and(page: Page, then: fn(Page)) {
    let text = page.agents_text.get_untracked();
    when_answered(&Question::ReadList(text.clone()), move |read| {
        // Meanwhile somebody may have typed more.
        if page.agents_text.with_untracked(|now| *now == text) {
            match read {
                Ok(AgentList { agents, told }) => {
                    page.agents_read.set(agents);
                    page.agents_unread.set(told);
                    then(page);
                }
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

/// Whoever pastes a list and runs it at once runs what was pasted.
fn start(page: Page) {
    read_and(page, run_read);
}

fn run_read(page: Page) {
    let addresses = page.agents_read.get_untracked();
    if addresses.is_empty() {
        page.agents_problem.set("There is no agent in the list yet.".to_owned());
        unfold(SETUP);
        focus("several-list");
        return;
    }
    page.agents_problem.set(String::new());
    page.linked.set(Link::default());
    let agents = addresses.into_iter().map(|address| {
        let credential = untrack(|| credential_of(page, &address));
        RequestedAgent { address, credential }
    });
    let agents = agents.collect();
    // The part of the form that may be shared, so that none of its credentials even leaves the page.
    let mut settings = Settings::default();
    untrack(|| page.setup()).without_second_address().put_into(&mut settings);
    let question = Question::SeveralAgents { agents, settings: Box::new(settings), home: page.home.clone() };
    answer_or_say(&question, page.agents_problem, move |()| {
        fold_up(SETUP);
        follow(page);
    });
}

/// Beside the results of one of them: the way back.
#[component]
pub(super) fn BackToAgents(page: Page) -> impl IntoView {
    let link = move || {
        let back = button("plain", "several-back", "Back to all agents", move || show(page));
        view! { <p class="several-way">{back}</p> }.into_any()
    };
    view! { {move || page.agents.with(AgentLines::is_begun).then(link).into_any()} }
}

#[component]
pub(super) fn SeveralAgents(page: Page) -> impl IntoView {
    if page.agents_text.with_untracked(|text| !text.is_empty()) {
        read(page);
    }
    let has_runs = Memo::new(move |_| page.agents.with(AgentLines::is_begun));
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
            <List page has_runs/>
            {move || has_runs.get().then(|| view! { <Results page/> }.into_any()).into_any()}
        </section>
    }
}

#[component]
fn List(page: Page, has_runs: Memo<bool>) -> impl IntoView {
    let submit = submitted(move || start(page));
    let edit = move |event| {
        page.agents_problem.set(String::new());
        page.agents_told.set(Vec::new());
        page.agents_text.set(event_target_value(&event));
        read(page);
    };
    let number = Memo::new(move |_| page.agents_read.with(Vec::len));
    let agents = move || count(u32::try_from(number.get()).unwrap_or(u32::MAX), "agent");
    let is_under_way = Memo::new(move |_| page.agents.with(|lines| !lines.is_over && lines.is_begun()));
    let run_text = move || if has_runs.get() { "Run again".to_owned() } else { "Run".to_owned() };
    let told = move || {
        let sentences = [page.agents_told.get(), page.agents_unread.get()].concat();
        lines(sentences).into_any()
    };
    let stop_all = move || {
        stop(page, None);
        focus("several-run");
    };
    view! {
        <form class="several-form" novalidate=true on:submit=submit>
            <details class="several-setup" id=SETUP open=!has_runs.get_untracked()>
            <summary>
                    <span id="several-read" role="status">{move || agents()}</span>
                    " "
                    <span class="note">"The list, and a credential for each"</span>
                </summary>
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
            <ul class="several-told" id="several-told">{move || told()}</ul>
            <div class="several-sources">
                <FilePicker purpose="agents" label="Add the agents of a file: a list, or an AI Catalog"/>
                <Catalogue page/>
            </div>
            <Credentials page number/>
            <p class="note">
                "Ten agents at a time; one that does not answer does not hold up the others. The options of the form for one agent apply to each, its credentials to none."
            </p>
            </details>
            {problem("several-problem", page.agents_problem)}
            <p class="buttons">
                <button type="submit" class="primary" id="several-run">{move || run_text()}</button>
                {button_unless(move || !is_under_way.get(), "plain", "several-stop", "Stop all", stop_all)}
                <CopyButton class="plain" id="several-link" text=move || untrack(|| url(&link(page)))>"Copy link"</CopyButton>
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
        let address = Memo::new(move |_| page.agents_read.with(|read| read.get(place).cloned().unwrap_or_default()));
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
            <summary>"A credential for each agent"</summary>
            <p class="note">
                "A bearer token, or a header as Name: value. It is sent to this agent alone, is kept nowhere, and is not in the link."
            </p>
            <ForEach numbers=places view=field/>
        </details>
    }
}
