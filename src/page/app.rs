//! The page as a whole: where it starts, its landmarks, and the link in the URL.
//!
//! Names that tests may rely on; everything else may change:
//! - `#address`, `#run`, `#stop`, `#card-url`, `#preview`, `#problem`, `.private`, `#offline`; `#settings`, `#bearer`, `#headers`,
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
//! - `#download-json`, `#download-markdown`, `#download-junit`, `#copy-link`, `#link-holds`, `#qr`, `#linked`, `#link-run`, `#link-open`
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
//!   `#several-close`, `#several-back`, `#several-setup`; `.total[data-status=fail]`, `#several-summary`, `#several-text`,
//!   `#several-order`, `#several-json`
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

use super::agents_switch::AgentsSwitchGroup;
use super::back;
use super::banner::{AgentFacts, VerdictBanner};
use super::checker_client;
use super::comparison::ComparisonView;
use super::demo::DemoSection;
use super::detail::Detail;
use super::files;
use super::findings::Findings;
use super::focus::focus;
use super::follow;
use super::form::TargetForm;
use super::incremental_list;
use super::keys::{self, HelpButton, HelpDialog};
use super::legend::Legend;
use super::not_judged::NotJudged;
use super::panel::Panel;
use super::past_runs::{self, OtherReports};
use super::printed::Printed;
use super::reach::Reach;
use super::run;
use super::several_agents::{self, BackToAgents, SeveralAgents};
use super::skipped_and_disputed::SkippedTests;
use super::start::{Linked, Start};
use super::state::{Page, PageState, RunPhase};
use super::storage;
use super::tab_title;
use super::table::Checks;
use super::tabs::{Tabs, panel_id};
use super::test_files::{TestFilesPanel, TestsButton};
use super::text_tables::ReportTables;
use super::theme::ThemeChoice;
use super::watch::Watch;
use super::what_is_sent::{WhatIsSent, about};
use super::widgets::problem;
use crate::host::web;
use crate::report;
use crate::view_model::groups::Unfolded;
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
}

#[component]
fn App() -> impl IntoView {
    let location = window().location();
    let link = Link::parse(&location.hash().unwrap_or_default());
    let home = web::home();
    let saved = RwSignal::new(storage::saved_report().map(|saved| saved.subject).unwrap_or_default());
    let page = PageState::new(link, home);
    keys::listen(page);
    // On paper nobody can unfold.
    window_event_listener(ev::beforeprint, move |_| {
        page.unfolded.set(Unfolded::ALL);
        incremental_list::all_at_once();
    });
    write_link(page);
    back::begin(page);
    tab_title::follow(page);
    follow::begin(page);
    checker_client::hear(move |batch| run::apply(page, batch));
    files::hear(page);
    past_runs::read(page);
    let is_empty = Memo::new(move |_| page.phase.get() == RunPhase::Empty);
    // Where there is a view of its own, nobody is told any more what the page is for.
    let has_own_view = move || page.several.get() || page.watch.is_open.get();
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
            <a class="brand" href="./">
                <svg class="mark" aria-hidden="true"><use href="#mark"></use></svg>
                "A2A conformance"
            </a>
            <nav aria-label="Page">
                <ThemeChoice/>
            </nav>
        </header>
        <main
            id="main"
            tabindex="-1"
            class:empty=move || is_empty.get() && !has_own_view()
            class:has-detail=move || page.selected.get().is_some() && page.tab.get() == Tab::Results && !page.several.get()
        >
            <div class="intro">
                <h1>"Check whether an A2A agent conforms to the protocol."</h1>
                <p class="lead">
                    "Enter the address of an agent. This page calls it as a client would and shows every rule it follows or breaks, with the evidence."
                </p>
            </div>
            <Linked page/>
            <div class="one-agent" hidden=move || has_own_view()>
                <TargetForm page/>
            </div>
            {problem("file-problem", page.file_problem)}
            <TestFilesPanel page/>
            {move || content()}
        </main>
        <footer class="foot">
            <WhatIsSent/>
            <HelpButton/>
            {about()}
            <p>
                {concat!("a2a-conformance ", env!("CARGO_PKG_VERSION"), " \u{b7} checks ")}
                <code>{report::tool::suite()}</code>
            </p>
        </footer>
        <p id="announce" class="visually-hidden" role="status">{move || page.spoken.get()}</p>
        <HelpDialog/>
    }
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

/// Keeps the address and the filters in the URL's fragment, without a step in the history for every letter.
fn write_link(page: Page) {
    Effect::new(move || {
        page.history_steps.track();
        let link = Link {
            address: page.address.get(),
            setup: shown_setup(page),
            filter: page.filter.get(),
            row: page.selected_key().or_else(|| page.wanted.get()),
            tab: page.tab.get(),
            agents: None,
            watch: None,
            report: Some(page.report_url.get()),
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
            let state = history.state().unwrap_or_default();
            let _ = history.replace_state_with_url(&state, "", Some(&url));
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
