//! The form: the address, what will be fetched, the settings behind one disclosure, run and stop.

use leptos::ev;
use leptos::prelude::*;

use super::focus::focus;
use super::state::{Page, Phase};
use super::view::form::{Field, YES, fields, second_fields};
use super::view::preview::{Preview, preview};
use super::view::settings::{Settings, TIMES};
use super::{on_demand, run};
use crate::engine::detect::versions;
use crate::engine::prompt::{Behaviour, Profile};
use crate::engine::security_schemes::SecurityScheme;

/// The form.
#[component]
pub(super) fn TargetForm(page: Page) -> impl IntoView {
    let is_running = move || page.phase.get() == Phase::Running;
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if !page.is_running() {
            run::start(page);
        }
    };
    let edit = move |event| {
        page.address.set(event_target_value(&event));
        page.problem.set(String::new());
    };
    let stop = move |_| {
        run::stop(page);
        focus("run");
    };
    view! {
        <form class="target" id="target" novalidate=true on:submit=submit>
            <label for="address">"Agent address"</label>
            <div class="bar">
                <input
                    id="address"
                    name="address"
                    type="url"
                    inputmode="url"
                    autocomplete="url"
                    autocapitalize="off"
                    spellcheck="false"
                    placeholder="https://agent.example.com"
                    aria-describedby="preview problem"
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
                <button type="button" class="plain" id="stop" disabled=move || !is_running() on:click=stop>
                    "Stop"
                </button>
            </div>
            <p class="preview" id="preview">{move || shown(preview(&page.address.get(), &page.home))}</p>
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
        let text = if on_demand::is_here() {
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
        Preview::Fetch { first, others, hint } => {
            let others = match others {
                0 => ".",
                1 => ", then one other place.",
                _ => ", then the other usual places.",
            };
            view! {
                "Will fetch "
                <code id="card-url">{first}</code>
                {others}
                {hint.map(|hint| view! { <span class="hint">{hint}</span> }.into_any())}
            }
            .into_any()
        }
    }
}

