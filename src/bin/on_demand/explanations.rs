//! The explanations that the page's own module leaves out, for `page/on_demand.rs`.
#![expect(unreachable_pub, reason = "what wasm-bindgen exports has to be `pub`")]

use a2a_conformance::engine::requirement;
use a2a_conformance::suite::declared::WHYS;
use js_sys::{Array, JsString};
use wasm_bindgen::prelude::wasm_bindgen;

/// Why each check matters: ids and texts in turn.
#[wasm_bindgen(js_name = checkReasons)]
pub fn check_reasons() -> Array {
    strings(WHYS.iter().copied())
}

/// What each requirement demands: ids and texts in turn.
#[wasm_bindgen(js_name = requirementTitles)]
pub fn requirement_titles() -> Array {
    strings(requirement::titles())
}

fn strings(pairs: impl Iterator<Item = (&'static str, &'static str)>) -> Array {
    pairs.flat_map(|(id, text)| [JsString::from(id), JsString::from(text)]).collect()
}
