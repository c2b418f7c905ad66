//! The tests of a file that were not judged, or do not count because they are disputed, each with its reason.

use leptos::prelude::*;

use super::selection;
use super::state::{Page, RowHandle, RunPhase};
use crate::view_model::rows::RowKind;

/// How the reason of a disputed test begins.
const DISPUTED: &str = "disputed by";

/// Both lists, when a run of tests is over.
#[component]
pub(super) fn SkippedTests(page: Page) -> impl IntoView {
    let lists = move || {
        if !page.tests.is_run.get() || page.phase.get() != RunPhase::Done {
            return ().into_any();
        }
        page.revision.track();
        let skipped: Vec<(RowHandle, String)> = page.rows.with(|rows| {
            let skipped = rows.iter().filter(|row| {
                row.state.with_untracked(|state| matches!(state.status.kind(), RowKind::NotJudged | RowKind::Skip))
            });
            skipped.map(|row| (row.clone(), row.state.with_untracked(|state| state.message.clone()))).collect()
        });
        let (disputed, others): (Vec<_>, Vec<_>) =
            skipped.into_iter().partition(|(_, reason)| reason.starts_with(DISPUTED));
        view! {
            {list(page, "disputed", "Disputed, and not counted", disputed)}
            {list(page, "skipped", "Not judged", others)}
        }
        .into_any()
    };
    view! { {move || lists()} }
}

/// A list of tests with their reasons, folded up.
fn list(page: Page, id: &'static str, title: &'static str, tests: Vec<(RowHandle, String)>) -> Option<AnyView> {
    let line = move |(row, reason): (RowHandle, String)| {
        let index = row.info.index;
        view! {
            <li>
                <button type="button" class="quiet" on:click=move |_| selection::open(page, index)>
                    <code>{row.info.check.clone()}</code>
                    " "
                    {row.info.lane_label.clone()}
                </button>
                <span>{reason}</span>
            </li>
        }
        .into_any()
    };
    (!tests.is_empty()).then(|| {
        let count = tests.len();
        view! {
            <details class="fold" id=id open=true>
                <summary>{format!("{title}: {count}")}</summary>
                <ul class="test-names">{tests.into_iter().map(line).collect_view()}</ul>
            </details>
        }
        .into_any()
    })
}
