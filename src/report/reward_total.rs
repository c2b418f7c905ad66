//! What the tests of a run have earned, of those that a user wrote and gave a reward.

use std::fmt;

use super::model::Report;
use super::text::tidy_ms;
use crate::engine::plural::count_of;

/// The rewards of a run, added up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RewardTotal {
    /// How many results have one.
    pub tests: usize,
    /// What they have earned.
    pub earned: f64,
    /// What they would have earned at most.
    pub worth: f64,
}

impl RewardTotal {
    /// The total of a report; `None` where no result has a reward.
    #[must_use]
    pub fn from_report(report: &Report) -> Option<Self> {
        let mut total = Self { tests: 0, earned: 0.0, worth: 0.0 };
        for reward in report.results.iter().filter_map(|row| row.reward) {
            total.tests += 1;
            total.earned += reward.earned;
            total.worth += reward.worth;
        }
        (total.tests > 0).then_some(Self { earned: tidy_ms(total.earned), worth: tidy_ms(total.worth), ..total })
    }

    /// What a result has earned on average.
    #[must_use]
    pub fn mean(&self) -> f64 {
        tidy_ms(self.earned / self.tests.max(1) as f64)
    }
}

impl fmt::Display for RewardTotal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let results = count_of(self.tests, "result");
        write!(f, "{} of {} in {results}, {} on average", self.earned, self.worth, self.mean())
    }
}
