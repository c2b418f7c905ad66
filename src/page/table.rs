//! The checks: filters, and a table in groups. A result touches one row; the order changes only when the run is over.

use leptos::prelude::*;

use super::state::{Page, RowHandle};
use super::view::filter::Filter;
use super::view::format;
use super::view::rows::Kind;
use crate::engine::check::Category;

/// The id of a row's button.
pub(super) fn row_id(index: usize) -> String {
    format!("row-{index}")
}

/// Whether the keyboard is at a row.
pub(super) fn has_focus() -> bool {
    document().active_element().is_some_and(|element| element.id().starts_with("row-"))
}

/// The shape of a kind; the word is beside it.
pub(super) fn shape(kind: impl Fn() -> Kind + Send + 'static) -> AnyView {
    view! { <svg class="shape" aria-hidden="true"><use href=move || format!("#shape-{}", kind().id())></use></svg> }
        .into_any()
}

/// The list of checks.
pub(super) fn checks(page: Page) -> AnyView {
    let categories = Memo::new(move |_| page.groups().into_iter().map(|group| group.category).collect::<Vec<_>>());
    let shown = Memo::new(move |_| page.shown());
    // One row is in the tab order; the arrow keys reach the others.
    let entry = Memo::new(move |_| {
        let at = page.selected.get().or_else(|| page.cursor.get());
        shown.with(|shown| at.filter(|at| shown.contains(at)).or_else(|| shown.first().copied()))
    });
    let nothing = move || {
        let is_empty = shown.with(Vec::is_empty);
        is_empty.then(|| {
            let text = page.filter.with(Filter::explain);
            view! { <p class="nothing" id="nothing-shown">{text} " " <button type="button" class="link" on:click=move |_| page.filter.set(Filter::default())>"Show all checks"</button></p> }
        })
    };
    view! {
        <section class="checks" aria-labelledby="checks-title">
            <h2 id="checks-title" class="visually-hidden">"Checks"</h2>
            {filters(page)}
            <table data-lanes=move || page.lanes.with(Vec::len).to_string()>
                <caption class="visually-hidden">"Every check with its result; a check opens its detail."</caption>
                <colgroup>
                    <col class="col-result" />
                    <col class="col-check" />
                    <col class="col-lane" />
                    <col class="col-level" />
                    <col class="col-time" />
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
                <For each=move || categories.get() key=|category| *category children=move |category| group(page, category, entry) />
            </table>
            {nothing}
        </section>
    }
    .into_any()
}

fn filters(page: Page) -> AnyView {
    let chip = |kind: Kind| {
        let count = move || page.counts.with(|counts| counts.get(kind.index()).copied().unwrap_or_default());
        let pressed = move || page.filter.with(|filter| filter.has(kind)).to_string();
        view! {
            <button type="button" class="chip" data-filter=kind.id() aria-pressed=pressed on:click=move |_| page.filter.update(|filter| filter.toggle(kind))>
                {shape(move || kind)}
                <span>{kind.title()}</span>
                <b id=format!("count-{}", kind.id())>{count}</b>
            </button>
        }
        .into_any()
    };
    let chips: Vec<AnyView> = Kind::FILTERS.into_iter().map(chip).collect();
    view! {
        <div class="filters">
            <div class="chips" role="group" aria-label="Show only">{chips}</div>
            <input type="search" id="filter-text" aria-label="Search the checks" placeholder="Search id, title, message" autocomplete="off" spellcheck="false"
                prop:value=move || page.filter.with(|filter| filter.text().to_owned())
                on:input=move |event| page.filter.update(|filter| filter.search(&event_target_value(&event))) />
            <button type="button" class="quiet" id="filter-reset" disabled=move || page.filter.with(Filter::is_empty)
                on:click=move |_| page.filter.set(Filter::default())>"Show all"</button>
        </div>
    }
    .into_any()
}

fn group(page: Page, category: usize, entry: Memo<Option<usize>>) -> AnyView {
    let title = Category::ALL.get(category).map_or("", |category| category.title());
    let rows = Memo::new(move |_| {
        page.groups().into_iter().find(|group| group.category == category).map(|group| group.rows).unwrap_or_default()
    });
    let heading = Memo::new(move |_| page.heading(category));
    let is_empty = Memo::new(move |_| {
        let filter = page.filter.get();
        page.revision.track();
        page.rows.with(|all| !all.iter().any(|row| row.info.category == category && row.shown_by(&filter)))
    });
    view! {
        <tbody class:hidden=move || is_empty.get()>
            <tr class="group">
                <th scope="rowgroup" colspan="2">
                    {title}
                    <span class="group-count">{move || format::count(u32::try_from(heading.get().0).unwrap_or(u32::MAX), "check")}</span>
                    <span class="group-attention">{move || heading.get().1}</span>
                </th>
            </tr>
            <For each=move || rows.get() key=|index| *index children=move |index| row(page, index, entry) />
        </tbody>
    }
    .into_any()
}

fn row(page: Page, index: usize, entry: Memo<Option<usize>>) -> AnyView {
    let Some(RowHandle { info, state }) = page.row(index) else { return ().into_any() };
    let is_hidden = {
        let (info, state) = (info.clone(), state.clone());
        move || {
            let filter = page.filter.get();
            state.with(|state| !filter.shows(&info, state.kind, &state.message))
        }
    };
    let kind = {
        let state = state.clone();
        Memo::new(move |_| state.with(|state| state.kind))
    };
    let word = {
        let state = state.clone();
        move || state.with(|state| state.word)
    };
    let time = move || state.with(|state| if state.ms > 0.0 { format::duration(state.ms) } else { String::new() });
    let open = move || {
        page.cursor.set(Some(index));
        page.selected.set(Some(index));
        super::detail::focus_when_stacked();
    };
    let is_open = move || page.selected.get() == Some(index);
    view! {
        <tr class="row" class:hidden=is_hidden class:open=is_open
            data-check=info.check data-lane=info.lane.clone() data-status=move || kind.get().id()
            on:click=move |_| open()>
            <td class="col-result"><span class="result">{shape(move || kind.get())}<span class="word">{word}</span></span></td>
            <th scope="row" class="col-check">
                <button type="button" id=row_id(index) class="row-button"
                    tabindex=move || if entry.get() == Some(index) { "0" } else { "-1" }
                    aria-expanded=move || is_open().to_string() aria-controls="detail">{info.title.clone()}</button>
                <span class="sub">{info.lane_label.clone()}</span>
            </th>
            <td class="col-lane">{info.lane_label.clone()}</td>
            <td class="col-level">{info.level.as_str()}</td>
            <td class="col-time">{time}</td>
        </tr>
    }
    .into_any()
}
