//! The comparison of two lanes of one version, once both are done.

use std::rc::Rc;

use super::context::{DriverLane, RunContext, drive};
use super::lane::unresponsive;
use super::root_cause::PROBE;
use crate::engine::event::Event;
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
        let recorded = |lane: &Rc<Lane>| ended.iter().find(|peer| peer.lane.id == lane.id).cloned();
        let before = recorded(lane).map(|own| own.transcripts.clone()).unwrap_or_default();
        let peer = first.and_then(recorded);
        let has_answers = answers(&before) && peer.as_ref().is_some_and(|peer| answers(&peer.transcripts));
        let exhausted = self.session.exhausted();
        let lane = Some(Rc::clone(lane));
        let transcript = if !has_answers || planned.without.is_some() || exhausted.is_some() {
            let why = exhausted
                .map_or_else(|| Verdict::blocked("one of the two interfaces does not answer"), Verdict::not_run);
            let scenario = planned.scenario.id;
            Transcript { stopped: Some(why), before, peer, ..Transcript::without_steps(scenario, lane.as_ref(), facts) }
        } else {
            self.emit(Event::ScenarioStarted { scenario: planned.scenario, lane: lane.clone() });
            let on = DriverLane { lane, before, peer, ..DriverLane::default() };
            drive(planned.scenario, self.driver(planned.scenario, facts, on)).await
        };
        self.judge_in_turns(planned, &Rc::new(transcript)).await;
    }
}

/// Whether a lane answered its first calls, so that there is something to compare.
pub(super) fn answers(transcripts: &[Rc<Transcript>]) -> bool {
    Transcript::of(transcripts, PROBE).is_some_and(|probe| !probe.steps.is_empty() && unresponsive(probe).is_none())
}
