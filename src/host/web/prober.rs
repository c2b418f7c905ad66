//! The prober of a page: fetch in its other modes, the browser's permissions, and what the page's own policy forbade.

use std::cell::RefCell;

use futures_util::future::{LocalBoxFuture, pending};
use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::{Closure, JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{EventTarget, RequestMode, RequestRedirect, ResponseType, SecurityPolicyViolationEvent};

use super::environment::{fetch, global};
use super::request::{AbortGuard, js_request, redirect};
use crate::host::probe::{AddressSpace, Browser, PageOrigin, Permission, Probe, ProbeMode, ProbeOutcome, Prober};
use crate::wire::url::Url;

/// Probes by fetch.
pub(super) struct FetchProber {
    /// The request headers that are never credentials, in lower case.
    harmless: &'static [&'static str],
    home: PageOrigin,
}

thread_local! {
    /// The origins that the page's policy kept it from asking; `None` as long as nobody listens.
    static BARRED: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

impl FetchProber {
    pub(super) fn new(harmless: &'static [&'static str], home: PageOrigin) -> Self {
        let is_heard = BARRED.with_borrow_mut(|barred| barred.replace(Vec::new()).is_some());
        if !is_heard {
            let hear =
                Closure::<dyn FnMut(SecurityPolicyViolationEvent)>::new(|event: SecurityPolicyViolationEvent| {
                    BARRED.with_borrow_mut(|barred| {
                        if let Some(barred) = barred.as_mut().filter(|_| event.effective_directive() == "connect-src") {
                            barred.push(event.blocked_uri());
                        }
                    });
                });
            // Of a page or of a worker: each has a policy of its own. If it cannot listen, blocks by it stay undetected.
            let here: EventTarget = js_sys::global().unchecked_into();
            let _ = here.add_event_listener_with_callback("securitypolicyviolation", hear.as_ref().unchecked_ref());
            // As long as the page lives.
            hear.forget();
        }
        Self { harmless, home }
    }
}

impl Prober for FetchProber {
    fn home(&self) -> PageOrigin {
        self.home.clone()
    }

    fn is_offline(&self) -> bool {
        global("navigator").is_some_and(|navigator| Reflect::get(&navigator, &"onLine".into()) == Ok(JsValue::FALSE))
    }

    fn is_barred_by_policy(&self, origin: &str) -> bool {
        BARRED.with_borrow(|barred| {
            barred.iter().flatten().any(|url| Url::parse(url).is_ok_and(|url| url.origin() == origin))
        })
    }

    fn permission(&self, space: AddressSpace) -> LocalBoxFuture<'static, Permission> {
        Box::pin(async move { status(space).await.map_or(Permission::Unknown, |status| state(&status)) })
    }

    fn permission_changed(&self, space: AddressSpace, was: Permission) -> LocalBoxFuture<'static, ()> {
        Box::pin(async move {
            let Ok(status) = status(space).await else { return pending().await };
            while state(&status) == was {
                let change = Promise::new(&mut |resolve, _| {
                    let _ = Reflect::set(&status, &"onchange".into(), &resolve);
                });
                if JsFuture::from(change).await.is_err() {
                    return pending().await;
                }
            }
        })
    }

    fn probe(&self, probe: Probe) -> LocalBoxFuture<'static, ProbeOutcome> {
        let harmless = self.harmless;
        Box::pin(async move { ask(&probe, harmless).await.unwrap_or(ProbeOutcome::Error) })
    }
}

async fn ask(probe: &Probe, harmless: &[&str]) -> Result<ProbeOutcome, JsValue> {
    let broken = |_| JsValue::NULL;
    // Dropped at the end: nobody reads the body.
    let guard = AbortGuard::new().map_err(broken)?;
    let (mode, redirect) = match probe.mode {
        ProbeMode::Cors => (RequestMode::Cors, redirect(&probe.request, harmless)),
        ProbeMode::NoCors => (RequestMode::NoCors, RequestRedirect::Follow),
        ProbeMode::Manual => (RequestMode::Cors, RequestRedirect::Manual),
    };
    let request = js_request(&probe.request, &guard, mode, redirect).map_err(broken)?;
    let response = fetch(request).await?;
    Ok(match response.type_() {
        ResponseType::Opaque => ProbeOutcome::Hidden,
        ResponseType::Opaqueredirect => ProbeOutcome::Redirect,
        _ => ProbeOutcome::Answer(response.status()),
    })
}

fn state(status: &JsValue) -> Permission {
    match Reflect::get(status, &"state".into()).ok().and_then(|state| state.as_string()).as_deref() {
        Some("granted") => Permission::Granted,
        Some("denied") => Permission::Denied,
        Some("prompt") => Permission::Prompt,
        _ => Permission::Unknown,
    }
}

/// The status of the permission, under the name that this browser knows it by. Called by name: the bindings know neither.
async fn status(space: AddressSpace) -> Result<JsValue, JsValue> {
    let permissions = Reflect::get(&global("navigator").ok_or(JsValue::NULL)?, &"permissions".into())?;
    let query: Function = Reflect::get(&permissions, &"query".into())?.dyn_into()?;
    let own = if space == AddressSpace::Loopback { "loopback-network" } else { "local-network" };
    let ask = async |name: &str| -> Result<JsValue, JsValue> {
        let wanted = Object::new();
        Reflect::set(&wanted, &"name".into(), &name.into())?;
        let answer: Promise = query.apply(&permissions, &Array::of1(&wanted))?.dyn_into()?;
        JsFuture::from(answer).await
    };
    match ask(own).await {
        Ok(status) => Ok(status),
        // Chrome 142 to 144.
        Err(_) => ask("local-network-access").await,
    }
}

/// The address that the page was loaded from, and its browser.
#[must_use]
pub fn home() -> PageOrigin {
    let text = |of: Option<JsValue>, name: &str| Reflect::get(&of?, &name.into()).ok()?.as_string();
    let framed = web_sys::window().is_some_and(|window| {
        Reflect::get(&window, &"top".into()).is_ok_and(|top| top != JsValue::from(window.clone()))
    });
    let browser = Browser::from_user_agent(&text(global("navigator"), "userAgent").unwrap_or_default());
    PageOrigin { framed, browser, ..PageOrigin::from_address(&text(global("location"), "href").unwrap_or_default()) }
}
