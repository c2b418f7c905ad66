//! The view of the list of what to fix, at the top: its headings, and how many root causes are shown at first. A line opens the
//! detail with the evidence and the fix.

use leptos::prelude::*;

use super::selection;
use super::state::Page;
use super::widgets::Shape;
use crate::view_model::findings::RootCause;
use crate::view_model::rows::RowKind;

/// How many are shown before somebody asks for the others.
const FIRST: usize = 6;

/// The findings of the run; nothing where there are none.
#[component]
pub(super) fn Findings(page: Page) -> impl IntoView {
    let findings = move || page.banner.with(|banner| banner.as_ref().map(|banner| banner.findings.clone()));
    let list = move || {
        let findings = findings().filter(|findings| !findings.is_empty())?;
        Some(view! { <FindingList page findings/> }.into_any())
    };
    view! { {move || list().into_any()} }
}

#[component]
fn FindingList(page: Page, findings: Vec<RootCause>) -> impl IntoView {
    let musts = findings.iter().filter(|finding| finding.is_must).count();
    let title = match (musts, findings.len() - musts) {
        (musts, 0) => format!("What to fix: {musts}"),
        (0, advice) => format!("What to improve: {advice}"),
        (musts, advice) => format!("What to fix: {musts}, and {advice} to improve"),
    };
    let more = findings.len().saturating_sub(FIRST);
    let mut items = findings.into_iter().map(|finding| view! { <FindingLine page finding/> }.into_any());
    let first = items.by_ref().take(FIRST).collect_view();
    let others = (more > 0).then(|| {
        view! {
            <details class="more-findings">
                <summary>{format!("Show {more} more")}</summary>
                <ol>{items.collect_view()}</ol>
            </details>
        }
        .into_any()
    });
    view! {
        <section class="findings" id="findings" aria-labelledby="findings-title">
            <h2 id="findings-title">{title}</h2>
            <ol>{first}</ol>
            {others}
        </section>
    }
}

#[component]
fn FindingLine(page: Page, finding: RootCause) -> impl IntoView {
    let (kind, word) = if finding.is_must { (RowKind::Fail, "Must: ") } else { (RowKind::Advisory, "Should: ") };
    let follows = finding.follows_in_words();
    let first = finding.rows.first().map(|(_, key)| key.clone()).unwrap_or_default();
    let lane = |(label, key): (String, String)| {
        let label = if label.is_empty() { "Agent card".to_owned() } else { label };
        row_link(page, "lane-chip", label, key)
    };
    let held_up = (!finding.follows.is_empty()).then(|| {
        let rows = finding
            .follows
            .into_iter()
            .map(|(label, key)| view! { <li>{row_link(page, "link", label, key)}</li> }.into_any());
        view! {
            <details class="follows">
                <summary>{follows}</summary>
                <ul>{rows.collect_view()}</ul>
            </details>
        }
        .into_any()
    });
    view! {
        <li data-finding=finding.check data-status=kind.id()>
            <div class="finding">
                <Shape id=kind.id()/>
                <button
                    type="button"
                    class="finding-open"
                    aria-controls="detail"
                    on:click=move |_| selection::open_key(page, &first)
                >
                    <span class="visually-hidden">{word}</span>
                    <b>{finding.title}</b>
                    <span class="finding-message">{finding.message}</span>
                </button>
                <span class="lane-chips">{finding.rows.into_iter().map(lane).collect_view()}</span>
            </div>
            {held_up}
        </li>
    }
}

/// A button that opens the row of that key.
pub(super) fn row_link(page: Page, class: &'static str, label: String, key: String) -> AnyView {
    view! {
        <button type="button" class=class on:click=move |_| selection::open_key(page, &key)>
            {label}
        </button>
    }
    .into_any()
}
