//! The surroundings of the module: a window, a worker, or a program such as Node.js. Everything here is called on the
//! global object, because only a window has a `window`.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::{JsCast, JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Performance, Request, Response, SubtleCrypto};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = fetch, catch)]
    fn global_fetch(request: &Request) -> Result<Promise, JsValue>;

    #[wasm_bindgen(js_name = setTimeout)]
    pub(super) fn set_timeout(callback: &Function, ms: f64) -> JsValue;

    #[wasm_bindgen(js_name = clearTimeout)]
    pub(super) fn clear_timeout(timer: &JsValue);
}

/// The response of fetch, or whatever it rejects with. gloo-net sends in windows and workers; it does not know any other global object.
pub(super) async fn fetch(request: Request) -> Result<Response, JsValue> {
    if !is_browser() {
        return JsFuture::from(global_fetch(&request)?).await?.dyn_into();
    }
    gloo_net::http::Request::from(request).send().await.map(Into::into).map_err(|error| match error {
        gloo_net::Error::JsError(error) => js_sys::Error::new(&error.message).into(),
        error => js_sys::Error::new(&error.to_string()).into(),
    })
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

/// A member of the global object: of a page's window, or of a worker.
pub(super) fn global(name: &str) -> Option<JsValue> {
    Reflect::get(&js_sys::global(), &name.into()).ok().filter(JsValue::is_object)
}
