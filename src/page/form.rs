//! The form and its labels: the address, what will be fetched, the settings behind one disclosure, run and stop; what is beyond:
//! `credentials.rs`, `second_address.rs`.

use leptos::ev;
use leptos::prelude::*;

use super::credentials::{Credentials, typed};
use super::focus::focus;
use super::second_address::SecondAddressFields;
use super::state::{Page, RunPhase};
use super::what_is_sent::WHERE_REQUESTS_GO;
use super::widgets::{button_unless, options, submitted};
use super::{checker_client, run};
use crate::engine::prompt::Behaviour;
use crate::view_model::choices::{CHOICES, ChoiceInput, ChoicePlace, RunChoice};
use crate::view_model::form::YES;
use crate::view_model::format::sentence;
use crate::view_model::link_request::pasted_link;
use crate::view_model::pasted;
use crate::view_model::preview::{Preview, preview};
use crate::view_model::second_address::SecondKind;
use crate::view_model::settings::Settings;

#[component]
pub(super) fn TargetForm(page: Page) -> impl IntoView {
    let is_running = move || page.phase.get() == RunPhase::Running;
    let submit = submitted(move || {
        if !page.is_running() {
            run::start(page);
        }
    });
    let taken = RwSignal::new(String::new());
    let edit = move |event| {
        let text = event_target_value(&event);
        page.problem.set(String::new());
        page.edited.set(true);
        match (pasted_link(&text), pasted::command(&text)) {
            (Some(link), _) => {
                taken.set("A link to this page, followed.".to_owned());
                page.follow(link);
            }
            (None, Some(command)) => {
                taken.set(command.said.clone());
                take(page, command);
            }
            (None, None) => {
                taken.set(String::new());
                page.address.set(text);
            }
        }
    };
    let preview = Memo::new(move |_| preview(&page.address.get(), &page.home));
    // While somebody types, half an address is nothing wrong.
    let is_invalid = move || !page.problem.get().is_empty() && matches!(preview.get(), Preview::Refused(_));
    let is_second =
        move || page.is_blocked() || page.linked.with(|link| link.setup.faults.is_some() || link.report.is_some());
    let stop = move || {
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
                // One primary action at a time: where something is in the way, that is what to do about it, and where a link asks for
                // something else, that.
                <button
                    type="submit"
                    class="run plain"
                    class:primary=move || !is_second()
                    id="run"
                    aria-disabled=move || is_running().to_string()
                >
                    "Run"
                </button>
                {button_unless(move || !page.is_busy(), "plain", "stop", "Stop", stop)}
            </div>
            <p class="preview" id="preview">{move || shown(preview.get())}</p>
            <p class="private">{WHERE_REQUESTS_GO}</p>
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
        Preview::Nothing => {
            "For example localhost:8080, https://agent.example.com/a2a, or the URL of an agent card.".into_any()
        }
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
    let mut times = fields(page, ChoicePlace::Times).into_iter();
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
                {fields(page, ChoicePlace::Run)}
                {fields(page, ChoicePlace::Card)}
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

/// The fields of the choices in this part of the form.
fn fields(page: Page, place: ChoicePlace) -> Vec<AnyView> {
    let here = CHOICES.iter().filter(|choice| choice.place == place);
    here.map(|choice| view! { <ChoiceField page choice/> }.into_any()).collect()
}

#[component]
fn ChoiceField(page: Page, choice: &'static RunChoice) -> impl IntoView {
    let RunChoice { id, title, class, input, .. } = *choice;
    let value = move || page.settings.with(|settings| settings.choice(id).to_owned());
    let set = move |typed: String| page.settings.update(|settings| settings.set_choice(id, typed));
    let typed = move |event| set(event_target_value(&event));
    let ticked = move |event| set(if event_target_checked(&event) { YES.to_owned() } else { String::new() });
    let (mode, usual) = match input {
        ChoiceInput::Number(usual) => ("numeric", usual),
        ChoiceInput::Text(usual) => ("text", usual),
        ChoiceInput::Menu(values) => {
            return view! {
                <label class=class>
                    <span>{title}</span>
                    <select id=id prop:value=move || value() on:change=typed>
                        {options(values())}
                    </select>
                </label>
            }
            .into_any();
        }
        ChoiceInput::Tick => {
            return view! {
                <label class=class>
                    <input type="checkbox" id=id prop:checked=move || !value().is_empty() on:change=ticked/>
                    <span>{title}</span>
                </label>
            }
            .into_any();
        }
    };
    view! {
        <label class=class>
            <span>{title}</span>
            <input
                type="text"
                inputmode=mode
                autocomplete="off"
                spellcheck="false"
                id=id
                placeholder=usual
                prop:value=move || value()
                on:input=typed
            />
        </label>
    }
    .into_any()
}

#[component]
fn Prompts(page: Page) -> impl IntoView {
    let prompt = |behaviour| prompt_field(page, behaviour, None);
    view! {
        <details class="prompts">
            <summary>"Prompts: messages that make your agent show a behaviour"</summary>
            {fields(page, ChoicePlace::Prompts)}
            <p class="note">
                "Where a field is empty, the card’s examples are sent. What your agent never does is not judged, and does not fail."
            </p>
            {Behaviour::ALL.into_iter().map(prompt).collect_view()}
        </details>
    }
}

/// The field of a behaviour's message, with an id where it stands alone.
pub(super) fn prompt_field(page: Page, behaviour: Behaviour, id: Option<&'static str>) -> AnyView {
    let name = behaviour.as_str();
    let text = move || page.settings.with(|settings| settings.prompts.get(behaviour).unwrap_or_default().to_owned());
    let change = move |event| {
        page.settings.update(|settings| settings.prompts.set(behaviour, event_target_value(&event)));
    };
    view! {
        <label class="field">
            <span>
                // The name by which reasons and the command line speak of it.
                <code>{name}</code>
                {format!(": a message that {}", behaviour.title())}
            </span>
            <input
                type="text"
                id=id
                autocomplete="off"
                data-prompt=id.is_none().then(|| name.to_owned())
                prop:value=move || text()
                on:input=change
            />
        </label>
    }
    .into_any()
}
