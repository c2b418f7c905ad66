//! State that the phases of a run share, and how they drive scenarios and judge checks.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use futures_util::lock::Mutex;

use crate::a2a::binding::ReplyKind;
use crate::a2a::model::ErrorName;
use crate::engine::by_lane::ByLane;
use crate::engine::catch_panic::catch_panic;
use crate::engine::check::{Area, Scenario, Scope};
use crate::engine::credentials::CredentialStore;
use crate::engine::discover::{Address, AddressProblem, normalise};
use crate::engine::drive::{Driver, DriverContext};
use crate::engine::event::{CheckResult, Completion, Emit, Event, Row, Tally};
use crate::engine::options::{Options, Source};
use crate::engine::plan::{Planned, messages};
use crate::engine::reach::ReachMonitor;
use crate::engine::requirement::Level;
use crate::engine::run_settings::RunSettings;
use crate::engine::session::{Session, SessionEvent};
use crate::engine::transcript::{Lane, Peer, RunFacts, Transcript};
use crate::engine::user_waits::Waits;
use crate::engine::verdict::{Conclusion, Outcome, Verdict, VerdictBasis};
use crate::host::Host;
use crate::wire::invisible::visible;
use crate::wire::json::clip;
use crate::wire::limits::LONGEST_FINDING;
use crate::wire::redact::Redactor;

use super::root_cause::{BlockedFinding, FindingContext, no_route};
use super::root_cause_access::checks_it_explains;
use super::root_cause_ids::other_task;
use super::root_cause_lane::LaneCauses;

/// The scenario that fetches the card, at the step `card`.
pub const DISCOVERY: &str = "discovery";
/// The check that recognises a card of the release candidate of 1.0.
const RELEASE_CANDIDATE_CHECK: &str = "card.release-candidate";
/// The cause of every failure of an agent that speaks the release candidate.
pub(super) const CANDIDATE: &str = "the agent uses the release candidate of 1.0, which 1.0 clients do not understand";

/// Why nothing but a card is judged when it was given by itself.
pub(super) const NOT_CALLED: &str = "only a card was given, and this check needs an answer of the agent";
/// Why no card is judged when an endpoint was given.
pub(super) const NO_CARD: &str = "only an endpoint was given, and this check needs the agent's card";

/// A suite: areas of scenarios.
pub type Areas = &'static [&'static Area];

/// State that the phases of a run share.
pub(super) struct RunContext {
    pub(super) session: Rc<Session>,
    pub(super) emit: Emit,
    pub(super) areas: Areas,
    pub(super) options: Options,
    pub(super) address: Rc<Address>,
    pub(super) reach: ReachMonitor,
    pub(super) credentials: Rc<CredentialStore>,
    /// Whether a lane has begun to try the agent's examples, which the first one does that comes to it.
    pub(super) are_examples_claimed: Cell<bool>,
    /// Held by that lane until they are tried: the others wait for it.
    pub(super) trying_examples: Arc<Mutex<()>>,
    /// The counts so far, but for the messages, which the session counts.
    pub(super) tally: RefCell<Tally>,
    pub(super) lane_findings: ByLane<LaneFindings>,
    /// What explains many findings of the lanes whose calls are over.
    pub(super) lane_causes: RefCell<Vec<LaneCauses>>,
}

/// What was found about a lane so far and explains later findings on it.
#[derive(Default)]
pub(super) struct LaneFindings {
    /// The checks that find no more than another does, each with the other.
    explained: Vec<(&'static str, &'static str)>,
    /// The check that says that the agent gives one answer to everything.
    pub(super) single_answer: Option<&'static str>,
    /// Whether the agent knows none of the lane's methods.
    pub(super) knows_no_method: bool,
    /// The ids that the agent gave to several tasks.
    pub(super) reused_ids: Vec<String>,
    /// The error with which the agent refuses every request with the tenant of its card.
    pub(super) tenant_refusal: Option<String>,
    /// The check that says that the agent returns another task than the one that was asked for.
    other_task: Option<&'static str>,
    /// The check that says that the agent has no route for an operation.
    missing_route: Option<&'static str>,
}

/// How a run ended.
pub(super) struct RunOutcome {
    pub(super) completion: Completion,
    /// One sentence on what explains most of what went wrong, if one cause does.
    pub(super) cause: Option<String>,
}

impl RunOutcome {
    pub(super) fn incomplete(why: String) -> Self {
        Self { completion: Completion::Incomplete(why.clone()), cause: Some(why) }
    }
}

/// Where a driver works, and what it may know of other scenarios and lanes. The default is for the card.
#[derive(Default)]
pub(super) struct DriverLane {
    pub(super) lane: Option<Rc<Lane>>,
    /// The transcripts of the scenarios that this one builds on.
    pub(super) before: Vec<Rc<Transcript>>,
    /// The lane to compare with.
    pub(super) peer: Option<Rc<Peer>>,
    /// How much depends on the scenario.
    pub(super) rank: u32,
}

