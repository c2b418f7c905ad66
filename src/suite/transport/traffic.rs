//! How a check judges a rule over all traffic of a lane.

use crate::a2a::rule::Rule;
use crate::engine::prelude::{Judged, Transcript, Verdict};

/// Judges a rule over all traffic of a lane.
pub(super) fn everywhere(t: &Transcript, rule: Rule, what: &str) -> Judged {
    Ok(t.rule(rule, || t.stopped_or(|| Verdict::not_applicable(format!("the agent sent no {what}")))))
}

/// Whether the form of a lane's answers is to be judged: it speaks its binding, or what is at its URL breaks at each call, so that the URL is
/// not to blame. Else why the lane was given up.
pub(super) fn speaks_or_breaks(t: &Transcript, form: Rule) -> Result<(), Verdict> {
    if t.breaks_at_each_call(form) { Ok(()) } else { t.ran_to_its_end() }
}
