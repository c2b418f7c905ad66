//! Judges of the scenario `send` about the task read back: whether it is the same, with the same ids, twice, and without history
//! for length 0.

use std::rc::Rc;

use crate::a2a::binding::ReplyKind;
use crate::a2a::model::{ErrorName, Payload, Task};
use crate::a2a::rule::Rule;
use crate::engine::prelude::{Judged, Step, Transcript, Verdict, count_of};
use crate::suite::noted_failure::broken;
use crate::suite::task_differences::first_difference;
use crate::wire::json::Value;

/// The first reading after the send.
fn read_back(t: &Transcript) -> Result<(&Rc<Step>, &Task), Verdict> {
    t.task("send")?;
    t.task("get")
}

pub(super) fn latest_state(t: &Transcript) -> Judged {
    let (sent, announced) = t.task("send")?;
    let (got, read) = read_back(t)?;
    if !announced.is_over() {
        return Err(Verdict::inconclusive("the task was not finished in the response, so it may have changed since"));
    }
    let count = |task: &Task| task.artifacts.as_ref().map_or(0, Vec::len);
    let shown = |task: &Task| {
        format!("{} with {}", task.state_text.as_deref().unwrap_or("?"), count_of(count(task), "artifact"))
    };
    let is_latest = announced.state == read.state && count(announced) >= count(read);
    let expected = format!("{}, as GetTask shows it", shown(read));
    let verdict = sent.claim(is_latest, &expected, shown(announced), &announced.at)?;
    Ok(verdict.seen_in(got.exchange.id))
}

pub(super) fn returns_task(t: &Transcript) -> Judged {
    let (_, announced) = t.task("send")?;
    if announced.id.is_none() {
        return Err(Verdict::blocked("the task has no id to read it by"));
    }
    let step = t.answered("get")?;
    if let Some(place) = step.reply.notes.broken(Rule::BareTask) {
        return Ok(broken(step, place));
    }
    match &step.reply.kind {
        ReplyKind::Result(_) => Ok(step.pass()),
        // T-ERR-11: TaskNotFoundError covers finished tasks that are not kept; keeping them is advice of another check.
        ReplyKind::Error(error) if error.is(ErrorName::TaskNotFound) && announced.is_over() => {
            Err(step.inconclusive("the agent does not keep finished tasks, which is allowed"))
        }
        other => Ok(step.fail("the bare Task", other.describe())),
    }
}

pub(super) fn consistent_ids(t: &Transcript) -> Judged {
    let (sent, announced) = t.task("send")?;
    let (got, read) = read_back(t)?;
    for (name, before, after) in
        [("id", &announced.id, &read.id), ("contextId", &announced.context_id, &read.context_id)]
    {
        if before.is_some() && before != after {
            let before = before.as_deref().unwrap_or_default();
            let expected = format!("{name} {before}, as in the response to the send");
            let verdict = got.fail(expected, after.as_deref().unwrap_or("none")).at(read.at.key(name));
            return Ok(verdict.seen_in(sent.exchange.id));
        }
    }
    Ok(sent.pass().seen_in(got.exchange.id))
}

pub(super) fn idempotent(t: &Transcript) -> Judged {
    let (_, first) = t.task(if t.every("poll").next().is_some() { "poll" } else { "get" })?;
    let (again, second) = t.task("again")?;
    if !first.is_over() {
        return Err(Verdict::inconclusive("the task did not finish, so it may still change"));
    }
    // Members that the protocol defines must agree; metadata is the agent's own.
    let defined = |task: &Task| {
        let members = ["status", "artifacts", "history"].into_iter();
        members.filter_map(|name| Some((name.to_owned(), task.raw.get(name)?.clone()))).collect::<Value>()
    };
    match first_difference(&defined(first), &defined(second)) {
        None => Ok(again.pass()),
        Some(change) => {
            let place = format!("{}{}", second.at, change.pointer);
            let actual = format!("{} differs from the previous response", change.pointer);
            Ok(again.fail("the same finished task both times", actual).at(place))
        }
    }
}

pub(super) fn after_completion(t: &Transcript) -> Judged {
    let (_, announced) = t.task("send")?;
    if !announced.is_over() {
        return Err(Verdict::inconclusive("the task did not finish"));
    }
    if announced.id.is_none() {
        return Err(Verdict::blocked("the task has no id to read it by"));
    }
    let step = t.answered("again")?;
    match &step.reply.kind {
        ReplyKind::Result(Payload::Task(_)) => Ok(step.pass()),
        other => Ok(step.fail("the finished task", other.describe())),
    }
}

pub(super) fn history_zero(t: &Transcript) -> Judged {
    t.task("send")?;
    let (step, task) = t.task("without-history")?;
    // 1.0 §3.2.4: the member should be left out; an empty array is tolerated.
    match &task.history {
        Some(history) if !history.is_empty() => {
            Ok(step.fail("no history", count_of(history.len(), "message")).at(task.at.key("history")))
        }
        _ if t.task("again").is_ok_and(|(_, task)| task.history.as_ref().is_none_or(Vec::is_empty)) => {
            Err(Verdict::inconclusive("the agent returns no history for this task anyway"))
        }
        _ => Ok(step.pass()),
    }
}
