//! Light or dark: the system's choice until the visitor makes another, which is remembered. `style/boot.js` applies it
//! before the first paint; this file changes it.

use leptos::prelude::*;

use super::storage;

/// The colours that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Theme {
    /// Dark ink on paper.
    Light,
    /// Light ink on slate.
    Dark,
}

impl Theme {
    const fn word(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// What is shown now.
    fn current() -> Self {
        let system = || {
            let query = window().match_media("(prefers-color-scheme: dark)").ok().flatten();
            if query.is_some_and(|query| query.matches()) { Self::Dark } else { Self::Light }
        };
        match storage::theme().as_deref() {
            Some("dark") => Self::Dark,
            Some("light") => Self::Light,
            _ => system(),
        }
    }
}

/// The button that changes it.
#[component]
pub(super) fn ThemeToggle() -> impl IntoView {
    let is_dark = RwSignal::new(Theme::current() == Theme::Dark);
    let switch = move |_| {
        let next = if is_dark.get_untracked() { Theme::Light } else { Theme::Dark };
        is_dark.set(next == Theme::Dark);
        storage::set_theme(next.word());
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-theme", next.word());
        }
    };
    view! {
        <button type="button" class="quiet" id="theme" aria-pressed=move || is_dark.get().to_string() on:click=switch>
            "Dark"
        </button>
    }
}
