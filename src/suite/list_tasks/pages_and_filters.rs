//! Lists of one context: pages and their sizes, filters by state and time, artifacts and history that are asked for.

use std::rc::Rc;

use futures_util::future::join;

use super::filtered_lists::{filtered, ours, unlisted};
use super::listed_history;
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::ListQuery;
use crate::a2a::model::{Task, TaskList, TaskState};
use crate::a2a::rule::Rule;
use crate::engine::drive::{StepFuture, list_of};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Step, Transcript, Verdict, count_of};
use crate::suite::messaging::finished;
use crate::wire::limits::MOST_PAGES;
use crate::wire::place_index::IdentitySet;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "list-filters",
    title: "List the tasks of one context with every filter",
    rounds: 5,
    after: &["send", "context", "multi-turn"],
    // The first shows whether lists are of one context at all, the second how the agent cuts a history.
    judged_after: &["list", "history"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "list.task-shape",
        title: "Listed tasks are complete",
        why: "Clients treat a listed task like any other, and cannot use one without id or status.",
        fix: "Return complete Task objects in a list, except for their artifacts.",
        judge: shape,
        ..Check::tripped_by(&["list-tasks-bare"])
    },
    Check {
        id: "list.cursor-pagination",
        title: "Pages show every task once",
        why: "If pages overlap or leave gaps, a client sees tasks twice or not at all.",
        fix: "Have nextPageToken continue after the last task of the page, and return \"\" on the last page.",
        judge: pages,
        ..Check::tripped_by(&["list-page-repeats"])
    },
    Check {
        id: "list.page-size-max",
        title: "A page never exceeds pageSize",
        why: "A client that asks for one task per page may have room for one only.",
        fix: "Return at most pageSize tasks.",
        judge: page_size,
        ..Check::tripped_by(&["list-ignores-page-size"])
    },
    Check {
        id: "list.page-size-echo",
        title: "pageSize is the size that was used",
        why: "A client plans its paging by the size that was really used.",
        fix: "Return the pageSize that was applied.",
        judge: size_echo,
        ..Check::tripped_by(&["list-page-size-zero"])
    },
    Check {
        id: "list.default-page-size",
        title: "A page has at most 50 tasks by default",
        why: "Without a default limit, a response grows with the agent's history.",
        fix: "Use a page size of 50 when the request does not set one.",
        judge: default_size,
        ..Check::tripped_by(&["list-default-hundred"])
    },
    Check {
        id: "list.filter-status",
        title: "status filters the list",
        why: "A client that asks for running tasks must not get finished ones.",
        fix: "When status is given, list only tasks in that state.",
        judge: by_state,
        ..Check::tripped_by(&["list-ignores-status", "list-status-internal"])
    },
    Check {
        id: "list.filter-timestamp",
        title: "statusTimestampAfter filters the list",
        why: "Clients poll for what has changed since they last asked.",
        fix: "Omit tasks whose status timestamp is earlier than statusTimestampAfter.",
        requirements: &["list.filter-timestamp", "rest.query-url-decoding"],
        judge: by_time,
        ..Check::tripped_by(&["list-ignores-timestamp", "list-timestamp-unavailable"])
    },
    Check {
        id: "list.filter-timestamp-equal",
        title: "statusTimestampAfter includes a status set at that very moment",
        why: "A client that filters by the newest status it knows would miss another task updated at that same moment.",
        fix: "Keep tasks whose status timestamp is equal to statusTimestampAfter.",
        requirements: &["list.filter-timestamp"],
        advisory: Some("the schema describes the filter both as after and as greater than or equal"),
        judge: |t| {
            timed(t)?;
            // That lists are not filtered by time at all is the finding of the check before.
            t.list("since")?;
            only(t, "since", "the task whose status was set at exactly that time", |_| true)
        },
        ..Check::tripped_by(&["list-timestamp-exclusive"])
    },
    Check {
        id: "list.filter-timestamp-form",
        title: "statusTimestampAfter is compared as a time",
        why: "A client writes a time with as many digits as it knows, and misses tasks where texts are compared.",
        fix: "Parse statusTimestampAfter before comparing it: 05Z is earlier than 05.123Z.",
        requirements: &["list.filter-timestamp"],
        judge: by_second,
        ..Check::tripped_by(&["list-timestamp-text"])
    },
    Check {
        id: "list.filters-combine",
        title: "Filters are combined",
        why: "Filters narrow a list down; one that disables another widens it.",
        fix: "Keep only tasks that match every filter of the request.",
        judge: combine,
        ..Check::tripped_by(&["list-any-filter"])
    },
    Check {
        id: "list.artifacts-included",
        title: "includeArtifacts includes artifacts",
        why: "A client that asks for the results wants to avoid one call per task.",
        fix: "Include the artifacts in listed tasks when includeArtifacts is true.",
        requirements: &["list.artifacts-included", "rest.query-types"],
        judge: artifacts,
        ..Check::tripped_by(&["list-never-artifacts"])
    },
    Check {
        id: "list.history-max",
        title: "historyLength limits the history of listed tasks",
        why: "A list of long conversations makes a large response.",
        fix: "Cut the history of every listed task to its last historyLength messages.",
        judge: listed_history::bounded,
        ..Check::tripped_by(&["list-ignores-history"])
    },
    Check {
        id: "list.history-recent",
        title: "A list keeps the most recent messages of a task's history",
        why: "The latest messages are the ones a client does not have yet.",
        fix: "Cut the history of a listed task to its last historyLength messages, not the first ones.",
        judge: listed_history::newest_kept,
        ..Check::tripped_by(&["list-history-oldest"])
    },
];

