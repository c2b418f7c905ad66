//! The demo agent for `page/demo.rs` and scripts: the faults to choose from, and an agent that answers requests.
#![expect(unreachable_pub, reason = "what wasm-bindgen exports has to be `pub`")]

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use a2a_conformance::agent::ScriptedAgent;
use a2a_conformance::agent::fault::{FAULTS, Faults};
use a2a_conformance::agent::loopback::Loopback;
use a2a_conformance::host::web::{clock, fields};
use a2a_conformance::host::{Clock, RandomIdSource, StreamedResponse, Transport};
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::{Method, Request, ResponseHead};
use futures_util::Stream;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::LocalBoxStream;
use js_sys::{Array, Error, JsString, Promise, Uint8Array};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::future_to_promise;

thread_local! {
    /// One for all agents: a clock has a worker, and when an agent is given up is the garbage collector's affair.
    static CLOCK: Rc<dyn Clock> = clock();
}

/// The faults to choose from: names and titles in turn.
#[wasm_bindgen(js_name = demoFaults)]
pub fn demo_faults() -> Array {
    FAULTS.iter().flat_map(|fault| [JsString::from(fault.id), JsString::from(fault.title)]).collect()
}

/// An agent that says it lives at `base`, with the faults of these names.
#[wasm_bindgen(js_name = demoAgent)]
pub fn demo_agent(base: &str, faults: &Array) -> DemoAgent {
    console_error_panic_hook::set_once();
    let names: Vec<String> = faults.iter().filter_map(|name| name.as_string()).collect();
    // The names come from `demo_faults`.
    let faults = Faults::parse(names.iter().map(String::as_str)).unwrap_or_default();
    let credentials = fields::to_array(&faults.credentials().into_iter().collect());
    let second_credentials = fields::to_array(&faults.second_credentials().into_iter().collect());
    let address = format!("{base}{}", faults.at());
    let agent = ScriptedAgent::new(base, CLOCK.with(Rc::clone), Rc::new(RandomIdSource), faults);
    DemoAgent { transport: Loopback::new(agent), address, credentials, second_credentials }
}

/// A scripted agent.
#[wasm_bindgen]
pub struct DemoAgent {
    transport: Loopback,
    address: String,
    credentials: Array,
    second_credentials: Array,
}

#[wasm_bindgen]
impl DemoAgent {
    /// The address at which its faults show, which is that of a version.
    #[wasm_bindgen(getter)]
    pub fn address(&self) -> String {
        self.address.clone()
    }

    /// The header fields that let a client in: names and values in turn.
    #[wasm_bindgen(getter)]
    pub fn credentials(&self) -> Array {
        self.credentials.clone()
    }

    /// The header fields that let a second identity in: names and values in turn.
    #[wasm_bindgen(getter, js_name = secondCredentials)]
    pub fn second_credentials(&self) -> Array {
        self.second_credentials.clone()
    }

    /// Sends it a request.
    pub fn send(&self, method: &str, url: String, headers: &Array, body: Option<Vec<u8>>) -> DemoExchange {
        let state = match Method::parse(method) {
            Some(method) => {
                let request = Request { method, url, headers: fields::from_array(headers), body };
                State::Waiting(self.transport.send(request))
            }
            None => State::Over,
        };
        DemoExchange { state: Rc::new(RefCell::new(state)), head: Rc::default() }
    }
}

/// A request that is under way.
#[wasm_bindgen]
pub struct DemoExchange {
    state: Rc<RefCell<State>>,
    head: Rc<RefCell<ResponseHead>>,
}

enum State {
    Waiting(LocalBoxFuture<'static, Result<StreamedResponse, TransportError>>),
    Answering(LocalBoxStream<'static, Result<Vec<u8>, String>>),
    Over,
}

#[wasm_bindgen]
impl DemoExchange {
    /// Resolves when the head of the answer is there; then the getters below tell it. Rejects with an `Error`, whose name
    /// is that of a kind, when there is no answer.
    pub fn answered(&self) -> Promise {
        let (state, head) = (Rc::clone(&self.state), Rc::clone(&self.head));
        future_to_promise(async move {
            let answer = poll_fn(|cx| state.borrow_mut().poll_head(cx)).await.map_err(|trouble| error(&trouble))?;
            head.replace(answer);
            Ok(JsValue::UNDEFINED)
        })
    }

    /// The status code.
    #[wasm_bindgen(getter)]
    pub fn status(&self) -> u16 {
        self.head.borrow().status
    }

    /// The header fields: names and values in turn.
    #[wasm_bindgen(getter)]
    pub fn headers(&self) -> Array {
        fields::to_array(&self.head.borrow().headers)
    }

    /// The URL that answered.
    #[wasm_bindgen(getter)]
    pub fn url(&self) -> String {
        self.head.borrow().url.clone()
    }

    /// Resolves to the next bytes of the body, or to nothing at its end. Rejects with text when the connection breaks.
    pub fn next(&self) -> Promise {
        let state = Rc::clone(&self.state);
        future_to_promise(async move {
            match poll_fn(|cx| state.borrow_mut().poll_chunk(cx)).await {
                Some(Ok(bytes)) => Ok(Uint8Array::from(bytes.as_slice()).into()),
                Some(Err(broken)) => Err(broken.into()),
                None => Ok(JsValue::UNDEFINED),
            }
        })
    }

    /// Hangs up. What is still awaited never comes.
    pub fn abort(&self) {
        self.state.replace(State::Over);
    }
}

impl State {
    fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<Result<ResponseHead, TransportError>> {
        let Self::Waiting(answer) = self else {
            let detail = "no request was sent".to_owned();
            return Poll::Ready(Err(TransportError { kind: TransportErrorKind::Other, detail }));
        };
        answer.as_mut().poll(cx).map_ok(|answer| {
            *self = Self::Answering(answer.body);
            answer.head
        })
    }

    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Vec<u8>, String>>> {
        let Self::Answering(body) = self else { return Poll::Ready(None) };
        let chunk = Pin::new(body).poll_next(cx);
        // A stream that has ended must not be asked again.
        if matches!(chunk, Poll::Ready(None | Some(Err(_)))) {
            *self = Self::Over;
        }
        chunk
    }
}

/// The kinds that a scripted agent knows, by name.
fn error(trouble: &TransportError) -> JsValue {
    let error = Error::new(&trouble.detail);
    error.set_name(match trouble.kind {
        TransportErrorKind::Closed => "Closed",
        TransportErrorKind::Unreachable => "Unreachable",
        _ => "Other",
    });
    error.into()
}
