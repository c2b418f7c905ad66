//! The state of the view of a client that is watched live.

use leptos::prelude::*;

use crate::view_model::watched_client::WatchedClient;

/// Whose clients are watched, and what was found of them.
#[derive(Debug, Clone)]
pub(super) struct WatchState {
    /// Whether the view is shown.
    pub(super) is_open: RwSignal<bool>,
    /// The address of the agent that watches, as it is typed.
    pub(super) address: RwSignal<String>,
    /// Whether it is looked at.
    pub(super) is_on: RwSignal<bool>,
    /// Why it cannot be seen; empty for nothing.
    pub(super) problem: RwSignal<String>,
    /// What was seen last.
    pub(super) seen: RwSignal<Option<WatchedClient>>,
    /// The number of the latest watch; an earlier one ends when there is a later.
    pub(super) asked: StoredValue<u32>,
}

impl WatchState {
    /// The state that a link with this address describes.
    pub(super) fn new(link: Option<String>) -> Self {
        Self {
            is_open: RwSignal::new(link.is_some()),
            address: RwSignal::new(link.unwrap_or_default()),
            is_on: RwSignal::new(false),
            problem: RwSignal::new(String::new()),
            seen: RwSignal::new(None),
            asked: StoredValue::new(0),
        }
    }
}
