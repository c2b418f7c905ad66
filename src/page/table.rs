//! The checks: filters, and a table in groups. A result touches one row; the order changes only when the run is over.

use leptos::prelude::*;

use super::erase::{Child, El, Fixed, View, each, el, html, live, tag};
use super::signal::{Derived, derived};
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
pub(super) fn shape(kind: impl Fn() -> Kind + 'static) -> View {
    let used = el("use", &[]).live("href", move || format!("#shape-{}", kind().id()));
    el("svg", &[("class", "shape"), ("aria-hidden", "true")]).child(used).view()
}

/// The list of checks.
pub(super) fn checks(page: Page) -> View {
    let categories = derived(move || page.groups().into_iter().map(|group| group.category).collect());
    let shown = derived(move || page.shown());
    // One row is in the tab order; the arrow keys reach the others.
    let among = shown.clone();
    let entry = derived(move || {
        let at = page.selected.get().or_else(|| page.cursor.get());
        among.with(|shown| at.filter(|at| shown.contains(at)).or_else(|| shown.first().copied()))
    });
    let nothing = move || {
        let is_empty = shown.with(Vec::is_empty);
        is_empty.then(|| {
            let all = el("button", &[("type", "button"), ("class", "link")])
                .on("click", move |_| page.filter.set(Filter::default()))
                .child("Show all checks");
            el("p", &[("class", "nothing"), ("id", "nothing-shown")])
                .child(page.filter.with(Filter::explain))
                .child(" ")
                .child(all)
        })
    };
    let table = el("table", &[])
        .live("data-lanes", move || page.lanes.with(Vec::len).to_string())
        .child(html(
            "<caption class=\"visually-hidden\">Every check with its result; a check opens its detail.</caption>",
        ))
        .child(html(COLUMNS))
        .child(html(HEADS))
        .child(each(categories, move |category| group(page, category, &entry)));
    el("section", &[("class", "checks"), ("aria-labelledby", "checks-title")])
        .child(html("<h2 id=\"checks-title\" class=\"visually-hidden\">Checks</h2>"))
        .child(filters(page))
        .child(table)
        .child(live(nothing))
        .view()
}

const COLUMNS: &str = "<colgroup><col class=\"col-result\"><col class=\"col-check\"><col class=\"col-lane\">\
    <col class=\"col-level\"><col class=\"col-time\"></colgroup>";

const HEADS: &str = "<thead><tr><th scope=\"col\" class=\"col-result\">Result</th>\
    <th scope=\"col\" class=\"col-check\">Check</th><th scope=\"col\" class=\"col-lane\">Lane</th>\
    <th scope=\"col\" class=\"col-level\">Level</th><th scope=\"col\" class=\"col-time\">Time</th></tr></thead>";

fn filters(page: Page) -> El {
    let chip = |kind: Kind| {
        let count =
            move || page.counts.with(|counts| counts.get(kind.index()).copied().unwrap_or_default()).to_string();
        let pressed = move || page.filter.with(|filter| filter.has(kind)).to_string();
        el("button", &[("type", "button"), ("class", "chip")])
            .attr("data-filter", kind.id())
            .live("aria-pressed", pressed)
            .on("click", move |_| page.filter.update(|filter| filter.toggle(kind)))
            .child(shape(move || kind))
            .child(tag("span", "", kind.title()))
            .child(el("b", &[]).attr("id", format!("count-{}", kind.id())).text(count))
            .view()
    };
    let chips: Vec<View> = Kind::FILTERS.into_iter().map(chip).collect();
    let fixed: Fixed = &[
        ("type", "search"),
        ("id", "filter-text"),
        ("aria-label", "Search the checks"),
        ("placeholder", "Search id, title, message"),
        ("autocomplete", "off"),
        ("spellcheck", "false"),
    ];
    let search = el("input", fixed)
        .prop("value", move || page.filter.with(|filter| filter.text().to_owned()))
        .on("input", move |event| page.filter.update(|filter| filter.search(&event_target_value(&event))));
    let reset = el("button", &[("type", "button"), ("class", "quiet"), ("id", "filter-reset")])
        .live_if("disabled", move || page.filter.with(Filter::is_empty))
        .on("click", move |_| page.filter.set(Filter::default()))
        .child("Show all");
    let chips = el("div", &[("class", "chips"), ("role", "group"), ("aria-label", "Show only")]).child(chips);
    el("div", &[("class", "filters")]).child(chips).child(search).child(reset)
}

fn group(page: Page, category: usize, entry: &Derived<Option<usize>>) -> View {
    let title = Category::ALL.get(category).map_or("", |category| category.title());
    let rows = derived(move || {
        page.groups().into_iter().find(|group| group.category == category).map(|group| group.rows).unwrap_or_default()
    });
    let heading = derived(move || page.heading(category));
    let attention = heading.clone();
    let is_empty = derived(move || {
        let filter = page.filter.get();
        page.revision.track();
        page.rows.with(|all| !all.iter().any(|row| row.info.category == category && row.shown_by(&filter)))
    });
    let count = move || format::count(u32::try_from(heading.get().0).unwrap_or(u32::MAX), "check");
    let head = el("th", &[("scope", "rowgroup"), ("colspan", "2")])
        .child(title)
        .child(el("span", &[("class", "group-count")]).text(count))
        .child(el("span", &[("class", "group-attention")]).text(move || attention.get().1));
    let entry = entry.clone();
    el("tbody", &[])
        .class("hidden", move || is_empty.get())
        .child(tag("tr", "group", head))
        .child(each(rows, move |index| row(page, index, &entry)))
        .view()
}

fn row(page: Page, index: usize, entry: &Derived<Option<usize>>) -> View {
    let Some(RowHandle { info, state }) = page.row(index) else { return None::<View>.view() };
    let is_hidden = {
        let (info, state) = (info.clone(), state.clone());
        move || {
            let filter = page.filter.get();
            state.with(|state| !filter.shows(&info, state.kind, &state.message))
        }
    };
    let kind = {
        let state = state.clone();
        move || state.with(|state| state.kind)
    };
    let word = {
        let state = state.clone();
        move || state.with(|state| state.word.to_owned())
    };
    let time = move || state.with(|state| if state.ms > 0.0 { format::duration(state.ms) } else { String::new() });
    let open = move |_| {
        page.cursor.set(Some(index));
        page.selected.set(Some(index));
        super::detail::focus_when_stacked();
    };
    let is_open = move || page.selected.get() == Some(index);
    let status = kind.clone();
    let result =
        el("span", &[("class", "result")]).child(shape(kind)).child(el("span", &[("class", "word")]).text(word));
    let entry = entry.clone();
    let button = el("button", &[("type", "button"), ("class", "row-button"), ("aria-controls", "detail")])
        .attr("id", row_id(index))
        .live("tabindex", move || if entry.get() == Some(index) { "0".to_owned() } else { "-1".to_owned() })
        .live("aria-expanded", move || is_open().to_string())
        .child(info.title.clone());
    let check = el("th", &[("scope", "row"), ("class", "col-check")]).child(button).child(tag(
        "span",
        "sub",
        info.lane_label.clone(),
    ));
    el("tr", &[("class", "row")])
        .class("hidden", is_hidden)
        .class("open", is_open)
        .attr("data-check", info.check)
        .attr("data-lane", info.lane.clone())
        .live("data-status", move || status().id().to_owned())
        .on("click", open)
        .child(tag("td", "col-result", result))
        .child(check)
        .child(tag("td", "col-lane", info.lane_label.clone()))
        .child(tag("td", "col-level", info.level.as_str()))
        .child(el("td", &[("class", "col-time")]).text(time))
        .view()
}
