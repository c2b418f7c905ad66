//! How the tasks of a run ended, over everything that a lane recorded: that one completes, and that none which was over changes.

use std::rc::Rc;

use crate::a2a::binding::ReplyKind;
use crate::a2a::model::{Operation, Payload, Task, TaskState};
use crate::engine::prelude::{Check, Judged, Scenario, Step, Transcript, Verdict, count_of, task_of};
use crate::engine::transcript::MESSAGE_INSTEAD;
use crate::engine::transcript::shown_tasks::ShownTask;
use crate::wire::order;
use crate::wire::place_index::PlaceIndex;

pub(super) static SCENARIO: Scenario =
    Scenario::of_traffic("outcomes", "Look at how the tasks of this run ended", CHECKS);

const CHECKS: &[Check] = &[
    Check {
        id: "task.completes",
        title: "At least one task completes",
        why: "A run in which no task ever completes says little about what the agent can do for anyone.",
        fix: "Find out why the tasks do not complete (a missing model key, an exception in the handler). If the agent \
              needs a certain request, name it as an example of a skill, or run the check with the prompt \"complete\".",
        judge: completes,
        ..Check::tripped_by(&["tasks-all-fail", "tasks-never-complete"])
    },
    Check {
        id: "task.one-end",
        title: "A task that was shown as finished stays as it was",
        why: "A client that saw a task finish has already acted on it.",
        fix: "Build every response about a task from the stored task, and return a terminal state only when it is stored.",
        requirements: &["task.terminal-immutable"],
        judge: one_end,
        ..Check::tripped_by(&["send-says-completed", "get-rewrites-canceled", "list-rewrites-canceled"])
    },
];

