//! A button that opens the browser's picker of files; `style/files.js` hears of what is chosen.

use leptos::prelude::*;

/// A button that opens the browser's picker.
#[component]
pub(super) fn FilePicker(
    /// The action for the file: `show`, `compare`, `agents` or `tests`.
    purpose: &'static str,
    label: &'static str,
) -> impl IntoView {
    let is_tests = purpose == "tests";
    let accept = if is_tests { ".yaml,.yml,.json" } else { ".json,.har,.txt,application/json,text/plain" };
    view! {
        <label class="file-picker">
            <span>{label}</span>
            <input type="file" id=format!("file-{purpose}") data-opens=purpose multiple=is_tests accept=accept/>
        </label>
    }
}
