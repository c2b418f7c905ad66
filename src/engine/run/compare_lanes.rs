//! Drives the comparison of two lanes of one version, once both are done; what is compared: `suite/interop`.

use std::rc::Rc;

use super::context::{DriverLane, RunContext};
use super::lane::unresponsive;
use super::root_cause::PROBE;
use crate::engine::plan::Planned;
use crate::engine::transcript::{Lane, Peer, RunFacts, Transcript};
use crate::engine::verdict::Verdict;

impl RunContext {
    /// Compares a lane with the first one of its version.
    pub(super) async fn compare(
        &self,
        lane: &Rc<Lane>,
        planned: &Planned,
        first: Option<&Rc<Lane>>,
        ended: &[Rc<Peer>],
        facts: &Rc<RunFacts>,
    ) {
        let before = recorded(lane, ended);
        let peer = first.and_then(|first| ended.iter().find(|peer| peer.lane.id == first.id).cloned());
        let has_answers = answers(&before) && peer.as_ref().is_some_and(|peer| answers(&peer.transcripts));
        let is_driven = has_answers && planned.without.is_none();
        let silent = || (!is_driven).then(|| Verdict::blocked("one of the two interfaces does not answer"));
        let why = self.session.exhausted().map(Verdict::not_run).or_else(silent);
        let on = DriverLane { lane: Some(Rc::clone(lane)), before, peer, ..DriverLane::default() };
        self.judge_in_turns(planned, &Rc::new(self.drive_unless(why, planned.scenario, facts, on).await)).await;
    }
}

/// What a lane that ended has recorded.
pub(super) fn recorded(lane: &Lane, ended: &[Rc<Peer>]) -> Vec<Rc<Transcript>> {
    ended.iter().find(|peer| peer.lane.id == lane.id).map(|peer| peer.transcripts.clone()).unwrap_or_default()
}

/// Whether a lane answered its first calls, so that there is something to compare.
pub(super) fn answers(transcripts: &[Rc<Transcript>]) -> bool {
    Transcript::find(transcripts, PROBE).is_some_and(|probe| !probe.steps.is_empty() && unresponsive(probe).is_none())
}
