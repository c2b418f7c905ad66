//! The demo agent: the scripted agent, reached without a network, with the faults that the visitor chose.

use std::rc::Rc;

use leptos::prelude::*;

use super::run;
use super::state::Page;
use crate::agent::ScriptedAgent;
use crate::agent::fault::{FAULTS, Faults};
use crate::agent::loopback::Loopback;
use crate::host::{Host, Sight, web};

/// Where the demo agent says it lives; nothing is ever sent there.
pub(super) const ADDRESS: &str = "https://demo.agent.invalid";

/// Faults that show every kind of result.
const FAULTY: [&str; 5] = [
    "cancel-terminal-wrong-code",
    "get-missing-id-accepted",
    "stream-two-payloads",
    "card-no-cache-control",
    "timestamps-seconds",
];

/// A host on which only the demo agent is reached.
pub(super) fn host(faults: &[&'static str]) -> Host {
    let host = web::host();
    // The names come from the list itself.
    let faults = Faults::parse(faults.iter().copied()).unwrap_or_default();
    let agent = ScriptedAgent::new(ADDRESS, Rc::clone(&host.clock), Rc::clone(&host.ids), faults);
    Host { transport: Rc::new(Loopback::new(agent)), sight: Sight::FULL, ..host }
}

/// The buttons and the list of faults.
pub(super) fn section(page: Page) -> AnyView {
    let conformant = move |_| {
        page.faults.set(Vec::new());
        run::start_demo(page);
    };
    let faulty = move |_| {
        page.faults.set(FAULTY.to_vec());
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
            {chooser(page)}
        </section>
    }
    .into_any()
}

fn chooser(page: Page) -> AnyView {
    let query = RwSignal::new(String::new());
    let is_open = RwSignal::new(false);
    let count = move || match page.faults.with(Vec::len) {
        0 => "Choose its faults yourself".to_owned(),
        1 => "1 fault chosen".to_owned(),
        count => format!("{count} faults chosen"),
    };
    let list = move || is_open.get().then(|| faults(page, query));
    view! {
        <details class="faults" id="faults" on:toggle=move |_| is_open.set(true)>
            <summary>{count}</summary>
            <div class="faults-tools">
                <label>
                    <span>"Find a fault"</span>
                    <input type="search" id="fault-text" autocomplete="off" spellcheck="false"
                        prop:value=move || query.get() on:input=move |event| query.set(event_target_value(&event)) />
                </label>
                <button type="button" class="plain" on:click=move |_| page.faults.set(Vec::new())>"Choose none"</button>
                <button type="button" class="primary" id="demo-run" on:click=move |_| run::start_demo(page)>"Run with these"</button>
            </div>
            {list}
        </details>
    }
    .into_any()
}

fn faults(page: Page, query: RwSignal<String>) -> AnyView {
    let item = move |id: &'static str, title: &'static str| {
        let text = format!("{id} {}", title.to_lowercase());
        let is_hidden = move || {
            let query = query.with(|query| query.to_lowercase());
            !query.split_whitespace().all(|word| text.contains(word))
        };
        let change = move |event| {
            let is_on = event_target_checked(&event);
            page.faults.update(|chosen| {
                chosen.retain(|known| *known != id);
                if is_on {
                    chosen.push(id);
                }
            });
        };
        view! {
            <li hidden=is_hidden>
                <label>
                    <input type="checkbox" data-fault=id
                        prop:checked=move || page.faults.with(|chosen| chosen.contains(&id)) on:change=change />
                    <span>{title}</span>
                </label>
            </li>
        }
        .into_any()
    };
    let items: Vec<AnyView> = FAULTS.iter().map(|fault| item(fault.id, fault.title)).collect();
    view! { <ul class="fault-list" tabindex="0" aria-label="Faults">{items}</ul> }.into_any()
}
