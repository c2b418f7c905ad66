//! The checks: filters, and a table in groups. A result touches one row; the order changes only when the run is over.

use std::sync::Arc;

use leptos::prelude::*;

use super::parts::{ForEach, Shape};
use super::selection::{self, row_id};
use super::state::{Page, RowHandle};
use super::view::filter::Filter;
use super::view::format;
use super::view::rows::Kind;
use crate::engine::check::Category;

/// The list of checks.
#[component]
pub(super) fn Checks(page: Page) -> impl IntoView {
    let categories = Memo::new(move |_| page.groups().into_iter().map(|group| group.category).collect::<Vec<usize>>());
    let shown = Memo::new(move |_| page.shown());
    // One row is in the tab order; the arrow keys reach the others.
    let tab_stop = Memo::new(move |_| {
        let at = page.selected.get().or_else(|| page.cursor.get());
        shown.with(|shown| at.filter(|at| shown.contains(at)).or_else(|| shown.first().copied()))
    });
    view! {
        <section class="checks" aria-labelledby="checks-title">
            <h2 id="checks-title" class="visually-hidden">"Checks"</h2>
            <Filters page/>
            <table data-lanes=move || page.lanes.with(Vec::len).to_string()>
                <caption class="visually-hidden">"Every check with its result; a check opens its detail."</caption>
                <colgroup>
                    <col class="col-result"/>
                    <col class="col-check"/>
                    <col class="col-lane"/>
                    <col class="col-level"/>
                    <col class="col-time"/>
                </colgroup>
                <thead>
                    <tr>
                        <th scope="col" class="col-result">"Result"</th>
                        <th scope="col" class="col-check">"Check"</th>
                        <th scope="col" class="col-lane">"Lane"</th>
                        <th scope="col" class="col-level">"Level"</th>
                        <th scope="col" class="col-time">"Time"</th>
                    </tr>
                </thead>
                <ForEach
                    numbers=categories
                    view=move |category| view! { <CheckGroup page category tab_stop/> }.into_any()
                />
            </table>
            {move || shown.with(Vec::is_empty).then(|| view! { <NothingShown page/> }.into_any()).into_any()}
        </section>
    }
}

#[component]
fn NothingShown(page: Page) -> impl IntoView {
    view! {
        <p class="nothing" id="nothing-shown">
            {move || page.filter.with(Filter::explain)}
            " "
            <button type="button" class="link" on:click=move |_| page.filter.set(Filter::default())>
                "Show all checks"
            </button>
        </p>
    }
}

#[component]
fn Filters(page: Page) -> impl IntoView {
    let chip = move |kind: Kind| {
        let count = move || page.counts.with(|counts| counts.get(kind.index()).copied().unwrap_or_default());
        view! {
            <button
                type="button"
                class="chip"
                data-filter=kind.id()
                aria-pressed=move || page.filter.with(|filter| filter.has(kind)).to_string()
                on:click=move |_| page.filter.update(|filter| filter.toggle(kind))
            >
                <Shape id=kind.id()/>
                <span>{kind.title()}</span>
                <b id=format!("count-{}", kind.id())>{move || count().to_string()}</b>
            </button>
        }
        .into_any()
    };
    view! {
        <div class="filters">
            <div class="chips" role="group" aria-label="Show only">
                {Kind::FILTERS.into_iter().map(chip).collect_view()}
            </div>
            <input
                type="search"
                id="filter-text"
                aria-label="Search the checks"
                placeholder="Search id, title, message"
                autocomplete="off"
                spellcheck="false"
                prop:value=move || page.filter.with(|filter| filter.text().to_owned())
                on:input=move |event| page.filter.update(|filter| filter.search(&event_target_value(&event)))
            />
            <button
                type="button"
                class="quiet"
                id="filter-reset"
                disabled=move || page.filter.with(Filter::is_empty)
                on:click=move |_| page.filter.set(Filter::default())
            >
                "Show all"
            </button>
        </div>
    }
}

/// The rows of one category below a heading.
#[component]
fn CheckGroup(page: Page, category: usize, tab_stop: Memo<Option<usize>>) -> impl IntoView {
    let title = Category::ALL.get(category).map_or("", |category| category.title());
    let rows = Memo::new(move |_| {
        page.groups().into_iter().find(|group| group.category == category).map(|group| group.rows).unwrap_or_default()
    });
    let count = move || rows.with(|rows| format::count(u32::try_from(rows.len()).unwrap_or(u32::MAX), "check"));
    let is_empty = move || {
        let filter = page.filter.get();
        page.revision.track();
        page.rows.with(|all| !all.iter().any(|row| row.info.category == category && row.shown_by(&filter)))
    };
    view! {
        <tbody class:hidden=move || is_empty()>
            <tr class="group">
                <th scope="rowgroup" colspan="2">
                    {title}
                    <span class="group-count">{move || count()}</span>
                    <span class="group-attention">{move || page.attention(category)}</span>
                </th>
            </tr>
            <ForEach
                numbers=rows
                view=move |index| page.row(index).map(|row| view! { <CheckRow page row tab_stop/> }.into_any()).into_any()
            />
        </tbody>
    }
}

#[component]
fn CheckRow(page: Page, row: RowHandle, tab_stop: Memo<Option<usize>>) -> impl IntoView {
    let RowHandle { info, state } = row;
    let index = info.index;
    let state = RwSignal::from(state);
    let status = move || state.with(|state| state.kind.id());
    let is_open = move || page.selected.get() == Some(index);
    let is_hidden = {
        let info = Arc::clone(&info);
        move || {
            let filter = page.filter.get();
            state.with(|state| !filter.shows(&info, state.kind, &state.message))
        }
    };
    let time = move || state.with(|state| if state.ms > 0.0 { format::duration(state.ms) } else { String::new() });
    view! {
        <tr
            class="row"
            class:hidden=move || is_hidden()
            class:open=move || is_open()
            data-check=info.check
            data-lane=info.lane.clone()
            data-status=move || status().to_owned()
            on:click=move |_| selection::open(page, index)
        >
            <td class="col-result">
                <span class="result">
                    <svg class="shape" aria-hidden="true">
                        <use href=move || format!("#shape-{}", status())></use>
                    </svg>
                    <span class="word">{move || state.with(|state| state.word.to_owned())}</span>
                </span>
            </td>
            <th scope="row" class="col-check">
                <button
                    type="button"
                    class="row-button"
                    aria-controls="detail"
                    id=row_id(index)
                    tabindex=move || if tab_stop.get() == Some(index) { "0".to_owned() } else { "-1".to_owned() }
                    aria-expanded=move || is_open().to_string()
                >
                    {info.title.clone()}
                </button>
                <span class="sub">{info.lane_label.clone()}</span>
            </th>
            <td class="col-lane">{info.lane_label.clone()}</td>
            <td class="col-level">{info.level.as_str()}</td>
            <td class="col-time">{move || time()}</td>
        </tr>
    }
}
