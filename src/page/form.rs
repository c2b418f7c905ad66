//! The form: the address, what will be fetched, the settings behind one disclosure, run and stop.

use leptos::prelude::*;

use super::run;
use super::state::{Page, Phase};
use super::view::form::{Preview, preview};
use crate::engine::prompt::Behaviour;

/// The form.
pub(super) fn form(page: Page) -> AnyView {
    let is_running = move || page.phase.get() == Phase::Running;
    let submit = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        if !page.is_running() {
            run::start(page);
        }
    };
    let press_stop = move |_| {
        run::stop(page);
        super::keys::focus("run");
    };
    view! {
        <form class="target" id="target" novalidate on:submit=submit>
            <label for="address">"Agent address"</label>
            <div class="bar">
                <input id="address" name="address" type="url" inputmode="url" autocomplete="url" autocapitalize="off" spellcheck="false"
                    placeholder="https://agent.example.com" aria-describedby="preview problem"
                    prop:value=move || page.address.get()
                    on:input=move |event| {
                        page.address.set(event_target_value(&event));
                        page.problem.set(String::new());
                    } />
                <button type="submit" class="primary" id="run" aria-disabled=move || is_running().to_string()>"Run"</button>
                <button type="button" class="plain" id="stop" disabled=move || !is_running() on:click=press_stop>"Stop"</button>
            </div>
            <p class="preview" id="preview">{move || shown(&preview(&page.address.get(), page.home))}</p>
            {offline()}
            <p class="problem" id="problem" role="alert">{move || sentence(&page.problem.get())}</p>
            {settings(page)}
        </form>
    }
    .into_any()
}

/// Says so while the browser has no network. Only its `false` can be relied on.
fn offline() -> AnyView {
    let is_online = || window().navigator().on_line();
    let online = RwSignal::new(is_online());
    for name in ["online", "offline"] {
        let handle = window_event_listener_untyped(name, move |_| online.set(is_online()));
        // The page is never taken down.
        std::mem::forget(handle);
    }
    let text = "This browser is offline. The demo agent and agents on this machine can be checked all the same.";
    let note = move || (!online.get()).then(|| view! { <span class="hint" id="offline">{text}</span> });
    view! { <p role="status">{note}</p> }.into_any()
}

fn shown(preview: &Preview) -> AnyView {
    match preview {
        Preview::Nothing => "An origin, a base path or the URL of an agent card.".into_any(),
        Preview::Refused(problem) => sentence(problem).into_any(),
        Preview::Fetch { first, others, hint } => {
            let others = match others {
                0 => "",
                1 => ", then one other place",
                _ => ", then the other usual places",
            };
            view! {
                "Will fetch " <code id="card-url">{first.clone()}</code> {others} "."
                {hint.map(|hint| view! { <span class="hint">{hint}</span> })}
            }
            .into_any()
        }
    }
}

/// Problems are lower-case fragments; on the page they stand alone.
fn sentence(problem: &str) -> String {
    let mut letters = problem.chars();
    match letters.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str().trim_end_matches('.')),
        None => String::new(),
    }
}

fn settings(page: Page) -> AnyView {
    let summary = move || page.settings.with(super::view::form::Settings::summary);
    view! {
        <details class="settings" id="settings">
            <summary>"Credentials and options" <span class="note">{summary}</span></summary>
            <div class="fields">
                {credentials(page)}
                <label class="field short">
                    <span>"Seconds per conversation"</span>
                    <input id="timeout" type="text" inputmode="decimal" autocomplete="off" placeholder="60"
                        prop:value=move || page.settings.with(|settings| settings.timeout.clone())
                        on:input=move |event| page.settings.update(|settings| settings.timeout = event_target_value(&event)) />
                </label>
                {prompts(page)}
            </div>
        </details>
    }
    .into_any()
}

fn credentials(page: Page) -> AnyView {
    view! {
        <label class="field">
            <span>"Bearer token"</span>
            <input id="bearer" type="password" autocomplete="off" spellcheck="false"
                prop:value=move || page.settings.with(|settings| settings.bearer.clone())
                on:input=move |event| page.settings.update(|settings| settings.bearer = event_target_value(&event)) />
        </label>
        <label class="field">
            <span>"Other headers, one \u{201c}Name: value\u{201d} a line"</span>
            <textarea id="headers" rows="2" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="X-API-Key: \u{2026}"
                prop:value=move || page.settings.with(|settings| settings.headers.clone())
                on:input=move |event| page.settings.update(|settings| settings.headers = event_target_value(&event))></textarea>
        </label>
        <p class="note">"Credentials go to your agent and nowhere else. They are not stored, and they are masked in every report, link and command."</p>
    }
    .into_any()
}

fn prompts(page: Page) -> AnyView {
    let field = move |behaviour: Behaviour| {
        let text = move || page.settings.with(|settings| settings.prompts.get(&behaviour).cloned().unwrap_or_default());
        let change = move |event| {
            page.settings.update(|settings| {
                settings.prompts.insert(behaviour, event_target_value(&event));
            });
        };
        view! {
            <label class="field">
                <span>"A message that " {behaviour.title()}</span>
                <input type="text" autocomplete="off" data-prompt=behaviour.as_str() prop:value=text on:input=change />
            </label>
        }
        .into_any()
    };
    let fields: Vec<AnyView> = Behaviour::ALL.into_iter().map(field).collect();
    view! {
        <details class="prompts">
            <summary>"Messages that make your agent show a behaviour"</summary>
            <p class="note">"Left empty, examples of the card are sent. What your agent is never seen to do is left unjudged, not failed."</p>
            {fields}
        </details>
    }
    .into_any()
}
