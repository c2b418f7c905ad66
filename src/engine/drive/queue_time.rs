//! The time for which a conversation waits for its turn, which is not its own.

use std::cell::Cell;

/// When a conversation began, had it never waited in line.
#[derive(Debug, Default)]
pub(super) struct QueueTime {
    begun_ms: Cell<f64>,
    /// How many of its calls wait.
    waiting: Cell<usize>,
    /// Since when at least one of them does.
    since_ms: Cell<f64>,
}

impl QueueTime {
    /// For a conversation that begins at that time.
    pub(super) fn from(now_ms: f64) -> Self {
        Self { begun_ms: Cell::new(now_ms), ..Self::default() }
    }

    /// One more call waits.
    pub(super) fn enter(&self, now_ms: f64) {
        if self.waiting.get() == 0 {
            self.since_ms.set(now_ms);
        }
        self.waiting.set(self.waiting.get() + 1);
    }

    /// One call waits no longer.
    pub(super) fn leave(&self, now_ms: f64) {
        self.waiting.set(self.waiting.get().saturating_sub(1));
        if self.waiting.get() == 0 {
            self.begun_ms.set(self.begun_ms.get() + now_ms - self.since_ms.get());
        }
    }

    /// When the conversation began, without the time for which calls of it waited.
    pub(super) fn begun_ms(&self, now_ms: f64) -> f64 {
        let waits = if self.waiting.get() == 0 { 0.0 } else { now_ms - self.since_ms.get() };
        self.begun_ms.get() + waits
    }
}

#[cfg(test)]
mod tests {
    use super::QueueTime;

    #[test]
    fn the_time_in_which_any_call_waits_counts_once() {
        let queue = QueueTime::from(100.0);
        queue.enter(110.0);
        queue.enter(120.0);
        assert_eq!(queue.begun_ms(125.0), 115.0);
        queue.leave(130.0);
        queue.leave(140.0);
        assert_eq!(queue.begun_ms(500.0), 130.0);
    }
}
