//! The way to the checker, which is a module of its own: `style/start-checker.js` fetches it when somebody is about to need it,
//! starts it, and passes on what both say. Its other half is `bin/checker/answers.rs`.

use js_sys::{Promise, Uint8Array};
use leptos::prelude::*;
use leptos::task::spawn_local;
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

    #[wasm_bindgen(catch, js_namespace = checker)]
    fn listen(listener: &Closure<dyn FnMut(JsValue)>) -> Result<(), JsValue>;
}

/// What the visitor reads when the checker could not be fetched or started, or has crashed.
const NOT_LOADED: &str = "The checker could not be loaded. Check your network connection and try again. If that does not help, \
                          reload the page.";

/// The checker's answer, or the sentence that there is no checker.
pub(super) type CheckerAnswer<T> = Result<T, String>;

/// Asks the checker, for what asks several times in a row.
pub(super) async fn answer<T: BinaryEncoding>(question: &Question) -> CheckerAnswer<T> {
    Ok(of_bytes(&answered(to_bytes(question), JsValue::UNDEFINED).await?))
}

/// Asks the checker, and does this with its answer.
pub(super) fn when_answered<T: BinaryEncoding + 'static>(
    question: &Question,
    then: impl FnOnce(CheckerAnswer<T>) + 'static,
) {
    when_answered_of(question, JsValue::UNDEFINED, then);
}

/// The same for a question whose text is in a file. The checker reads it: megabytes would keep this thread busy.
pub(super) fn when_answered_of<T: BinaryEncoding + 'static>(
    question: &Question,
    file: JsValue,
    then: impl FnOnce(CheckerAnswer<T>) + 'static,
) {
    wait_for(to_bytes(question), file, Box::new(|answer| then(answer.map(|bytes| of_bytes(&bytes)))));
}

/// Waits in one task for all types: what waits by itself is a state machine of its own, of a kilobyte or two.
fn wait_for(question: Vec<u8>, file: JsValue, then: Box<dyn FnOnce(CheckerAnswer<Vec<u8>>)>) {
    spawn_local(async move { then(answered(question, file).await) });
}

/// Asks the checker, and does this with its answer; that there is no checker is said in `trouble`.
pub(super) fn answer_or_say<T: BinaryEncoding + 'static>(
    question: &Question,
    trouble: RwSignal<String>,
    then: impl FnOnce(T) + 'static,
) {
    when_answered(question, move |answer| match answer {
        Ok(answer) => then(answer),
        Err(problem) => trouble.set(problem),
    });
}

/// Asks the checker, and shows its answer, if the view that wants it is still there. Without a checker it shows what it showed.
pub(super) fn show_answer<T: BinaryEncoding + Send + Sync + 'static>(question: &Question, shown: RwSignal<T>) {
    when_answered(question, move |answer| {
        if let Ok(answer) = answer {
            shown.try_set(answer);
        }
    });
}

/// The same in bytes, once for all types.
async fn answered(question: Vec<u8>, file: JsValue) -> CheckerAnswer<Vec<u8>> {
    let not_loaded = |_| NOT_LOADED.to_owned();
    let asked = ask(Uint8Array::from(question.as_slice()).into(), file).map_err(not_loaded)?;
    let answer = JsFuture::from(asked).await.map_err(not_loaded)?;
    bytes(answer).map_err(not_loaded)
}

fn bytes(value: JsValue) -> Result<Vec<u8>, JsValue> {
    value.dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec())
}

/// Hands every batch to this function from now on.
pub(super) fn hear(apply: impl Fn(Batch) + 'static) {
    let listener = Closure::new(move |batch| {
        if let Ok(batch) = bytes(batch) {
            apply(of_bytes(&batch));
        }
    });
    // Without the script nothing is ever told, and whoever asks learns that.
    let _ = listen(&listener);
    // The page is never taken down.
    listener.forget();
}

/// Whether the checker was fetched.
pub(super) fn is_here() -> bool {
    document().document_element().is_some_and(|html| html.has_attribute("data-checker"))
}
