//! AgentBin's tests of single messages to `/spec`: answered by a message, completed, failed, with data, listed and read afterwards,
//! and refused once the task is over.

use super::applicability::spec_only;
use super::judging::{artifacts, expect, has_output, in_state, message, of_message, state, task, test, text};
use crate::a2a::dialect::write::{ListQuery, Outgoing};
use crate::a2a::model::{Content, Part, Role, TaskState};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Step, Transcript, Verdict, count_of, task_of};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "agentbin-answers",
    title: "AgentBin: single messages, and their tasks read afterwards",
    messages: 6,
    rounds: 11,
    needs: spec_only,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    test(
        "spec-message-only",
        "message-only is answered with a Message",
        "Answer \"message-only …\" with a Message of the agent's role, and create no task.",
        &["send-both"],
        message_only,
    ),
    test(
        "spec-task-lifecycle",
        "task-lifecycle completes with an artifact",
        "Work on \"task-lifecycle …\", complete the task with an artifact, and return it when it is complete.",
        &["tasks-all-fail", "results-in-status"],
        lifecycle,
    ),
    test(
        "spec-get-task",
        "The completed task can be read, without history for historyLength 0",
        "Store tasks, and leave history out of GetTask when historyLength is 0.",
        &["tasks-vanish", "history-zero-ignored"],
        read_back,
    ),
    test(
        "spec-task-failure",
        "task-failure fails with a message of the agent",
        "End \"task-failure …\" in the state failed, with the reason in status.message.",
        &["failure-silent"],
        failure,
    ),
    test(
        "get-task-after-failure",
        "A failed task can be read as failed",
        "Store the state in which a task ended, and return it from GetTask.",
        &["failed-shown-completed"],
        failure_read,
    ),
    test(
        "spec-data-types",
        "data-types completes with text, data and a file",
        "Complete \"data-types …\" with parts that have text, data, and bytes with their mediaType.",
        &["results-in-status"],
        data_types,
    ),
    test(
        "spec-list-tasks",
        "A list has the tasks that were created",
        "Return the caller's tasks from ListTasks, each with id and status.state.",
        &["list-empty"],
        list,
    ),
    test(
        "error-cancel-terminal",
        "Cancelling a completed task is refused",
        "Return TaskNotCancelableError when a task that is over is cancelled.",
        &["cancel-terminal-ok"],
        |t| over(t, "cancel", "cancelling a completed task"),
    ),
    test(
        "error-send-terminal",
        "A message to a completed task is refused",
        "Return UnsupportedOperationError for a message to a task that is over.",
        &["terminal-accepts-message"],
        |t| over(t, "send", "a message to a completed task"),
    ),
];

async fn drive(d: &Driver) {
    d.send("message", &d.outgoing("message-only hello world")).await;
    let done = d.send("lifecycle", &d.outgoing("task-lifecycle process this data")).await;
    if let Some(id) = id_of(&done) {
        d.get("get", &id, None).await;
        d.get("get-bare", &id, Some(0)).await;
        d.cancel("cancel", &id).await;
        d.send("send", &Outgoing { task_id: Some(id), ..d.outgoing("task-lifecycle once more") }).await;
    }
    let failed = d.send("failure", &d.outgoing("task-failure trigger error")).await;
    if let Some(id) = id_of(&failed) {
        d.get("failure-get", &id, None).await;
    }
    d.send("data", &d.outgoing("data-types show all")).await;
    d.call("list", d.list_tasks(&ListQuery::default())).await;
}

/// The id of the task that a step was answered with.
fn id_of(step: &Step) -> Option<String> {
    task_of(&step.reply)?.id.clone()
}

fn message_only(t: &Transcript) -> Judged {
    let (step, answer) = message(t, "message")?;
    let [role, id, parts] = of_message(answer);
    expect(step, &[role, id, parts, (!text(answer).is_empty(), "a text", "none".to_owned())])
}

pub(super) fn lifecycle(t: &Transcript) -> Judged {
    let (step, done) = task(t, "lifecycle")?;
    expect(step, &[in_state(done, TaskState::Completed, "a completed task"), has_output(done)])
}

fn read_back(t: &Transcript) -> Judged {
    let (_, done) = task(t, "lifecycle")?;
    let (step, read) = task(t, "get")?;
    let same = (read.id == done.id, "the same task id", "another".to_owned());
    expect(step, &[same, in_state(read, TaskState::Completed, "a completed task")]).map(drop)?;
    let (step, bare) = task(t, "get-bare")?;
    let messages = bare.history.as_ref().map(Vec::len).unwrap_or_default();
    expect(step, &[(messages == 0, "no history for historyLength 0", count_of(messages, "message"))])
}

fn failure(t: &Transcript) -> Judged {
    let (step, failed) = task(t, "failure")?;
    let by_agent = failed.status_message.as_ref().is_some_and(|message| message.role == Some(Role::Agent));
    expect(
        step,
        &[
            in_state(failed, TaskState::Failed, "a failed task"),
            (by_agent, "a status message of the agent", "none".to_owned()),
        ],
    )
}

fn failure_read(t: &Transcript) -> Judged {
    let (_, failed) = task(t, "failure")?;
    let (step, read) = task(t, "failure-get")?;
    let same = (read.id == failed.id, "the same task id", "another".to_owned());
    expect(step, &[same, in_state(read, TaskState::Failed, "a failed task")])
}

fn data_types(t: &Transcript) -> Judged {
    let (step, done) = task(t, "data")?;
    let has = |fits: fn(&Part) -> bool| artifacts(done).iter().flat_map(|artifact| &artifact.parts).any(fits);
    let has_object = has(|part| matches!(&part.content, Some(Content::Data(data)) if data.is_object()));
    let has_file = has(|part| matches!(part.content, Some(Content::Raw(_))) && part.media_type.is_some());
    let none = || "no such part".to_owned();
    expect(
        step,
        &[
            in_state(done, TaskState::Completed, "a completed task"),
            (has(|part| part.text().is_some()), "a part with text", none()),
            (has_object, "a part whose data is an object", none()),
            (has_file, "a part with bytes and a mediaType", none()),
        ],
    )
}

fn list(t: &Transcript) -> Judged {
    let (step, list) = t.list("list")?;
    let incomplete = list.tasks.iter().find(|task| task.id.is_none() || task.state.is_none());
    expect(
        step,
        &[
            (!list.tasks.is_empty(), "at least one task", "none".to_owned()),
            (incomplete.is_none(), "tasks with id and state", incomplete.map(state).unwrap_or_default()),
        ],
    )
}

fn over(t: &Transcript, step: &str, what: &str) -> Judged {
    let (_, done) = task(t, "lifecycle")?;
    if done.state != Some(TaskState::Completed) {
        return Err(Verdict::blocked(format!("the task did not complete (it is {})", state(done))));
    }
    t.refused_somehow(step, what)
}
