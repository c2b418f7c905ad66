//! The host of a page: fetch, streamed, and a clock whose timer a hidden tab does not slow down.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures_util::future::LocalBoxFuture;
use futures_util::stream::{self, LocalBoxStream, StreamExt};
use gloo_net::http::Response;
use js_sys::{Array, JSON, Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::{Closure, JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Blob, BlobPropertyBag, Event, MessageEvent, ReadableStreamDefaultReader, ReferrerPolicy,
    RequestCache, RequestCredentials, RequestInit, RequestMode, RequestRedirect, ResponseType, SubtleCrypto, Url,
    Worker,
};

use super::probe::Prober;
use super::web_probe::FetchProber;
use super::{Clock, Host, RandomIdSource, Signed, StreamedResponse, Transport, Verifier, Visibility};
use crate::wire::exchange::{TransportError, TransportErrorKind};
use crate::wire::http::{OURS, Request, ResponseHead};
use crate::wire::json::Value;

/// The host of the page.
#[must_use]
pub fn host() -> Host {
    Host {
        transport: Rc::new(FetchTransport),
        clock: Rc::new(PageClock::new()),
        ids: Rc::new(RandomIdSource),
        verifier: Rc::new(WebCryptoVerifier),
        visibility: Visibility::PAGE,
        prober: Some(prober()),
    }
}

/// What finds out why nothing is seen.
#[must_use]
pub fn prober() -> Rc<dyn Prober> {
    Rc::new(FetchProber::new())
}

/// Verifies by the browser's own cryptography, which it lends to pages of https and of this machine only.
struct WebCryptoVerifier;

impl Verifier for WebCryptoVerifier {
    fn verify(&self, signed: Signed) -> LocalBoxFuture<'static, Result<bool, String>> {
        Box::pin(async move {
            // One object for both steps; each takes the members that it knows.
            let algorithm = match signed.algorithm.as_str() {
                "ES256" => r#"{"name":"ECDSA","namedCurve":"P-256","hash":"SHA-256"}"#,
                "ES384" => r#"{"name":"ECDSA","namedCurve":"P-384","hash":"SHA-384"}"#,
                "RS256" => r#"{"name":"RSASSA-PKCS1-v1_5","hash":"SHA-256"}"#,
                "PS256" => r#"{"name":"RSA-PSS","hash":"SHA-256","saltLength":32}"#,
                "EdDSA" => r#"{"name":"Ed25519"}"#,
                other => return Err(format!("signatures with {other} cannot be verified here")),
            };
            // What a key says of its use is none of the signature's business, and makes browsers refuse it.
            let key: Value = ["kty", "crv", "x", "y", "n", "e"]
                .into_iter()
                .filter_map(|name| Some((name.to_owned(), signed.key.get(name)?.clone())))
                .collect();
            verify(algorithm, &key, &signed).await.map_err(|_| {
                "this page cannot use the key; a page can verify signatures only when it is served over \
                 https"
                    .to_owned()
            })
        })
    }
}

async fn verify(algorithm: &str, key: &Value, signed: &Signed) -> Result<bool, JsValue> {
    let algorithm: Object = JSON::parse(algorithm)?.unchecked_into();
    let key: Object = JSON::parse(&key.to_string())?.unchecked_into();
    let window = web_sys::window().ok_or(JsValue::NULL)?;
    let subtle = Reflect::get(&window.crypto()?.into(), &"subtle".into())?;
    if subtle.is_undefined() {
        return Err(subtle);
    }
    let subtle: SubtleCrypto = subtle.unchecked_into();
    let usages = Array::of1(&"verify".into());
    let key = JsFuture::from(subtle.import_key_with_object("jwk", &key, &algorithm, false, &usages)?).await?;
    let [signature, bytes] = [&signed.signature, &signed.bytes].map(|bytes| Uint8Array::from(bytes.as_slice()));
    let verdict = subtle.verify_with_object_and_js_u8_array_and_js_u8_array(
        &algorithm,
        key.unchecked_ref(),
        &signature,
        &bytes,
    )?;
    Ok(JsFuture::from(verdict).await?.is_truthy())
}

/// Sends by fetch, without anything of the page: no cookies, no referrer, no cache.
struct FetchTransport;

