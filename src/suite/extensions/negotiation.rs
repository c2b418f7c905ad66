//! Asks for an extension that nobody knows.

use futures_util::future::LocalBoxFuture;
use serde_json::json;

use crate::a2a::binding::{Call, ReplyKind};
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::Driver;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "unknown-extension",
    title: "Request an unknown extension",
    scope: Scope::Lane,
    after: &["probe"],
    drive,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[Check {
    id: "ext.unknown-ignored",
    title: "An unknown extension is ignored",
    why: "Clients request extensions they could use, and an agent that does not know one continues without it.",
    fix: "Ignore URIs in A2A-Extensions that you do not know.",
    faults: tripped_by(&["unknown-extension-refused"]),
    judge: ignored,
    ..Check::DEFAULTS
}];

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let declared = d.facts().card.iter().flat_map(|card| card.extensions.clone());
        let mut extensions: Vec<_> = declared.filter(|(_, required)| *required).map(|(uri, _)| uri).collect();
        let get = |d: &Driver| d.operation(Operation::GetTask, json!({ "id": d.fresh_id() }));
        d.call("without", get(d)).await;
        extensions.push("https://example.com/a2a-conformance/unknown/v1".to_owned());
        d.call("with", Call { extensions: Some(extensions), ..get(d) }).await;
    })
}

fn ignored(t: &Transcript) -> Judged {
    let found = |kind: &ReplyKind| matches!(kind, ReplyKind::Error(error) if error.is(ErrorName::TaskNotFound));
    if !found(&t.answered("without")?.reply.kind) {
        return Err(Verdict::blocked("an unknown task does not return TaskNotFoundError even without the extension"));
    }
    let step = t.answered("with")?;
    let expected = "the same response as without the extension";
    step.claim(found(&step.reply.kind), expected, step.reply.kind.describe(), "")
}
