//! One lane of a run: its scenarios side by side, how many event streams at once, and when a lane is not called again after its
//! first calls.

use std::cmp::Reverse;
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use futures_util::future::LocalBoxFuture;
use futures_util::lock::OwnedMutexGuard;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};

use super::access_denied::{GRPC_HEALTH, access_denied, refused_in_answer, refused_in_words};
use super::context::{DriverLane, RunContext, drive, judged};
use super::root_cause::{ACCEPTS_TEXT, PROBE, SEND, knows_no_method};
use super::root_cause_ids::{CANCELS, rests_on_id, reused_ids, tenant_refusal};
use super::root_cause_lane::{LaneCauses, WaitingFinding, is_no_result, may_be_of_many};
use super::try_examples::EXAMPLES_SCENARIO;
use crate::a2a::binding::ReplyKind;
use crate::a2a::model::ErrorName;
use crate::engine::cause::{gives_single_answer, may_give_single_answer};
use crate::engine::check::{Scenario, Scope};
use crate::engine::event::{Event, Row};
use crate::engine::plan::Planned;
use crate::engine::requirement::Level;
use crate::engine::transcript::{Lane, RunFacts, Step, Transcript};
use crate::engine::verdict::{Outcome, Verdict};
use crate::wire::numbers::Numbers;
use crate::wire::order;

/// How many event streams may be open at once: a browser has six connections for one host, and calls need some.
const MAX_STREAMS: u32 = 2;

/// A lane that is not called, or not called again after its first calls.
pub(super) struct UnresponsiveLane {
    /// The verdict of everything that is not driven for that reason.
    pub(super) verdict: Verdict,
    /// Whether the agent was seen to be at fault. Otherwise something kept us from seeing anything.
    pub(super) is_agents_fault: bool,
}

pub(super) struct LaneOutcome {
    /// Of the scenarios that were driven, in the order in which they ended.
    pub(super) transcripts: Vec<Rc<Transcript>>,
    /// Why the lane was given up, if it was.
    pub(super) unresponsive: Option<UnresponsiveLane>,
}

/// A scenario under way.
type Running = LocalBoxFuture<'static, (Planned, Transcript)>;

/// The event that a lane waited for.
enum LaneEvent {
    /// A scenario ended.
    Ended(Planned, Transcript),
    /// Another scenario can begin.
    PlaceIsFree,
    /// Nothing is under way any more.
    AllEnded,
}

/// A lane under way.
struct LaneRun<'a> {
    run: &'a RunContext,
    lane: &'a Rc<Lane>,
    facts: &'a Rc<RunFacts>,
    /// The ids of all scenarios, of which others may wait for one, with how much depends on each.
    ranks: Vec<(&'static str, u32)>,
    waiting: Vec<Planned>,
    running: FuturesUnordered<Running>,
    /// Of every scenario that is over, driven or not.
    done: Vec<Rc<Transcript>>,
    /// Of those that were driven.
    driven: Vec<Rc<Transcript>>,
    /// Those that are over, and whose checks wait for what others record.
    postponed: Vec<(Planned, Rc<Transcript>)>,
    /// Findings that another may explain when all calls are over.
    waiting_findings: Vec<(Planned, Rc<Transcript>)>,
    unresponsive: Option<UnresponsiveLane>,
    /// The scenarios under way that may have streams open.
    streaming: Vec<&'static Scenario>,
    /// While this lane tries the agent's examples.
    trying_examples: Option<OwnedMutexGuard<()>>,
}

