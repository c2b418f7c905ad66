//! The outcomes of the must-level rows, counted: the denominator of every number that is shown.

use super::checked_row::CheckedRow;
use crate::engine::requirement::Level;
use crate::engine::verdict::Outcome;

/// The outcomes of the must-level rows, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MustCounts {
    /// Observed to hold.
    pub passed: u32,
    /// Observed to be broken.
    pub failed: u32,
    /// The agent never reached the state that the check needs.
    pub inconclusive: u32,
    /// Not the same in several runs.
    pub unsteady: u32,
    /// Something earlier prevented the check.
    pub blocked: u32,
    /// This host hides what is needed.
    pub not_observable: u32,
    /// Filtered out, or the run ended first.
    pub not_run: u32,
    /// Our own fault.
    pub harness_error: u32,
    /// Not declared by the agent, or no rule of its version; not part of the denominator.
    pub not_applicable: u32,
}

impl MustCounts {
    /// Counts these results.
    #[must_use]
    pub fn of(results: &[CheckedRow]) -> Self {
        let mut musts = Self::default();
        for result in results.iter().filter(|result| result.level == Level::Must) {
            *match result.outcome {
                Outcome::Pass | Outcome::Note => &mut musts.passed,
                Outcome::Fail => &mut musts.failed,
                Outcome::Inconclusive => &mut musts.inconclusive,
                Outcome::Unsteady => &mut musts.unsteady,
                Outcome::Blocked => &mut musts.blocked,
                Outcome::NotObservable => &mut musts.not_observable,
                Outcome::NotRun => &mut musts.not_run,
                Outcome::HarnessError => &mut musts.harness_error,
                Outcome::NotApplicable => &mut musts.not_applicable,
            } += 1;
        }
        musts
    }

    /// How many musts apply to this agent.
    #[must_use]
    pub const fn applicable(&self) -> u32 {
        self.passed
            + self.failed
            + self.inconclusive
            + self.unsteady
            + self.blocked
            + self.not_observable
            + self.not_run
            + self.harness_error
    }
}
