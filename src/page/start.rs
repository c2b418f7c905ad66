//! What is there before a run: what a link asks for, the run that a reload left behind, the demo agent, what else can be done, past runs,
//! and everything that is checked.

use leptos::prelude::*;

use super::checker_client::show_answer;
use super::demo::DemoSection;
use super::files::{self, Contents, OF_TAB};
use super::focus::{focus, focus_when_shown};
use super::panel::Panel;
use super::past_runs::PastRuns;
use super::state::Page;
use super::storage::{self, SavedReport};
use super::tabs::{Tabs, panel_id};
use super::widgets::{button, button_with_line, framed};
use super::{run, several_agents, test_files, watch};
use crate::suite::areas::CHECKS_BY_CATEGORY;
use crate::view_model::messages::Question;
use crate::view_model::share_link::Link;
use crate::view_model::tabs::Tab;

/// Before the first run.
#[component]
pub(super) fn Start(page: Page, saved: RwSignal<String>) -> impl IntoView {
    view! {
        {move || (!saved.with(String::is_empty)).then(|| interrupted(page, saved)).into_any()}
        {move || page.bench.is_open.get().then(|| view! { <BenchBeforeRun page/> }.into_any()).into_any()}
        <div class="start">
            <div>
                <DemoSection page/>
                <ul class="cards">
                    {card(page, "several-open", "Several agents", "Check a whole list, and compare them in one table.", several_agents::show)}
                    {card(page, "tests-open", "Tests of your own", "Run steps and expectations from your own files.", test_files::show)}
                    {card(page, "bench-open", "Workbench", "Write and send single requests, and talk to an agent.", open_bench)}
                    {card(page, "watch-open", "Watch a client", "See live what a client sends, and which rules it breaks.", watch::show)}
                </ul>
            </div>
            <div>
                <PastRuns page/>
                <Catalogue/>
            </div>
        </div>
    }
}

/// Something else to do, and what it is in a line.
fn card(page: Page, id: &'static str, title: &'static str, line: &'static str, open: fn(Page)) -> AnyView {
    view! { <li>{button_with_line("card", id, title, line, Box::new(move || open(page)))}</li> }.into_any()
}

fn open_bench(page: Page) {
    page.tab.set(Tab::Workbench);
    page.bench.is_open.set(true);
    focus_when_shown("tab-workbench");
}

/// The workbench before anything was run, and beside it what was sent with it.
#[component]
fn BenchBeforeRun(page: Page) -> impl IntoView {
    view! {
        <section class="bench-start" aria-label="Workbench">
            <Tabs page/>
            <div role="tabpanel" id=panel_id(Tab::Results) aria-labelledby="tab-results" hidden=move || page.tab.get() != Tab::Results>
                <p class="note">"Nothing has been run yet. Enter an address and run, or run the demo agent."</p>
            </div>
            <Panel page tab=Tab::Traffic/>
            <Panel page tab=Tab::Card/>
            <Panel page tab=Tab::Workbench/>
        </section>
    }
}

/// What the link asks for that the page was opened by, which a visitor should know before they run it.
#[component]
pub(super) fn Linked(page: Page) -> impl IntoView {
    let note = move || {
        let asks = page.linked.with(Link::asks);
        if asks.is_empty() {
            return ().into_any();
        }
        let act = page.linked.with_untracked(|link| match (&link.setup.faults, &link.report) {
            (_, Some(_)) => vec![button("primary", "link-open", "Open the report", move || open_report(page))],
            (Some(_), None) => vec![button("primary", "link-run", "Run the demo agent", move || run::start_demo(page))],
            (None, None) => Vec::new(),
        });
        framed("linked", "From a link", asks, act)
    };
    view! { {move || note()} }
}

fn open_report(page: Page) {
    let url = page.report_url.get_untracked();
    files::open(page, format!("The report at {url}"), Contents::Text(url));
}

/// The run that a reload left behind.
fn interrupted(page: Page, saved: RwSignal<String>) -> AnyView {
    let open = move || {
        if let Some(SavedReport { report, .. }) = storage::saved_report() {
            files::open(page, OF_TAB.to_owned(), Contents::Text(report));
        }
    };
    let forget = move || {
        storage::forget_report();
        saved.set(String::new());
        focus("address");
    };
    let sentence =
        saved.with(|subject| format!("The last run in this tab, of {subject}, is kept until you close the tab."));
    let buttons = vec![
        button("plain", "kept-open", "Open its results", open),
        button("quiet", "kept-forget", "Discard them", forget),
    ];
    framed("kept", "The last run in this tab", vec![sentence], buttons)
}

/// Everything that is checked, before anything is.
#[component]
fn Catalogue() -> impl IntoView {
    let listed = RwSignal::new(Vec::<(String, String)>::new());
    let list = move |_| {
        if listed.with_untracked(Vec::is_empty) {
            // Without the checker nothing can be run either, which is said where somebody tries.
            show_answer(&Question::Catalogue, listed);
        }
    };
    // The title of a category has no id.
    let item = |(id, title): (String, String)| {
        view! {
            <li>
                <span>{title}</span>
                <code>{id}</code>
            </li>
        }
        .into_any()
    };
    let summary = format!(
        "What is checked: {} checks, each based on the specification",
        CHECKS_BY_CATEGORY.iter().sum::<usize>()
    );
    view! {
        <details class="catalogue" on:toggle=list>
            <summary>{summary}</summary>
            <p class="note">"What your agent does not declare is not checked."</p>
            <ul>{move || listed.get().into_iter().map(item).collect_view().into_any()}</ul>
        </details>
    }
}