async fn drive(d: &Driver) {
    let plain = list(d, "plain", ListQuery::default());
    let task = d.earlier("send").and_then(|transcript| finished(transcript).ok().cloned());
    let Some((task, context)) = task.and_then(|task| Some((task.clone(), task.context_id?))) else {
        plain.await;
        return;
    };
    let of_context = || ListQuery { context_id: Some(context.clone()), ..ListQuery::default() };
    let name = |state| Some(d.dialect().state_name(state).to_owned());
    let full = ListQuery { include_artifacts: Some(true), history_length: Some(1), ..of_context() };
    let mut calls = vec![plain, list(d, "full", full)];
    // A finished conversation of several messages shows whether the history is cut.
    let talk = d.earlier("multi-turn").and_then(|transcript| transcript.task("get").ok());
    if let Some(context_id) = talk.and_then(|(_, task)| task.context_id.clone()) {
        let query = ListQuery { context_id: Some(context_id), history_length: Some(1), ..ListQuery::default() };
        calls.push(list(d, "talk", query));
    }
    calls.push(list(d, "state", ListQuery { status: task.state.and_then(name), ..of_context() }));
    calls.push(list(d, "other-state", ListQuery { status: name(TaskState::AuthRequired), ..of_context() }));
    let never = Some("2999-01-01T00:00:00.000Z".to_owned());
    calls.push(list(d, "future", ListQuery { status_after: never.clone(), ..of_context() }));
    let status = task.state.and_then(name);
    calls.push(list(d, "both", ListQuery { status, status_after: never, ..of_context() }));
    if let Some((_, second)) = set_within_second(&task, d.earlier("context").map(AsRef::as_ref)) {
        calls.push(list(d, "second", ListQuery { status_after: Some(second), ..of_context() }));
    }
    let (since, _) = join(turn_pages(d, &task, &context), d.together(calls)).await;
    if since.is_some() {
        let step = list(d, "since", ListQuery { status_after: since, ..of_context() }).await;
        // The filter is blamed only if a list without it is answered still.
        if step.reply.kind == ReplyKind::Unavailable(503) {
            list(d, "unfiltered", of_context()).await;
        }
    }
}

/// Turns the pages of our context; returns the time by which the list goes, which is the one that it shows.
async fn turn_pages(d: &Driver, task: &Task, context: &str) -> Option<String> {
    let mut token = None;
    let mut since = task.timestamp.clone();
    for _ in 0..MOST_PAGES {
        let context_id = Some(context.to_owned());
        let query = ListQuery { page_size: Some(1), page_token: token.take(), context_id, ..ListQuery::default() };
        let step = list(d, "page", query).await;
        token = next(&step);
        let mut listed = list_of(&step.reply).into_iter().flat_map(|page| &page.tasks);
        if let Some(listed) = listed.find(|listed| listed.id == task.id) {
            since = listed.timestamp.clone();
        }
        if token.is_none() {
            break;
        }
    }
    since
}

pub(super) fn list<'a>(d: &'a Driver, step: &'static str, query: ListQuery) -> StepFuture<'a> {
    d.call(step, d.list_tasks(&query))
}

/// The token of the page behind this one.
pub(in crate::suite) fn next(step: &Step) -> Option<String> {
    list_of(&step.reply)?.next_page_token.clone().filter(|token| !token.is_empty())
}

/// The tasks of our context on all pages, in order.
fn paged(t: &Transcript) -> Result<Vec<(&Rc<Step>, &Task)>, Verdict> {
    ours(t)?;
    t.list("page")?;
    Ok(page_lists(t).flat_map(|(step, list)| list.tasks.iter().map(move |task| (step, task))).collect())
}

/// The pages that were answered, in order.
fn page_lists(t: &Transcript) -> impl Iterator<Item = (&Rc<Step>, &TaskList)> {
    t.every("page").filter_map(|step| Some((step, list_of(&step.reply)?)))
}

