//! The state of the workbench. It outlives its view, so that nothing that was typed is lost when another view is shown.

use leptos::prelude::*;

use crate::view_model::workbench::{Composed, Draft, ExchangeProgress, Typed};

/// Everything that the workbench holds.
#[derive(Default)]
pub(super) struct BenchState {
    /// Whether it was opened before there was a run.
    pub(super) is_open: RwSignal<bool>,
    /// The choices of the form.
    pub(super) draft: RwSignal<Draft>,
    /// The request that they amount to.
    pub(super) composed: RwSignal<Composed>,
    /// The editor: method, URL, headers and body.
    pub(super) editor: [RwSignal<String>; 4],
    /// Whether the request was edited since it was written.
    pub(super) edited: RwSignal<bool>,
    /// Why nothing was sent; empty for nothing.
    pub(super) problem: RwSignal<String>,
    /// Whether the request can be sent all the same.
    pub(super) can_insist: RwSignal<bool>,
    /// The message that is being typed.
    pub(super) message: RwSignal<String>,
    pub(super) is_busy: RwSignal<bool>,
    /// The answer so far.
    pub(super) heard: RwSignal<ExchangeProgress>,
    /// How often a request was asked for; an older one must not come last.
    pub(super) asked: RwSignal<u32>,
}

impl BenchState {
    /// Chooses or types something.
    pub(super) fn choose(&self, name: &str, value: &str) {
        self.draft.update(|draft| draft.set(name, value));
    }

    /// Shows a request in the editor.
    pub(super) fn show(&self, request: &Typed) {
        let Typed { method, url, headers, body } = request;
        for (signal, text) in self.editor.iter().zip([method, url, headers, body]) {
            if signal.with_untracked(|shown| shown != text) {
                signal.set(text.clone());
            }
        }
    }

    /// The contents of the editor.
    pub(super) fn typed(&self) -> Typed {
        let [method, url, headers, body] = self.editor.map(|signal| signal.get_untracked());
        Typed { method, url, headers, body }
    }
}
