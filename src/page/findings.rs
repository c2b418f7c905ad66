//! The view of the list of what to fix, at the top: its headings and entries. An entry says what came
//! instead of what, and what to do; it opens the detail with the evidence.

use leptos::prelude::*;

use super::selection;
use super::state::Page;
use super::widgets::{Shape, said};
use crate::report::VerdictWord;
use crate::view_model::findings::{FIRST, RootCause, entry_id};
use crate::view_model::rows::RowKind;

/// The findings of the run, or that there are none.
#[component]
pub(super) fn Findings(page: Page) -> impl IntoView {
    let opened = Memo::new(move |_| selection::finding_place(page).map(|(at, _)| at));
    let content = move || match page.banner.get() {
        None => view! { <p class="note">"What to fix stands here when the run is over."</p> }.into_any(),
        Some(banner) if !banner.findings.is_empty() => {
            view! { <FindingList page findings=banner.findings opened/> }.into_any()
        }
        Some(banner) if banner.word == VerdictWord::Conformant => {
            view! { <section class="findings" id="findings"><h2>"Nothing to fix"</h2></section> }.into_any()
        }
        Some(_) => ().into_any(),
    };
    view! { {move || content()} }
}

#[component]
fn FindingList(page: Page, findings: Vec<RootCause>, opened: Memo<Option<usize>>) -> impl IntoView {
    let musts = findings.iter().filter(|finding| finding.is_must).count();
    let title = match (musts, findings.len() - musts) {
        (musts, 0) => format!("What to fix: {musts}"),
        (0, advice) => format!("What to improve: {advice}"),
        (musts, advice) => format!("What to fix: {musts}, and {advice} to improve"),
    };
    let more = findings.len().saturating_sub(FIRST);
    let item = |(at, finding): (usize, RootCause)| view! { <FindingEntry page at finding opened/> }.into_any();
    let mut items = findings.into_iter().enumerate().map(item);
    let first = items.by_ref().take(FIRST).collect_view();
    let others = (more > 0).then(|| {
        view! {
            <details class="more-findings" id="more-findings">
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
fn FindingEntry(page: Page, at: usize, finding: RootCause, opened: Memo<Option<usize>>) -> impl IntoView {
    let kind = if finding.is_must { RowKind::Fail } else { RowKind::Advisory };
    let (rule, follows) = (finding.rule_in_words(), finding.follows_in_words());
    let first = finding.rows.first().map(|(_, key)| key.clone()).unwrap_or_default();
    view! {
        <li data-finding=finding.check data-status=kind.id()>
            <button
                type="button"
                class="finding-open"
                id=entry_id(at)
                aria-controls="detail"
                aria-expanded=move || (opened.get() == Some(at)).to_string()
                on:click=move |_| selection::open_key(page, &first)
            >
                <Shape id=kind.id()/>
                <b class="finding-message">{finding.message}</b>
                <span class="finding-fix">{finding.fix}</span>
                <span class="finding-rule">{rule}</span>
            </button>
            {said("follows", None, follows)}
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
