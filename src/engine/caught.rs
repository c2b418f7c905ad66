//! Panics of ours that must not end a run: caught where the build can catch them at all.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs something; `None` if it panicked. In a build whose panics abort, as the page's, there is nothing to catch, and what
/// would be done about it is left out.
pub fn caught<T>(run: impl FnOnce() -> T) -> Option<T> {
    if cfg!(panic = "abort") { Some(run()) } else { catch_unwind(AssertUnwindSafe(run)).ok() }
}
