//! The explanations that the page's own module leaves out, for `page/on_demand.rs`.
#![expect(unreachable_pub, reason = "what wasm-bindgen exports has to be `pub`")]

use a2a_conformance::engine::requirement;
use a2a_conformance::suite::declared::WHYS;
use serde_wasm_bindgen::to_value;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// Why each check matters: an array of pairs, each an id and a text.
///
/// # Errors
/// Never: there is nothing in it that JavaScript does not have.
#[wasm_bindgen(js_name = checkReasons)]
pub fn check_reasons() -> Result<JsValue, JsValue> {
    Ok(to_value(WHYS.as_slice())?)
}

/// What each requirement demands: an array of pairs, each an id and a text.
///
/// # Errors
/// Never, likewise.
#[wasm_bindgen(js_name = requirementTitles)]
pub fn requirement_titles() -> Result<JsValue, JsValue> {
    Ok(to_value(&requirement::titles().collect::<Vec<_>>())?)
}
