//! The section that runs the demo agent: its buttons, which faults one of them takes, and the list to choose from.

use leptos::prelude::*;

use super::checker_client::answer_or_say;
use super::run;
use super::state::Page;
use super::widgets::{button, search};
use crate::view_model::messages::Question;

/// Faults that show every kind of result.
const FAULTY: [&str; 4] =
    ["cancel-terminal-wrong-code", "get-missing-id-accepted", "stream-two-payloads", "card-no-cache-control"];

#[component]
pub(super) fn DemoSection(page: Page) -> impl IntoView {
    let run_with = move |faults: &[&str]| {
        page.faults.set(faults.iter().map(|fault| (*fault).to_owned()).collect());
        run::start_demo(page);
    };
    view! {
        <section class="demo" aria-labelledby="demo-title">
            <h2 id="demo-title">"No agent at hand?"</h2>
            <p class="buttons">
                {button("plain", "demo", "Try the demo agent", move || run_with(&[]))}
                {button("plain", "demo-faulty", "Try it with faults", move || run_with(&FAULTY))}
            </p>
            <p class="note">"A scripted agent inside this page, checked without any network."</p>
            <p class="note" id="demo-note" role="status">{move || page.demo_note.get()}</p>
            <FaultPicker page/>
        </section>
    }
}

/// The faults to choose from; the list is fetched when it is first opened.
#[component]
fn FaultPicker(page: Page) -> impl IntoView {
    let query = RwSignal::new(String::new());
    let faults = RwSignal::new(Vec::new());
    let list_faults = move |_| {
        if faults.with_untracked(Vec::is_empty) {
            answer_or_say(&Question::Faults, page.demo_note, move |listed| faults.set(listed));
        }
    };
    let count = move || match page.faults.with(Vec::len) {
        0 => "Choose faults yourself".to_owned(),
        1 => "1 fault chosen".to_owned(),
        count => format!("{count} faults chosen"),
    };
    view! {
        <details class="faults" id="faults" on:toggle=list_faults>
            <summary>{move || count()}</summary>
            <div class="faults-tools">
                {search("fault-text", "Find a fault", query)}
                <button type="button" class="plain" on:click=move |_| page.faults.set(Vec::new())>"Choose none"</button>
                {button("plain", "demo-run", "Run with these", move || run::start_demo(page))}
            </div>
            <FaultList page query faults/>
        </details>
    }
}

#[component]
fn FaultList(page: Page, query: RwSignal<String>, faults: RwSignal<Vec<(String, String)>>) -> impl IntoView {
    let item = move |(id, title): (String, String)| {
        let text = format!("{id} {}", title.to_ascii_lowercase());
        let is_hidden = move || {
            let query = query.with(|query| query.to_ascii_lowercase());
            !query.split_whitespace().all(|word| text.contains(word))
        };
        let changed = id.clone();
        let change = move |event| {
            let is_on = event_target_checked(&event);
            page.faults.update(|chosen| {
                chosen.retain(|known| *known != changed);
                if is_on {
                    chosen.push(changed.clone());
                }
            });
        };
        let shown = id.clone();
        let is_chosen = move || page.faults.with(|chosen| chosen.contains(&shown));
        view! {
            <li hidden=move || is_hidden()>
                <label>
                    <input type="checkbox" data-fault=id prop:checked=move || is_chosen() on:change=change/>
                    <span>{title}</span>
                </label>
            </li>
        }
        .into_any()
    };
    view! {
        <ul class="fault-list" tabindex="0" aria-label="Faults">
            {move || faults.get().into_iter().map(item).collect_view().into_any()}
        </ul>
    }
}
