//! The page as a whole: where it starts, its landmarks, what is there before a run, and the link in the URL.
//!
//! Names that tests may rely on; everything else may change:
//! - `#address`, `#run`, `#stop`, `#card-url`, `#preview`, `#problem`, `#offline`; `#settings`, `#bearer`, `#headers`,
//!   `#timeout`, `#jwks`, `#skills`, `[data-prompt=complete]`; of what a card asks for `[data-key=id]` (see `view_model/form.rs`) and
//!   `[data-sign-in=""]`, and of the second identity, in `#second`, `[data-key="second:id"]` and `[data-sign-in="second:"]`
//! - `#demo`, `#demo-faulty`, `#faults`, `#fault-text`, `[data-fault=get-wrapped]`, `#demo-run`
//! - `#verdict[data-level]`: `none`, `running`, `full`, `partial`, `minimal`, `non-conformant`, `not-rated`;
//!   `#verdict[data-word]`: `conformant`, `conformant-with-advice`, `not-conformant`, `incomplete`;
//!   `#verdict[data-run]` counts the runs; `#stage`, `#confirm`, `#progress`, `#progress-text`, `#verdict-level`,
//!   `#verdict-reason`, `#give`, `#details`, `#share-open`, `#share`, `.cell`
//! - `#findings [data-finding=check]`, `#finding-0`, `#not-judged`, `#finding-previous`, `#finding-next`
//! - `#way`, `[data-stage=read][data-light]`: `dark`, `asking`, `open`, `blocked`; `#reach[data-reason]`, `#reach-title`,
//!   `#reach-action` (the only `.primary` then), `#reach-causes`, `#reach-remedy`, `#reach-trail`, `#reach-curl`,
//!   `#reach-evidence`, `#reach-local`, `#stack`, `#snippet`, `#copy-diagnosis`
//! - `tr[data-check][data-status]`, and in it `.dot[data-lane][data-status]`: `pending`, `running`, `pass`, `fail`,
//!   `advisory`, `blocked`, `skip`; those that are folded away are not there: `#unfold`, `.group-button[data-category]`
//! - `[data-filter=fail]` and `#count-fail` (also `advisory`, `blocked`, `skip`, `pass`), `#filter-text`,
//!   `[data-narrow=l]`, `#filter-reset`, `#nothing-shown`
//! - `#download-json`, `#download-markdown`, `#download-junit`, `#copy-link`, `#link-holds`, `#qr`, `#linked`, `#link-run`
//! - `#kept`, `#kept-open`, `#kept-forget`; `#file-show`, `#file-compare`, `#file-problem`; `#opened` says of a report that
//!   it is one; `#past li`, `#past-delete-all`, `#compare`, `#compare-list li`, `#comparison [data-difference=broken]`: also
//!   `fixed`, `changed`, `new`, `gone`
//! - `#tab-results`, `#tab-traffic`, `#tab-card`, `#tab-workbench`, and `#panel-…`; `#traffic-text`, `#traffic-count`, `#traffic-list`,
//!   `#traffic-har`, `tr[data-exchange][data-state]`, `#exchange-1`, `#traffic-exchange`, `#traffic-exchange-close`;
//!   `#bench-open`, and in the workbench `#bench-` with `agent`, `card`, `format`, `interface`, `operation`, `text`, `task`,
//!   `method`, `url`, `headers`, `body`, `edited`, `anew`, `send`, `insist`, `stop`, `problem`, `status`, `events`, `broken`;
//!   `#bench-judged[data-tone]`, `#bench-way[data-reason]`; `#turns li[data-who]`, `#talk-text`, `#talk-send`, `#talk-cancel`;
//!   `#card`, `#card-capabilities` (also `about`, `interfaces`, `security`, `signatures`, `extended`, `skills`),
//!   `#card-findings [data-line]`, `#card-line-1`
//! - `#detail`, `#detail-title`, `#detail-close`, `#expected`, `#actual`, `#fix`, `#why`, `#message`, `#rules`, `#tested`,
//!   `#copy-issue`, `#copy-markdown`, `.exchange`, `.timeline .brief`; `#give-message`, `#give-form`, `#give-text`, `#give-run`
//! - `#again-check`, `#again-failed`, `#again-all`, `[data-again=category]`, `#again-note`, `.was`
//! - `#waiting`, `#waiting-text`, `#wait-longer`, `#give-up`
//! - `#several-open`, `#several-list`, `#several-read`, `#several-told li`, `#several-problem`, `#file-agents`,
//!   `#several-catalogue`, `#several-catalogue-read`, `[data-credential="0"]`, `#several-run`, `#several-stop`, `#several-link`,
//!   `#several-close`, `#several-back`; `#several-summary`, `#several-text`, `#several-state`, `#several-order`, `#several-json`
//!   (also `markdown`, `junit`), `#several-agents tr[data-agent="0"][data-status]`, `[data-act="0"]`,
//!   `#several-checks tr[data-check]`, `.mark-button[data-status][data-key]`, `#several-all`, `#several-more`
//! - `#watch-open`, `#watch-address`, `#watch-run`, `#watch-state`, `#watch-problem`, `#watch-verdict`, `#watched-requests tr`,
//!   `#watched-checks tr`, `#watch-report`, `#watch-anew`, `#watch-close`; `#pair`, `#load`, `#latencies`, `#compared-load`
//! - `#tests-open`, `#tests`, `#file-tests`, `#tests-url`, `#tests-fetch`, `#tests-names li`, `#tests-summary`, `#tests-mistakes li`,
//!   `#tests-problem`, `#tests-run`, `#tests-demo`, `#tests-close`, `#download-acts`; `#steps [data-step=id][data-status=fail]`
//! - `#theme` (`system`, `light`, `dark`), `#help-open`, `#help`, `#announce`; `html[data-start=ready]` once the page has started

