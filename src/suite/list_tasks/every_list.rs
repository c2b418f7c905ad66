//! Every list of tasks on a lane, whatever its query: order, `totalSize`, and whether it agrees with what a get shows.

use std::rc::Rc;

use crate::a2a::binding::{ReplyKind, StreamItem};
use crate::a2a::dialect::read_objects::utc_moment;
use crate::a2a::model::{Operation, Payload, StreamEvent, Task, TaskList};
use crate::engine::drive::list_of;
use crate::engine::prelude::{Check, Judged, Scenario, Step, Transcript, Verdict, task_of};
use crate::wire::place_index::{IdentitySet, PlaceIndex};

pub(super) static SCENARIO: Scenario = Scenario::of_traffic("every-list", "Look at every list of tasks", CHECKS);

const CHECKS: &[Check] = &[
    Check {
        id: "list.sorted",
        title: "Tasks are sorted newest first",
        why: "Clients show the newest first and stop reading when they have enough.",
        fix: "Sort by the status timestamp, newest first, with and without filters.",
        judge: sorted,
        ..Check::tripped_by(&["list-oldest-first", "list-all-unsorted"])
    },
    Check {
        id: "list.total-size",
        title: "totalSize counts every match",
        why: "The number of tasks on one page is not the total.",
        fix: "Count every task that matches the filters, whichever page is requested.",
        judge: total,
        ..Check::tripped_by(&["list-total-of-page", "list-total-short"])
    },
    Check {
        id: "list.total-of-matches",
        title: "totalSize counts nothing but the matches",
        why: "A client that shows one conversation announces tasks that no page has.",
        fix: "Count the tasks after the filters were applied, and before they are divided into pages.",
        requirements: &["list.total-size"],
        advisory: Some(
            "the schema counts the tasks that are available before pagination, and does not mention filters",
        ),
        judge: total_of_matches,
        ..Check::tripped_by(&["list-total-of-all", "list-total-grows"])
    },
    Check {
        id: "list.matches-get",
        title: "Listed tasks have the state and the contextId that a get shows",
        why: "A client that reads the list must see the same as one that reads the task.",
        fix: "Build listed tasks from the same stored values as the response to GetTask.",
        judge: matches_get,
        ..Check::tripped_by(&["list-stale-state", "list-other-context"])
    },
];

/// Every list that was answered, in order.
pub(super) fn lists(t: &Transcript) -> impl Iterator<Item = (&Rc<Step>, &TaskList)> {
    t.steps.iter().filter_map(|step| Some((step, list_of(&step.reply)?)))
}

/// The pages of one context, in order, that a scenario turned.
fn pages(t: &Transcript) -> Vec<(&Rc<Step>, &TaskList)> {
    lists(t).filter(|(step, _)| step.name == "page" && step.exchange.scenario == "list-filters").collect()
}

pub(super) fn none(t: &Transcript, why: &str) -> Verdict {
    t.stopped.clone().unwrap_or_else(|| Verdict::inconclusive(why))
}

/// A listed task with a time that can be compared.
type DatedTask<'a> = (&'a Rc<Step>, &'a Task, (i64, u32));

