//! The faults of an agent whose handler raises: what becomes of the message, and of those that come after it.

use super::fault::FaultId;
use super::operation_reply::OperationReply;
use super::rejection::Rejection;
use super::script::{RAISE, asks_for};
use super::scripted_agent::ScriptedAgent;
use super::task::TaskCell;
use crate::a2a::model::TaskState;

impl ScriptedAgent {
    /// Notes a message whose handler raises; refuses the others after it, if a fault does so.
    pub(super) fn note_raising(&self, message_text: &str) -> Result<(), Rejection> {
        let binding = usize::from(self.0.over_rpc.get());
        let mut known = self.0.raised.get();
        if asks_for(RAISE, message_text) {
            if let Some(known) = known.get_mut(binding) {
                *known = true;
            }
            self.0.raised.set(known);
        } else if self.has(FaultId::RaiseFailsNext) && known.get(binding).is_some_and(|raised| *raised) {
            return Err(Rejection::internal());
        }
        Ok(())
    }

    /// The reply to a message whose handler raises, if a fault has one of its own.
    pub(super) fn raised_reply(&self, task: &TaskCell, streams: bool, early: bool) -> Option<OperationReply> {
        if streams && self.has(FaultId::RaiseStreamEmpty) {
            return Some(OperationReply::empty_stream());
        }
        if early && !streams && self.has(FaultId::RaiseLeftWorking) {
            let mut task = task.borrow_mut();
            self.set_status_now(&mut task, TaskState::Working, "");
        }
        if !early && !streams && self.has(FaultId::RaiseHangs) {
            return Some(OperationReply::Silence);
        }
        None
    }
}
