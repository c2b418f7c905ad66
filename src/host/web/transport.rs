//! Sends by fetch, hands the answer out as it arrives, and words why there is none.

use futures_util::stream::{self, StreamExt};
use js_sys::{Array, Reflect, Uint8Array};
use wasm_bindgen::prelude::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStreamDefaultReader, RequestMode, RequestRedirect, Response, ResponseType};

use super::environment;
use super::request::{AbortGuard, js_request, other, redirect, text};
use crate::host::{BodyStream, PendingResponse, StreamedResponse, Transport};
use crate::wire::exchange::{TransportError, TransportErrorKind};
use crate::wire::http::{Headers, Request, ResponseHead};

/// Sends by fetch, without anything of the page: no cookies, no referrer, no cache.
pub(super) struct FetchTransport {
    /// The request headers that are never credentials, in lower case.
    pub(super) harmless: &'static [&'static str],
}

impl Transport for FetchTransport {
    fn send(&self, request: Request) -> PendingResponse {
        Box::pin(send(request, self.harmless))
    }
}

async fn send(request: Request, harmless: &[&str]) -> Result<StreamedResponse, TransportError> {
    let guard = AbortGuard::new()?;
    let redirect = redirect(&request, harmless);
    let request = js_request(&request, &guard, RequestMode::Cors, redirect)?;
    let response = environment::fetch(request).await.map_err(|error| trouble(&error))?;
    // A browser hides a redirect that is not followed; Node.js shows it.
    let is_shown = redirect == RequestRedirect::Manual && matches!(response.status(), 301..=303 | 307 | 308);
    if is_shown || response.type_() == ResponseType::Opaqueredirect {
        return Err(TransportError { kind: TransportErrorKind::Redirect, detail: REDIRECTED.to_owned() });
    }
    let head = ResponseHead {
        status: response.status(),
        headers: headers(&response),
        url: response.url(),
        redirected: response.redirected(),
    };
    Ok(StreamedResponse { head, body: body(&response, guard)? })
}

fn headers(response: &Response) -> Headers {
    let entries = response.headers().entries().into_iter().filter_map(Result::ok);
    let text = |entry: &Array, at: u32| entry.get(at).as_string().unwrap_or_default();
    entries.map(|entry| entry.unchecked_into()).map(|entry: Array| (text(&entry, 0), text(&entry, 1))).collect()
}

/// Why there is no answer. A browser's text is the same constant for every cause, so that the kind says all there is to know;
/// Node.js says behind it what its system said.
fn trouble(error: &JsValue) -> TransportError {
    let cause = Reflect::get(error, &"cause".into()).unwrap_or_default();
    if environment::is_browser() || !cause.is_object() {
        let kind = if environment::is_browser() { TransportErrorKind::Opaque } else { TransportErrorKind::Other };
        return TransportError { kind, detail: text(error) };
    }
    let code = Reflect::get(&cause, &"code".into()).ok().and_then(|code| code.as_string()).unwrap_or_default();
    let kind = match code.as_str() {
        "ECONNREFUSED"
        | "ENOTFOUND"
        | "EAI_AGAIN"
        | "EHOSTUNREACH"
        | "ENETUNREACH"
        | "ETIMEDOUT"
        | "UND_ERR_CONNECT_TIMEOUT" => TransportErrorKind::Unreachable,
        "ECONNRESET" | "EPIPE" | "UND_ERR_SOCKET" => TransportErrorKind::Closed,
        code if ["CERT_", "ERR_TLS_", "ERR_SSL_", "UNABLE_TO_", "DEPTH_ZERO_", "SELF_SIGNED_"]
            .iter()
            .any(|kind| code.starts_with(kind)) =>
        {
            TransportErrorKind::Tls
        }
        _ => TransportErrorKind::Other,
    };
    let said = text(&cause);
    TransportError { kind, detail: if said.is_empty() { code } else { said } }
}

/// The detail of a redirect that was not followed.
const REDIRECTED: &str = "the agent redirects, and with credentials a redirect is not followed, because they would go \
                          wherever it leads; give the address that it leads to";

fn body(response: &Response, guard: AbortGuard) -> Result<BodyStream, TransportError> {
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