use leptos::ev;
use leptos::mount::mount_to_renderer;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::agents_switch::AgentsSwitchGroup;
use super::banner::{AgentFacts, VerdictBanner};
use super::card::Card;
use super::checker_client::{self, show_answer};
use super::comparison::ComparisonView;
use super::demo::DemoSection;
use super::detail::Detail;
use super::files::{self, Contents, OF_TAB};
use super::findings::Findings;
use super::focus::{focus, focus_with_next_frame};
use super::form::TargetForm;
use super::incremental_list;
use super::keys::{self, HelpButton, HelpDialog};
use super::legend::Legend;
use super::not_judged::NotJudged;
use super::past_runs::{self, OtherReports, PastRuns};
use super::printed::Printed;
use super::reach::Reach;
use super::run;
use super::several_agents::{self, BackToAgents, SeveralAgents, link_here};
use super::skipped_and_disputed::SkippedTests;
use super::state::{Page, PageState, RunPhase};
use super::storage::{self, SavedReport};
use super::tab_title;
use super::table::Checks;
use super::tabs::{Tabs, panel_id};
use super::test_files::{TestFilesPanel, TestsButton};
use super::text_tables::ReportTables;
use super::theme::ThemeChoice;
use super::traffic::Traffic;
use super::watch::Watch;
use super::what_is_sent::WhatIsSent;
use super::widgets::{button, problem};
use super::workbench::Workbench;
use crate::engine::check::Category;
use crate::host::web;
use crate::report;
use crate::suite::areas::CHECKS_BY_CATEGORY;
use crate::view_model::groups::Unfolded;
use crate::view_model::messages::Question;
use crate::view_model::setup::Setup;
use crate::view_model::share_link::Link;
use crate::view_model::tabs::Tab;

/// Starts the page: replaces the shell that `index.html` shows until now.
pub fn start() {
    console_error_panic_hook::set_once();
    let Some(root) = document().get_element_by_id("app") else { return };
    root.set_text_content(None);
    mount_to_renderer(&root, || view! { <App/> }).forget();
    if let Some(html) = document().document_element() {
        let _ = html.set_attribute("data-start", "ready");
    }
    // Without the script there is nothing to fetch, and whoever asks is told.
    let _ = checker_client::prefetch();
}