/// The first task that is newer than the one before it.
fn out_of_order(tasks: &[DatedTask<'_>]) -> Option<Verdict> {
    tasks.windows(2).find_map(|pair| {
        let [(_, _, before), (step, task, after)] = pair else { return None };
        let actual = format!("{} after an older one", task.timestamp.as_deref().unwrap_or_default());
        let place = task.at.key("status").key("timestamp");
        (after > before).then(|| step.fail("the newest status first", actual).at(place))
    })
}

/// Ties are free, and a task without a time stands anywhere (T-LIST-5). All times are UTC with Z, or not compared.
fn dated<'a>(step: &'a Rc<Step>, list: &'a TaskList) -> impl Iterator<Item = DatedTask<'a>> {
    list.tasks.iter().filter_map(move |task| Some((step, task, utc_moment(task.timestamp.as_deref()?)?)))
}

pub(super) fn sorted(t: &Transcript) -> Judged {
    let mut seen = None;
    // T-LIST-11: while a list is made, tasks that still run may change: only those that are over have a place of which one can be sure.
    let is_over = |(_, task, _): &DatedTask<'_>| task.is_over();
    let of_context: Vec<_> = pages(t).into_iter().flat_map(|(step, list)| dated(step, list).filter(is_over)).collect();
    let each = lists(t).map(|(step, list)| dated(step, list).filter(is_over).collect::<Vec<_>>());
    for tasks in std::iter::once(of_context).chain(each) {
        if let Some(finding) = out_of_order(&tasks) {
            return Ok(finding);
        }
        if tasks.windows(2).any(|pair| matches!(pair, [(.., before), (.., after)] if before != after)) {
            seen = tasks.last().map(|(step, ..)| *step);
        }
    }
    seen.map(|step| step.pass()).ok_or_else(|| none(t, "there were no two tasks with different times"))
}

fn total(t: &Transcript) -> Judged {
    for (step, list) in lists(t) {
        let shown = i64::try_from(list.tasks.len()).unwrap_or(i64::MAX);
        if let Some(total) = list.total_size.filter(|total| *total < shown) {
            let expected = format!("at least {shown}, the number of tasks on the page");
            return step.claim(false, &expected, total.to_string(), list.at.key("totalSize"));
        }
    }
    let pages = pages(t);
    let Some((step, list)) = pages.last() else { return Err(none(t, "the tasks of a context were not listed")) };
    let Some(total) = list.total_size else { return Err(Verdict::blocked("the list has no totalSize")) };
    let mut ids: Vec<_> = pages.iter().flat_map(|(_, list)| list.tasks.iter().map(|task| task.id.as_deref())).collect();
    ids.dedup();
    if ids.len() < 2 {
        return Err(none(t, "there were not enough tasks to count"));
    }
    // Other scenarios may add a task to the context while we count: never fewer than we saw.
    let seen = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let expected = format!("at least {seen}, the number of tasks on all pages");
    step.claim(total >= seen, &expected, total.to_string(), list.at.key("totalSize"))
}

/// The tasks of one context that are all on one page: its first page, behind which there is none.
fn whole_list(step: &Step, list: &TaskList) -> bool {
    let text = |name: &str| step.sent.params.as_ref()?.get(name)?.as_str().filter(|text| !text.is_empty());
    let context = text("contextId");
    let of_context = |task: &Task| task.context_id.as_deref() == context;
    let is_last = list.next_page_token.as_deref().is_some_and(str::is_empty);
    context.is_some() && text("pageToken").is_none() && is_last && list.tasks.iter().all(of_context)
}

/// How many tasks a context of ours may have by the end of the run: those that any answer showed, and one for each message
/// whose answer showed none.
fn most_tasks(t: &Transcript, context: &str) -> usize {
    let (mut ids, mut known) = (IdentitySet::default(), 0);
    let mut others = 0;
    for step in &t.steps {
        let shown: Vec<(Option<&str>, Option<&str>)> = match &step.reply.kind {
            ReplyKind::Stream(items) => items.iter().filter_map(of_event).collect(),
            ReplyKind::Result(Payload::Tasks(list)) => list.tasks.iter().map(of_task).collect(),
            _ => task_of(&step.reply).map(of_task).into_iter().collect(),
        };
        let mut shows_one = false;
        for (id, own) in shown {
            if let Some(id) = id.filter(|_| own == Some(context)) {
                shows_one = true;
                known += usize::from(ids.add(&[id]));
            }
        }
        let message = step.sent.params.as_ref().and_then(|params| params.get("message")?.get("contextId")?.as_str());
        others += usize::from(message == Some(context) && !shows_one);
    }
    known + others
}

/// The id of a task, and its context.
fn of_task(task: &Task) -> (Option<&str>, Option<&str>) {
    (task.id.as_deref(), task.context_id.as_deref())
}

/// The same of what an event is about.
fn of_event(item: &StreamItem) -> Option<(Option<&str>, Option<&str>)> {
    let event = item.kind.event().filter(|event| !matches!(event, StreamEvent::Artifact(_)))?;
    Some((event.task_id(), event.context_id()))
}

/// The page of a list by context whose total no reading of `totalSize` explains but that it counts more than the matches: the first
/// page has a smaller one, and the context never had as many tasks.
fn grown(t: &Transcript) -> Option<(&Rc<Step>, &TaskList, usize, i64)> {
    let pages = pages(t);
    let (first, list) = pages.first()?;
    let context = first.sent.params.as_ref()?.get("contextId")?.as_str()?;
    let is_ours = |list: &TaskList| list.tasks.iter().all(|task| task.context_id.as_deref() == Some(context));
    if !pages.iter().all(|(_, list)| is_ours(list)) {
        return None;
    }
    let most = most_tasks(t, context);
    let is_too_large = |total: i64| usize::try_from(total).is_ok_and(|total| total > most);
    let begun = list.total_size.filter(|total| !is_too_large(*total))?;
    pages.into_iter().find_map(|(step, list)| {
        Some((step, list, most, list.total_size.filter(|total| *total > begun && is_too_large(*total))?))
    })
}

/// Nobody else adds tasks to a context of ours. One list may be counted while we add one, so two have to show it.
fn total_of_matches(t: &Transcript) -> Judged {
    if let Some((step, list, most, total)) = grown(t) {
        let expected = format!("at most {most}, the number of tasks that the context has");
        return step.claim(false, &expected, total.to_string(), list.at.key("totalSize"));
    }
    let (mut fits, mut too_large) = (None, Vec::new());
    for (step, list) in lists(t).filter(|(step, list)| whole_list(step, list)) {
        let shown = i64::try_from(list.tasks.len()).unwrap_or(i64::MAX);
        match list.total_size {
            Some(total) if total > shown => too_large.push((step, list, shown, total)),
            Some(_) => fits = Some(step),
            None => {}
        }
    }
    match (too_large.as_slice(), fits) {
        ([(step, list, shown, total), (again, ..), ..], _) => {
            let expected = format!("{shown}, the number of tasks on the only page of the context");
            let verdict = step.claim(false, &expected, total.to_string(), list.at.key("totalSize"))?;
            Ok(verdict.seen_in(again.exchange.id))
        }
        ([], Some(step)) => Ok(step.pass()),
        _ => Err(none(t, "the tasks of a context were not listed on one page")),
    }
}

/// A task that was over when it was read last is listed so ever after. A list may lag behind for a moment: what counts is the
/// last one that has the task.
fn matches_get(t: &Transcript) -> Judged {
    let mut listed: Vec<(&Rc<Step>, &Task)> = Vec::new();
    let mut places = PlaceIndex::default();
    for (step, list) in lists(t) {
        for task in list.tasks.iter().filter(|task| task.state.is_some()) {
            let Some(id) = task.id.as_deref() else { continue };
            let place = places.find(&[id]);
            match place.and_then(|place| listed.get_mut(place)) {
                // Scenarios run side by side: the numbers of the exchanges tell what came first.
                Some(known) if known.0.exchange.id > step.exchange.id => {}
                Some(known) => *known = (step, task),
                None => {
                    places.insert(&[id], listed.len());
                    listed.push((step, task));
                }
            }
        }
    }
    let mut compared = None;
    for (step, task) in listed {
        let readings = t.steps.iter().filter(|got| {
            got.sent.operation == Some(Operation::GetTask)
                && got.exchange.id < step.exchange.id
                && got.exchange.end_ms <= step.exchange.sent_ms
        });
        let read = readings.filter_map(|got| Some((got, task_of(&got.reply)?)));
        let last = read.filter(|(_, read)| read.id == task.id).max_by_key(|(got, _)| got.exchange.id);
        let Some((got, read)) = last.filter(|(_, read)| read.is_over()) else {
            if last.is_none()
                && let Some(verdict) = moved(t, step, task)
            {
                return Ok(verdict);
            }
            continue;
        };
        compared = Some(step);
        let id = task.id.as_deref().unwrap_or_default();
        if read.state != task.state && !t.raced_with_cancel(id) {
            let expected =
                format!("{}, as GetTask showed before", read.state_text.as_deref().unwrap_or("the same state"));
            let actual = task.state_text.clone().unwrap_or_default();
            return Ok(step.fail(expected, actual).at(task.place_of_state()).seen_in(got.exchange.id));
        }
        // Where GetTask does not agree with the send, that is `get.consistent-ids`' finding.
        if read.context_id != task.context_id
            && announced(t, task).next().is_some_and(|(_, sent)| sent.context_id == read.context_id)
        {
            let expected = format!("{}, as GetTask showed before", context_of(read));
            return Ok(step.fail(expected, context_of(task)).at(task.at.key("contextId")).seen_in(got.exchange.id));
        }
    }
    compared.map(|step| step.pass()).ok_or_else(|| none(t, "no task was listed that had been read before"))
}

/// The context of a task, in words.
fn context_of(task: &Task) -> String {
    task.context_id.as_deref().map_or("no contextId".to_owned(), |id| format!("contextId {id}"))
}

/// The finding that a task which was not read before is listed with another contextId than all responses to its messages had.
fn moved(t: &Transcript, step: &Step, task: &Task) -> Option<Verdict> {
    let mut shown = announced(t, task);
    let (first, made) = shown.next()?;
    let context = made.context_id.as_deref().filter(|_| made.context_id != task.context_id)?;
    if shown.any(|(_, other)| other.context_id != made.context_id) {
        return None;
    }
    let expected = format!("contextId {context}, as the response to its message showed");
    let verdict = step.fail(expected, context_of(task)).at(task.at.key("contextId"));
    Some(verdict.seen_in(first.exchange.id))
}

/// A task as the responses to its messages showed it.
fn announced<'a>(t: &'a Transcript, task: &Task) -> impl Iterator<Item = (&'a Rc<Step>, &'a Task)> {
    let sent = t.steps.iter().filter(|step| step.sent.operation == Some(Operation::SendMessage));
    sent.filter_map(|step| Some((step, task_of(&step.reply)?))).filter(|(_, shown)| shown.id == task.id)
}
