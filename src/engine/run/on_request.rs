//! Drives what the user asked for beside the suite, a load or delegation: on one lane, when everything else is done; how a load
//! goes is `suite/load/drive.rs`.

use std::rc::Rc;

use super::compare_lanes::recorded;
use super::context::{DriverLane, RunContext};
use super::lane::unresponsive;
use super::root_cause::PROBE;
use crate::engine::check::Scope;
use crate::engine::plan::plan_where;
use crate::engine::transcript::{Lane, Peer, RunFacts, Transcript};
use crate::engine::verdict::Verdict;
use crate::wire::url::Url;

impl RunContext {
    /// Puts the first lane under load that answered, if the user asked for it, and has its agent call another one, likewise.
    /// `withheld` says why a lane is not called at all.
    pub(super) async fn drive_what_was_asked_for(
        &self,
        lanes: &[Rc<Lane>],
        ended: &[Rc<Peer>],
        facts: &Rc<RunFacts>,
        withheld: impl Fn(&Lane) -> Option<Verdict>,
    ) {
        // No page puts an agent under load, or has it call another one.
        if cfg!(target_arch = "wasm32") {
            return;
        }
        let scopes =
            [(Scope::Load, self.options.load.is_some()), (Scope::Delegation, self.options.delegation.is_some())];
        let first = lanes.iter().find(|lane| withheld(lane).is_none() && works(lane, ended));
        let Some(lane) = first.or_else(|| lanes.first()) else { return };
        for (scope, _) in scopes.into_iter().filter(|(_, is_wanted)| *is_wanted) {
            let is_of_load = scope == Scope::Load;
            let planned = plan_where(self.areas, Some(lane), facts, &self.options, |wanted| wanted == scope);
            self.announce(&planned);
            let why = self
                .session
                .exhausted()
                .map(Verdict::not_run)
                .or_else(|| withheld(lane))
                .or_else(|| (!works(lane, ended)).then(|| Verdict::blocked("no interface answers")))
                .or_else(|| is_of_load.then(|| self.not_theirs(lane)).flatten());
            for planned in &planned {
                let why = why.clone().or_else(|| planned.without.clone());
                let before = if why.is_none() { recorded(lane, ended) } else { Vec::new() };
                let on = DriverLane { lane: Some(Rc::clone(lane)), before, ..DriverLane::default() };
                self.judge(planned, &Rc::new(self.drive_unless(why, planned.scenario, facts, on).await));
            }
        }
    }

    /// Why a lane is not put under load: nothing shows that it belongs to the user. A server on a loopback address is on the
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

/// Whether a lane answered when it was first called.
fn works(lane: &Lane, ended: &[Rc<Peer>]) -> bool {
    Transcript::find(&recorded(lane, ended), PROBE).is_none_or(|probe| unresponsive(probe).is_none())
}
