//! Invalid parameters: a missing id, wrong types, unknown members, a very large request; and cancelling an unknown task (reading
//! one is in `transport/probe.rs`).

use futures_util::future::join;
use serde_json::json;

use super::hang_up::{hangs_up, how_it_hung_up, refused_alive, repeat_closed};
use crate::a2a::binding::rest::REST;
use crate::a2a::binding::{Call, ReplyKind};
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Transcript, Verdict, task_of};
use crate::engine::shared_requests::SharedQuestion;
use crate::engine::verdict::{Outcome, first_finding};
use crate::suite::messaging::finished;
use crate::wire::json::Value;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "params",
    title: "Send invalid parameters",
    after: &["send"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "get.missing-id",
        title: "Get without an id is refused",
        why: "Without an id, any task the agent returned would be the wrong one.",
        fix: "Require id in GetTask, and refuse the call without it.",
        judge: |t| t.refused_somehow("no-id", "GetTask without an id"),
        ..Check::tripped_by(&["get-missing-id-accepted"])
    },
    Check {
        id: "jsonrpc.invalid-params",
        title: "Get without an id returns Invalid params",
        why: "The code shows the caller that its parameters are at fault.",
        fix: "Return -32602 (Invalid params) when validation fails.",
        advisory: Some("the specification's own example uses -32600 for payload validation (1.0 §9.5)"),
        judge: |t| t.refused_with_code("no-id", "GetTask without an id", &[ErrorName::InvalidParams]),
        ..Check::tripped_by(&["bad-params-wrong-code"])
    },
    Check {
        id: "error.validation-detail",
        title: "A validation error names the invalid member",
        why: "\"Invalid\" alone does not say what to correct.",
        fix: "Add a google.rpc.BadRequest with a fieldViolations entry for each invalid member.",
        judge: names_member,
        ..Check::tripped_by(&["validation-silent"])
    },
    Check {
        id: "transport.size-limit",
        title: "A large request is answered or refused cleanly",
        why: "If one large request can bring the agent down, anyone can.",
        fix: "Limit the size of request bodies, and return 413 or a protocol error above the limit.",
        judge: large,
        ..Check::tripped_by(&["crash-on-large-request"])
    },
    Check {
        id: "transport.input-validated",
        title: "Wrongly typed parameters are refused",
        why: "Values of the wrong type must be refused rather than guessed at, and must not crash the server.",
        fix: "Validate parameters before use and return Invalid params; catch exceptions of the handler.",
        judge: wrong_types,
        ..Check::tripped_by(&["wrong-types-accepted", "crash-on-wrong-types", "get-any-number"])
    },
    Check {
        id: "transport.unknown-fields-ignored",
        title: "Unknown members are ignored",
        why: "A newer client may send members that an older agent does not know.",
        fix: "Configure the JSON or protobuf parser to ignore unknown members.",
        judge: unknown_member,
        ..Check::tripped_by(&["unknown-fields-refused"])
    },
    Check {
        id: "cancel.unknown-refused",
        title: "Cancelling an unknown task is refused",
        why: "\"Canceled\" is wrong for a task that does not exist.",
        fix: "Look the task up before cancelling it.",
        requirements: &["cancel.not-found"],
        judge: |t| t.refused_somehow("cancel-unknown", CANCELLING),
        ..Check::tripped_by(&["cancel-unknown-found"])
    },
    Check {
        id: "cancel.not-found",
        title: "Cancelling an unknown task returns TaskNotFoundError",
        why: "Clients tell by the code whether the task is gone or something failed.",
        fix: "Return -32001 (TaskNotFoundError) for a task that does not exist.",
        judge: cancel_not_found,
        ..Check::tripped_by(&["cancel-unknown-internal", "unknown-task-remembered", "cancel-missing"])
    },
];

