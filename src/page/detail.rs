//! One check in full: what the rule says, what was expected and what came, how to fix it, and the exchanges it rests on.

use std::rc::Rc;

use leptos::prelude::*;

use super::evidence::Evidence;
use super::parts::Shape;
use super::state::{Page, Phase, RowHandle};
use super::view::rows::Kind;
use super::view::wire::Mark;
use super::{on_demand, selection};
use crate::engine::event::CheckResult;
use crate::engine::requirement::Basis;
use crate::engine::sdk::Sdk;
use crate::report;
use crate::wire::exchange::Exchange;

/// The detail, while a check is open.
#[component]
pub(super) fn Detail(page: Page) -> impl IntoView {
    let row = move || page.selected.get().and_then(|index| page.row(index));
    let content = move || row().map(|row| view! { <CheckDetail page row/> }.into_any()).into_any();
    view! {
        <section class="detail" id="detail" aria-label="Detail of the check" hidden=move || page.selected.get().is_none()>
            {move || content()}
        </section>
    }
}

/// A check. Its head is made once, so that it keeps the focus when the result comes: what is made again has its attributes
/// taken away for a moment, and the focus with them.
#[component]
fn CheckDetail(page: Page, row: RowHandle) -> impl IntoView {
    let RowHandle { info, state, line } = row;
    let index = info.index;
    on_demand::load_explanations(page);
    let state = RwSignal::from(state);
    let is_running = Memo::new(move |_| page.phase.get() == Phase::Running);
    let status = move || state.with(|state| state.kind.id());
    let lane = if info.lane_label.is_empty() { String::new() } else { format!(" \u{b7} {}", info.lane_label) };
    let within = move || {
        state.track();
        result_of(page, index).map(|result| format!(" \u{b7} {}", result.row.scenario.title)).unwrap_or_default()
    };
    let body = move || {
        let kind = state.with(|state| state.kind);
        match result_of(page, index) {
            Some(result) => judged(page, &result, is_running),
            None => waiting(kind, is_running),
        }
    };
    view! {
        <header class="detail-head" data-status=move || status().to_owned()>
            <button type="button" class="quiet back" id="detail-close" on:click=move |_| selection::close(page)>
                "Close"
            </button>
            <p class="result">
                <svg class="shape" aria-hidden="true">
                    <use href=move || format!("#shape-{}", status())></use>
                </svg>
                <span class="word">{move || state.with(|state| state.word.to_owned())}</span>
            </p>
            <h2 id="detail-title" tabindex="-1">{info.title.clone()}</h2>
            <p class="ids">
                <code>{info.check}</code>
                {lane}
                {move || within()}
            </p>
            <LaneTabs page line/>
        </header>
        {move || body()}
    }
}

/// The other lanes of the same check, where there are several.
#[component]
fn LaneTabs(page: Page, line: usize) -> impl IntoView {
    let tab = move |row: RowHandle| {
        let RowHandle { info, state, .. } = row;
        let index = info.index;
        let state = RwSignal::from(state);
        view! {
            <button
                type="button"
                class="lane-chip"
                data-status=move || state.with(|state| state.kind.id())
                aria-pressed=move || (page.selected.get() == Some(index)).to_string()
                on:click=move |_| page.selected.set(Some(index))
            >
                {move || view! { <Shape id=state.with(|state| state.kind.id())/> }.into_any()}
                {info.lane_label.clone()}
                <span class="visually-hidden">{move || state.with(|state| format!(": {}", state.word))}</span>
            </button>
        }
        .into_any()
    };
    let tabs = move || {
        let rows = page.line(line).map(|line| line.rows.get()).unwrap_or_default();
        (rows.len() > 1).then(|| {
            view! {
                <div class="lane-chips" role="group" aria-label="Lane">
                    {rows.into_iter().map(tab).collect_view()}
                </div>
            }
            .into_any()
        })
    };
    view! { {move || tabs().into_any()} }
}

