//! The buttons that save a report, one for each format with what it is for; the checker writes the files.

use leptos::prelude::*;

use super::checker_client::{CheckerAnswer, when_answered};
use super::downloads::save;
use super::state::Page;
use super::storage;
use super::widgets::button_with_line;
use crate::report::Format;
use crate::view_model::messages::{File, ISSUE, Question};

/// The formats with their buttons' ids, and what each is for.
const EXPORTS: [(Format, &str, &str); 7] = [
    (Format::Json, "download-json", "for programs"),
    (Format::Markdown, "download-markdown", "all of it"),
    (Format::Html, "download-html", "to send or print"),
    (Format::JUnit, "download-junit", "for CI"),
    (Format::Ctrf, "download-ctrf", "for dashboards"),
    (Format::Har, "download-har", "all traffic"),
    (Format::Badge, "download-badge", "for a README"),
];

/// The report of tests that users write, in their own format.
const ACTS: &str = "acts";

/// A button for each format, and what became of the last one that was pressed.
#[component]
pub(super) fn ExportMenu(page: Page) -> impl IntoView {
    let note = RwSignal::new(String::new());
    let say = move |trouble: String| {
        page.spoken.set(trouble.clone());
        note.set(trouble);
    };
    let button = |(format, id, purpose): (Format, &'static str, &'static str)| {
        export_button(id, format.title(), purpose, Box::new(move || export(format, say)))
    };
    let issue = export_button(
        "download-issue",
        "Markdown",
        "for an issue",
        Box::new(move || export_named(ISSUE, |problem| problem, say)),
    );
    let acts = move || {
        let press = move || export_named(ACTS, |problem| problem, say);
        page.tests
            .is_run
            .get()
            .then(|| export_button("download-acts", "ACTS report", "of one interface", Box::new(press)))
    };
    view! {
        {EXPORTS.map(button).into_iter().collect_view()}
        {issue}
        {move || acts().into_any()}
        <p class="export-note" id="export-note">{move || note.get()}</p>
    }
}

/// A button that saves a file, and what the file is for.
pub(super) fn export_button(
    id: &'static str,
    title: &'static str,
    purpose: &'static str,
    press: Box<dyn Fn()>,
) -> AnyView {
    button_with_line("export", id, title, purpose, press)
}

/// Saves the report in the format of that name; without a checker this other thing is done, which says so. What went wrong is
/// handed on, and is empty if nothing did.
fn export_named(
    format: &str,
    without_checker: impl FnOnce(String) -> String + 'static,
    then: impl FnOnce(String) + 'static,
) {
    let question = Question::Report(format.to_owned());
    when_answered(&question, move |file: CheckerAnswer<Option<File>>| {
        then(match file {
            Ok(Some(file)) => {
                save(&file.name, &file.media_type, &file.text);
                String::new()
            }
            Ok(None) => "There is nothing to save yet.".to_owned(),
            Err(problem) => without_checker(problem),
        });
    });
}

/// Saves the report in a format; what went wrong is handed on, and is empty if nothing did.
pub(super) fn export(format: Format, then: impl FnOnce(String) + 'static) {
    // A report that was kept for a reload is better than nothing.
    let save_kept = move |_| {
        let bug =
            format!("{} could not be written because of a bug in this checker; please report it.", format.title());
        let Some(kept) = storage::saved_report() else { return bug };
        save(&kept.name, Format::Json.media_type(), &kept.report);
        format!("{bug} The results were saved as JSON instead.")
    };
    export_named(format.as_str(), save_kept, then);
}