#[component]
fn App() -> impl IntoView {
    let location = window().location();
    let link = Link::parse(&location.hash().unwrap_or_default());
    let home = web::home();
    let saved = RwSignal::new(storage::saved_report());
    let page = PageState::new(link, home);
    keys::listen(page);
    // On paper nobody can unfold.
    window_event_listener(ev::beforeprint, move |_| {
        page.unfolded.set(Unfolded::ALL);
        incremental_list::all_at_once();
    });
    write_link(page);
    tab_title::follow(page);
    checker_client::hear(move |batch| run::apply(page, batch));
    files::hear(page);
    past_runs::read(page);
    let is_empty = Memo::new(move |_| page.phase.get() == RunPhase::Empty);
    let skip = move |event: ev::MouseEvent| {
        event.prevent_default();
        focus("main");
    };
    let content = move || {
        if page.watch.is_open.get() {
            view! { <Watch page/> }.into_any()
        } else if page.several.get() {
            view! { <SeveralAgents page/> }.into_any()
        } else if is_empty.get() {
            view! { <Start page saved/> }.into_any()
        } else {
            view! { <Results page/> }.into_any()
        }
    };
    view! {
        <a class="skip" href="#main" on:click=skip>"Skip to the content"</a>
        <header class="top">
            <p class="brand">
                <svg class="mark" aria-hidden="true"><use href="#mark"></use></svg>
                "A2A conformance"
            </p>
            <nav aria-label="Page">
                <ThemeChoice/>
            </nav>
        </header>
        <main
            id="main"
            tabindex="-1"
            class:empty=move || is_empty.get()
            class:several-agents=move || page.several.get() || page.watch.is_open.get()
            class:has-detail=move || page.selected.get().is_some() && page.tab.get() == Tab::Results && !page.several.get()
        >
            <div class="intro">
                <h1>"Check whether an A2A agent conforms to the protocol."</h1>
                <p class="lead">
                    "Enter the address of an agent. This page calls it as a client would and shows every rule it follows or breaks, with the evidence."
                </p>
            </div>
            <div class="one-agent" hidden=move || page.several.get() || page.watch.is_open.get()>
                <TargetForm page/>
            </div>
            {problem("file-problem", page.file_problem)}
            <TestFilesPanel page/>
            {move || content()}
        </main>
        <footer class="foot">
            <WhatIsSent/>
            <HelpButton/>
            <p>
                {concat!("a2a-conformance ", env!("CARGO_PKG_VERSION"), " \u{b7} checks ")}
                <code>{report::tool::suite()}</code>
            </p>
        </footer>
        <p id="announce" class="visually-hidden" role="status">{move || page.spoken.get()}</p>
        <HelpDialog/>
    }
}

/// Before the first run.
#[component]
fn Start(page: Page, saved: RwSignal<Option<SavedReport>>) -> impl IntoView {
    view! {
        {move || saved.get().map(|report| view! { <Interrupted page report saved/> }.into_any()).into_any()}
        <Linked page/>
        {link_here(page, "several-open", "Check several agents at once")}
        <TestsButton page is_above=false/>
        <DemoSection page/>
        <BenchBeforeRun page/>
        <PastRuns page/>
        <Catalogue/>
    }
}

/// The workbench before anything was run, and beside it what was sent with it.
#[component]
fn BenchBeforeRun(page: Page) -> impl IntoView {
    let open = move || {
        page.tab.set(Tab::Workbench);
        page.bench.is_open.set(true);
        focus_with_next_frame("tab-workbench");
    };
    let content = move || {
        if page.bench.is_open.get() {
            view! {
                <Tabs page/>
                <div role="tabpanel" id=panel_id(Tab::Results) aria-labelledby="tab-results" hidden=move || page.tab.get() != Tab::Results>
                    <p class="note">"Nothing was run yet. Enter an address and run, or run the demo agent."</p>
                </div>
                <Panel page tab=Tab::Traffic/>
                <Panel page tab=Tab::Card/>
                <Panel page tab=Tab::Workbench/>
            }
            .into_any()
        } else {
            view! {
                <p>
                    {button("plain", "bench-open", "Open the workbench", open)}
                    " "
                    <span class="note">"Write, edit and send single requests, and talk with the agent."</span>
                </p>
            }
            .into_any()
        }
    };
    view! { <section class="bench-start" aria-label="Workbench">{move || content()}</section> }
}

