//! How long a task takes that has no webhooks, for comparison with one that has.

use crate::a2a::model::{Task, TaskState};
use crate::engine::prelude::{Driver, Judged, Step, Transcript, Verdict, task_of};

/// The scenario that lets the same prompt work without webhooks.
pub(super) const USUAL: &str = "poll";

/// How much longer than the whole of the usual task one with webhooks may stand still, in milliseconds (T-PUSH-14).
const MARGIN_MS: f64 = 10_000.0;

/// A task without webhooks that reached its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct UsualTask {
    /// How long it took from its message to its end.
    pub(super) took_ms: f64,
}

impl UsualTask {
    /// That of the scenario that polls, or why nothing can be told of the end of one that has webhooks: this one did not end either.
    pub(super) fn from_transcript(usual: &Transcript) -> Result<Self, Verdict> {
        usual.ran_to_its_end()?;
        let (sent, _) = usual.task("send")?;
        let end = [sent].into_iter().chain(usual.every("poll")).find(|step| is_over(step));
        let Some(end) = end else {
            return Err(sent.inconclusive(
                "the task did not finish without webhooks either; to run this check, use a prompt \"long-running\" that \
                 ends after some seconds",
            ));
        };
        Ok(Self { took_ms: end.exchange.end_ms - sent.exchange.sent_ms })
    }

    /// The same for a conversation, which stops when there is none.
    pub(super) fn before(d: &Driver) -> Option<Self> {
        Self::from_transcript(d.earlier(USUAL)?).map_err(|why| d.stop(why)).ok()
    }

    /// How long one with webhooks may stand still.
    pub(super) fn patience_ms(self) -> f64 {
        self.took_ms + MARGIN_MS
    }

    /// A terminal state, as a finding expects it.
    pub(super) fn expected(self) -> String {
        format!("a terminal state, as after {:.1} s without webhooks", self.took_ms / 1000.0)
    }
}

/// Judges whether a task with webhooks came to its end, as its readings of that name show. Only one that stood still for longer than
/// the same prompt takes without webhooks has stopped.
pub(super) fn judge_end(t: &Transcript, readings: &str, registration: u32) -> Judged {
    let usual = UsualTask::from_transcript(t.earlier(USUAL)?)?;
    let all = || t.every(readings).filter_map(|step| Some((step, task_of(&step.reply)?)));
    let Some((read, end)) = all().last() else { return Err(Verdict::blocked("the task was not read")) };
    if is_over(read) {
        return Ok(read.pass());
    }
    if end.state.is_some_and(TaskState::is_interrupted) {
        return Err(read.inconclusive("the task asks for something this time"));
    }
    let is_same = |(_, task): &(_, &Task)| task.raw == end.raw;
    let still_ms = all().find(is_same).map_or(0.0, |(first, _)| read.exchange.sent_ms - first.exchange.sent_ms);
    if still_ms < usual.patience_ms() {
        return Err(read.inconclusive("the task was still at work when the time ran out"));
    }
    let state = end.state_text.as_deref().unwrap_or_default();
    let actual = format!("{state}, without a change for {:.1} s", still_ms / 1000.0);
    Ok(read.fail(usual.expected(), actual).seen_in(registration))
}

pub(super) fn is_over(step: &Step) -> bool {
    task_of(&step.reply).is_some_and(Task::is_over)
}
