//! The clock of a run, and until when each thing is waited for, in words too; the default limits are in `engine/timeouts.rs`.

use std::cell::Cell;
use std::rc::Rc;

use crate::engine::timeouts::{Timeouts, span};
use crate::host::Clock;

/// The host's clock, counting from the beginning of the run.
pub(super) struct RunClock {
    clock: Rc<dyn Clock>,
    started_ms: f64,
    /// The last time that was put on record.
    recorded_ms: Cell<f64>,
}

/// How much later than what was recorded before something is at least: nothing that anybody would notice.
const RECORD_STEP_MS: f64 = 1e-6;

impl RunClock {
    /// A clock that begins now.
    pub(super) fn start(clock: &Rc<dyn Clock>) -> Self {
        Self { clock: Rc::clone(clock), started_ms: clock.now_ms(), recorded_ms: Cell::new(-RECORD_STEP_MS) }
    }

    /// Milliseconds since the run began.
    pub(super) fn now_ms(&self) -> f64 {
        self.clock.now_ms() - self.started_ms
    }

    /// A time of the host's clock, in milliseconds since the run began.
    pub(super) fn run_ms(&self, host_ms: f64) -> f64 {
        host_ms - self.started_ms
    }

    /// The time of something that is put on record: each has a later one than the last. Clocks of browsers are coarse, up to 100 ms
    /// where they guard against fingerprinting, and it is by these times that checks tell what came first.
    pub(super) fn record_ms(&self) -> f64 {
        let ms = self.now_ms().max(self.recorded_ms.get() + RECORD_STEP_MS);
        self.recorded_ms.set(ms);
        ms
    }

    pub(super) fn host(&self) -> Rc<dyn Clock> {
        Rc::clone(&self.clock)
    }
}

/// The event that an exchange waits for.
#[derive(Debug, Clone, Copy)]
pub(super) enum AwaitedEvent {
    /// An answer of the authorization server.
    Token,
    /// A card, to its end.
    Card,
    /// The answer to a call, to its end.
    Answer,
    /// The first event of a stream.
    FirstEvent,
    /// More of a stream.
    NextEvent,
}

/// Until when something is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaitLimit {
    /// By the run's clock.
    pub(super) until_ms: f64,
    ms: f64,
    /// What is waited for, in words that go on behind `the 45 s allowed`.
    what: &'static str,
    /// Whether it is shorter than such a wait may be, because the answer costs the agent no work.
    is_short: bool,
}

impl WaitLimit {
    /// The same, but not longer than that many milliseconds.
    pub(super) fn at_most(self, ms: f64) -> Self {
        if ms < self.ms {
            return Self { until_ms: self.until_ms - self.ms + ms, ms, is_short: true, ..self };
        }
        self
    }

    /// The same, so many milliseconds later.
    pub(super) fn later(self, ms: f64) -> Self {
        Self { until_ms: self.until_ms + ms, ms: self.ms + ms, ..self }
    }

    /// The limit in words: `the 45 s allowed for an answer`.
    pub(super) fn describe(self) -> String {
        let why = if self.is_short { ", by what the other answers took" } else { "" };
        format!("the {} allowed {}{why}", span(self.ms), self.what)
    }
}

/// How long a run, its scenarios and its exchanges may take.
pub(super) struct TimeLimits {
    /// Of a scenario.
    pub(super) scenario_ms: f64,
    /// Of everything else.
    pub(super) timeouts: Timeouts,
}

impl TimeLimits {
    /// When a scenario that begins now has to end: after its own time, or with the run.
    pub(super) fn deadline_ms(&self, now_ms: f64) -> f64 {
        (now_ms + self.scenario_ms).min(self.timeouts.run_ms)
    }

    /// A deadline in words: the scenario's or the run's.
    pub(super) fn describe_deadline(&self, deadline_ms: f64) -> String {
        if deadline_ms >= self.timeouts.run_ms {
            return format!("the {} allowed for the whole run", span(self.timeouts.run_ms));
        }
        format!("the {} allowed for its scenario", span(self.scenario_ms))
    }

    /// Why nothing new is begun, once the run has taken its time.
    pub(super) fn run_is_over(&self, now_ms: f64) -> Option<String> {
        (now_ms >= self.timeouts.run_ms).then(|| format!("the run reached its limit of {}", span(self.timeouts.run_ms)))
    }

    /// The limit of a wait that begins at that time.
    pub(super) fn wait(&self, wait: AwaitedEvent, since_ms: f64) -> WaitLimit {
        let (ms, what) = match wait {
            AwaitedEvent::Token => (self.timeouts.reach_ms, "for a token"),
            AwaitedEvent::Card => (self.timeouts.reach_ms, "for the card"),
            AwaitedEvent::Answer => (self.timeouts.answer_ms, "for an answer"),
            AwaitedEvent::FirstEvent => (self.timeouts.first_event_ms, "for the first event"),
            AwaitedEvent::NextEvent => (self.timeouts.idle_ms, "without data on the stream"),
        };
        WaitLimit { until_ms: since_ms + ms, ms, what, is_short: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_that_was_made_shorter_says_by_what() {
        let whole = WaitLimit { until_ms: 46_000.0, ms: 45_000.0, what: "for an answer", is_short: false };
        assert_eq!(whole.at_most(50_000.0).describe(), "the 45 s allowed for an answer");
        let short = whole.at_most(2_000.0);
        assert_eq!((short.until_ms, short.later(500.0).until_ms), (3_000.0, 3_500.0));
        assert_eq!(short.describe(), "the 2 s allowed for an answer, by what the other answers took");
    }
}
