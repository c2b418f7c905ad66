//! A further agent that a test calls (`x-agents`, `x-agent`).

use std::rc::Rc;

use crate::engine::transcript::Lane;

/// An interface of a further agent.
#[derive(Debug, Clone)]
pub(super) struct FurtherAgent {
    /// The interface, under the id of the lane that the test is on: its exchanges are part of that result.
    pub(super) lane: Rc<Lane>,
    pub(super) extensions: Vec<String>,
}