impl RunContext {
    /// Runs a lane's plan. A lane that is given as unresponsive is judged without being called.
    pub(super) async fn run_lane(
        &self,
        lane: &Rc<Lane>,
        planned: Vec<Planned>,
        facts: &Rc<RunFacts>,
        unresponsive: Option<UnresponsiveLane>,
    ) -> LaneOutcome {
        let (traffic, mut waiting): (Vec<_>, Vec<_>) =
            planned.into_iter().partition(|planned| planned.scenario.scope == Scope::Traffic);
        if facts.prompts.learned.allowance.get() > 0 {
            waiting.push(Planned { scenario: &EXAMPLES_SCENARIO, rows: Vec::new(), without: None });
        }
        let mut lane_run = LaneRun {
            run: self,
            lane,
            facts,
            ranks: ranks(&waiting),
            waiting,
            running: FuturesUnordered::new(),
            done: Vec::new(),
            driven: Vec::new(),
            postponed: Vec::new(),
            waiting_findings: Vec::new(),
            unresponsive,
            streaming: Vec::new(),
            trying_examples: None,
        };
        loop {
            lane_run.start_next();
            match lane_run.progress().await {
                LaneEvent::Ended(planned, transcript) => {
                    lane_run.conclude(&planned, transcript).await;
                    lane_run.judge_postponed(false).await;
                }
                LaneEvent::PlaceIsFree => {}
                LaneEvent::AllEnded => break,
            }
        }
        if lane_run.unresponsive.is_none() {
            self.reach.after_lane(&lane_run.driven).await;
        }
        let last = lane_run.take_single_answer_check();
        if let Some(refusal) = tenant_refusal(&lane_run.driven).filter(|_| lane_run.unresponsive.is_none()) {
            self.lane_findings.with(&lane.id, |found| found.tenant_refusal = Some(refusal));
        }
        lane_run.judge_postponed(true).await;
        self.lane_findings.with(&lane.id, |found| found.reused_ids = reused_ids(&lane_run.driven));
        lane_run.judge_waiting_findings().await;
        lane_run.judge_traffic(traffic).await;
        // It names those that it explains.
        if let Some((planned, transcript)) = last {
            self.judge_in_turns(&planned, &transcript).await;
        }
        LaneOutcome { transcripts: lane_run.driven, unresponsive: lane_run.unresponsive }
    }
}

