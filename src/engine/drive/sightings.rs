//! Notes what a step shows of tasks for `prompt/work_times.rs`, which knows how long the agent's tasks work.

use super::Driver;
use crate::a2a::binding::{CallCost, ReplyKind};
use crate::a2a::model::Operation;
use crate::engine::prompt::Sighting;
use crate::engine::transcript::Step;

impl Driver {
    /// Notes what a step shows of tasks that messages of the run made.
    pub(super) fn note_sightings(&self, step: &Step) {
        let work_times = &self.context.facts.prompts.learned.work_times;
        if step.has_answer() && step.sent.cost == CallCost::LookUp && self.context.lane.is_some() {
            work_times.note_answer(step.exchange.sent_ms, step.exchange.end_ms);
        }
        if step.sent.operation == Some(Operation::CancelTask) {
            return step.addressed_task().into_iter().for_each(|id| work_times.forget(id));
        }
        let (begins, is_stream) = (step.sent.begins_task(), matches!(step.reply.kind, ReplyKind::Stream(_)));
        let sighting = if begins || is_stream { Sighting::AsItHappened } else { Sighting::OnALook };
        for shown in step.shown_tasks() {
            let (Some(id), Some(state)) = (shown.id, shown.state) else { continue };
            if begins {
                work_times.begin(id, step.sent.message_text().unwrap_or_default(), step.exchange.sent_ms);
            }
            // A task at work was so when the answer was made, which may have been as soon as it was asked for.
            let is_past = !is_stream && !state.is_terminal();
            work_times.see(id, state, if is_past { step.exchange.sent_ms } else { shown.at_ms }, sighting);
            if let Some(timestamp) = shown.timestamp {
                work_times.note_timestamp(id, state, timestamp);
            }
        }
    }
}
