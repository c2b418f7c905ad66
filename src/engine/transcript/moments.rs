//! What may only be judged of a task that was certainly at work. A verdict must not depend on the moment at which a request came, so
//! that where tasks are over soon it says so, and the same in each run, whatever was seen this time.

use std::rc::Rc;

use super::{Step, Transcript, whole_ms};
use crate::a2a::binding::CallCost;
use crate::a2a::model::Operation;
use crate::engine::prompt::{Behaviour, LASTING_MS};
use crate::engine::verdict::{Outcome, Verdict};

impl Transcript {
    /// Whether tasks of the message that a step sent work for so long that a request about one is sure to find it at work. *Inconclusive*
    /// where they do not, with the prompt to set.
    pub fn lasts(&self, sent: &Step, behaviour: Behaviour) -> Result<(), Verdict> {
        if self.facts.prompts.learned.work_times.last(sent.sent.message_text().unwrap_or_default()) {
            return Ok(());
        }
        let name = behaviour.as_str();
        let why = format!(
            "the tasks of this agent end too soon (within {} ms and the way of a request): whether a request finds one at work is \
             chance; to run this check, use a prompt \"{name}\" that works for some seconds",
            whole_ms(LASTING_MS)
        );
        Err(Verdict::inconclusive(why).seen_in(sent.exchange.id))
    }

    /// A step that got an answer, as [`Transcript::answered`] has it, and that was certainly made while the task that the message of
    /// another step began was at work, as [`Transcript::lasts`] says. Also one whose result does not depend on the time: no answer came,
    /// access was refused, or the operation does not exist.
    pub fn answered_at_work(&self, name: &str, sent: &Step, behaviour: Behaviour) -> Result<&Rc<Step>, Verdict> {
        let answered = self.answered(name);
        let holds_whenever = match &answered {
            Ok(step) => self.missing(step).is_some(),
            Err(why) => why.outcome != Outcome::Inconclusive,
        };
        if !holds_whenever {
            self.lasts(sent, behaviour)?;
        }
        answered
    }

    /// Whether a cancel of ours may have met the end of that task: which of the two came first is chance. A cancel of what was known to be over
    /// met nothing.
    #[must_use]
    pub fn raced_with_cancel(&self, id: &str) -> bool {
        let cancels = |step: &&Rc<Step>| {
            step.sent.operation == Some(Operation::CancelTask)
                && step.sent.cost == CallCost::Work
                && step.addressed_task() == Some(id)
        };
        self.steps.iter().filter(cancels).any(|step| self.may_meet_end(step, id))
    }

    /// Whether a subscription to a task at work may have met its end, so that what it shows is chance. Of a task that was known to be over
    /// nothing is.
    #[must_use]
    pub fn raced_with_end(&self, step: &Step) -> bool {
        step.sent.operation == Some(Operation::SubscribeToTask)
            && step.sent.cost == CallCost::Work
            && step.addressed_task().is_some_and(|id| self.may_meet_end(step, id))
    }

    /// Whether a request about a task may have met its end, because such tasks are over soon, or because it was answered so late.
    #[must_use]
    pub fn may_meet_end(&self, step: &Step, id: &str) -> bool {
        self.maker(id).is_some_and(|made| {
            // One that is never answered came when it was sent.
            let answered_ms =
                step.exchange.response.as_ref().map_or(step.exchange.sent_ms, |response| response.head_ms);
            let after_ms = answered_ms - made.exchange.sent_ms;
            // The quickest of its kind may have been as this one: excuses go by that, and not by what is usual.
            let text = made.sent.message_text().unwrap_or_default();
            let least_ms = self.facts.prompts.learned.work_times.least_ms(text);
            least_ms.or_else(|| self.usual_work_ms(id)).is_some_and(|ms| after_ms > ms / 2.0)
                || self.lasts(made, Behaviour::LongRunning).is_err()
        })
    }

    /// How long tasks of the message that made this one usually work, in milliseconds. `None` when none was seen to end.
    #[must_use]
    pub fn usual_work_ms(&self, id: &str) -> Option<f64> {
        self.facts.prompts.learned.work_times.usual_ms(self.maker(id)?.sent.message_text().unwrap_or_default())
    }

    /// The step whose message made a task.
    fn maker(&self, id: &str) -> Option<&Rc<Step>> {
        self.steps.iter().find(|step| step.sent.begins_task() && step.shows_task(id))
    }
}