/// T-TASK-2: an agent may end a task in any state, so this is advice, and no more than advice.
fn completes(t: &Transcript) -> Judged {
    let mut last: Vec<(&str, Option<TaskState>, u32)> = Vec::new();
    for step in &t.steps {
        for ShownTask { id, state, .. } in step.shown_tasks() {
            if state == Some(TaskState::Completed) {
                return Ok(step.pass());
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
        return Err(t.stopped_or(|| match t.no_task() {
            why if why.message == MESSAGE_INSTEAD => Verdict::not_applicable(MESSAGE_INSTEAD),
            why => why,
        }));
    };
    if last.iter().all(|(_, state, _)| state.is_none()) {
        return Err(Verdict::blocked("the states of the tasks are not ones that this version defines"));
    }
    // A task under way when the last answer came may have completed unseen.
    let is_under_way = |state: &TaskState| !state.is_terminal() && !state.is_interrupted();
    if let Some(why) = t.cut_short()
        && last.iter().any(|(_, state, _)| state.as_ref().is_some_and(is_under_way))
    {
        return Err(why);
    }
    if last.iter().all(|(_, state, _)| state.is_some_and(TaskState::is_interrupted)) {
        let why = "every task of this run waits for an answer; to run this check, use a prompt \"complete\" that needs none, or a \
                   prompt \"done\" that answers the question of \"input-required\"";
        return Err(Verdict::inconclusive(why).seen_in(*exchange));
    }
    let mut ends: Vec<(TaskState, usize)> = Vec::new();
    for state in last.iter().filter_map(|(_, state, _)| *state) {
        match ends.iter_mut().find(|(known, _)| *known == state) {
            Some((_, number)) => *number += 1,
            None => ends.push((state, 1)),
        }
    }
    let ends: Vec<_> = ends.into_iter().map(|(state, number)| format!("{number} {}", t.state_name(state))).collect();
    let actual = format!("{}, last seen as {}", count_of(last.len(), "task"), ends.join(", "));
    Ok(Verdict::fail(*exchange, "a task that completes", actual))
}

/// Every task that a send, a get or a list shows, with its step, in the order in which they were told.
fn shown_tasks(t: &Transcript) -> Vec<(&Rc<Step>, &Task)> {
    let mut shown_tasks: Vec<_> = t
        .steps
        .iter()
        .flat_map(|step| {
            let listed = match &step.reply.kind {
                ReplyKind::Result(Payload::Tasks(list)) => list.tasks.as_slice(),
                _ => &[],
            };
            task_of(&step.reply).into_iter().chain(listed).map(move |task| (step, task))
        })
        .collect();
    order::sort_by(&mut shown_tasks, |(one, _), (other, _)| one.exchange.end_ms.total_cmp(&other.exchange.end_ms));
    shown_tasks
}

/// For each of these the place of the next one in another step that shows the same task. Lists may be long.
fn next_places(shown_tasks: &[(&Rc<Step>, &Task)]) -> Vec<Option<usize>> {
    let mut next: Vec<Option<usize>> = vec![None; shown_tasks.len()];
    // The last place of each task so far.
    let (mut ends, mut places): (Vec<usize>, PlaceIndex) = Default::default();
    for (place, (step, task)) in shown_tasks.iter().enumerate() {
        let Some(id) = task.id.as_deref() else { continue };
        let at = |place: usize| shown_tasks.get(place);
        match places.find(&[id]).and_then(|known| ends.get_mut(known)) {
            None => {
                places.insert(&[id], ends.len());
                ends.push(place);
            }
            Some(last) if at(*last).is_some_and(|(before, _)| Rc::ptr_eq(before, step)) => {}
            Some(last) => {
                if let Some(link) = next.get_mut(*last) {
                    *link = Some(place);
                }
                *last = place;
            }
        }
    }
    next
}

/// Whether what a later answer shows may be compared with what an earlier one showed. A list may lag behind, so lists are
/// compared with each other alone, and only by how the task ended.
fn comparable(before: &Step, after: &Step, now: TaskState) -> bool {
    match (before.sent.operation, after.sent.operation) {
        // The result of a blocking send, and a message that should be rejected, have checks that read the task right afterwards.
        (Some(Operation::SendMessage), Some(Operation::GetTask)) => {
            let (sent_in, read_in) = (before.exchange.scenario.as_str(), after.exchange.scenario.as_str());
            read_in != "failed" && (sent_in, read_in) != ("send", "send")
        }
        (Some(Operation::GetTask), Some(Operation::GetTask)) => true,
        (Some(Operation::ListTasks), Some(Operation::ListTasks)) => now.is_terminal(),
        _ => false,
    }
}

/// Whether one message of this lane created the task: we do not see what others do to theirs, and another check reports an id that
/// several messages were given.
fn is_ours(t: &Transcript, id: &str) -> bool {
    let made = |step: &&Rc<Step>| step.sent.begins_task() && step.shows_task(id);
    t.steps.iter().filter(made).count() == 1
}

/// Whether a request of ours came in between that should have been refused: what it does to the task is judged where it is sent.
fn was_touched(t: &Transcript, id: &str, end: TaskState, before: &Step, after: &Step) -> bool {
    t.steps.iter().any(|step| {
        let touches = match step.sent.operation {
            Some(Operation::CancelTask) if end != TaskState::Canceled => {
                step.sent.params.as_ref().and_then(|params| params.get("id")?.as_str()) == Some(id)
            }
            _ => step.sent.addressed_task() == Some(id),
        };
        touches && step.exchange.end_ms >= before.exchange.end_ms && step.exchange.sent_ms <= after.exchange.sent_ms
    })
}

fn one_end(t: &Transcript) -> Judged {
    let shown_tasks = shown_tasks(t);
    let next = next_places(&shown_tasks);
    let mut compared = None;
    let mut met_by_chance = None;
    for (place, (before, ended)) in shown_tasks.iter().enumerate() {
        let (Some(id), Some(end)) = (ended.id.as_deref(), ended.state.filter(|state| state.is_terminal())) else {
            continue;
        };
        let follow = |place: usize| next.get(place).copied().flatten();
        let later = std::iter::successors(follow(place), |place| follow(*place));
        for (after, task) in later.filter_map(|place| shown_tasks.get(place)) {
            let Some(now) = task.state else { continue };
            if after.exchange.sent_ms < before.exchange.end_ms || !comparable(before, after, now) {
                continue;
            }
            if now == end {
                compared = Some(*after);
            } else if is_ours(t, id) && !was_touched(t, id, end, before, after) {
                let state = ended.state_text.as_deref().unwrap_or_default();
                let expected = format!("{state}, as {} showed before", t.request_name(before));
                let actual = task.state_text.clone().unwrap_or_default();
                let found = after.fail(expected, actual).at(task.place_of_state()).seen_in(before.exchange.id);
                if !t.raced_with_cancel(id) {
                    return Ok(found);
                }
                met_by_chance.get_or_insert(found);
            }
        }
    }
    match (compared, met_by_chance) {
        (Some(step), None) => Ok(step.pass()),
        (Some(step), Some(found)) => Ok(step.pass_with(found.as_met_once())),
        (None, _) => Err(t.stopped_or(|| Verdict::inconclusive("no finished task was read twice"))),
    }
}
