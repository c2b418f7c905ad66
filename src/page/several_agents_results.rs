//! The results of several agents: a table of them with verdicts and categories, one of checks by agents, how many of these are
//! shown, and the files. Each mark opens the run of its agent at that check.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::checker_client::{answer_or_say, show_answer};
use super::run;
use super::several_agents_runs::{file_buttons, stop};
use super::several_agents_tables::Tables;
use super::state::Page;
use super::widgets::{ForEach, Shape, live_shape, options, search};
use crate::engine::check::Category;
use crate::report::Format;
use crate::view_model::messages::{Opening, Question};
use crate::view_model::rows::RowKind;
use crate::view_model::several_agents::{
    AgentLine, AgentLines, AgentOrder, CheckLine, Matrix, RunStage, TOTALS, cell_name,
};
use crate::view_model::tabs::Tab;

/// How many checks are shown at first, and how many more each time.
const CHECKS: usize = 15;

/// With how many more agents whose runs are over the checks are counted anew.
const AT_ONCE: usize = 4;

/// The files, with their buttons' ids.
const FILES: [(Format, &str); 3] =
    [(Format::Json, "several-json"), (Format::Markdown, "several-markdown"), (Format::JUnit, "several-junit")];

/// Shows the run of an agent, at a check.
fn open(page: Page, agent: usize, key: Option<String>) {
    if page.is_running() {
        page.agents_problem.set("A run of one agent is under way. Stop it before you open another.".to_owned());
        return;
    }
    let run = page.runs.get_untracked() + 1;
    answer_or_say(&Question::SeveralOpen { agent, run }, page.agents_problem, move |opening| match opening {
        Some(Ok(Opening::Report(opened))) => {
            page.wanted.set(key);
            page.tab.set(Tab::Results);
            page.several.set(false);
            run::show(page, *opened, "One of several agents");
        }
        Some(Err(problem)) => page.agents_problem.set(problem),
        Some(Ok(Opening::Card)) | None => {}
    });
}