impl Transport for FetchTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        Box::pin(fetch(request))
    }
}

async fn fetch(request: Request) -> Result<StreamedResponse, TransportError> {
    let guard = AbortGuard::new()?;
    let request = js_request(&request, &guard, None)?;
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

/// What is said of a redirect that was not followed.
const REDIRECTED: &str = "the agent redirects, and with credentials a redirect is not followed, because they would go \
                          wherever it leads; give the address that it leads to";

fn carries_credentials(request: &Request) -> bool {
    request.headers.iter().any(|(name, _)| !OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours)))
        // Only requests for tokens are forms, and have secrets in them.
        || request.headers.media_type().is_some_and(|media| media.ends_with("form-urlencoded"))
}

/// The request for fetch; a probe's has its own mode and its own way with redirects.
///
/// It is built without `gloo-net`'s builder, which panics at a header that cannot be sent and
/// appends `&` to a URL with a query.
pub(super) fn js_request(
    request: &Request,
    guard: &AbortGuard,
    kind: Option<(RequestMode, RequestRedirect)>,
) -> Result<gloo_net::http::Request, TransportError> {
    let headers = web_sys::Headers::new().map_err(|error| other(text(&error)))?;
    for (name, value) in request.headers.iter() {
        // The value may be a secret, so the detail names the field only.
        headers.append(name, value).map_err(|_| other(format!("the header {name} cannot be sent")))?;
    }
    let init = RequestInit::new();
    init.set_method(request.method.as_str());
    init.set_headers(&headers);
    // A redirect takes the request's headers along, to another origin too, and a page cannot look before it goes.
    let redirect = if carries_credentials(request) { RequestRedirect::Manual } else { RequestRedirect::Follow };
    let (mode, redirect) = kind.unwrap_or((RequestMode::Cors, redirect));
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
    absolute.map(Into::into).map_err(|error| TransportError { kind: TransportErrorKind::BadUrl, detail: text(&error) })
}

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

fn other(detail: impl Into<String>) -> TransportError {
    TransportError { kind: TransportErrorKind::Other, detail: detail.into() }
}

/// What a script's error says.
fn text(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error.as_string().unwrap_or_else(|| "an error without a text".to_owned()),
    }
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

    fn finished(&self) {
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

/// The worker's script: sets a timer for `[id, ms]`, answers `id`, forgets the timer of a lone `[id]`.
const TIMER_SCRIPT: &str = "const t = new Map(); onmessage = ({ data: [id, ms] }) => { \
     clearTimeout(t.get(id)); t.delete(id); \
     if (ms !== undefined) t.set(id, setTimeout(() => { t.delete(id); postMessage(id); }, ms)); };";

/// Browsers keep the time of a timer in a signed number of 32 bits, and fire at once beyond it.
const LONGEST_TIMER_MS: f64 = 2_147_483_647.0;

/// A page's clock.
struct PageClock {
    timers: Rc<Timers>,
    // Held for as long as the worker may call them.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

/// The sleeps that were not woken yet, and who keeps their time: timers of a hidden page run once a minute, those of a
/// worker as usual.
#[derive(Default)]
struct Timers {
    worker: RefCell<Option<TimerWorker>>,
    /// A handful at most, so a list will do.
    waiting: RefCell<Vec<Waiting>>,
    next: Cell<u32>,
}

struct Waiting {
    id: u32,
    until_ms: f64,
    waker: Option<Waker>,
}

impl PageClock {
    fn new() -> Self {
        let timers = Rc::new(Timers::default());
        let on_message = {
            let timers = Rc::clone(&timers);
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| timers.wake(&event.data()))
        };
        let on_error = {
            let timers = Rc::clone(&timers);
            // A page's policy that forbids the worker shows here and not when it is made.
            Closure::<dyn FnMut(Event)>::new(move |_| timers.leave_worker())
        };
        if let Ok(timer) = TimerWorker::start() {
            timer.worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
            timer.worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
            timers.worker.replace(Some(timer));
        }
        Self { timers, _on_message: on_message, _on_error: on_error }
    }
}

impl Drop for PageClock {
    fn drop(&mut self) {
        // Sleeps may outlive their clock: the window keeps their time from here.
        self.timers.leave_worker();
    }
}

impl Clock for PageClock {
    fn now_ms(&self) -> f64 {
        now_ms()
    }

    fn wall_ms(&self) -> f64 {
        js_sys::Date::now()
    }

    fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        let id = self.timers.next.replace(self.timers.next.get().wrapping_add(1));
        let ms = if ms.is_nan() { 0.0 } else { ms.clamp(0.0, LONGEST_TIMER_MS).ceil() };
        let waiting = Waiting { id, until_ms: now_ms() + ms, waker: None };
        self.timers.waiting.borrow_mut().push(waiting);
        self.timers.start(id, ms);
        Box::pin(Sleep { id, timers: Rc::clone(&self.timers) })
    }
}

