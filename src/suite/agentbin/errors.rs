//! AgentBin's tests of calls that must be refused: unknown tasks, and a push config that the agent does not support.

use super::applicability::spec_only;
use super::judging::test;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, StreamControl, Transcript, task_of};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "agentbin-errors",
    title: "AgentBin: calls that must be refused",
    messages: 2,
    streams: 1,
    rounds: 6,
    needs: spec_only,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    test(
        "error-task-not-found",
        "Reading an unknown task returns TaskNotFoundError",
        "Return -32001 (TaskNotFoundError), over HTTP with status 404.",
        &["get-unknown-internal"],
        |t| unknown(t, "get", "reading an unknown task"),
    ),
    test(
        "error-cancel-not-found",
        "Cancelling an unknown task returns TaskNotFoundError",
        "Return -32001 (TaskNotFoundError), over HTTP with status 404.",
        &["cancel-unknown-internal"],
        |t| unknown(t, "cancel", "cancelling an unknown task"),
    ),
    test(
        "error-send-invalid-task",
        "A message to an unknown task returns TaskNotFoundError",
        "Look up the taskId of a message before anything else, and return -32001 (TaskNotFoundError).",
        &["unknown-task-id-internal"],
        |t| unknown(t, "send", "a message to an unknown task"),
    ),
    test(
        "error-subscribe-not-found",
        "Subscribing to an unknown task returns TaskNotFoundError",
        "Look up the task before the stream begins, and return -32001 (TaskNotFoundError).",
        &["subscribe-unknown-streams"],
        |t| unknown(t, "subscribe", "subscribing to an unknown task"),
    ),
    test(
        "error-push-not-supported",
        "Creating a push config returns PushNotificationNotSupportedError",
        "Declare no push notifications, and return -32003 (PushNotificationNotSupportedError).",
        &["undeclared-push"],
        |t| t.refused_as("push", "a push config", &[ErrorName::PushNotificationNotSupported]),
    ),
];

/// The id of the list that no task has.
const UNKNOWN: &str = "00000000-0000-0000-0000-000000000000";

async fn drive(d: &Driver) {
    d.get("get", UNKNOWN, None).await;
    d.cancel("cancel", UNKNOWN).await;
    let stray = Outgoing { task_id: Some(UNKNOWN.to_owned()), ..d.outgoing("task-lifecycle process this data") };
    d.send("send", &stray).await;
    d.subscribe("subscribe", UNKNOWN, |_| StreamControl::HangUp).await;
    let made = d.send("made", &d.outgoing("task-lifecycle process this data")).await;
    let task = task_of(&made.reply).and_then(|task| task.id.as_deref()).unwrap_or(UNKNOWN);
    let params = d.push_params(Operation::CreatePushConfig, task, None, "https://example.com/webhook");
    d.call("push", d.operation(Operation::CreatePushConfig, params)).await;
}

fn unknown(t: &Transcript, step: &str, what: &str) -> Judged {
    t.refused_as(step, what, &[ErrorName::TaskNotFound])
}
