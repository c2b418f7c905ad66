//! A task of some seconds, followed by polling: readable while it works, at an end in the end, no state behind that, and `blocking:
//! false` in older versions.

use std::cell::Cell;

use futures_util::future::join;

use super::non_blocking;
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::{ListQuery, Outgoing};
use crate::a2a::model::{Payload, Task};
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Transcript, Verdict, task_of};
use crate::engine::requirement;
use crate::engine::transcript::CUT_SHORT;
use crate::suite::messaging::makes_tasks;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "poll",
    title: "Follow a task by polling",
    messages: 2,
    rounds: 4,
    after: &["send"],
    judged_after: &[non_blocking::WITNESS],
    needs_task_at_work: true,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "send.non-blocking",
        title: "blocking false returns before the work is done",
        why: "A client that must not block relies on an early response.",
        fix: "When configuration.blocking is false, respond as soon as the task exists and continue in the background.",
        requirements: &["send.v03.non-blocking"],
        judge: non_blocking::judge,
        ..Check::tripped_by(&["blocking-false-ignored"])
    },
    Check {
        id: "get.while-working",
        title: "A task can be read while it is working",
        why: "A client that received an id at once must be able to use it at once.",
        fix: "Store the task before sending the response that contains its id.",
        requirements: &["send.return-immediately", "get.v01.polling"],
        judge: readable,
        ..Check::tripped_by(&["working-unreadable"])
    },
    Check {
        id: "poll.ends",
        title: "A polled task reaches a terminal state",
        why: "A client that polls waits for the task to end.",
        fix: "Bring every task to a terminal state, if only to failed.",
        requirements: &["get.v01.polling"],
        judge: ends,
        ..Check::tripped_by(&["task-never-ends"])
    },
    Check {
        id: "task.no-way-back",
        title: "No state follows a terminal state",
        why: "A client that saw a task finish has already acted on it.",
        fix: "Never change the state of a terminal task.",
        requirements: &["task.terminal-immutable"],
        judge: no_way_back,
        ..Check::tripped_by(&["terminal-reopens"])
    },
];

/// How often to look for a task at work in lists that leave it out, and the pause between two looks, in milliseconds.
const LISTS: usize = 3;
const LIST_PAUSE_MS: f64 = 100.0;

async fn drive(d: &Driver) {
    if let Some(Err(why)) = d.earlier("send").map(|transcript| makes_tasks(transcript)) {
        return d.stop(why);
    }
    let Some(message) = d.prompt(Behaviour::LongRunning) else { return };
    let sent = d.send("send", &Outgoing { return_immediately: Some(true), ..message }).await;
    let Some(task) = task_of(&sent.reply) else { return };
    let Some(id) = task.id.clone() else { return };
    let is_settled = Cell::new(task.is_over());
    let polled = async {
        let settled = d.poll_until_settled("poll", &id).await;
        if let Some(last) = d.last("poll").filter(|_| settled.as_ref().is_some_and(Task::is_over)) {
            d.note_polled(&sent, &last);
        }
        is_settled.set(true);
        settled
    };
    let (settled, ()) = join(polled, list_meanwhile(d, &id, task.context_id.clone(), &is_settled)).await;
    if settled.is_some_and(|task| task.is_over()) && d.has_check("task.no-way-back") {
        // Something that might wake it up again; it must not.
        let text = d.facts().prompts.text(Behaviour::LongRunning).unwrap_or_default();
        d.send("message", &Outgoing { task_id: Some(id.clone()), ..d.outgoing(text) }).await;
        d.get("poll", &id, None).await;
    }
}

/// Lists the tasks of a context while one of them is at work: once, unless it is left out.
async fn list_meanwhile(d: &Driver, id: &str, context_id: Option<String>, is_settled: &Cell<bool>) {
    let is_judged =
        requirement::find("list.includes-created").is_some_and(|known| known.holds_for(d.dialect().version, None));
    if !is_judged {
        return;
    }
    let query = ListQuery { context_id, ..ListQuery::default() };
    for _ in 0..LISTS {
        if is_settled.get() {
            break;
        }
        let list = d.call("list", d.list_tasks(&query)).await;
        let ReplyKind::Result(Payload::Tasks(list)) = &list.reply.kind else { break };
        if list.tasks.iter().any(|task| task.id.as_deref() == Some(id)) {
            break;
        }
        d.pause(LIST_PAUSE_MS).await;
    }
}

fn readable(t: &Transcript) -> Judged {
    let (sent, task) = t.task("send")?;
    match t.every("poll").next().filter(|_| !task.is_over()) {
        Some(step) => match &step.reply.kind {
            ReplyKind::Result(_) => {
                t.lasts(sent, Behaviour::LongRunning)?;
                Ok(step.pass())
            }
            // That an id was returned and is not known is wrong whenever it is asked for.
            other => {
                t.answered("poll")?;
                Ok(step.fail("the task that the send just returned", other.describe()).seen_in(sent.exchange.id))
            }
        },
        None if task.is_over() => {
            t.lasts(sent, Behaviour::LongRunning)?;
            Err(sent.inconclusive("the task finished at once, which is allowed"))
        }
        None => Err(Verdict::inconclusive("the task was not read")),
    }
}

fn ends(t: &Transcript) -> Judged {
    t.task("send")?;
    let (step, task) = t.task("poll")?;
    let Some(state) = task.state else {
        return Err(step.blocked("the task's state is not one that this version defines"));
    };
    let settled = state.is_terminal() || state.is_interrupted();
    if !settled && t.step(CUT_SHORT).is_ok() {
        let why = "the task was not watched until the time ran out, as another one did not change for so long";
        return Err(step.inconclusive(why));
    }
    let actual = format!("{} when the time ran out", task.state_text.as_deref().unwrap_or("in no known state"));
    step.claim(settled, "a terminal state", actual, task.place_of_state())
}

pub(super) fn no_way_back(t: &Transcript) -> Judged {
    t.task("send")?;
    let mut over: Option<(u32, String)> = None;
    let mut seen = 0;
    for step in t.every("poll") {
        let Some(task) = task_of(&step.reply) else { continue };
        let text = task.state_text.clone().unwrap_or_default();
        if let Some((earlier, before)) = over.as_ref().filter(|(_, before)| *before != text) {
            let expected = format!("{before}, as seen before");
            return Ok(step.fail(expected, text).at(task.place_of_state()).seen_in(*earlier));
        }
        if task.is_over() {
            seen += 1;
            over.get_or_insert((step.exchange.id, text));
        }
    }
    if seen < 2 {
        return Err(Verdict::inconclusive("the task was not read after it finished"));
    }
    Ok(Verdict::pass_with("read again after it had finished"))
}
