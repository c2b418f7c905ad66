//! How long a run computes before whoever else has something to do comes first: the page whose Stop was clicked, the key that
//! interrupts a program, the run's own limits. All of them share the run's thread.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;

use super::Session;

/// How long a run computes at most before it gives way, in milliseconds.
const TURN_MS: f64 = 50.0;
/// How long it then waits, in milliseconds: long enough for a timer, so that the host looks at everything else meanwhile.
const PAUSE_MS: f64 = 1.0;
/// How long a run whose time is over may still judge what it has recorded, in milliseconds.
const JUDGING_MS: f64 = 5_000.0;

/// The turn that a run has now.
#[derive(Default)]
pub(super) struct Turn {
    /// When it began; `None` for a run that is not driven in turns.
    begun_ms: Cell<Option<f64>>,
}

impl Session {
    /// Drives a run, so that it is known since when it computes without a break.
    pub async fn in_turns<T>(&self, run: impl Future<Output = T>) -> T {
        let mut run = pin!(run);
        poll_fn(|context| {
            self.turn.begun_ms.set(Some(self.now_ms()));
            run.as_mut().poll(context)
        })
        .await
    }

    /// Waits a moment where the run has computed long enough. Where its time stands still meanwhile nobody waits for it.
    pub async fn give_way(&self) {
        let computed_ms = self.turn.begun_ms.get().map_or(0.0, |begun_ms| self.now_ms() - begun_ms);
        if computed_ms >= TURN_MS {
            self.clock.host().sleep(PAUSE_MS).await;
        }
    }

    /// Why nothing more is judged, once the run has taken its time and has had enough beyond it to judge what it saw.
    #[must_use]
    pub fn judging_is_over(&self) -> Option<String> {
        self.limits.run_is_over(self.now_ms() - JUDGING_MS)
    }
}
