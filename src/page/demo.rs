//! The section that runs the demo agent: its buttons, and the list of faults to choose from.

use leptos::prelude::*;

use super::checker_client::answer_or_say;
use super::run;
use super::state::Page;
use super::watch::WatchButton;
use crate::view_model::messages::Question;

/// Faults that show every kind of result.
const FAULTY: [&str; 5] = [
    "cancel-terminal-wrong-code",
    "get-missing-id-accepted",
    "stream-two-payloads",
    "card-no-cache-control",
    "timestamps-seconds",
];

/// The buttons and the list of faults.
#[component]
pub(super) fn DemoSection(page: Page) -> impl IntoView {
    let conformant = move |_| {
        page.faults.set(Vec::new());
        run::start_demo(page);
    };
    let faulty = move |_| {
        page.faults.set(FAULTY.map(str::to_owned).to_vec());
        run::start_demo(page);
    };
    view! {
        <section class="demo" aria-labelledby="demo-title">
            <h2 id="demo-title">"No agent at hand?"</h2>
            <p>"A scripted agent runs inside this page, without any network."</p>
            <p class="buttons">
                <button type="button" class="plain" id="demo" on:click=conformant>"Try the demo agent"</button>
                <button type="button" class="plain" id="demo-faulty" on:click=faulty>"Try it with five faults"</button>
            </p>
            <p class="note" id="demo-note" role="status">{move || page.demo_note.get()}</p>
            <FaultPicker page/>
            <WatchButton page/>
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
                <label>
                    <span>"Find a fault"</span>
                    <input
                        type="search"
                        id="fault-text"
                        autocomplete="off"
                        spellcheck="false"
                        prop:value=move || query.get()
                        on:input=move |event| query.set(event_target_value(&event))
                    />
                </label>
                <button type="button" class="plain" on:click=move |_| page.faults.set(Vec::new())>"Choose none"</button>
                <button type="button" class="primary" id="demo-run" on:click=move |_| run::start_demo(page)>
                    "Run with these"
                </button>
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
