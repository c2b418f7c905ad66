//! The form: the address, what will be fetched, the settings behind one disclosure, run and stop.

use leptos::ev;
use leptos::prelude::*;

use super::credentials::{Credentials, typed};
use super::focus::focus;
use super::second_address::SecondAddressFields;
use super::state::{Page, RunPhase};
use super::view_model::format::sentence;
use super::view_model::pasted;
use super::view_model::preview::{Preview, preview};
use super::view_model::second_address::SecondKind;
use super::view_model::settings::{Settings, TIMES};
use super::{checker_client, run};
use crate::engine::detect::versions;
use crate::engine::prompt::{Behaviour, Profile};

/// The form.
#[component]
pub(super) fn TargetForm(page: Page) -> impl IntoView {
    let is_running = move || page.phase.get() == RunPhase::Running;
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if !page.is_running() {
            run::start(page);
        }
    };
    let taken = RwSignal::new(String::new());
    let edit = move |event| {
        let text = event_target_value(&event);
        page.problem.set(String::new());
        page.edited.set(true);
        match pasted::command(&text) {
            Some(command) => {
                taken.set(command.said.clone());
                take(page, command);
            }
            None => {
                taken.set(String::new());
                page.address.set(text);
            }
        }
    };
    let preview = Memo::new(move |_| preview(&page.address.get(), &page.home));
    // While somebody types, half an address is nothing wrong.
    let is_invalid = move || !page.problem.get().is_empty() && matches!(preview.get(), Preview::Refused(_));
    let stop = move |_| {
        run::stop(page);
        focus("run");
    };
    view! {
        <form
            class="target"
            class:edited=move || page.edited.get()
            id="target"
            novalidate=true
            on:submit=submit
        >
            <label for="address">"Agent address"</label>
            <div class="bar">
                <input
                    id="address"
                    name="address"
                    type="text"
                    inputmode="url"
                    autocomplete="url"
                    autocapitalize="off"
                    spellcheck="false"
                    placeholder="https://agent.example.com"
                    aria-describedby="preview problem"
                    aria-invalid=move || is_invalid().to_string()
                    prop:value=move || page.address.get()
                    on:input=edit
                />
                // One primary action at a time: where something is in the way, that is what to do about it.
                <button
                    type="submit"
                    class="run"
                    class:primary=move || !page.is_blocked()
                    class:plain=move || page.is_blocked()
                    id="run"
                    aria-disabled=move || is_running().to_string()
                >
                    "Run"
                </button>
                <button type="button" class="plain" id="stop" disabled=move || !page.is_busy() on:click=stop>
                    "Stop"
                </button>
            </div>
            <p class="preview" id="preview">{move || shown(preview.get())}</p>
            <p class="preview" id="taken" role="status">{move || taken.get()}</p>
            <OfflineNote/>
            <p class="problem" id="problem" role="alert">{move || sentence(&page.problem.get())}</p>
            <SettingsFold page/>
        </form>
    }
}

/// Says so while the browser has no network. Only its `false` can be relied on.
#[component]
fn OfflineNote() -> impl IntoView {
    let is_online = || window().navigator().on_line();
    let online = RwSignal::new(is_online());
    // The handles are dropped and the listeners stay: the page is never taken down.
    window_event_listener(ev::online, move |_| online.set(is_online()));
    window_event_listener(ev::offline, move |_| online.set(is_online()));
    let note = || {
        let text = if checker_client::is_here() {
            "This browser is offline. The demo agent and agents on this machine can still be checked."
        } else {
            "This browser is offline. Agents on this machine can still be checked."
        };
        view! { <span class="hint" id="offline">{text}</span> }.into_any()
    };
    view! { <p role="status">{move || (!online.get()).then(note).into_any()}</p> }
}

fn shown(preview: Preview) -> AnyView {
    match preview {
        Preview::Nothing => "An origin, a base path or the URL of an agent card.".into_any(),
        Preview::Refused(problem) => sentence(&problem).into_any(),
        Preview::Card => "An agent card: it is judged by itself, without a call to its agent.".into_any(),
        Preview::Fetch { first, others, unused, hint } => {
            let others = match others {
                0 => ".",
                1 => ", then one other place.",
                _ => ", then the other usual places.",
            };
            view! {
                "Will fetch "
                <code id="card-url">{first}</code>
                {others}
                {(!unused.is_empty()).then(|| view! { <span class="hint" id="unused">{left_out(&unused)}</span> }.into_any())}
                {hint.map(|hint| view! { <span class="hint">{hint}</span> }.into_any())}
            }
            .into_any()
        }
    }
}

fn left_out(unused: &str) -> String {
    format!("{unused} is left out: it is sent only with the address of the card itself, which ends in .json.")
}

/// Takes over what a command holds that was pasted into the field.
fn take(page: Page, command: pasted::CurlCommand) {
    page.address.set(command.address);
    if command.headers.is_empty() && command.basic.is_empty() {
        return;
    }
    typed(page, |settings| {
        settings.headers = command.headers.join("\n");
        settings.set_field("basic", command.basic);
    });
}

#[component]
fn SettingsFold(page: Page) -> impl IntoView {
    let mut times = TIMES.into_iter().map(|(id, title, usual)| view! { <Time page id title usual/> });
    let timeout = times.next();
    view! {
        <details class="settings" id="settings">
            <summary>
                "Credentials and options "
                <span class="note">{move || page.settings.with(Settings::summary)}</span>
            </summary>
            <div class="fields">
                <Credentials page/>
                {timeout}
                <Thorough page/>
                <Repeat page/>
                <Version page/>
                <TrustedKeys page/>
                <SecondAddressFields page kinds=options(SecondKind::ALL.map(|kind| (kind.as_str(), kind.title())))/>
                <details class="prompts">
                    <summary>"Waiting times, in seconds"</summary>
                    {times.collect_view()}
                </details>
                <Prompts page/>
            </div>
        </details>
    }
}

