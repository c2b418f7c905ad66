//! One lane of a run: its scenarios side by side, as far as the agent and the browser can take it.

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};

use super::context::{DriverLane, RunContext, drive, undriven};
use crate::a2a::binding::ReplyKind;
use crate::a2a::model::ErrorName;
use crate::engine::check::{Scenario, Scope};
use crate::engine::event::Event;
use crate::engine::plan::Planned;
use crate::engine::transcript::{Lane, RunFacts, Transcript, unavailable};
use crate::engine::verdict::Verdict;

/// The scenario that first calls a lane: when it gets no answer, the lane's others are blocked.
pub(super) const PROBE: &str = "probe";

/// How many event streams may be open at once: a browser has six connections for one host, and calls need some.
const MAX_STREAMS: u32 = 2;

/// A lane that is not called, or not called again after its first calls.
pub(super) struct UnresponsiveLane {
    /// The verdict of everything that is not driven for that reason.
    pub(super) verdict: Verdict,
    /// Whether the agent was seen to be at fault. Otherwise something kept us from seeing anything.
    pub(super) is_agents_fault: bool,
}

/// What came of a lane.
pub(super) struct LaneOutcome {
    /// Of the scenarios that were driven, in the order in which they ended.
    pub(super) transcripts: Vec<Rc<Transcript>>,
    /// Why the lane was given up, if it was.
    pub(super) unresponsive: Option<UnresponsiveLane>,
}

/// A scenario under way.
type Running = LocalBoxFuture<'static, (Planned, Transcript)>;

/// What a lane waited for.
enum Progress {
    /// A scenario ended.
    Ended(Planned, Transcript),
    /// A driver went idle, so that another scenario can begin.
    PlaceIsFree,
    /// Nothing is under way any more.
    AllEnded,
}

/// A lane under way.
struct LaneRun<'a> {
    run: &'a RunContext,
    lane: &'a Rc<Lane>,
    facts: &'a Rc<RunFacts>,
    /// How many scenarios may be busy at once.
    capacity: usize,
    /// The ids of all scenarios, of which others may wait for one.
    ids: Vec<&'static str>,
    waiting: Vec<Planned>,
    running: FuturesUnordered<Running>,
    /// Of every scenario that is over, driven or not.
    done: Vec<Rc<Transcript>>,
    /// Of those that were driven.
    driven: Vec<Rc<Transcript>>,
    unresponsive: Option<UnresponsiveLane>,
    /// How many streams those under way may have open.
    streams: u32,
    /// How many of those under way have streams.
    streaming: usize,
    /// How many of the drivers are idle.
    idle: Rc<Cell<usize>>,
}

impl RunContext {
    /// Runs a lane's plan. A lane that is given as unresponsive is judged without being called.
    pub(super) async fn run_lane(
        &self,
        lane: &Rc<Lane>,
        planned: Vec<Planned>,
        facts: &Rc<RunFacts>,
        capacity: usize,
        unresponsive: Option<UnresponsiveLane>,
    ) -> LaneOutcome {
        let (traffic, waiting): (Vec<_>, Vec<_>) =
            planned.into_iter().partition(|planned| planned.scenario.scope == Scope::Traffic);
        let mut lane_run = LaneRun {
            run: self,
            lane,
            facts,
            capacity,
            ids: waiting.iter().map(|planned| planned.scenario.id).collect(),
            waiting,
            running: FuturesUnordered::new(),
            done: Vec::new(),
            driven: Vec::new(),
            unresponsive,
            streams: 0,
            streaming: 0,
            idle: Rc::default(),
        };
        loop {
            lane_run.start_ready();
            match lane_run.progress().await {
                Progress::Ended(planned, transcript) => lane_run.conclude(&planned, transcript).await,
                Progress::PlaceIsFree => {}
                Progress::AllEnded => break,
            }
        }
        if lane_run.unresponsive.is_none() {
            self.reach.after_lane(&lane_run.driven).await;
        }
        lane_run.judge_traffic(traffic);
        LaneOutcome { transcripts: lane_run.driven, unresponsive: lane_run.unresponsive }
    }
}

