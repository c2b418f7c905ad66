//! Whether lists leave out tasks that exist, over every list of a lane, and how many must do so.

use std::rc::Rc;

use super::every_list::{lists, none, sorted};
use crate::a2a::dialect::read_objects::utc_moment;
use crate::a2a::model::{Operation, Task, TaskList, TaskState};
use crate::engine::prelude::{Check, Judged, Scenario, Step, Transcript, task_of};
use crate::engine::verdict::Outcome;
use crate::wire::order;

pub(super) static SCENARIO: Scenario = Scenario::of_traffic("left-out", "Look for tasks that lists leave out", CHECKS);

const CHECKS: &[Check] = &[Check {
    id: "list.complete",
    title: "A list leaves out no task",
    why: "A client that shows what is under way, or what came last, reads it in the list.",
    fix: "List every task that the caller may see, whatever its state, from the moment when it was created.",
    requirements: &["list.includes-created"],
    advisory: Some("a list may lag behind for a moment, and no sentence says for how long"),
    judge,
    ..Check::tripped_by(&["list-hides-running", "list-hides-newest"])
}];

/// How many lists must leave out a task (T-LIST-14).
const SIGHTINGS: usize = 2;

/// What is asked for in a list, as the version's parameters name it.
fn asked<'a>(step: &'a Step, name: &str) -> Option<&'a str> {
    step.sent.params.as_ref()?.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// Whether a list begins with the newest task of all, or of a context, of the user's own.
fn is_first_page(step: &Step) -> bool {
    let narrows = ["pageToken", "status", "statusTimestampAfter"].into_iter().any(|name| asked(step, name).is_some());
    !narrows && step.sent.what.is_none() && !step.sent.is_form_open
}

/// A task that a message of ours made, with what was read of it, in order.
struct Made<'a> {
    id: &'a str,
    context: Option<&'a str>,
    readings: Vec<(&'a Rc<Step>, &'a Task)>,
}

/// The tasks that were made by messages of ours.
fn made(t: &Transcript) -> Vec<Made<'_>> {
    let of = |operation| move |step: &&Rc<Step>| step.sent.operation == Some(operation) && !step.sent.is_form_open;
    let sent = t.steps.iter().filter(of(Operation::SendMessage));
    let mut made: Vec<Made<'_>> = Vec::new();
    for (step, task) in sent.filter_map(|step| Some((step, task_of(&step.reply)?))) {
        let Some(id) = task.id.as_deref().filter(|id| made.iter().all(|known| known.id != *id)) else { continue };
        let read = t.steps.iter().filter(of(Operation::GetTask));
        let read = read.filter_map(|step| Some((step, task_of(&step.reply)?)));
        let of_task = read.filter(|(_, task)| task.id.as_deref() == Some(id));
        let mut readings: Vec<_> = std::iter::once((step, task)).chain(of_task).collect();
        order::sort_by(&mut readings, |(one, _), (other, _)| one.exchange.end_ms.total_cmp(&other.exchange.end_ms));
        made.push(Made { id, context: task.context_id.as_deref(), readings });
    }
    made
}

impl Made<'_> {
    /// When it was over, if all that showed it so agree.
    fn ended(&self) -> Option<(i64, u32)> {
        let over = self.readings.iter().filter(|(_, task)| task.is_over());
        let mut times = over.map(|(_, task)| utc_moment(task.timestamp.as_deref()?));
        let first = times.next()??;
        let others: Vec<_> = times.collect();
        (!others.is_empty() && others.iter().all(|time| *time == Some(first))).then_some(first)
    }

    /// Whether it has its place on this page: the only one, or one that goes on with older tasks where lists are sorted.
    fn belongs(&self, (step, list): (&Step, &TaskList), last: &Task, are_sorted: bool) -> bool {
        let filter = asked(step, "contextId");
        if filter.is_some() && self.context != filter {
            return false;
        }
        if list.next_page_token.as_deref().is_some_and(str::is_empty) {
            return true;
        }
        let oldest = list.tasks.last().and_then(|task| utc_moment(task.timestamp.as_deref()?));
        // One that still changes may have been older.
        are_sorted && last.is_over() && oldest.zip(self.ended()).is_some_and(|(oldest, own)| own > oldest)
    }
}

fn judge(t: &Transcript) -> Judged {
    if lists(t).all(|(_, list)| list.tasks.is_empty()) {
        return Err(none(t, "no task was listed"));
    }
    let made = made(t);
    let are_sorted = sorted(t).is_ok_and(|verdict| verdict.outcome != Outcome::Fail);
    let mut complete = None;
    let mut missing: Vec<(&Rc<Step>, &TaskList, &Rc<Step>, &Task)> = Vec::new();
    for (step, list) in lists(t).filter(|(step, _)| is_first_page(step)) {
        let left_out = made.iter().find_map(|task| {
            let before = task.readings.iter().rev().find(|(read, _)| read.exchange.end_ms <= step.exchange.sent_ms);
            let (read, last) = *before?;
            // Another check judges whether those are listed.
            let is_other = matches!(last.state, Some(TaskState::Failed | TaskState::Rejected));
            if is_other || !task.belongs((step, list), last, are_sorted) {
                return None;
            }
            let has = |list: &TaskList| list.tasks.iter().any(|listed| listed.id.as_deref() == Some(task.id));
            if has(list) {
                complete = Some(step);
                return None;
            }
            // T-ERR-11: it may be gone.
            let is_later = |later: &Step| later.exchange.sent_ms >= step.exchange.end_ms;
            let is_read = task.readings.iter().any(|(later, _)| is_later(later));
            let is_there = is_read || lists(t).any(|(later, list)| is_later(later) && has(list));
            is_there.then_some((step, list, read, last))
        });
        missing.extend(left_out);
    }
    match (missing.as_slice(), complete) {
        ([(step, list, read, task), others @ ..], _) if others.len() + 1 >= SIGHTINGS => {
            let (id, state) = (task.id.as_deref().unwrap_or_default(), task.state_text.as_deref().unwrap_or_default());
            let expected = format!("the task {id}, which was shown before as {state}, and is afterwards");
            let place = list.at.key("tasks");
            let verdict = step.claim(false, &expected, "a list without it", place)?.seen_in(read.exchange.id);
            Ok(others.iter().take(2).fold(verdict, |verdict, (again, ..)| verdict.seen_in(again.exchange.id)))
        }
        (_, Some(step)) => Ok(step.pass()),
        _ => Err(none(t, "no task was listed that had been read before")),
    }
}
