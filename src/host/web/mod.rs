//! The host of a page: fetch, streamed, the browser's cryptography, and a clock whose timer a hidden tab does not slow
//! down. In Node.js, which has the same functions and no browser's restrictions, it sees all there is to see.

mod clock;
mod environment;
pub mod fields;
mod prober;
mod request;
mod skipping_clock;
mod transport;
mod verifier;

use std::rc::Rc;

use super::probe::{PageOrigin, Prober};
use super::{Clock, Host, RandomIdSource, Visibility};
use clock::PageClock;
use prober::FetchProber;
pub use prober::home;
use transport::FetchTransport;
use verifier::WebCryptoVerifier;

/// The host of whatever this runs in. `harmless` are the request headers that are never credentials: with any other a redirect
/// is not followed.
#[must_use]
pub fn host(harmless: &'static [&'static str]) -> Host {
    host_of(harmless, home())
}

/// The host of a page that runs this in a worker, which does not know where the page came from.
#[must_use]
pub fn host_of(harmless: &'static [&'static str], home: PageOrigin) -> Host {
    let is_browser = environment::is_browser();
    Host {
        transport: Rc::new(FetchTransport { harmless }),
        clock: clock(),
        ids: Rc::new(RandomIdSource),
        verifier: Rc::new(WebCryptoVerifier),
        // No `fetch` hands trailers on.
        visibility: if is_browser { Visibility::PAGE } else { Visibility { trailers: false, ..Visibility::FULL } },
        prober: is_browser.then(|| Rc::new(FetchProber::new(harmless, home)) as Rc<dyn Prober>),
        webhooks: None,
        beacon: None,
    }
}

/// The host for an agent that lives in this page, in whose runs no wait takes real time: its transport may wait for nothing but
/// the clock of this host.
#[must_use]
pub fn without_waits(host: Host) -> Host {
    let real = host.clone();
    skipping_clock::without_waits(host).unwrap_or(real)
}

/// The version of Node.js, where this is a program of it and not a page.
#[must_use]
pub fn node_version() -> Option<String> {
    environment::node_version().filter(|_| !environment::is_browser())
}

/// The clock of the page.
#[must_use]
pub fn clock() -> Rc<dyn Clock> {
    Rc::new(PageClock::new())
}
