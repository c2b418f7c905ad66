//! For how long a call that costs no work is waited for, worked out from how long the lane's other calls took, which `session.rs`
//! measures.
//!
//! An agent that only has to look something up for a call answers it about as quickly as its other calls of that kind. When one answer
//! is so late that a hiccup, a busy machine or a garbage collection no longer explains it, the agent is asked once more with all the
//! time that there is. So a run does not wait in full for each of several answers that never come.

use std::sync::Arc;

use futures_util::lock::{Mutex, OwnedMutexGuard};

use crate::a2a::binding::CallCost;
use crate::engine::by_lane::ByLane;

/// How many times as long as the slowest of the others a call may take.
const TIMES: f64 = 20.0;
/// For how long at least a call was waited for of which it is said that it is never answered, in milliseconds: no garbage collection and no start of
/// an agent takes as long.
const DECIDES_MS: f64 = 30_000.0;

/// From how many milliseconds on an answer is late by far, by the slowest of the others.
#[must_use]
pub fn late_ms(slowest_ms: f64) -> f64 {
    slowest_ms * TIMES
}

/// For how long an answer is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patience {
    /// As long as the limit of its kind says.
    #[default]
    Whole,
    /// By what the other answers of the lane took.
    ByOthers,
    /// As long as an agent that is well ever pauses.
    Least,
}

