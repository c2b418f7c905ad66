//! Reports that were made before: opened as files, or out of what the browser keeps (`style/files.js`). They are shown as a run
//! is, and a note says that nobody was asked.

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::checker_client::{CheckerAnswer, when_answered_of};
use super::focus::{focus, focus_with_next_frame};
use super::run;
use super::several_agents;
use super::state::Page;
use super::test_files;
use crate::view_model::comparison::ComparisonView;
use crate::view_model::format::capitalised;
use crate::view_model::messages::{Opening, Question};
use crate::view_model::tabs::Tab;

#[wasm_bindgen]
extern "C" {
    /// Of `style/files.js`: calls the function with every file that is chosen or dropped.
    #[wasm_bindgen(catch, js_namespace = files, js_name = listen)]
    fn listen_to_files(listener: &Closure<dyn FnMut(String, String, JsValue, String)>) -> Result<(), JsValue>;
}

/// The note on a report that was kept in this tab.
pub(super) const OF_TAB: &str = "Results that were kept in this tab";
/// The note on what was found of a client that is watched.
pub(super) const OF_WATCH: &str = "The findings on the client so far";
/// The note on a report from the list.
pub(super) const OF_LIST: &str = "A past run";

/// Opens every file that is chosen or dropped.
pub(super) fn hear(page: Page) {
    // `purpose` is `show`, `compare`, `agents`, `tests` or `drop`, `problem` is why it could not be read, or empty.
    let listener = Closure::new(move |name: String, purpose: String, file: JsValue, problem: String| {
        let is_for_tests = page.tests.is_open.get_untracked() && !page.several.get_untracked();
        if !problem.is_empty() {
            page.file_problem.set(format!("{name} cannot be read: {problem}."));
        } else if purpose == "tests" || (purpose == "drop" && is_for_tests) {
            test_files::open(page, name, file);
        } else if purpose == "agents" || page.several.get_untracked() {
            several_agents::add(page, format!("The file {name}"), Question::ReadList(String::new()), file);
        } else if purpose == "compare" {
            compare(page, &name, Contents::File(file));
        } else {
            open(page, format!("The file {name}"), Contents::File(file));
        }
    });
    // Without the script no file is ever chosen.
    let _ = listen_to_files(&listener);
    // The page is never taken down.
    listener.forget();
}

/// A report, or a card.
pub(super) enum Contents {
    /// As it was kept.
    Text(String),
    /// A file, which the checker reads.
    File(JsValue),
    /// What the checker saw last of a client that is watched.
    Watched,
}

impl Contents {
    /// The text and the file that go with a question; empty where there is none.
    fn parts(&self) -> (String, JsValue) {
        match self {
            Self::Text(text) => (text.clone(), JsValue::UNDEFINED),
            Self::File(file) => (String::new(), file.clone()),
            Self::Watched => (String::new(), JsValue::UNDEFINED),
        }
    }

    /// The whole text, wherever it is.
    async fn read(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::File(file) => JsFuture::from(file.dyn_into::<Blob>().ok()?.text()).await.ok()?.as_string(),
            Self::Watched => None,
        }
    }
}

/// Shows a report, or judges a card. What cannot be shown leaves everything as it is.
pub(super) fn open(page: Page, origin: String, contents: Contents) {
    if page.is_running() {
        page.file_problem.set("A run is under way. Stop it before you open a file.".to_owned());
        return;
    }
    page.file_problem.set(String::new());
    let run = page.runs.get_untracked() + 1;
    let (text, file) = contents.parts();
    let question = match contents {
        Contents::Watched => Question::WatchOpen(run),
        Contents::Text(_) | Contents::File(_) => Question::Open { text, run },
    };
    when_answered_of(&question, file, move |opening: CheckerAnswer<Result<Opening, String>>| match opening {
        Ok(Ok(Opening::Report(opened))) => {
            // Exchanges are the largest part of a recording.
            if origin.ends_with(".har") {
                page.tab.set(Tab::Traffic);
            }
            run::show(page, *opened, &origin);
        }
        Ok(Ok(Opening::Card)) => spawn_local(async move {
            page.address.set(contents.read().await.unwrap_or_default());
            run::start(page);
            focus("verdict");
        }),
        Ok(Err(problem)) => page.file_problem.set(format!("{origin} cannot be opened. {problem}")),
        Err(problem) => page.file_problem.set(problem),
    });
}

/// Compares the run that is shown with a report.
pub(super) fn compare(page: Page, origin: &str, contents: Contents) {
    page.file_problem.set(String::new());
    let origin = origin.to_owned();
    let (with, file) = contents.parts();
    when_answered_of(
        &Question::Compare(with),
        file,
        move |compared: CheckerAnswer<Option<Result<ComparisonView, String>>>| match compared {
            Ok(Some(Ok(comparison))) => {
                page.comparison.set(Some(comparison));
                focus_with_next_frame("comparison-title");
            }
            Ok(Some(Err(problem))) => {
                page.file_problem.set(format!("{origin} cannot be compared. {}", capitalised(&problem)))
            }
            Ok(None) => {}
            Err(problem) => page.file_problem.set(problem),
        },
    );
}
