//! The functions of the npm package that `npm/index.js` calls, and the host that their reports name.
#![expect(unreachable_pub, reason = "what wasm-bindgen exports has to be `pub`")]

use a2a_conformance::a2a::headers::OWN;
use a2a_conformance::agent::fault::Faults;
use a2a_conformance::host::web;
use a2a_conformance::js_api::{self, Code, Problem};
use a2a_conformance::report::Environment;
use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// As in the page.
#[wasm_bindgen(js_name = checkList)]
pub fn check_list() -> Result<JsValue, JsValue> {
    js_api::check_list()
}

/// As in the page.
#[wasm_bindgen(js_name = checkAgent)]
pub async fn check_agent(options: JsValue) -> Result<JsValue, JsValue> {
    console_error_panic_hook::set_once();
    js_api::check_agent(web::host(&OWN), environment(), options).await
}

/// Throws for the first name that is not the name of a fault.
#[wasm_bindgen(js_name = assertFaults)]
pub fn assert_faults(names: &Array) -> Result<(), JsValue> {
    let names: Vec<String> = names.iter().map(|name| name.as_string().unwrap_or_default()).collect();
    let known = Faults::parse(names.iter().map(String::as_str)).map(|_| ());
    known.map_err(|unknown| {
        let message = unknown.to_string();
        js_api::error(&Problem { code: Code::UnknownFault, option: unknown.given, message })
    })
}

/// The name of the host and its user agent, for reports.
fn environment() -> Environment {
    match web::node_version() {
        Some(node) => Environment::on(&format!("Node.js {node}")),
        None => Environment { user_agent: user_agent(), ..Environment::on("script") },
    }
}

/// The environment that every report of the page names.
pub(crate) fn environment_of_page() -> Environment {
    Environment { user_agent: user_agent(), ..Environment::on("page") }
}

/// A worker has one too.
fn user_agent() -> Option<String> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    Reflect::get(&navigator, &"userAgent".into()).ok()?.as_string()
}
