//! The form: the address, what will be fetched, the settings behind one disclosure, run and stop.

use leptos::prelude::*;

use super::erase::{Child, El, Fixed, View, el, html, live, tag};
use super::signal::Signal;
use super::state::{Page, Phase};
use super::view::form::{Field, Settings, TIMES, YES, fields};
use super::view::preview::{Preview, preview};
use super::{run, store};
use crate::engine::detect::versions;
use crate::engine::prompt::{Behaviour, Profile};
use crate::engine::security_schemes::SecurityScheme;

/// The form.
pub(super) fn form(page: Page) -> View {
    let is_running = move || page.phase.get() == Phase::Running;
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        if !page.is_running() {
            run::start(page);
        }
    };
    let press_stop = move |_| {
        run::stop(page);
        super::keys::focus("run");
    };
    let fixed: Fixed = &[
        ("id", "address"),
        ("name", "address"),
        ("type", "url"),
        ("inputmode", "url"),
        ("autocomplete", "url"),
        ("autocapitalize", "off"),
        ("spellcheck", "false"),
        ("placeholder", "https://agent.example.com"),
        ("aria-describedby", "preview problem"),
    ];
    let address = el("input", fixed).prop("value", move || page.address.get()).on("input", move |event| {
        page.address.set(event_target_value(&event));
        page.problem.set(String::new());
    });
    // One primary action at a time: where something is in the way, that is what to do about it.
    let run = el("button", &[("type", "submit"), ("class", "run"), ("id", "run")])
        .class("primary", move || !super::reach::is_blocked(page))
        .class("plain", move || super::reach::is_blocked(page))
        .live("aria-disabled", move || is_running().to_string())
        .child("Run");
    let stop = el("button", &[("type", "button"), ("class", "plain"), ("id", "stop")])
        .live_if("disabled", move || !is_running())
        .on("click", press_stop)
        .child("Stop");
    let preview = el("p", &[("class", "preview"), ("id", "preview")])
        .child(live(move || shown(preview(&page.address.get(), &page.home))));
    let problem = el("p", &[("class", "problem"), ("id", "problem"), ("role", "alert")])
        .text(move || sentence(&page.problem.get()));
    el("form", &[("class", "target"), ("id", "target"), ("novalidate", "")])
        .on("submit", submit)
        .child(html("<label for=\"address\">Agent address</label>"))
        .child(el("div", &[("class", "bar")]).child(address).child(run).child(stop))
        .child(preview)
        .child(offline())
        .child(problem)
        .child(settings(page))
        .view()
}

/// Says so while the browser has no network. Only its `false` can be relied on.
fn offline() -> El {
    let is_online = || window().navigator().on_line();
    let online = Signal::new(is_online());
    for name in ["online", "offline"] {
        let online = online.clone();
        let handle = window_event_listener_untyped(name, move |_| online.set(is_online()));
        // The page is never taken down.
        std::mem::forget(handle);
    }
    let text = "This browser is offline. The demo agent and agents on this machine can still be checked.";
    let note = move || (!online.get()).then(|| el("span", &[("class", "hint"), ("id", "offline")]).child(text));
    el("p", &[("role", "status")]).child(live(note))
}

