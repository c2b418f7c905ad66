//! Functions that the checks over all traffic share.

use crate::a2a::rule::Rule;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};

/// Judges a rule over all traffic of a lane.
pub(super) fn everywhere(t: &Transcript, rule: Rule, what: &str) -> Judged {
    Ok(t.rule(rule, || match &t.stopped {
        Some(why) => why.clone(),
        None => Verdict::not_applicable(format!("the agent sent no {what}")),
    }))
}
