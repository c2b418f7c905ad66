//! How an agent did on the acceptance list of a profile, which is no part of the specification and has a verdict of its own.

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
        // The area has the profile's name.
        Self::of_area(report, Profile::AgentBin.as_str())
    }

    /// The counts of what was compared through a gateway; `None` for a run without one.
    #[must_use]
    pub fn of_gateway(report: &Report) -> Option<Self> {
        Self::of_area(report, GATEWAY)
    }

    fn of_area(report: &Report, area: &str) -> Option<Self> {
        let mut tally = Self::default();
        for row in report.results.iter().filter(|row| row.area.name == area) {
            match row.outcome {
                Outcome::Pass | Outcome::Note => tally.passed += 1,
                Outcome::Fail => tally.failed += 1,
                Outcome::NotApplicable => {}
                _ => tally.open += 1,
            }
        }
        (tally != Self::default()).then_some(tally)
    }

    /// The verdict on a gateway in one sentence: `Gateway: 3 of 30 comparisons show a change on the way, 2 not judged.`
    #[must_use]
    pub fn gateway_sentence(self) -> String {
        let Self { passed, failed, open } = self;
        let all = passed + failed;
        let mut sentence = match failed {
            0 => format!("Gateway: none of {all} comparisons shows a change on the way"),
            1 => format!("Gateway: 1 of {all} comparisons shows a change on the way"),
            _ => format!("Gateway: {failed} of {all} comparisons show a change on the way"),
        };
        if open > 0 {
            sentence.push_str(&format!(", {open} not judged"));
        }
        sentence.push('.');
        sentence
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

/// The area of what is compared through a gateway.
const GATEWAY: &str = "gateway";
