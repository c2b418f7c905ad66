//! The header A2A-Version towards an agent of an older version, which does not know it: whether it is tolerated.

use crate::a2a::binding::{Call, ReplyKind};
use crate::a2a::dialect::Dialect;
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Transcript, Verdict};
use crate::suite::transport::{repeat_working_call, working_call};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "version-header",
    title: "Send the version in a header",
    after: &["probe"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[Check {
    id: "version.header-tolerated",
    title: "An A2A-Version header is tolerated",
    why: "Clients that support several versions always send A2A-Version.",
    fix: "Ignore headers that you do not know.",
    requirements: &["version.v03-tolerates-header"],
    judge: tolerated,
    ..Check::tripped_by(&["version-header-refused"])
}];

async fn drive(d: &Driver) {
    let Some(call) = repeat_working_call(d) else { return };
    let header = Dialect::newest().version_header.map(|name| (name.to_owned(), d.dialect().version.to_owned()));
    d.call("get", Call { headers: header.into_iter().collect(), ..call }).await;
}

fn tolerated(t: &Transcript) -> Judged {
    let without = working_call(t)?;
    let step = t.answered("get")?;
    let same = match (&without.reply.kind, &step.reply.kind) {
        (ReplyKind::Error(before), ReplyKind::Error(after)) => {
            (before.code, before.status) == (after.code, after.status)
        }
        (ReplyKind::Result(_), ReplyKind::Result(_)) => true,
        (ReplyKind::Error(_) | ReplyKind::Result(_), _) => false,
        _ => return Err(Verdict::blocked("the call without the header was not answered")),
    };
    step.claim(same, "the same response as without the header", step.reply.kind.describe(), "")
}
