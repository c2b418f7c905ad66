//! How a run judges much without keeping everybody else waiting, and what it leaves when its time is over.

use std::rc::Rc;

use super::context::RunContext;
use crate::engine::plan::Planned;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::Verdict;

impl RunContext {
    /// Judges the checks of a scenario by its transcript, one after another, and gives way in between.
    pub(super) async fn judge_in_turns(&self, planned: &Planned, transcript: &Rc<Transcript>) {
        for row in &planned.rows {
            let is_over = || self.session.judging_is_over().map(Verdict::not_run);
            let without = planned.without.clone().or_else(is_over);
            let one = Planned { scenario: planned.scenario, rows: vec![row.clone()], without };
            self.judge(&one, transcript);
            self.session.give_way().await;
        }
    }
}
