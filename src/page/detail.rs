//! One check in full: headings, buttons to run it again and to copy it, and a field for a message that it needs; what stands there:
//! `view_model/detail.rs`.

use leptos::prelude::*;

use super::checker_client::{CheckerAnswer, when_answered};
use super::copy_button::CopyButton;
use super::evidence::EvidenceList;
use super::focus::{focus, focus_with_next_frame, is_within, rescue};
use super::form::prompt_field;
use super::rerun;
use super::selection;
use super::state::{Page, RowHandle, RunPhase};
use super::table::was;
use super::test_steps::{TestSteps, difference};
use super::widgets::{Shape, button, button_idle_while, button_unless, live_shape, said, submitted};
use crate::engine::prompt::Behaviour;
use crate::engine::requirement::Level;
use crate::view_model::detail::{self, CitedRule, Quote, Tested};
use crate::view_model::messages::Question;
use crate::view_model::rows::{RowKind, RowState};

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

/// A check. Its head is made once, so that it keeps the focus when the result comes: an element that is made again loses its
/// attributes for a moment, and the focus with them.
#[component]
fn CheckDetail(page: Page, row: RowHandle) -> impl IntoView {
    let index = row.info.index;
    let state = RwSignal::from(row.state.clone());
    let is_running = Memo::new(move |_| page.phase.get() == RunPhase::Running);
    let detail = loaded_detail(index, state, is_running);
    let check = row.info.check.clone();
    let first = move || match detail.get() {
        Some(detail) => conclusion(page, detail),
        None => {
            let (kind, is_left) = state.with(|state| (state.status.kind(), *state == RowState::NOT_RUN));
            // The checker answers at once.
            if is_left || matches!(kind, RowKind::Running | RowKind::Pending) {
                waiting(kind, is_running)
            } else {
                ().into_any()
            }
        }
    };
    let rest = move || detail.get().map(|detail| reasons(index, detail)).into_any();
    view! {
        {head(page, row, detail)}
        {move || first()}
        {buttons(page, check, detail)}
        {move || rest()}
    }
}

/// The detail of a row, asked for when its state changes and when the run ends.
fn loaded_detail(row: usize, state: RwSignal<RowState>, is_running: Memo<bool>) -> RwSignal<Option<detail::Detail>> {
    let detail = RwSignal::new(None::<detail::Detail>);
    Effect::new(move || {
        state.track();
        // The fix names what the agent runs on, which may be known only when the run is over.
        is_running.track();
        when_answered(&Question::Detail(row), move |told: CheckerAnswer<Option<detail::Detail>>| {
            // The row may have been closed meanwhile. An element that is made again loses the focus.
            if let Ok(told) = told
                && detail.try_with_untracked(|known| *known != told) == Some(true)
            {
                let had_focus = is_within("detail");
                detail.try_set(told);
                if had_focus {
                    rescue("detail-title");
                }
            }
        });
    });
    detail
}

/// The head: result, title, ids, the ways on and out, and the lanes.
fn head(page: Page, row: RowHandle, detail: RwSignal<Option<detail::Detail>>) -> AnyView {
    let RowHandle { info, state, line } = row;
    let state = RwSignal::from(state);
    let status = move || state.with(|state| state.status.kind().id());
    let lane = if info.lane_label.is_empty() { String::new() } else { format!(" \u{b7} {}", info.lane_label) };
    let within = move || {
        detail.with(|detail| detail.as_ref().map(|detail| format!(" \u{b7} {}", detail.scenario))).unwrap_or_default()
    };
    let step = move || {
        selection::finding_place(page).map(|(at, all)| {
            view! {
                {button_unless(move || at == 0, "quiet", "finding-previous", "Previous", move || {
                    selection::step_finding(page, -1, "finding-previous");
                })}
                {button_unless(move || at + 1 == all, "quiet", "finding-next", "Next", move || {
                    selection::step_finding(page, 1, "finding-next");
                })}
            }
            .into_any()
        })
    };
    view! {
        <header class="detail-head" data-status=move || status().to_owned()>
            <p class="result">
                {live_shape(Box::new(status))}
                <span class="word">{move || state.with(|state| state.status.word().to_owned())}</span>
                <span class="was">{move || was(state.with(|state| state.changed_from()))}</span>
            </p>
            <h2 id="detail-title" tabindex="-1">{info.title.clone()}</h2>
            <p class="ids">
                <code>{info.check.clone()}</code>
                {lane}
                {move || within()}
            </p>
            // Behind the title, which has the focus first.
            <div class="detail-nav">
                {move || step().into_any()}
                {button("quiet", "detail-close", "Close", move || selection::close(page))}
            </div>
            <LaneTabs page line/>
        </header>
    }
    .into_any()
}

