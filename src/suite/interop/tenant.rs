//! An interface that declares a tenant: every request carried it (1.0 §8.3.2).

use crate::a2a::binding::Said;
use crate::engine::check::{anyone, silent};
use crate::engine::take::Take;
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;

scenario! {
    "tenant", "Look at how requests with the tenant were answered", in Interop, scope: Traffic,
    messages: 0, streams: 0, after: [], needs: anyone, drive: silent,
    checks: {
        /// Clients send the declared tenant back with every request, as they must.
        ///
        /// Fix: Accept the member tenant in every operation, with exactly the value that the card declares.
        "interop.tenant-echo", "Requests with the declared tenant work",
        requires: ["interop.tenant-echo"], faults: ["tenant-refused"], judge: works;
    }
}

fn works(t: &Take) -> Judged {
    if t.lane.as_ref().is_none_or(|lane| lane.interface.tenant.is_none()) {
        return Err(Verdict::not_applicable("the interface declares no tenant"));
    }
    if let Some(why) = &t.stopped {
        return Err(why.clone());
    }
    let worked =
        |step: &&std::rc::Rc<crate::engine::take::Step>| matches!(step.reply.said, Said::Result(_) | Said::Stream(_));
    match (t.steps.iter().find(worked), t.steps.first()) {
        (Some(step), _) => step.claim(true, "", "", ""),
        (None, Some(step)) => {
            step.claim(false, "a result for any request with the tenant", step.reply.said.describe(), "")
        }
        (None, None) => Err(Verdict::inconclusive("nothing was sent")),
    }
}
