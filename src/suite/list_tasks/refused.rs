//! Lists with invalid parameters: page sizes, page tokens, states and times that do not exist, and words for numbers.

use serde_json::json;

use crate::a2a::model::Operation;
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Transcript};
use crate::engine::shared_requests::SharedQuestion;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "list-refused",
    title: "List tasks with invalid parameters",
    after: &["probe"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "list.page-size-range",
        title: "A pageSize outside 1 to 100 is refused",
        why: "A page size outside the allowed range is a mistake the client must learn of.",
        fix: "Refuse a pageSize below 1 or above 100 as an invalid parameter.",
        judge: page_size,
        ..Check::tripped_by(&["list-any-page-size"])
    },
    Check {
        id: "list.invalid-page-token",
        title: "An unknown pageToken is refused",
        why: "A client that continues with a meaningless token would read the first page forever.",
        fix: "Refuse a pageToken that the agent did not issue.",
        judge: |t| refused(t, "token", "a pageToken that the agent did not issue"),
        ..Check::tripped_by(&["list-any-token"])
    },
    Check {
        id: "list.invalid-status",
        title: "An unknown status is refused",
        why: "A misspelt state must not return every task.",
        fix: "Refuse a status that is not a TaskState.",
        judge: |t| refused(t, "status", "the status TASK_STATE_BOGUS"),
        ..Check::tripped_by(&["list-any-status"])
    },
    Check {
        id: "list.invalid-timestamp",
        title: "A malformed timestamp is refused",
        why: "A time that cannot be parsed must not turn the filter off.",
        fix: "Refuse a statusTimestampAfter that is not an RFC 3339 timestamp.",
        judge: |t| refused(t, "timestamp", "the statusTimestampAfter \"yesterday\""),
        ..Check::tripped_by(&["list-any-timestamp"])
    },
    Check {
        id: "list.parameter-types",
        title: "Words in the place of numbers are refused",
        why: "A number that cannot be parsed must not empty the page, or take the limit away.",
        fix: "Read pageSize and historyLength as integers, in the query of a URL too, and refuse what is none.",
        // T-LIST-15: ProtoJSON writes a number as text too, but no other text is one.
        judge: |t| refused(t, WORDS, "the pageSize \"two\" and the historyLength \"all\""),
        ..Check::tripped_by(&["list-any-number"])
    },
];

/// The step that writes words in the place of numbers.
const WORDS: &str = "words";

async fn drive(d: &Driver) {
    let asked = [
        ("zero", json!({ "pageSize": -1 })),
        ("large", json!({ "pageSize": 101 })),
        ("token", json!({ "pageToken": "a2a-conformance never got this" })),
        ("status", json!({ "status": "TASK_STATE_BOGUS" })),
        ("timestamp", json!({ "statusTimestampAfter": "yesterday" })),
    ];
    let plain = d.ask("plain", SharedQuestion::List);
    let asked = asked.map(|(step, params)| d.call(step, d.operation(Operation::ListTasks, params)));
    let words = d.operation(Operation::ListTasks, json!({ "pageSize": "two", "historyLength": "all" }));
    let words = d.call(WORDS, words.called("words in the place of numbers"));
    d.together([plain, words].into_iter().chain(asked)).await;
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
    t.answered("large").map(|step| step.pass())
}
