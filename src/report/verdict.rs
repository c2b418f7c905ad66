//! The verdict of a run in one word: which words there are, and by which counts one is chosen. Every format and the screen use
//! them, so that none is rosier than another.

use std::fmt;

use super::checked_row::CheckedRow;
use super::level::Rating;
use crate::engine::event::Completion;
use crate::engine::requirement::Level;
use crate::engine::verdict::Outcome;
use crate::wire::named_enum::named_enum;

named_enum! {
    /// The verdict in one word.
    pub enum VerdictWord {
        /// Every must that could be judged passes, and none was blocked.
        Conformant = "conformant" titled "Conformant",
        /// The same, with failures at should level, or failures in some of several runs.
        ConformantWithAdvice = "conformant-with-advice" titled "Conformant with suggestions",
        /// A must was seen broken.
        NotConformant = "not-conformant" titled "Not conformant",
        /// Nothing that was asked for was seen broken, and it was asked for a part only: a level is never given to a part. A word of its own
        /// would be news to those who read the files; what kind of part it is stands beside it.
        PartlyChecked = "incomplete" titled "Partly checked",
        /// Too little was seen to say.
        Incomplete = "incomplete" titled "Incomplete",
    }
}

impl VerdictWord {
    /// Chooses the word: an observed breach decides; otherwise a run that did not see what it had to is incomplete.
    #[must_use]
    pub(crate) fn conclude(
        musts: &MustCounts,
        results: &[CheckedRow],
        rating: &Rating,
        completion: Option<&Completion>,
    ) -> Self {
        // A check that fails in some of several runs is neither green nor red.
        let has_advice = results.iter().any(|row| row.is_advice() || row.fails_in() > 0);
        let lost = musts.blocked + musts.harness_error > 0;
        let unseen = lost || musts.not_run > 0 || musts.passed == 0;
        let is_client = completion == Some(&Completion::Watched);
        if musts.failed > 0 {
            Self::NotConformant
        } else if completion == Some(&Completion::Pair) {
            // It is the verdict of the two together, which has no level.
            match (unseen, has_advice) {
                (true, _) => Self::Incomplete,
                (false, false) => Self::Conformant,
                (false, true) => Self::ConformantWithAdvice,
            }
        } else if is_client && !unseen {
            // Situations that did not come about are listed beside the word: no run shows everything about a client.
            if has_advice { Self::ConformantWithAdvice } else { Self::Conformant }
        } else if is_client {
            Self::Incomplete
        } else if !lost && completion.is_some_and(|completion| completion.part().is_some()) {
            Self::PartlyChecked
        } else if unseen
            || matches!(rating, Rating::NotRated(_))
            || matches!(completion, Some(Completion::Incomplete(_)))
        {
            Self::Incomplete
        } else if has_advice {
            Self::ConformantWithAdvice
        } else {
            Self::Conformant
        }
    }
}

impl fmt::Display for VerdictWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The outcomes of the must-level rows, counted: the denominator of every number that is shown.
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
    pub fn from_rows(results: &[CheckedRow]) -> Self {
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
