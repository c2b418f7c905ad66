//! The verdict as the page says it, read from the report and never counted again; and the progress line before it.

use super::format;
use crate::engine::event::Tally;
use crate::engine::upgrade::Upgrade;
use crate::report::{self, ConformanceLevel, LevelReason, Rating, Report};

/// The verdict banner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Banner {
    /// For style sheets and tests: `full`, `partial`, `minimal`, `non-conformant` or `not-rated`.
    pub id: &'static str,
    /// The largest words on the page.
    pub level: &'static str,
    /// One sentence of reason.
    pub reason: String,
    /// What was counted, and out of how many.
    pub denominator: String,
    /// Why not the next level up.
    pub reasons: Vec<String>,
    /// What to do about it.
    pub advice: Vec<Advice>,
    /// What the next version of the protocol would ask for.
    pub upgrade: Option<Upgrade>,
}

/// A recommendation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// The check's id.
    pub check: String,
    /// What was found.
    pub message: String,
    /// What to do.
    pub fix: String,
}

impl Banner {
    /// The banner of a report.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let (id, level) = match &report.assessment.rating {
            Rating::Rated(level @ ConformanceLevel::Full) if report.declares_neither() => {
                (level.as_str(), "Full for what it declares")
            }
            Rating::Rated(level) => (level.as_str(), level_words(*level)),
            Rating::NotRated(_) => ("not-rated", "Not rated"),
        };
        let advice = report.recommendations.iter().map(|recommendation| Advice {
            check: recommendation.test.to_owned(),
            message: recommendation.message.clone(),
            fix: recommendation.recommendation.clone(),
        });
        Self {
            id,
            level,
            reason: report::headline(report),
            denominator: denominator(report),
            reasons: report.assessment.reasons.iter().map(LevelReason::in_words).collect(),
            advice: advice.collect(),
            upgrade: report.upgrade.clone(),
        }
    }

    /// What a screen reader is told at the end.
    #[must_use]
    pub fn spoken(&self) -> String {
        format!("Conformance level: {}. {} {}", self.level, self.reason, self.denominator)
    }
}

const fn level_words(level: ConformanceLevel) -> &'static str {
    match level {
        ConformanceLevel::Full => "Full",
        ConformanceLevel::Partial => "Partial",
        ConformanceLevel::Minimal => "Minimal",
        ConformanceLevel::NonConformant => "Non-conformant",
    }
}

fn denominator(report: &Report) -> String {
    let (counted, all) = (report.musts.applicable(), report.tally.total);
    let apply = if counted == 1 { "applies" } else { "apply" };
    let late = report.cold_start().map(|late| format!(" Note: {late}.")).unwrap_or_default();
    format!(
        "The level is based on the {} that {apply} to this agent, out of {} in all.{late}",
        format::count(counted, "must"),
        format::count(all, "check")
    )
}

/// `12 of 143 · 8 s · 21 messages`.
#[must_use]
pub fn progress(tally: Tally, seconds: u64) -> String {
    format!(
        "{} of {} \u{b7} {} \u{b7} {}",
        tally.judged,
        tally.total,
        format::seconds(seconds),
        format::count(tally.messages, "message")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_has_its_denominator() {
        let tally = Tally { judged: 12, total: 143, messages: 21, ..Tally::default() };
        assert_eq!(progress(tally, 8), "12 of 143 \u{b7} 8 s \u{b7} 21 messages");
    }
}
