//! Blocks a finding about a failed, cancelled or rejected task that is the same as that of the completed one.

use crate::engine::prelude::{Transcript, Verdict};

/// An agent that treats every finished task alike has one finding, and that of another check: *blocked* when the step of the scenario of
/// a completed task was not refused.
pub(super) fn refused_when_completed(t: &Transcript, name: &str, what: &str) -> Result<(), Verdict> {
    let general = t.earlier("finished").and_then(|finished| finished.refused_somehow(name, what));
    if general.is_ok_and(|verdict| verdict.expected.is_some()) {
        return Err(Verdict::blocked(format!("{what} a completed task is not refused either")));
    }
    Ok(())
}
