//! A host that sends what a page of some origin would send, preflights included, and sees what a browser would let that page see. Why
//! the page sees nothing is then found out, and mended, as in a page: by `engine::reach`. Besides it keeps what no page knows.

mod cors;
mod fetch;

use std::rc::Rc;

use futures_util::future::{LocalBoxFuture, pending, ready};

use crate::a2a::headers::OWN;
use crate::host::probe::{AddressSpace, Browser, PageOrigin, Permission, Probe, ProbeMode, ProbeOutcome, Prober};
use crate::host::{Host, StreamedResponse, Transport, Visibility};
use crate::wire::exchange::{TransportError, TransportErrorKind};
use crate::wire::http::Request;
use crate::wire::url::{Url, UrlProblem};
use fetch::{Fetched, Fetcher};

pub(super) use fetch::Observed;

/// A host for a page of that origin, and what the page does not see of the answers. The host beneath follows no redirects.
pub(super) fn host(beneath: Host, home: PageOrigin) -> (Host, Observed) {
    let observed = Observed::default();
    let fetcher = Rc::new(Fetcher { beneath: Rc::clone(&beneath.transport), home, observed: observed.clone() });
    let host = Host {
        transport: Rc::new(PageTransport(Rc::clone(&fetcher))),
        prober: Some(Rc::new(PageProber(fetcher))),
        visibility: Visibility::PAGE,
        ..beneath
    };
    (host, observed)
}

/// The origin of a page, as the user names it. Of the browsers it is Chromium whose rules are followed.
pub(super) fn home(text: &str) -> Result<PageOrigin, String> {
    let url = Url::parse(text).map_err(|problem: UrlProblem| problem.to_string())?;
    if url.path != "/" || url.query.is_some() {
        return Err(format!("an origin has no path; that of this address is {}", url.origin()));
    }
    Ok(PageOrigin { browser: Browser::Chromium, ..PageOrigin::from_address(&url.origin()) })
}

/// The detail of a redirect that is not followed.
const REDIRECTED: &str = "the agent redirects, and with credentials a redirect is not followed, because they would go wherever it \
                          leads; give the address that it leads to";

/// Sends as fetch does, in the mode `cors` and without the browser's credentials.
struct PageTransport(Rc<Fetcher>);

impl Transport for PageTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let fetcher = Rc::clone(&self.0);
        Box::pin(async move {
            match fetcher.fetch(&request, mode(&request)).await {
                Ok(Fetched::Answer(answer)) => Ok(answer),
                Ok(Fetched::Redirect | Fetched::Opaque) => {
                    Err(TransportError { kind: TransportErrorKind::Redirect, detail: REDIRECTED.to_owned() })
                }
                Err(why) => Err(TransportError { kind: TransportErrorKind::Opaque, detail: why }),
            }
        })
    }
}

/// As the host of a page decides it: a request with credentials follows no redirect.
fn mode(request: &Request) -> ProbeMode {
    if request.may_carry_credentials(&OWN) { ProbeMode::Manual } else { ProbeMode::Cors }
}

/// Asks in the ways of a diagnosis. There is no user whom a browser would ask: the page has every permission.
struct PageProber(Rc<Fetcher>);

impl Prober for PageProber {
    fn home(&self) -> PageOrigin {
        self.0.home.clone()
    }

    fn is_offline(&self) -> bool {
        false
    }

    fn is_barred_by_policy(&self, _: &str) -> bool {
        false
    }

    fn permission(&self, _: AddressSpace) -> LocalBoxFuture<'static, Permission> {
        Box::pin(ready(Permission::Granted))
    }

    fn permission_changed(&self, _: AddressSpace, _: Permission) -> LocalBoxFuture<'static, ()> {
        Box::pin(pending())
    }

    fn probe(&self, probe: Probe) -> LocalBoxFuture<'static, ProbeOutcome> {
        let fetcher = Rc::clone(&self.0);
        Box::pin(async move {
            let mode = if probe.mode == ProbeMode::Cors { mode(&probe.request) } else { probe.mode };
            match fetcher.fetch(&probe.request, mode).await {
                Ok(Fetched::Answer(answer)) => ProbeOutcome::Answer(answer.head.status),
                Ok(Fetched::Redirect) => ProbeOutcome::Redirect,
                Ok(Fetched::Opaque) => ProbeOutcome::Hidden,
                Err(_) => ProbeOutcome::Error,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::home;

    #[test]
    fn an_origin_is_an_address_without_a_path() {
        for (text, origin) in [
            ("https://checker.example", "https://checker.example"),
            ("https://checker.example:443/", "https://checker.example"),
            ("http://localhost:8484", "http://localhost:8484"),
        ] {
            assert_eq!(home(text).unwrap().origin, origin);
        }
        for text in ["", "checker.example", "https://checker.example/page", "file:///x", "https://checker.example?x"] {
            assert!(home(text).is_err(), "{text}");
        }
    }
}
