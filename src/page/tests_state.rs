//! The state of tests that users write.

use leptos::prelude::*;

use crate::view_model::test_files::TestFiles;

/// Their files, and whether the run that is shown is of them.
#[derive(Debug, Clone)]
pub(super) struct TestsState {
    /// Whether the files are shown.
    pub(super) is_open: RwSignal<bool>,
    /// The files.
    pub(super) files: RwSignal<TestFiles>,
    /// What the user says about them: variables, texts for behaviours and further agents.
    pub(super) given: RwSignal<String>,
    /// Why something could not be done; empty for nothing.
    pub(super) problem: RwSignal<String>,
    /// Whether the run that is shown is of these tests.
    pub(super) is_run: RwSignal<bool>,
}

impl TestsState {
    /// Before any file is open.
    pub(super) fn new() -> Self {
        Self {
            is_open: RwSignal::new(false),
            files: RwSignal::new(TestFiles::default()),
            given: RwSignal::new(String::new()),
            problem: RwSignal::new(String::new()),
            is_run: RwSignal::new(false),
        }
    }
}
