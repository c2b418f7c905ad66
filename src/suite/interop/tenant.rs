//! An interface that declares a tenant: whether requests with it work (1.0 §8.3.2).

use crate::a2a::binding::ReplyKind;
use crate::engine::prelude::{Check, Judged, Scenario, Transcript, Verdict};

pub(super) static SCENARIO: Scenario =
    Scenario::of_traffic("tenant", "Check the responses to requests with a tenant", CHECKS);

const CHECKS: &[Check] = &[Check {
    id: "interop.tenant-echo",
    title: "Requests with the declared tenant work",
    why: "Clients must send the declared tenant with every request.",
    fix: "Accept the tenant member in every operation, with exactly the value that the card declares.",
    judge: works,
    ..Check::tripped_by(&["tenant-refused"])
}];

fn works(t: &Transcript) -> Judged {
    if t.lane.as_ref().is_none_or(|lane| lane.interface.tenant.is_none()) {
        return Err(Verdict::not_applicable("the interface declares no tenant"));
    }
    t.ran_to_its_end()?;
    let worked = |step: &&std::rc::Rc<crate::engine::transcript::Step>| {
        matches!(step.reply.kind, ReplyKind::Result(_) | ReplyKind::Stream(_))
    };
    match (t.steps.iter().find(worked), t.steps.first()) {
        (Some(step), _) => Ok(step.pass()),
        (None, Some(step)) => {
            step.claim(false, "a result for any request with the tenant", step.reply.kind.describe(), "")
        }
        (None, None) => Err(Verdict::inconclusive("nothing was sent")),
    }
}
