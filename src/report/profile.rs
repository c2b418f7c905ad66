//! The verdicts that stand beside the specification's: on the acceptance list of a profile, on a gateway, and on delegation.

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
    pub fn from_report(report: &Report) -> Option<Self> {
        // The area has the profile's name.
        Self::of_area(report, Profile::AgentBin.as_str())
    }

    /// The counts of what was compared through a gateway; `None` for a run without one.
    #[must_use]
    pub fn of_gateway(report: &Report) -> Option<Self> {
        Self::of_area(report, GATEWAY)
    }

    /// The counts of what came of delegation; `None` for a run without it. That an agent puts out what a call returned is only advice.
    #[must_use]
    pub fn of_delegation(report: &Report) -> Option<Self> {
        let counts =
            |row: &&CheckedRow| row.area.name == DELEGATION && row.check != RESULT && row.outcome != Outcome::NotRun;
        Self::of_rows(report.results.iter().filter(counts))
    }

    fn of_area(report: &Report, area: &str) -> Option<Self> {
        Self::of_rows(report.results.iter().filter(|row| row.area.name == area))
    }

    fn of_rows<'a>(rows: impl Iterator<Item = &'a CheckedRow>) -> Option<Self> {
        let mut tally = Self::default();
        for row in rows {
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

    /// The verdict on delegation in one sentence: `Delegation: 3 of 4 checks pass, 1 failed.`
    #[must_use]
    pub fn delegation_sentence(self) -> String {
        self.counted("Delegation", "checks")
    }

    /// The verdict in one sentence: `Acceptance list agentbin: 46 of 46 tests pass.`
    #[must_use]
    pub fn sentence(self) -> String {
        self.counted("Acceptance list agentbin", "tests")
    }

    fn counted(self, what: &str, of: &str) -> String {
        let Self { passed, failed, open } = self;
        let mut sentence = format!("{what}: {passed} of {} {of} pass", passed + failed + open);
        for (number, word) in [(failed, "failed"), (open, "not judged")] {
            if number > 0 {
                sentence.push_str(&format!(", {number} {word}"));
            }
        }
        sentence.push('.');
        sentence
    }
}

/// The area of delegation, and its check that only advises.
const DELEGATION: &str = "delegation";
const RESULT: &str = "delegation.result";
/// The area of what is compared through a gateway.
const GATEWAY: &str = "gateway";
