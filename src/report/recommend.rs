//! Which failed checks the recommendations of JSON and Markdown are about, and in which order: one for each, musts first.

use super::checked_row::CheckedRow;
use super::groups::grouped;
use crate::engine::check::Category;
use crate::engine::requirement::Level;

/// Advice to the agent's author about one failed check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recommendation {
    /// The check.
    pub test: &'static str,
    /// Its category.
    pub category: Category,
    /// The level it failed at.
    pub level: Level,
    /// The finding, and on which lanes if there are several.
    pub message: String,
    /// The advice.
    pub recommendation: String,
}

/// The recommendations of a run: one per failed check, whatever the number of lanes it failed on.
#[must_use]
pub fn recommendations(results: &[CheckedRow]) -> Vec<Recommendation> {
    let musts = results.iter().filter(|result| result.is_breach());
    let advice = results.iter().filter(|result| result.is_advice());
    let same = |row: &&CheckedRow, first: &&CheckedRow| {
        (row.check, row.level, &row.remediation) == (first.check, first.level, &first.remediation)
    };
    let recommendation = |rows: Vec<&CheckedRow>| {
        let first = rows.first()?;
        let lanes: Vec<&str> = rows.iter().filter_map(|row| row.lane.as_deref()).collect();
        Some(Recommendation {
            test: first.check,
            category: first.category,
            level: first.level,
            message: if lanes.len() > 1 {
                format!("{} (on {})", first.message, lanes.join(", "))
            } else {
                first.message.clone()
            },
            recommendation: first.remediation.clone().unwrap_or_default(),
        })
    };
    grouped(musts.chain(advice), same).into_iter().filter_map(recommendation).collect()
}
