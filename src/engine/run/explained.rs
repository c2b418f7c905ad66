//! One cause, one finding: an answer that is not one of the binding's is found once for a lane, and not again by each check that
//! wanted to read it.

use crate::engine::check::Scope;
use crate::engine::event::Row;
use crate::engine::options::Options;
use crate::engine::transcript::{Step, Transcript};
use crate::engine::verdict::{Outcome, Verdict};

/// The scenario that first calls a lane: when it gets no answer, the lane's others are blocked.
pub(super) const PROBE: &str = "probe";
/// The check that judges whether calls over JSON-RPC get a response of JSON-RPC.
pub(super) const FORM_CHECK: &str = "jsonrpc.response-object";

/// The checks that say more than the form of the answer: that a valid message, or one with a part that the agent cannot read, is
/// not answered at all.
const OWN_FINDING: [&str; 3] = ["send.accepts-text", "send.task-or-message", "send.media-type-answered"];

/// The verdict of a check whose finding is no more than that an answer is not one of the binding's. Never where the check of
/// the form cannot tell.
pub(super) fn without_foreign(row: &Row, verdict: Verdict, transcript: &Transcript, options: &Options) -> Verdict {
    // The probe's own checks say whether the interface is what the card says.
    let is_open = row.scenario.scope == Scope::Lane && row.scenario.id != PROBE && !OWN_FINDING.contains(&row.check.id);
    if verdict.outcome != Outcome::Fail || !is_open || !options.wants(FORM_CHECK) {
        return verdict;
    }
    let shown = verdict.exchanges.first().and_then(|id| transcript.steps.iter().find(|step| step.exchange.id == *id));
    match shown.and_then(|step| Some((step, foreign(step, transcript)?))) {
        Some((step, what)) => {
            let request = transcript.request_name(step);
            Verdict::blocked(format!("{request} was answered with {what}: see {FORM_CHECK}")).seen_in(step.exchange.id)
        }
        None => verdict,
    }
}

/// What answered a step, where the check of the form counts it as no response of the binding.
fn foreign<'a>(step: &'a Step, transcript: &Transcript) -> Option<&'a str> {
    let form = transcript.lane.as_ref()?.binding.form?;
    Some(step.reply.notes.broken(form)?.actual.as_str())
}
