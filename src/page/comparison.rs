//! The view of the differences between the run that is shown and another.

use leptos::prelude::*;

use super::findings::row_link;
use super::focus::focus;
use super::state::Page;
use super::text_tables::text_table;
use super::widgets::button;
use crate::view_model::comparison::{self, ChangeGroup, ChangeLine};

/// The comparison, once somebody has asked for one.
#[component]
pub(super) fn ComparisonView(page: Page) -> impl IntoView {
    let shown = move || page.comparison.get().map(|comparison| view! { <ComparisonOf page comparison/> }.into_any());
    view! { {move || shown().into_any()} }
}

#[component]
fn ComparisonOf(page: Page, comparison: comparison::ComparisonView) -> impl IntoView {
    page.spoken.set(comparison.spoken());
    let close = move || {
        page.comparison.set(None);
        focus("verdict");
    };
    let note = |note: String| view! { <p class="note">{note}</p> }.into_any();
    let nothing = comparison.groups.is_empty().then(|| view! { <p>"Nothing is different."</p> }.into_any());
    let group = move |group: ChangeGroup| {
        let lines = group.lines.into_iter().map(|each| line(page, each)).collect_view();
        view! {
            <details class="difference" data-difference=group.id open=true>
                <summary>{group.title}</summary>
                <ul>{lines}</ul>
            </details>
        }
        .into_any()
    };
    view! {
        <section class="comparison" id="comparison" aria-labelledby="comparison-title">
            <h2 id="comparison-title" tabindex="-1">"Two runs compared"</h2>
            {button("quiet", "comparison-close", "Close", close)}
            <dl>
                <div><dt>"Earlier"</dt><dd>{comparison.before}</dd></div>
                <div><dt>"Later"</dt><dd>{comparison.after}</dd></div>
            </dl>
            {comparison.notes.into_iter().map(note).collect_view()}
            {nothing}
            {comparison.groups.into_iter().map(group).collect_view()}
            {comparison.load.map(text_table)}
            <p class="note" id="comparison-same">{comparison.unchanged}</p>
        </section>
    }
}

fn line(page: Page, line: ChangeLine) -> AnyView {
    let ChangeLine { key, title, change, message } = line;
    view! {
        <li>
            {row_link(page, "link", title, key)}
            <span class="change">{change}</span>
            <span class="note">{message}</span>
        </li>
    }
    .into_any()
}
