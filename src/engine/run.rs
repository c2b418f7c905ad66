//! The runner: card first, then every lane's plan, and how many lanes side by side. It emits events and keeps no results.

mod access_denied;
mod card;
mod compare_lanes;
mod context;
mod gateway;
mod grpc_web;
mod lane;
mod on_request;
mod pair;
mod repeat;
mod root_cause;
mod root_cause_access;
mod root_cause_ids;
mod root_cause_lane;
mod try_examples;

use std::rc::Rc;

use futures_util::future::{LocalBoxFuture, join, join_all};

use super::cause;
use super::check::Scope;
use super::credentials::not_allowed;
use super::discover::{DeclaredInterfaces, SkippedInterface};
use super::event::{Activity, Completion, Emit, Event};
use super::options::Options;
use super::plan::{Planned, left_out, plan, usual_messages};
use super::plural::count_of;
use super::security_schemes;
use super::transcript::{Lane, Peer, RunFacts, Transcript};
use super::user_waits::Waits;
use super::verdict::{Outcome, Verdict};
use crate::a2a::model::Card;
use crate::host::Host;
use crate::wire::redact::Redactor;
use crate::wire::url::Url;
pub use access_denied::{GATE, GRPC_HEALTH, REQUIRES_CREDENTIALS, is_sign_in_page, may_refuse_access};
use card::Discovered;
pub use context::{Areas, DISCOVERY};
use context::{CANDIDATE, NOT_CALLED, RunContext, RunOutcome, begin_session};
pub use gateway::GATEWAY_CARD;
pub use lane::{AT_URL, ELSEWHERE, GRPC_REFLECTION};
use lane::{LaneOutcome, UnresponsiveLane};
pub use pair::{CALL, CREDENTIAL_OPTIONS, PairSuite, run_pair};
pub use try_examples::EXAMPLES_SCENARIO;

/// How many lanes run side by side.
const LANES_AT_ONCE: usize = 2;

struct LanePlan {
    lane: Rc<Lane>,
    /// Scenarios that it runs by itself.
    planned: Vec<Planned>,
    /// Scenarios that it runs when it and the lane to compare with are done.
    comparisons: Vec<Planned>,
    /// Scenarios that compare it with itself as seen through the user's gateway, when all lanes are done.
    through_gateway: Vec<Planned>,
}

/// The outcome of the lanes so far.
#[derive(Default)]
struct LaneResults {
    /// The main cause of the failures on each lane, in the order of the lanes.
    causes: Vec<String>,
    /// Lanes that were given up without any fault of the agent being seen.
    unseen: Vec<UnresponsiveLane>,
    ended: Vec<Rc<Peer>>,
}

/// Checks an agent, as many times as its options say, and emits everything that happens. Dropping the future stops the run and aborts its
/// requests.
///
/// One type for all who await it: inlined into each, the machinery of a run would be in the page as often.
#[inline(never)]
pub fn run(host: Host, areas: Areas, options: Options, emit: Emit) -> LocalBoxFuture<'static, ()> {
    run_watched(host, areas, options, emit, Waits::default())
}

/// The same, with a handle to what it waits for.
#[inline(never)]
pub fn run_watched(
    host: Host,
    areas: Areas,
    options: Options,
    emit: Emit,
    waits: Waits,
) -> LocalBoxFuture<'static, ()> {
    let redactor = options.redactor();
    let runs = options.repeat;
    let begin = move |emit: Emit| run_once(host.clone(), areas, options.clone(), emit, waits.clone(), redactor.clone());
    if runs > 1 { Box::pin(repeat::run_repeatedly(runs, emit, begin)) } else { begin(emit) }
}

#[inline(never)]
fn run_once(
    host: Host,
    areas: Areas,
    options: Options,
    emit: Emit,
    waits: Waits,
    redactor: Redactor,
) -> LocalBoxFuture<'static, ()> {
    Box::pin(async move {
        let session = begin_session(host, &options, redactor, &emit, waits);
        let context = match RunContext::new(&session, areas, options, &emit) {
            Ok(context) => context,
            Err(problem) => {
                let completion = Completion::Incomplete(problem.to_string());
                let duration_ms = session.now_ms();
                emit(Event::Finished { completion, tally: Default::default(), cause: None, duration_ms });
                return;
            }
        };
        let RunOutcome { completion, cause } = context.session.in_turns(context.run()).await;
        let (tally, duration_ms) = (context.tally(), context.session.now_ms());
        context.emit(Event::Finished { completion, tally, cause, duration_ms });
    })
}

