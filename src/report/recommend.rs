//! Recommendations: what to do about each failed check, musts first.

use super::checked_row::CheckedRow;
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
pub fn of(results: &[CheckedRow]) -> Vec<Recommendation> {
    let musts = results.iter().filter(|result| result.is_breach());
    let advice = results.iter().filter(|result| result.is_advice());
    let mut groups: Vec<(&CheckedRow, Vec<&str>)> = Vec::new();
    for result in musts.chain(advice) {
        let same = |first: &CheckedRow| {
            first.check == result.check && first.level == result.level && first.remediation == result.remediation
        };
        match groups.iter_mut().find(|(first, _)| same(first)) {
            Some((_, lanes)) => lanes.extend(result.lane.as_deref()),
            None => groups.push((result, result.lane.as_deref().into_iter().collect())),
        }
    }
    groups
        .into_iter()
        .map(|(first, lanes)| Recommendation {
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
        .collect()
}
