//! The tasks that both agents work on at the same time, as they were read afterwards.

use std::rc::Rc;

use crate::a2a::model::Task;
use crate::engine::prelude::{Judged, Step, Transcript, Verdict};
use crate::suite::streaming::Steps;

/// The three tasks of each agent, and the reading of each afterwards.
pub(super) const STEPS: Steps<'static> = &[("first", "first-read"), ("second", "second-read"), ("third", "third-read")];

/// The lists of their contexts.
pub(super) const LISTS: [&str; 3] = ["first-list", "second-list", "third-list"];

/// A claim about each of the three readings, or why one of them is missing.
pub(super) fn readings(t: &Transcript) -> Result<Vec<BusyTask<'_>>, Verdict> {
    t.ran_to_its_end()?;
    STEPS.iter().map(|(sent, read)| Ok(BusyTask { sent: t.step(sent)?, read: t.task(read)? })).collect()
}

/// A task that was made while both agents were busy, as it was read afterwards.
pub(super) struct BusyTask<'t> {
    pub(super) sent: &'t Rc<Step>,
    pub(super) read: (&'t Rc<Step>, &'t Task),
}

impl BusyTask<'_> {
    /// The id of the message that the task was made by.
    pub(super) fn message_id(&self) -> &str {
        self.sent.sent.message_id().unwrap_or_default()
    }
}

/// The judgement of a claim about every reading: the first that does not hold, or a pass.
pub(super) fn all_hold(found: Option<Verdict>, seen: impl Iterator<Item = u32>) -> Judged {
    Ok(found.unwrap_or_else(|| seen.fold(Verdict::pass(), Verdict::seen_in)))
}
