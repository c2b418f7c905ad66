//! The page's second module, for what few visitors need: the demo agent, and the explanations that an open row shows. Its
//! files are fetched when the page is idle, and it is started when it is asked for (`style/load-on-demand.js`). What it has
//! is in `bin/on_demand`.

use js_sys::{Array, Promise};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::{JsCast, JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

use super::state::Page;

#[wasm_bindgen]
extern "C" {
    /// Of `style/load-on-demand.js`: resolves to the module, once it has started.
    #[wasm_bindgen(catch, js_namespace = onDemand)]
    fn load() -> Result<Promise, JsValue>;

    /// The same: fetches what [`load`] needs, when the page is idle.
    #[wasm_bindgen(catch, js_namespace = onDemand, js_name = prefetch)]
    fn js_prefetch() -> Result<(), JsValue>;

    /// What the module exports for explanations.
    type Module;
    #[wasm_bindgen(method, js_name = checkReasons)]
    fn check_reasons(this: &Module) -> Array;
    #[wasm_bindgen(method, js_name = requirementTitles)]
    fn requirement_titles(this: &Module) -> Array;
}

/// The module could not be fetched or started.
pub(super) struct NotLoaded;

/// The module, as it is known to scripts.
pub(super) async fn module() -> Result<JsValue, NotLoaded> {
    let loading = load().map_err(|_| NotLoaded)?;
    JsFuture::from(loading).await.map_err(|_| NotLoaded)
}

/// Fetches the module when the page is idle, so that it needs no network later.
pub(super) fn prefetch() {
    // Without the script there is nothing to fetch, and whoever asks for the module is told.
    let _ = js_prefetch();
}

/// Whether the module was fetched.
pub(super) fn is_here() -> bool {
    document().document_element().is_some_and(|html| html.has_attribute("data-on-demand"))
}

/// What stands in the place of an explanation that could not be loaded.
const NOT_LOADED: &str =
    "This explanation could not be loaded. Check your network connection and open the check again.";

/// Loads the explanations of checks, unless they are here.
pub(super) fn load_explanations(page: Page) {
    if !page.check_reasons.with_untracked(Vec::is_empty) {
        return;
    }
    spawn_local(async move {
        match module().await.map(JsCast::unchecked_into::<Module>) {
            Ok(module) => {
                page.requirement_titles.set(pairs(&module.requirement_titles()));
                page.check_reasons.set(pairs(&module.check_reasons()));
                page.no_explanation.set(String::new());
            }
            Err(NotLoaded) => page.no_explanation.set(NOT_LOADED.to_owned()),
        }
    });
}

/// The texts of an array of pairs.
fn pairs(array: &Array) -> Vec<(String, String)> {
    let text = |pair: &Array, at| pair.get(at).as_string().unwrap_or_default();
    array.iter().map(|pair| Array::from(&pair)).map(|pair| (text(&pair, 0), text(&pair, 1))).collect()
}

/// Why a check matters; nothing until that is loaded. Tracks.
pub(super) fn check_reason(page: Page, check: &str) -> String {
    text_of(page.check_reasons, check).unwrap_or_else(|| page.no_explanation.get())
}

/// What a requirement demands; nothing until that is loaded. Tracks.
pub(super) fn requirement_title(page: Page, requirement: &str) -> String {
    text_of(page.requirement_titles, requirement).unwrap_or_default()
}

fn text_of(texts: RwSignal<Vec<(String, String)>>, id: &str) -> Option<String> {
    texts.with(|texts| texts.iter().find(|(known, _)| known == id).map(|(_, text)| text.clone()))
}
