//! The judge of `blocking: false` in 0.2 and 0.3, which asks for an answer before the work is done.
//!
//! Where a version has no lists, nobody sees a task of which the answer has not told yet. What shows that the agent waited is
//! another task of the same prompt: one that a stream announced at once, and that was read while it was at work. If the agent
//! announces tasks so early, and works on them for so long, it has no other reason to answer when the work is done (T-TASK-3).

use std::rc::Rc;

use crate::a2a::model::{Task, TaskState};
use crate::engine::prelude::{Behaviour, Judged, Step, Transcript, task_of};
use crate::engine::transcript::whole_ms;
use crate::suite::streaming::streamed_task;

/// The scenario whose task is announced by a stream and read from then on.
pub(super) const WITNESS: &str = "unwatched";
/// How often the other task must have been read while it was at work.
const SIGHTINGS: usize = 3;
/// For how long it must have been seen at work, in milliseconds.
const WORK_MS: f64 = 500.0;
/// How much longer than the announcement of the other task the answer took, in milliseconds, to be called late; half of the
/// other task's work is enough where that is less.
const LATE_MS: f64 = 1_000.0;

/// A task of the same prompt, as a stream announced it and as it was read afterwards.
struct Witness<'a> {
    stream: &'a Rc<Step>,
    /// The last reading that shows it at work.
    reading: &'a Rc<Step>,
    /// From the request to the first event.
    announced_ms: f64,
    /// From the first event to that reading.
    worked_ms: f64,
}

fn is_at_work(task: &Task) -> bool {
    matches!(task.state, Some(TaskState::Submitted | TaskState::Working))
}

/// The task of the same prompt, if it was seen at work for long enough.
fn witness(t: &Transcript) -> Option<Witness<'_>> {
    let other = t.earlier(WITNESS).ok()?;
    let (stream, _) = other.stream("stream").ok()?;
    streamed_task(stream)?;
    let at_work = |step: &&Rc<Step>| task_of(&step.reply).is_some_and(is_at_work);
    let readings: Vec<_> = other.every("settled").filter(at_work).collect();
    let reading = readings.last().filter(|_| readings.len() >= SIGHTINGS)?;
    // The client left at the first event.
    let announced_ms = stream.exchange.duration_ms();
    let worked_ms = reading.exchange.sent_ms - stream.exchange.end_ms;
    (worked_ms >= WORK_MS).then_some(Witness { stream, reading, announced_ms, worked_ms })
}

pub(super) fn judge(t: &Transcript) -> Judged {
    let (step, task) = t.task("send")?;
    t.lasts(step, Behaviour::LongRunning)?;
    if is_at_work(task) {
        return Ok(step.pass());
    }
    if task.state.is_none() {
        return Err(step.blocked("the task's state is not one that this version defines"));
    }
    let Some(witness) = witness(t) else {
        return Err(step.inconclusive(
            "the task had finished in the answer, and no stream showed that another task of this prompt is at work for some \
             time, so that it may have finished at once; to run this check, use a prompt \"long-running\" that works for some \
             seconds",
        ));
    };
    let late_ms = step.exchange.duration_ms() - witness.announced_ms;
    if late_ms < LATE_MS.min(witness.worked_ms / 2.0) {
        return Err(step.inconclusive("the task finished at once, which is allowed"));
    }
    let state = task.state_text.as_deref().unwrap_or_default();
    let expected = format!(
        "an answer as soon as the task exists (a stream announced one of the same prompt after {} ms)",
        whole_ms(witness.announced_ms)
    );
    let actual = format!("{state} after {} ms", whole_ms(step.exchange.duration_ms()));
    let verdict = step.fail(expected, actual).at(task.place_of_state());
    Ok(verdict.seen_in(witness.stream.exchange.id).seen_in(witness.reading.exchange.id))
}
