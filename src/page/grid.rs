//! The view of the picture of a run: categories by lanes, each cell a shape with its count, and a filter where not all passed.

use leptos::prelude::*;

use super::focus::bring_up;
use super::state::Page;
use super::widgets::Shape;
use crate::engine::check::Category;
use crate::view_model::filter::Filter;
use crate::view_model::grid::{Grid, GridCell, GridLane};
use crate::view_model::rows::RowKind;
use crate::view_model::tabs::Tab;

#[component]
pub(super) fn GridPicture(page: Page) -> impl IntoView {
    let grid = Memo::new(move |_| page.grid());
    let picture = move || grid.with(|grid| (!grid.lanes.is_empty()).then(|| table(page, grid)));
    view! { <div class="grid">{move || picture().into_any()}</div> }
}

fn table(page: Page, grid: &Grid) -> AnyView {
    let head = grid.categories.iter().map(|category| {
        let title = Category::ALL.get(*category).map_or("", |category| category.title());
        view! { <th scope="col">{title}</th> }.into_any()
    });
    let lane = |lane: &GridLane| {
        let cells = lane.cells.iter().map(|cell| cell_view(page, lane, cell));
        view! {
            <tr>
                <th scope="row">{lane.label.clone()}</th>
                {cells.collect_view()}
            </tr>
        }
        .into_any()
    };
    view! {
        <table>
            <caption class="visually-hidden">"Results by interface and category; a cell shows only its checks"</caption>
            <thead>
                <tr>
                    <td></td>
                    {head.collect_view()}
                </tr>
            </thead>
            <tbody>{grid.lanes.iter().map(lane).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

fn cell_view(page: Page, lane: &GridLane, cell: &GridCell) -> AnyView {
    let Some((kind, count)) = cell.worst() else {
        return view! { <td></td> }.into_any();
    };
    let said = cell.spoken(lane);
    // What passed, or was not judged yet, is nothing to look into from here.
    let is_off = matches!(kind, RowKind::Pass | RowKind::Running | RowKind::Pending);
    let filter = cell.filter(lane);
    let pressed = filter.clone();
    let press = move |_| {
        let is_chosen = page.filter.with_untracked(|known| *known == filter);
        if is_chosen {
            page.filter.set(Filter::default());
        } else {
            narrow_to(page, filter.clone());
        }
    };
    view! {
        <td>
            <button
                type="button"
                class="cell"
                data-status=kind.id()
                disabled=is_off
                aria-label=said.clone()
                title=said
                aria-pressed=move || page.filter.with(|filter| *filter == pressed).to_string()
                on:click=press
            >
                <Shape id=kind.id()/>
                <span>{count.to_string()}</span>
            </button>
        </td>
    }
    .into_any()
}

/// Narrows the list, and brings it into view.
pub(super) fn narrow_to(page: Page, filter: Filter) {
    page.tab.set(Tab::Results);
    page.filter.set(filter);
    bring_up("checks-title");
}
