//! The judge of returnImmediately: lists tasks while the answer is awaited, how often and when.
//!
//! How long the answer took proves nothing: the machine may be busy, and an agent may think before it creates the task, or
//! finish it at once (T-TASK-3). What proves that it waited is what it said meanwhile: a task that was there and not over in
//! several answers, each asked for after the one before it, and that came back finished.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::future::{Either, select};

use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::ListQuery;
use crate::a2a::model::{Payload, Task};
use crate::engine::prelude::{Behaviour, Driver, Judged, Step, Transcript, task_of};

/// The step of a list that was asked for while the answer was awaited.
pub(super) const WHILE_UNANSWERED: &str = "meanwhile";
/// How often to look at most.
const LOOKS: usize = 10;
/// The pause before the first look, in milliseconds; each one after it is longer by this factor.
const PAUSE_MS: f64 = 50.0;
const PAUSE_FACTOR: f64 = 1.5;
/// How many answers must show the task before its end. One may overtake the answer to the message in an agent that is busy;
/// three that were asked for one after the other do not.
const SIGHTINGS: usize = 3;

/// Holds a conversation, and lists tasks until the message with which it begins is answered, which the conversation notes.
pub(super) async fn watched(d: &Driver, is_answered: &Cell<bool>, conversation: impl Future<Output = ()>) {
    if !d.has_check("send.return-immediately") || d.takes_one_at_a_time() {
        return conversation.await;
    }
    let is_looking = Cell::new(false);
    let looks = async {
        let mut pause_ms = PAUSE_MS;
        for _ in 0..LOOKS {
            d.pause(pause_ms).await;
            if is_answered.get() {
                break;
            }
            let _hurry = d.hurry();
            pause_ms *= PAUSE_FACTOR;
            is_looking.set(true);
            let list = d.call(WHILE_UNANSWERED, d.list_tasks(&ListQuery::default())).await;
            is_looking.set(false);
            if listed(&list).is_none() {
                break;
            }
        }
    };
    match select(Box::pin(conversation), Box::pin(looks)).await {
        // A request that is under way is read to its end.
        Either::Left(((), looks)) if is_looking.get() => looks.await,
        Either::Left(_) => {}
        Either::Right(((), conversation)) => conversation.await,
    }
}

fn listed(step: &Step) -> Option<&[Task]> {
    match &step.reply.kind {
        ReplyKind::Result(Payload::Tasks(list)) => Some(&list.tasks),
        _ => None,
    }
}

/// The state in which a list shows a task that is not over.
fn open_state<'a>(step: &'a Step, task: &Task) -> Option<&'a str> {
    let known = listed(step)?.iter().find(|known| known.id.is_some() && known.id == task.id)?;
    known.state.filter(|state| !state.is_terminal()).and(known.state_text.as_deref())
}

/// The lists in which the task of a message was at work, with its state there.
fn sightings<'a>(looks: impl Iterator<Item = &'a Rc<Step>>, task: &Task) -> Vec<(&'a Rc<Step>, &'a str)> {
    looks.filter_map(|look| Some((look, open_state(look, task)?))).collect()
}

/// Whether there were too few lists to tell if the agent waited, and our own requests may be the reason.
pub(super) fn is_undecided(d: &Driver) -> bool {
    let (Some(sent), mut looks) = (d.last("send"), d.every(WHILE_UNANSWERED)) else { return false };
    // While the message waited in line there was nothing to see.
    looks.retain(|look| look.exchange.sent_ms >= sent.exchange.sent_ms);
    let Some(task) = task_of(&sent.reply).filter(|task| task.is_over()) else { return false };
    let can_be_seen = d.has_check("send.return-immediately") && looks.iter().all(|look| listed(look).is_some());
    let seen = sightings(looks.iter(), task).len();
    let is_open = seen < SIGHTINGS && (seen > 0 || looks.len() < SIGHTINGS);
    can_be_seen && is_open && d.was_delayed_by_other_requests(&sent, &sent)
}

pub(super) fn judge(t: &Transcript) -> Judged {
    let (step, task) = t.task("send")?;
    t.lasts(step, Behaviour::Cancel)?;
    if !task.is_over() {
        return Ok(step.pass());
    }
    let sightings = sightings(t.every(WHILE_UNANSWERED), task);
    match sightings.last() {
        Some((_, state)) if sightings.len() >= SIGHTINGS => {
            let actual = format!("a finished task, after {} lists had shown it as {state}", sightings.len());
            let verdict = step.fail("an answer as soon as the task was created", actual).at(task.at.as_str());
            Ok(sightings.iter().fold(verdict, |verdict, (look, _)| verdict.seen_in(look.exchange.id)))
        }
        _ if t.every(WHILE_UNANSWERED).next().is_none() => {
            Err(step.inconclusive("the task finished at once, which is allowed"))
        }
        _ => Err(step.inconclusive(
            "the task had finished in the answer, and fewer than three lists showed it at work before: it may have finished \
             at once; to run this check, use a prompt \"cancel\" that works for some seconds",
        )),
    }
}