async fn drive(d: &Driver) {
    let mut calls = vec![
        d.call("no-id", d.operation(Operation::GetTask, json!({})).called("a get without an id")),
        d.ask("cancel-unknown", SharedQuestion::CancelUnknown),
    ];
    if d.has_check("error.validation-detail") {
        calls.push(d.ask("no-message", SharedQuestion::EmptyMessage));
    }
    if d.has_check("transport.size-limit") {
        calls.push(d.call("large", malformed_call(d, "large")));
    }
    calls.push(d.call("id-object", malformed_call(d, "id-object")));
    calls.push(d.call("message-text", malformed_call(d, "message-text")));
    if let Some(Ok(task)) = d.earlier("send").map(|transcript| finished(transcript).cloned()) {
        let id = task.id.unwrap_or_default();
        if d.has_check("transport.unknown-fields-ignored") {
            let unknown = d.operation(Operation::GetTask, json!({ "id": id, "a2aConformanceProbe": true }));
            calls.push(d.call("unknown-member", unknown.called("a get with an unknown member")));
        }
        // What stands in a query comes as text, which somebody has to read as a number.
        if d.answers_quickly() && d.lane().is_some_and(|lane| lane.binding.id == REST.id) {
            let word = d.operation(Operation::GetTask, json!({ "id": id, "historyLength": "all" }));
            calls.push(d.call(WORD, word.called(WORD_AS_NUMBER)));
        }
    }
    let steps = d.together(calls).await;
    let is_malformed = |name: &str| matches!(name, "large" | "id-object" | "message-text");
    let at_once = d.for_unknown_at_once("cancel-unknown", |unknown| {
        let cancel = d.about_task(Operation::CancelTask, unknown);
        d.call("cancel-at-once", cancel.called("one of several cancels at once"))
    });
    join(at_once, repeat_closed(d, &steps, |name| is_malformed(name).then(|| malformed_call(d, name)))).await;
}

/// The step that gives a word for a number, and what it is called.
const WORD: &str = "word";
const WORD_AS_NUMBER: &str = "a get with the historyLength \"all\"";

/// A request that a server must survive.
fn malformed_call(d: &Driver, name: &str) -> Call {
    match name {
        "large" => {
            let padding = json!({ "id": d.fresh_id(), "metadata": { "padding": "x".repeat(LARGE) } });
            d.operation(Operation::CancelTask, padding).called("a request of 1.2 MB")
        }
        "id-object" => {
            d.operation(Operation::GetTask, json!({ "id": { "not": "a string" } })).called("an object as id")
        }
        _ => d.operation(Operation::SendMessage, json!({ "message": "not an object" })).called("a string as message"),
    }
}

/// Beyond what frameworks take by default (100 KB to 1 MB), and quickly sent.
const LARGE: usize = 1_200_000;

fn names_member(t: &Transcript) -> Judged {
    let (step, error) = t.refused("no-message")?;
    let detail = |document: &Value| document.to_string().contains("fieldViolations");
    let named = step.reply.document.as_deref().is_some_and(detail)
        || error.message.as_deref().is_some_and(|text| text.to_ascii_lowercase().contains("message"));
    let actual = error.describe();
    step.claim(named, "a BadRequest detail or an error message that names message", actual, error.at.as_str())
}

fn large(t: &Transcript) -> Judged {
    let step = t.step("large")?;
    if step.exchange.response.is_some() {
        return Ok(step.pass());
    }
    if step.was_closed() && t.facts.visibility.is_limited_by_cors {
        return Err(Verdict::not_observable("a page cannot tell a closed connection from a withheld answer"));
    }
    if hangs_up(t, "large") {
        return step.claim(false, "HTTP 413, or any other response", how_it_hung_up(step), "");
    }
    t.answered("large").map(|_| Verdict::pass())
}

fn wrong_types(t: &Transcript) -> Judged {
    let query = t.every(WORD).next().map(|_| (WORD, WORD_AS_NUMBER));
    let body = [("id-object", "an object as id"), ("message-text", "a string as message")];
    first_finding(body.into_iter().chain(query).map(|(name, what)| {
        // An id that is an object cannot stand in a path.
        if matches!(t.step(name)?.reply.kind, ReplyKind::NotExpressible(_)) {
            return Ok(Verdict::pass());
        }
        // A server must survive this.
        refused_alive(t, name, what)
    }))
}

fn unknown_member(t: &Transcript) -> Judged {
    finished(t.earlier("send")?)?;
    let step = t.answered("unknown-member")?;
    match &step.reply.kind {
        _ if task_of(&step.reply).is_some() => Ok(step.pass()),
        kind if kind.is_error(ErrorName::TaskNotFound) => {
            Err(Verdict::inconclusive("the agent does not keep finished tasks"))
        }
        other => Ok(step.fail("the task, as without the unknown member", other.describe())),
    }
}

const CANCELLING: &str = "cancelling a task that does not exist";

fn cancel_not_found(t: &Transcript) -> Judged {
    let alone = t.refused_with_code("cancel-unknown", CANCELLING, &[ErrorName::TaskNotFound])?;
    Ok(t.misled_at_once("cancel-at-once").filter(|_| alone.outcome == Outcome::Pass).unwrap_or(alone))
}
