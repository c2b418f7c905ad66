//! Agents that close the connection instead of answering a request that is wrong (T-RPC-16).

use std::rc::Rc;

use crate::a2a::binding::Call;
use crate::engine::drive::Driver;
use crate::engine::transcript::{Step, Transcript};
use crate::engine::verdict::Verdict;
use crate::host::NetworkVisibility;
use crate::wire::exchange::End;

/// What is said of an agent that hangs up.
pub(super) const HUNG_UP: &str = "the connection closed without a response, also when the request was repeated";

/// The step that shows that an agent which hung up still serves others.
const STILL_THERE: &str = "still-there";

/// Repeats those of these requests whose connection was closed: once may be an accident, and only what happens again is the
/// request's doing. `call` makes the request of a step; none for what is not to be repeated. Answers whether any was.
pub(super) async fn repeat_closed(d: &Driver, steps: &[Rc<Step>], call: impl Fn(&str) -> Option<Call>) -> bool {
    let mut is_repeated = false;
    for step in steps.iter().filter(|step| step.was_closed()) {
        if let Some(call) = call(step.name) {
            d.call(step.name, call).await;
            is_repeated = true;
        }
    }
    is_repeated
}

/// The same, and an ordinary call afterwards, for checks that ask whether the agent [`is_still_there`].
pub(super) async fn repeat_closed_and_look(d: &Driver, steps: &[Rc<Step>], call: impl Fn(&str) -> Option<Call>) {
    if repeat_closed(d, steps, call).await {
        d.call(STILL_THERE, d.harmless_call()).await;
    }
}

/// Whether a request closed the connection, and was not answered when it was repeated either.
pub(super) fn hangs_up(t: &Transcript, name: &str) -> bool {
    let unanswered = |step: &Rc<Step>| matches!(step.exchange.end, End::NoAnswer(_));
    t.every(name).count() > 1 && t.every(name).any(|step| step.was_closed()) && t.every(name).all(unanswered)
}

/// Whether the agent answered an ordinary call after it had hung up; one that is gone altogether says nothing of a request.
pub(super) fn is_still_there(t: &Transcript) -> bool {
    t.step(STILL_THERE).is_ok_and(|step| step.exchange.response.is_some())
}

/// The failure of an agent that hangs up where `expected` was due. A page cannot tell a crash from an answer that the browser
/// withholds, so nothing fails there.
pub(super) fn hung_up(t: &Transcript, name: &str, expected: &str) -> Option<Verdict> {
    let is_known = t.facts.visibility.network_errors == NetworkVisibility::Causes;
    let step = t.step(name).ok().filter(|_| is_known && hangs_up(t, name))?;
    Some(Verdict::fail(step.exchange.id, expected, HUNG_UP))
}