impl RunContext {
    /// All phases of a run.
    async fn run(&self) -> RunOutcome {
        if self.is_offline() {
            return self.judge_card_alone().await;
        }
        let token = self.credentials.fetch_first_token(&self.session, None).await;
        self.emit(Event::Activity(Activity::ReadingCard));
        if let Some(first) = self.address.candidates().first() {
            self.reach.ask_permission(first, &Activity::ReadingCard).await;
        }
        let (discovered, card_scenarios) = self.discover().await;
        if discovered.card.is_some() {
            self.emit(Event::Lanes(discovered.interfaces.lanes.clone()));
        }
        match join(self.call_lanes(&discovered, token), card_scenarios).await.0 {
            Ok(results) => self.ending(&discovered, results),
            Err(outcome) => outcome,
        }
    }

    /// How a run ends in which no interface may be called, judging by the card alone; nothing if one may be.
    fn outcome_without_calls(&self, discovered: &Discovered, token: &Result<(), String>) -> Option<RunOutcome> {
        let Discovered { card, facts, interfaces, stopped, .. } = discovered;
        let Some(card) = card else {
            return Some(self.without_card(token, stopped.as_ref()));
        };
        if facts.candidate {
            return Some(RunOutcome { completion: self.completion(), cause: Some(CANDIDATE.to_owned()) });
        }
        self.unknown_lane(&interfaces.lanes).or_else(|| self.unknown_skill(card)).map(RunOutcome::incomplete)
    }

    /// Fetches the tokens that the card names the endpoints for, and runs every lane. An error is how a run ends in which no
    /// interface is called.
    async fn call_lanes(
        &self,
        discovered: &Discovered,
        mut token: Result<(), String>,
    ) -> Result<LaneResults, RunOutcome> {
        if let Some(outcome) = self.outcome_without_calls(discovered, &token) {
            return Err(outcome);
        }
        let Discovered { card, facts, interfaces, .. } = discovered;
        let schemes = card.as_ref().map(|card| security_schemes::schemes_of(&card.raw)).unwrap_or_default();
        if token.is_ok() {
            token = self.credentials.fetch_first_token(&self.session, Some(&schemes)).await;
        }
        if interfaces.lanes.is_empty() {
            return Err(RunOutcome::incomplete(no_lane(&interfaces.skipped)));
        }
        if token.is_ok() && facts.second_identity {
            self.credentials.fetch_second_token(&self.session, &schemes).await;
        }
        Ok(self.run_lanes(discovered, &token).await)
    }

    /// Judges a card without its agent. What needs an answer of the agent is listed with the reason why it is not judged.
    async fn judge_card_alone(&self) -> RunOutcome {
        let (discovered, card_scenarios) = self.discover().await;
        card_scenarios.await;
        self.emit(Event::Lanes(discovered.interfaces.lanes.clone()));
        let nothing = Rc::new(Transcript::without_steps(DISCOVERY, None, &discovered.facts));
        for plan in self.plan_lanes(&discovered.interfaces.lanes, &discovered.facts) {
            for mut planned in plan.planned.into_iter().chain(plan.comparisons).chain(plan.through_gateway) {
                planned.without.get_or_insert_with(|| Verdict::not_observable(NOT_CALLED));
                self.judge_in_turns(&planned, &nothing).await;
            }
        }
        let cause = discovered.facts.candidate.then(|| CANDIDATE.to_owned());
        RunOutcome { completion: self.completion(), cause }
    }

    /// The ending of a run that read no card.
    fn without_card(&self, token: &Result<(), String>, stopped: Option<&Verdict>) -> RunOutcome {
        // A card behind a login cannot be read without the token, and why there is none explains more than a 401.
        if let Err(why) = token {
            return RunOutcome::incomplete(why.clone());
        }
        match stopped {
            Some(verdict) if verdict.outcome == Outcome::Blocked => RunOutcome::incomplete(verdict.message.clone()),
            stopped => {
                let why = stopped.map(|verdict| verdict.message.clone()).filter(|why| !why.is_empty());
                RunOutcome { completion: self.completion(), cause: why }
            }
        }
    }

