//! The page as a whole: where it starts, its landmarks, the link in the URL.
//!
//! What tests may hold on to; everything else may change:
//! - `#address`, `#run`, `#stop`, `#card-url`, `#preview`, `#problem`, `#offline`; `#settings`, `#bearer`, `#headers`,
//!   `#timeout`, `[data-prompt=complete]`; of what a card asks for `[data-key=id]` (see `view/form.rs`), `[data-sign-in]`
//! - `#demo`, `#demo-faulty`, `#faults`, `#fault-text`, `[data-fault=get-wrapped]`, `#demo-run`
//! - `#verdict[data-level]`: `none`, `running`, `full`, `partial`, `minimal`, `non-conformant`, `not-rated`;
//!   `#verdict[data-run]` counts the runs; `#stage`, `#confirm`, `#progress`, `#progress-text`, `#verdict-level`,
//!   `#verdict-reason`, `#give`, `#denominator`, `#level-reasons`, `#recommendations`
//! - `#way`, `[data-stage=read][data-light]`: `dark`, `asking`, `open`, `blocked`; `#reach[data-reason]`, `#reach-title`,
//!   `#reach-action` (the only `.primary` then), `#reach-causes`, `#reach-remedy`, `#reach-trail`, `#reach-curl`,
//!   `#reach-evidence`, `#reach-local`, `#stack`, `#snippet`, `#copy-diagnosis`
//! - `tr[data-check][data-lane][data-status]`: `pending`, `running`, `pass`, `fail`, `advisory`, `blocked`, `skip`
//! - `[data-filter=fail]` and `#count-fail` (also `advisory`, `blocked`, `skip`, `pass`), `#filter-text`, `#filter-reset`,
//!   `#nothing-shown`
//! - `#detail`, `#detail-title`, `#detail-close`, `#expected`, `#actual`, `#fix`, `#why`, `#message`
//! - `#download-json`, `#download-markdown`, `#download-junit`, `#copy-link`, `#kept`, `#kept-open`
//! - `#theme`, `#help-open`, `#help`, `#announce`; `html[data-start=ready]` once the page has started

use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::erase::{Child, El, View, el, html, live, tag};
use super::signal::{Signal, derived, effect};
use super::state::{Page, PageState, Phase};
use super::store::{self, Kept};
use super::view::link::Link;
use super::{banner, demo, detail, downloads, form, keys, reach, table, theme};
use crate::engine::check::Category;
use crate::host::web;
use crate::suite;

/// Starts the page: replaces the shell that `index.html` shows until now.
pub fn start() {
    console_error_panic_hook::set_once();
    let Some(root) = document().get_element_by_id("app") else { return };
    root.set_text_content(None);
    mount_to_renderer(&root, app).forget();
    if let Some(html) = document().document_element() {
        let _ = html.set_attribute("data-start", "ready");
    }
}

fn app() -> View {
    let location = window().location();
    let link = Link::parse(&location.hash().unwrap_or_default());
    let home = web::prober().home();
    let kept = Signal::new(store::kept());
    let page = PageState::of(link, home);
    keys::listen(page);
    write_link(page);
    let (help_button, help_dialog) = keys::help();
    let is_empty = derived(move || page.phase.get() == Phase::Empty);
    let (is_before, is_after) = (is_empty.clone(), is_empty.clone());
    let skip = move |event: web_sys::Event| {
        event.prevent_default();
        keys::focus("main");
    };
    let top = el("header", &[("class", "top")])
        .child(html(BRAND))
        .child(el("nav", &[("aria-label", "Page")]).child(help_button).child(theme::toggle()));
    let main = el("main", &[("id", "main"), ("tabindex", "-1")])
        .class("empty", move || is_empty.get())
        .class("has-detail", move || page.selected.get().is_some())
        .child(html(INTRO))
        .child(form::form(page))
        .child(live(move || is_before.get().then(|| before(page, &kept))))
        .child(live(move || (!is_after.get()).then(|| results(page))));
    let version = concat!("a2a-conformance ", env!("CARGO_PKG_VERSION"), " \u{b7} checks ");
    let foot = el("footer", &[("class", "foot")])
        .child(html("<p>Requests go from this browser to your agent and nowhere else. Nothing is collected.</p>"))
        .child(el("p", &[]).child(version).child(tag("code", "", crate::report::model::suite())));
    let announce = el("p", &[("id", "announce"), ("class", "visually-hidden"), ("role", "status")])
        .text(move || page.spoken.get());
    vec![
        el("a", &[("class", "skip"), ("href", "#main")]).on("click", skip).child("Skip to the content").view(),
        top.view(),
        main.view(),
        foot.view(),
        announce.view(),
        help_dialog.view(),
    ]
    .view()
}

const BRAND: &str = "<p class=\"brand\"><svg class=\"mark\" aria-hidden=\"true\"><use href=\"#mark\"></use></svg>\
    A2A conformance</p>";

