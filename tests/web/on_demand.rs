//! The module that the page loads on demand, here in one module with the page: what `style/load-on-demand.js` gives the page,
//! and how requests pass between the two.

#[path = "../../src/bin/on_demand/demo_agent.rs"]
mod demo_agent;
#[path = "../../src/bin/on_demand/explanations.rs"]
mod explanations;
#[path = "../../src/bin/on_demand/exports.rs"]
mod exports;

use a2a_conformance::engine::requirement;
use a2a_conformance::host::web::fields;
use a2a_conformance::suite;
use js_sys::{Array, JsString, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

/// Puts a loader in the place of the script's, for as long as the tests run.
fn install_loader(load: impl Fn() -> Promise + 'static) {
    let loader = Object::new();
    set(&loader, "load", Closure::<dyn Fn() -> Promise>::new(load).into_js_value());
    set(&loader, "prefetch", Closure::<dyn Fn()>::new(|| ()).into_js_value());
    set(&js_sys::global(), "onDemand", loader.into());
}

fn set(object: &Object, name: &str, value: JsValue) {
    assert!(Reflect::set(object, &name.into(), &value).unwrap());
}

/// A loader that has the module.
pub(crate) fn install() {
    install_loader(|| {
        let module = Object::new();
        let listed = |list: fn() -> Array| Closure::<dyn Fn() -> Array>::new(list).into_js_value();
        set(&module, "demoFaults", listed(demo_agent::demo_faults));
        let explained = |list: fn() -> Result<JsValue, JsValue>| {
            Closure::<dyn Fn() -> Result<JsValue, JsValue>>::new(list).into_js_value()
        };
        set(&module, "checkReasons", explained(explanations::check_reasons));
        set(&module, "requirementTitles", explained(explanations::requirement_titles));
        let agent = |base: String, faults: Array| JsValue::from(demo_agent::demo_agent(&base, &faults));
        set(&module, "demoAgent", Closure::<dyn Fn(String, Array) -> JsValue>::new(agent).into_js_value());
        let write = |json: String, format: String| exports::write_report(&json, &format);
        set(
            &module,
            "writeReport",
            Closure::<dyn Fn(String, String) -> Result<String, JsValue>>::new(write).into_js_value(),
        );
        Promise::resolve(&JsValue::from(module))
    });
}

/// A loader without a network.
pub(crate) fn install_broken() {
    install_loader(|| Promise::reject(&js_sys::Error::new("no network")));
}

const BASE: &str = "https://demo.agent.invalid";

fn agent(faults: &[&str]) -> demo_agent::DemoAgent {
    demo_agent::demo_agent(BASE, &faults.iter().map(|fault| JsString::from(*fault)).collect())
}

fn post(agent: &demo_agent::DemoAgent, method: &str, words: &str) -> demo_agent::DemoExchange {
    let message = format!(r#"{{"messageId":"m1","role":"ROLE_USER","parts":[{{"text":"{words}"}}]}}"#);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"message":{message}}}}}"#);
    let headers = [("Content-Type", "application/json"), ("A2A-Version", "1.0")].into_iter().collect();
    agent.send("POST", format!("{BASE}/rpc"), &fields::to_array(&headers), Some(body.into_bytes()))
}

async fn chunk(exchange: &demo_agent::DemoExchange) -> Option<String> {
    let chunk = JsFuture::from(exchange.next()).await.unwrap();
    let bytes = chunk.dyn_into::<Uint8Array>().ok()?;
    Some(String::from_utf8(bytes.to_vec()).unwrap())
}

#[wasm_bindgen_test]
async fn an_answer_passes_whole_and_ends() {
    let exchange = agent(&[]).send("GET", format!("{BASE}/.well-known/agent-card.json"), &Array::new(), None);
    JsFuture::from(exchange.answered()).await.unwrap();
    assert_eq!(exchange.status(), 200);
    assert_eq!(exchange.url(), format!("{BASE}/.well-known/agent-card.json"));
    let headers = fields::from_array(&exchange.headers());
    assert_eq!(headers.media_type().as_deref(), Some("application/json"));
    let mut card = String::new();
    while let Some(chunk) = chunk(&exchange).await {
        card += &chunk;
    }
    assert!(card.starts_with('{') && card.ends_with('}'), "{card}");
    assert_eq!(chunk(&exchange).await, None, "and it stays ended");
}

#[wasm_bindgen_test]
async fn a_stream_passes_in_pieces_and_ends_when_the_page_hangs_up() {
    let exchange = post(&agent(&[]), "SendStreamingMessage", "hello");
    JsFuture::from(exchange.answered()).await.unwrap();
    assert_eq!(fields::from_array(&exchange.headers()).media_type().as_deref(), Some("text/event-stream"));
    assert!(chunk(&exchange).await.unwrap().contains("data:"));
    exchange.abort();
    assert_eq!(chunk(&exchange).await, None);
}

#[wasm_bindgen_test]
async fn who_hangs_up_without_an_answer_is_an_error_with_its_kind() {
    let elsewhere = agent(&[]).send("GET", "https://example.invalid/".to_owned(), &Array::new(), None);
    let error: js_sys::Error = JsFuture::from(elsewhere.answered()).await.unwrap_err().unchecked_into();
    assert_eq!(error.name(), "Unreachable");

    let dying = agent(&["dies-after-ten"]);
    let mut last = None;
    for _ in 0..12 {
        last = JsFuture::from(post(&dying, "SendMessage", "hello").answered()).await.err();
    }
    assert_eq!(last.unwrap().unchecked_into::<js_sys::Error>().name(), "Closed");
}

#[wasm_bindgen_test]
fn faults_have_names_titles_and_what_a_client_needs_to_know() {
    let faults = fields::from_array(&demo_agent::demo_faults());
    assert!(faults.len() > 300, "{}", faults.len());
    assert!(faults.iter().all(|(id, title)| !id.is_empty() && title.starts_with("The agent")));

    assert_eq!(agent(&[]).address(), BASE);
    assert_eq!(agent(&[]).credentials().length(), 0);
    assert_eq!(agent(&["card-no-url"]).address(), format!("{BASE}/0.3"));
    let protected = fields::from_array(&agent(&["auth-any-token"]).credentials());
    assert_eq!(protected.get("authorization"), Some("Bearer open-sesame"));
}

fn pairs(list: Result<JsValue, JsValue>) -> Vec<(String, String)> {
    serde_wasm_bindgen::from_value(list.unwrap()).unwrap()
}

#[wasm_bindgen_test]
fn every_check_and_requirement_that_a_page_carries_is_explained_on_demand() {
    let reasons = pairs(explanations::check_reasons());
    let checks: Vec<_> = suite::checks().collect();
    assert_eq!(reasons.len(), checks.len());
    for (check, (id, why)) in checks.iter().zip(&reasons) {
        assert_eq!((check.id, check.why), (id.as_str(), ""));
        assert!(why.len() > 5, "{id}");
    }
    let titles = pairs(explanations::requirement_titles());
    assert_eq!(titles.len(), requirement::known().len());
    for (requirement, (id, title)) in requirement::known().iter().zip(&titles) {
        assert_eq!((requirement.id, requirement.title), (id.as_str(), ""));
        assert!(title.len() > 5, "{id}");
    }
}