/// A total in a large figure, as a button that shows these agents alone.
fn total(page: Page, shown: RwSignal<String>, (kind, title): (RowKind, &'static str)) -> AnyView {
    let id = kind.id();
    let is_pressed = move || shown.with(|shown| shown == id);
    let press = move |_| shown.set(if untrack(is_pressed) { String::new() } else { id.to_owned() });
    view! {
        <li>
            <button
                type="button"
                class="total"
                data-status=id
                aria-pressed=move || is_pressed().to_string()
                on:click=press
            >
                <span class="total-count">
                    <Shape id/>
                    {move || page.agents.with(|lines| lines.total(kind).to_string())}
                </span>
                <span>{title}</span>
            </button>
        </li>
    }
    .into_any()
}

#[component]
pub(super) fn Results(page: Page) -> impl IntoView {
    let (text, state, order) =
        (RwSignal::new(String::new()), RwSignal::new(String::new()), RwSignal::new(String::new()));
    let shown = Memo::new(move |_| {
        let order = AgentOrder::parse(&order.get());
        text.with(|text| state.with(|state| page.agents.with(|lines| lines.shown(text, state, order))))
    });
    let heads = Category::ALL.map(|category| view! { <th scope="col">{category.title()}</th> }.into_any());
    let orders = AgentOrder::ALL.map(|(_, id, title)| (id, title)).to_vec();
    view! {
        <ul class="totals" aria-label="Totals">{TOTALS.map(|kind| total(page, state, kind)).into_iter().collect_view()}</ul>
        <div class="several-table" role="region" tabindex="0" aria-label="Agents">
            <table id="several-agents">
                <thead>
                    <tr>
                        <th scope="col" class="number">"No."</th>
                        <th scope="col">"Agent"</th>
                        <th scope="col">"Verdict"</th>
                        {heads.into_iter().collect_view()}
                        <th scope="col"><span class="visually-hidden">"Actions"</span></th>
                    </tr>
                </thead>
                <tbody>
                    <ForEach numbers=shown view=move |place| agent(page, place)/>
                </tbody>
            </table>
        </div>
        <p class="note" id="several-summary">{move || page.agents.with(AgentLines::summary)}</p>
        <div class="view-tools">
            {search("several-text", "Search the agents", text)}
            <label>
                <span>"Order"</span>
                <select id="several-order" on:change=move |event| order.set(event_target_value(&event))>
                    {options(orders)}
                </select>
            </label>
            {file_buttons(page, "Save the reports of all agents", FILES, None)}
        </div>
        <Checks page/>
        <Tables page/>
    }
}

fn agent(page: Page, place: usize) -> AnyView {
    let line = Memo::new(move |_| page.agents.with(|lines| lines.agents.get(place).cloned()));
    let of = move |what: fn(&AgentLine) -> String| line.with(|line| line.as_ref().map(what).unwrap_or_default());
    let kind = move || line.with(|line| line.as_ref().map_or("", |line| line.kind().id()));
    let is_over = Memo::new(move |_| line.with(|line| line.as_ref().is_some_and(|line| line.stage == RunStage::Over)));
    let can_open = Memo::new(move |_| line.with(|line| line.as_ref().is_some_and(|line| line.can_open)));
    let cell = |category: Category| {
        // While a run is under way there is none, and afterwards its line stays.
        let cell = move || {
            line.with(|line| line.as_ref().and_then(|line| line.cells.get(category as usize).cloned().flatten()))
        };
        let mark = move || {
            cell().map(|cell| {
                let name = format!("{}, {}", category.title(), cell_name(&of(|line| line.title().to_owned()), &cell));
                mark(cell.kind.id(), cell.count.to_string(), name, cell.key, place)
            })
        };
        view! { <td>{move || mark().into_any()}</td> }.into_any()
    };
    let press = move |_| {
        if is_over.get_untracked() {
            open(page, place, None);
        } else {
            stop(page, Some(place));
        }
    };
    view! {
        <tr data-agent=place.to_string() data-status=move || kind().to_owned() on:click=move |event| open_mark(page, &event)>
            <td class="number">{(place + 1).to_string()}</td>
            <th scope="row">
                <span class="agent-name">{move || of(|line| line.title().to_owned())}</span>
                <span class="agent-address">
                    {move || of(|line| if line.name.is_empty() { String::new() } else { line.address.clone() })}
                </span>
            </th>
            <td class="verdict-cell">
                <span class="result">
                    {live_shape(Box::new(kind))}
                    <span class="word">{move || of(|line| line.state().to_owned())}</span>
                </span>
                <span class="agent-note">{move || of(AgentLine::note)}</span>
            </td>
            {Category::ALL.map(cell).into_iter().collect_view()}
            <td>
                <button
                    type="button"
                    class="plain"
                    data-act=place.to_string()
                    disabled=move || is_over.get() && !can_open.get()
                    on:click=press
                >
                    {move || if is_over.get() { "Open".to_owned() } else { "Stop".to_owned() }}
                    <span class="visually-hidden">{move || format!(" {}", of(|line| line.title().to_owned()))}</span>
                </button>
            </td>
        </tr>
    }
    .into_any()
}

/// A result as a button; a table hears of its click.
fn mark(status: &'static str, text: String, name: String, key: String, agent: usize) -> AnyView {
    view! {
        <button type="button" class="mark-button" data-status=status data-key=key data-of=agent.to_string() aria-label=name>
            <Shape id=status/>
            {text}
        </button>
    }
    .into_any()
}

fn open_mark(page: Page, event: &ev::MouseEvent) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(mark) = target.and_then(|target| target.closest("[data-key]").ok().flatten()) else { return };
    let agent = mark.get_attribute("data-of").and_then(|place| place.parse().ok());
    if let Some(agent) = agent {
        open(page, agent, mark.get_attribute("data-key"));
    }
}

