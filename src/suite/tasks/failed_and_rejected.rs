//! Tasks that fail or are rejected: they stay as they ended, are listed, and refuse cancels, subscriptions and, where failed,
//! messages. Only agents of which it is known how to bring that about are asked for it. The rejected task is one that the scenario
//! of ids asked for.

use std::rc::Rc;

use futures_util::future::join;
use futures_util::lock::Mutex;

use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::dialect::write::{ListQuery, Outgoing};
use crate::a2a::model::{ErrorName, StreamEvent, TaskState};
use crate::engine::prelude::{
    Behaviour, Check, Driver, Judged, Scenario, Step, StreamControl, Transcript, Verdict, count_of, task_of,
};
use crate::engine::verdict::Outcome;
use crate::suite::completed_refusal::refused_when_completed;
use crate::suite::messaging::{OWN_CONTEXT, REJECTED_MESSAGE};
use crate::suite::streaming::{declared, streamed_task};
use crate::wire::exchange::End;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "failed",
    title: "Let a task fail, and one be rejected",
    messages: 2,
    rounds: 8,
    after: &["ids"],
    judged_after: &["finished", "stream"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "task.failed-stays",
        title: "A failed or rejected task stays as it ended",
        why: "A client that reads a failed task later must learn that it failed.",
        fix: "Store the state in which a task ended, and return it from every later read.",
        requirements: &["task.terminal-immutable"],
        judge: |t| each(t, stays),
        ..Check::tripped_by(&["failed-shown-completed"])
    },
    Check {
        id: "cancel.failed-refused",
        title: "Cancelling a failed or rejected task is refused",
        why: "Failed and rejected are terminal states: there is nothing left to cancel.",
        fix: "Refuse to cancel a task in any terminal state: completed, failed, canceled or rejected.",
        requirements: &["cancel.terminal"],
        judge: |t| {
            refused_when_completed(t, "cancel", "cancelling")?;
            each(t, |t, steps| t.refused_somehow(steps.cancel, "cancelling a task that did not succeed"))
        },
        ..Check::tripped_by(&["failed-not-terminal"])
    },
    Check {
        id: "send.failed-refused",
        title: "A message to a failed task is refused",
        why: "Failed is a terminal state: the task is a record, and continuing it changes what others have read.",
        fix: "Refuse messages to a task in any terminal state: completed, failed, canceled or rejected.",
        requirements: &["send.terminal-task", "send.v03.terminal-task"],
        judge: |t| {
            t.ran_to_its_end()?;
            over(t, &FAILED)?;
            refused_when_completed(t, "message", "a message to")?;
            t.refused_somehow(FAILED_MESSAGE, "a message to a failed task")
        },
        ..Check::tripped_by(&["failed-accepts-message"])
    },
    Check {
        id: "list.failed-included",
        title: "Failed and rejected tasks are listed",
        why: "A user who looks for a task that went wrong must find it.",
        fix: "List tasks in every state unless status is given.",
        requirements: &["list.includes-created"],
        judge: |t| each(t, listed),
        ..Check::tripped_by(&["list-hides-failed"])
    },
    Check {
        id: "subscribe.failed-refused",
        title: "Subscribing to a failed or rejected task is refused",
        why: "The task is over, and a stream of it would never end.",
        fix: "Refuse to subscribe to a task in any terminal state.",
        requirements: &["subscribe.terminal"],
        judge: |t| {
            declared(&t.facts)?;
            refused_when_completed(t, "subscribe", "subscribing to")?;
            each(t, |t, steps| t.refused_somehow(steps.subscribe, "subscribing to a task that did not succeed"))
        },
        ..Check::tripped_by(&["failed-not-terminal"])
    },
    Check {
        id: "stream.failed-closes",
        title: "The stream closes when the task fails",
        why: "A client whose task failed must not wait for more.",
        fix: "End the response when the task reaches any terminal state, also when the handler threw an exception.",
        requirements: &["stream.closes-on-terminal"],
        judge: closes,
        ..Check::tripped_by(&["stream-failed-stays-open"])
    },
];

/// The names of the steps with one of the two tasks.
struct TaskSteps {
    behaviour: Behaviour,
    settled: &'static str,
    cancel: &'static str,
    list: &'static str,
    subscribe: &'static str,
    again: &'static str,
}

pub(super) const FAILED_MESSAGE: &str = "failed-message";

/// The step that reads the task that was rejected for the last time.
pub(super) const REJECTED_READ: &str = "rejected-again";

const FAILED: TaskSteps = TaskSteps {
    behaviour: Behaviour::Fail,
    settled: "failed-settled",
    cancel: "failed-cancel",
    list: "failed-list",
    subscribe: "failed-subscribe",
    again: "failed-again",
};

