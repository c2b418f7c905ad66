//! One way of talking to the agent, in a report.

use super::level::Assessment;
use crate::engine::transcript::Lane;

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
