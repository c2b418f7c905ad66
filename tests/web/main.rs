//! Tests that need a browser: the page's transport and its components, in headless Chromium.
#![cfg(target_arch = "wasm32")]

#[cfg(test)]
mod checker;
#[cfg(test)]
mod components;
#[cfg(test)]
mod transport;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
