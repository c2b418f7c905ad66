//! The page's calls to the store of past runs, a script beside the page (`style/files.js`), which says how many are kept.

use js_sys::{Array, Object, Promise, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

use crate::view_model::messages::SavedRun;
use crate::view_model::past_runs::{PastRun, PastRunEntry};

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
async fn resolved(asked: Result<Promise, JsValue>) -> Option<JsValue> {
    JsFuture::from(asked.ok()?).await.ok()
}

/// The runs that the browser keeps, the newest first.
pub(super) async fn list() -> Vec<PastRunEntry> {
    let all = resolved(js_list()).await.and_then(|all| all.dyn_into::<Array>().ok());
    all.unwrap_or_default().iter().filter_map(|one| listed(&one)).collect()
}

/// A run as the store has it; `None` for what another version of this page kept.
fn listed(one: &JsValue) -> Option<PastRunEntry> {
    let about = Reflect::get(one, &"about".into()).ok()?;
    let word = |name: &str| Reflect::get(&about, &name.into()).ok()?.as_string();
    // A number that the store counts up.
    let id = Reflect::get(one, &"id".into()).ok()?.as_f64()? as u32;
    Some(PastRunEntry { id, about: PastRun::from_stored(word)? })
}

/// The report of a run; `None` if another tab has deleted it.
pub(super) async fn report(id: u32) -> Option<String> {
    resolved(js_report(id)).await?.as_string()
}

/// Keeps a run, in place of the oldest where there are ten. Answers whether the browser had room for it.
pub(super) async fn keep(kept: &SavedRun) -> bool {
    let about = Object::new();
    for (name, word) in kept.past.to_stored() {
        // A new object takes every member.
        let _ = Reflect::set(&about, &name.into(), &word.into());
    }
    resolved(js_keep(about.into(), &kept.text)).await.is_some()
}

/// Deletes a run, or all of them.
pub(super) async fn forget(which: Option<u32>) {
    resolved(match which {
        Some(id) => js_forget(id),
        None => js_forget_all(),
    })
    .await;
}
