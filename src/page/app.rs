//! The page as a whole: where it starts, its landmarks, the link in the URL.
//!
//! What tests may hold on to; everything else may change:
//! - `#address`, `#run`, `#stop`, `#card-url`, `#preview`, `#problem`, `#offline`; `#settings`, `#bearer`, `#headers`,
//!   `#timeout`, `#jwks`, `#skills`, `[data-prompt=complete]`; of what a card asks for `[data-key=id]` (see `view/form.rs`) and
//!   `[data-sign-in=""]`, and of the second identity, in `#second`, `[data-key="second:id"]` and `[data-sign-in="second:"]`
//! - `#demo`, `#demo-faulty`, `#faults`, `#fault-text`, `[data-fault=get-wrapped]`, `#demo-run`
//! - `#verdict[data-level]`: `none`, `running`, `full`, `partial`, `minimal`, `non-conformant`, `not-rated`;
//!   `#verdict[data-word]`: `conformant`, `conformant-with-advice`, `not-conformant`, `incomplete`;
//!   `#verdict[data-run]` counts the runs; `#stage`, `#confirm`, `#progress`, `#progress-text`, `#verdict-level`,
//!   `#verdict-reason`, `#give`, `#denominator`, `#level-reasons`, `.level-chip`, `.cell`
//! - `#findings [data-finding=check]`, `.follows`
//! - `#way`, `[data-stage=read][data-light]`: `dark`, `asking`, `open`, `blocked`; `#reach[data-reason]`, `#reach-title`,
//!   `#reach-action` (the only `.primary` then), `#reach-causes`, `#reach-remedy`, `#reach-trail`, `#reach-curl`,
//!   `#reach-evidence`, `#reach-local`, `#stack`, `#snippet`, `#copy-diagnosis`
//! - `tr[data-check][data-status]`, and in it `.dot[data-lane][data-status]`: `pending`, `running`, `pass`, `fail`,
//!   `advisory`, `blocked`, `skip`; those that are folded away are not there: `#unfold`, `.group-button[data-category]`
//! - `[data-filter=fail]` and `#count-fail` (also `advisory`, `blocked`, `skip`, `pass`), `#filter-text`,
//!   `[data-narrow=l]`, `#filter-reset`, `#nothing-shown`
//! - `#detail`, `#detail-title`, `#detail-close`, `#expected`, `#actual`, `#fix`, `#why`, `#message`, `#rules`, `#tested`,
//!   `#copy-issue`, `#copy-markdown`, `.exchange`, `.timeline .brief`; `#give-message`, `#give-form`, `#give-text`, `#give-run`
//! - `#again-check`, `#again-failed`, `#again-all`, `[data-again=category]`, `#again-note`, `.was`
//! - `#waiting`, `#waiting-text`, `#wait-longer`, `#give-up`
//! - `#download-json`, `#download-markdown`, `#download-junit`, `#copy-link`, `#kept`, `#kept-open`
//! - `#theme` (`system`, `light`, `dark`), `#help-open`, `#help`, `#announce`; `html[data-start=ready]` once the page has started

use leptos::ev;
use leptos::mount::mount_to_renderer;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsValue;

use super::banner::{AgentFacts, Reasons, VerdictBanner};
use super::checker::{self, answer};
use super::demo::DemoSection;
use super::detail::Detail;
use super::downloads;
use super::findings::Findings;
use super::focus::focus;
use super::form::TargetForm;
use super::keys::{self, HelpButton, HelpDialog};
use super::legend::Legend;
use super::printed::Printed;
use super::reach::Reach;
use super::run;
use super::state::{Page, PageState, Phase};
use super::storage::{self, SavedReport};
use super::tab_title;
use super::table::Checks;
use super::theme::ThemeChoice;
use super::view::fragment::Link;
use super::view::groups::Unfolded;
use super::view::messages::Question;
use crate::engine::check::Category;
use crate::host::web;
use crate::report;
use crate::suite::declared::CHECKS_BY_CATEGORY;

/// Starts the page: replaces the shell that `index.html` shows until now.
pub fn start() {
    console_error_panic_hook::set_once();
    let Some(root) = document().get_element_by_id("app") else { return };
    root.set_text_content(None);
    mount_to_renderer(&root, || view! { <App/> }).forget();
    if let Some(html) = document().document_element() {
        let _ = html.set_attribute("data-start", "ready");
    }
    checker::prefetch();
}

