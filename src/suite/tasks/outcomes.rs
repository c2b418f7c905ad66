//! How the tasks of a run ended, over everything that a lane recorded.

use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::model::{StreamEvent, TaskState};
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::task_of;
use crate::engine::plural::count_of;
use crate::engine::transcript::{MESSAGE_INSTEAD, Step, Transcript};
use crate::engine::verdict::{Judged, Verdict};

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "outcomes",
    title: "Look at how the tasks of this run ended",
    scope: Scope::Traffic,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[Check {
    id: "task.completes",
    title: "At least one task completes",
    why: "A run in which no task ever completes says little about what the agent can do for anyone.",
    fix: "Find out why the tasks do not complete (a missing model key, an exception in the handler). If the agent needs \
          a certain request, name it as an example of a skill, or run the check with the prompt \"complete\".",
    faults: tripped_by(&["tasks-all-fail", "tasks-never-complete"]),
    judge: completes,
    ..Check::DEFAULTS
}];

/// The tasks that a step shows, each with its state. What a list shows may be somebody else's.
fn shown(step: &Step) -> Vec<(Option<&str>, Option<TaskState>)> {
    if let ReplyKind::Stream(items) = &step.reply.kind {
        let events = items.iter().filter_map(|item| match &item.kind {
            StreamItemKind::Event(StreamEvent::Task(task)) => Some((task.id.as_deref(), task.state)),
            StreamItemKind::Event(StreamEvent::Status(update)) => Some((update.task_id.as_deref(), update.state)),
            _ => None,
        });
        return events.collect();
    }
    task_of(&step.reply).map(|task| (task.id.as_deref(), task.state)).into_iter().collect()
}

/// T-TASK-2: an agent may end a task in any state, so this is advice, and no more than advice.
fn completes(t: &Transcript) -> Judged {
    let mut last: Vec<(&str, Option<TaskState>, u32)> = Vec::new();
    for step in &t.steps {
        for (id, state) in shown(step) {
            if state == Some(TaskState::Completed) {
                return Ok(Verdict::pass().seen_in(step.exchange.id));
            }
            let Some(id) = id else { continue };
            match last.iter_mut().find(|(known, ..)| *known == id) {
                Some(known) => *known = (id, state, step.exchange.id),
                None => last.push((id, state, step.exchange.id)),
            }
        }
    }
    // A task that we cancelled ourselves would perhaps have completed.
    last.retain(|(_, state, _)| *state != Some(TaskState::Canceled));
    let Some((.., exchange)) = last.first() else {
        return Err(t.stopped.clone().unwrap_or_else(|| match t.no_task() {
            why if why.message == MESSAGE_INSTEAD => Verdict::not_applicable(MESSAGE_INSTEAD),
            why => why,
        }));
    };
    if last.iter().all(|(_, state, _)| state.is_none()) {
        return Err(Verdict::blocked("the states of the tasks are not ones that this version defines"));
    }
    let name = |state: TaskState| t.lane.as_ref().map_or("", |lane| lane.dialect.state_name(state));
    let mut ends: Vec<(TaskState, usize)> = Vec::new();
    for state in last.iter().filter_map(|(_, state, _)| *state) {
        match ends.iter_mut().find(|(known, _)| *known == state) {
            Some((_, number)) => *number += 1,
            None => ends.push((state, 1)),
        }
    }
    let ends: Vec<_> = ends.into_iter().map(|(state, number)| format!("{number} {}", name(state))).collect();
    let actual = format!("{}, last seen as {}", count_of(last.len(), "task"), ends.join(", "));
    Ok(Verdict::fail(*exchange, "a task that completes", actual))
}
