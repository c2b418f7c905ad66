//! The report as files, one button for each format. The page's own module writes JSON; all others are made of that text in
//! the module that is loaded on demand (`bin/on_demand/exports.rs`).

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::{JsCast, JsValue, wasm_bindgen};

use super::downloads::save;
use super::on_demand::{NotLoaded, module};
use super::state::Page;
use crate::report::{Format, Report, file_name, json, raw};

#[wasm_bindgen]
extern "C" {
    /// The module.
    type Module;
    #[wasm_bindgen(method, catch, js_name = writeReport)]
    fn write_report(this: &Module, json: &str, format: &str) -> Result<String, JsValue>;
}

/// The formats with their buttons' ids, and what each is for.
const EXPORTS: [(Format, &str, &str); 7] = [
    (Format::Json, "download-json", "everything, for programs"),
    (Format::Markdown, "download-markdown", "for an issue"),
    (Format::Html, "download-html", "one page to send or print"),
    (Format::JUnit, "download-junit", "for CI"),
    (Format::Ctrf, "download-ctrf", "for test dashboards"),
    (Format::Har, "download-har", "all traffic, for developer tools"),
    (Format::Badge, "download-badge", "the verdict, for a README"),
];

/// A button for each format, and what became of the last one that was pressed.
#[component]
pub(super) fn ExportMenu(page: Page) -> impl IntoView {
    let note = RwSignal::new(String::new());
    let button = |(format, id, purpose): (Format, &'static str, &'static str)| {
        let press = move |_| {
            if let Some(report) = page.report() {
                spawn_local(async move {
                    note.set(String::new());
                    if let Some(trouble) = export(&report, format).await {
                        page.spoken.set(trouble.clone());
                        note.set(trouble);
                    }
                });
            }
        };
        view! {
            <button type="button" class="export" id=id on:click=press>
                <b>{format.title()}</b>
                <span>{purpose}</span>
            </button>
        }
        .into_any()
    };
    view! {
        {EXPORTS.map(button).into_iter().collect_view()}
        <p class="export-note" id="export-note">{move || note.get()}</p>
    }
}

/// Saves the report; answers what the visitor has to know if it is not there as asked for.
async fn export(report: &Report, format: Format) -> Option<String> {
    let name = file_name(report, format);
    if format == Format::Json {
        save(&name, format.media_type(), &json::write(report));
        return None;
    }
    match module().await.map(JsCast::unchecked_into::<Module>) {
        Ok(module) => match module.write_report(&json::write_whole(report), format.as_str()) {
            Ok(text) => {
                save(&name, format.media_type(), &text);
                None
            }
            // What could not be written as asked is saved in another form, under a name that says so.
            Err(_) => {
                save(&format!("{name}.raw.json"), Format::Json.media_type(), &raw::write(report));
                Some(format!(
                    "{} could not be written because of a bug in this checker; please report it. The raw results were \
                     saved instead.",
                    format.title()
                ))
            }
        },
        Err(NotLoaded) => Some(format!(
            "What writes {} could not be loaded. Check your network connection and press again, or take JSON, which \
             needs no network.",
            format.title()
        )),
    }
}
