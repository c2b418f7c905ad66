//! The values that the browser keeps for the page: the theme and the server stack across visits, and within this tab the
//! report of the last run, so that a reload loses nothing. Credentials are kept only when the visitor asks for it, and then
//! for this tab: reports are redacted.

use leptos::prelude::window;
use web_sys::Storage;

use crate::view_model::messages::SavedRun;

const THEME: &str = "a2a-conformance.theme";
const STACK: &str = "a2a-conformance.stack";
const REPORT: &str = "a2a-conformance.report";
const CREDENTIALS: &str = "a2a-conformance.credentials";
const SUBJECT: &str = "a2a-conformance.subject";
const NAME: &str = "a2a-conformance.file-name";

fn local() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

fn session() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

fn read(storage: Option<Storage>, key: &str) -> Option<String> {
    storage?.get_item(key).ok().flatten()
}

/// Remembers a text, or forgets it. Without storage (private windows) it holds until the page is left.
fn write(storage: Option<Storage>, key: &str, text: Option<&str>) {
    if let Some(storage) = storage {
        let _ = match text {
            Some(text) => storage.set_item(key, text),
            None => storage.remove_item(key),
        };
    }
}

/// The theme that the visitor chose.
pub(super) fn theme() -> Option<String> {
    read(local(), THEME)
}

/// Remembers the theme; `None` forgets it, and the system's holds again.
pub(super) fn set_theme(word: Option<&str>) {
    write(local(), THEME, word);
}

/// The server stack that the visitor chose.
pub(super) fn stack() -> Option<String> {
    read(local(), STACK)
}

pub(super) fn set_stack(id: &str) {
    write(local(), STACK, Some(id));
}

/// Saves the credentials of the form for a reload of this tab, or forgets them.
pub(super) fn save_credentials(packed: Option<&str>) {
    write(session(), CREDENTIALS, packed);
}

/// The credentials that the visitor wanted kept.
pub(super) fn credentials() -> Option<String> {
    read(session(), CREDENTIALS)
}

/// A run whose tab was reloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SavedReport {
    pub(super) subject: String,
    /// Of its file.
    pub(super) name: String,
    /// The report, as JSON.
    pub(super) report: String,
}

/// Saves the report of a run. Answers whether there was room for it.
pub(super) fn save_report(kept: &SavedRun) -> bool {
    let items = [(SUBJECT, &kept.past.address), (NAME, &kept.name), (REPORT, &kept.text)];
    session().is_some_and(|storage| items.into_iter().all(|(key, text)| storage.set_item(key, text).is_ok()))
}

/// The report that was saved before this page was loaded.
pub(super) fn saved_report() -> Option<SavedReport> {
    let item = |key| read(session(), key);
    Some(SavedReport { subject: item(SUBJECT)?, name: item(NAME)?, report: item(REPORT)? })
}

pub(super) fn forget_report() {
    for key in [REPORT, SUBJECT, NAME] {
        write(session(), key, None);
    }
}