/// Begins the record of a run with these options, masked by this redactor, and tells that it has begun.
pub(super) fn begin_session(
    host: Host,
    options: &Options,
    redactor: Redactor,
    emit: &Emit,
    waits: Waits,
) -> Rc<Session> {
    let wall_ms = host.clock.wall_ms();
    let to_run = Rc::clone(emit);
    let listener = Rc::new(move |event: SessionEvent| to_run(Event::from(event)));
    let session = Rc::new(Session::new(host, options, redactor, waits, listener));
    let settings = Box::new(RunSettings::from_options(options));
    emit(Event::Started { address: options.address.clone(), wall_ms, settings });
    session
}

impl RunContext {
    /// The state of a run that begins; an error is why its address cannot be checked.
    pub(super) fn new(
        session: &Rc<Session>,
        areas: Areas,
        options: Options,
        emit: &Emit,
    ) -> Result<Self, AddressProblem> {
        let address = Rc::new(normalise(match &options.source {
            // A card by itself has no address; nothing is ever sent to this one.
            Source::Card(_) => "localhost",
            Source::Discovery | Source::Endpoint(_) => &options.address,
        })?);
        Ok(Self {
            session: Rc::clone(session),
            emit: Rc::clone(emit),
            areas,
            reach: ReachMonitor::new(session, emit),
            credentials: Rc::new(CredentialStore::new(&options, &address.url())),
            options,
            address,
            are_examples_claimed: Default::default(),
            trying_examples: Default::default(),
            tally: Default::default(),
            lane_findings: Default::default(),
            lane_causes: Default::default(),
        })
    }

    pub(super) fn emit(&self, event: Event) {
        (self.emit)(event);
    }

    /// The counts so far.
    pub(super) fn tally(&self) -> Tally {
        Tally { messages: self.session.messages(), ..*self.tally.borrow() }
    }

    /// How a run ends in which nothing was in the way.
    pub(super) fn completion(&self) -> Completion {
        match &self.options.source {
            _ if self.options.is_written => Completion::Written,
            Source::Card(_) => Completion::CardOnly,
            Source::Endpoint(_) => Completion::EndpointOnly,
            Source::Discovery if self.options.only.is_empty() => Completion::Complete,
            Source::Discovery => Completion::Filtered,
        }
    }

    /// Whether nothing is sent to anybody.
    pub(super) const fn is_offline(&self) -> bool {
        matches!(self.options.source, Source::Card(_))
    }

    /// Emits the rows of a plan.
    pub(super) fn announce(&self, planned: &[Planned]) {
        let rows: Vec<Row> = planned.iter().flat_map(|planned| planned.rows.iter().cloned()).collect();
        self.tally.borrow_mut().total += u32::try_from(rows.len()).unwrap_or(u32::MAX);
        self.emit(Event::Planned { rows, messages: messages(planned) });
    }

    /// A driver whose deadline begins now.
    pub(super) fn driver(&self, scenario: &'static Scenario, facts: &Rc<RunFacts>, on: DriverLane) -> Driver {
        let version = on.lane.as_ref().map_or(facts.version, |lane| lane.dialect.version);
        let binding = on.lane.as_ref().map(|lane| lane.binding.slug);
        let checks = scenario.checks.iter().filter(|check| check.applies(version, binding));
        Driver::new(DriverContext {
            session: Rc::clone(&self.session),
            scenario: scenario.id,
            checks: checks.map(|check| check.id).collect(),
            lane: on.lane,
            facts: Rc::clone(facts),
            address: Rc::clone(&self.address),
            credentials: Rc::clone(&self.credentials),
            before: on.before,
            peer: on.peer,
            rank: on.rank,
            load: self.options.load,
            delegation: self.options.delegation.clone(),
        })
    }

    /// Drives a scenario from its beginning. Where there is a reason not to, that is all that its recording says.
    pub(super) async fn drive_unless(
        &self,
        why: Option<Verdict>,
        scenario: &'static Scenario,
        facts: &Rc<RunFacts>,
        on: DriverLane,
    ) -> Transcript {
        if why.is_some() {
            let DriverLane { lane, before, peer, .. } = on;
            let nothing = Transcript::without_steps(scenario.id, lane.as_ref(), facts);
            return Transcript { stopped: why, before, peer, ..nothing };
        }
        self.emit(Event::ScenarioStarted { scenario, lane: on.lane.clone() });
        drive(scenario, self.driver(scenario, facts, on)).await
    }

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

