//! A field for an address with a button beside it. No form, since it may stand in one: Enter does what the button does.

use leptos::ev;
use leptos::prelude::*;

/// The field and its button, by their ids.
pub(super) fn address_field(
    [field, button]: [&'static str; 2],
    label: &'static str,
    placeholder: &'static str,
    says: &'static str,
    typed: RwSignal<String>,
    act: Callback<()>,
) -> AnyView {
    let key = move |event: ev::KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
            act.run(());
        }
    };
    view! {
        <div class="several-catalogue">
            <label for=field>{label}</label>
            <div class="bar">
                <input
                    id=field
                    type="text"
                    inputmode="url"
                    autocapitalize="off"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder=placeholder
                    prop:value=move || typed.get()
                    on:input=move |event| typed.set(event_target_value(&event))
                    on:keydown=key
                />
                <button type="button" class="plain" id=button on:click=move |_| act.run(())>
                    {says}
                </button>
            </div>
        </div>
    }
    .into_any()
}