/// The same as the pages show it.
fn ours_listed(t: &Transcript) -> Result<&Task, Verdict> {
    let task = ours(t)?;
    paged(t)?.into_iter().find(|(_, listed)| listed.id == task.id).map(|(_, listed)| listed).ok_or_else(unlisted)
}

fn shape(t: &Transcript) -> Judged {
    let (_, list) = t.list("page").or_else(|_| t.list("plain"))?;
    if list.tasks.is_empty() {
        return Err(unlisted());
    }
    let [id, status] = [Rule::TaskId, Rule::TaskStatus].map(|rule| t.rule(rule, unlisted));
    Ok(if id.expected.is_none() && status.expected.is_some() { status } else { id })
}

fn pages(t: &Transcript) -> Judged {
    let tasks = paged(t)?;
    let steps = t.every("page").count();
    let (last, list) = t.list("page")?;
    let Some((_, newest)) = tasks.first() else { return Err(unlisted()) };
    let mut known = IdentitySet::default();
    for (step, task) in &tasks {
        if task.id.as_deref().is_some_and(|id| !known.add(&[id])) {
            let actual = format!("the task {} a second time", task.id.as_deref().unwrap_or_default());
            return step.claim(false, "a task that is not on an earlier page", actual, task.at.key("id"));
        }
    }
    let context = &ours(t)?.context_id;
    // Where a context that does not exist has none, these are of the one that was asked for, whatever their contextId is.
    let is_filtered = || t.earlier("list")?.list("stranger").map(|(_, list)| list.tasks.is_empty());
    if tasks.iter().any(|(_, task)| task.context_id != *context) && is_filtered() != Ok(true) {
        return Err(Verdict::blocked(
            "tasks are listed with another contextId than was asked for: see list.filter-context and list.matches-get",
        ));
    }
    if steps >= MOST_PAGES && next(last).is_some() {
        let expected = "an empty nextPageToken after the last task";
        let actual = format!("{} without an end", count_of(steps, "page"));
        return last.claim(false, expected, actual, list.at.key("nextPageToken"));
    }
    let second = t.earlier("context").ok().and_then(|transcript| transcript.task("second").ok()).map(|(_, task)| task);
    let known = second.is_some_and(|task| task.id != newest.id && task.context_id == *context);
    if known && tasks.len() < 2 {
        let actual = "a single task on all pages";
        return last.claim(false, "both tasks of the context", actual, list.at.key("nextPageToken"));
    }
    if tasks.len() < 2 {
        return Err(Verdict::inconclusive("there were not enough tasks for two pages"));
    }
    Ok(last.pass())
}

/// Every page of one: that of all tasks, asked for early, and those of our context, which has two tasks by now.
fn page_size(t: &Transcript) -> Judged {
    let earlier = t.earlier("list")?.list("page");
    let mut limited = None;
    for (step, list) in earlier.iter().copied().chain(page_lists(t)) {
        match list.tasks.len() {
            1 if next(step).is_some() => limited = Some(step),
            0 | 1 => {}
            more => {
                return Ok(step.fail("at most 1 task", count_of(more, "task")).at(list.at.key("tasks")));
            }
        }
        if list.total_size.is_some_and(|total| total > 1) {
            limited = Some(step);
        }
    }
    if let Some(step) = limited {
        return Ok(step.pass());
    }
    let (step, _) = earlier?;
    Err(step.inconclusive("there were not enough tasks for two pages"))
}

fn size_echo(t: &Transcript) -> Judged {
    let (step, list) = t.list("page")?;
    let Some(size) = list.page_size else { return Err(Verdict::blocked("the list has no pageSize")) };
    match list.tasks.len() {
        0 => return Err(unlisted()),
        1 => {}
        _ => return Err(Verdict::blocked("the page was not limited to one task")),
    }
    // T-LIST-3: the limit, or the number of tasks; of a page of one both are one.
    step.claim(size == 1, "1", size.to_string(), list.at.key("pageSize"))
}

fn default_size(t: &Transcript) -> Judged {
    let (step, list) = t.list("plain")?;
    let (count, size) = (list.tasks.len(), list.page_size.unwrap_or_default());
    if count > 50 || size > 50 {
        let actual = format!("{} and pageSize {size}", count_of(count, "task"));
        return step.claim(false, "at most 50 tasks", actual, &list.at);
    }
    if list.total_size.is_some_and(|total| total > 50) || size > 0 {
        return Ok(step.pass());
    }
    Err(Verdict::inconclusive("the agent does not have more than 50 tasks"))
}

