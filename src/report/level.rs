//! The levels of conformance and their words, what stands between one and the next one up, and the lanes that have one each;
//! `assess.rs` decides.

use std::fmt;

use crate::engine::transcript::Lane;
use crate::wire::named_enum::named_enum;

named_enum! {
    /// How far an agent conforms, from worst to best.
    pub enum ConformanceLevel {
        /// The card is invalid, or sending or reading does not work.
        NonConformant = "non-conformant",
        /// The core works; something else of lifecycle or error handling does not.
        Minimal = "minimal",
        /// All judged checks of lifecycle and error handling pass; an optional feature fails, or a must stayed open.
        Partial = "partial",
        /// Every must that applies passes.
        Full = "full",
    }
}

impl fmt::Display for ConformanceLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A level, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rating {
    /// The level.
    Rated(ConformanceLevel),
    /// Why none is given.
    NotRated(String),
}

impl Rating {
    /// The level, if there is one.
    #[must_use]
    pub const fn level(&self) -> Option<ConformanceLevel> {
        match self {
            Self::Rated(level) => Some(*level),
            Self::NotRated(_) => None,
        }
    }
}

impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rated(level) => write!(f, "{level}"),
            Self::NotRated(why) => write!(f, "not rated ({why})"),
        }
    }
}

/// A rating and what stands between it and the next level up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessment {
    /// The level, or why there is none.
    pub rating: Rating,
    /// Why it is not one higher; empty for the highest.
    pub reasons: Vec<LevelReason>,
}

impl Assessment {
    /// No level, for this reason.
    #[must_use]
    pub fn unrated(why: &str) -> Self {
        let reason = LevelReason { check: None, lanes: Vec::new(), sentence: format!("not rated: {why}") };
        Self { rating: Rating::NotRated(why.to_owned()), reasons: vec![reason] }
    }
}

/// One way of talking to the agent, and what it is worth.
#[derive(Debug, Clone)]
pub struct LaneReport {
    /// Unique in the run: `jsonrpc-1.0`.
    pub id: String,
    /// The interface's URL.
    pub url: String,
    /// As the card names it: `JSONRPC`.
    pub binding: String,
    /// The version whose rules it is judged by.
    pub protocol_version: String,
    /// The interface's tenant.
    pub tenant: Option<String>,
    /// Its own level.
    pub assessment: Assessment,
}

impl LaneReport {
    /// A lane before its assessment.
    #[must_use]
    pub fn unassessed(lane: &Lane) -> Self {
        Self {
            id: lane.id.clone(),
            url: lane.interface.url.clone(),
            binding: lane.interface.binding.clone(),
            protocol_version: lane.dialect.version.to_owned(),
            tenant: lane.interface.tenant.clone(),
            assessment: Assessment::unrated("it was not assessed"),
        }
    }
}

/// One thing that stands between a rating and the next level up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelReason {
    /// The check behind it, if there is one.
    pub check: Option<&'static str>,
    /// The lanes it holds for; empty for the card.
    pub lanes: Vec<String>,
    /// The reason.
    pub sentence: String,
}

impl fmt::Display for LevelReason {
    /// `get.returns-task (jsonrpc-1.0): expected …, got …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.check, self.lanes.as_slice()) {
            (None, []) => f.write_str(&self.sentence),
            (None, lanes) => write!(f, "{}: {}", lanes.join(", "), self.sentence),
            (Some(check), []) => write!(f, "{check}: {}", self.sentence),
            (Some(check), lanes) => write!(f, "{check} ({}): {}", lanes.join(", "), self.sentence),
        }
    }
}