const REJECTED: TaskSteps = TaskSteps {
    behaviour: Behaviour::Reject,
    settled: "rejected-settled",
    cancel: "rejected-cancel",
    list: "rejected-list",
    subscribe: "rejected-subscribe",
    again: REJECTED_READ,
};

struct EndedTask {
    id: String,
    context_id: Option<String>,
    state: TaskState,
}

/// The failure that an answer tells of: a task, or a stream to its end.
fn failure_in(step: &Step) -> Option<EndedTask> {
    let is_failure = |state: &TaskState| matches!(state, TaskState::Failed | TaskState::Rejected);
    if let Some(task) = task_of(&step.reply) {
        let state = task.state.filter(is_failure)?;
        return Some(EndedTask { id: task.id.clone()?, context_id: task.context_id.clone(), state });
    }
    let ReplyKind::Stream(items) = &step.reply.kind else { return None };
    let mut shown = items.iter().filter_map(|item| match &item.kind {
        StreamItemKind::Event(StreamEvent::Task(task)) => Some((task.state, &task.context_id)),
        StreamItemKind::Event(StreamEvent::Status(update)) => Some((update.state, &update.context_id)),
        _ => None,
    });
    let (first_state, context_id) = shown.next()?;
    let state = shown.next_back().map_or(first_state, |(state, _)| state);
    Some(EndedTask { id: streamed_task(step)?, context_id: context_id.clone(), state: state.filter(is_failure)? })
}

/// The step in which the scenario of ids asked for a task to be rejected.
fn rejected_in(ids: &Transcript) -> Option<&Rc<Step>> {
    ids.every(REJECTED_MESSAGE).chain(ids.every(OWN_CONTEXT)).next()
}

async fn drive(d: &Driver) {
    let prompt = |behaviour| d.facts().prompts.text(behaviour);
    if prompt(Behaviour::Fail).is_none() && prompt(Behaviour::Reject).is_none() {
        // The same requirements are judged on a task that completed, so nothing stays open for lack of a prompt.
        return d.stop(Verdict::not_applicable(
            "no prompt is known that makes a task fail or be rejected; to run this check, set the prompt \"fail\" or \
             \"reject\"",
        ));
    }
    let failed = asked_to_fail(d).await;
    let rejected = d.earlier("ids").filter(|_| prompt(Behaviour::Reject).is_some()).and_then(|ids| rejected_in(ids));
    // Both at once, but for their subscriptions: a browser has few connections.
    let subscriptions = Mutex::new(());
    let (failed, rejected) =
        (try_all(d, &FAILED, failed, &subscriptions), try_all(d, &REJECTED, rejected.cloned(), &subscriptions));
    join(failed, rejected).await;
}

async fn asked_to_fail(d: &Driver) -> Option<Rc<Step>> {
    let message = d.outgoing(d.facts().prompts.text(Behaviour::Fail)?);
    Some(match d.facts().declares(|card| card.streaming) {
        true => d.open("failed", &message, |_| StreamControl::Continue).await,
        false => d.send("failed", &message).await,
    })
}

/// Tries with one of the tasks everything that a task that is over must refuse.
async fn try_all(d: &Driver, steps: &'static TaskSteps, asked: Option<Rc<Step>>, subscriptions: &Mutex<()>) {
    let Some(asked) = asked else { return };
    let Some(id) = streamed_task(&asked) else { return };
    let mut ended = failure_in(&asked);
    if ended.is_none() && d.poll_until_settled(steps.settled, &id).await.is_some() {
        ended = d.last(steps.settled).and_then(|step| failure_in(&step));
    }
    let Some(task) = ended else { return };
    let mut reads = Vec::new();
    if d.facts().declares(|card| card.streaming) && d.has_check("subscribe.failed-refused") {
        // One event is proof enough that it was not refused.
        reads.push(d.subscribe(steps.subscribe, &id, |_| StreamControl::HangUp));
    }
    let context_id = task.context_id;
    if context_id.is_some() && d.has_check("list.failed-included") {
        let query = ListQuery { context_id: context_id.clone(), ..ListQuery::default() };
        reads.push(d.call(steps.list, d.list_tasks(&query)));
    }
    let subscribing = subscriptions.lock().await;
    d.together(reads).await;
    drop(subscribing);
    d.cancel(steps.cancel, &id).await;
    d.get(steps.again, &id, None).await;
    // At the end: an agent that accepts it changes the task.
    if steps.behaviour == Behaviour::Fail && d.has_check("send.failed-refused") {
        let text = d.facts().prompts.text(Behaviour::Fail).unwrap_or_default();
        d.send(FAILED_MESSAGE, &Outgoing { task_id: Some(id), context_id, ..d.outgoing(text) }).await;
    }
}

