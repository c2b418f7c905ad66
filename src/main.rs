//! The two programs: the page on wasm32, the command line everywhere else.

#[cfg(target_arch = "wasm32")]
fn main() {
    a2a_conformance::page::start();
}

/// What the page's module offers to other scripts, on `window.wasmBindings`. Declared here and not in the library: whatever
/// that exports, the module `on-demand` would export and carry as well.
#[cfg(target_arch = "wasm32")]
mod js_api {
    #![expect(unreachable_pub, reason = "what wasm-bindgen exports has to be `pub`")]

    use a2a_conformance::page::js_api;
    use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

    #[wasm_bindgen(js_name = checkList)]
    pub fn check_list() -> Result<JsValue, JsValue> {
        js_api::check_list()
    }

    #[wasm_bindgen(js_name = checkAgent)]
    pub async fn check_agent(options: JsValue) -> Result<JsValue, JsValue> {
        js_api::check_agent(options).await
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    a2a_conformance::cli::main()
}