fn shown(preview: Preview) -> View {
    match preview {
        Preview::Nothing => "An origin, a base path or the URL of an agent card.".view(),
        Preview::Refused(problem) => sentence(&problem).view(),
        Preview::Fetch { first, others, hint } => {
            let others = match others {
                0 => ".",
                1 => ", then one other place.",
                _ => ", then the other usual places.",
            };
            vec![
                "Will fetch ".view(),
                el("code", &[("id", "card-url")]).child(first).view(),
                others.view(),
                hint.map(|hint| tag("span", "hint", hint)).view(),
            ]
            .view()
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

fn settings(page: Page) -> El {
    let summary = move || page.settings.with(Settings::summary);
    let mut times = TIMES.into_iter().map(|(id, title, usual)| time(page, id, title, usual).view());
    let timeout = times.next();
    let times: Vec<View> = times.collect();
    let times =
        el("details", &[("class", "prompts")]).child(html("<summary>Waiting times, in seconds</summary>")).child(times);
    let summary =
        el("summary", &[]).child("Credentials and options ").child(el("span", &[("class", "note")]).text(summary));
    let fields = el("div", &[("class", "fields")])
        .child(credentials(page))
        .child(timeout)
        .child(version(page))
        .child(times)
        .child(prompts(page));
    el("details", &[("class", "settings"), ("id", "settings")]).child(summary).child(fields)
}

/// A time that can be set.
fn time(page: Page, id: &'static str, title: &'static str, usual: &'static str) -> El {
    let input = el("input", &[("type", "text"), ("inputmode", "numeric"), ("autocomplete", "off")])
        .attr("id", id)
        .attr("placeholder", usual)
        .prop("value", move || page.settings.with(|settings| settings.time(id).to_owned()))
        .on("input", move |event| page.settings.update(|settings| settings.set_time(id, event_target_value(&event))));
    el("label", &[("class", "field short")]).child(tag("span", "", title)).child(input)
}

fn credentials(page: Page) -> Vec<View> {
    let fixed: Fixed = &[("id", "bearer"), ("type", "password"), ("autocomplete", "off"), ("spellcheck", "false")];
    let bearer = el("input", fixed)
        .prop("value", move || page.settings.with(|settings| settings.bearer.clone()))
        .on("input", move |event| typed(page, |settings| settings.bearer = event_target_value(&event)));
    let fixed: Fixed = &[
        ("id", "headers"),
        ("rows", "2"),
        ("autocomplete", "off"),
        ("autocapitalize", "off"),
        ("spellcheck", "false"),
        ("placeholder", "X-API-Key: \u{2026}"),
    ];
    let headers = el("textarea", fixed)
        .prop("value", move || page.settings.with(|settings| settings.headers.clone()))
        .on("input", move |event| typed(page, |settings| settings.headers = event_target_value(&event)));
    let kept = tick(
        "Keep them in this tab until it is closed",
        page,
        |settings| settings.kept,
        move |settings, on| {
            settings.kept = on;
            keep(page, settings);
        },
    );
    vec![
        field("Bearer token", bearer).view(),
        field(
            "Other headers, one \u{201c}Name: value\u{201d} per line; begin a line with \u{201c}rest-1.0=\u{201d} for \
             that interface only",
            headers,
        )
        .view(),
        live(move || asked(page)).view(),
        html(
            "<p class=\"note\">Credentials go to your agent, and to another origin only where you allow it here. They are \
             not stored unless you say so, and they are masked in every report, link and command.</p>",
        ),
        kept.view(),
    ]
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

/// Keeps the credentials for a reload, or forgets them, as the visitor wants it.
pub(super) fn keep(page: Page, settings: &Settings) {
    let packed = || page.address.with_untracked(|address| settings.packed(address));
    store::keep_credentials(settings.kept.then(packed).as_deref());
}

/// Fields for what the card of the last run asks for.
fn asked(page: Page) -> Vec<View> {
    // What is told there is that other credentials were taken up, and nothing is sent that is not shown.
    let _ = page.problem.get();
    let (asks, elsewhere) = page
        .agent
        .with(|agent| agent.as_ref().map(|agent| (agent.asks.clone(), agent.elsewhere.clone())))
        .unwrap_or_default();
    let given = page.settings.with_untracked(|settings| settings.given.clone());
    let mut views: Vec<View> =
        fields(&asks, &elsewhere, &given).into_iter().map(|asked| asked_field(page, asked)).collect();
    for asked in asks {
        // What the button does is written in style/sign-in.js: only browsers can sign anybody in.
        let button = el("button", &[("type", "button"), ("class", "plain"), ("data-sign-in", "")]).child("Sign in");
        let button = match asked {
            SecurityScheme::OAuth { token_url, authorize_url, .. } if !authorize_url.is_empty() => {
                button.attr("data-authorize", authorize_url).attr("data-token", token_url)
            }
            SecurityScheme::OpenId { url } => button.attr("data-provider", url),
            _ => continue,
        };
        views.push(el("p", &[]).child(button).child(el("span", &[("class", "note"), ("role", "status")])).view());
    }
    views
}

fn asked_field(page: Page, asked: Field) -> View {
    let Field { name, label } = asked;
    let key = name.clone();
    if name.starts_with("allow:") {
        let is_on = move |settings: &Settings| settings.given(&name) == YES;
        let shown = key.clone();
        return tick(label, page, is_on, move |settings, on| {
            settings.give(&key, if on { YES } else { "" }.to_owned());
        })
        .attr("data-key", shown)
        .view();
    }
    let kind = if matches!(name.as_str(), "id" | "scope" | "token") { "text" } else { "password" };
    let input = el("input", &[("autocomplete", "off"), ("spellcheck", "false")])
        .attr("type", kind)
        .attr("data-key", name.clone())
        .prop("value", move || page.settings.with(|settings| settings.given(&name).to_owned()))
        .on("change", move |event| typed(page, |settings| settings.give(&key, event_target_value(&event))));
    field(label, input).view()
}

/// A box to tick.
fn tick(
    label: impl Child,
    page: Page,
    is_on: impl Fn(&Settings) -> bool + 'static,
    change: impl Fn(&mut Settings, bool) + 'static,
) -> El {
    let input = el("input", &[("type", "checkbox")])
        .prop("checked", move || page.settings.with(&is_on))
        .on("change", move |event| page.settings.update(|settings| change(settings, event_target_checked(&event))));
    el("label", &[("class", "field tick")]).child(input).child(tag("span", "", label))
}

fn field(label: impl Child, input: El) -> El {
    el("label", &[("class", "field")]).child(tag("span", "", label)).child(input)
}

/// A menu of values with their titles.
fn choice(id: &'static str, options: impl Iterator<Item = (&'static str, &'static str)>) -> El {
    let mut menu = Vec::new();
    for (value, title) in options {
        menu.push(el("option", &[]).attr("value", value).child(title).view());
    }
    el("select", &[]).attr("id", id).child(menu)
}

/// The version to judge by, for agents whose card says something else.
fn version(page: Page) -> El {
    let known = versions().map(|version| (version, version));
    let menu = choice("version", [("", "as the card says")].into_iter().chain(known))
        .prop("value", move || page.settings.with(|settings| settings.version.clone()))
        .on("change", move |event| page.settings.update(|settings| settings.version = event_target_value(&event)));
    el("label", &[("class", "field short")]).child(tag("span", "", "Protocol version")).child(menu)
}

fn prompts(page: Page) -> El {
    let prompt = move |behaviour: Behaviour| {
        let text =
            move || page.settings.with(|settings| settings.prompts.get(behaviour).unwrap_or_default().to_owned());
        let change = move |event| {
            page.settings.update(|settings| {
                settings.prompts.set(behaviour, event_target_value(&event));
            });
        };
        let input = el("input", &[("type", "text"), ("autocomplete", "off")])
            .attr("data-prompt", behaviour.as_str())
            .prop("value", text)
            .on("input", change);
        field(format!("A message that {}", behaviour.title()), input).view()
    };
    let fields: Vec<View> = Behaviour::ALL.into_iter().map(prompt).collect();
    let conventions = [
        ("", "by the agent card"),
        (Profile::Generic.as_str(), "none: examples of the card"),
        (Profile::AgentBin.as_str(), "AgentBin\u{2019}s first words"),
        (Profile::Kit.as_str(), "the message ids of the protocol\u{2019}s test kit"),
    ];
    let profile = choice("profile", conventions.into_iter())
        .prop("value", move || page.settings.with(|settings| settings.profile.clone()))
        .on("change", move |event| page.settings.update(|settings| settings.profile = event_target_value(&event)));
    el("details", &[("class", "prompts")])
        .child(html("<summary>Messages that make your agent show a behaviour</summary>"))
        .child(field("The convention that your agent follows", profile))
        .child(html(
            "<p class=\"note\">Where a field is empty, the card\u{2019}s examples are sent. What your agent never \
             does is not judged, and does not fail.</p>",
        ))
        .child(fields)
}
