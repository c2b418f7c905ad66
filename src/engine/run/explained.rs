//! One cause, one finding: an answer that is not one of the binding's is found once for a lane, and not again by each check that
//! wanted to read it.

use crate::a2a::binding::ReplyKind;
use crate::a2a::binding::jsonrpc::JSONRPC;
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::check::Scope;
use crate::engine::event::Row;
use crate::engine::options::Options;
use crate::engine::requirement;
use crate::engine::transcript::{Step, Transcript};
use crate::engine::verdict::{Outcome, Verdict};

/// The scenario that first calls a lane: when it gets no answer, the lane's others are blocked.
pub(super) const PROBE: &str = "probe";
/// The check that judges whether calls over JSON-RPC get a response of JSON-RPC.
pub(super) const FORM_CHECK: &str = "jsonrpc.response-object";

/// The checks that say more than the form of the answer: that a valid message, a task that exists, or a message with a part that
/// the agent cannot read is not answered at all.
const OWN_FINDING: [&str; 3] = [ACCEPTS_TEXT, "get.returns-task", "send.media-type-answered"];
/// What shows best that an agent cannot be used at all.
const ACCEPTS_TEXT: &str = "send.accepts-text";

/// The checks that say that the methods of the version are missing, with that of 1.0 first.
const NAME_CHECKS: [&str; 2] = ["jsonrpc.method-names", "send.known"];

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

/// The verdict of a check on a lane of whose methods the agent knows none, or that is compared with such a lane.
pub(super) fn without_methods(row: &Row, verdict: Verdict, transcript: &Transcript, options: &Options) -> Verdict {
    let is_own = NAME_CHECKS.contains(&row.check.id) || row.check.id == ACCEPTS_TEXT;
    let named = NAME_CHECKS.into_iter().find(|check| applies(check, row));
    let (false, Outcome::Fail, Some(named)) = (is_own, verdict.outcome, named.filter(|check| options.wants(check)))
    else {
        return verdict;
    };
    // A comparison of two lanes rests on what either has recorded before.
    let peers = transcript.peer.iter().flat_map(|peer| peer.transcripts.iter());
    let earlier = transcript.before.iter().chain(peers).flat_map(|earlier| earlier.steps.iter());
    let steps: Vec<_> = transcript.steps.iter().chain(earlier).collect();
    let shows_it = |id: &u32| {
        let mut of_exchange = steps.iter().filter(|step| step.exchange.id == *id);
        of_exchange.any(|step| step.sent.operation.is_some() && is_unknown(&step.reply.kind))
    };
    if !verdict.exchanges.iter().any(shows_it) {
        return verdict;
    }
    let version = transcript.lane.as_ref().map_or(row.version, |lane| lane.dialect.version);
    let mut blocked = Verdict::blocked(format!("the agent knows none of the methods of {version}: see {named}"));
    blocked.exchanges.clone_from(&verdict.exchanges);
    blocked
}

/// Whether that check of the suite judges the version of a row over JSON-RPC, which has methods.
fn applies(check: &str, row: &Row) -> bool {
    let holds = |id: &str| requirement::find(id).is_some_and(|known| known.holds_for(row.version, Some(JSONRPC.slug)));
    // The names of older versions are judged by a check that judges other requirements too.
    if check == "send.known" {
        holds("jsonrpc.v03.method-names") || holds("jsonrpc.v01.method-names")
    } else {
        holds(check)
    }
}

/// Whether the agent knew no method of the version, in a probe that tried all that every agent has.
pub(super) fn knows_no_method(probe: &Transcript) -> bool {
    let mut calls = probe.steps.iter().filter(|step| step.sent.operation.is_some()).peekable();
    let sent = probe.steps.iter().any(|step| step.sent.operation == Some(Operation::SendMessage));
    let has_methods = probe.lane.as_ref().is_some_and(|lane| lane.binding.slug == JSONRPC.slug);
    has_methods && sent && calls.peek().is_some() && calls.all(|step| is_unknown(&step.reply.kind))
}

fn is_unknown(kind: &ReplyKind) -> bool {
    matches!(kind, ReplyKind::Error(error) if error.name == Some(ErrorName::MethodNotFound))
}

/// What answered a step, where the check of the form counts it as no response of the binding.
fn foreign<'a>(step: &'a Step, transcript: &Transcript) -> Option<&'a str> {
    let form = transcript.lane.as_ref()?.binding.form?;
    Some(step.reply.notes.broken(form)?.actual.as_str())
}