/// The last result of a row.
fn result_of(page: Page, index: usize) -> Option<Rc<CheckResult>> {
    page.run.with_value(|run| {
        let of_row = run.results.iter().rfind(|(known, _)| *known == index);
        of_row.map(|(_, result)| Rc::clone(result))
    })
}

fn waiting(kind: Kind, is_running: Memo<bool>) -> AnyView {
    let text = match (kind, is_running.get()) {
        (Kind::Running, _) => "The conversation that this check judges is in progress.",
        (_, true) => "The conversation that this check judges has not started.",
        (_, false) => "The run ended before this check was judged. Run again to judge it.",
    };
    view! { <p>{text}</p> }.into_any()
}

fn judged(page: Page, result: &Rc<CheckResult>, is_running: Memo<bool>) -> AnyView {
    let check = result.row.check;
    let verdict = &result.verdict;
    let exchanges: Vec<Rc<Exchange>> = page.run.with_value(|run| {
        let of_id = |id: &u32| run.exchanges.iter().rfind(|exchange| exchange.id == *id).cloned();
        verdict.exchanges.iter().filter_map(of_id).collect()
    });
    let place = verdict.pointer.clone().unwrap_or_default();
    let mark = Mark::parse(&place);
    let pair = verdict.expected.clone().zip(verdict.actual.clone());
    let says_more = pair.is_none() || !verdict.message.starts_with("expected ");
    let message = (says_more && !verdict.message.is_empty())
        .then(|| view! { <p class="message" id="message">{verdict.message.clone()}</p> }.into_any());
    let pair = pair.map(|(expected, actual)| {
        view! {
            <dl class="pair">
                <div>
                    <dt>"Expected (per spec)"</dt>
                    <dd id="expected">{expected}</dd>
                </div>
                <div>
                    <dt>"Received"</dt>
                    <dd id="actual">{actual}</dd>
                </div>
            </dl>
        }
        .into_any()
    });
    let at = (!place.is_empty()).then(|| view! { <p class="place">"At " <code>{place}</code></p> }.into_any());
    let is_finding = verdict.expected.is_some();
    let fix = move || {
        // What the agent runs on may be known only when the run is over.
        is_running.track();
        let stack = page.run.with_value(|run| Sdk::of(run.exchanges.iter().map(|exchange| &**exchange)));
        let hint = stack.and_then(|stack| stack.hint(check.id)).unwrap_or_default();
        let fix = format!("{} {hint}", check.fix).trim_end().to_owned();
        (is_finding && !fix.is_empty()).then(|| {
            view! {
                <div class="fix">
                    <h3>"Fix"</h3>
                    <p id="fix">{fix}</p>
                </div>
            }
            .into_any()
        })
    };
    let advisory = check.advisory.map(|why| view! { <p class="note">{why}</p> }.into_any());
    view! {
        {message}
        {pair}
        {at}
        {move || fix().into_any()}
        <h3>"The rule"</h3>
        <p id="why">{move || on_demand::check_reason(page, check.id)}</p>
        {requirements(page, result)}
        {advisory}
        <Evidence exchanges mark level=result.level/>
    }
    .into_any()
}

/// The requirements with their level and a link to the section.
fn requirements(page: Page, result: &CheckResult) -> AnyView {
    let version = result.row.version;
    let level = result.level.as_str();
    let items = result.row.check.requirements().into_iter().map(|requirement| {
        let cite = requirement.cite(version);
        let section = requirement.section(version).filter(|_| requirement.basis != Basis::Practical);
        let link = match section.and_then(|section| report::spec_url(version, section)) {
            Some(url) => view! {
                <a target="_blank" rel="noreferrer" href=url>
                    {format!("A2A {cite}")}
                </a>
            }
            .into_any(),
            None => view! { <span>{cite}</span> }.into_any(),
        };
        view! {
            <li>
                <span class="badge" data-level=level>{level}</span>
                <span>{move || on_demand::requirement_title(page, requirement.id)}</span>
                <span class="cite">{link}</span>
            </li>
        }
        .into_any()
    });
    view! { <ul class="requirements">{items.collect_view()}</ul> }.into_any()
}