#[component]
fn App() -> impl IntoView {
    let location = window().location();
    let link = Link::parse(&location.hash().unwrap_or_default());
    let home = web::home();
    let saved = RwSignal::new(storage::saved_report());
    let page = PageState::of(link, home);
    keys::listen(page);
    // On paper nobody can unfold.
    window_event_listener(ev::beforeprint, move |_| page.unfolded.set(Unfolded::ALL));
    write_link(page);
    tab_title::follow(page);
    checker::hear(move |batch| run::apply(page, batch));
    let is_empty = Memo::new(move |_| page.phase.get() == Phase::Empty);
    let skip = move |event: ev::MouseEvent| {
        event.prevent_default();
        focus("main");
    };
    let content = move || {
        if is_empty.get() { view! { <Start page saved/> }.into_any() } else { view! { <Results page/> }.into_any() }
    };
    view! {
        <a class="skip" href="#main" on:click=skip>"Skip to the content"</a>
        <header class="top">
            <p class="brand">
                <svg class="mark" aria-hidden="true"><use href="#mark"></use></svg>
                "A2A conformance"
            </p>
            <nav aria-label="Page">
                <HelpButton/>
                <ThemeChoice/>
            </nav>
        </header>
        <main
            id="main"
            tabindex="-1"
            class:empty=move || is_empty.get()
            class:has-detail=move || page.selected.get().is_some()
        >
            <div class="intro">
                <h1>"Check whether an A2A agent conforms to the protocol."</h1>
                <p class="lead">
                    "Enter the address of an agent. This page calls it as a client would and shows every rule it follows or breaks, with the evidence."
                </p>
            </div>
            <TargetForm page/>
            {move || content()}
        </main>
        <footer class="foot">
            <p>"Requests go from this browser to your agent and nowhere else. Nothing is collected."</p>
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
        {move || saved.get().map(|report| view! { <Interrupted report saved/> }.into_any()).into_any()}
        <DemoSection page/>
        <Catalogue/>
    }
}

/// From the first run on.
#[component]
fn Results(page: Page) -> impl IntoView {
    view! {
        <VerdictBanner page/>
        <StickyVerdict page/>
        <Reach page/>
        <Printed page/>
        <div class="bench">
            <div class="list">
                <Findings page/>
                <Checks page/>
                <div class="folds">
                    <Reasons page/>
                    <Legend/>
                    <details class="demo-again fold">
                        <summary>"Demo agent"</summary>
                        <DemoSection page/>
                    </details>
                </div>
            </div>
            <Detail page/>
            <AgentFacts page/>
        </div>
    }
}

/// The verdict in a line that stays in view on a small screen; for the eye only, as it says nothing new.
#[component]
fn StickyVerdict(page: Page) -> impl IntoView {
    let line = move || {
        let failed = page.tally.with(|tally| tally.failed_required);
        match page.banner.with(|banner| banner.as_ref().map(|banner| banner.word.title())) {
            Some(word) => format!("{word} \u{b7} {failed} failed"),
            None => page.tally.with(|tally| format!("{} of {} \u{b7} {failed} failed", tally.judged, tally.total)),
        }
    };
    view! { <p class="sticky-verdict" aria-hidden="true">{move || line()}</p> }
}

/// What a reload left behind.
#[component]
fn Interrupted(report: SavedReport, saved: RwSignal<Option<SavedReport>>) -> impl IntoView {
    let SavedReport { subject, report } = report;
    let open = move |_| downloads::save("a2a-conformance-interrupted.json", "application/json", &report);
    let forget = move |_| {
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
                <button type="button" class="plain" id="kept-open" on:click=open>
                    "Open the results of the interrupted run"
                </button>
                <button type="button" class="quiet" id="kept-forget" on:click=forget>"Discard them"</button>
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
            spawn_local(async move {
                // Without the checker nothing can be run either, which is said where somebody tries.
                if let Ok(catalogue) = answer(&Question::Catalogue).await {
                    listed.try_set(catalogue);
                }
            });
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
        let selected = page.selected.get().and_then(|index| page.row(index)).map(|row| row.info.key.clone());
        let link = Link {
            address: page.address.get(),
            filter: page.filter.get(),
            row: selected.or_else(|| page.wanted.get()),
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
