//! A task that still runs, cancelled twice: the returned task, its state, and a second cancel; and whether returnImmediately
//! returned before the work was done.

use std::cell::Cell;

use super::return_immediately;
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{ErrorName, Payload, Task, TaskState};
use crate::a2a::rule::Rule;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Step, Transcript, Verdict, task_of};
use crate::engine::verdict::Outcome;
use crate::suite::messaging::makes_tasks;
use crate::suite::noted_failure::broken;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "cancel",
    title: "Cancel a task that is still running",
    messages: 1,
    attempts: 3,
    rounds: 5,
    after: &["send"],
    judged_after: &["params"],
    needs_task_at_work: true,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "send.return-immediately",
        title: "returnImmediately returns before the work is done",
        why: "A client that must not block relies on an early response.",
        fix: "When configuration.returnImmediately is true, respond as soon as the task exists and continue in the \
              background.",
        judge: return_immediately::judge,
        ..Check::tripped_by(&["return-immediately-ignored"])
    },
    Check {
        id: "cancel.returns-task",
        title: "A cancel returns the updated task",
        why: "The client shows the state that the cancel led to.",
        fix: "Cancel the task and return it, updated, bare, with the same id and the same context. If it cannot be cancelled, \
              return TaskNotCancelableError (-32002), and no general error.",
        judge: returns_task,
        ..Check::tripped_by(&["cancel-answers-null", "cancel-missing", "cancel-other-context"])
    },
    Check {
        id: "cancel.state",
        title: "A successful cancel ends in the canceled state",
        why: "\"Canceled\" promises that no more work is done or charged for.",
        fix: "Stop the work, and set the canceled state before responding or soon after.",
        judge: state,
        ..Check::tripped_by(&["cancel-ignored"])
    },
    Check {
        id: "cancel.matches-get",
        title: "A cancel returns the state that the task is in",
        why: "A client that is told \"completed\" looks for a result that the cancelled task does not have.",
        fix: "Build the response to CancelTask from the stored task, after the cancel was applied to it. If the task had already \
              finished, leave it as it is and return TaskNotCancelableError (-32002).",
        requirements: &["cancel.returns-task"],
        judge: matches_get,
        ..Check::tripped_by(&["cancel-says-completed"])
    },
    Check {
        id: "cancel.idempotent",
        title: "A second cancel does no harm",
        why: "Clients cancel again when they are not sure that the first cancel arrived.",
        fix: "Return the canceled task, TaskNotCancelableError or TaskNotFoundError for a second cancel.",
        judge: twice,
        ..Check::tripped_by(&["cancel-twice-internal"])
    },
];

async fn drive(d: &Driver) {
    if let Some(Err(why)) = d.earlier("send").map(|transcript| makes_tasks(transcript)) {
        return d.stop(why);
    }
    let Some(message) = d.prompt(Behaviour::Cancel) else { return };
    let mut outcome = attempt(d, &message).await;
    for made in 1..SCENARIO.attempts {
        let is_over = match outcome {
            CancelOutcome::InTime => true,
            // Alone an agent that thinks for long takes as long.
            CancelOutcome::HeldUp => made > 1,
            CancelOutcome::TooLate => false,
        };
        if is_over || !d.may_try_again(&message.text) {
            break;
        }
        let steps = ["send", "cancel", "get", "again", "after", return_immediately::WHILE_UNANSWERED];
        let _alone = d.without_other_requests(&steps).await;
        outcome = attempt(d, &d.outgoing(message.text.clone())).await;
    }
    if d.last("send").as_ref().and_then(|sent| task_of(&sent.reply)).is_some_and(Task::is_over) {
        d.stop(Verdict::inconclusive(FINISHED_FIRST));
    }
}

/// What is said where there was nothing left to cancel.
const FINISHED_FIRST: &str = "the task finished before it could be cancelled; to run this check, use a prompt \"cancel\" that works for some seconds";

/// What is said where nobody can tell which came first, the cancel or the end of its task.
const MAY_MEET_END: &str = "the cancel was answered so late that the end of the task may have come first; to run this check, use a prompt \"cancel\" that works for some seconds";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CancelOutcome {
    /// The request came in time, or the agent answers only when there is nothing left to cancel.
    InTime,
    /// The message was answered late, and our other requests may have been the reason.
    HeldUp,
    /// The task was over before.
    TooLate,
}

