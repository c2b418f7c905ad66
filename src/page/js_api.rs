//! The checker for other scripts: `checkAgent(options)` and `checkList()` in the page's JavaScript module, which Trunk puts
//! on `window.wasmBindings`. `main.rs` exports them; docs/SCRIPTS.md says what they take and answer.

use wasm_bindgen::prelude::JsValue;

use super::run::environment;
use crate::a2a::headers::OWN;
use crate::host::web;
use crate::scripting;

/// What there is to ask for: an array of `{ id, title, level }`.
///
/// # Errors
/// Never, in a browser that works.
pub fn check_list() -> Result<JsValue, JsValue> {
    scripting::check_list()
}

/// Checks an agent and answers the report of version 1 as a plain object, the same that the JSON download holds.
///
/// # Errors
/// As [`scripting::check_agent`].
pub async fn check_agent(options: JsValue) -> Result<JsValue, JsValue> {
    scripting::check_agent(web::host(&OWN), environment(), options).await
}
