//! The store of past runs, a script beside the page (`style/files.js`), since all of it is calls of the browser.

use js_sys::Promise;
use serde_wasm_bindgen::{from_value, to_value};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

use super::view::messages::Kept;
use super::view::past_runs::Listed;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = pastRuns, js_name = list)]
    fn js_list() -> Result<Promise, JsValue>;

    #[wasm_bindgen(catch, js_namespace = pastRuns, js_name = report)]
    fn js_report(id: u32) -> Result<Promise, JsValue>;

    #[wasm_bindgen(catch, js_namespace = pastRuns, js_name = keep)]
    fn js_keep(about: JsValue, report: &str) -> Result<Promise, JsValue>;

    #[wasm_bindgen(catch, js_namespace = pastRuns, js_name = forget)]
    fn js_forget(id: u32) -> Result<Promise, JsValue>;

    #[wasm_bindgen(catch, js_namespace = pastRuns, js_name = forgetAll)]
    fn js_forget_all() -> Result<Promise, JsValue>;
}

/// Waits for the script; `None` where the browser keeps nothing, as some do in private windows.
async fn done(asked: Result<Promise, JsValue>) -> Option<JsValue> {
    JsFuture::from(asked.ok()?).await.ok()
}

/// What the browser keeps, the newest first.
pub(super) async fn list() -> Vec<Listed> {
    done(js_list()).await.and_then(|listed| from_value(listed).ok()).unwrap_or_default()
}

/// The report of a run; `None` if another tab has deleted it.
pub(super) async fn report(id: u32) -> Option<String> {
    done(js_report(id)).await?.as_string()
}

/// Keeps a run, in place of the oldest where there are ten.
pub(super) async fn keep(kept: &Kept) {
    if let Ok(about) = to_value(&kept.past) {
        done(js_keep(about, &kept.text)).await;
    }
}

/// Deletes a run.
pub(super) async fn forget(id: u32) {
    done(js_forget(id)).await;
}

/// Deletes all of them.
pub(super) async fn forget_all() {
    done(js_forget_all()).await;
}