/// Makes a task and cancels it.
async fn attempt(d: &Driver, message: &Outgoing) -> CancelOutcome {
    let is_answered = Cell::new(false);
    let outcome = Cell::new(CancelOutcome::InTime);
    let conversation = async {
        let sent = d.send("send", &Outgoing { return_immediately: Some(true), ..message.clone() }).await;
        is_answered.set(true);
        outcome.set(cancel(d, &sent).await);
    };
    return_immediately::watched(d, &is_answered, conversation).await;
    if return_immediately::is_undecided(d) { CancelOutcome::HeldUp } else { outcome.get() }
}

/// Cancels the task that was just created, twice, and reads it.
async fn cancel(d: &Driver, sent: &Step) -> CancelOutcome {
    let state = |step: &Step| task_of(&step.reply).and_then(|task| task.state);
    let Some(id) = task_of(&sent.reply).and_then(|task| task.id.clone()) else { return CancelOutcome::InTime };
    if state(sent).is_some_and(TaskState::is_terminal) {
        return CancelOutcome::InTime;
    }
    let cancelled = d.cancel("cancel", &id).await;
    let seen = d.get("get", &id, None).await;
    let ended_otherwise = ended_otherwise(state(&seen));
    if ended_otherwise && matches!(cancelled.reply.kind, ReplyKind::Error(_)) {
        return CancelOutcome::TooLate;
    }
    d.cancel("again", &id).await;
    // T-TASK-6: the work may need a moment to stop.
    let mut pause = 100.0;
    for _ in 0..5 {
        let seen = d.get("after", &id, None).await;
        if state(&seen).is_none_or(TaskState::is_terminal) {
            break;
        }
        d.pause(pause).await;
        pause *= 2.0;
    }
    if ended_otherwise { CancelOutcome::TooLate } else { CancelOutcome::InTime }
}

fn ended_otherwise(state: Option<TaskState>) -> bool {
    state.is_some_and(|state| state.is_terminal() && state != TaskState::Canceled)
}

/// The cancel of a task that was running.
fn cancelled(t: &Transcript) -> Result<&std::rc::Rc<Step>, Verdict> {
    let (sent, _) = t.task("send")?;
    let step = t.answered_at_work("cancel", sent, Behaviour::Cancel)?;
    let is_over = t.task("get").is_ok_and(|(_, task)| ended_otherwise(task.state));
    if let ReplyKind::Error(error) = &step.reply.kind
        && (error.is(ErrorName::TaskNotCancelable) || error.is(ErrorName::UnsupportedOperation) || is_over)
        && t.missing(step).is_none()
    {
        // 1.0 §3.1.5: not every task can be cancelled at every stage.
        let allowed = "the agent reports that this task cannot be cancelled, which is allowed";
        return Err(step.inconclusive(if is_over { FINISHED_FIRST } else { allowed }));
    }
    Ok(step)
}

fn returns_task(t: &Transcript) -> Judged {
    let step = cancelled(t)?;
    let (_, announced) = t.task("send")?;
    if let Some(place) = step.reply.notes.broken(Rule::BareTask) {
        return Ok(broken(step, place));
    }
    match &step.reply.kind {
        ReplyKind::Result(Payload::Task(task)) if task.id == announced.id => {
            // Where GetTask does not agree with the send, that is `get.consistent-ids`' finding.
            let kept = t.task("get").ok().filter(|(_, read)| read.context_id == announced.context_id);
            match (kept, &announced.context_id, &task.context_id) {
                (Some((got, _)), Some(wanted), Some(came)) if wanted != came => {
                    let name = t.lane.as_ref().map_or("contextId", |lane| lane.dialect.forms.context);
                    let expected = format!("{name} {wanted}, as GetTask shows it");
                    let place = task.at.key(name);
                    Ok(step.fail(expected, came.as_str()).at(place.as_str()).seen_in(got.exchange.id))
                }
                _ => Ok(step.pass()),
            }
        }
        ReplyKind::Result(Payload::Task(task)) => {
            let expected = format!("the task {}", announced.id.as_deref().unwrap_or_default());
            let actual = format!("the task {}", task.id.as_deref().unwrap_or("without an id"));
            Ok(step.fail(expected, actual).at(task.at.key("id").as_str()))
        }
        other => Ok(step.fail("the cancelled task", other.describe()).lacking(t.missing(step))),
    }
}

