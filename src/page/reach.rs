//! The view of the way to the agent: the lamps, and for what is in the way why, what to do, and the fix to paste for a server
//! stack.

use leptos::prelude::*;

use super::copy_button::CopyButton;
use super::focus::focus;
use super::state::{Page, RunPhase};
use super::widgets::{Shape, fold, lines};
use super::{run, storage};
use crate::engine::reach::Action;
use crate::view_model::cors_snippets::{self, ServerStack};
use crate::view_model::reach::{Panel, StageLight, await_next};

/// The lamps.
#[component]
pub(super) fn Lamps(page: Page) -> impl IntoView {
    let is_waiting = Memo::new(move |_| page.phase.get() == RunPhase::Running && !page.waiting.with(Vec::is_empty));
    let strip = move || {
        let mut lamps = page.way.with(|way| way.lamps.clone());
        if is_waiting.get() {
            await_next(&mut lamps);
        }
        (!lamps.is_empty()).then(|| {
            view! {
                <ol class="way" id="way" aria-label="Connection to the agent">
                    {lamps.into_iter().map(lamp).collect_view()}
                </ol>
            }
            .into_any()
        })
    };
    view! { {move || strip().into_any()} }
}

/// The panel, once the run is over; nothing where nothing stands between.
#[component]
pub(super) fn Reach(page: Page) -> impl IntoView {
    let why = move || {
        let is_over = page.phase.get() == RunPhase::Done;
        let panel = page.way.with(|way| way.panel.clone()).filter(|_| is_over);
        panel.map(|panel| view! { <Why page panel/> }.into_any())
    };
    view! { {move || why().into_any()} }
}

fn lamp(lamp: StageLight) -> AnyView {
    view! {
        <li data-stage=lamp.id data-light=lamp.light>
            <Shape id=lamp.shape/>
            <b>{lamp.title}</b>
            <span>{lamp.word}</span>
        </li>
    }
    .into_any()
}

/// Why the agent is not reached, and what to do.
#[component]
fn Why(page: Page, panel: Panel) -> impl IntoView {
    let diagnosis = panel.text();
    let action = action(page, &panel);
    let fix = (panel.action == Action::Fix)
        .then(|| view! { <FixPicker page home=panel.home headers=panel.headers/> }.into_any());
    let causes = (!panel.causes.is_empty()).then(|| {
        view! {
            <ol class="causes" id="reach-causes">
                {lines(panel.causes)}
            </ol>
        }
        .into_any()
    });
    let also = panel.also.into_iter().map(|other| view! { <p class="note">{format!("Also: {other}")}</p> }.into_any());
    view! {
        <section class="why" id="reach" aria-labelledby="reach-title" data-reason=panel.reason>
            <h3 id="reach-title">{panel.title}</h3>
            <p>{panel.meaning}</p>
            {causes}
            <p class="remedy" id="reach-remedy">{panel.remedy}</p>
            <p class="buttons">
                {action}
                <CopyButton class="plain" id="copy-diagnosis" text=move || diagnosis.clone()>
                    "Copy the diagnosis"
                </CopyButton>
            </p>
            {fix}
            {also.collect_view()}
            <ReachEvidence trail=panel.trail curls=panel.curls/>
            <WaysOut page free_at_home=panel.free_at_home/>
        </section>
    }
}