/// A time that can be set.
#[component]
fn Time(page: Page, id: &'static str, title: &'static str, usual: &'static str) -> impl IntoView {
    view! {
        <label class="field short">
            <span>{title}</span>
            <input
                type="text"
                inputmode="numeric"
                autocomplete="off"
                id=id
                placeholder=usual
                prop:value=move || page.settings.with(|settings| settings.time(id).to_owned())
                on:input=move |event| {
                    page.settings.update(|settings| settings.set_time(id, event_target_value(&event)));
                }
            />
        </label>
    }
}

/// The options of a menu: values with their titles.
fn options(options: impl IntoIterator<Item = (&'static str, &'static str)>) -> Vec<AnyView> {
    let option =
        |(value, title): (&'static str, &'static str)| view! { <option value=value>{title}</option> }.into_any();
    options.into_iter().map(option).collect()
}

/// Whether scenarios are driven, too, that cost many messages.
#[component]
fn Thorough(page: Page) -> impl IntoView {
    view! {
        <label class="field tick">
            <input
                type="checkbox"
                id="thorough"
                prop:checked=move || page.settings.with(|settings| settings.thorough)
                on:change=move |event| page.settings.update(|settings| settings.thorough = event_target_checked(&event))
            />
            <span>"Thorough: also run scenarios that cost many messages for what they find"</span>
        </label>
    }
}

/// How many times the agent is checked.
#[component]
fn Repeat(page: Page) -> impl IntoView {
    view! {
        <label class="field short">
            <span>"Runs in a row, to find what differs"</span>
            <input
                type="text"
                inputmode="numeric"
                autocomplete="off"
                id="repeat"
                placeholder="1"
                prop:value=move || page.settings.with(|settings| settings.repeat.clone())
                on:input=move |event| page.settings.update(|settings| settings.repeat = event_target_value(&event))
            />
        </label>
    }
}

/// The version to judge by, for agents whose card says something else.
#[component]
fn Version(page: Page) -> impl IntoView {
    let known = versions().map(|version| (version, version));
    view! {
        <label class="field short">
            <span>"Protocol version"</span>
            <select
                id="version"
                prop:value=move || page.settings.with(|settings| settings.version.clone())
                on:change=move |event| page.settings.update(|settings| settings.version = event_target_value(&event))
            >
                {options([("", "as the card says")].into_iter().chain(known))}
            </select>
        </label>
    }
}

/// The keys that may sign the card, for cards with signatures.
#[component]
fn TrustedKeys(page: Page) -> impl IntoView {
    view! {
        <label class="field">
            <span>"Keys that you trust to sign the card: the URL of a JSON Web Key Set, or the set itself"</span>
            <input
                id="jwks"
                type="text"
                autocomplete="off"
                spellcheck="false"
                prop:value=move || page.settings.with(|settings| settings.jwks.clone())
                on:input=move |event| page.settings.update(|settings| settings.jwks = event_target_value(&event))
            />
        </label>
    }
}

#[component]
fn Prompts(page: Page) -> impl IntoView {
    let prompt = move |behaviour: Behaviour| {
        let text =
            move || page.settings.with(|settings| settings.prompts.get(behaviour).unwrap_or_default().to_owned());
        let change = move |event| {
            page.settings.update(|settings| {
                settings.prompts.set(behaviour, event_target_value(&event));
            });
        };
        view! {
            <label class="field">
                <span>
                    // The name by which reasons and the command line speak of it.
                    <code>{behaviour.as_str()}</code>
                    {format!(": a message that {}", behaviour.title())}
                </span>
                <input
                    type="text"
                    autocomplete="off"
                    data-prompt=behaviour.as_str()
                    prop:value=move || text()
                    on:input=change
                />
            </label>
        }
        .into_any()
    };
    let conventions = [
        ("", "by the agent card"),
        (Profile::Generic.as_str(), "none: examples of the card"),
        (Profile::AgentBin.as_str(), "AgentBin\u{2019}s first words, and its acceptance list"),
        (Profile::Tck.as_str(), "the message ids of the protocol\u{2019}s test kit"),
    ];
    view! {
        <details class="prompts">
            <summary>"Prompts: messages that make your agent show a behaviour"</summary>
            <label class="field">
                <span>"The convention that your agent follows"</span>
                <select
                    id="profile"
                    prop:value=move || page.settings.with(|settings| settings.profile.clone())
                    on:change=move |event| page.settings.update(|settings| settings.profile = event_target_value(&event))
                >
                    {options(conventions)}
                </select>
            </label>
            <label class="field">
                <span>"Only these skills, by their ids"</span>
                <input
                    type="text"
                    id="skills"
                    autocomplete="off"
                    placeholder="all"
                    prop:value=move || page.settings.with(|settings| settings.skills.clone())
                    on:input=move |event| page.settings.update(|settings| settings.skills = event_target_value(&event))
                />
            </label>
            <p class="note">
                "Where a field is empty, the card’s examples are sent. What your agent never does is not judged, and does not fail."
            </p>
            {Behaviour::ALL.into_iter().map(prompt).collect_view()}
        </details>
    }
}
