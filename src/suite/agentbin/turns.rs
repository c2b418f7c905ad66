//! AgentBin's tests of a conversation of three turns, which waits until the client says done, stays in its context, and is read
//! with its history.

use super::applicability::spec_only;
use super::judging::{expect, expect_state, task, test};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::TaskState;
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Transcript, count_of, task_of};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "agentbin-turns",
    title: "AgentBin: a conversation of three turns",
    messages: 3,
    rounds: 4,
    needs: spec_only,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    test(
        "spec-multi-turn",
        "multi-turn waits until the client says done",
        "Ask for input again after every message but \"done\", which completes the task.",
        &["asks-once"],
        waits_until_done,
    ),
    test(
        "multi-turn-context-preserved",
        "Each turn has the same task and the same context",
        "Continue the task that the message names, and keep its contextId.",
        &["follow-up-new-task", "follow-up-new-context"],
        same_context,
    ),
    test(
        "get-task-with-history",
        "A task of several turns can be read with its history",
        "Add every message of the conversation to the task's history, and return it from GetTask.",
        &["history-missing"],
        history,
    ),
];

async fn drive(d: &Driver) {
    let first = d.send("first", &d.outgoing("multi-turn start conversation")).await;
    let Some(task) = task_of(&first.reply).cloned() else { return };
    let next =
        |text: &str| Outgoing { task_id: task.id.clone(), context_id: task.context_id.clone(), ..d.outgoing(text) };
    d.send("second", &next("here is more input")).await;
    d.send("third", &next("done")).await;
    if let Some(id) = &task.id {
        d.get("get", id, Some(10)).await;
    }
}

fn waits_until_done(t: &Transcript) -> Judged {
    expect_state(t, "first", TaskState::InputRequired, "a task that requires input").map(drop)?;
    expect_state(t, "second", TaskState::InputRequired, "a task that still requires input").map(drop)?;
    expect_state(t, "third", TaskState::Completed, "a completed task")
}

fn same_context(t: &Transcript) -> Judged {
    let (first, asked) = task(t, "first")?;
    let known = (asked.id.is_some() && asked.context_id.is_some(), "a task id and a contextId", "none".to_owned());
    expect(first, &[known]).map(drop)?;
    let (step, answer) = task(t, "second")?;
    let words = |id: &Option<String>| id.clone().unwrap_or_else(|| "none".to_owned());
    expect(
        step,
        &[
            (answer.id == asked.id, "the task id of the first turn", words(&answer.id)),
            (answer.context_id == asked.context_id, "the contextId of the first turn", words(&answer.context_id)),
        ],
    )
}

fn history(t: &Transcript) -> Judged {
    let (step, read) = task(t, "get")?;
    let messages = read.history.as_ref().map(Vec::len).unwrap_or_default();
    expect(step, &[(messages >= 2, "a history of at least two messages", count_of(messages, "message"))])
}