/// Problems are lower-case fragments; on the page they stand alone.
fn sentence(problem: &str) -> String {
    let mut letters = problem.chars();
    match letters.next() {
        Some(first) => format!("{}{}.", first.to_ascii_uppercase(), letters.as_str().trim_end_matches('.')),
        None => String::new(),
    }
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
                <Version page/>
                <TrustedKeys page/>
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

#[component]
fn Credentials(page: Page) -> impl IntoView {
    let set_bearer = move |event| typed(page, |settings| settings.bearer = event_target_value(&event));
    let set_headers = move |event| typed(page, |settings| settings.headers = event_target_value(&event));
    let keep = move |event| {
        page.settings.update(|settings| {
            settings.kept = event_target_checked(&event);
            page.save_credentials(settings);
        });
    };
    view! {
        <label class="field">
            <span>"Bearer token"</span>
            <input
                id="bearer"
                type="password"
                autocomplete="off"
                spellcheck="false"
                prop:value=move || page.settings.with(|settings| settings.bearer.clone())
                on:input=set_bearer
            />
        </label>
        <label class="field">
            <span>
                "Other headers, one \u{201c}Name: value\u{201d} per line; begin a line with \u{201c}rest-1.0=\u{201d} for \
             that interface only"
            </span>
            <textarea
                id="headers"
                rows="2"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                placeholder="X-API-Key: \u{2026}"
                prop:value=move || page.settings.with(|settings| settings.headers.clone())
                on:input=set_headers
            ></textarea>
        </label>
        {move || asked(page)}
        <details class="prompts" id="second">
            <summary>"A second identity"</summary>
            <p class="note">
                "With the credentials of another user, who must not see the first one\u{2019}s tasks, it is checked that \
                 your agent keeps the two apart."
            </p>
            {move || second(page)}
        </details>
        <p class="note">
            "Credentials go to your agent, and to another origin only where you allow it here. They are not stored \
             unless you say so, and they are masked in every report, link and command."
        </p>
        <label class="field tick">
            <input
                type="checkbox"
                prop:checked=move || page.settings.with(|settings| settings.kept)
                on:change=keep
            />
            <span>"Keep them in this tab until it is closed"</span>
        </label>
    }
}

/// Takes in something that is typed among the credentials: it is meant for the address that is there now.
fn typed(page: Page, change: impl FnOnce(&mut Settings)) {
    let mut turned = Ok(());
    page.address.with_untracked(|address| {
        page.settings.update(|settings| turned = settings.meant_for(address, change));
    });
    if let Err(why) = turned {
        page.problem.set(why);
    }
}

/// Fields for what the card of the last run asks for.
fn asked(page: Page) -> AnyView {
    // What is told there is that other credentials were taken up, and nothing is sent that is not shown.
    page.problem.track();
    let (asks, elsewhere) = page
        .agent
        .with(|agent| agent.as_ref().map(|agent| (agent.asks.clone(), agent.elsewhere.clone())))
        .unwrap_or_default();
    let given = page.settings.with_untracked(|settings| settings.given.clone());
    let fields =
        fields(&asks, &elsewhere, &given).into_iter().map(|field| view! { <AskedField page field/> }.into_any());
    let sign_in = asks.into_iter().filter_map(|asked| match asked {
        SecurityScheme::OAuth { token_url, authorize_url, .. } if !authorize_url.is_empty() => {
            Some(view! { <SignIn authorize=authorize_url token=token_url/> }.into_any())
        }
        SecurityScheme::OpenId { url } => Some(view! { <SignIn provider=url/> }.into_any()),
        _ => None,
    });
    fields.chain(sign_in).collect_view().into_any()
}

/// Fields for a second identity.
fn second(page: Page) -> AnyView {
    page.problem.track();
    let asks = page.agent.with(|agent| agent.as_ref().map(|agent| agent.asks.clone())).unwrap_or_default();
    let given = page.settings.with_untracked(|settings| settings.given.clone());
    let fields = second_fields(&asks, &given).into_iter();
    fields.map(|field| view! { <AskedField page field/> }.into_any()).collect_view().into_any()
}

/// The button that signs somebody in. What it does is written in `style/sign-in.js`: only browsers can.
#[component]
fn SignIn(
    #[prop(optional)] authorize: Option<String>,
    #[prop(optional)] token: Option<String>,
    #[prop(optional)] provider: Option<String>,
) -> impl IntoView {
    view! {
        <p>
            <button
                type="button"
                class="plain"
                data-sign-in=""
                data-authorize=authorize
                data-token=token
                data-provider=provider
            >
                "Sign in"
            </button>
            <span class="note" role="status"></span>
        </p>
    }
}

#[component]
fn AskedField(page: Page, field: Field) -> impl IntoView {
    let Field { name, label } = field;
    let (shown, key) = (name.clone(), name.clone());
    if name.starts_with("allow:") {
        let change = move |event| {
            let answer = if event_target_checked(&event) { YES } else { "" };
            page.settings.update(|settings| settings.give(&name, answer.to_owned()));
        };
        return view! {
            <label class="field tick" data-key=key>
                <input
                    type="checkbox"
                    prop:checked=move || page.settings.with(|settings| settings.given(&shown) == YES)
                    on:change=change
                />
                <span>{label}</span>
            </label>
        }
        .into_any();
    }
    let kind = if matches!(name.as_str(), "id" | "scope" | "token") { "text" } else { "password" };
    view! {
        <label class="field">
            <span>{label}</span>
            <input
                autocomplete="off"
                spellcheck="false"
                type=kind
                data-key=key
                prop:value=move || page.settings.with(|settings| settings.given(&shown).to_owned())
                on:change=move |event| typed(page, |settings| settings.give(&name, event_target_value(&event)))
            />
        </label>
    }
    .into_any()
}

/// The options of a menu: values with their titles.
fn options(options: impl IntoIterator<Item = (&'static str, &'static str)>) -> Vec<AnyView> {
    let option =
        |(value, title): (&'static str, &'static str)| view! { <option value=value>{title}</option> }.into_any();
    options.into_iter().map(option).collect()
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
                <span>{format!("A message that {}", behaviour.title())}</span>
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
        (Profile::AgentBin.as_str(), "AgentBin\u{2019}s first words"),
        (Profile::Kit.as_str(), "the message ids of the protocol\u{2019}s test kit"),
    ];
    view! {
        <details class="prompts">
            <summary>"Messages that make your agent show a behaviour"</summary>
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
