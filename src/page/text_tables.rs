//! Tables of texts: the figures of a load, two agents beside each other, what a client sent.

use leptos::prelude::*;

use super::state::Page;
use super::widgets::Shape;
use crate::view_model::text_table::{TextCell, TextTable};

/// What stands beside the results of a report.
#[component]
pub(super) fn ReportTables(page: Page) -> impl IntoView {
    let tables =
        move || page.banner.with(|banner| banner.as_ref().map(|banner| banner.tables.clone()).unwrap_or_default());
    view! { {move || tables().into_iter().map(text_table).collect_view().into_any()} }
}

/// A table, which is scrolled by itself where it is wider than the page.
pub(super) fn text_table(table: TextTable) -> AnyView {
    let TextTable { id, title, head, rows, note } = table;
    let title_id = format!("{id}-title");
    let head = (!head.is_empty()).then(|| {
        let name = |name: String| view! { <th scope="col">{name}</th> }.into_any();
        view! { <thead><tr>{head.into_iter().map(name).collect_view()}</tr></thead> }.into_any()
    });
    let row = |cells: Vec<TextCell>| view! { <tr>{cells.into_iter().map(cell).collect_view()}</tr> }.into_any();
    view! {
        <div class="text-table">
            <h3 id=title_id.clone()>{title}</h3>
            <div class="several-table" role="region" tabindex="0" aria-labelledby=title_id.clone()>
                <table id=id>
                    {head}
                    <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
            <p class="note">{note}</p>
        </div>
    }
    .into_any()
}

fn cell(cell: TextCell) -> AnyView {
    let TextCell { kind, text } = cell;
    let shape = (!kind.is_empty()).then(|| view! { <Shape id=kind.clone()/> }.into_any());
    view! { <td data-status=kind>{shape}{text}</td> }.into_any()
}