    pub(super) fn judge(&self, planned: &Planned, transcript: &Rc<Transcript>) {
        for row in &planned.rows {
            self.conclude(row, self.verdict(planned, row, transcript), transcript);
        }
    }

    fn verdict(&self, planned: &Planned, row: &Row, transcript: &Transcript) -> Verdict {
        if !self.options.wants(row.check.id) {
            return Verdict::not_run("this check was not selected");
        }
        if let Some(why) = &planned.without {
            return self.for_part(why.clone(), row, transcript);
        }
        // One finding instead of forty: the rules of 1.0 are not those that the card was written by.
        let explained = row.scenario.id == DISCOVERY || row.check.id == RELEASE_CANDIDATE_CHECK;
        if transcript.facts.candidate && !explained {
            return Verdict::blocked(CANDIDATE);
        }
        let mut verdict = judged(row, transcript);
        // The verdict of a test that a user wrote is reported unchanged.
        if row.check.own_level.is_some() {
            return verdict;
        }
        if verdict.outcome != Outcome::Fail {
            return self.for_part(verdict, row, transcript);
        }
        if let Some(BlockedFinding { verdict, by }) = self.explained(row, &mut verdict, transcript) {
            if let Some(lane) = &row.lane {
                self.lane_findings.with(&lane.id, |found| found.explained.push((row.check.id, by)));
            }
            return self.for_part(verdict, row, transcript);
        }
        self.for_part(self.naming_explained(verdict, row, transcript), row, transcript)
    }

    /// The root cause of a finding, if another check has found it.
    fn explained(&self, row: &Row, finding: &mut Verdict, transcript: &Transcript) -> Option<BlockedFinding> {
        let context = FindingContext { row, finding, transcript, options: &self.options };
        let lane = row.lane.as_deref();
        if let Some(by) = lane.and_then(|lane| self.lane_findings.with(&lane.id, |found| found.single_answer)) {
            let why = "the agent returns the same response to every request";
            return (row.check.id != by).then(|| context.blocked_by(by, why));
        }
        if let Some(refusal) =
            lane.and_then(|lane| self.lane_findings.with(&lane.id, |found| found.tenant_refusal.clone()))
        {
            return context.tenant_refused(&refusal);
        }
        let peer = transcript.peer.as_ref().map(|peer| &*peer.lane);
        if lane.into_iter().chain(peer).any(|lane| self.lane_findings.with(&lane.id, |found| found.knows_no_method)) {
            return context.no_known_method();
        }
        let reused_ids = lane.map(|lane| self.lane_findings.with(&lane.id, |found| found.reused_ids.clone()));
        let causes = self.lane_causes.borrow();
        context
            .no_endpoint()
            .or_else(|| causes.iter().find_map(|causes| context.one_of_many(causes)))
            .or_else(|| context.malformed_reply())
            .or_else(|| context.unknown_event())
            .or_else(|| context.renamed_operation())
            .or_else(|| context.unlisted_details())
            .or_else(|| context.no_operation())
            .or_else(|| context.no_list())
            .or_else(|| context.unprotected())
            .or_else(|| reused_ids.iter().flatten().find_map(|id| context.reused_id(id)))
            .or_else(|| self.other_task(row, finding, transcript))
            .or_else(|| self.no_route(row, finding, transcript))
    }

