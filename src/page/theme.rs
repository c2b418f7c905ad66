//! Light or dark: the system's choice until the visitor makes another, which is remembered and can be taken back.
//! `style/boot.js` applies it before the first paint; this file changes it.

use leptos::prelude::*;

use super::storage;

/// The themes to choose from: the word that is remembered and that style sheets use, and the label.
const CHOICES: [(&str, &str); 3] = [("system", "System"), ("light", "Light"), ("dark", "Dark")];

#[component]
pub(super) fn ThemeChoice() -> impl IntoView {
    let chosen = RwSignal::new(storage::theme().unwrap_or_default());
    let choose = move |event| {
        let word = event_target_value(&event);
        // The system's is what holds when nothing is remembered, and follows the system as it changes.
        let own = (word != "system").then_some(word.as_str());
        storage::set_theme(own);
        if let Some(root) = document().document_element() {
            let _ = match own {
                Some(word) => root.set_attribute("data-theme", word),
                None => root.remove_attribute("data-theme"),
            };
        }
        chosen.set(word);
    };
    let option = move |(word, name): (&'static str, &'static str)| {
        view! {
            <option value=word selected=move || chosen.with(|chosen| chosen == word)>
                {name}
            </option>
        }
        .into_any()
    };
    view! {
        <label class="theme">
            <span>"Theme"</span>
            <select id="theme" on:change=choose>
                {CHOICES.map(option).collect_view()}
            </select>
        </label>
    }
}
