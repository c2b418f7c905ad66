//! An extension that nobody knows: whether the agent ignores it.

use crate::a2a::binding::{Call, ReplyKind};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Transcript};
use crate::suite::transport::{repeat_working_call, working_call};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "unknown-extension",
    title: "Request an unknown extension",
    after: &["probe"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[Check {
    id: "ext.unknown-ignored",
    title: "An unknown extension is ignored",
    why: "Clients request extensions they could use, and an agent that does not know one continues without it.",
    fix: "Ignore URIs in A2A-Extensions that you do not know.",
    judge: ignored,
    ..Check::tripped_by(&["unknown-extension-refused"])
}];

async fn drive(d: &Driver) {
    let declared = d.facts().card.iter().flat_map(|card| card.extensions.clone());
    let mut extensions: Vec<_> = declared.filter(|(_, required)| *required).map(|(uri, _)| uri).collect();
    extensions.push("https://example.com/a2a-conformance/unknown/v1".to_owned());
    let Some(call) = repeat_working_call(d) else { return };
    d.call("with", Call { extensions: Some(extensions), ..call }).await;
}

fn ignored(t: &Transcript) -> Judged {
    let without = working_call(t)?;
    let step = t.answered("with")?;
    let same = match (&without.reply.kind, &step.reply.kind) {
        (ReplyKind::Error(before), ReplyKind::Error(after)) => {
            (before.code, before.name, before.status) == (after.code, after.name, after.status)
        }
        (ReplyKind::Result(_), ReplyKind::Result(_)) => true,
        _ => false,
    };
    step.claim(same, "the same response as without the extension", step.reply.kind.describe(), "")
}
