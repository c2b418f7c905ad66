//! A message to a rejected task is refused; all else about rejected tasks is in `failed_and_rejected.rs`. Only a thorough run sends
//! it.

use super::failed_and_rejected::{FAILED_MESSAGE, REJECTED_READ};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{Task, TaskState};
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Transcript, Verdict, task_of};
use crate::suite::completed_refusal::refused_when_completed;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "rejected",
    title: "Send a message to a rejected task",
    messages: 1,
    is_thorough: true,
    after: &["failed"],
    judged_after: &["finished"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[Check {
    id: "send.rejected-refused",
    title: "A message to a rejected task is refused",
    why: "Rejected is a terminal state: a client that wants something else begins a new task.",
    fix: "Refuse messages to a task in any terminal state: completed, failed, canceled or rejected.",
    requirements: &["send.terminal-task", "send.v03.terminal-task"],
    judge: refused,
    ..Check::tripped_by(&["rejected-accepts-message"])
}];

const MESSAGE: &str = "message";

/// The task as the scenario of failures read it at last, if it was rejected.
fn rejected(failed: &Transcript) -> Option<&Task> {
    let read = failed.every(REJECTED_READ).last()?;
    task_of(&read.reply).filter(|task| task.state == Some(TaskState::Rejected))
}

async fn drive(d: &Driver) {
    let Some(text) = d.facts().prompts.text(Behaviour::Reject) else {
        // The same requirement is judged on tasks that ended in other ways.
        return d.stop(Verdict::not_applicable(Behaviour::Reject.without_prompt()));
    };
    let Some(task) = d.earlier("failed").and_then(|failed| rejected(failed)).cloned() else {
        return d.stop(Verdict::inconclusive("the task did not end as the prompt \"reject\" should bring about"));
    };
    let (task_id, context_id) = (task.id, task.context_id);
    d.send(MESSAGE, &Outgoing { task_id, context_id, ..d.outgoing(text) }).await;
}

fn refused(t: &Transcript) -> Judged {
    t.ran_to_its_end()?;
    refused_when_completed(t, MESSAGE, "a message to")?;
    let failed = t.earlier("failed")?.refused_somehow(FAILED_MESSAGE, "a message to a failed task");
    if failed.is_ok_and(|verdict| verdict.expected.is_some()) {
        return Err(Verdict::blocked("a message to a failed task is not refused either"));
    }
    t.refused_somehow(MESSAGE, "a message to a rejected task")
}
