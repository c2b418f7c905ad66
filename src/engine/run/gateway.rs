//! Drives the comparison with the agent behind the user's gateway, of the card and of each lane; what is compared: `suite/gateway`.

use std::rc::Rc;

use super::card::Discovered;
use super::compare_lanes::{answers, recorded};
use super::context::{DriverLane, RunContext};
use crate::a2a::model::{Card, Interface};
use crate::engine::check::Scope;
use crate::engine::detect;
use crate::engine::discover;
use crate::engine::gateway_route::{GatewayRoute, PREFIX};
use crate::engine::plan::{Planned, plan_where};
use crate::engine::transcript::{Lane, Peer, RunFacts, Transcript};
use crate::engine::verdict::Verdict;

/// The step at which the gateway's card is fetched. A later one of this name is of another place where it was looked for.
pub const GATEWAY_CARD: &str = "gateway-card";

/// A lane, and the scenarios that compare it with itself as seen through the gateway.
pub(super) type LaneComparison = (Rc<Lane>, Vec<Planned>);

impl RunContext {
    /// Compares the agent with itself as seen through the user's gateway, if there is one.
    pub(super) async fn compare_gateway(&self, discovered: &Discovered, plans: &[LaneComparison], ended: &[Rc<Peer>]) {
        let Discovered { facts, recording, .. } = discovered;
        let Some(route) = &facts.gateway else { return };
        let planned = plan_where(self.areas, None, facts, &self.options, |scope| scope == Scope::GatewayCard);
        self.announce(&planned);
        let mut shown = None;
        for planned in &planned {
            let why = self.session.exhausted().map(Verdict::not_run).or_else(|| planned.without.clone());
            let on = DriverLane { before: vec![Rc::clone(recording)], ..DriverLane::default() };
            let transcript = Rc::new(self.drive_unless(why, planned.scenario, facts, on).await);
            shown = shown.or_else(|| card_of(&transcript));
            self.judge_in_turns(planned, &transcript).await;
        }
        for (lane, scenarios) in plans {
            let mut before = recorded(lane, ended);
            let twin = twin(route, lane, shown.as_ref());
            for planned in scenarios {
                let transcript = Rc::new(self.compare_lane(planned, lane, (twin.as_ref(), &before), facts).await);
                self.judge_in_turns(planned, &transcript).await;
                before.push(transcript);
            }
        }
    }

    async fn compare_lane(
        &self,
        planned: &Planned,
        lane: &Rc<Lane>,
        (twin, before): (Option<&Rc<Lane>>, &[Rc<Transcript>]),
        facts: &Rc<RunFacts>,
    ) -> Transcript {
        let silent = || (!answers(before)).then(|| Verdict::blocked("the interface does not answer directly"));
        let elsewhere = "the agent has this interface on another origin than its address, and the gateway's card names none that leads \
                         through the gateway";
        let has_no_twin = || twin.is_none().then(|| Verdict::blocked(elsewhere));
        let why = self.session.exhausted().map(Verdict::not_run).or_else(silent).or_else(has_no_twin);
        let why = why.or_else(|| planned.without.clone());
        let peer = twin.map(|twin| Rc::new(Peer { lane: Rc::clone(twin), transcripts: Vec::new() }));
        let on = DriverLane { lane: Some(Rc::clone(lane)), before: before.to_vec(), peer, ..DriverLane::default() };
        self.drive_unless(why, planned.scenario, facts, on).await
    }
}

/// The card that the gateway showed, read as those of its version are.
fn card_of(transcript: &Transcript) -> Option<Card> {
    let document = transcript.step(GATEWAY_CARD).ok()?.reply.document.as_deref()?;
    document.is_object().then(|| detect::read(document, &detect::detect(document)))
}

/// The lane through the gateway that a direct one is compared with: the interface that the gateway's card has in its place, if that
/// leads through the gateway; otherwise the same path there. `None` where the agent has the interface on another origin.
fn twin(route: &GatewayRoute, lane: &Lane, shown: Option<&Card>) -> Option<Rc<Lane>> {
    let declared = shown.map(|card| discover::lanes(card).0).unwrap_or_default();
    let declared = declared.iter().find(|other| other.id == lane.id).map(|other| other.interface.url.clone());
    let url = declared.filter(|url| route.leads_through(url));
    let own = || route.is_agents_own(&lane.interface.url).then(|| route.through(&lane.interface.url));
    let url = url.or_else(own)?;
    let interface = Interface { url, ..lane.interface.clone() };
    Some(Rc::new(Lane {
        other_verb: lane.other_verb.clone(),
        form: lane.form.clone(),
        named_version: lane.named_version.clone(),
        wants_output_modes: lane.wants_output_modes.clone(),
        ..Lane::new(format!("{PREFIX}{}", lane.id), interface, lane.dialect, lane.binding)
    }))
}
