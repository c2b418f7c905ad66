//! The report as files, one button for each format; the checker writes them.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::checker_client::{NOT_LOADED, NotLoaded, answer};
use super::downloads::save;
use super::state::Page;
use super::storage;
use crate::report::Format;
use crate::view_model::messages::{File, Question};

/// The formats with their buttons' ids, and what each is for.
const EXPORTS: [(Format, &str, &str); 7] = [
    (Format::Json, "download-json", "for programs"),
    (Format::Markdown, "download-markdown", "for an issue"),
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
    let button = |(format, id, purpose): (Format, &'static str, &'static str)| {
        let press = move |_| {
            spawn_local(async move {
                let trouble = export(format).await.unwrap_or_default();
                page.spoken.set(trouble.clone());
                note.set(trouble);
            });
        };
        view! {
            <button type="button" class="export" id=id on:click=press>
                <b>{format.title()}</b>
                <span>{purpose}</span>
            </button>
        }
        .into_any()
    };
    let acts = move || {
        let press = move |_| {
            spawn_local(async move {
                let trouble = export_named(ACTS).await.err().unwrap_or_default();
                page.spoken.set(trouble.clone());
                note.set(trouble);
            });
        };
        page.tests.is_run.get().then(|| {
            view! {
                <button type="button" class="export" id="download-acts" on:click=press>
                    <b>"ACTS report"</b>
                    <span>"of one interface"</span>
                </button>
            }
            .into_any()
        })
    };
    view! {
        {EXPORTS.map(button).into_iter().collect_view()}
        {move || acts().into_any()}
        <p class="export-note" id="export-note">{move || note.get()}</p>
    }
}

/// Saves the report in the format of that name.
///
/// # Errors
/// What went wrong.
async fn export_named(format: &str) -> Result<(), String> {
    match answer::<Option<File>>(&Question::Report(format.to_owned())).await {
        Ok(Some(file)) => {
            save(&file.name, &file.media_type, &file.text);
            Ok(())
        }
        Ok(None) => Err("There is nothing to save yet.".to_owned()),
        Err(NotLoaded) => Err(NOT_LOADED.to_owned()),
    }
}

/// Saves the report in a format; what went wrong, if anything did.
pub(super) async fn export(format: Format) -> Option<String> {
    match answer::<Option<File>>(&Question::Report(format.as_str().to_owned())).await {
        Ok(Some(file)) => {
            save(&file.name, &file.media_type, &file.text);
            None
        }
        Ok(None) => Some("There is nothing to save yet.".to_owned()),
        // A report that was kept for a reload is better than nothing.
        Err(NotLoaded) => Some(match storage::saved_report() {
            Some(kept) => {
                save(&kept.name, Format::Json.media_type(), &kept.report);
                format!(
                    "{} could not be written because of a bug in this checker; please report it. The results were saved \
                     as JSON instead.",
                    format.title()
                )
            }
            None => {
                format!("{} could not be written because of a bug in this checker; please report it.", format.title())
            }
        }),
    }
}
