//! The button that copies a text: the link to this page, a command, a request.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;

/// A button that copies a text, and says so where it was pressed.
#[component]
pub(super) fn CopyButton(
    /// `export`, `primary` or `plain`, as style sheets know buttons.
    class: &'static str,
    #[prop(optional)] id: Option<&'static str>,
    #[prop(into)] text: UnsyncCallback<(), String>,
    children: Children,
) -> impl IntoView {
    let said = RwSignal::new(String::new());
    let press = move |_| {
        let writing = JsFuture::from(window().navigator().clipboard().write_text(&text.run(())));
        spawn_local(async move {
            let text = if writing.await.is_ok() { "Copied" } else { "This browser did not let the page copy" };
            said.set(text.to_owned());
            set_timeout(move || said.set(String::new()), Duration::from_secs(3));
        });
    };
    view! {
        <span class="copy">
            <button type="button" class=class id=id on:click=press>
                {children()}
            </button>
            <span class="said" role="status">
                {move || said.get()}
            </span>
        </span>
    }
}
