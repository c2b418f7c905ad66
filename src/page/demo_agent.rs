//! The demo agent: the scripted agent, reached without a network, with the faults that the visitor chose. It is in the module
//! that is loaded on demand; its other half is `bin/on_demand/demo_agent.rs`.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::stream::{self, LocalBoxStream, StreamExt};
use js_sys::{Array, Error, JsString, Promise, Uint8Array};
use wasm_bindgen::prelude::{JsCast, JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

use super::on_demand::{NotLoaded, module};
use crate::a2a::headers::OWN;
use crate::engine::options::{FixedCredentials, Options};
use crate::host::web::{self, fields};
use crate::host::{Host, StreamedResponse, Transport, Visibility};
use crate::wire::exchange::{TransportError, TransportErrorKind};
use crate::wire::http::{Request, ResponseHead};

/// Where the demo agent says it lives; nothing is ever sent there.
pub(super) const ADDRESS: &str = "https://demo.agent.invalid";

/// What the visitor reads when it could not be loaded.
pub(super) const NOT_LOADED: &str = "The demo agent could not be loaded. Check your network connection and try again. \
                                     If that does not help, reload the page.";

#[wasm_bindgen]
extern "C" {
    /// The module.
    type Module;
    #[wasm_bindgen(method, js_name = demoFaults)]
    fn faults(this: &Module) -> Array;
    #[wasm_bindgen(method, js_name = demoAgent)]
    fn agent(this: &Module, base: &str, faults: &Array) -> Agent;

    /// Its `DemoAgent`.
    #[derive(Clone)]
    type Agent;
    #[wasm_bindgen(method, getter)]
    fn address(this: &Agent) -> String;
    #[wasm_bindgen(method, getter)]
    fn credentials(this: &Agent) -> Array;
    #[wasm_bindgen(method, getter, js_name = secondCredentials)]
    fn second_credentials(this: &Agent) -> Array;
    #[wasm_bindgen(method)]
    fn send(this: &Agent, method: &str, url: &str, headers: &Array, body: Option<Uint8Array>) -> Exchange;

    /// Its `DemoExchange`.
    type Exchange;
    #[wasm_bindgen(method)]
    fn answered(this: &Exchange) -> Promise;
    #[wasm_bindgen(method, getter)]
    fn status(this: &Exchange) -> u16;
    #[wasm_bindgen(method, getter)]
    fn headers(this: &Exchange) -> Array;
    #[wasm_bindgen(method, getter)]
    fn url(this: &Exchange) -> String;
    #[wasm_bindgen(method)]
    fn next(this: &Exchange) -> Promise;
    #[wasm_bindgen(method)]
    fn abort(this: &Exchange);
}

/// Every fault: its name, and what the agent does.
pub(super) async fn faults() -> Result<Vec<(String, String)>, NotLoaded> {
    Ok(fields::pairs(&module().await?.unchecked_into::<Module>().faults()).collect())
}

/// A host on which only the demo agent is reached, and the options of a run: the credentials that the agent asks for, and the
/// address at which its faults show, which is that of a version.
pub(super) async fn host(faults: &[String]) -> Result<(Host, Options), NotLoaded> {
    let faults: Array = faults.iter().map(|fault| JsString::from(fault.as_str())).collect();
    let agent = module().await?.unchecked_into::<Module>().agent(ADDRESS, &faults);
    let second = fields::pairs(&agent.second_credentials()).collect();
    let options = Options {
        address: agent.address(),
        headers: fields::pairs(&agent.credentials()).collect(),
        second: FixedCredentials { headers: second, query: Vec::new() },
        ..Options::default()
    };
    let host = web::host(&OWN);
    let transport = Rc::new(DemoTransport(agent));
    Ok((Host { transport, visibility: Visibility::FULL, prober: None, ..host }, options))
}

/// Passes requests to the module.
struct DemoTransport(Agent);

impl Transport for DemoTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let agent = self.0.clone();
        Box::pin(async move {
            let body = request.body.as_deref().map(Uint8Array::from);
            let headers = fields::to_array(&request.headers);
            let exchange = HangUp(agent.send(request.method.as_str(), &request.url, &headers, body));
            JsFuture::from(exchange.0.answered()).await.map_err(|error| trouble(&error))?;
            let head = ResponseHead {
                status: exchange.0.status(),
                headers: fields::from_array(&exchange.0.headers()),
                url: exchange.0.url(),
                redirected: false,
            };
            Ok(StreamedResponse { head, body: body_of(exchange) })
        })
    }
}

/// Hangs up when it is dropped; after the end that does nothing.
struct HangUp(Exchange);

impl Drop for HangUp {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn body_of(exchange: HangUp) -> LocalBoxStream<'static, Result<Vec<u8>, String>> {
    let chunks = stream::unfold(Some(exchange), |exchange| async move {
        let exchange = exchange?;
        match JsFuture::from(exchange.0.next()).await {
            Ok(chunk) => Some((Ok(chunk.dyn_into::<Uint8Array>().ok()?.to_vec()), Some(exchange))),
            Err(broken) => Some((Err(broken.as_string().unwrap_or_default()), None)),
        }
    });
    // To ask once more after the end is harmless, where the stream alone would panic.
    chunks.fuse().boxed_local()
}

fn trouble(error: &JsValue) -> TransportError {
    let error: &Error = error.unchecked_ref();
    let kind = match String::from(error.name()).as_str() {
        "Closed" => TransportErrorKind::Closed,
        "Unreachable" => TransportErrorKind::Unreachable,
        _ => TransportErrorKind::Other,
    };
    TransportError { kind, detail: error.message().into() }
}
