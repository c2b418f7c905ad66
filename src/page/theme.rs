//! Light or dark: the system's choice until the visitor makes another, which is remembered. `style/boot.js` applies it
//! before the first paint; this file changes it.

use leptos::prelude::*;

use super::erase::{El, el};
use super::signal::Signal;
use super::store;

/// The colours that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Theme {
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
        match store::theme().as_deref() {
            Some("dark") => Self::Dark,
            Some("light") => Self::Light,
            _ => system(),
        }
    }
}

/// The button that changes it.
pub(super) fn toggle() -> El {
    let theme = Signal::new(Theme::current());
    let shown = theme.clone();
    let switch = move |_| {
        let next = if theme.get_untracked() == Theme::Dark { Theme::Light } else { Theme::Dark };
        theme.set(next);
        store::set_theme(next.word());
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-theme", next.word());
        }
    };
    el("button", &[("type", "button"), ("class", "quiet"), ("id", "theme")])
        .live("aria-pressed", move || (shown.get() == Theme::Dark).to_string())
        .on("click", switch)
        .child("Dark")
}
