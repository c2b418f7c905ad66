//! Reads a task again and again until nothing more is to be expected of it.

use futures_util::future::LocalBoxFuture;

use super::{Driver, task_of};
use crate::a2a::model::Task;

impl Driver {
    /// Reads a task until it needs nothing more from the agent, with growing pauses; returns the last reading.
    pub fn poll_until_settled<'a>(&'a self, step: &'static str, task: &'a str) -> LocalBoxFuture<'a, Option<Task>> {
        self.poll_while_it_moves(step, task, Box::new(|| f64::INFINITY))
    }

    /// The same, but for a task that has not changed for that many milliseconds.
    pub fn poll_while_it_moves<'a>(
        &'a self,
        step: &'static str,
        task: &'a str,
        patience_ms: Box<dyn Fn() -> f64 + 'a>,
    ) -> LocalBoxFuture<'a, Option<Task>> {
        Box::pin(async move {
            let mut pause = 100.0;
            let mut shown: Option<(Task, f64)> = None;
            loop {
                let reading = self.get(step, task, None).await;
                let found = task_of(&reading.reply)?.clone();
                let settled = found.state.is_none_or(|state| state.is_terminal() || state.is_interrupted());
                if !settled {
                    self.pause(pause).await;
                }
                let read_ms = reading.exchange.sent_ms;
                let since_ms =
                    shown.as_ref().filter(|(before, _)| before.raw == found.raw).map_or(read_ms, |(_, ms)| *ms);
                if settled || !self.has_time() || read_ms - since_ms >= patience_ms() {
                    return Some(found);
                }
                shown = Some((found, since_ms));
                // Slow enough to spare the agent, and never long past the end of the work.
                pause = (pause * 1.4).min(1500.0);
            }
        })
    }

    /// How long a scenario of this lane has taken so far, in milliseconds, if any of it was answered.
    #[must_use]
    pub fn took_ms(&self, scenario: &str) -> Option<f64> {
        let lane = self.context.lane.as_ref().map(|lane| &lane.id);
        let exchanges = self.context.session.exchanges();
        let of_scenario = exchanges.iter().filter(|known| known.scenario == scenario && known.lane.as_ref() == lane);
        let spans = of_scenario.map(|known| (known.sent_ms, known.end_ms));
        spans
            .reduce(|(begun, ended), (sent, end)| (begun.min(sent), ended.max(end)))
            .map(|(begun, ended)| ended - begun)
    }
}
