//! Lists with filters and cursors that do not exist.

use futures_util::future::LocalBoxFuture;
use serde_json::json;

use crate::a2a::model::Operation;
use crate::engine::check::anyone;
use crate::engine::drive::Driver;
use crate::engine::take::Take;
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;

scenario! {
    "list-refused", "List tasks by what does not exist", in ListTasks, scope: Lane,
    messages: 0, streams: 0, after: ["probe"], needs: anyone, drive: drive,
    checks: {
        /// A page size that nobody can serve is a mistake of the client, which should hear of it.
        ///
        /// Fix: Refuse a pageSize below 1 or above 100 as an invalid parameter.
        "list.page-size-range", "A pageSize outside 1 to 100 is refused",
        requires: ["list.page-size-range"], faults: ["list-any-page-size"],
        judge: |t| page_size(t);

        /// A client that pages on with a token that means nothing would read the first page for ever.
        ///
        /// Fix: Refuse a pageToken that you did not make.
        "list.invalid-page-token", "A pageToken that was never given is refused",
        requires: ["list.invalid-page-token"], faults: ["list-any-token"],
        judge: |t| refused(t, "token", "a pageToken that the agent never gave");

        /// A misspelt state must not become a list of everything.
        ///
        /// Fix: Refuse a status that is no TaskState.
        "list.invalid-status", "An unknown status is refused",
        requires: ["list.invalid-status"], faults: ["list-any-status"],
        advisory: "a ProtoJSON parser that ignores unknown members may drop unknown enum names as well",
        judge: |t| refused(t, "status", "the status TASK_STATE_BOGUS");

        /// A time that cannot be read must not become no filter.
        ///
        /// Fix: Refuse a statusTimestampAfter that is no RFC 3339 timestamp.
        "list.invalid-timestamp", "A malformed timestamp is refused",
        requires: ["list.invalid-timestamp"], faults: ["list-any-timestamp"],
        judge: |t| refused(t, "timestamp", "the statusTimestampAfter \"yesterday\"");
    }
}

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
fn refused(t: &Take, name: &str, what: &str) -> Judged {
    t.list("plain")?;
    t.refused_somehow(name, what)
}

fn page_size(t: &Take) -> Judged {
    for (name, what) in [("zero", "pageSize -1"), ("large", "pageSize 101")] {
        let verdict = refused(t, name, what)?;
        if verdict.expected.is_some() {
            return Ok(verdict);
        }
    }
    t.answered("large").map(|step| Verdict::pass().seen_in(step.exchange.id))
}
