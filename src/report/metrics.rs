//! Figures of a run's requests: how long they took, how much came back and how often, in all and for each step (they are measured
//! in `engine/session.rs`).

use super::model::Report;
use crate::engine::verdict::Outcome;
use crate::wire::exchange::{End, Exchange};

/// The measurements of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunMetrics {
    /// Over all requests.
    pub total: StepMetrics,
    /// For each step of each test on each lane, in the order of their first requests.
    pub steps: Vec<StepMetrics>,
    /// How many tests passed.
    pub passed: usize,
    /// How many tests passed or failed.
    pub judged: usize,
}

/// The measurements of some requests.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepMetrics {
    /// The lane; empty for the card, and in a total.
    pub lane: String,
    /// The test; empty in a total.
    pub test: String,
    /// The step; empty in a total.
    pub step: String,
    /// How many requests were sent: repeated ones are counted each.
    pub requests: usize,
    /// How many were answered: with a status below 500, and to the end.
    pub answered: usize,
    /// How many bytes the requests' bodies had.
    pub sent_bytes: usize,
    /// How many bytes the answers' bodies had.
    pub received_bytes: usize,
    /// From sending to the end of the answer, of those that were answered.
    pub latency: Distribution,
    /// From sending to the first event of a stream.
    pub first_event: Distribution,
}

/// Milliseconds, in order of size.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Distribution(Vec<f64>);

impl Distribution {
    fn add(&mut self, ms: f64) {
        let place = self.0.partition_point(|known| *known <= ms);
        self.0.insert(place, ms);
    }

    /// The smallest value that this share of the values does not exceed, by nearest rank; `None` where there are no values.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let rank = (share * self.0.len() as f64).ceil() as usize;
        self.0.get(rank.saturating_sub(1)).copied()
    }

    /// How many values there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Their sum.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.0.iter().sum()
    }
}

impl RunMetrics {
    /// The measurements of a report's run. What only looked for the agent is not among them.
    #[must_use]
    pub fn from_report(report: &Report) -> Self {
        let mut metrics = Self { total: StepMetrics::default(), steps: Vec::new(), passed: 0, judged: 0 };
        for exchange in report.exchanges.iter().filter(|exchange| exchange.scenario != "discovery") {
            metrics.total.add(exchange);
            let lane = exchange.lane.as_deref().unwrap_or_default();
            let is_same = |known: &StepMetrics| {
                (&*known.lane, &known.test, &known.step) == (lane, &exchange.scenario, &exchange.step)
            };
            let place = metrics.steps.iter().position(is_same).unwrap_or_else(|| {
                let (lane, test, step) = (lane.to_owned(), exchange.scenario.clone(), exchange.step.clone());
                metrics.steps.push(StepMetrics { lane, test, step, ..StepMetrics::default() });
                metrics.steps.len() - 1
            });
            if let Some(step) = metrics.steps.get_mut(place) {
                step.add(exchange);
            }
        }
        let count = |wanted: &[Outcome]| report.results.iter().filter(|row| wanted.contains(&row.outcome)).count();
        metrics.passed = count(&[Outcome::Pass]);
        metrics.judged = metrics.passed + count(&[Outcome::Fail, Outcome::Note]);
        metrics
    }
}

impl StepMetrics {
    fn add(&mut self, exchange: &Exchange) {
        self.requests += 1;
        self.sent_bytes += exchange.request.body.as_ref().map_or(0, Vec::len);
        let Some(response) = &exchange.response else { return };
        self.received_bytes += response.bytes;
        if let Some(first) = response.frames.first() {
            self.first_event.add(first.at_ms - exchange.sent_ms);
        }
        if response.status < 500 && matches!(exchange.end, End::Complete | End::HungUp) {
            self.answered += 1;
            self.latency.add(exchange.duration_ms());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_by_nearest_rank() {
        let mut values = Distribution::default();
        assert_eq!(values.quantile(0.5), None);
        for ms in [30.0, 10.0, 20.0, 40.0] {
            values.add(ms);
        }
        let of = |share: f64| values.quantile(share).unwrap();
        assert_eq!((of(0.0), of(0.5), of(0.95), of(1.0)), (10.0, 20.0, 40.0, 40.0));
        assert_eq!((values.count(), values.sum()), (4, 100.0));
    }
}
