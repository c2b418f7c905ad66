//! The view of the picture of a run: categories by lanes, each cell a shape with its count, and a filter.

use leptos::prelude::*;

use super::focus::reveal;
use super::state::Page;
use super::widgets::Shape;
use crate::engine::check::Category;
use crate::view_model::grid::{Grid, GridCell, GridLane};

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
            <caption class="visually-hidden">"Results by lane and category; a cell shows only its checks"</caption>
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
    let filter = cell.filter(lane);
    let pressed = filter.clone();
    let press = move |_| {
        let is_chosen = page.filter.with_untracked(|known| *known == filter);
        page.filter.set(if is_chosen { Default::default() } else { filter.clone() });
        reveal("checks-title");
    };
    view! {
        <td>
            <button
                type="button"
                class="cell"
                data-status=kind.id()
                aria-label=cell.spoken(lane)
                title=cell.spoken(lane)
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
