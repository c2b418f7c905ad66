//! Files and the clipboard: what leaves the page because somebody pressed a button.

use std::time::Duration;

use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, Event, HtmlAnchorElement, Url};

use super::erase::{Child, El, View, el, tag};
use super::signal::Signal;
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
pub(super) fn button(page: Page, format: Format, id: &'static str, name: &'static str, purpose: &'static str) -> View {
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
    pressed(press).attr("id", id).child(tag("b", "", name)).child(tag("span", "", purpose)).view()
}

fn pressed(press: impl FnMut(Event) + 'static) -> El {
    el("button", &[("type", "button"), ("class", "export")]).on("click", press)
}

/// How a button that copies looks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Like those that save reports.
    Export,
    /// The one to press.
    Primary,
    /// One that may be pressed.
    Plain,
}

/// A button that copies a text, and says so where it was pressed.
pub(super) fn copy(
    id: &'static str,
    label: &'static str,
    purpose: &'static str,
    text: impl Fn() -> String + 'static,
) -> View {
    copy_as(Look::Export, id, label, purpose, text)
}

/// The same with another look.
pub(super) fn copy_as(
    look: Look,
    id: &'static str,
    label: impl Child,
    purpose: &'static str,
    text: impl Fn() -> String + 'static,
) -> View {
    copying(look, id, label.view(), purpose, Box::new(text))
}

fn copying(look: Look, id: &'static str, label: View, purpose: &'static str, text: Box<dyn Fn() -> String>) -> View {
    let said = Signal::new("");
    let says = said.clone();
    let press = move |_| {
        let said = says.clone();
        let writing = JsFuture::from(window().navigator().clipboard().write_text(&text()));
        spawn_local(async move {
            said.set(if writing.await.is_ok() { "Copied" } else { "This browser did not let the page copy" });
            set_timeout(move || said.set(""), Duration::from_secs(3));
        });
    };
    let button = match look {
        Look::Export => pressed(press).child(tag("b", "", label)).child(tag("span", "", purpose)),
        Look::Primary => el("button", &[("type", "button"), ("class", "primary")]).on("click", press).child(label),
        Look::Plain => el("button", &[("type", "button"), ("class", "plain")]).on("click", press).child(label),
    };
    let button = if id.is_empty() { button } else { button.attr("id", id) };
    let said = el("span", &[("class", "said"), ("role", "status")]).text(move || said.get().to_owned());
    el("span", &[("class", "copy")]).child(button).child(said).view()
}