/// What is known of the calls of one lane.
#[derive(Debug, Default)]
pub(in crate::engine) struct LaneTimes {
    /// How long the slowest answer took that cost no work, in milliseconds, if there was any.
    pub(in crate::engine) slowest_look_up_ms: Option<f64>,
    /// The same of those that cost work.
    slowest_work_ms: Option<f64>,
    /// How long the slowest answer to each call took, by the name that people know: of a stream until its first event.
    pub(in crate::engine) slowest_of: Vec<(&'static str, f64)>,
    /// The calls, by the same names, that got no answer in all the time that there is.
    unanswered: Vec<&'static str>,
    /// Those of them at which nothing but the agent can be to blame.
    never_answered: Vec<&'static str>,
    /// Who has a turn to find out whether a call of that name is ever answered.
    deciding: Vec<(&'static str, Arc<Mutex<()>>)>,
    /// Whether the agent has answered no call since one got no answer in all the time that there is.
    pub(in crate::engine) is_gone: bool,
    /// How long a task took that was polled until it was over, in milliseconds.
    pub(in crate::engine) polled_ms: Option<f64>,
    /// For how long at most a task was watched that did not change, in milliseconds.
    pub(in crate::engine) still_ms: f64,
}

/// What is known of the calls of each lane.
#[derive(Debug, Default)]
pub struct AnswerTimes(ByLane<LaneTimes>);

impl AnswerTimes {
    /// Reads or notes what is known of the calls of a lane.
    pub(in crate::engine) fn with<T>(&self, lane: &str, look: impl FnOnce(&mut LaneTimes) -> T) -> T {
        self.0.with(lane, look)
    }

    /// Notes how long an answer took to begin, in milliseconds.
    pub fn note(&self, lane: &str, (call, cost): (&'static str, CallCost), took_ms: f64) {
        self.with(lane, |times| {
            match times.slowest_of.iter_mut().find(|(known, _)| *known == call) {
                Some((_, ms)) => *ms = ms.max(took_ms),
                None => times.slowest_of.push((call, took_ms)),
            }
            let slowest_ms = match cost {
                CallCost::LookUp => &mut times.slowest_look_up_ms,
                CallCost::Once | CallCost::Work => &mut times.slowest_work_ms,
            };
            *slowest_ms = Some(slowest_ms.map_or(took_ms, |ms| ms.max(took_ms)));
            times.is_gone = false;
        });
    }

    /// Notes that a call got no answer in all the time that there is.
    pub fn note_unanswered(&self, lane: &str, call: &'static str) {
        self.with(lane, |times| {
            if !times.unanswered.contains(&call) {
                times.unanswered.push(call);
            }
        });
    }

    /// Whether a call of that name got no answer in all the time that there is, or none has got one since.
    #[must_use]
    pub fn is_unanswered(&self, lane: &str, call: &str) -> bool {
        self.with(lane, |times| times.is_gone || times.unanswered.contains(&call))
    }

    /// Waits until no other scenario is finding out whether calls of that name are ever answered.
    pub async fn turn_to_decide(&self, lane: &str, call: &'static str) -> OwnedMutexGuard<()> {
        let turns = self.with(lane, |times| match times.deciding.iter().find(|(known, _)| *known == call) {
            Some((_, turns)) => Arc::clone(turns),
            None => {
                let turns = Arc::default();
                times.deciding.push((call, Arc::clone(&turns)));
                turns
            }
        });
        turns.lock_owned().await
    }

    /// Notes that a call got no answer for so many milliseconds although the agent is there, and answers whether nothing but the agent can be to
    /// blame: that was many times as long as its other answers took, and longer than an agent that is well ever pauses. What may have made it
    /// work is measured by its answers to the same call. What was found so of one call holds for others of its name.
    #[must_use]
    pub fn note_silence(&self, lane: &str, (call, cost): (&'static str, CallCost), waited_ms: f64) -> bool {
        self.with(lane, |times| {
            let of_call = times.slowest_of.iter().find(|(known, _)| *known == call).map(|(_, ms)| *ms);
            let slowest_ms = match cost {
                // Where nothing was answered at all, there is nothing that the agent might be slow at.
                CallCost::LookUp => times.slowest_look_up_ms.or(Some(0.0)),
                CallCost::Once | CallCost::Work => of_call,
            };
            let is_found = slowest_ms.is_some_and(|ms| waited_ms >= late_ms(ms).max(DECIDES_MS));
            if is_found && !times.never_answered.contains(&call) {
                times.never_answered.push(call);
            }
            times.never_answered.contains(&call)
        })
    }

    /// How long a call of the lane may take by what its others took, in milliseconds, and this long at least; without end while nothing is
    /// known. What may make the agent work is measured by what did.
    #[must_use]
    pub fn allowed_ms(&self, lane: &str, cost: CallCost, least_ms: f64) -> f64 {
        self.with(lane, |times| {
            let slowest_ms = match cost {
                CallCost::LookUp => times.slowest_look_up_ms,
                CallCost::Once => times.slowest_work_ms,
                CallCost::Work => None,
            };
            slowest_ms.map_or(f64::INFINITY, |ms| late_ms(ms).max(least_ms))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::AnswerTimes;
    use crate::a2a::binding::CallCost::{LookUp, Once, Work};

    #[test]
    fn a_call_may_take_many_times_as_long_as_the_slowest_of_its_kind_and_never_little() {
        let times = AnswerTimes::default();
        let allowed_ms = |lane, cost| times.allowed_ms(lane, cost, 5_000.0);
        assert_eq!(allowed_ms("a", LookUp), f64::INFINITY, "nothing is known");
        times.note("a", ("GetTask", LookUp), 10.0);
        assert_eq!((allowed_ms("a", LookUp), allowed_ms("b", LookUp)), (5_000.0, f64::INFINITY));
        times.note("a", ("ListTasks", LookUp), 300.0);
        times.note("a", ("GetTask", LookUp), 20.0);
        times.note("a", ("SendMessage", Work), 40_000.0);
        assert_eq!((allowed_ms("a", LookUp), allowed_ms("a", Once)), (6_000.0, 800_000.0));
        assert_eq!(allowed_ms("a", Work), f64::INFINITY);
    }

    #[test]
    fn what_got_no_answer_is_known_by_its_lane_and_its_name() {
        let times = AnswerTimes::default();
        times.note_unanswered("a", "GetTask");
        times.note_unanswered("a", "GetTask");
        assert!(times.is_unanswered("a", "GetTask"));
        assert!(!times.is_unanswered("a", "ListTasks") && !times.is_unanswered("b", "GetTask"));
    }

    #[test]
    fn silence_is_the_agents_only_beyond_all_that_it_took_for_others() {
        let times = AnswerTimes::default();
        times.note("a", ("GetTask", LookUp), 10.0);
        times.note("a", ("SendMessage", Work), 20_000.0);
        times.note("a", ("SendStreamingMessage", Work), 5.0);
        let is_found = |call, cost, ms| times.note_silence("a", (call, cost), ms);
        assert!(!is_found("ListTasks", LookUp, 5_000.0), "an agent may pause as long");
        assert!(is_found("ListTasks", LookUp, 45_000.0));
        assert!(is_found("ListTasks", LookUp, 5_000.0), "one decides for all");
        assert!(!is_found("SendMessage", Once, 45_000.0), "it may be at work");
        assert!(is_found("SendStreamingMessage", Once, 45_000.0));
        assert!(!is_found("an odd message", Once, 45_000.0), "nothing is known of such calls");
    }
}
