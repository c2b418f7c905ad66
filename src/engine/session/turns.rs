//! How long a run computes before whoever else has something to do comes first: the page whose Stop was clicked, the key that
//! interrupts a program, the run's own limits. All of them share the run's thread.

use std::cell::Cell;

/// How long a run computes at most before it gives way, in milliseconds.
const TURN_MS: f64 = 50.0;
/// How long it then waits, in milliseconds: long enough for a timer, so that the host looks at everything else meanwhile.
pub(super) const PAUSE_MS: f64 = 1.0;
/// How long a run whose time is over may still judge what it has recorded, in milliseconds.
pub(super) const JUDGING_MS: f64 = 5_000.0;

/// The time since which a run computes without a break.
#[derive(Default)]
pub(super) struct ComputingTurn {
    /// `None` for a run that is not driven in turns.
    begun_ms: Cell<Option<f64>>,
}

impl ComputingTurn {
    /// A new turn begins at that time.
    pub(super) fn begin(&self, now_ms: f64) {
        self.begun_ms.set(Some(now_ms));
    }

    /// Whether the turn has lasted long enough at that time.
    pub(super) fn is_over(&self, now_ms: f64) -> bool {
        self.begun_ms.get().is_some_and(|begun_ms| now_ms - begun_ms >= TURN_MS)
    }
}
