//! What this runs in: a window, a worker, or a program such as Node.js. Everything here is called on the global object, because
//! only a window has a `window`.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::{JsCast, JsValue, wasm_bindgen};
use web_sys::{Performance, Request, SubtleCrypto};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = fetch)]
    pub(super) fn fetch(request: &Request) -> Promise;

    #[wasm_bindgen(js_name = setTimeout)]
    pub(super) fn set_timeout(callback: &Function, ms: f64) -> JsValue;

    #[wasm_bindgen(js_name = clearTimeout)]
    pub(super) fn clear_timeout(timer: &JsValue);
}

thread_local! {
    static PERFORMANCE: Option<Performance> = global("performance").map(JsCast::unchecked_into);
    static IS_BROWSER: bool = web_sys::window().is_some() || node_version().is_none();
}

/// Milliseconds from an arbitrary start.
pub(super) fn now_ms() -> f64 {
    PERFORMANCE.with(|clock| clock.as_ref().map_or_else(js_sys::Date::now, Performance::now))
}

/// Whether a browser decides what a program may send and see.
pub(super) fn is_browser() -> bool {
    IS_BROWSER.with(|is_browser| *is_browser)
}

/// The version of Node.js, where this is a program of it and not a page.
pub(super) fn node_version() -> Option<String> {
    let versions = Reflect::get(&global("process")?, &"versions".into()).ok().filter(JsValue::is_object)?;
    Reflect::get(&versions, &"node".into()).ok()?.as_string()
}

/// Cryptography, which browsers lend to pages of https and of this machine only.
pub(super) fn subtle() -> Option<SubtleCrypto> {
    let subtle = Reflect::get(&global("crypto")?, &"subtle".into()).ok()?;
    subtle.is_object().then(|| subtle.unchecked_into())
}

fn global(name: &str) -> Option<JsValue> {
    Reflect::get(&js_sys::global(), &name.into()).ok().filter(JsValue::is_object)
}
