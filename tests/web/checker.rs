//! The checker's module, here in one module with the page: what `style/start-checker.js` gives the page, and how scripts reach
//! the scripted agent.

#[path = "../../src/bin/checker/answers.rs"]
mod answers;
#[path = "../../src/bin/checker/exports.rs"]
pub(crate) mod exports;
#[path = "../../src/bin/checker/runs.rs"]
mod runs;
#[path = "../../src/bin/checker/scripted_agent.rs"]
mod scripted_agent;
#[path = "../../src/bin/checker/several_agents.rs"]
mod several_agents;
#[path = "../../src/bin/checker/target.rs"]
mod target;
#[path = "../../src/bin/checker/test_files.rs"]
mod test_files;
#[path = "../../src/bin/checker/watched.rs"]
mod watched;
#[path = "../../src/bin/checker/workbench.rs"]
mod workbench;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use a2a_conformance::host::Clock;
use a2a_conformance::host::web::{self, fields};
use js_sys::{Array, Function, JsString, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::components::sleep;

/// Puts a way to the checker in the place of the script's, for as long as the tests run.
fn install_way(ask: impl Fn(JsValue) -> Promise + 'static, listen: impl Fn(Function) + 'static) {
    let way = Object::new();
    set(&way, "ask", Closure::<dyn Fn(JsValue) -> Promise>::new(ask).into_js_value());
    set(&way, "listen", Closure::<dyn Fn(Function)>::new(listen).into_js_value());
    set(&way, "prefetch", Closure::<dyn Fn()>::new(|| ()).into_js_value());
    set(&js_sys::global(), "checker", way.into());
}

fn set(object: &Object, name: &str, value: JsValue) {
    assert!(Reflect::set(object, &name.into(), &value).unwrap());
}

/// A checker that is there.
pub(crate) fn install() {
    install_way(|question| answers::ask(question.unchecked_ref(), None), answers::listen);
}

/// Batches of a checker that are held back, and answers: the demo agent alone is checked at once.
#[derive(Clone, Default)]
pub(crate) struct Held {
    told: Rc<RefCell<Option<Function>>>,
    batches: Rc<RefCell<VecDeque<JsValue>>>,
    is_released: Rc<Cell<bool>>,
    are_answers_held: Rc<Cell<bool>>,
}

impl Held {
    /// A checker whose batches wait until they are told.
    pub(crate) fn install(&self) {
        let (held, asked) = (self.clone(), self.clone());
        let ask = move |question: JsValue| {
            let held = asked.clone();
            future_to_promise(async move {
                while held.are_answers_held.get() {
                    sleep(20).await;
                }
                JsFuture::from(answers::ask(question.unchecked_ref(), None)).await
            })
        };
        let listen = move |told: Function| {
            held.told.replace(Some(told));
            let held = held.clone();
            let hear = Closure::<dyn Fn(JsValue)>::new(move |batch| {
                held.batches.borrow_mut().push_back(batch);
                if held.is_released.get() {
                    while held.tell_next() {}
                }
            });
            answers::listen(hear.into_js_value().unchecked_into());
        };
        install_way(ask, listen);
    }

    /// From now on nothing is answered until all is released.
    pub(crate) fn hold_answers(&self) {
        self.are_answers_held.set(true);
    }

    /// Tells the page the next batch, if there is one.
    pub(crate) fn tell_next(&self) -> bool {
        let Some(batch) = self.batches.borrow_mut().pop_front() else { return false };
        let told = self.told.borrow().clone().unwrap();
        told.call1(&JsValue::UNDEFINED, &batch).unwrap();
        true
    }

    /// Tells it all of them, and whatever comes, and answers.
    pub(crate) fn release(&self) {
        self.are_answers_held.set(false);
        self.is_released.set(true);
        while self.tell_next() {}
    }
}

/// A checker that cannot be fetched.
pub(crate) fn install_broken() {
    install_way(|_| Promise::reject(&js_sys::Error::new("no network")), answers::listen);
}

const BASE: &str = "https://demo.agent.invalid";

fn agent(faults: &[&str]) -> scripted_agent::DemoAgent {
    scripted_agent::demo_agent(BASE, &faults.iter().map(|fault| JsString::from(*fault)).collect())
}

fn post(agent: &scripted_agent::DemoAgent, method: &str, words: &str) -> scripted_agent::DemoExchange {
    let message = format!(r#"{{"messageId":"m1","role":"ROLE_USER","parts":[{{"text":"{words}"}}]}}"#);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"message":{message}}}}}"#);
    let headers = [("Content-Type", "application/json"), ("A2A-Version", "1.0")].into_iter().collect();
    agent.send("POST", format!("{BASE}/rpc"), &fields::to_array(&headers), Some(body.into_bytes()))
}

async fn chunk(exchange: &scripted_agent::DemoExchange) -> Option<String> {
    let chunk = JsFuture::from(exchange.next()).await.unwrap();
    let bytes = chunk.dyn_into::<Uint8Array>().ok()?;
    Some(String::from_utf8(bytes.to_vec()).unwrap())
}

#[wasm_bindgen_test]
async fn the_demo_agent_works_at_its_own_pace_for_people_and_without_waits_for_checks() {
    let real = web::clock();
    let slept = async |clock: Rc<dyn Clock>, ms: f64| {
        let begun = real.now_ms();
        clock.sleep(ms).await;
        real.now_ms() - begun
    };
    let (by_hand, _) = target::demo_at_its_pace(&[]);
    let took = slept(by_hand.clock, 200.0).await;
    assert!(took > 190.0, "{took} ms");
    let (checked, _) = target::Target::Demo { faults: Vec::new() }.run().unwrap();
    let took = slept(checked.clock, 60_000.0).await;
    assert!(took < 10_000.0, "{took} ms");
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
    let faults = fields::from_array(&scripted_agent::demo_faults());
    assert!(faults.len() > 300, "{}", faults.len());
    assert!(faults.iter().all(|(id, title)| !id.is_empty() && title.starts_with("The agent")));

    assert_eq!(agent(&[]).address(), BASE);
    assert_eq!(agent(&[]).credentials().length(), 0);
    assert_eq!(agent(&["card-no-url"]).address(), format!("{BASE}/0.3"));
    let protected = fields::from_array(&agent(&["auth-any-token"]).credentials());
    assert_eq!(protected.get("authorization"), Some("Bearer open-sesame"));
}