impl LaneRun<'_> {
    /// Judges the scenarios that are not driven and whose turn has come, and begins the next of the others if it may begin
    /// now. One at a time: only when its first calls are in line is it known whether there is room for another.
    fn start_next(&mut self) {
        while let Some((index, why)) = self.next_skipped() {
            let planned = self.waiting.remove(index);
            self.skip(&planned, why);
        }
        if let Some(index) = self.next() {
            let planned = self.waiting.remove(index);
            self.start(planned);
        }
    }

    fn next_skipped(&self) -> Option<(usize, Verdict)> {
        let ready = self.waiting.iter().enumerate().filter(|(_, planned)| self.is_ready(planned.scenario));
        ready.into_iter().find_map(|(index, planned)| Some((index, self.reason_to_skip(planned)?)))
    }

    /// The scenario that begins next, if one may begin now: the one on which most depends.
    fn next(&self) -> Option<usize> {
        let may_begin = self.waiting.iter().enumerate().filter(|(_, planned)| self.may_begin(planned.scenario));
        may_begin.max_by_key(|(index, planned)| (self.rank(planned.scenario), Reverse(*index))).map(|(index, _)| index)
    }

    /// Whether the scenarios that this one builds on are over.
    fn is_ready(&self, scenario: &Scenario) -> bool {
        let is_its_turn = || {
            self.running.is_empty()
                && self.waiting.iter().all(|planned| planned.scenario.is_last || planned.without.is_some())
        };
        scenario.after.iter().all(|id| self.is_over(id)) && (!scenario.is_last || is_its_turn())
    }

    /// Whether a scenario is ready, and there is room for it.
    fn may_begin(&self, scenario: &Scenario) -> bool {
        let gate = &self.run.session.gate;
        let may_stream = self.streaming.iter().filter(|other| !gate.has_no_more_streams(other.id, &self.lane.id));
        let streams: u32 = may_stream.map(|other| other.streams).sum();
        let too_many_streams = scenario.streams > 0 && streams > 0 && streams + scenario.streams > MAX_STREAMS;
        let has_room =
            if gate.is_strict() { self.running.is_empty() } else { gate.is_first_in_line(self.rank(scenario)) };
        has_room && !too_many_streams && self.is_ready(scenario)
    }

    fn rank(&self, scenario: &Scenario) -> u32 {
        self.ranks.iter().find(|(id, _)| *id == scenario.id).map_or(scenario.rounds, |(_, rank)| *rank)
    }

    /// Why a scenario is not driven, if it is not.
    fn reason_to_skip(&self, planned: &Planned) -> Option<Verdict> {
        let unresponsive = || self.unresponsive.as_ref().map(|lane| lane.verdict.clone());
        let exhausted = || self.run.session.exhausted().map(Verdict::not_run);
        planned.without.clone().or_else(unresponsive).or_else(exhausted)
    }

    fn skip(&mut self, planned: &Planned, why: Verdict) {
        let transcript = Rc::new(Transcript {
            before: self.before(planned.scenario),
            stopped: Some(why),
            ..Transcript::without_steps(planned.scenario.id, Some(self.lane), self.facts)
        });
        self.run.judge(planned, &transcript);
        self.done.push(transcript);
    }

    fn start(&mut self, planned: Planned) {
        let scenario = planned.scenario;
        if scenario.id == EXAMPLES_SCENARIO.id {
            if self.run.are_examples_claimed.replace(true) {
                return self.await_examples(planned);
            }
            self.trying_examples = self.run.trying_examples.try_lock_owned();
        }
        self.streaming.extend((scenario.streams > 0).then_some(scenario));
        self.run.emit(Event::ScenarioStarted { scenario, lane: Some(Rc::clone(self.lane)) });
        let on = DriverLane {
            lane: Some(Rc::clone(self.lane)),
            before: self.before(scenario),
            peer: None,
            rank: self.rank(scenario),
        };
        let driver = self.run.driver(scenario, self.facts, on);
        self.running.push(async move { (planned, drive(scenario, driver).await) }.boxed_local());
    }

    /// Waits for what another lane finds out about the examples.
    fn await_examples(&self, planned: Planned) {
        let (are_tried, lane, facts) =
            (Arc::clone(&self.run.trying_examples).lock_owned(), Rc::clone(self.lane), Rc::clone(self.facts));
        let wait = async move {
            drop(are_tried.await);
            (planned, Transcript::without_steps(EXAMPLES_SCENARIO.id, Some(&lane), &facts))
        };
        self.running.push(wait.boxed_local());
    }

    /// The transcripts of the scenarios that this one builds on.
    fn before(&self, scenario: &Scenario) -> Vec<Rc<Transcript>> {
        scenario.after.iter().filter_map(|id| Transcript::find(&self.done, id).cloned()).collect()
    }

    /// Waits until a scenario ends, or another can begin.
    async fn progress(&mut self) -> LaneEvent {
        poll_fn(|cx| {
            let ended = self.running.poll_next_unpin(cx);
            let gate = &self.run.session.gate;
            match ended {
                Poll::Ready(Some((planned, transcript))) => return Poll::Ready(LaneEvent::Ended(planned, transcript)),
                _ if self.next().is_some() => return Poll::Ready(LaneEvent::PlaceIsFree),
                Poll::Ready(None) if self.waiting.is_empty() || gate.is_quiet() => {
                    return Poll::Ready(LaneEvent::AllEnded);
                }
                _ => {}
            }
            gate.observe(cx.waker());
            Poll::Pending
        })
        .await
    }

    /// Judges a scenario that ended. After the probe it is known whether the lane answers.
    async fn conclude(&mut self, planned: &Planned, transcript: Transcript) {
        if planned.scenario.id == EXAMPLES_SCENARIO.id {
            self.trying_examples = None;
        }
        self.streaming.retain(|other| other.id != planned.scenario.id);
        let transcript = Rc::new(transcript);
        let mut planned = planned.clone();
        if planned.scenario.id == PROBE {
            self.unresponsive = unresponsive(&transcript);
            if knows_no_method(&transcript) {
                self.run.lane_findings.with(&self.lane.id, |found| found.knows_no_method = true);
            }
            if self.facts.without_card && self.unresponsive.is_none() {
                self.unresponsive = needs_card(&transcript);
                // It was not asked as it wants to be, so that its answer shows nothing.
                planned.without = self.unresponsive.as_ref().map(|lane| lane.verdict.clone());
            }
            if let Some(verdict) = refused_in_words(&transcript) {
                // Nor was it where it lets in only whom it knows.
                planned.without = Some(verdict.clone());
                self.unresponsive = Some(UnresponsiveLane { verdict, is_agents_fault: false });
            }
            if let Some(diagnosis) = self.run.reach.after_probe(&transcript).await
                && let Some(lane) = &mut self.unresponsive
            {
                lane.verdict = diagnosis.verdict(lane.verdict.exchanges.first().copied().unwrap_or_default());
            }
        }
        if planned.scenario.id == SEND
            && self.unresponsive.is_none()
            && let Some(verdict) = refused_in_answer(&transcript)
        {
            self.unresponsive = Some(UnresponsiveLane { verdict, is_agents_fault: false });
        }
        self.done.push(Rc::clone(&transcript));
        self.driven.push(Rc::clone(&transcript));
        let scenario = planned.scenario;
        let is_complete = scenario.judged_after.is_empty() && !scenario.needs_task_at_work;
        if is_complete && !self.may_give_single_answer() {
            self.judge(planned, &transcript).await;
        } else {
            self.postponed.push((planned, transcript));
        }
    }

    /// Judges the scenarios that waited only for others that are over; at the end of the lane, all that are left.
    async fn judge_postponed(&mut self, is_end: bool) {
        let waits_for_all = !is_end && self.may_give_single_answer();
        for (planned, transcript) in std::mem::take(&mut self.postponed) {
            let sources = planned.scenario.judged_after;
            let is_complete = !planned.scenario.needs_task_at_work && sources.iter().all(|id| self.is_over(id));
            if waits_for_all || (!is_end && !is_complete) {
                self.postponed.push((planned, transcript));
                continue;
            }
            let mut transcript = Transcript::clone(&transcript);
            transcript.before.extend(sources.iter().filter_map(|id| Transcript::find(&self.done, id).cloned()));
            self.judge(planned, &Rc::new(transcript)).await;
        }
    }

    /// Judges the rows of a scenario, but for findings that another may explain when all calls are over.
    async fn judge(&mut self, planned: Planned, transcript: &Rc<Transcript>) {
        // Nothing is judged twice for nothing.
        let has_refusal = transcript.steps.iter().any(|step| is_no_result(step));
        let may_be_explained = |row: &Row| {
            let rests_on_id = rests_on_id(row.check.id);
            (rests_on_id || has_refusal) && {
                let verdict = judged(row, transcript);
                verdict.outcome == Outcome::Fail && (rests_on_id || may_be_of_many(&verdict, transcript))
            }
        };
        let is_driven = planned.without.is_none() && planned.scenario.written.is_none();
        let (mut findings, rows): (Vec<_>, Vec<_>) =
            planned.rows.iter().cloned().partition(|row| is_driven && may_be_explained(row));
        self.run.judge_in_turns(&Planned { rows, ..planned.clone() }, transcript).await;
        // Where another task was read than the one that was asked for, this one says it best.
        order::sort_by_key(&mut findings, |row| row.check.id != "get.consistent-ids");
        self.waiting_findings.push((Planned { rows: findings, ..planned }, Rc::clone(transcript)));
    }

    /// Judges the findings that waited for the end of all calls. A finding that explains others names them, so that it comes last.
    async fn judge_waiting_findings(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting_findings);
        order::sort_by_key(&mut waiting, |(planned, _)| planned.rows.iter().all(|row| row.check.id != CANCELS));
        let findings = waiting.iter().flat_map(|(planned, transcript)| {
            planned.rows.iter().map(|row| WaitingFinding { row, verdict: judged(row, transcript), transcript })
        });
        let findings: Vec<_> = findings.collect();
        let causes = LaneCauses::new(self.lane, &self.driven, &findings, &self.run.options);
        let mut last = Vec::new();
        for (planned, _) in &mut waiting {
            let (told, others) = planned.rows.drain(..).partition(|row| causes.is_told_by(row));
            planned.rows = others;
            last.push(told);
        }
        self.run.lane_causes.borrow_mut().push(causes);
        for (planned, transcript) in &waiting {
            self.run.judge_in_turns(planned, transcript).await;
        }
        for ((planned, transcript), rows) in waiting.iter().zip(last) {
            self.run.judge_in_turns(&Planned { rows, ..planned.clone() }, transcript).await;
        }
    }

    /// Whether the agent has said only one thing so far, or refused every request with a tenant. Then it is soon known whether that
    /// explains everything.
    fn may_give_single_answer(&self) -> bool {
        self.unresponsive.is_none() && (may_give_single_answer(&self.driven) || tenant_refusal(&self.driven).is_some())
    }

    /// Where the agent said only one thing, takes out the check that is to say so: a must that fails for it.
    fn take_single_answer_check(&mut self) -> Option<(Planned, Rc<Transcript>)> {
        if self.unresponsive.is_some() || !gives_single_answer(&self.driven) {
            return None;
        }
        let waiting = self
            .postponed
            .iter()
            .enumerate()
            .filter(|(_, (planned, _))| planned.without.is_none() && planned.scenario.judged_after.is_empty());
        let rows = waiting.flat_map(|(index, (planned, transcript))| {
            planned.rows.iter().enumerate().map(move |(row, of)| (index, row, of, transcript))
        });
        let mut failing = rows.filter(|(_, _, row, transcript)| {
            let is_wanted = row.level() == Level::Must && self.run.options.wants(row.check.id);
            is_wanted && judged(row, transcript).outcome == Outcome::Fail
        });
        // That no message is accepted says most.
        let first = failing.next()?;
        let best = if first.2.check.id == ACCEPTS_TEXT {
            None
        } else {
            failing.find(|(_, _, row, _)| row.check.id == ACCEPTS_TEXT)
        };
        let (index, row, ..) = best.unwrap_or(first);
        let (planned, transcript) = self.postponed.get_mut(index)?;
        let row = planned.rows.remove(row);
        self.run.lane_findings.with(&self.lane.id, |found| found.single_answer = Some(row.check.id));
        Some((Planned { rows: vec![row], ..planned.clone() }, Rc::clone(transcript)))
    }

    /// Whether a scenario is over, or was never planned.
    fn is_over(&self, id: &str) -> bool {
        Transcript::find(&self.done, id).is_some() || !self.ranks.iter().any(|(known, _)| *known == id)
    }

    /// Judges the scenarios without a conversation by everything that the others recorded.
    async fn judge_traffic(&self, traffic: Vec<Planned>) {
        // An answer that one scenario took over from another counts once.
        let mut seen = Numbers::default();
        let all = self.driven.iter().flat_map(|transcript| transcript.steps.iter().cloned());
        let steps: Vec<_> = all.filter(|step| step.exchange.id == 0 || seen.insert(step.exchange.id)).collect();
        for planned in traffic {
            let unresponsive = || self.unresponsive.as_ref().map(|lane| lane.verdict.clone());
            let transcript = Transcript {
                steps: steps.clone(),
                asides: self.driven.iter().flat_map(|transcript| transcript.asides.iter().cloned()).collect(),
                stopped: planned.without.clone().or_else(unresponsive),
                run_cut_short: self.run.session.exhausted().map(Verdict::not_run),
                ..Transcript::without_steps(planned.scenario.id, Some(self.lane), self.facts)
            };
            self.run.judge_in_turns(&planned, &Rc::new(transcript)).await;
        }
    }
}

