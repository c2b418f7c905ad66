//! The ids of the checks of this area, by which what was observed is filed.

pub(super) const TASK_IDS: &str = "load.task-ids-unique";
pub(super) const OWN_ANSWERS: &str = "load.own-answers";
pub(super) const OWN_EVENTS: &str = "load.own-events";
pub(super) const OWN_OUTPUT: &str = "load.own-output";
pub(super) const LISTS: &str = "load.lists-consistent";
pub(super) const KEPT: &str = "load.tasks-kept";
pub(super) const COMPLETE: &str = "load.updates-complete";
pub(super) const ORDER: &str = "load.updates-in-order";
pub(super) const ENDS: &str = "load.tasks-end";
pub(super) const AGREES: &str = "load.states-agree";
pub(super) const READABLE: &str = "load.answers-readable";
pub(super) const NO_SERVER_ERRORS: &str = "load.no-server-errors";
pub(super) const STREAMS_AGREE: &str = "load.streams-agree";
pub(super) const LEAVING: &str = "load.leaving-stream";
pub(super) const RETURNING: &str = "load.returning-subscriber";
pub(super) const CANCEL_RACE: &str = "load.cancel-race";
