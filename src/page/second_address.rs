//! The fields of the second address, with their labels: another agent, or a gateway, and the credential of that agent.

use leptos::prelude::*;

use super::focus::unfold;
use super::state::Page;
use crate::view_model::second_address::{SecondAddress, SecondKind};

/// The field of the address.
pub(super) const FIELD: &str = "second-address";

/// The group of the fields.
const GROUP: &str = "second-address-group";

/// Shows the field, for somebody who has to change what is there.
pub(super) fn open() {
    unfold("settings");
    unfold(GROUP);
}

/// Takes in what was typed into one of the fields.
fn typed(page: Page, event: &web_sys::Event, change: fn(&mut SecondAddress, String)) {
    let typed = event_target_value(event);
    page.problem.set(String::new());
    page.is_second_refused.set(false);
    page.settings.update(|settings| change(&mut settings.second, typed));
}

/// What the form says of it; tracks.
fn told(page: Page, what: fn(&SecondAddress) -> String) -> String {
    page.settings.with(|settings| what(&settings.second))
}

/// The group of fields. `kinds` are the options of the menu.
#[component]
pub(super) fn SecondAddressFields(page: Page, kinds: Vec<AnyView>) -> impl IntoView {
    view! {
        <details class="prompts" id=GROUP>
            <summary>"A second address"</summary>
            <label class="field">
                <span>"The address of another agent, or of a gateway"</span>
                <input
                    id=FIELD
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    aria-describedby="problem second-meaning"
                    aria-invalid=move || page.is_second_refused.get().to_string()
                    prop:value=move || told(page, |second| second.address.clone())
                    on:input=move |event| typed(page, &event, |second, typed| second.address = typed)
                />
            </label>
            <label class="field">
                <span>"It is"</span>
                <select
                    id="second-kind"
                    prop:value=move || told(page, |second| second.kind.as_str().to_owned())
                    on:change=move |event| {
                        typed(page, &event, |second, typed| second.kind = SecondKind::parse(&typed).unwrap_or_default());
                    }
                >
                    {kinds}
                </select>
            </label>
            <label
                class="field"
                class:hidden=move || page.settings.with(|settings| settings.second.kind != SecondKind::Peer)
            >
                <span>"The credential of the other agent: a bearer token, or a header as \u{201c}Name: value\u{201d}"</span>
                <input
                    id="second-credential"
                    type="password"
                    autocomplete="off"
                    prop:value=move || told(page, |second| second.credential().to_owned())
                    on:change=move |event| typed(page, &event, SecondAddress::set_credential)
                />
            </label>
            <p class="note" id="second-meaning">{move || told(page, |second| second.kind.meaning().to_owned())}</p>
        </details>
    }
}
