//! A call that came too late for its task: from which delay on our own traffic is to blame, and a second attempt without other
//! traffic.

use std::rc::Rc;

use super::Driver;
use crate::engine::session::{Reservation, URGENT};
use crate::engine::transcript::Step;

/// How long a client may take from its message to the next call about the task, before we ask whether our own traffic was
/// what kept the agent busy.
const LATE_MS: f64 = 500.0;
/// The same in answers of this agent: it takes two to send and to call, and two more are not worth a second attempt.
const LATE_ANSWERS: f64 = 4.0;

/// The name of the steps of an attempt that was made again.
const FIRST_ATTEMPT: &str = "held-up";

/// The agent for this conversation alone, until it is dropped.
pub struct ExclusiveAccess<'a> {
    _hurry: Hurry<'a>,
    _reservation: Reservation<'a>,
}

/// A turn before all others for the calls that a conversation makes until this is dropped.
pub struct Hurry<'a> {
    driver: &'a Driver,
}

impl Drop for Hurry<'_> {
    fn drop(&mut self) {
        self.driver.urgent.set(self.driver.urgent.get().saturating_sub(1));
    }
}

impl Driver {
    /// How much depends on the next call.
    pub(super) fn rank(&self) -> u32 {
        if self.urgent.get() > 0 { URGENT } else { self.context.rank }
    }

    /// Whether the beginning of the answer to `last` came so long after `first` was sent that the agent may have been busy with our other
    /// requests: with an agent that takes as long for every answer it would be no quicker alone.
    #[must_use]
    pub fn was_delayed_by_other_requests(&self, first: &Step, last: &Step) -> bool {
        // On any lane: on this one, every answer may have been kept waiting.
        let exchanges = self.context.session.exchanges();
        let answered = exchanges.iter().filter(|other| other.lane.is_some() && other.response.is_some());
        let quickest_ms = answered.map(|other| other.duration_ms()).fold(f64::INFINITY, f64::min);
        let answered_ms = last.exchange.response.as_ref().map_or(last.exchange.end_ms, |response| response.head_ms);
        let took_ms = answered_ms - first.exchange.sent_ms;
        !self.takes_one_at_a_time() && took_ms > LATE_MS + LATE_ANSWERS * quickest_ms
    }

    /// Whether a request that came too late for the task of a message may be made again, for another task: not where the next would
    /// be as likely to come too late.
    #[must_use]
    pub fn may_try_again(&self, message: &str) -> bool {
        self.has_time() && self.context.facts.prompts.learned.work_times.may_last(message)
    }

    /// Waits until the agent has nothing else to do for us, and keeps it so, for another attempt: the steps of the one before have
    /// these names, by which no check finds them from now on. Such waiting does not count as the scenario's time.
    pub async fn without_other_requests(&self, first_attempt: &[&str]) -> ExclusiveAccess<'_> {
        for step in self.steps.borrow_mut().iter_mut().filter(|step| first_attempt.contains(&step.name)) {
            *step = Rc::new(Step { name: FIRST_ATTEMPT, ..Step::clone(step) });
        }
        let reservation = self.in_line(self.context.session.gate.reserve()).await;
        ExclusiveAccess { _hurry: self.hurry(), _reservation: reservation }
    }

    /// Lets the calls from now on go before all others: they show something only while a task is at work, which must not end
    /// while they wait in line.
    pub fn hurry(&self) -> Hurry<'_> {
        self.urgent.set(self.urgent.get() + 1);
        Hurry { driver: self }
    }
}
