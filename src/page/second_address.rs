//! The second address of the form: another agent, or a gateway, and the credential of that agent.

use leptos::prelude::*;

use super::state::Page;
use super::view::second_address::{SecondAddress, SecondKind};

/// The field of the address.
pub(super) const FIELD: &str = "second-address";

/// The group of the fields.
const GROUP: &str = "second-address-group";

/// Shows the field, for somebody who has to change what is there.
pub(super) fn open() {
    for id in ["settings", GROUP] {
        if let Some(group) = document().get_element_by_id(id) {
            let _ = group.set_attribute("open", "");
        }
    }
}

/// Changes what the form says of it.
fn change(page: Page, change: impl FnOnce(&mut SecondAddress)) {
    page.problem.set(String::new());
    page.edited.set(true);
    page.settings.update(|settings| change(&mut settings.second));
}

/// The group of fields.
#[component]
pub(super) fn SecondAddressFields(page: Page) -> impl IntoView {
    let kind = Memo::new(move |_| page.settings.with(|settings| settings.second.kind));
    let is_peer = move || kind.get() == SecondKind::Peer;
    let is_invalid = move || {
        let problem = page.problem.with(|problem| !problem.is_empty());
        problem && page.address.with(|address| page.settings.with(|settings| settings.is_second_refused(address)))
    };
    let choice = move |of: SecondKind| {
        view! {
            <label class="field tick">
                <input
                    type="radio"
                    name="second-kind"
                    value=of.as_str()
                    prop:checked=move || kind.get() == of
                    on:change=move |_| change(page, |second| second.kind = of)
                />
                <span>{of.title()}</span>
            </label>
        }
        .into_any()
    };
    let is_open = page.settings.with_untracked(|settings| settings.second.is_given());
    view! {
        <details class="prompts" id=GROUP open=is_open>
            <summary>"A second address"</summary>
            <label class="field">
                <span>"The address of another agent, or of a gateway"</span>
                <input
                    id=FIELD
                    type="text"
                    inputmode="url"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    placeholder="https://other.example.com"
                    aria-describedby="problem second-meaning"
                    aria-invalid=move || is_invalid().to_string()
                    prop:value=move || page.settings.with(|settings| settings.second.address.clone())
                    on:input=move |event| change(page, |second| second.address = event_target_value(&event))
                />
            </label>
            <fieldset class="choice">
                <legend>"It is"</legend>
                {SecondKind::ALL.map(choice).collect_view()}
            </fieldset>
            <p class="note" id="second-meaning">{move || kind.get().meaning()}</p>
            <label class="field" class:hidden=move || !is_peer()>
                <span>"The credential of the other agent: a bearer token, or a header as \u{201c}Name: value\u{201d}"</span>
                <input
                    id="second-credential"
                    type="password"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || page.settings.with(|settings| settings.second.credential().to_owned())
                    on:change=move |event| change(page, |second| second.set_credential(event_target_value(&event)))
                />
            </label>
            <p class="note" class:hidden=move || !is_peer()>
                "It is sent to that agent alone, is kept nowhere, and is not in the link. The credentials above go to the first agent only."
            </p>
            <p class="note" class:hidden=is_peer>
                "The credentials above go through the gateway, too."
            </p>
        </details>
    }
}
