//! The way to the checker, which is a module of its own: `style/start-checker.js` fetches it when the page is idle, starts it, and
//! passes on what both say. Its other half is `bin/checker/answers.rs`.

use js_sys::Promise;
use leptos::prelude::*;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::{from_value, to_value};
use wasm_bindgen::prelude::{Closure, JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

use super::view::messages::{Batch, Question};

#[wasm_bindgen]
extern "C" {
    /// Of `style/start-checker.js`: resolves to the answer, once the checker has started.
    #[wasm_bindgen(catch, js_namespace = checker)]
    fn ask(question: JsValue) -> Result<Promise, JsValue>;

    /// Calls the function with every batch.
    #[wasm_bindgen(catch, js_namespace = checker)]
    fn listen(listener: &Closure<dyn FnMut(JsValue)>) -> Result<(), JsValue>;

    /// Fetches what [`ask`] needs, when the page is idle.
    #[wasm_bindgen(catch, js_namespace = checker, js_name = prefetch)]
    fn js_prefetch() -> Result<(), JsValue>;
}

/// The checker could not be fetched or started, or has crashed.
#[derive(Debug, Clone, Copy)]
pub(super) struct NotLoaded;

/// What the visitor reads then.
pub(super) const NOT_LOADED: &str = "The checker could not be loaded. Check your network connection and try again. If that does \
                                     not help, reload the page.";

/// The checker's answer.
pub(super) async fn answer<T: DeserializeOwned>(question: &Question) -> Result<T, NotLoaded> {
    let question = to_value(question).map_err(|_| NotLoaded)?;
    let asked = ask(question).map_err(|_| NotLoaded)?;
    let answer = JsFuture::from(asked).await.map_err(|_| NotLoaded)?;
    from_value(answer).map_err(|_| NotLoaded)
}

/// Hands every batch to this function from now on.
pub(super) fn hear(apply: impl Fn(Batch) + 'static) {
    let listener = Closure::new(move |batch| {
        if let Ok(batch) = from_value(batch) {
            apply(batch);
        }
    });
    // Without the script nothing is ever told, and whoever asks learns that.
    let _ = listen(&listener);
    // The page is never taken down.
    listener.forget();
}

/// Fetches the checker when the page is idle, so that it needs no network later.
pub(super) fn prefetch() {
    // Without the script there is nothing to fetch, and whoever asks is told.
    let _ = js_prefetch();
}

/// Whether the checker was fetched.
pub(super) fn is_here() -> bool {
    document().document_element().is_some_and(|html| html.has_attribute("data-checker"))
}