/// Checks by agents.
#[component]
fn Checks(page: Page) -> impl IntoView {
    let matrix = RwSignal::new(Matrix::default());
    let (text, is_all, most) = (RwSignal::new(String::new()), RwSignal::new(false), RwSignal::new(CHECKS));
    // Each time it is counted over all results; a few agents at once are soon enough.
    let ended = Memo::new(move |_| page.agents.with(|lines| lines.over() / if lines.is_over { 1 } else { AT_ONCE }));
    Effect::new(move || {
        ended.track();
        show_answer(&Question::SeveralMatrix { text: text.get(), is_all: is_all.get(), most: most.get() }, matrix);
    });
    let numbers =
        Memo::new(move |_| matrix.with(|matrix| matrix.checks.iter().map(|line| line.number).collect::<Vec<usize>>()));
    // Made anew only when a name becomes known, and not with every step of a run.
    let names = Memo::new(move |_| {
        page.agents.with(|lines| lines.agents.iter().map(|line| line.title().to_owned()).collect::<Vec<_>>())
    });
    let more = move || {
        let (shown, all) = matrix.with(|matrix| (matrix.checks.len(), matrix.all));
        (shown < all).then(|| {
            view! {
                <button type="button" class="plain" id="several-more" on:click=move |_| most.update(|most| *most += CHECKS)>
                    {format!("Show more: {shown} of {all} are shown")}
                </button>
            }
            .into_any()
        })
    };
    let none = move || match (matrix.with(|matrix| matrix.all), ended.get(), text.with(|text| text.trim().is_empty())) {
        (0, 0, _) => "The first results stand here when a run is over.".to_owned(),
        (0, _, true) => "No check fails on any of the agents so far.".to_owned(),
        (0, _, false) => "No such check.".to_owned(),
        _ => String::new(),
    };
    view! {
        <h3 id="several-checks-title">"Checks by agents"</h3>
        <div class="view-tools">
            {search("several-check-text", "Search the checks", text)}
            <label class="several-all">
                <input
                    type="checkbox"
                    id="several-all"
                    on:change=move |event| is_all.set(event_target_checked(&event))
                />
                <span>"include passing checks"</span>
            </label>
        </div>
        <p class="note" id="several-none">{move || none()}</p>
        <div class="several-table" role="region" tabindex="0" aria-labelledby="several-checks-title">
            <table id="several-checks" on:click=move |event| open_mark(page, &event)>
                <thead>
                    <tr>
                        <th scope="col">"Check"</th>
                        {move || names.with(|names| heads(names))}
                    </tr>
                </thead>
                <tbody>
                    <ForEach numbers view=move |number| check(matrix, names, number)/>
                </tbody>
            </table>
        </div>
        {move || more().into_any()}
    }
}

/// The heads of the columns: the number of each agent, and its name for a screen reader.
fn heads(names: &[String]) -> AnyView {
    let head = |(place, name): (usize, &String)| {
        view! {
            <th scope="col" title=name.clone()>
                <span aria-hidden="true">{(place + 1).to_string()}</span>
                <span class="visually-hidden">{name.clone()}</span>
            </th>
        }
        .into_any()
    };
    names.iter().enumerate().map(head).collect_view().into_any()
}

/// A line of the table: a check, and a mark for each agent that has a result.
fn check(matrix: RwSignal<Matrix>, names: Memo<Vec<String>>, number: usize) -> AnyView {
    let found = move || matrix.with(|matrix| matrix.checks.iter().find(|line| line.number == number).cloned());
    let Some(CheckLine { check, title, .. }) = untrack(found) else { return ().into_any() };
    let known = Memo::new(move |_| found().map(|line| line.cells).unwrap_or_default());
    let cells = move || {
        let cell = |(agent, cell): (usize, Option<(RowKind, String)>)| {
            let mark = cell.map(|(kind, key)| {
                let agent_name = names.with_untracked(|names| names.get(agent).cloned().unwrap_or_default());
                mark(
                    kind.id(),
                    String::new(),
                    format!("{agent_name}: {}", kind.title().to_ascii_lowercase()),
                    key,
                    agent,
                )
            });
            view! { <td>{mark.into_any()}</td> }.into_any()
        };
        known.get().into_iter().enumerate().map(cell).collect_view().into_any()
    };
    let id = check.clone();
    view! {
        <tr data-check=id>
            <th scope="row">
                {title}
                " "
                <code>{check}</code>
            </th>
            {move || cells()}
        </tr>
    }
    .into_any()
}