/// What can be done with a result. Made once, since it keeps the focus when the result comes.
fn buttons(page: Page, check: String, detail: RwSignal<Option<detail::Detail>>) -> AnyView {
    let press = move || rerun::run(page, vec![check.clone()]);
    let of_detail = move |text: fn(&detail::Detail) -> &String| {
        detail.with_untracked(|detail| detail.as_ref().map(|detail| text(detail).clone())).unwrap_or_default()
    };
    view! {
        <p class="buttons">
            {button_idle_while(move || page.is_busy(), "plain", "again-check", "Run this check again", press)}
            <CopyButton class="plain" id="copy-issue" text=move || of_detail(|detail| &detail.issue)>
                "Copy as issue text"
            </CopyButton>
            <CopyButton class="plain" id="copy-markdown" text=move || of_detail(|detail| &detail.markdown)>
                "Copy as Markdown"
            </CopyButton>
        </p>
    }
    .into_any()
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
                data-status=move || state.with(|state| state.status.kind().id().to_owned())
                aria-pressed=move || (page.selected.get() == Some(index)).to_string()
                on:click=move |_| selection::open(page, index)
            >
                {move || view! { <Shape id=state.with(|state| state.status.kind().id())/> }.into_any()}
                {info.lane_label.clone()}
                <span class="visually-hidden">{move || state.with(|state| format!(": {}", state.status.word()))}</span>
            </button>
        }
        .into_any()
    };
    let tabs = move || {
        let rows = page.line(line).map(|line| line.rows.get()).unwrap_or_default();
        (rows.len() > 1).then(|| {
            view! {
                <div class="lane-chips" role="group" aria-label="Interface">
                    {rows.into_iter().map(tab).collect_view()}
                </div>
            }
            .into_any()
        })
    };
    view! { {move || tabs().into_any()} }
}

fn waiting(kind: RowKind, is_running: Memo<bool>) -> AnyView {
    let text = match (kind, is_running.get()) {
        (RowKind::Running, _) => "The conversation that this check judges is in progress.",
        (_, true) => "The conversation that this check judges has not started.",
        (_, false) => "The run ended before this check was judged. Run again to judge it.",
    };
    view! { <p>{text}</p> }.into_any()
}

/// What was expected, what came, and what to do.
fn conclusion(page: Page, detail: detail::Detail) -> AnyView {
    let is_written = !detail.steps.is_empty() && !detail.is_unsteady;
    let conversation = detail.conversation;
    let offer = detail.prompt.map(|(name, _)| view! { <GiveMessage page name conversation/> }.into_any());
    let expected_by = if is_written { "Expected by the test" } else { "Expected (per spec)" };
    let ids = [Some("expected"), Some("actual")];
    let at =
        (!detail.place.is_empty()).then(|| view! { <p class="place">"At " <code>{detail.place}</code></p> }.into_any());
    let fix = (!detail.fix.is_empty()).then(|| {
        view! {
            <div class="fix">
                <h3>"Fix"</h3>
                <p id="fix">{detail.fix}</p>
            </div>
        }
        .into_any()
    });
    view! {
        {said("message", Some("message"), detail.message)}
        {detail.pair.map(|pair| difference(expected_by, ids, pair))}
        {at}
        {offer}
        {fix}
    }
    .into_any()
}

