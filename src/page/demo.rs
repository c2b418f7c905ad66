//! The demo agent: the scripted agent, reached without a network, with the faults that the visitor chose.

use std::rc::Rc;

use leptos::prelude::*;

use super::erase::{Child, El, Fixed, View, el, html, live, tag};
use super::run;
use super::signal::Signal;
use super::state::Page;
use crate::agent::ScriptedAgent;
use crate::agent::fault::{FAULTS, Faults};
use crate::agent::loopback::Loopback;
use crate::host::{Host, Visibility, web};

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

/// A host on which only the demo agent is reached, the header fields that it asks for, and the address at which its faults
/// show, which is that of a version.
pub(super) fn host(faults: &[&'static str]) -> (Host, Vec<(String, String)>, String) {
    let host = web::host();
    // The names come from the list itself.
    let faults = Faults::parse(faults.iter().copied()).unwrap_or_default();
    let headers = faults.credentials();
    let address = format!("{ADDRESS}{}", faults.at());
    let agent = ScriptedAgent::new(ADDRESS, Rc::clone(&host.clock), Rc::clone(&host.ids), faults);
    (
        Host { transport: Rc::new(Loopback::new(agent)), visibility: Visibility::FULL, prober: None, ..host },
        headers,
        address,
    )
}

/// The buttons and the list of faults.
pub(super) fn section(page: Page) -> View {
    let conformant = move |_| {
        page.faults.set(Vec::new());
        run::start_demo(page);
    };
    let faulty = move |_| {
        page.faults.set(FAULTY.to_vec());
        run::start_demo(page);
    };
    let button = |id: &'static str| el("button", &[("type", "button"), ("class", "plain")]).attr("id", id);
    let buttons = el("p", &[("class", "buttons")])
        .child(button("demo").on("click", conformant).child("Try the demo agent"))
        .child(button("demo-faulty").on("click", faulty).child("Try it with five faults"));
    el("section", &[("class", "demo"), ("aria-labelledby", "demo-title")])
        .child(html("<h2 id=\"demo-title\">No agent at hand?</h2>"))
        .child(html("<p>A scripted agent runs inside this page, without any network.</p>"))
        .child(buttons)
        .child(chooser(page))
        .view()
}

fn chooser(page: Page) -> El {
    let query = Signal::new(String::new());
    let is_open = Signal::new(false);
    let count = move || match page.faults.with(Vec::len) {
        0 => "Choose faults yourself".to_owned(),
        1 => "1 fault chosen".to_owned(),
        count => format!("{count} faults chosen"),
    };
    let fixed: Fixed = &[("type", "search"), ("id", "fault-text"), ("autocomplete", "off"), ("spellcheck", "false")];
    let (typed, opened, shown) = (query.clone(), is_open.clone(), query.clone());
    let search = el("input", fixed)
        .prop("value", move || shown.get())
        .on("input", move |event| typed.set(event_target_value(&event)));
    let none = el("button", &[("type", "button"), ("class", "plain")])
        .on("click", move |_| page.faults.set(Vec::new()))
        .child("Choose none");
    let run = el("button", &[("type", "button"), ("class", "primary"), ("id", "demo-run")])
        .on("click", move |_| run::start_demo(page))
        .child("Run with these");
    let tools = el("div", &[("class", "faults-tools")])
        .child(el("label", &[]).child(tag("span", "", "Find a fault")).child(search))
        .child(none)
        .child(run);
    el("details", &[("class", "faults"), ("id", "faults")])
        .on("toggle", move |_| opened.set(true))
        .child(el("summary", &[]).text(count))
        .child(tools)
        .child(live(move || is_open.get().then(|| faults(page, &query))))
}

fn faults(page: Page, query: &Signal<String>) -> El {
    let item = |id: &'static str, title: &'static str| {
        let query = query.clone();
        let text = format!("{id} {}", title.to_ascii_lowercase());
        let is_hidden = move || {
            let query = query.with(|query| query.to_ascii_lowercase());
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
        let check = el("input", &[("type", "checkbox")])
            .attr("data-fault", id)
            .prop("checked", move || page.faults.with(|chosen| chosen.contains(&id)))
            .on("change", change);
        let label = el("label", &[]).child(check).child(tag("span", "", title));
        el("li", &[]).live_if("hidden", is_hidden).child(label).view()
    };
    let items: Vec<View> = FAULTS.iter().map(|fault| item(fault.id, fault.title)).collect();
    el("ul", &[("class", "fault-list"), ("tabindex", "0"), ("aria-label", "Faults")]).child(items)
}
