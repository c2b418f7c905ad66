//! The way to the checker, which is a module of its own: `style/start-checker.js` fetches it when the page is idle, starts it, and
//! passes on what both say. Its other half is `bin/checker/answers.rs`.

use js_sys::{Promise, Uint8Array};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

use crate::view_model::binary_encoding::{BinaryEncoding, of_bytes, to_bytes};
use crate::view_model::messages::{Batch, Question};

#[wasm_bindgen]
extern "C" {
    /// Of `style/start-checker.js`: resolves to the answer, once the checker has started.
    #[wasm_bindgen(catch, js_namespace = checker)]
    fn ask(question: JsValue, file: JsValue) -> Result<Promise, JsValue>;

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

/// The message that the visitor reads then.
pub(super) const NOT_LOADED: &str = "The checker could not be loaded. Check your network connection and try again. If that does \
                                     not help, reload the page.";

/// The checker's answer.
pub(super) async fn answer<T: BinaryEncoding>(question: &Question) -> Result<T, NotLoaded> {
    Ok(of_bytes(&answered(to_bytes(question), JsValue::UNDEFINED).await?))
}

/// The answer to a question whose text is in a file. The checker reads it: megabytes would keep this thread busy.
pub(super) async fn answer_of<T: BinaryEncoding>(question: &Question, file: JsValue) -> Result<T, NotLoaded> {
    Ok(of_bytes(&answered(to_bytes(question), file).await?))
}

/// The same in bytes, once for all types.
async fn answered(question: Vec<u8>, file: JsValue) -> Result<Vec<u8>, NotLoaded> {
    let asked = ask(Uint8Array::from(question.as_slice()).into(), file).map_err(|_| NotLoaded)?;
    let answer = JsFuture::from(asked).await.map_err(|_| NotLoaded)?;
    bytes(answer).ok_or(NotLoaded)
}

fn bytes(value: JsValue) -> Option<Vec<u8>> {
    value.dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec())
}

/// Hands every batch to this function from now on.
pub(super) fn hear(apply: impl Fn(Batch) + 'static) {
    let listener = Closure::new(move |batch| {
        if let Some(batch) = bytes(batch) {
            apply(of_bytes(&batch));
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
