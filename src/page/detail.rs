//! One check in full: what the rule says, what was expected and what came, how to fix it, and the exchanges it rests on.

use std::rc::Rc;

use leptos::prelude::*;

use super::state::{Page, Phase, RowHandle};
use super::view::rows::{Kind, RowState};
use super::view::wire::Mark;
use super::{evidence, keys, table};
use crate::engine::event::CheckResult;
use crate::engine::requirement::Basis;
use crate::report;
use crate::wire::exchange::Exchange;

/// From this width on, the detail stands beside the list (`style/layout.css` says so too).
const BESIDE: &str = "(min-width: 960px)";

/// On a narrow screen the detail takes the list's place, so that the focus must go there.
pub(super) fn focus_when_stacked() {
    let is_beside = window().match_media(BESIDE).ok().flatten().is_some_and(|query| query.matches());
    if !is_beside {
        request_animation_frame(|| {
            keys::focus("detail-title");
            window().scroll_to_with_x_and_y(0.0, 0.0);
        });
    }
}

/// The detail, or what stands there while no check is open.
pub(super) fn detail(page: Page) -> AnyView {
    let content = move || match page.selected.get().and_then(|index| page.row(index)) {
        Some(row) => {
            let state = row.state.clone();
            let is_running = Memo::new(move |_| page.phase.get() == Phase::Running);
            // Another result of the same row, or the end of the run, shows the detail again.
            (move || {
                is_running.track();
                open(page, &row, &state.get())
            })
            .into_any()
        }
        None => legend(),
    };
    view! { <section class="detail" id="detail" aria-label="Detail of the check">{content}</section> }.into_any()
}

fn open(page: Page, row: &RowHandle, state: &RowState) -> AnyView {
    let result = page.run.with_value(|run| run.results.get(&row.info.index).cloned());
    let kind = state.kind;
    let lane = if row.info.lane_label.is_empty() { String::new() } else { format!(" \u{b7} {}", row.info.lane_label) };
    let within = result.as_ref().map(|result| format!(" \u{b7} {}", result.row.scenario.title));
    let body = match &result {
        Some(result) => judged(page, result),
        None => waiting(page, kind),
    };
    view! {
        <header class="detail-head" data-status=kind.id()>
            <button type="button" class="quiet back" id="detail-close" on:click=move |_| keys::close_detail(page)>"Close"</button>
            <p class="result">{table::shape(move || kind)}<span class="word">{state.word}</span></p>
            <h2 id="detail-title" tabindex="-1">{row.info.title.clone()}</h2>
            <p class="ids"><code>{row.info.check}</code>{lane}{within}</p>
        </header>
        {body}
    }
    .into_any()
}

fn waiting(page: Page, kind: Kind) -> AnyView {
    let text = match (kind, page.is_running()) {
        (Kind::Running, _) => "The conversation that this check reads is going on.",
        (_, true) => "The conversation that this check reads has not begun.",
        (_, false) => "The run ended before this check was judged. Run again to have it judged.",
    };
    view! { <p>{text}</p> }.into_any()
}

fn judged(page: Page, result: &Rc<CheckResult>) -> AnyView {
    let check = result.row.check;
    let verdict = &result.verdict;
    let fix = check.fix();
    let exchanges: Vec<Rc<Exchange>> =
        page.run.with_value(|run| verdict.exchanges.iter().filter_map(|id| run.exchanges.get(id).cloned()).collect());
    let place = verdict.pointer.clone().unwrap_or_default();
    let mark = Mark::parse(&place);
    let needs_fix = verdict.expected.is_some() && !fix.is_empty();
    let pairs = verdict.expected.clone().zip(verdict.actual.clone()).map(|(expected, actual)| {
        view! {
            <dl class="pair">
                <div><dt>"Expected (per spec)"</dt><dd id="expected">{expected}</dd></div>
                <div><dt>"Received"</dt><dd id="actual">{actual}</dd></div>
            </dl>
        }
    });
    let says_more = pairs.is_none() || !verdict.message.starts_with("expected ");
    let message = (says_more && !verdict.message.is_empty())
        .then(|| view! { <p class="message" id="message">{verdict.message.clone()}</p> });
    let at = (!place.is_empty()).then(|| view! { <p class="place">"At " <code>{place.clone()}</code></p> });
    view! {
        {message}
        {pairs}
        {at}
        {needs_fix.then(|| view! { <div class="fix"><h3>"Fix"</h3><p id="fix">{fix}</p></div> })}
        <h3>"What the rule says"</h3>
        <p id="why">{check.why()}</p>
        {requirements(result)}
        {check.advisory.map(|why| view! { <p class="note">{why}</p> })}
        {evidence::evidence(exchanges, &mark, result.level)}
    }
    .into_any()
}

/// The requirements with their level and a link to the section.
fn requirements(result: &CheckResult) -> AnyView {
    let version = result.row.version();
    let level = result.level.as_str();
    let items: Vec<AnyView> = result
        .row
        .check
        .requirements()
        .into_iter()
        .map(|requirement| {
            let cite = requirement.cite(version);
            let section = requirement.spec.get(version).filter(|_| requirement.basis != Basis::Practical);
            let link = match section.and_then(|section| report::spec_url(version, section)) {
                Some(url) => view! { <a href=url target="_blank" rel="noreferrer">"A2A " {cite}</a> }.into_any(),
                None => view! { <span>{cite}</span> }.into_any(),
            };
            view! { <li><span class="badge" data-level=level>{level}</span><span>{requirement.title.clone()}</span><span class="cite">{link}</span></li> }
                .into_any()
        })
        .collect();
    view! { <ul class="requirements">{items}</ul> }.into_any()
}

/// What the shapes mean, while no check is open.
fn legend() -> AnyView {
    let rows = [
        (Kind::Fail, "A must of the specification was seen to be broken. Counts."),
        (Kind::Advisory, "A should was seen to be broken. Shown, and does not count."),
        (Kind::Blocked, "Something before it stopped the check: credentials, the network, the browser."),
        (Kind::Skip, "Not declared by your agent, not visible from here, or never brought about. Not held against it."),
        (Kind::Pass, "Seen to hold."),
    ];
    let rows: Vec<AnyView> = rows
        .into_iter()
        .map(|(kind, text)| {
            view! { <div data-status=kind.id()><dt class="result">{table::shape(move || kind)}<span class="word">{kind.title()}</span></dt><dd>{text}</dd></div> }
                .into_any()
        })
        .collect();
    view! {
        <div class="legend">
            <p>"Choose a check to see what it rests on: the rule, what came, and the exchange it was read from."</p>
            <dl>{rows}</dl>
        </div>
    }
    .into_any()
}
