//! One of several agents, for the files that hold all of them.

use super::model::Report;

/// An agent.
#[derive(Debug)]
pub struct Subject {
    /// Its address as it was listed, without the secrets that one may carry.
    pub address: String,
    /// One sentence of reason for its verdict.
    pub reason: String,
    /// Its report; of one that was never begun an empty one.
    pub report: Report,
}
