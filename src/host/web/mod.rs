//! The host of a page: fetch, streamed, the browser's cryptography, and a clock whose timer a hidden tab does not slow
//! down.

mod clock;
mod prober;
mod request;
mod transport;
mod verifier;

use std::rc::Rc;

use super::probe::Prober;
use super::{Host, RandomIdSource, Visibility};
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
        clock: Rc::new(PageClock::new()),
        ids: Rc::new(RandomIdSource),
        verifier: Rc::new(WebCryptoVerifier),
        visibility: Visibility::PAGE,
        prober: Some(prober(harmless)),
    }
}

/// Finds out why nothing is seen; `harmless` as for [`host`].
#[must_use]
pub fn prober(harmless: &'static [&'static str]) -> Rc<dyn Prober> {
    Rc::new(FetchProber::new(harmless))
}