/// From the first run on.
#[component]
fn Results(page: Page) -> impl IntoView {
    view! {
        <BackToAgents page/>
        <TestsButton page is_above=true/>
        <AgentsSwitchGroup page/>
        <VerdictBanner page/>
        <StickyVerdict page/>
        {move || page.is_below_verdict.get().then(|| view! { <BelowVerdict page/> }.into_any()).into_any()}
    }
}

/// The views of the run.
#[component]
fn BelowVerdict(page: Page) -> impl IntoView {
    view! {
        <Printed page/>
        <Tabs page/>
        <div
            class="bench"
            role="tabpanel"
            id=panel_id(Tab::Results)
            aria-labelledby="tab-results"
            hidden=move || page.tab.get() != Tab::Results
        >
            <div class="list">
                <ComparisonView page/>
                <ReportTables page/>
                // Its place is kept from the start of a run, so that nothing moves when it ends.
                <div class="fix-place">
                    <Reach page/>
                    <Findings page/>
                    <NotJudged page/>
                </div>
                <Checks page/>
                <SkippedTests page/>
                <div class="folds">
                    <Legend/>
                    <OtherReports page/>
                    <TestsButton page is_above=false/>
                    <details class="demo-again fold">
                        <summary>"Demo agent"</summary>
                        <DemoSection page/>
                    </details>
                </div>
            </div>
            <Detail page/>
            <AgentFacts page/>
        </div>
        <Panel page tab=Tab::Traffic/>
        <Panel page tab=Tab::Card/>
        <Panel page tab=Tab::Workbench/>
    }
}

/// A view beside the results; what is in it is made when it is shown.
#[component]
fn Panel(page: Page, tab: Tab) -> impl IntoView {
    let is_shown = Memo::new(move |_| page.tab.get() == tab);
    let content = move || match (is_shown.get(), tab) {
        (true, Tab::Traffic) => view! { <Traffic page/> }.into_any(),
        (true, Tab::Card) => view! { <Card page/> }.into_any(),
        (true, Tab::Workbench) => view! { <Workbench page/> }.into_any(),
        _ => ().into_any(),
    };
    view! {
        <div
            class="panel"
            role="tabpanel"
            id=panel_id(tab)
            aria-labelledby=format!("tab-{}", tab.id())
            hidden=move || !is_shown.get()
        >
            {move || content()}
        </div>
    }
}

/// The setup that the page's link brought along, which a visitor should know before they run it.
#[component]
fn Linked(page: Page) -> impl IntoView {
    let note = move || {
        let linked = page.linked.get();
        (!linked.is_empty()).then(|| {
            let is_demo = page.faults.with_untracked(|faults| !faults.is_empty());
            let press = move || run::start_demo(page);
            let run = is_demo.then(|| button("primary", "link-run", "Run the demo agent", press));
            view! {
                <aside class="kept" id="linked" aria-label="From the link">
                    <p>{format!("The link that you followed set up: {linked}. Nothing is sent before you press Run.")}</p>
                    {run}
                </aside>
            }
            .into_any()
        })
    };
    view! { {move || note().into_any()} }
}

/// The verdict in a line that stays in view on a small screen; for the eye only, as it says nothing new.
#[component]
fn StickyVerdict(page: Page) -> impl IntoView {
    let line = move || {
        let failed = page.tally.with(|tally| tally.failed_required);
        match page.banner.with(|banner| banner.as_ref().map(|banner| (banner.title.clone(), banner.findings.len()))) {
            Some((word, 0)) => word,
            Some((word, findings)) => format!("{word} \u{b7} {findings} to fix"),
            None => page.tally.with(|tally| format!("{} of {} \u{b7} {failed} failed", tally.judged, tally.total)),
        }
    };
    view! { <p class="sticky-verdict" aria-hidden="true">{move || line()}</p> }
}

