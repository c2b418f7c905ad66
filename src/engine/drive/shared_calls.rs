//! Calls that several scenarios of a lane make alike and that are made once, such as several at once for an unknown task; and which
//! agents answer quickly enough for more.

use serde_json::json;

use super::{Driver, StepFuture};
use crate::a2a::binding::{Call, ReplyKind};
use crate::a2a::dialect::write::ListQuery;
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::shared_requests::SharedQuestion;
use crate::engine::transcript::Step;

/// How many ask at once for one task that does not exist: some servers create an entry for the task before they find out that it
/// does not exist, and the other requests find that entry.
const ASKED_AT_ONCE: usize = 3;

/// How long the quickest answer of an agent may take, in milliseconds, that is asked more than the rest: a slow one has no time for it.
const QUICK_MS: f64 = 200.0;

impl Driver {
    /// Asks several times at once for one task that does not exist, where the step that asks once was told so. Several calls that are
    /// never answered would be in the way of all others.
    pub async fn for_unknown_at_once<'a>(&self, alone: &str, ask: impl Fn(&str) -> StepFuture<'a>) {
        let is_told = self.last(alone).is_some_and(|step| step.reply.kind.is_error(ErrorName::TaskNotFound));
        if is_told && self.answers_quickly() && !self.takes_one_at_a_time() {
            let unknown = self.fresh_id();
            self.together((0..ASKED_AT_ONCE).map(|_| ask(&unknown))).await;
        }
    }

    /// Whether the agent answers so quickly that it can be asked what seldom finds something.
    pub fn answers_quickly(&self) -> bool {
        self.facts().prompts.learned.work_times.quickest_answer_ms() <= QUICK_MS
    }

    /// Asks a question, or takes the answer that another scenario of the lane got or is about to get.
    pub fn ask(&self, step: &'static str, question: SharedQuestion) -> StepFuture<'_> {
        Box::pin(async move {
            let Some(lane) = &self.context.lane else { return self.call(step, self.question(question)).await };
            match self.in_line(lane.asked.known(question)).await {
                Ok(answer) => self.record(Step { name: step, ..Step::clone(&answer) }),
                Err(turn) => {
                    let answer = self.call(step, self.question(question)).await;
                    if is_answered(&answer) {
                        turn.answer(answer.clone());
                    }
                    answer
                }
            }
        })
    }

    /// Keeps an answer for other scenarios that have the same question.
    pub fn remember(&self, question: SharedQuestion, answer: &Step) {
        if let Some(lane) = self.context.lane.as_ref().filter(|_| is_answered(answer)) {
            lane.asked.keep(question, answer.clone().into());
        }
    }

    fn question(&self, question: SharedQuestion) -> Call {
        let unknown = || (self.dialect().task_params)(&self.fresh_id(), None);
        match question {
            SharedQuestion::GetUnknown => self.operation(Operation::GetTask, unknown()),
            SharedQuestion::CancelUnknown => self.operation(Operation::CancelTask, unknown()),
            SharedQuestion::List => {
                let params = (self.dialect().list_params)(self.dialect(), &ListQuery::default());
                self.operation(Operation::ListTasks, params)
            }
            SharedQuestion::EmptyMessage => {
                self.operation(Operation::SendMessage, json!({})).called("a send without a message")
            }
        }
    }
}

/// Whether there is an answer, and not somebody on the way who turns us away for now.
const fn is_answered(answer: &Step) -> bool {
    !matches!(answer.reply.kind, ReplyKind::NoAnswer(_) | ReplyKind::Unavailable(_))
}
