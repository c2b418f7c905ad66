//! `Host::native`: the host of native programs.

use super::host::Host;
use crate::host::native;

impl Host {
    /// HTTP by reqwest. Its runs belong into [`Host::block_on`].
    #[must_use]
    pub fn native() -> Self {
        Self { inner: native::host(), name: "library" }
    }

    /// Runs a future to its end on this thread, with what [`Host::native`] needs.
    ///
    /// # Panics
    /// When the operating system gives no event queue.
    pub fn block_on<F: Future>(future: F) -> F::Output {
        native::block_on(future)
    }
}
