//! Panics of ours that must not end a run: caught where the build can catch them at all.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs something, or what is to be done when it panicked. In a build whose panics abort, as the page's, there is nothing to
/// catch, and the second is left out.
#[inline]
pub fn catch_panic<T>(run: impl FnOnce() -> T, or: impl FnOnce() -> T) -> T {
    if cfg!(panic = "abort") { run() } else { catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| or()) }
}
