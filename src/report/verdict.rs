//! The verdict of a run in one word. Every format and the screen use it, so that none is rosier than another.

use std::fmt;

use super::level::Rating;
use super::must_counts::MustCounts;
use crate::engine::event::Tally;

/// The verdict in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VerdictWord {
    /// Every must that could be judged passes, and none was blocked.
    Conformant,
    /// The same, with failures at should level.
    ConformantWithAdvice,
    /// A must was seen broken.
    NotConformant,
    /// Too little was seen to say.
    Incomplete,
}

impl VerdictWord {
    /// Chooses the word: an observed breach decides; otherwise a run that did not see what it had to is incomplete.
    #[must_use]
    pub fn of(musts: &MustCounts, tally: &Tally, rating: &Rating) -> Self {
        let unseen = musts.blocked + musts.not_run + musts.harness_error > 0 || musts.passed == 0;
        if musts.failed > 0 {
            Self::NotConformant
        } else if unseen || matches!(rating, Rating::NotRated(_)) {
            Self::Incomplete
        } else if tally.failed_advisory > 0 {
            Self::ConformantWithAdvice
        } else {
            Self::Conformant
        }
    }

    /// For machines: `conformant-with-advice`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Conformant => "conformant",
            Self::ConformantWithAdvice => "conformant-with-advice",
            Self::NotConformant => "not-conformant",
            Self::Incomplete => "incomplete",
        }
    }

    /// For people: `Conformant with advice`.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Conformant => "Conformant",
            Self::ConformantWithAdvice => "Conformant with advice",
            Self::NotConformant => "Not conformant",
            Self::Incomplete => "Incomplete",
        }
    }
}

impl fmt::Display for VerdictWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
