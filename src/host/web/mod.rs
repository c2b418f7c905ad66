//! The host of a page: fetch, streamed, the browser's cryptography, and a clock whose timer a hidden tab does not slow
//! down.

mod clock;
pub mod fields;
mod prober;
mod request;
mod transport;
mod verifier;

use std::rc::Rc;

use super::probe::Prober;
use super::{Clock, Host, RandomIdSource, Visibility};
use clock::PageClock;
use prober::FetchProber;
use transport::FetchTransport;
use verifier::WebCryptoVerifier;

/// The host of the page. `harmless` are the request headers that are never credentials: with any other a redirect is not
/// followed.
#[must_use]
pub fn host(harmless: &'static [&'static str]) -> Host {
    Host {
        transport: Rc::new(FetchTransport { harmless }),
        clock: clock(),
        ids: Rc::new(RandomIdSource),
        verifier: Rc::new(WebCryptoVerifier),
        visibility: Visibility::PAGE,
        prober: Some(prober(harmless)),
    }
}

/// The clock of the page.
#[must_use]
pub fn clock() -> Rc<dyn Clock> {
    Rc::new(PageClock::new())
}

/// Finds out why nothing is seen; `harmless` as for [`host`].
#[must_use]
pub fn prober(harmless: &'static [&'static str]) -> Rc<dyn Prober> {
    Rc::new(FetchProber::new(harmless))
}
