//! The credentials of the form: general fields, those that the card calls for, a second identity, and a call to try them.

use leptos::prelude::*;

use super::checker_client::{CheckerAnswer, when_answered};
use super::run;
use super::state::Page;
use super::widgets::button;
use crate::engine::security_schemes::SecurityScheme;
use crate::view_model::form::{FormField, SECOND, YES, fields, general_fields, required_scopes, second_fields};
use crate::view_model::format::sentence;
use crate::view_model::messages::Question;
use crate::view_model::settings::Settings;

/// The credentials, and the button that tries them.
#[component]
pub(super) fn Credentials(page: Page) -> impl IntoView {
    let set_bearer = move |event| typed(page, |settings| settings.bearer = event_target_value(&event));
    let set_headers = move |event| typed(page, |settings| settings.headers = event_target_value(&event));
    let all = RwSignal::new(false);
    // Later typing changes nothing here: a field must not disappear while somebody writes in it.
    let general = Memo::new(move |_| {
        page.problem.track();
        let asks = page.agent.with(|agent| agent.as_ref().map(|agent| agent.asks.clone())).unwrap_or_default();
        page.settings.with_untracked(|settings| general_fields(&asks, &settings.bearer, &settings.headers))
    });
    let keep = move |event| {
        page.settings.update(|settings| {
            settings.kept = event_target_checked(&event);
            page.save_credentials(settings);
        });
    };
    view! {
        <label class="field" class:hidden=move || !all.get() && !general.get().0>
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
        <label class="field" class:hidden=move || !all.get() && !general.get().1>
            <span>
                "Other headers, one \u{201c}Name: value\u{201d} per line; for one interface only, begin the line with \
             \u{201c}jsonrpc-1.0=\u{201d} (JSON-RPC 1.0), \u{201c}rest-1.0=\u{201d} (HTTP+JSON 1.0) and so on"
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
        <AskedFields page identity=""/>
        <p class:hidden=move || all.get() || general.get() == (true, true)>
            {button("plain", "all-credentials", "Credentials that the card does not ask for", move || all.set(true))}
        </p>
        <TestButton page/>
        <details class="prompts" id="second">
            <summary>"A second identity"</summary>
            <p class="note">
                "With the credentials of another user, who must not see the first one\u{2019}s tasks, it is checked that \
                 your agent keeps the two apart."
            </p>
            <AskedFields page identity=SECOND/>
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
pub(super) fn typed(page: Page, change: impl FnOnce(&mut Settings)) {
    let mut turned = Ok(());
    page.address.with_untracked(|address| {
        page.settings.update(|settings| turned = settings.meant_for(address, change));
    });
    if let Err(why) = turned {
        page.problem.set(why);
    }
}

/// The fields for what the card of the last run asks for, and the buttons that sign somebody in where the card has a way to.
/// `identity` is what the names of the second identity's fields begin with.
#[component]
fn AskedFields(page: Page, identity: &'static str) -> impl IntoView {
    // A memo: fields that stay are not made anew with each run.
    let asked = Memo::new(move |_| {
        // The message there says that other credentials were taken up; nothing is sent that is not shown.
        page.problem.track();
        let (asks, elsewhere) = page
            .agent
            .with(|agent| agent.as_ref().map(|agent| (agent.asks.clone(), agent.elsewhere.clone())))
            .unwrap_or_default();
        let given = page.settings.with_untracked(|settings| settings.given.clone());
        let fields = if identity == SECOND { second_fields(&asks, &given) } else { fields(&asks, &elsewhere, &given) };
        (fields, asks)
    });
    let content = move || {
        let (fields, asks) = asked.get();
        let scopes = required_scopes(&asks);
        let field = |field: FormField| {
            let hint = if field.name == "scope" { scopes.clone() } else { String::new() };
            view! { <AskedField page field hint/> }.into_any()
        };
        let fields: Vec<AnyView> = fields.into_iter().map(field).collect();
        let sign_in = asks.into_iter().filter_map(|asked| match asked {
            SecurityScheme::OAuth { token_url, authorize_url, scopes, .. } if !authorize_url.is_empty() => {
                Some(view! { <SignIn identity authorize=authorize_url token=token_url scopes/> }.into_any())
            }
            SecurityScheme::OpenId { url, scopes } => Some(view! { <SignIn identity provider=url scopes/> }.into_any()),
            _ => None,
        });
        fields.into_iter().chain(sign_in).collect_view().into_any()
    };
    view! { {move || content()} }
}

/// The button that signs somebody in. What it does is written in `style/sign-in.js`: only browsers can.
#[component]
fn SignIn(
    identity: &'static str,
    #[prop(optional)] authorize: Option<String>,
    #[prop(optional)] token: Option<String>,
    #[prop(optional)] provider: Option<String>,
    scopes: String,
) -> impl IntoView {
    view! {
        <p>
            <button
                type="button"
                class="plain"
                data-sign-in=identity
                data-authorize=authorize
                data-token=token
                data-provider=provider
                data-scopes=scopes
            >
                "Sign in"
            </button>
            <span class="note" role="status"></span>
        </p>
    }
}

#[component]
fn AskedField(
    page: Page,
    field: FormField,
    /// The value that is used while the field is empty.
    hint: String,
) -> impl IntoView {
    let FormField { name, label } = field;
    let (shown, key) = (name.clone(), name.clone());
    if name.starts_with("allow:") {
        let change = move |event| {
            let answer = if event_target_checked(&event) { YES } else { "" };
            page.settings.update(|settings| settings.set_field(&name, answer.to_owned()));
        };
        return view! {
            <label class="field tick" data-key=key>
                <input
                    type="checkbox"
                    prop:checked=move || page.settings.with(|settings| settings.field(&shown) == YES)
                    on:change=change
                />
                <span>{label}</span>
            </label>
        }
        .into_any();
    }
    let kind = if matches!(name.as_str(), "id" | "second:id" | "scope" | "token") { "text" } else { "password" };
    view! {
        <label class="field">
            <span>{label}</span>
            <input
                autocomplete="off"
                spellcheck="false"
                type=kind
                placeholder=hint
                data-key=key
                prop:value=move || page.settings.with(|settings| settings.field(&shown).to_owned())
                on:change=move |event| typed(page, |settings| settings.set_field(&name, event_target_value(&event)))
            />
        </label>
    }
    .into_any()
}

/// The button that makes one call, to see whether the agent lets these credentials in. No row changes by it.
#[component]
fn TestButton(page: Page) -> impl IntoView {
    let said = RwSignal::new(String::new());
    let press = move || {
        if let Err(problem) = run::look_at_form(page) {
            return said.set(sentence(&problem));
        }
        said.set("Calling\u{2026}".to_owned());
        let (address, settings) = (page.address.get_untracked(), Box::new(page.settings.get_untracked()));
        let home = page.home.clone();
        when_answered(&Question::TestCall { address, settings, home }, move |result: CheckerAnswer<String>| {
            said.set(sentence(&result.unwrap_or_else(|problem| problem)));
        });
    };
    view! {
        <p>
            {button("plain", "test-call", "Make a test call", press)}
            " "
            <span class="note" id="test-call-result" role="status">{move || said.get()}</span>
        </p>
    }
}
