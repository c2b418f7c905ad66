//! The load that the user asked for: on one lane, when everything else is done.

use std::rc::Rc;

use super::context::{DriverLane, PROBE, RunContext, drive, transcript_without_steps};
use super::lane::unresponsive;
use crate::engine::event::Event;
use crate::engine::plan::plan_load;
use crate::engine::transcript::{Lane, Peer, RunFacts, Transcript};
use crate::engine::verdict::Verdict;
use crate::wire::url::Url;

impl RunContext {
    /// Puts the first lane under load that answered, if the user asked for it. `withheld` says why a lane is not called at all.
    pub(super) async fn put_under_load(
        &self,
        lanes: &[Rc<Lane>],
        ended: &[Rc<Peer>],
        facts: &Rc<RunFacts>,
        withheld: impl Fn(&Lane) -> Option<Verdict>,
    ) {
        // No page puts an agent under load.
        if cfg!(target_arch = "wasm32") || self.options.load.is_none() {
            return;
        }
        let before = |lane: &Lane| {
            ended.iter().find(|peer| peer.lane.id == lane.id).map(|peer| peer.transcripts.clone()).unwrap_or_default()
        };
        let works = |lane: &&Rc<Lane>| {
            let probe = before(lane);
            let probe = Transcript::of(&probe, PROBE);
            withheld(lane).is_none() && probe.is_none_or(|probe| unresponsive(probe).is_none())
        };
        let Some(lane) = lanes.iter().find(works).or_else(|| lanes.first()) else { return };
        let planned = plan_load(self.areas, lane, facts, &self.options);
        self.announce(&planned);
        let why = self
            .session
            .exhausted()
            .map(Verdict::not_run)
            .or_else(|| withheld(lane))
            .or_else(|| (!works(&lane)).then(|| Verdict::blocked("no interface answers")))
            .or_else(|| self.not_theirs(lane));
        for planned in &planned {
            let transcript = match why.clone().or_else(|| planned.without.clone()) {
                Some(why) => {
                    let transcript = transcript_without_steps(planned.scenario.id, Some(lane), facts);
                    Transcript { stopped: Some(why), ..transcript }
                }
                None => {
                    self.emit(Event::ScenarioStarted { scenario: planned.scenario, lane: Some(Rc::clone(lane)) });
                    let on = DriverLane { lane: Some(Rc::clone(lane)), before: before(lane), ..DriverLane::default() };
                    drive(planned.scenario, self.driver(planned.scenario, facts, on)).await
                }
            };
            self.judge(planned, &Rc::new(transcript));
        }
    }

    /// Why a lane is not put under load: nothing says that it belongs to the user. What listens on a loopback address is on the
    /// user's own machine. Elsewhere the user has to say so, and that goes for the address which they typed or allowed, not for
    /// wherever its card sends clients.
    fn not_theirs(&self, lane: &Lane) -> Option<Verdict> {
        let url = &lane.interface.url;
        if Url::parse(url).is_ok_and(|url| url.is_loopback()) {
            return None;
        }
        let is_owned = self.options.load.is_some_and(|load| load.is_owned);
        if is_owned && self.credentials.may_go_to(url) {
            return None;
        }
        let origin = Url::parse(url).map(|url| url.origin()).unwrap_or_default();
        Some(Verdict::not_run(if is_owned {
            format!("the card places this interface at {origin}, which you neither typed nor allowed")
        } else {
            format!("only an agent of your own is put under load, and nothing says that {origin} is yours")
        }))
    }
}
