//! Reads a task again and again until nothing more is to be expected of it: the pauses, and for how long a task is watched that
//! does not change.

use futures_util::future::LocalBoxFuture;

use super::{Driver, task_of};
use crate::a2a::model::Task;
use crate::engine::transcript::{CUT_SHORT, Step};

/// For how long a task is watched that does not change, once another one stood still until the time ran out, in milliseconds.
const AGAIN_MS: f64 = 10_000.0;

/// How long to wait before a task is read again: at first, how many times as long each time, and at most; in milliseconds.
const FIRST_PAUSE_MS: f64 = 100.0;
const PAUSE_GROWTH: f64 = 1.4;
const LONGEST_PAUSE_MS: f64 = 1500.0;

impl Driver {
    /// Reads a task until it needs nothing more from the agent, with growing pauses; returns the last reading. What stood still until the
    /// time ran out once is not waited for as long again, nor what the user gave up.
    pub fn poll_until_settled<'a>(&'a self, step: &'static str, task: &'a str) -> LocalBoxFuture<'a, Option<Task>> {
        Box::pin(async move {
            let patience_ms = || if self.stood_still() { AGAIN_MS } else { f64::INFINITY };
            let found = self.poll_while_it_moves(step, task, Box::new(patience_ms)).await;
            if let (Some(found), Some(last)) = (&found, self.last(step))
                && !is_settled(found)
                && self.has_time()
            {
                self.record_as(CUT_SHORT, &last);
            }
            found
        })
    }

    /// Whether another conversation of the lane watched a task until its time ran out, and the task did not change any more.
    fn stood_still(&self) -> bool {
        let times = &self.context.session.times;
        self.lane_id().is_some_and(|lane| times.with(lane, |times| times.still_ms > AGAIN_MS))
    }

    /// The same, but for a task that has not changed for that many milliseconds.
    pub fn poll_while_it_moves<'a>(
        &'a self,
        step: &'static str,
        task: &'a str,
        patience_ms: Box<dyn Fn() -> f64 + 'a>,
    ) -> LocalBoxFuture<'a, Option<Task>> {
        Box::pin(async move {
            let session = &self.context.session;
            let lane = self.lane_id();
            let guard = session.begin_wait("the end of a task");
            let wait = &*guard.wait;
            let mut granted_ms = 0.0;
            let mut pause = FIRST_PAUSE_MS;
            let mut shown: Option<(Task, f64)> = None;
            loop {
                let reading = self.get(step, task, None).await;
                let found = task_of(&reading.reply)?.clone();
                let read_ms = reading.exchange.sent_ms;
                let since_ms =
                    shown.as_ref().filter(|(before, _)| before.raw == found.raw).map_or(read_ms, |(_, ms)| *ms);
                let settled = is_settled(&found);
                if !settled {
                    let still_ms = session.now_ms() - since_ms;
                    let left_ms = (patience_ms() - still_ms).min(self.deadline_ms() - session.now_ms());
                    wait.restart(still_ms, left_ms.max(0.0));
                    self.pause(pause).await;
                    if wait.extra_ms.get() > granted_ms {
                        session.grant(self.context.scenario, lane, wait.extra_ms.get() - granted_ms);
                        granted_ms = wait.extra_ms.get();
                    }
                }
                let has_time = self.has_time();
                if let Some(lane) = lane.filter(|_| !settled && !has_time) {
                    session.times.with(lane, |times| times.still_ms = times.still_ms.max(read_ms - since_ms));
                }
                let is_enough = wait.given_up.get() || read_ms - since_ms >= patience_ms() + granted_ms;
                if settled || !has_time || is_enough {
                    return Some(found);
                }
                shown = Some((found, since_ms));
                // Slow enough to spare the agent, and never long past the end of the work.
                pause = (pause * PAUSE_GROWTH).min(LONGEST_PAUSE_MS);
            }
        })
    }

    /// Says that this conversation opens no more streams, so that others may: what is left of it is waiting.
    pub fn opens_no_more_streams(&self) {
        if let Some(lane) = &self.context.lane {
            self.context.session.gate.note_streams_over(self.context.scenario, &lane.id);
        }
    }

    /// Notes how long a task took that was asked for by this call and polled until it was over.
    pub fn note_polled(&self, asked: &Step, last: &Step) {
        let took_ms = last.exchange.end_ms - asked.exchange.sent_ms;
        if let Some(lane) = self.lane_id() {
            self.context.session.times.with(lane, |times| times.polled_ms = Some(took_ms));
        }
    }

    /// How long a task of this lane took that was polled until it was over, in milliseconds, once there was one.
    #[must_use]
    pub fn polled_ms(&self) -> Option<f64> {
        self.context.session.times.with(self.lane_id()?, |times| times.polled_ms)
    }
}

/// Whether a task needs nothing more from the agent.
fn is_settled(task: &Task) -> bool {
    task.state.is_none_or(|state| state.is_terminal() || state.is_interrupted())
}