const INTRO: &str = "<div class=\"intro\"><h1>Check whether an A2A agent conforms to the protocol.</h1><p \
                     class=\"lead\">Enter the address of an agent. This page calls it as a client would and shows \
                     every rule it follows or breaks, with the evidence.</p></div>";

/// Before the first run.
fn before(page: Page, kept: &Signal<Option<Kept>>) -> Vec<View> {
    let kept = kept.clone();
    vec![
        live(move || kept.get().map(|found| interrupted(found, kept.clone()))),
        demo::section(page),
        catalogue().view(),
    ]
}

/// From the first run on.
fn results(page: Page) -> Vec<View> {
    let again = el("details", &[("class", "demo-again")])
        .child(html("<summary>Demo agent</summary>"))
        .child(demo::section(page));
    let bench = el("div", &[("class", "bench")])
        .child(banner::agent(page))
        .child(table::checks(page))
        .child(detail::detail(page));
    vec![again.view(), banner::banner(page), reach::reach(page), banner::reasons(page), printed(page), bench.view()]
}

/// The failures in full, for paper only: there nobody can open a row.
fn printed(page: Page) -> View {
    let content = move || {
        page.banner.with(Option::is_some).then(|| {
            let report = page.report();
            let results = report.map(|report| report.results).unwrap_or_default();
            results
                .into_iter()
                .filter(|result| result.is_breach() || result.is_advice())
                .map(|result| {
                    let key = result.key();
                    let row = page.rows.with_untracked(|rows| rows.iter().find(|row| row.info.key == key).cloned());
                    let title = row.map_or_else(|| result.title.to_owned(), |row| row.info.title.clone());
                    let ids = el("p", &[]).child(tag("code", "", key)).child(format!(
                        " \u{b7} {} \u{b7} {}",
                        result.level.as_str(),
                        result.spec
                    ));
                    el("section", &[("class", "printed-finding")])
                        .child(tag("h3", "", title))
                        .child(ids)
                        .child(tag("p", "", result.message.clone()))
                        .child(tag("p", "", result.remediation.clone().unwrap_or_default()))
                        .view()
                })
                .collect::<Vec<View>>()
        })
    };
    el("div", &[("class", "printed"), ("aria-hidden", "true")])
        .child(html("<h2>Findings</h2>"))
        .child(live(content))
        .view()
}

/// What a reload left behind.
fn interrupted(found: Kept, kept: Signal<Option<Kept>>) -> El {
    let Kept { subject, report } = found;
    let open = move |_| downloads::save("a2a-conformance-interrupted.json", "application/json", &report);
    let forget = move |_| {
        store::forget();
        kept.set(None);
        keys::focus("address");
    };
    let said = el("p", &[])
        .child("This tab was reloaded after a run of ")
        .child(tag("b", "", subject))
        .child(". Its results are kept until you close the tab.");
    let buttons = el("p", &[("class", "buttons")])
        .child(
            el("button", &[("type", "button"), ("class", "plain"), ("id", "kept-open")])
                .on("click", open)
                .child("Open the results of the interrupted run"),
        )
        .child(
            el("button", &[("type", "button"), ("class", "quiet"), ("id", "kept-forget")])
                .on("click", forget)
                .child("Discard them"),
        );
    el("aside", &[("class", "kept"), ("id", "kept"), ("aria-label", "Interrupted run")]).child(said).child(buttons)
}

/// Everything that is checked, before anything is.
fn catalogue() -> El {
    let group = |category: Category| {
        let checks: Vec<_> = suite::declarations().filter(|(area, _, _)| area.category == category).collect();
        (!checks.is_empty()).then(|| {
            let count = checks.len();
            let items: Vec<View> = checks
                .into_iter()
                .map(|(_, _, check)| {
                    el("li", &[]).child(tag("span", "", check.title)).child(tag("code", "", check.id)).view()
                })
                .collect();
            let summary =
                el("summary", &[]).child(category.title()).child(tag("span", "group-count", count.to_string()));
            el("details", &[]).child(summary).child(tag("ul", "", items)).view()
        })
    };
    let groups: Vec<View> = Category::ALL.into_iter().filter_map(group).collect();
    let total = suite::checks().count();
    let note = format!(
        "{total} checks, each based on a statement of the A2A specification. What your agent does not declare is not \
         checked."
    );
    el("section", &[("class", "catalogue"), ("aria-labelledby", "catalogue-title")])
        .child(html("<h2 id=\"catalogue-title\">What is checked</h2>"))
        .child(tag("p", "note", note))
        .child(groups)
}

/// Keeps the address and the filters in the URL's fragment, without a step in the history for every letter.
fn write_link(page: Page) {
    let write = effect(Box::new(move || {
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
    }));
    // The page is never taken down.
    std::mem::forget(write);
}