/// How many answers each of the scenarios and those that build on it wait for one after another.
fn ranks(planned: &[Planned]) -> Vec<(&'static str, u32)> {
    planned.iter().map(|planned| planned.scenario).map(|scenario| (scenario.id, rank(scenario, planned))).collect()
}

fn rank(scenario: &Scenario, planned: &[Planned]) -> u32 {
    let driven = planned.iter().filter(|planned| planned.without.is_none()).map(|planned| planned.scenario);
    let driven = driven.filter(|other| !other.is_last);
    let dependents = driven.filter(|other| other.after.contains(&scenario.id));
    scenario.rounds + dependents.map(|other| rank(other, planned)).max().unwrap_or_default()
}

/// The step of the probe that asks an interface over gRPC for its services.
pub const GRPC_REFLECTION: &str = "grpc-reflection";

/// The steps of the probe that look what is at the URL of an interface that takes no calls, and where calls are answered instead.
pub const AT_URL: &str = "at-url";
/// The second of them.
pub const ELSEWHERE: &str = "elsewhere";

/// Why a lane is not called again after its first calls, if it is not. One that answers any of them in its binding is: an
/// operation that is missing says nothing about the others.
pub(super) fn unresponsive(probe: &Transcript) -> Option<UnresponsiveLane> {
    let speaks = |kind: &ReplyKind| match kind {
        ReplyKind::Result(_) | ReplyKind::Stream(_) => true,
        ReplyKind::Error(error) => error.name != Some(ErrorName::VersionNotSupported) && !error.is_missing_method(),
        _ => false,
    };
    let is_call = |step: &&Rc<Step>| ![GRPC_HEALTH, GRPC_REFLECTION, AT_URL, ELSEWHERE].contains(&step.name);
    if probe.steps.iter().filter(is_call).any(|step| speaks(&step.reply.kind)) {
        return None;
    }
    let step = probe.steps.iter().rfind(is_call)?;
    let was_called_twice = probe.steps.iter().filter(is_call).count() > 1;
    let (verdict, is_agents_fault) = match &step.reply.kind {
        ReplyKind::NoAnswer(why) => {
            let which = if was_called_twice { "" } else { " the first call" };
            (Verdict::blocked(format!("the interface did not answer{which}: {why}")), false)
        }
        ReplyKind::Unavailable(status) => (access_denied(probe, step, *status), false),
        ReplyKind::Unreadable(what) if was_called_twice => {
            (Verdict::blocked(format!("the interface does not speak its binding: it returns {what}")), true)
        }
        ReplyKind::Error(error) if was_called_twice && error.is_missing_method() => {
            (Verdict::blocked("the interface has no method of the service that its version defines"), true)
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
        verdict: step.blocked(format!(
            "the endpoint refuses a plain call with {}; only its card would tell what calls need (a tenant, an extension, \
             another version)",
            step.reply.kind.describe()
        )),
        is_agents_fault: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::transcript::examples::{error, recorded, step};

    #[test]
    fn an_interface_that_answers_in_its_binding_is_called_on_unless_it_refuses_the_version_or_the_method() {
        for (name, is_unresponsive) in [
            (ErrorName::TaskNotFound, false),
            (ErrorName::Internal, false),
            (ErrorName::VersionNotSupported, true),
            (ErrorName::MethodNotFound, false),
        ] {
            let probe = recorded("probe", [1, 2].map(|number| step("call", number, error(name))));
            assert_eq!(unresponsive(&probe).is_some(), is_unresponsive, "{name:?}");
        }
    }
}