/// The task as it ended, and the exchange that showed it.
fn over(t: &Transcript, steps: &TaskSteps) -> Result<(EndedTask, u32), Verdict> {
    if t.facts.prompts.text(steps.behaviour).is_none() {
        return Err(Verdict::not_applicable("no prompt is known for this"));
    }
    let asked = match steps.behaviour {
        Behaviour::Reject => rejected_in(t.earlier("ids")?)
            .ok_or_else(|| Verdict::blocked("no message asked for a task to be rejected"))?,
        _ => t.answered("failed")?,
    };
    let shown = [Some(asked), t.every(steps.settled).last()].into_iter().flatten();
    let ended = shown.filter_map(|step| Some((failure_in(step)?, step.exchange.id))).next();
    ended.ok_or_else(|| {
        let name = steps.behaviour.as_str();
        asked.inconclusive(format!("the task did not end as the prompt \"{name}\" should bring about"))
    })
}

/// Judges both tasks: the first finding, or else what was seen of either.
fn each(t: &Transcript, judge: fn(&Transcript, &TaskSteps) -> Judged) -> Judged {
    t.ran_to_its_end()?;
    let one = |steps| over(t, steps).and_then(|_| judge(t, steps));
    match (one(&FAILED), one(&REJECTED)) {
        (Ok(first), Ok(second)) => Ok(if first.expected.is_none() { second } else { first }),
        (Ok(only), Err(_)) | (Err(_), Ok(only)) => Ok(only),
        // That no prompt is known for one of them says less than what came of the other.
        (Err(first), Err(second)) => Err(if first.outcome == Outcome::NotApplicable { second } else { first }),
    }
}

fn stays(t: &Transcript, steps: &TaskSteps) -> Judged {
    let (ended, shown_in) = over(t, steps)?;
    let again = t.answered(steps.again)?;
    if again.reply.kind.is_error(ErrorName::TaskNotFound) {
        // T-ERR-11: gone is not changed.
        return Err(again.inconclusive("the agent does not keep finished tasks"));
    }
    let (step, task) = t.task(steps.again)?;
    let expected = format!("{}, as the task ended", t.state_name(ended.state));
    let actual = task.state_text.clone().unwrap_or_else(|| "no state".to_owned());
    let is_same = task.state == Some(ended.state);
    Ok(step.claim(is_same, &expected, actual, task.place_of_state())?.seen_in(shown_in))
}

fn listed(t: &Transcript, steps: &TaskSteps) -> Judged {
    let (task, _) = over(t, steps)?;
    if task.context_id.is_none() {
        return Err(Verdict::inconclusive("the task has no contextId to filter by"));
    }
    let (step, list) = t.list(steps.list)?;
    let there = list.tasks.iter().any(|listed| listed.id.as_ref() == Some(&task.id));
    let expected = format!("the task {}, which is {}", task.id, t.state_name(task.state));
    step.claim(there, &expected, count_of(list.tasks.len(), "other task"), list.at.key("tasks").as_str())
}

fn closes(t: &Transcript) -> Judged {
    declared(&t.facts)?;
    over(t, &FAILED).map_err(|why| t.stopped_or(|| why))?;
    let (step, _) = t.stream("failed")?;
    if let Some(cut) = step.exchange.end.cut() {
        return Err(step.blocked(cut));
    }
    let general = t.earlier("stream").and_then(|stream| stream.stream("stream").map(|(step, _)| &step.exchange.end));
    if matches!(general, Ok(End::HungUp)) {
        return Err(Verdict::blocked("the stream of another task stays open too"));
    }
    let actual = "a stream still open after the grace period of 5 s";
    step.claim(step.exchange.end == End::Complete, "the end of the stream after the failure", actual, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::binding::StreamItem;
    use crate::a2a::model::{StatusUpdate, Task};
    use crate::engine::transcript::examples::step;

    #[test]
    fn a_stream_tells_of_a_failure_by_a_task_as_by_an_update() {
        let task = |state| {
            let task = Task { id: Some("t".to_owned()), context_id: Some("c".to_owned()), ..Task::default() };
            StreamEvent::Task(Task { state: Some(state), ..task })
        };
        let update = |state| {
            let update = StatusUpdate { task_id: Some("t".to_owned()), ..StatusUpdate::default() };
            StreamEvent::Status(StatusUpdate { state: Some(state), ..update })
        };
        for (events, state) in [
            (vec![task(TaskState::Failed)], Some(TaskState::Failed)),
            (vec![task(TaskState::Working), update(TaskState::Rejected)], Some(TaskState::Rejected)),
            (vec![task(TaskState::Working), update(TaskState::Completed)], None),
            (vec![update(TaskState::Failed), task(TaskState::Working)], None),
        ] {
            let items =
                events.iter().map(|event| StreamItem { at_ms: 0.0, kind: StreamItemKind::Event(event.clone()) });
            let found = failure_in(&step("fail", 1, ReplyKind::Stream(items.collect())));
            assert_eq!(found.map(|ended| ended.state), state, "{events:?}");
        }
    }
}
