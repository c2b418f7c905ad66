//! How an agent did on the acceptance list of a profile, which is no part of the specification and has a verdict of its own.

use super::checked_row::CheckedRow;
use super::model::Report;
use crate::engine::prompt::Profile;
use crate::engine::verdict::Outcome;

/// The counts of an acceptance list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProfileTally {
    /// Tests that passed.
    pub passed: u32,
    /// Tests that failed.
    pub failed: u32,
    /// Tests for which the run did not see what it had to.
    pub open: u32,
}

impl ProfileTally {
    /// The counts of a run; `None` for a run without such a list.
    #[must_use]
    pub fn of(report: &Report) -> Option<Self> {
        let mut tally = Self::default();
        for row in report.results.iter().filter(|row| is_of_profile(row)) {
            match row.outcome {
                Outcome::Pass | Outcome::Note => tally.passed += 1,
                Outcome::Fail => tally.failed += 1,
                Outcome::NotApplicable => {}
                _ => tally.open += 1,
            }
        }
        (tally != Self::default()).then_some(tally)
    }

    /// The verdict in one sentence: `Acceptance list agentbin: 46 of 46 tests pass.`
    #[must_use]
    pub fn sentence(self) -> String {
        let Self { passed, failed, open } = self;
        let mut sentence = format!("Acceptance list agentbin: {passed} of {} tests pass", passed + failed + open);
        for (number, word) in [(failed, "failed"), (open, "not judged")] {
            if number > 0 {
                sentence.push_str(&format!(", {number} {word}"));
            }
        }
        sentence.push('.');
        sentence
    }
}

/// Whether a row is a test of a profile's list: its area has the profile's name.
fn is_of_profile(row: &CheckedRow) -> bool {
    row.area.name == Profile::AgentBin.as_str()
}
