//! A list that changes between two of its pages: whether the second goes on behind the first.

use std::rc::Rc;

use super::pages_and_filters::{list, next};
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::{ListQuery, Outgoing};
use crate::a2a::model::{Payload, Task};
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Step, Transcript, Verdict, task_of};
use crate::engine::transcript::MESSAGE_INSTEAD;
use crate::suite::messaging::finished;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "list-moving",
    title: "Create a task between two pages of a list",
    messages: 1,
    rounds: 3,
    // Its task is one of those of which the other turns the pages.
    after: &["send", "context", "list-filters"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[Check {
    id: "list.cursor-stable",
    title: "A page continues after the last task, also when a task was created meanwhile",
    why: "With positions instead of a cursor, every new task makes clients see one task twice.",
    fix: "Let nextPageToken name the last task of the page (its timestamp and id), not its position in the list.",
    requirements: &["list.cursor-pagination"],
    judge: stable,
    ..Check::tripped_by(&["list-by-offset"])
}];

async fn drive(d: &Driver) {
    let before = d.earlier("send").and_then(|transcript| finished(transcript).ok());
    let Some(context) = before.and_then(|task| task.context_id.clone()) else { return };
    let page = |page_token| ListQuery {
        context_id: Some(context.clone()),
        page_size: Some(1),
        page_token,
        ..ListQuery::default()
    };
    let first = list(d, "first", page(None)).await;
    let Some(token) = next(&first) else { return };
    let Some(message) = d.prompt(Behaviour::Complete) else { return };
    let message = Outgoing { context_id: Some(context.clone()), ..message };
    let sent = d.send("send", &message).await;
    if task_of(&sent.reply).is_some() {
        list(d, "second", page(Some(token))).await;
    }
}

/// The tasks of a page.
fn tasks<'a>(t: &'a Transcript, name: &str) -> Result<(&'a Rc<Step>, &'a [Task]), Verdict> {
    t.list(name).map(|(step, list)| (step, list.tasks.as_slice()))
}

fn stable(t: &Transcript) -> Judged {
    finished(t.earlier("send")?)?;
    let (first, [shown]) = tasks(t, "first")? else {
        return Err(Verdict::inconclusive("the first page does not contain exactly one task"));
    };
    if t.every("send").next().is_none() {
        return Err(first.inconclusive("there were not enough tasks for two pages"));
    }
    // T-LIST-12: a task that still changes may move to the front by right.
    if !shown.is_over() {
        return Err(first.inconclusive("the task on the first page was still running"));
    }
    match &t.answered("send")?.reply.kind {
        ReplyKind::Result(Payload::Sent { task: Some(made), .. }) if made.id != shown.id => {}
        ReplyKind::Result(_) => return Err(Verdict::inconclusive(MESSAGE_INSTEAD)),
        other => return Err(Verdict::blocked(format!("the message was answered with {}", other.describe()))),
    }
    let (second, tasks) = tasks(t, "second")?;
    match tasks.iter().find(|task| task.id.is_some() && task.id == shown.id) {
        Some(task) => {
            let actual = format!("the task {} a second time", task.id.as_deref().unwrap_or_default());
            let expected = "the tasks behind the one on the first page";
            let verdict = second.claim(false, expected, actual, task.at.key("id"))?;
            Ok(verdict.seen_in(first.exchange.id))
        }
        None => Ok(second.pass()),
    }
}