/// The one thing to do.
fn action(page: Page, panel: &Panel) -> AnyView {
    let label = panel.label.clone();
    let copy = |text: UnsyncCallback<(), String>, label: String| {
        view! { <CopyButton class="primary" id="reach-action" text>{label}</CopyButton> }.into_any()
    };
    let button = |press: Box<dyn Fn()>, label: String| {
        view! {
            <button type="button" class="primary" id="reach-action" on:click=move |_| press()>
                {label}
            </button>
        }
        .into_any()
    };
    match panel.action {
        Action::Fix => {
            let (home, headers) = (panel.home.clone(), panel.headers.clone());
            let text = move || chosen(page).map(|stack| stack.fix(&home, &headers)).unwrap_or_default();
            copy(text.into(), label)
        }
        Action::Local => {
            let address = page.address.get_untracked();
            let ways =
                cors_snippets::ways_out(&window().location().href().unwrap_or_default(), &address, panel.free_at_home);
            let command = ways.into_iter().next().map(|(_, command)| command).unwrap_or_default();
            copy((move || command.clone()).into(), label)
        }
        // A diagnosis is only of what could be requested: http or https.
        Action::Tab => view! {
            <a
                class="primary button"
                id="reach-action"
                target="_blank"
                rel="noreferrer noopener"
                href=panel.url.clone()
            >
                {label}
            </a>
        }
        .into_any(),
        Action::Again => button(Box::new(move || run::start_again(page)), label),
        Action::Wait => {
            let (id, timeouts) = (panel.waited_for.clone(), panel.timeouts);
            let press = move || {
                page.settings.update(|settings| settings.wait(&id, timeouts));
                run::start_again(page);
            };
            button(Box::new(press), label)
        }
        Action::Address => {
            let press = || {
                focus("address");
            };
            button(Box::new(press), label)
        }
    }
}

/// The stack that is chosen; tracks.
fn chosen(page: Page) -> Option<ServerStack> {
    stack_of(&page.stack.get())
}

/// The stack of that id, or the first.
fn stack_of(id: &str) -> Option<ServerStack> {
    let stacks = cors_snippets::stacks();
    stacks.iter().find(|stack| stack.id == id).or(stacks.first()).copied()
}

/// The fix for the server stack that the visitor chooses.
#[component]
fn FixPicker(page: Page, home: String, headers: Vec<String>) -> impl IntoView {
    // Untracked: choosing another stack changes the snippet and not the whole panel.
    let selected = stack_of(&page.stack.get_untracked()).map(|stack| stack.id);
    let option = |stack: ServerStack| {
        view! {
            <option value=stack.id selected=selected == Some(stack.id)>{stack.title}</option>
        }
        .into_any()
    };
    let change = move |event| {
        let id = event_target_value(&event);
        storage::set_stack(&id);
        page.stack.set(id);
    };
    let snippet = move || {
        chosen(page).map(|stack| {
            view! {
                <p class="note">{stack.place}</p>
                <pre class="body" id="snippet" tabindex="0" aria-label="The fix">
                    <code>{stack.fix(&home, &headers)}</code>
                </pre>
            }
            .into_any()
        })
    };
    view! {
        <div class="picker">
            <label class="field">
                <span>"Your agent runs on"</span>
                <select id="stack" on:change=change>
                    {cors_snippets::stacks().into_iter().map(option).collect_view()}
                </select>
            </label>
            {move || snippet().into_any()}
        </div>
    }
}

/// A command, and the button that copies it.
#[component]
fn Command(text: String) -> impl IntoView {
    let copied = text.clone();
    view! {
        <pre class="body" tabindex="0">
            <code>{text}</code>
        </pre>
        <CopyButton class="export" text=move || copied.clone()>
            <b>"Copy"</b>
            <span></span>
        </CopyButton>
    }
}

/// The evidence of the diagnosis, and how to see more.
#[component]
fn ReachEvidence(trail: Vec<(String, String)>, curls: Vec<String>) -> impl IntoView {
    let step = |(asked, met): (String, String)| {
        view! {
            <li>
                <code>{asked}</code>
                ": "
                {met}
            </li>
        }
        .into_any()
    };
    view! {
        <details class="fold" id="reach-evidence">
            <summary>"Requests and their results"</summary>
            <ol id="reach-trail">{trail.into_iter().map(step).collect_view()}</ol>
            <p class="note">"These two commands show what a page cannot see:"</p>
            <div id="reach-curl">{curls.into_iter().map(|text| view! { <Command text/> }).collect_view()}</div>
        </details>
    }
}

#[component]
fn WaysOut(page: Page, free_at_home: bool) -> impl IntoView {
    let here = window().location().href().unwrap_or_default();
    let ways = cors_snippets::ways_out(&here, &page.address.get_untracked(), free_at_home);
    let way = |(title, text)| {
        view! {
            <p class="note">{title}</p>
            <Command text/>
        }
        .into_any()
    };
    fold("reach-local", "Ways around the browser".to_owned(), ways.into_iter().map(way).collect_view().into_any())
}
