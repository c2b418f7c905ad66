//! The formats of a report that the page's own module leaves out, for `page/export_menu.rs`.
#![expect(unreachable_pub, reason = "what wasm-bindgen exports has to be `pub`")]

use a2a_conformance::report::{self, Declared, Format};
use a2a_conformance::suite::declared::NAMES;
use js_sys::Error;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// The report of a file, the JSON of version 1, in the format of this name.
///
/// # Errors
/// An `Error` when this is no report of this version of the program, or there is no such format.
#[wasm_bindgen(js_name = writeReport)]
pub fn write_report(json: &str, format: &str) -> Result<String, JsValue> {
    console_error_panic_hook::set_once();
    let format = Format::parse(format).ok_or_else(|| Error::new("there is no such format"))?;
    let file = report::read(json).map_err(|problem| Error::new(&problem.to_string()))?;
    let report = file.restore(declared).map_err(|problem| Error::new(&problem.to_string()))?;
    Ok(report::write(&report, format))
}

// By names alone: the declarations would bring every judgement into this module.
fn declared(id: &str) -> Option<Declared> {
    let (area, id, title, requirements) = *NAMES.iter().find(|(_, known, ..)| *known == id)?;
    Some(Declared { area, id, title, requirements })
}
