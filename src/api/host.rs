//! `Host`: where a run takes place, and how a program brings one of its own.

use std::fmt;
use std::rc::Rc;

use futures_util::future::{LocalBoxFuture, ready};

use crate::host::{self, Clock, RandomIdSource, Signed, Transport, Verifier, Visibility};

/// The host that a run takes place in: how requests are sent, and how time is told.
#[derive(Clone)]
pub struct Host {
    pub(super) inner: host::Host,
    pub(super) name: &'static str,
}

impl Host {
    /// A host of your own. It sees every header and the cause of every failure; it verifies no signatures, so that checks of
    /// signed cards are not observable.
    #[must_use]
    pub fn new(transport: Rc<dyn Transport>, clock: Rc<dyn Clock>) -> Self {
        let inner = host::Host {
            transport,
            clock,
            ids: Rc::new(RandomIdSource),
            verifier: Rc::new(NoVerifier),
            visibility: Visibility::FULL,
            prober: None,
            webhooks: None,
            beacon: None,
        };
        Self { inner, name: "library" }
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Host({})", self.name)
    }
}

struct NoVerifier;

impl Verifier for NoVerifier {
    fn verify(&self, _: Signed) -> LocalBoxFuture<'static, Result<bool, String>> {
        Box::pin(ready(Err("this host does not verify signatures".to_owned())))
    }
}
