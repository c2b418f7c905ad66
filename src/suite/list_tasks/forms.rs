//! Lists whose parameters are written in other forms: a time with fewer digits, words in the place of numbers.

use futures_util::future::LocalBoxFuture;
use serde_json::json;

use super::pages_and_filters::list;
use crate::a2a::dialect::write::ListQuery;
use crate::a2a::model::{Operation, Task};
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::Driver;
use crate::engine::plural::count_of;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};
use crate::suite::messaging::finished;

/// The scenario of this file. It costs no message, but three requests, for which an ordinary run has no room.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "list-forms",
    title: "List tasks with parameters in other forms",
    scope: Scope::Lane,
    after: &["send"],
    is_thorough: true,
    drive,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[
    Check {
        id: "list.filter-timestamp-form",
        title: "statusTimestampAfter is compared as a time",
        why: "A client writes a time with as many digits as it knows, and misses tasks where texts are compared.",
        fix: "Parse statusTimestampAfter before comparing it: 05Z is earlier than 05.123Z.",
        requirements: &["list.filter-timestamp"],
        faults: tripped_by(&["list-timestamp-text"]),
        judge: by_second,
        ..Check::DEFAULTS
    },
    Check {
        id: "list.parameter-types",
        title: "Words in the place of numbers are refused",
        why: "A number that cannot be parsed must not empty the page, or take the limit away.",
        fix: "Read pageSize and historyLength as integers, in the query of a URL too, and refuse what is none.",
        faults: tripped_by(&["list-any-number"]),
        judge: words,
        ..Check::DEFAULTS
    },
];

/// The step that lists our context.
const PLAIN: &str = "plain";
/// The step that asks by the second in which the task's status was set.
const SECOND: &str = "second";
/// The step that writes words in the place of numbers.
const WORDS: &str = "words";

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let words = d.operation(Operation::ListTasks, json!({ "pageSize": "two", "historyLength": "all" }));
        let mut calls = vec![d.call(WORDS, words.called("words in the place of numbers"))];
        let task = d.earlier("send").and_then(|transcript| finished(transcript).ok());
        let of_context =
            || ListQuery { context_id: task.and_then(|task| task.context_id.clone()), ..ListQuery::default() };
        calls.push(list(d, PLAIN, of_context()));
        if let Some(second) = task.and_then(whole_second) {
            calls.push(list(d, SECOND, ListQuery { status_after: Some(second), ..of_context() }));
        }
        d.together(calls).await;
    })
}

/// The second in which a task's status was set, if it was set after the second began: an earlier time.
fn whole_second(task: &Task) -> Option<String> {
    let (second, fraction) = task.timestamp.as_deref()?.strip_suffix('Z')?.split_once('.')?;
    fraction.bytes().any(|digit| digit != b'0').then(|| format!("{second}Z"))
}

fn by_second(t: &Transcript) -> Judged {
    let task = finished(t.earlier("send")?)?;
    if whole_second(task).is_none() {
        return Err(Verdict::inconclusive("the task's status was set at a whole second, as far as it says"));
    }
    let (plain, all) = t.list(PLAIN)?;
    // What no list of the context has is another check's finding.
    if !all.tasks.iter().any(|listed| listed.id == task.id) {
        return Err(Verdict::inconclusive("the tasks of this run's context are not listed"));
    }
    let (step, found) = t.list(SECOND)?;
    let is_there = found.tasks.iter().any(|listed| listed.id == task.id);
    let expected = format!("the task whose status is of {}", task.timestamp.as_deref().unwrap_or_default());
    let actual = format!("{} without it", count_of(found.tasks.len(), "task"));
    step.claim(is_there, &expected, actual, "").map(|verdict| verdict.seen_in(plain.exchange.id))
}

/// T-LIST-15: ProtoJSON writes a number as text too, but no other text is one. An agent that cannot list refuses everything.
fn words(t: &Transcript) -> Judged {
    t.list(PLAIN)?;
    t.refused_somehow(WORDS, "the pageSize \"two\" and the historyLength \"all\"")
}
