//! The view of the list of checks in groups: one line for each check, its lanes as dots. A result touches one line, and none changes
//! its place. Lines that are folded away are not in the document.

use leptos::prelude::*;
use leptos::reactive::computed::Selector;

use super::filters::Filters;
use super::incremental_list;
use super::rerun::{self, RerunBanner};
use super::selection::{self, line_id};
use super::state::{LineHandle, Page, RowHandle};
use super::widgets::{ForEach, Shape, live_shape};
use crate::engine::check::Category;
use crate::view_model::filter::Filter;
use crate::view_model::format;
use crate::view_model::lines::LineState;

#[component]
pub(super) fn Checks(page: Page) -> impl IntoView {
    let categories = Memo::new(move |_| page.groups().into_iter().map(|group| group.category).collect::<Vec<usize>>());
    let shown = Memo::new(move |_| page.shown());
    // One line is in the tab order; the arrow keys reach the others.
    let tab_stop = Memo::new(move |_| {
        let at = page.selected.get().and_then(|row| page.line_of(row)).or_else(|| page.cursor.get());
        shown.with(|shown| at.filter(|at| shown.contains(at)).or_else(|| shown.first().copied()))
    });
    let marked = Marked {
        tab_stop: StoredValue::new(Selector::new(move || tab_stop.get())),
        open_line: StoredValue::new(Selector::new(move || page.selected.get().and_then(|row| page.line_of(row)))),
        open_row: StoredValue::new(Selector::new(move || page.selected.get())),
    };
    let is_nothing = move || page.filter.with(|filter| !filter.is_empty()) && shown.with(Vec::is_empty);
    let nothing = move || {
        is_nothing().then(|| {
            view! {
                <p class="nothing" id="nothing-shown">
                    {move || page.filter.with(Filter::explain)}
                    " "
                    <button type="button" class="link" on:click=move |_| selection::show_all(page)>"Show all checks"</button>
                </p>
            }
            .into_any()
        })
    };
    view! {
        <section class="checks" aria-labelledby="checks-title">
            <h2 id="checks-title">"All checks"</h2>
            <RerunBanner page/>
            <Filters page/>
            <table
                data-lanes=move || page.lanes.with(Vec::len).to_string()
                aria-busy=move || incremental_list::is_busy().to_string()
            >
                <caption class="visually-hidden">"Every check with its results; a check opens its detail."</caption>
                <thead>
                    <tr>
                        <th scope="col" class="col-result">"Result"</th>
                        <th scope="col" class="col-check">"Check"</th>
                        <th scope="col" class="col-lane">"Interfaces"</th>
                        <th scope="col" class="col-level">"Rule"</th>
                        <th scope="col" class="col-time">"Time"</th>
                    </tr>
                </thead>
                <ForEach
                    numbers=categories
                    view=move |category| view! { <CheckGroup page category tab_stop marked/> }.into_any()
                />
            </table>
            {move || nothing().into_any()}
        </section>
    }
}

/// The selectors of single lines and rows, so that a change touches two of them and not all.
#[derive(Clone, Copy)]
struct Marked {
    /// The line that is in the tab order.
    tab_stop: StoredValue<Selector<Option<usize>>>,
    /// The line whose detail is open.
    open_line: StoredValue<Selector<Option<usize>>>,
    /// The row whose detail is open.
    open_row: StoredValue<Selector<Option<usize>>>,
}

fn is(which: StoredValue<Selector<Option<usize>>>, index: usize) -> bool {
    which.with_value(|which| which.selected(&Some(index)))
}

/// The lines of one category below a heading that folds them away.
#[component]
fn CheckGroup(page: Page, category: usize, tab_stop: Memo<Option<usize>>, marked: Marked) -> impl IntoView {
    let title = Category::ALL.get(category).map_or("", |category| category.title());
    let all = Memo::new(move |_| {
        let of_category = page.groups().into_iter().find(|group| group.category == category);
        of_category.map(|group| group.lines).unwrap_or_default()
    });
    let lines = Memo::new(move |_| all.with(|all| page.shown_of(category, all)));
    let made = incremental_list::sliced(lines, tab_stop);
    let folded = Memo::new(move |_| all.with(Vec::len) - lines.with(Vec::len));
    let is_unfolded = move || page.unfolded.with(|unfolded| unfolded.has(category));
    let is_filtered = move || page.filter.with(|filter| !filter.is_empty());
    let press = move |_| page.unfolded.update(|unfolded| unfolded.toggle(category));
    let more = move || match (is_unfolded(), folded.get()) {
        (true, _) => "fold".to_owned(),
        (false, 0) => String::new(),
        (false, folded) if lines.with(Vec::is_empty) => {
            format!("show {}", format::count(u32::try_from(folded).unwrap_or(u32::MAX), "check"))
        }
        (false, folded) => format!("show {folded} more"),
    };
    view! {
        <tbody class:hidden=move || is_filtered() && lines.with(Vec::is_empty)>
            <tr class="group">
                <th scope="rowgroup" colspan="5"><div class="group-head">
                    <button
                        type="button"
                        class="group-button"
                        data-category=category.to_string()
                        aria-expanded=move || is_unfolded().to_string()
                        disabled=move || is_filtered()
                        on:click=press
                    >
                        <b>{title}</b>
                        <span class="group-count">{move || page.summary(category)}</span>
                        <span class="group-more">{move || if is_filtered() { String::new() } else { more() }}</span>
                    </button>
                    <button
                        type="button"
                        class="quiet group-again"
                        data-again=category.to_string()
                        aria-label=format!("Run again: {title}")
                        aria-disabled=move || page.is_busy().to_string()
                        on:click=move |_| rerun::run_group(page, category)
                    >
                        "Run again"
                    </button>
                </div></th>
            </tr>
            <ForEach
                numbers=made
                view=move |index| {
                    page.line(index).map(|line| view! { <CheckLine page index line marked/> }.into_any()).into_any()
                }
            />
        </tbody>
    }
}

