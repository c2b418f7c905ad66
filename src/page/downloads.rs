//! Reports as files: what leaves the page because somebody pressed a button.

use std::time::Duration;

use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

use super::state::Page;
use crate::report::{self, Format};

/// Saves a text as a file.
pub(super) fn save(name: &str, media_type: &str, text: &str) {
    // Only a browser that is out of memory fails here; the button then does nothing and can be pressed again.
    let _ = try_save(name, media_type, text);
}

fn try_save(name: &str, media_type: &str, text: &str) -> Result<(), JsValue> {
    let kind = BlobPropertyBag::new();
    kind.set_type(media_type);
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&JsValue::from_str(text)), &kind)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let link: HtmlAnchorElement = document().create_element("a")?.dyn_into().map_err(JsValue::from)?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // Some browsers read the blob after the click.
    set_timeout(
        move || {
            let _ = Url::revoke_object_url(&url);
        },
        Duration::from_secs(60),
    );
    Ok(())
}

/// A button that saves the report; says beside its name what the format is for.
#[component]
pub(super) fn DownloadButton(
    page: Page,
    format: Format,
    id: &'static str,
    name: &'static str,
    purpose: &'static str,
) -> impl IntoView {
    let press = move |_| {
        let report = page.report();
        if let Some(report) = report {
            let written = report::write_or_raw(&report, format);
            let named = report::file_name(&report, format);
            let name = match &written.fallback {
                // What could not be written as asked is saved in another form, under a name that says so.
                Some(why) => {
                    page.spoken.set(format!("{why}. The raw results were saved instead."));
                    format!("{named}.{}", written.extension)
                }
                None => named,
            };
            save(&name, written.media_type, &written.text);
        }
    };
    view! {
        <button type="button" class="export" id=id on:click=press>
            <b>{name}</b>
            <span>{purpose}</span>
        </button>
    }
}