impl Timers {
    fn start(self: &Rc<Self>, id: u32, ms: f64) {
        let message = Array::of2(&id.into(), &ms.into());
        let timer = self.worker.borrow();
        if timer.as_ref().is_none_or(|timer| timer.worker.post_message(&message).is_err()) {
            self.start_in_window(id, ms);
        }
    }

    fn start_in_window(self: &Rc<Self>, id: u32, ms: f64) {
        let timers = Rc::clone(self);
        let fire = Closure::once_into_js(move || timers.wake(&id.into()));
        let ms = ms.min(LONGEST_TIMER_MS) as i32;
        let started = web_sys::window().and_then(|window| {
            window.set_timeout_with_callback_and_timeout_and_arguments_0(fire.unchecked_ref(), ms).ok()
        });
        if started.is_none() {
            // Nothing here keeps time; a wait that never ends would be worse than none.
            self.wake(&id.into());
        }
    }

    fn wake(&self, id: &JsValue) {
        // It was a u32 when it was sent.
        let Some(id) = id.as_f64().map(|id| id as u32) else { return };
        // Taken out of the borrow first: whoever is woken may sleep again at once.
        let waiting = self.take(id);
        if let Some(waker) = waiting.and_then(|waiting| waiting.waker) {
            waker.wake();
        }
    }

    /// The sleep of that id, which waits no longer.
    fn take(&self, id: u32) -> Option<Waiting> {
        let mut waiting = self.waiting.borrow_mut();
        let index = waiting.iter().position(|waiting| waiting.id == id)?;
        Some(waiting.swap_remove(index))
    }

    fn leave_worker(self: &Rc<Self>) {
        if self.worker.take().is_none() {
            return;
        }
        let now = now_ms();
        let left: Vec<_> = self.waiting.borrow().iter().map(|waiting| (waiting.id, waiting.until_ms - now)).collect();
        for (id, ms) in left {
            self.start_in_window(id, ms.max(0.0));
        }
    }
}

/// Ends when its timer is no longer waiting.
struct Sleep {
    id: u32,
    timers: Rc<Timers>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.timers.waiting.borrow_mut().iter_mut().find(|waiting| waiting.id == self.id) {
            Some(waiting) => {
                waiting.waker = Some(cx.waker().clone());
                Poll::Pending
            }
            None => Poll::Ready(()),
        }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if self.timers.take(self.id).is_some()
            && let Some(timer) = self.timers.worker.borrow().as_ref()
        {
            // A worker that cannot be told wakes nobody in the end.
            let _ = timer.worker.post_message(&Array::of1(&self.id.into()));
        }
    }
}

/// The worker that keeps time. Its script has a URL for as long as it lives.
struct TimerWorker {
    worker: Worker,
    url: String,
}

impl TimerWorker {
    fn start() -> Result<Self, JsValue> {
        let kind = BlobPropertyBag::new();
        kind.set_type("text/javascript");
        let script = Blob::new_with_str_sequence_and_options(&Array::of1(&TIMER_SCRIPT.into()), &kind)?;
        let url = Url::create_object_url_with_blob(&script)?;
        Ok(Self { worker: Worker::new(&url)?, url })
    }
}

impl Drop for TimerWorker {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        // Nothing is lost but some bytes when it cannot be revoked.
        let _ = Url::revoke_object_url(&self.url);
    }
}

fn now_ms() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or_else(js_sys::Date::now, |clock| clock.now())
}
