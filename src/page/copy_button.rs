//! The button that copies a text: the link to this page, a command, a request.

use std::time::Duration;

use js_sys::Promise;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// Of `style/copy.js`: resolves to what is to be said. A text that could only be selected is shown beside the button.
    #[wasm_bindgen(catch, js_name = copyText)]
    fn copy_text(text: &str, button: &JsValue) -> Result<Promise, JsValue>;
}

/// The message where even that script is missing.
const NOT_COPIED: &str = "Not copied";

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
    let press = move |event: ev::MouseEvent| {
        let copying = copy_text(&text.run(()), &event.current_target().into());
        spawn_local(async move {
            let result = match copying {
                Ok(copying) => JsFuture::from(copying).await.ok().and_then(|result| result.as_string()),
                Err(_) => None,
            };
            said.set(result.unwrap_or_else(|| NOT_COPIED.to_owned()));
            set_timeout(move || said.set(String::new()), Duration::from_secs(5));
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
