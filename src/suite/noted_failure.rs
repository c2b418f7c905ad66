//! Makes the failure of a check of a place that reading an answer noted.

use crate::a2a::rule::Deviation;
use crate::engine::prelude::{Step, Verdict};

/// The failure that a step's reading noted.
pub(super) fn broken(step: &Step, place: &Deviation) -> Verdict {
    Verdict::fail(step.exchange.id, place.expected.as_str(), place.actual.as_str()).at(place.pointer.as_str())
}
