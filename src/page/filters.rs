//! The filters above the list, with their labels: buttons with counts, a search, and what narrows the list further; what a filter
//! lets through: `view_model/filter.rs`.

use leptos::prelude::*;

use super::selection;
use super::state::Page;
use super::widgets::{Shape, button_unless};
use crate::engine::check::Category;
use crate::view_model::filter::{Filter, LEVELS};
use crate::view_model::format;
use crate::view_model::groups::Unfolded;
use crate::view_model::rows::RowKind;

#[component]
pub(super) fn Filters(page: Page) -> impl IntoView {
    let chip = move |kind: RowKind| {
        let count = move || page.counts.with(|counts| counts.get(kind.index()).copied().unwrap_or_default());
        view! {
            <button
                type="button"
                class="chip"
                // Only several runs can disagree.
                class:hidden=move || kind == RowKind::Unsteady && count() == 0
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
    let unfold = move |_| {
        page.unfolded
            .update(|unfolded| *unfolded = if unfolded.is_none() { Unfolded::ALL } else { Unfolded::default() });
    };
    let is_all = move || page.filter.with(Filter::is_empty);
    let fold = move || if page.unfolded.with(Unfolded::is_none) { "Expand all" } else { "Collapse all" };
    view! {
        <div class="filters">
            <div class="chips" role="group" aria-label="Show only">
                {RowKind::FILTERS.into_iter().map(chip).collect_view()}
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
            <Narrow page/>
            <button type="button" class="quiet" id="unfold" on:click=unfold>{move || fold().to_owned()}</button>
            {button_unless(is_all, "quiet", "filter-reset", "Show all", move || selection::show_all(page))}
        </div>
    }
}

/// Interface, rule and category.
#[component]
fn Narrow(page: Page) -> impl IntoView {
    let summary = move || match page.filter.with(Filter::narrowed) {
        0 => "More filters".to_owned(),
        chosen => format!("More filters ({})", format::count(u32::try_from(chosen).unwrap_or(u32::MAX), "choice")),
    };
    let lanes = Memo::new(move |_| {
        let mut lanes: Vec<(String, String)> = Vec::new();
        page.rows.with(|rows| {
            for row in rows {
                if !row.info.lane.is_empty() && !lanes.iter().any(|(id, _)| *id == row.info.lane) {
                    lanes.push((row.info.lane.clone(), row.info.lane_label.clone()));
                }
            }
        });
        lanes
    });
    let levels = LEVELS.map(|level| (level.as_str().to_owned(), format::capitalised(level.title()))).to_vec();
    let categories = Category::ALL.map(|category| (category.as_str().to_owned(), category.title().to_owned())).to_vec();
    view! {
        <details class="narrow" id="narrow">
            <summary>{move || summary()}</summary>
            <div class="narrow-fields">
                {move || view! { <Choice page name="l" title="Interface" options=lanes.get()/> }.into_any()}
                <Choice page name="v" title="Rule" options=levels/>
                <Choice page name="g" title="Category" options=categories/>
            </div>
        </details>
    }
}

#[component]
fn Choice(page: Page, name: &'static str, title: &'static str, options: Vec<(String, String)>) -> impl IntoView {
    let chosen = move || {
        let choices = page.filter.with(Filter::choices);
        choices.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value).unwrap_or_default()
    };
    let option = move |(value, title): (String, String)| {
        let own = value.clone();
        view! {
            <option value=value selected=move || chosen() == own>{title}</option>
        }
        .into_any()
    };
    view! {
        <label>
            <span>{title}</span>
            <select
                data-narrow=name
                on:change=move |event| page.filter.update(|filter| filter.choose(name, &event_target_value(&event)))
            >
                <option value="" selected=move || chosen().is_empty()>"All"</option>
                {options.into_iter().map(option).collect_view()}
            </select>
        </label>
    }
}
