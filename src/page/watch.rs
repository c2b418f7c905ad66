//! The view of a client, live: what it sends to a scripted agent that watches over its clients, and what is found of it. The agent
//! judges; the page asks twice a second what is new.

use std::time::Duration;

use leptos::prelude::*;

use super::checker_client::when_answered;
use super::files::{self, OF_WATCH};
use super::focus::focus_when_shown;
use super::state::Page;
use super::text_tables::text_table;
use super::widgets::{address_field, button, problem};
use crate::view_model::messages::Question;
use crate::view_model::watched_client::{Watching, watched_agent};

/// The heading, which has the focus when the view is shown.
const TITLE: &str = "watch-title";
/// How often the agent is asked, in milliseconds.
const PACE_MS: u64 = 500;
/// Where `serve` has its scripted agent.
const USUAL_ADDRESS: &str = "http://127.0.0.1:8485";

pub(super) fn show(page: Page) {
    if page.watch.address.with_untracked(String::is_empty) {
        page.watch.address.set(page.address.with_untracked(|address| watched_agent(address)));
    }
    page.watch.is_open.set(true);
    focus_when_shown(TITLE);
}

/// Looks at the watch from now on, which begins anew if that is wanted.
fn start(page: Page, is_anew: bool) {
    page.watch.asked.update(|asked| *asked += 1);
    page.watch.problem.set(String::new());
    page.watch.is_on.set(true);
    look(page, page.watch.asked.get_untracked(), page.watch.address.get_untracked(), String::new(), is_anew);
}

fn look(page: Page, mine: u32, address: String, known: String, is_anew: bool) {
    let question = Question::Watch { address: address.clone(), known: known.clone(), is_anew, home: page.home.clone() };
    when_answered(&question, move |told| {
        if page.watch.asked.get_untracked() != mine {
            return;
        }
        let Watching { problem, seen } = told.unwrap_or_else(|problem| Watching { problem, seen: None });
        let mut mark = known;
        if let Some(seen) = seen {
            mark = seen.mark.clone();
            page.spoken.set(format!("{}. {}", seen.title, seen.reason));
            page.watch.seen.set(Some(seen));
        }
        if problem.is_empty() {
            set_timeout(move || look(page, mine, address, mark, false), Duration::from_millis(PACE_MS));
        } else {
            page.watch.is_on.set(false);
            page.watch.problem.set(problem);
        }
    });
}

/// Looks no longer; what was seen stays.
fn stop(page: Page) {
    page.watch.asked.update(|asked| *asked += 1);
    page.watch.is_on.set(false);
}

#[component]
pub(super) fn Watch(page: Page) -> impl IntoView {
    let close = move || {
        stop(page);
        page.watch.is_open.set(false);
        focus_when_shown("address");
    };
    let open = move || {
        stop(page);
        page.watch.is_open.set(false);
        files::open(page, OF_WATCH.to_owned(), files::Contents::Watched);
    };
    let state = move || match (page.watch.is_on.get(), page.watch.seen.with(Option::is_some)) {
        (true, true) => "Watching. Requests appear within a second.",
        (true, false) => "Looking for the agent.",
        (false, _) => "Not watching.",
    };
    let found = move || {
        page.watch.seen.get().map(|seen| {
            view! {
                <p class="subject">{seen.subject}</p>
                <h3 id="watch-verdict">{seen.title}</h3>
                <p class="reason">{seen.reason}</p>
                {seen.tables.into_iter().map(text_table).collect_view()}
            }
            .into_any()
        })
    };
    view! {
        <section class="several watch" aria-labelledby=TITLE>
            <div class="several-head">
                <h2 id=TITLE tabindex="-1">"A client, live"</h2>
                {button("quiet", "watch-close", "Back to one agent", close)}
            </div>
            <p class="note">
                "Start a scripted agent with "
                <code>"a2a-conformance agent --watch"</code>
                ", or use the one beside this page, whose address "
                <code>"serve"</code>
                " prints. Point your client at it. The agent judges each request; credentials are masked before they leave it."
            </p>
            {address_field(["watch-address", "watch-run"], "Address of the agent that watches", USUAL_ADDRESS, "Watch", page.watch.address, Callback::new(move |()| start(page, false)))}
            {problem("watch-problem", page.watch.problem)}
            <p class="note" id="watch-state">{move || state().to_owned()}</p>
            {move || found().into_any()}
            <p class="buttons" hidden=move || page.watch.seen.with(Option::is_none)>
                {button("plain", "watch-report", "Open and export the report so far", open)}
                {button("plain", "watch-anew", "Clear and start over", move || start(page, true))}
            </p>
        </section>
    }
}