fn state(t: &Transcript) -> Judged {
    let step = cancelled(t)?;
    if !matches!(step.reply.kind, ReplyKind::Result(_)) {
        return Err(Verdict::blocked(format!("the cancel was answered with {}", step.reply.kind.describe())));
    }
    let (last, task) = t.task("after").or_else(|_| t.task("get"))?;
    match task.state {
        Some(TaskState::Canceled) => Ok(last.pass()),
        Some(state) if state.is_terminal() => {
            Ok(last.pass_with("the task finished in another way before the cancel took effect"))
        }
        None => Err(last.blocked("the task's state is not one that this version defines")),
        Some(_) => {
            let actual =
                format!("{} after the grace period", task.state_text.as_deref().unwrap_or("in no known state"));
            let verdict = last.fail("the canceled state", actual).at(task.place_of_state());
            Ok(verdict.seen_in(step.exchange.id))
        }
    }
}

pub(super) fn matches_get(t: &Transcript) -> Judged {
    match (cancelled(t), t.answered("cancel")) {
        (Ok(step), _) => {
            let judged = answers_with_stored_state(t, step);
            let is_late = step.addressed_task().is_some_and(|id| t.may_meet_end(step, id));
            let fails = judged.as_ref().is_ok_and(|verdict| verdict.outcome == Outcome::Fail);
            if fails && is_late { Err(Verdict::inconclusive(MAY_MEET_END).met_by_chance(judged)) } else { judged }
        }
        // It is chance whether a cancel meets the end of a task that is over soon; what it does then is told all the same.
        (Err(why), Ok(step)) => Err(why.met_by_chance(answers_with_stored_state(t, step))),
        (Err(why), Err(_)) => Err(why),
    }
}

/// A terminal state is the last one, so it is the one that later readings show. T-TASK-6: a task may still be working for a
/// moment, whatever the cancel said; another check judges that it ends at all.
fn answers_with_stored_state(t: &Transcript, step: &Step) -> Judged {
    let ReplyKind::Result(Payload::Task(answer)) = &step.reply.kind else {
        return Err(Verdict::blocked(format!("the cancel was answered with {}", step.reply.kind.describe())));
    };
    let Some(said) = answer.state else {
        return Err(step.blocked("the task's state is not one that this version defines"));
    };
    let readings = t.every("get").chain(t.every("after"));
    let mut ends = readings.filter_map(|got| Some((got, task_of(&got.reply)?)));
    if !said.is_terminal() {
        let why = "the cancel returned before the task had ended";
        // Another check judges whether a cancel changes anything.
        if !ends.any(|(_, read)| read.state == Some(TaskState::Canceled)) {
            return Ok(step.pass_with(why));
        }
        let expected = "the state that the cancel led to, which may come soon after";
        let actual = format!("{}: {why}", answer.state_text.as_deref().unwrap_or_default());
        return Ok(step.fail(expected, actual).at(answer.place_of_state()).as_note());
    }
    let Some((got, read)) = ends.find(|(_, read)| read.is_over()) else {
        return Err(step.blocked("the task was not seen to end after the cancel"));
    };
    let expected = format!("{}, as the next read shows", read.state_text.as_deref().unwrap_or_default());
    let how = match (said, read.state) {
        (TaskState::Canceled, _) => ": the cancel never took place, or was undone",
        (_, Some(TaskState::Canceled)) => {
            ": a task that had finished was changed, or the answer shows another state than the stored one"
        }
        _ => "",
    };
    let actual = format!("{}{how}", answer.state_text.as_deref().unwrap_or_default());
    let verdict = step.claim(read.state == Some(said), &expected, actual, answer.place_of_state())?;
    Ok(verdict.seen_in(got.exchange.id))
}

fn twice(t: &Transcript) -> Judged {
    let first = cancelled(t)?;
    if !matches!(first.reply.kind, ReplyKind::Result(_)) {
        return Err(Verdict::blocked("the first cancel did not succeed"));
    }
    let step = t.answered("again")?;
    let fits = match &step.reply.kind {
        ReplyKind::Result(_) => true,
        // T-TASK-7: all three readings of the text. T-REST-6: without a reason the status alone does not accuse.
        ReplyKind::Error(error) => error.is(ErrorName::TaskNotCancelable) || error.is(ErrorName::TaskNotFound),
        _ => false,
    };
    let expected = "the canceled task, TaskNotCancelableError or TaskNotFoundError";
    let not_refused = || Verdict::not_refused(step.exchange.id, expected, step.reply.kind.describe());
    Ok(if fits { step.pass() } else { not_refused() })
}
