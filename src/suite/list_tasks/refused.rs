//! Lists with filters and cursors that do not exist.

use futures_util::future::LocalBoxFuture;
use serde_json::json;

use crate::a2a::model::Operation;
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::Driver;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "list-refused",
    title: "List tasks by what does not exist",
    scope: Scope::Lane,
    after: &["probe"],
    drive,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[
    Check {
        id: "list.page-size-range",
        title: "A pageSize outside 1 to 100 is refused",
        why: "A page size that nobody can serve is a mistake of the client, which should hear of it.",
        fix: "Refuse a pageSize below 1 or above 100 as an invalid parameter.",
        faults: tripped_by(&["list-any-page-size"]),
        judge: |t| page_size(t),
        ..Check::DEFAULTS
    },
    Check {
        id: "list.invalid-page-token",
        title: "A pageToken that was never given is refused",
        why: "A client that pages on with a token that means nothing would read the first page for ever.",
        fix: "Refuse a pageToken that you did not make.",
        faults: tripped_by(&["list-any-token"]),
        judge: |t| refused(t, "token", "a pageToken that the agent never gave"),
        ..Check::DEFAULTS
    },
    Check {
        id: "list.invalid-status",
        title: "An unknown status is refused",
        why: "A misspelt state must not become a list of everything.",
        fix: "Refuse a status that is no TaskState.",
        faults: tripped_by(&["list-any-status"]),
        advisory: Some("a ProtoJSON parser that ignores unknown members may drop unknown enum names as well"),
        judge: |t| refused(t, "status", "the status TASK_STATE_BOGUS"),
        ..Check::DEFAULTS
    },
    Check {
        id: "list.invalid-timestamp",
        title: "A malformed timestamp is refused",
        why: "A time that cannot be read must not become no filter.",
        fix: "Refuse a statusTimestampAfter that is no RFC 3339 timestamp.",
        faults: tripped_by(&["list-any-timestamp"]),
        judge: |t| refused(t, "timestamp", "the statusTimestampAfter \"yesterday\""),
        ..Check::DEFAULTS
    },
];

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        for (step, params) in [
            ("plain", json!({})),
            ("zero", json!({ "pageSize": -1 })),
            ("large", json!({ "pageSize": 101 })),
            ("token", json!({ "pageToken": "a2a-conformance never got this" })),
            ("status", json!({ "status": "TASK_STATE_BOGUS" })),
            ("timestamp", json!({ "statusTimestampAfter": "yesterday" })),
        ] {
            d.call(step, d.operation(Operation::ListTasks, params)).await;
        }
    })
}

/// An agent that cannot list at all refuses everything, which shows nothing.
fn refused(t: &Transcript, name: &str, what: &str) -> Judged {
    t.list("plain")?;
    t.refused_somehow(name, what)
}

fn page_size(t: &Transcript) -> Judged {
    for (name, what) in [("zero", "pageSize -1"), ("large", "pageSize 101")] {
        let verdict = refused(t, name, what)?;
        if verdict.expected.is_some() {
            return Ok(verdict);
        }
    }
    t.answered("large").map(|step| Verdict::pass().seen_in(step.exchange.id))
}