    /// The check that told already what a finding shows, where it is to be told once for each lane. Where none did, and the finding is of
    /// a must, this is the one that tells it.
    fn told_once(&self, row: &Row, teller: fn(&mut LaneFindings) -> &mut Option<&'static str>) -> Option<&'static str> {
        self.lane_findings.with(&row.lane.as_ref()?.id, |found| {
            let teller = teller(found);
            let told = *teller;
            *teller = told.or((row.level() == Level::Must).then_some(row.check.id));
            told
        })
    }

    /// Says where a finding is no more than that a route may be missing. It is one finding.
    fn no_route(&self, row: &Row, finding: &mut Verdict, transcript: &Transcript) -> Option<BlockedFinding> {
        let what = no_route(finding, transcript).filter(|_| row.lane.is_some())?;
        if let Some(by) = self.told_once(row, |found| &mut found.missing_route) {
            return Some(BlockedFinding::new(by, &what, finding));
        }
        if row.level() == Level::Must {
            finding.message = format!("{}; {what}", finding.message);
        }
        None
    }

    /// Says where a finding rests on another task than the one that was asked for. It is one finding.
    fn other_task(&self, row: &Row, finding: &mut Verdict, transcript: &Transcript) -> Option<BlockedFinding> {
        let what = other_task(finding, transcript).filter(|_| row.lane.is_some())?;
        if let Some(by) = self.told_once(row, |found| &mut found.other_task) {
            return Some(BlockedFinding::new(by, &what, finding));
        }
        let said = |conclusion: &Conclusion| {
            conclusion
                .expected
                .as_ref()
                .zip(conclusion.actual.as_ref())
                .map(|(expected, actual)| format!("expected {expected}, got {actual}"))
        };
        let is_plain = said(finding).is_some_and(|said| said == finding.message);
        if let Some(actual) = &mut finding.actual {
            *actual = format!("{actual} ({what})");
        }
        let message = said(finding).filter(|_| is_plain).unwrap_or_else(|| format!("{}; {what}", finding.message));
        finding.message = message;
        None
    }

    /// A finding with the checks that it leaves open.
    fn naming_explained(&self, verdict: Verdict, row: &Row, transcript: &Transcript) -> Verdict {
        let mut checks = checks_it_explains(row, transcript, &self.options);
        if let Some(lane) = &row.lane {
            self.lane_findings.with(&lane.id, |found| {
                let of_row = found.explained.iter().filter(|(_, by)| *by == row.check.id);
                checks.extend(of_row.map(|(check, _)| *check));
            });
        }
        if checks.is_empty() {
            return verdict;
        }
        let message = format!("{}; not judged for this reason: {}", verdict.message, checks.join(", "));
        verdict.because(message)
    }

    /// The same verdict in a run that has a card without its agent, or an agent without its card.
    fn for_part(&self, verdict: Verdict, row: &Row, transcript: &Transcript) -> Verdict {
        let lacks_extension = || {
            // The checks of all traffic are about the form of an answer, whatever it says.
            let is_about_answer = row.scenario.scope != Scope::Traffic;
            is_about_answer && rests_on(&verdict, transcript, ErrorName::ExtensionSupportRequired)
        };
        match (&self.options.source, verdict.outcome) {
            (Source::Card(_), Outcome::Blocked | Outcome::Inconclusive) => Verdict::not_observable(NOT_CALLED),
            (Source::Endpoint(_), Outcome::Fail) if lacks_extension() => {
                Verdict::inconclusive("the agent requires an extension, and there is no card that could name it")
            }
            (Source::Endpoint(_), Outcome::NotApplicable) if verdict.basis == VerdictBasis::Declaration => {
                Verdict::not_applicable("there is no card that could declare it")
            }
            _ => verdict,
        }
    }

    fn conclude(&self, row: &Row, mut verdict: Verdict, transcript: &Transcript) {
        let level = row.level();
        make_readable(&mut verdict);
        // A check of level may never fails: it notes.
        if level == Level::May && verdict.outcome == Outcome::Fail {
            verdict.outcome = Outcome::Note;
        }
        let read_from = |id: u32| transcript.steps.iter().find(|step| step.exchange.id == id);
        let durations_ms =
            verdict.exchanges.iter().filter_map(|id| read_from(*id)).map(|step| step.exchange.duration_ms());
        // Nobody measures more closely, and files have three decimals.
        let duration_ms = (durations_ms.sum::<f64>() * 1_000.0).round() / 1_000.0;
        let result = CheckResult { row: row.clone(), verdict, level, duration_ms };
        self.tally.borrow_mut().count(result.verdict.outcome, result.level);
        self.emit(Event::Judged { result: Rc::new(result), tally: self.tally() });
    }
}

/// Names what cannot be seen in the words of a verdict, in which stand values of the agent, and leaves out the rest of long ones.
fn make_readable(verdict: &mut Verdict) {
    let Conclusion { message, expected, actual, pointer, .. } = &mut **verdict;
    for text in [expected, actual, pointer].into_iter().flatten().chain([message]) {
        *text = clip(&visible(text), LONGEST_FINDING);
    }
}

/// Whether a finding was read from an answer that is this error.
fn rests_on(finding: &Verdict, transcript: &Transcript, name: ErrorName) -> bool {
    let is_it = |kind: &ReplyKind| matches!(kind, ReplyKind::Error(error) if error.name == Some(name));
    transcript.steps_behind(finding).any(|step| is_it(&step.reply.kind))
}

/// A check's verdict. A panic in it is our fault, not the agent's.
pub(super) fn judged(row: &Row, transcript: &Transcript) -> Verdict {
    let judge = || match (row.check.judge)(transcript) {
        Ok(verdict) | Err(verdict) => verdict,
    };
    catch_panic(judge, || {
        let id = row.check.id;
        Verdict::harness_error(format!("the check {id} failed because of a bug in this checker; please report it"))
    })
}

/// Drives a scenario's conversation to its end.
pub(super) async fn drive(scenario: &'static Scenario, driver: Driver) -> Transcript {
    match scenario.written {
        Some(test) => test.drive(&driver).await,
        None => (scenario.drive)(&driver).await,
    }
    driver.finish()
}