impl LaneRun<'_> {
    /// Begins every scenario that may begin now, and judges those that are not driven.
    fn start_ready(&mut self) {
        let mut index = 0;
        while let Some(next) = self.waiting.get(index) {
            if !self.may_begin(next.scenario) {
                index += 1;
                continue;
            }
            let next = self.waiting.remove(index);
            match self.not_driven(&next) {
                Some(why) => {
                    self.skip(&next, why);
                    // Others may have waited for this one only.
                    index = 0;
                }
                None => self.start(next),
            }
        }
    }

    /// Whether the scenarios that this one builds on are over, and there is room for it.
    fn may_begin(&self, scenario: &Scenario) -> bool {
        let is_ready =
            scenario.after.iter().all(|id| Transcript::of(&self.done, id).is_some() || !self.ids.contains(id));
        let has_streams = scenario.streams > 0;
        let too_many_streams = has_streams && self.streams > 0 && self.streams + scenario.streams > MAX_STREAMS;
        is_ready && !too_many_streams && (self.may_exceed(scenario) || self.busy() < self.capacity.max(1))
    }

    /// Whether the user wants one thing at a time.
    fn is_strict(&self) -> bool {
        self.run.options.concurrency <= 1
    }

    /// Whether a scenario may begin although the lane is at its capacity: one with streams mostly waits for the agent's
    /// work, which costs the agent nothing.
    fn may_exceed(&self, scenario: &Scenario) -> bool {
        !self.is_strict() && scenario.streams > 0
    }

    /// How many scenarios keep the agent busy.
    fn busy(&self) -> usize {
        let waiting_for_agent = if self.is_strict() { 0 } else { self.idle.get() + self.streaming };
        self.running.len().saturating_sub(waiting_for_agent)
    }

    /// Why a scenario is not driven, if it is not.
    fn not_driven(&self, planned: &Planned) -> Option<Verdict> {
        let unresponsive = || self.unresponsive.as_ref().map(|lane| lane.verdict.clone());
        let exhausted = || self.run.session.exhausted().map(Verdict::not_run);
        planned.without.clone().or_else(unresponsive).or_else(exhausted)
    }

    fn skip(&mut self, planned: &Planned, why: Verdict) {
        let transcript = Rc::new(Transcript {
            before: self.before(planned.scenario),
            stopped: Some(why),
            ..undriven(planned.scenario.id, Some(self.lane), self.facts)
        });
        self.run.judge(planned, &transcript);
        self.done.push(transcript);
    }

    fn start(&mut self, planned: Planned) {
        let scenario = planned.scenario;
        self.streams += scenario.streams;
        self.streaming += usize::from(scenario.streams > 0);
        self.run.emit(Event::ScenarioStarted { scenario, lane: Some(Rc::clone(self.lane)) });
        let on = DriverLane {
            lane: Some(Rc::clone(self.lane)),
            before: self.before(scenario),
            peer: None,
            idle: Rc::clone(&self.idle),
        };
        let driver = self.run.driver(scenario, self.facts, on);
        self.running.push(async move { (planned, drive(scenario, driver).await) }.boxed_local());
    }

    /// The transcripts of the scenarios that this one builds on.
    fn before(&self, scenario: &Scenario) -> Vec<Rc<Transcript>> {
        scenario.after.iter().filter_map(|id| Transcript::of(&self.done, id).cloned()).collect()
    }

    /// Waits until a scenario ends, or leaves its place to another that waits.
    async fn progress(&mut self) -> Progress {
        let idle_before = self.idle.get();
        poll_fn(|cx| match self.running.poll_next_unpin(cx) {
            Poll::Ready(Some((planned, transcript))) => Poll::Ready(Progress::Ended(planned, transcript)),
            Poll::Ready(None) => Poll::Ready(Progress::AllEnded),
            Poll::Pending if self.idle.get() > idle_before && !self.waiting.is_empty() => {
                Poll::Ready(Progress::PlaceIsFree)
            }
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    /// Judges a scenario that ended. After the probe it is known whether the lane answers.
    async fn conclude(&mut self, planned: &Planned, transcript: Transcript) {
        self.streams -= planned.scenario.streams;
        self.streaming -= usize::from(planned.scenario.streams > 0);
        let transcript = Rc::new(transcript);
        let mut planned = planned.clone();
        if planned.scenario.id == PROBE {
            self.unresponsive = unresponsive(&transcript);
            if self.facts.without_card && self.unresponsive.is_none() {
                self.unresponsive = needs_card(&transcript);
                // It was not asked as it wants to be, so that its answer shows nothing.
                planned.without = self.unresponsive.as_ref().map(|lane| lane.verdict.clone());
            }
            if let Some(diagnosis) = self.run.reach.after_probe(&transcript).await
                && let Some(lane) = &mut self.unresponsive
            {
                lane.verdict = diagnosis.verdict(lane.verdict.exchanges.first().copied().unwrap_or_default());
            }
        }
        self.run.judge(&planned, &transcript);
        self.done.push(Rc::clone(&transcript));
        self.driven.push(transcript);
    }

    /// Judges the scenarios without a conversation by everything that the others recorded.
    fn judge_traffic(&self, traffic: Vec<Planned>) {
        let steps: Vec<_> = self.driven.iter().flat_map(|transcript| transcript.steps.iter().cloned()).collect();
        for planned in traffic {
            let unresponsive = || self.unresponsive.as_ref().map(|lane| lane.verdict.clone());
            let transcript = Transcript {
                steps: steps.clone(),
                stopped: planned.without.clone().or_else(unresponsive),
                ..undriven(planned.scenario.id, Some(self.lane), self.facts)
            };
            self.run.judge(&planned, &Rc::new(transcript));
        }
    }
}

/// Why a lane is not called again after its first calls, if it is not. One that answers any of them in its binding is: an
/// operation that is missing says nothing about the others.
pub(super) fn unresponsive(probe: &Transcript) -> Option<UnresponsiveLane> {
    let speaks = |kind: &ReplyKind| match kind {
        ReplyKind::Result(_) | ReplyKind::Stream(_) => true,
        ReplyKind::Error(error) => error.name != Some(ErrorName::VersionNotSupported),
        _ => false,
    };
    if probe.steps.iter().any(|step| speaks(&step.reply.kind)) {
        return None;
    }
    let step = probe.steps.last()?;
    let was_called_twice = probe.steps.len() > 1;
    let (verdict, is_agents_fault) = match &step.reply.kind {
        ReplyKind::NoAnswer(why) => {
            let which = if was_called_twice { "" } else { " the first call" };
            (Verdict::blocked(format!("the interface did not answer{which}: {why}")), false)
        }
        ReplyKind::Unavailable(status) => (unavailable(*status), false),
        ReplyKind::Unreadable(what) if was_called_twice => {
            (Verdict::blocked(format!("the interface does not speak its binding: it returns {what}")), true)
        }
        ReplyKind::Error(error) if was_called_twice && error.name == Some(ErrorName::VersionNotSupported) => {
            (Verdict::blocked("the interface refuses the protocol version that the card declares for it"), true)
        }
        _ => return None,
    };
    Some(UnresponsiveLane { verdict: verdict.seen_in(step.exchange.id), is_agents_fault })
}

/// Why an endpoint that was given without a card is not called again after its first call: it wants something in every call
/// that only its card would tell.
fn needs_card(probe: &Transcript) -> Option<UnresponsiveLane> {
    let step = probe.steps.first()?;
    let ReplyKind::Error(error) = &step.reply.kind else { return None };
    let wants_more = [
        ErrorName::InvalidParams,
        ErrorName::InvalidRequest,
        ErrorName::ExtensionSupportRequired,
        ErrorName::VersionNotSupported,
    ];
    let wants_more = wants_more.into_iter().any(|name| error.is(name));
    wants_more.then(|| UnresponsiveLane {
        verdict: Verdict::blocked(format!(
            "the endpoint refuses a plain call with {}; only its card would tell what calls need (a tenant, an extension, \
             another version)",
            step.reply.kind.describe()
        ))
        .seen_in(step.exchange.id),
        is_agents_fault: false,
    })
}