/// Judges that every task of a list fits, and that the one we made is among them.
fn only(t: &Transcript, name: &str, what: &str, fits: impl Fn(&Task) -> bool) -> Judged {
    let task = ours_listed(t)?;
    let (step, list) = filtered(t, name)?;
    if let Some(stray) = list.tasks.iter().find(|task| !fits(task)) {
        let actual = format!("a task in state {}", stray.state_text.as_deref().unwrap_or("(none)"));
        return step.claim(false, what, actual, &stray.at);
    }
    let there = list.tasks.iter().any(|listed| listed.id == task.id);
    let expected = format!("the task {} among them", task.id.as_deref().unwrap_or_default());
    step.claim(there, &expected, count_of(list.tasks.len(), "other task"), list.at.key("tasks"))
}

/// Judges that nothing passes a filter.
fn nothing(t: &Transcript, name: &str, what: &str) -> Judged {
    let (step, list) = filtered(t, name)?;
    step.claim(list.tasks.is_empty(), what, count_of(list.tasks.len(), "task"), list.at.key("tasks"))
}

fn by_state(t: &Transcript) -> Judged {
    let task = ours(t)?;
    let listed = ours_listed(t)?;
    if listed.state.is_some() && listed.state != task.state {
        return Err(Verdict::inconclusive("the task is no longer in the same state"));
    }
    let verdict = only(t, "state", "only tasks in the state asked for", |listed| {
        // Another check reports a task without a state.
        listed.state.is_none() || listed.state == task.state
    })?;
    if verdict.expected.is_some() {
        return Ok(verdict);
    }
    nothing(t, "other-state", "no task, since none requires authorisation")
}

fn timed(t: &Transcript) -> Result<(), Verdict> {
    match ours(t)?.timestamp {
        Some(_) => Ok(()),
        None => Err(Verdict::inconclusive("the task's status has no timestamp")),
    }
}

fn by_time(t: &Transcript) -> Judged {
    timed(t)?;
    // That the moment itself is asked for shows whether it is read at all.
    filtered(t, "since")?;
    nothing(t, "future", "no task, since no status is from the year 2999")
}

/// The second in which a task's status was set, if it was set after the second began: an earlier time.
fn whole_second(task: &Task) -> Option<String> {
    let (second, fraction) = task.timestamp.as_deref()?.strip_suffix('Z')?.split_once('.')?;
    fraction.bytes().any(|digit| digit != b'0').then(|| format!("{second}Z"))
}

/// A task of our context whose status was set within a second, with that second. One time in a thousand is that of a whole second, and two
/// tasks hardly ever have such a time both.
fn set_within_second<'t>(task: &'t Task, context: Option<&'t Transcript>) -> Option<(&'t Task, String)> {
    let other = context.and_then(|transcript| transcript.task("second").ok()).map(|(_, other)| other);
    let is_settled = |other: &&Task| other.context_id == task.context_id && other.is_over();
    let tasks = [Some(task), other.filter(is_settled)];
    tasks.into_iter().flatten().find_map(|task| Some((task, whole_second(task)?)))
}

fn by_second(t: &Transcript) -> Judged {
    ours_listed(t)?;
    if by_time(t)?.expected.is_some() {
        return Err(Verdict::blocked("times do not filter in another form either: see list.filter-timestamp"));
    }
    let context = t.earlier("context").ok().map(AsRef::as_ref);
    let Some((task, _)) = set_within_second(ours(t)?, context).filter(|_| t.every("second").next().is_some()) else {
        return Err(Verdict::inconclusive("the tasks' status was set at a whole second, as far as it says"));
    };
    let (step, found) = filtered(t, "second")?;
    let is_there = found.tasks.iter().any(|listed| listed.id == task.id);
    let expected = format!("the task whose status is of {}", task.timestamp.as_deref().unwrap_or_default());
    step.claim(is_there, &expected, format!("{} without it", count_of(found.tasks.len(), "task")), "")
}

fn combine(t: &Transcript) -> Judged {
    ours(t)?;
    // Another check reports a filter that breaks the list by itself.
    t.list("state")?;
    if !t.list("future")?.1.tasks.is_empty() {
        return Err(Verdict::blocked("statusTimestampAfter does not filter on its own either"));
    }
    nothing(t, "both", "no task: the state matches, the time does not")
}

fn artifacts(t: &Transcript) -> Judged {
    let task = ours(t)?;
    if task.artifacts.as_ref().is_none_or(Vec::is_empty) {
        return Err(Verdict::inconclusive("the task has no artifacts"));
    }
    let (step, list) = t.list("full")?;
    let Some(listed) = list.tasks.iter().find(|listed| listed.id == task.id) else { return Err(unlisted()) };
    let there = listed.artifacts.as_ref().is_some_and(|artifacts| !artifacts.is_empty());
    step.claim(there, "the task's artifacts", "none", listed.at.key("artifacts"))
}
