//! Which calls are waited for in full, which only as long as the agent's other answers suggest (`session/answer_times.rs` works
//! that out), and which are made once more. A call that costs the agent no work gets the time that follows from its other answers,
//! and when that was not enough it is made once more, with all the time that there is: what is judged of it rests on that. Of
//! several calls of one operation that are not answered, one is waited for so long.

use std::rc::Rc;

use futures_util::lock::OwnedMutexGuard;

use super::Driver;
use super::too_late::Hurry;
use crate::a2a::binding::{Call, CallCost};
use crate::a2a::dialect::write::ListQuery;
use crate::a2a::model::Operation;
use crate::engine::session::{Patience, RequestLabel, StreamControl};
use crate::engine::transcript::{IS_THERE, Lane, NEVER_ANSWERED, Step, TRIED_AGAIN};
use crate::wire::http::Request;

impl Driver {
    /// What a call costs the agent, as far as it has told of the task that the call names.
    pub(super) fn cost_of(&self, call: &Call) -> CallCost {
        let tasks = &self.context.session.tasks;
        let named = |pointer: &str| call.params.as_ref().and_then(|params| params.pointer(pointer)?.as_str());
        match call.operation {
            Some(Operation::SendMessage | Operation::SendStreamingMessage) => {
                // In 0.1 the client chooses the id of a new task.
                let is_refused = call.what.is_some()
                    || named("/message/taskId").is_some_and(|id| !tasks.is_open(id))
                    || named("/id").is_some_and(|id| !tasks.note_asked(id));
                if is_refused { CallCost::Once } else { CallCost::Work }
            }
            Some(Operation::CancelTask | Operation::SubscribeToTask)
                if named("/id").is_some_and(|id| tasks.is_open(id)) =>
            {
                CallCost::Work
            }
            // An agent may take an invalid request for a message.
            Some(Operation::CreatePushConfig | Operation::DeletePushConfig) | None => CallCost::Once,
            Some(_) => CallCost::LookUp,
        }
    }

    /// For how long a call of that name is waited for at first.
    pub(super) fn patience_for(&self, label: RequestLabel<'_>) -> Patience {
        match label.cost {
            _ if label.lane().is_some_and(|lane| self.context.session.times.with(lane, |times| times.is_gone)) => {
                Patience::Least
            }
            CallCost::Work => Patience::Whole,
            CallCost::Once if !self.is_unanswered(label) => Patience::Whole,
            CallCost::Once | CallCost::LookUp => Patience::ByOthers,
        }
    }

    /// The turn to make a call once more that got no answer in the time that follows from others. Its step is put on the record apart.
    /// While one call finds out, others of its name wait for what it finds, and do not count that as their conversation's time. It goes before
    /// all others: who waits for it may have the agent to himself.
    pub(super) async fn turn_to_try_again(
        &self,
        label: RequestLabel<'_>,
        step: &Step,
    ) -> Option<(OwnedMutexGuard<()>, Hurry<'_>)> {
        let session = &self.context.session;
        let may_be_repeated = || !self.is_unanswered(label) && self.has_time();
        let was_cut = label.cost == CallCost::LookUp && session.was_cut_early(label, &step.exchange);
        let lane = label.lane().filter(|_| was_cut && step.name != IS_THERE && may_be_repeated())?;
        let turn = self.in_line(session.times.turn_to_decide(lane, label.awaited)).await;
        if !may_be_repeated() {
            return None;
        }
        self.record(Step { name: TRIED_AGAIN, ..step.clone() });
        Some((turn, self.hurry()))
    }

    fn is_unanswered(&self, label: RequestLabel<'_>) -> bool {
        label.lane().is_some_and(|lane| self.context.session.times.is_unanswered(lane, label.awaited))
    }

    /// After a call that got no answer in all the time that there is: notes it, and asks for something else, which tells an agent that does
    /// not answer this call from one that is gone.
    pub(super) async fn look_after_silence(&self, lane: &Rc<Lane>, label: RequestLabel<'_>, step: &Step) {
        let session = &self.context.session;
        // While the agent is gone, nobody waits long enough to say anything of one of its calls.
        let is_known = self.is_unanswered(label) && !session.times.with(&lane.id, |times| times.is_gone);
        let is_over = is_known || session.was_waited_out(label, &step.exchange);
        if !step.is_unanswered_in_time() || !is_over || step.name == IS_THERE {
            return;
        }
        session.times.note_unanswered(&lane.id, label.awaited);
        if !self.has_time() {
            return;
        }
        let is_heard = || session.times.with(&lane.id, |times| !times.slowest_of.is_empty());
        let there = match self.other_look_up(lane, step.sent.operation) {
            Some(other) if is_heard() => {
                self.call_on(Some(Rc::clone(lane)), IS_THERE, other, Box::new(|_| StreamControl::Continue)).await
            }
            // Where nothing was answered yet, another call would hang as well.
            _ => self.fetch(IS_THERE, Request::get(self.context.address.url())).await,
        };
        if !there.has_answer() || !is_heard() {
            session.times.with(&lane.id, |times| times.is_gone = true);
        }
        if there.has_answer()
            && session.times.note_silence(&lane.id, (label.awaited, label.cost), step.exchange.duration_ms())
        {
            self.record_as(NEVER_ANSWERED, &there);
        }
    }

    /// A call of another operation that costs nothing.
    fn other_look_up(&self, lane: &Lane, than: Option<Operation>) -> Option<Call> {
        let dialect = lane.request_dialect();
        let fits = |operation: &Operation| {
            let name = dialect.method(*operation);
            Some(*operation) != than
                && name.is_some_and(|name| !self.context.session.times.is_unanswered(&lane.id, name))
        };
        let operation = [Operation::ListTasks, Operation::GetTask, Operation::CancelTask].into_iter().find(fits)?;
        let params = match operation {
            Operation::ListTasks => (dialect.list_params)(dialect, &ListQuery::default()),
            _ => (dialect.task_params)(&self.fresh_id(), None),
        };
        Some(self.operation(operation, params))
    }
}
