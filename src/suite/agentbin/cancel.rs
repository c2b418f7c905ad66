//! AgentBin's tests of tasks that are at work when the answer comes: cancelled, cancelled with metadata, and read until they
//! complete.

use serde_json::json;

use super::applicability::spec_only;
use super::judging::{expect, expect_state, has_output, in_state, state, task, test};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{Operation, TaskState};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Transcript, task_of};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "agentbin-cancel",
    title: "AgentBin: tasks at work, cancelled and awaited",
    messages: 3,
    rounds: 8,
    needs: spec_only,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    test(
        "spec-task-cancel",
        "task-cancel is canceled, and stays so",
        "Work on \"task-cancel …\" for half a minute, stop when it is cancelled, and keep the state canceled.",
        &["cancel-ignored"],
        canceled,
    ),
    test(
        "spec-cancel-with-metadata",
        "The canceled task has the metadata of the cancel",
        "Read metadata from CancelTask in every binding, and keep it with the task.",
        &["cancel-drops-metadata"],
        with_metadata,
    ),
    test(
        "spec-return-immediately",
        "returnImmediately returns a task at work, which completes later",
        "When configuration.returnImmediately is true, respond as soon as the task exists and continue in the background.",
        &["return-immediately-ignored"],
        immediately,
    ),
];

async fn drive(d: &Driver) {
    let at_once = |text: &str| Outgoing { return_immediately: Some(true), ..d.outgoing(text) };
    let begun = d.send("begun", &at_once("task-cancel start")).await;
    if let Some(id) = task_of(&begun.reply).and_then(|task| task.id.clone()) {
        d.cancel("cancel", &id).await;
        d.get("canceled", &id, None).await;
    }
    let begun = d.send("other", &at_once("task-cancel start")).await;
    if let Some(id) = task_of(&begun.reply).and_then(|task| task.id.clone()) {
        let mut params = (d.dialect().task_params)(&id, None);
        if let Some(params) = params.as_object_mut() {
            let metadata = json!({ "reason": "test-cancel-reason", "requestedBy": "a2a-conformance" });
            params.insert("metadata".to_owned(), metadata);
        }
        d.call("cancel-metadata", d.operation(Operation::CancelTask, params)).await;
    }
    let long = d.send("long", &at_once("long-running start process")).await;
    if let Some(id) = task_of(&long.reply).and_then(|task| task.id.clone()) {
        d.poll_until_settled("poll", &id).await;
    }
}

fn canceled(t: &Transcript) -> Judged {
    let (step, begun) = task(t, "begun")?;
    expect(step, &[at_work(begun)]).map(drop)?;
    expect_state(t, "cancel", TaskState::Canceled, "a canceled task").map(drop)?;
    expect_state(t, "canceled", TaskState::Canceled, "a canceled task")
}

/// That a task is not over yet.
fn at_work(task: &crate::a2a::model::Task) -> super::judging::Claim<'static> {
    let holds = matches!(task.state, Some(TaskState::Submitted | TaskState::Working));
    (holds, "a task that is submitted or working", state(task))
}

fn with_metadata(t: &Transcript) -> Judged {
    let (step, answer) = task(t, "cancel-metadata")?;
    let given = answer.raw.get("metadata").filter(|metadata| metadata.is_object());
    let member = |name: &str| given.and_then(|metadata| metadata.get(name)).and_then(|value| value.as_str());
    let actual = given.map_or_else(|| "none".to_owned(), ToString::to_string);
    expect(
        step,
        &[
            in_state(answer, TaskState::Canceled, "a canceled task"),
            (member("reason") == Some("test-cancel-reason"), "metadata with the reason of the cancel", actual.clone()),
            (member("requestedBy").is_some(), "metadata with requestedBy", actual),
        ],
    )
}

fn immediately(t: &Transcript) -> Judged {
    let (step, begun) = task(t, "long")?;
    expect(step, &[at_work(begun)]).map(drop)?;
    let (step, done) = task(t, "poll")?;
    expect(step, &[in_state(done, TaskState::Completed, "a completed task in the end"), has_output(done)])
}
