//! A button that opens the browser's picker of files; `style/files.js` hears of what is chosen.

use leptos::prelude::*;

/// A button that opens the browser's picker.
#[component]
pub(super) fn FilePicker(
    /// The action for the file: `show` or `compare`.
    purpose: &'static str,
    label: &'static str,
) -> impl IntoView {
    view! {
        <label class="file-picker">
            <span>{label}</span>
            <input type="file" id=format!("file-{purpose}") data-opens=purpose accept=".json,.har,.txt,application/json,text/plain"/>
        </label>
    }
}
