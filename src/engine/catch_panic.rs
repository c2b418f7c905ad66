//! Catches panics of ours, which must not end a run, where the build can.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `run`, and `or` if it panicked. In a build whose panics abort, such as the page's, nothing can be caught, and `or` is
/// left out.
#[inline]
pub fn catch_panic<T>(run: impl FnOnce() -> T, or: impl FnOnce() -> T) -> T {
    if cfg!(panic = "abort") { run() } else { catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| or()) }
}