/// The run that a reload left behind.
#[component]
fn Interrupted(page: Page, report: SavedReport, saved: RwSignal<Option<SavedReport>>) -> impl IntoView {
    let SavedReport { subject, report, .. } = report;
    let open = move || files::open(page, OF_TAB.to_owned(), Contents::Text(report.clone()));
    let forget = move || {
        storage::forget_report();
        saved.set(None);
        focus("address");
    };
    view! {
        <aside class="kept" id="kept" aria-label="Interrupted run">
            <p>
                "This tab was reloaded after a run of "
                <b>{subject}</b>
                ". Its results are kept until you close the tab."
            </p>
            <p class="buttons">
                {button("plain", "kept-open", "Open the results of the interrupted run", open)}
                {button("quiet", "kept-forget", "Discard them", forget)}
            </p>
        </aside>
    }
}

/// Everything that is checked, before anything is.
#[component]
fn Catalogue() -> impl IntoView {
    let listed = RwSignal::new(Vec::<(String, Vec<(String, String)>)>::new());
    let list = move |_| {
        if listed.with_untracked(Vec::is_empty) {
            // Without the checker nothing can be run either, which is said where somebody tries.
            show_answer(&Question::Catalogue, listed);
        }
    };
    let item = |(id, title): (String, String)| {
        view! {
            <li>
                <span>{title}</span>
                <code>{id}</code>
            </li>
        }
        .into_any()
    };
    let of = move |category: Category| {
        let in_category = |(title, _): &&(String, Vec<(String, String)>)| title == category.title();
        let checks = listed.with(|listed| listed.iter().find(in_category).map(|(_, checks)| checks.clone()));
        checks.unwrap_or_default().into_iter().map(item).collect_view().into_any()
    };
    let group = |(category, count): (Category, usize)| {
        view! {
            <details on:toggle=list>
                <summary>
                    {category.title()}
                    <span class="group-count">{count.to_string()}</span>
                </summary>
                <ul>{move || of(category)}</ul>
            </details>
        }
        .into_any()
    };
    let note = format!(
        "{} checks, each based on a statement of the A2A specification. What your agent does not declare is not \
         checked.",
        CHECKS_BY_CATEGORY.iter().sum::<usize>()
    );
    view! {
        <section class="catalogue" aria-labelledby="catalogue-title">
            <h2 id="catalogue-title">"What is checked"</h2>
            <p class="note">{note}</p>
            {Category::ALL.into_iter().zip(CHECKS_BY_CATEGORY).map(group).collect_view()}
        </section>
    }
}

/// Keeps the address and the filters in the URL's fragment, without a step in the history for every letter.
fn write_link(page: Page) {
    Effect::new(move || {
        let link = Link {
            address: page.address.get(),
            setup: shown_setup(page),
            filter: page.filter.get(),
            row: page.selected_key().or_else(|| page.wanted.get()),
            tab: page.tab.get(),
            agents: None,
            watch: None,
        };
        let link = match (page.watch.is_open.get(), page.several.get()) {
            (true, _) => Link { watch: Some(page.watch.address.get()), ..Link::default() },
            (false, true) => several_agents::link(page),
            (false, false) => link,
        };
        let fragment = link.fragment();
        let location = window().location();
        if location.hash().unwrap_or_default().trim_start_matches('#') == fragment {
            return;
        }
        let base = location.pathname().unwrap_or_default() + &location.search().unwrap_or_default();
        let url = if fragment.is_empty() { base } else { format!("{base}#{fragment}") };
        if let Ok(history) = window().history() {
            let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&url));
        }
    });
}

/// The setup of the form. The faults are part of it while the demo agent is to be run, or was run.
fn shown_setup(page: Page) -> Setup {
    let faults = match page.phase.get() {
        RunPhase::Empty => page.faults.with(|faults| (!faults.is_empty()).then(|| faults.clone())),
        _ => page.judged.with(|judged| judged.setup.faults.clone()),
    };
    let mut setup = page.setup();
    setup.faults = faults;
    setup
}
