//! A request as fetch takes it: without anything of the page, its redirects, and aborted when nobody waits for it any more.

use std::cell::Cell;

use js_sys::Uint8Array;
use wasm_bindgen::prelude::{JsCast, JsValue};
use web_sys::{
    AbortController, ReferrerPolicy, RequestCache, RequestCredentials, RequestInit, RequestMode, RequestRedirect, Url,
};

use crate::wire::exchange::{TransportError, TransportErrorKind};
use crate::wire::http::Request;

/// How fetch treats a redirect. A browser sends the request's headers along, to another origin too, and a page cannot see
/// the target first: so a request with credentials follows none.
pub(super) fn redirect(request: &Request, harmless: &[&str]) -> RequestRedirect {
    if request.may_carry_credentials(harmless) { RequestRedirect::Manual } else { RequestRedirect::Follow }
}

/// The request for fetch, without anything of the page: no cookies, no referrer, no cache.
pub(super) fn js_request(
    request: &Request,
    guard: &AbortGuard,
    mode: RequestMode,
    redirect: RequestRedirect,
) -> Result<web_sys::Request, TransportError> {
    let headers = web_sys::Headers::new().map_err(|error| other(text(&error)))?;
    for (name, value) in request.headers.iter() {
        // The value may be a secret, so the detail names the field only.
        headers.append(name, value).map_err(|_| other(format!("the header {name} cannot be sent")))?;
    }
    let init = RequestInit::new();
    init.set_method(request.method.as_str());
    init.set_headers(&headers);
    init.set_mode(mode);
    init.set_credentials(RequestCredentials::Omit);
    init.set_cache(RequestCache::NoStore);
    init.set_redirect(redirect);
    init.set_referrer_policy(ReferrerPolicy::NoReferrer);
    init.set_signal(Some(&guard.controller.signal()));
    if let Some(body) = &request.body {
        init.set_body(&Uint8Array::from(body.as_slice()));
    }
    // Relative URLs would be taken as places of this page's server.
    let absolute = Url::new(&request.url).and_then(|_| web_sys::Request::new_with_str_and_init(&request.url, &init));
    absolute.map_err(|error| TransportError { kind: TransportErrorKind::BadUrl, detail: text(&error) })
}

/// Aborts the request when it is dropped, unless the answer was read to its end before.
pub(super) struct AbortGuard {
    controller: AbortController,
    finished: Cell<bool>,
}

impl AbortGuard {
    pub(super) fn new() -> Result<Self, TransportError> {
        let controller = AbortController::new().map_err(|error| other(text(&error)))?;
        Ok(Self { controller, finished: Cell::new(false) })
    }

    pub(super) fn finished(&self) {
        self.finished.set(true);
    }
}

impl Drop for AbortGuard {
    fn drop(&mut self) {
        if !self.finished.get() {
            self.controller.abort();
        }
    }
}

pub(super) fn other(detail: impl Into<String>) -> TransportError {
    TransportError { kind: TransportErrorKind::Other, detail: detail.into() }
}

/// The message of a JavaScript error.
pub(super) fn text(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error.as_string().unwrap_or_else(|| "an error without a text".to_owned()),
    }
}