/// Why, by which rules, and the evidence.
fn reasons(row: usize, detail: detail::Detail) -> AnyView {
    let (level, is_unsteady) = (detail.level, detail.is_unsteady);
    let has_steps = !detail.steps.is_empty();
    let is_written = has_steps && !is_unsteady;
    let rules = (!detail.rules.is_empty()).then(|| {
        let rules = detail.rules.into_iter().map(|rule| requirement(rule, level)).collect_view();
        view! {
            <h3>"The specification"</h3>
            <ul class="requirements" id="rules">{rules}</ul>
        }
        .into_any()
    });
    let about = if is_written { "The test" } else { "Why it matters" };
    let title = if is_unsteady { "What the runs saw" } else { "Steps" };
    let evidence = detail.evidence;
    // What a step exchanged stands with the step.
    let evidence =
        (!has_steps || !evidence.is_empty()).then(|| view! { <EvidenceList row=Some(row) evidence level/> }.into_any());
    view! {
        {rules}
        {said("note", None, detail.advisory)}
        <h3>{about}</h3>
        <p id="why">{detail.why}</p>
        <TestSteps row steps=detail.steps pair=detail.pair level title/>
        {evidence}
        <HowTested tested=detail.tested/>
    }
    .into_any()
}

/// The field for a message that the check needs to bring a behaviour about. With it, only that conversation is run.
#[component]
fn GiveMessage(page: Page, name: String, conversation: Vec<String>) -> impl IntoView {
    let Some(behaviour) = Behaviour::parse(&name) else { return ().into_any() };
    let is_open = RwSignal::new(false);
    let is_empty = move || {
        page.settings
            .with_untracked(|settings| settings.prompts.get(behaviour).is_none_or(|text| text.trim().is_empty()))
    };
    let open = move |_| {
        is_open.set(true);
        focus_with_next_frame("give-text");
    };
    let give = submitted(move || {
        if is_empty() {
            focus("give-text");
        } else {
            rerun::run(page, conversation.clone());
        }
    });
    view! {
        <button
            type="button"
            class="plain"
            id="give-message"
            aria-expanded=move || is_open.get().to_string()
            aria-controls="give-form"
            on:click=open
        >
            "Add such a message"
        </button>
        <form id="give-form" class="give" hidden=move || !is_open.get() on:submit=give>
            {prompt_field(page, behaviour, Some("give-text"))}
            <button type="submit" class="primary" id="give-run" aria-disabled=move || page.is_busy().to_string()>
                "Run this conversation with it"
            </button>
        </form>
    }
    .into_any()
}

/// How the check is tested: what the conversation does, its calls, and the fault that proves the check.
#[component]
fn HowTested(tested: Tested) -> impl IntoView {
    let Tested { purpose, calls, faults } = tested;
    let call = |(step, said): (String, String)| {
        view! {
            <li>
                <span class="step">{step}</span>
                " "
                <code>{said}</code>
            </li>
        }
        .into_any()
    };
    let fault = |(id, title): (String, String)| {
        view! {
            <li>
                {title}
                " "
                <code>{id}</code>
            </li>
        }
        .into_any()
    };
    let proofs = (!faults.is_empty()).then(|| {
        view! {
            <h4>"Faults that it finds"</h4>
            <p class="note">"It fails for an agent with any of these faults, and passes without them:"</p>
            <ul class="proofs">{faults.into_iter().map(fault).collect_view()}</ul>
        }
        .into_any()
    });
    let calls = (!calls.is_empty()).then(|| {
        view! {
            <h4>"The calls of this conversation"</h4>
            <ol class="calls">{calls.into_iter().map(call).collect_view()}</ol>
        }
        .into_any()
    });
    view! {
        <details class="fold" id="tested">
            <summary>"How this is tested"</summary>
            <p>{purpose}</p>
            {calls}
            {proofs}
        </details>
    }
}

/// A requirement with its level, the sentences that it stands on, and links to the sections.
fn requirement(rule: CitedRule, level: Level) -> AnyView {
    let cite = |(cite, url): (String, String)| view! { <span class="cite">{link(cite, url)}</span> }.into_any();
    let quote = |Quote { text, place, url }: Quote| {
        view! {
            <blockquote>
                <p>{text}</p>
                <p class="cite">{link(place, url)}</p>
            </blockquote>
        }
        .into_any()
    };
    view! {
        <li>
            <span class="badge" data-level=level.as_str()>{level.title()}</span>
            <span>{rule.title}</span>
            {rule.cites.into_iter().map(cite).collect_view()}
            {rule.quote.map(quote)}
        </li>
    }
    .into_any()
}

/// A text that is a link, where there is somewhere to go.
fn link(text: String, url: String) -> AnyView {
    if url.is_empty() {
        view! { <span>{text}</span> }.into_any()
    } else {
        view! {
            <a target="_blank" rel="noreferrer" href=url>
                {text}
            </a>
        }
        .into_any()
    }
}