    /// Why the run ends before anything is sent to an interface, if the user gave credentials for one that does not exist,
    /// most likely by a typing error.
    fn unknown_lane(&self, lanes: &[Rc<Lane>]) -> Option<String> {
        let mut given = self.options.lanes.iter().chain(&self.options.second_lanes);
        let (name, _) = given.find(|(id, _)| lanes.iter().all(|lane| lane.id != *id))?;
        let known: Vec<_> = lanes.iter().map(|lane| lane.id.as_str()).collect();
        (!lanes.is_empty()).then(|| {
            format!(
                "credentials were given for the interface {name}, which this agent does not have; it has {}",
                known.join(", ")
            )
        })
    }

    /// Why the run ends before anything is sent to an interface, if the user named a skill that does not exist.
    fn unknown_skill(&self, card: &Card) -> Option<String> {
        let name = self.options.skills.iter().find(|id| card.skills.iter().all(|skill| skill.id != **id))?;
        let known: Vec<_> = card.skills.iter().map(|skill| skill.id.as_str()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Some(format!("the agent has no skill {name}; its skills are: {known}"))
    }

    /// Runs every lane, and compares those of one version.
    async fn run_lanes(&self, discovered: &Discovered, token: &Result<(), String>) -> LaneResults {
        let Discovered { interfaces: DeclaredInterfaces { lanes, .. }, facts, .. } = discovered;
        let plans = self.plan_lanes(lanes, facts);
        let left_out = left_out(self.areas, lanes, facts, &self.options);
        if !left_out.is_empty() {
            self.emit(Event::LeftOut(left_out));
        }
        let talking = Activity::Talking(
            lanes.iter().map(|lane| format!("{} {}", lane.binding.title, lane.dialect.version)).collect(),
        );
        self.emit(Event::Activity(talking.clone()));
        let mut results = LaneResults::default();
        // Side by side, but not so many that they keep each other waiting.
        for batch in plans.chunks(LANES_AT_ONCE.min(self.options.concurrency).max(1)) {
            self.run_batch(batch, facts, token, &talking, &mut results).await;
        }
        for plan in &plans {
            for comparison in &plan.comparisons {
                self.compare(&plan.lane, comparison, peer_of(&plan.lane, lanes), &results.ended, facts).await;
            }
        }
        let compared: Vec<_> = plans.into_iter().map(|plan| (plan.lane, plan.through_gateway)).collect();
        self.compare_gateway(discovered, &compared, &results.ended).await;
        let withheld = |lane: &Lane| self.withheld(lane, token).map(|lane| lane.verdict);
        self.drive_what_was_asked_for(lanes, &results.ended, facts, withheld).await;
        results
    }

    /// Plans every lane, and emits the rows.
    fn plan_lanes(&self, lanes: &[Rc<Lane>], facts: &RunFacts) -> Vec<LanePlan> {
        let plans: Vec<_> =
            lanes.iter().map(|lane| plan(self.areas, Some(lane), peer_of(lane, lanes), facts, &self.options)).collect();
        for planned in &plans {
            self.announce(planned);
        }
        let promised = plans.iter().map(|planned| usual_messages(planned)).sum();
        let examples = try_examples::allowance(facts, plans.iter().map(Vec::as_slice), promised);
        facts.prompts.learned.allowance.set(examples);
        if examples > 0 {
            self.emit(Event::Planned { rows: Vec::new(), messages: u32::try_from(examples).unwrap_or_default() });
        }
        let divide = |lane: &Rc<Lane>, planned: Vec<Planned>| {
            let (through_gateway, planned): (Vec<_>, Vec<_>) =
                planned.into_iter().partition(|planned| planned.scenario.scope == Scope::Gateway);
            let (comparisons, planned) = planned.into_iter().partition(|planned| planned.scenario.scope == Scope::Pair);
            LanePlan { lane: Rc::clone(lane), planned, comparisons, through_gateway }
        };
        lanes.iter().zip(plans).map(|(lane, planned)| divide(lane, planned)).collect()
    }

    /// Runs a few lanes side by side.
    async fn run_batch(
        &self,
        batch: &[LanePlan],
        facts: &Rc<RunFacts>,
        token: &Result<(), String>,
        talking: &Activity,
        results: &mut LaneResults,
    ) {
        let mut running = Vec::new();
        for LanePlan { lane, planned, .. } in batch {
            let withheld = self.withheld(lane, token);
            // Before any lane begins: no clock of a conversation runs while the browser asks.
            if withheld.is_none() {
                self.reach.ask_permission(&lane.interface.url, talking).await;
            }
            running.push(self.run_lane(lane, planned.clone(), facts, withheld));
        }
        for (plan, outcome) in batch.iter().zip(join_all(running).await) {
            results.add(&plan.lane, outcome);
        }
    }

    /// Why a lane is not called at all: the credentials for it are not there, or may not go there.
    fn withheld(&self, lane: &Lane, token: &Result<(), String>) -> Option<UnresponsiveLane> {
        let url = &lane.interface.url;
        let why = match token {
            Err(why) if self.credentials.sends_token(url, Some(&lane.id)) => why.clone(),
            _ if self.credentials.is_empty() || self.credentials.may_go_to(url) => return None,
            _ => {
                let origin = Url::parse(url).map(|url| url.origin()).unwrap_or_default();
                not_allowed("the card places this interface at", &origin)
            }
        };
        Some(UnresponsiveLane { verdict: Verdict::blocked(why), is_agents_fault: false })
    }

    /// How a run ended whose lanes were called.
    fn ending(&self, discovered: &Discovered, results: LaneResults) -> RunOutcome {
        let completion = match (self.session.exhausted(), results.unseen.first()) {
            (Some(why), _) => Completion::Incomplete(why),
            (None, Some(first)) if results.unseen.len() == discovered.interfaces.lanes.len() => {
                Completion::Incomplete(first.verdict.message.clone())
            }
            // Nothing is known of these, however well the others do.
            _ if discovered.interfaces.too_many > 0 => Completion::Incomplete(self.too_many_interfaces(discovered)),
            _ => self.completion(),
        };
        match cause::crash(&self.session.exchanges()) {
            // Checks that saw nothing for that reason count neither against the agent nor for it.
            Some(crash) => RunOutcome::incomplete(crash),
            None => RunOutcome { completion, cause: self.reach.cause().or_else(|| results.causes.into_iter().next()) },
        }
    }

    /// How many interfaces were not called because the card lists too many, and how to check them.
    fn too_many_interfaces(&self, discovered: &Discovered) -> String {
        let called = discovered.interfaces.lanes.len();
        let all = called + discovered.interfaces.too_many;
        format!(
            "{called} of the {} of the card were checked; to check all of them, run: a2a-conformance check {} --interfaces {all}",
            count_of(all, "interface"),
            self.address.url(),
        )
    }
}

impl LaneResults {
    fn add(&mut self, lane: &Rc<Lane>, outcome: LaneOutcome) {
        let LaneOutcome { transcripts, unresponsive } = outcome;
        let explains_all = |lane: &&UnresponsiveLane| {
            lane.is_agents_fault || transcripts.iter().all(|transcript| transcript.steps.is_empty())
        };
        let given_up = unresponsive.as_ref().filter(explains_all).map(|lane| lane.verdict.message.clone());
        self.causes.extend(given_up.or_else(|| cause::lane_cause(&transcripts)));
        // A fault of the agent is a result; a lane of which nothing was seen leaves the run incomplete.
        self.unseen.extend(unresponsive.filter(|lane| !lane.is_agents_fault));
        self.ended.push(Rc::new(Peer { lane: Rc::clone(lane), transcripts }));
    }
}

/// Why there is nothing to call.
fn no_lane(skipped: &[SkippedInterface]) -> String {
    skipped.first().map_or_else(
        || "the card declares no interface to call".to_owned(),
        |(name, reason)| format!("no declared interface can be checked: {name}: {reason}"),
    )
}

/// The lane that a lane is compared with: the first of its version, unless that is itself.
fn peer_of<'a>(lane: &Lane, lanes: &'a [Rc<Lane>]) -> Option<&'a Rc<Lane>> {
    // Over HTTP a version may have a dialect of its own.
    let first = lanes.iter().find(|other| other.dialect.is_version_of(lane.dialect))?;
    (first.id != lane.id).then_some(first)
}
