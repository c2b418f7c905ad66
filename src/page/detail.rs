//! One check in full: what the rule says, what was expected and what came, how to fix it, and the exchanges it rests on.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::checker::answer;
use super::evidence::EvidenceList;
use super::parts::Shape;
use super::selection;
use super::state::{Page, Phase, RowHandle};
use super::view::detail::{self, Rule};
use super::view::messages::Question;
use super::view::rows::{Kind, RowState};
use crate::engine::requirement::Level;

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
    let state = RwSignal::from(state);
    let is_running = Memo::new(move |_| page.phase.get() == Phase::Running);
    let status = move || state.with(|state| state.kind.id());
    let detail = RwSignal::new(None::<detail::Detail>);
    Effect::new(move || {
        state.track();
        // What the agent runs on, of which the fix speaks, may be known only when the run is over.
        is_running.track();
        spawn_local(async move {
            // The row may have been closed meanwhile.
            if let Ok(told) = answer::<Option<detail::Detail>>(&Question::Detail { row: index }).await {
                detail.try_set(told);
            }
        });
    });
    let lane = if info.lane_label.is_empty() { String::new() } else { format!(" \u{b7} {}", info.lane_label) };
    let within = move || {
        detail.with(|detail| detail.as_ref().map(|detail| format!(" \u{b7} {}", detail.scenario))).unwrap_or_default()
    };
    let body = move || {
        let (kind, is_left) = state.with(|state| (state.kind, *state == RowState::NOT_RUN));
        match detail.get() {
            Some(detail) => judged(detail),
            None if is_left || matches!(kind, Kind::Running | Kind::Pending) => waiting(kind, is_running),
            // The checker answers at once.
            None => ().into_any(),
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
                <code>{info.check.clone()}</code>
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

fn waiting(kind: Kind, is_running: Memo<bool>) -> AnyView {
    let text = match (kind, is_running.get()) {
        (Kind::Running, _) => "The conversation that this check judges is in progress.",
        (_, true) => "The conversation that this check judges has not started.",
        (_, false) => "The run ended before this check was judged. Run again to judge it.",
    };
    view! { <p>{text}</p> }.into_any()
}

fn judged(detail: detail::Detail) -> AnyView {
    let detail::Detail { message, pair, place, fix, why, advisory, level, rules, evidence, .. } = detail;
    let message = (!message.is_empty()).then(|| view! { <p class="message" id="message">{message}</p> }.into_any());
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
    let fix = (!fix.is_empty()).then(|| {
        view! {
            <div class="fix">
                <h3>"Fix"</h3>
                <p id="fix">{fix}</p>
            </div>
        }
        .into_any()
    });
    let advisory = (!advisory.is_empty()).then(|| view! { <p class="note">{advisory}</p> }.into_any());
    view! {
        {message}
        {pair}
        {at}
        {fix}
        <h3>"The rule"</h3>
        <p id="why">{why}</p>
        <ul class="requirements">{rules.into_iter().map(|rule| requirement(rule, level)).collect_view()}</ul>
        {advisory}
        <EvidenceList evidence level/>
    }
    .into_any()
}

/// A requirement with its level and a link to the section.
fn requirement(rule: Rule, level: Level) -> AnyView {
    let level = level.as_str();
    let link = if rule.url.is_empty() {
        view! { <span>{rule.cite}</span> }.into_any()
    } else {
        view! {
            <a target="_blank" rel="noreferrer" href=rule.url>
                {rule.cite}
            </a>
        }
        .into_any()
    };
    view! {
        <li>
            <span class="badge" data-level=level>{level}</span>
            <span>{rule.title}</span>
            <span class="cite">{link}</span>
        </li>
    }
    .into_any()
}
