//! Sends by fetch and hands the answer out as it arrives.

use futures_util::future::LocalBoxFuture;
use futures_util::stream::{self, LocalBoxStream, StreamExt};
use gloo_net::http::Response;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::prelude::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStreamDefaultReader, RequestMode, ResponseType};

use super::request::{AbortGuard, js_request, other, redirect, text};
use crate::host::{StreamedResponse, Transport};
use crate::wire::exchange::{TransportError, TransportErrorKind};
use crate::wire::http::{Request, ResponseHead};

/// Sends by fetch, without anything of the page: no cookies, no referrer, no cache.
pub(super) struct FetchTransport {
    /// The request headers that are never credentials, in lower case.
    pub(super) harmless: &'static [&'static str],
}

impl Transport for FetchTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        Box::pin(fetch(request, self.harmless))
    }
}

async fn fetch(request: Request, harmless: &[&str]) -> Result<StreamedResponse, TransportError> {
    let guard = AbortGuard::new()?;
    let request = js_request(&request, &guard, RequestMode::Cors, redirect(&request, harmless))?;
    // The engine's text is the same constant for every cause, so that the kind says all there is to know.
    let opaque = |error| match error {
        gloo_net::Error::JsError(error) => TransportError { kind: TransportErrorKind::Opaque, detail: error.message },
        error => other(error.to_string()),
    };
    let response = request.send().await.map_err(opaque)?;
    if response.type_() == ResponseType::Opaqueredirect {
        return Err(TransportError { kind: TransportErrorKind::Redirect, detail: REDIRECTED.to_owned() });
    }
    let head = ResponseHead {
        status: response.status(),
        headers: response.headers().entries().collect(),
        url: response.url(),
        redirected: response.redirected(),
    };
    Ok(StreamedResponse { head, body: body(&response, guard)? })
}

/// The detail of a redirect that was not followed.
const REDIRECTED: &str = "the agent redirects, and with credentials a redirect is not followed, because they would go \
                          wherever it leads; give the address that it leads to";

fn body(
    response: &Response,
    guard: AbortGuard,
) -> Result<LocalBoxStream<'static, Result<Vec<u8>, String>>, TransportError> {
    let Some(body) = response.body() else {
        guard.finished();
        return Ok(stream::empty().boxed_local());
    };
    let reader = body.get_reader().dyn_into::<ReadableStreamDefaultReader>();
    let reader = reader.map_err(|_| other("the body cannot be read in pieces"))?;
    let chunks = stream::unfold(Some((reader, guard)), |state| async move {
        let (reader, guard) = state?;
        match chunk(&reader).await {
            Ok(Some(bytes)) => Some((Ok(bytes), Some((reader, guard)))),
            Ok(None) => {
                guard.finished();
                None
            }
            Err(error) => Some((Err(text(&error)), None)),
        }
    });
    // To ask once more after the end is harmless, where the stream alone would panic.
    Ok(chunks.fuse().boxed_local())
}

/// The next chunk; `None` at the end.
async fn chunk(reader: &ReadableStreamDefaultReader) -> Result<Option<Vec<u8>>, JsValue> {
    let read = JsFuture::from(reader.read()).await?;
    if Reflect::get(&read, &"done".into())?.is_truthy() {
        return Ok(None);
    }
    let bytes: Uint8Array = Reflect::get(&read, &"value".into())?.dyn_into()?;
    Ok(Some(bytes.to_vec()))
}