#[component]
fn CheckLine(page: Page, index: usize, line: LineHandle, marked: Marked) -> impl IntoView {
    let LineHandle { check, title, rows, .. } = line.clone();
    let of_line = line.clone();
    let rows = RwSignal::from(rows);
    // The state of the line, and its rows that the filter shows.
    let state = Memo::new(move |_| {
        rows.with(|rows| rows.iter().for_each(|row| row.state.track()));
        page.filter.with(|filter| of_line.state(filter)).unwrap_or(LineState::NONE)
    });
    let status = move || state.with(|state| state.status.kind().id());
    let is_open = move || is(marked.open_line, index);
    let time = move || state.with(|state| if state.ms > 0.0 { format::duration(state.ms) } else { String::new() });
    let spoken = move || {
        state.with(|state| {
            if state.was.is_empty() {
                format!("{}: ", state.status.word())
            } else {
                format!("{}, was {}: ", state.status.word(), state.was)
            }
        })
    };
    let open = move |_| {
        if let Some(row) = line.worst() {
            selection::open(page, row);
        }
    };
    let level =
        rows.with_untracked(|rows| rows.iter().map(|row| row.info.level).max()).map_or("", |level| level.title());
    let dots = move || {
        rows.get().into_iter().map(|row| view! { <LaneDot page row marked/> }.into_any()).collect_view().into_any()
    };
    view! {
        <tr
            class="row"
            class:open=move || is_open()
            data-check=check
            data-status=move || status().to_owned()
            on:click=open
        >
            <td class="col-result">
                <span class="result">
                    {live_shape(Box::new(status))}
                    <span class="word">{move || state.with(|state| state.status.word().to_owned())}</span>
                </span>
            </td>
            <th scope="row" class="col-check">
                <button
                    type="button"
                    class="row-button"
                    aria-controls="detail"
                    id=line_id(index)
                    tabindex=move || if is(marked.tab_stop, index) { "0".to_owned() } else { "-1".to_owned() }
                    aria-expanded=move || is_open().to_string()
                >
                    <span class="visually-hidden">{move || spoken()}</span>
                    {title}
                </button>
                <span class="was" aria-hidden="true">{move || was(state.with(|state| state.was))}</span>
            </th>
            <td class="col-lane"><span class="dots">{move || dots()}</span></td>
            <td class="col-level">{level}</td>
            <td class="col-time">{move || time()}</td>
        </tr>
    }
}

/// The earlier result of a row that changed.
pub(super) fn was(word: &str) -> String {
    if word.is_empty() { String::new() } else { format!("was: {word}") }
}

/// The result on one lane, as a shape that opens it.
#[component]
fn LaneDot(page: Page, row: RowHandle, marked: Marked) -> impl IntoView {
    let RowHandle { info, state, .. } = row;
    let state = RwSignal::from(state);
    let index = info.index;
    let lane = if info.lane_label.is_empty() { "agent card".to_owned() } else { info.lane_label.clone() };
    let name = move || {
        state.with(|state| match state.changed_from() {
            "" => format!("{lane}: {}", state.status.word()),
            before => format!("{lane}: {}, was {before}", state.status.word()),
        })
    };
    let spoken = name.clone();
    let press = move |event: leptos::ev::MouseEvent| {
        event.stop_propagation();
        selection::open(page, index);
    };
    view! {
        <button
            type="button"
            class="dot"
            tabindex="-1"
            data-lane=info.lane.clone()
            data-status=move || state.with(|state| state.status.kind().id().to_owned())
            aria-pressed=move || is(marked.open_row, index).to_string()
            aria-label=move || spoken()
            title=move || name()
            on:click=press
        >
            {move || view! { <Shape id=state.with(|state| state.status.kind().id())/> }.into_any()}
        </button>
    }
}
