//! Agents that close the connection instead of answering a wrong request (T-RPC-16): how that is told from an accident, and the
//! finding.

use std::rc::Rc;

use crate::a2a::binding::{Call, ReplyKind};
use crate::engine::prelude::{Driver, Judged, Step, Transcript, Verdict};
use crate::wire::exchange::End;

/// How an agent hung up, as it is seen from here.
pub(super) fn how_it_hung_up(step: &Step) -> String {
    let how = match &step.reply.kind {
        ReplyKind::NoAnswer(words) if step.is_closed_behind_gateway() => words,
        _ => "the connection closed without a response",
    };
    format!("{how}, also when the request was repeated")
}

/// The step that shows that an agent which hung up still serves others.
const STILL_THERE: &str = "still-there";

/// Repeats those of these requests whose connection was closed: once may be an accident, and only what happens again is the
/// request's doing. Then comes an ordinary call, as an agent that is gone altogether says nothing of a request. `call` makes the
/// request of a step; none for what is not to be repeated.
pub(super) async fn repeat_closed(d: &Driver, steps: &[Rc<Step>], call: impl Fn(&str) -> Option<Call>) {
    let mut is_repeated = false;
    for step in steps.iter().filter(|step| step.was_closed()) {
        if let Some(call) = call(step.name) {
            d.call(step.name, call).await;
            is_repeated = true;
        }
    }
    if is_repeated {
        d.call(STILL_THERE, d.harmless_call()).await;
    }
}

/// Whether a request closed the connection, also when it was repeated, while the agent went on to answer others.
pub(super) fn hangs_up(t: &Transcript, name: &str) -> bool {
    let unanswered = |step: &Rc<Step>| matches!(step.exchange.end, End::NoAnswer(_)) || step.is_closed_behind_gateway();
    let is_still_there = t.step(STILL_THERE).is_ok_and(|step| step.has_answer());
    let attempts: Vec<_> = t.every(name).collect();
    is_still_there
        && attempts.len() > 1
        && attempts.iter().any(|step| step.was_closed())
        && attempts.into_iter().all(unanswered)
}

/// The failure of an agent that hangs up where `expected` was due. A page cannot tell a crash from an answer that the browser
/// withholds, so nothing fails there.
pub(super) fn hung_up(t: &Transcript, name: &str, expected: &str) -> Option<Verdict> {
    let is_known = |step: &Step| !t.facts.visibility.is_limited_by_cors || step.is_closed_behind_gateway();
    let step = t.step(name).ok().filter(|step| is_known(step) && hangs_up(t, name))?;
    Some(step.fail(expected, how_it_hung_up(step)))
}

/// Judges a step that must be refused, with any error, by an agent that goes on to serve others.
pub(super) fn refused_alive(t: &Transcript, name: &str, what: &str) -> Judged {
    hung_up(t, name, &format!("an error for {what}")).map_or_else(|| t.refused_somehow(name, what), Ok)
}
