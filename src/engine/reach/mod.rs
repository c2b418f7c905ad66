//! Reach: whether this host can see the agent at all, stage by stage, judged before anything is judged of the agent; how many
//! failures are looked into. When a stage fails, what comes after it is blocked, and a diagnosis says why and what to do.

mod classify;
pub mod diagnosis;
mod ladder;
mod reason;
mod triage;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::future::{LocalBoxFuture, select};

pub use classify::{Observations, ReachFinding, classify};
pub use diagnosis::{Diagnosis, StageResult, StageStatus};
pub use ladder::{ProbeResult, preflighted_headers};
pub use reason::{Action, LikelyCause, ReachReason, ReasonId, Stage};
pub use triage::{Triage, triage};

use super::cause;
use super::event::{Activity, Emit, Event};
use super::session::Session;
use super::transcript::{Step, Transcript};
use crate::a2a::binding::ReplyKind;
use crate::host::probe::{PageOrigin, Permission, Probe, ProbeMode, ProbeOutcome, Prober};
use crate::wire::exchange::{End, Response, TransportErrorKind};
use crate::wire::http::{Method, Request};
use crate::wire::order;

/// How long the browser's question may stay open before we stop waiting, in milliseconds. Firefox gives up then too.
const QUESTION_MS: f64 = 300_000.0;

/// How many different failures of one lane are looked into.
const MAX_INVESTIGATED: usize = 2;

/// Watches over the stages of one run. Where the host sees causes itself there is no prober, and nothing to do.
pub struct ReachMonitor {
    session: Rc<Session>,
    emit: Emit,
    /// The diagnoses so far.
    diagnoses: RefCell<Vec<Rc<Diagnosis>>>,
    /// Whether the browser was made to ask its user, which it does once.
    asked_user: Cell<bool>,
}

impl ReachMonitor {
    /// For a run.
    #[must_use]
    pub fn new(session: &Rc<Session>, emit: &Emit) -> Self {
        Self {
            session: Rc::clone(session),
            emit: Rc::clone(emit),
            diagnoses: RefCell::default(),
            asked_user: Cell::default(),
        }
    }

    fn prober(&self) -> Option<Rc<dyn Prober>> {
        self.session.host.prober.clone()
    }

    fn emit_stage(&self, stage: Stage, status: StageStatus, diagnosis: Option<Rc<Diagnosis>>) {
        if self.session.host.prober.is_some() {
            (self.emit)(Event::Reach(StageResult { stage, status, diagnosis }));
        }
    }

    /// The first reason that was found, as a sentence for the whole run.
    #[must_use]
    pub fn cause(&self) -> Option<String> {
        self.diagnoses.borrow().first().map(|diagnosis| diagnosis.title())
    }

    /// Makes the browser ask its user, if it has to, and waits for the answer; meanwhile only the time of the whole run goes
    /// on. `next` is what the run does afterwards.
    pub fn ask_permission<'a>(&'a self, url: &'a str, next: &'a Activity) -> LocalBoxFuture<'a, ()> {
        Box::pin(async move {
            let Some(prober) = self.prober() else { return };
            let Ok(target) = triage(url, &prober.home()) else { return };
            self.emit_stage(Stage::Address, StageStatus::Passed, None);
            if !target.needs_permission {
                return self.emit_stage(Stage::Permission, StageStatus::NotNeeded, None);
            }
            if prober.permission(target.space).await == Permission::Prompt && !self.asked_user.replace(true) {
                self.emit_stage(Stage::Permission, StageStatus::Asking, None);
                (self.emit)(Event::Activity(Activity::WaitingForPermission));
                // Only a request makes the browser ask.
                let request = prober.probe(Probe { request: Request::get(url), mode: ProbeMode::Cors });
                let changed = prober.permission_changed(target.space, Permission::Prompt);
                select(select(request, changed), self.session.host.clock.sleep(QUESTION_MS)).await;
                (self.emit)(Event::Activity(next.clone()));
            }
            let status = match prober.permission(target.space).await {
                Permission::Granted => StageStatus::Passed,
                Permission::Unknown => StageStatus::NotNeeded,
                // Whether that is in the way shows with the first request.
                Permission::Denied | Permission::Prompt => StageStatus::NotReached,
            };
            self.emit_stage(Stage::Permission, status, None);
        })
    }

    /// After discovery: why the card was not read, if no answer was seen.
    pub fn after_discovery<'a>(&'a self, discovery: &'a Transcript) -> LocalBoxFuture<'a, Option<Rc<Diagnosis>>> {
        Box::pin(async move {
            let unanswered = discovery.steps.iter().find(|step| step.exchange.response.is_none());
            let Some(step) = unanswered.filter(|_| discovery.step("card").is_err()) else {
                self.emit_stage(Stage::Read, StageStatus::Passed, None);
                return None;
            };
            self.diagnose(Stage::Read, step).await
        })
    }

    /// After the first call on a lane: why no answer was seen, if none was.
    pub fn after_probe<'a>(&'a self, probe: &'a Transcript) -> LocalBoxFuture<'a, Option<Rc<Diagnosis>>> {
        Box::pin(async move {
            match probe.steps.last() {
                Some(step) if step.exchange.response.is_none() => self.diagnose(Stage::Write, step).await,
                Some(step) => {
                    let status = if is_refused(step) { StageStatus::Refused } else { StageStatus::Passed };
                    self.emit_stage(Stage::Write, status, None);
                    None
                }
                None => None,
            }
        })
    }

    /// After a lane that answered: looks for calls that were barred by their own method or headers, for streams that were
    /// barred or cut, and for an agent that let in the first calls only.
    pub fn after_lane<'a>(&'a self, transcripts: &'a [Rc<Transcript>]) -> LocalBoxFuture<'a, ()> {
        Box::pin(async move {
            let Some(prober) = self.prober() else { return };
            let steps: Vec<&Rc<Step>> = transcripts.iter().flat_map(|transcript| &transcript.steps).collect();
            let streamed = steps
                .iter()
                .any(|step| step.exchange.response.as_ref().is_some_and(|response| !response.frames.is_empty()));
            self.diagnose_failed_calls(&prober, &steps, streamed).await;
            if cause::are_most(steps.iter().filter(|step| is_refused(step)).count(), steps.len()) {
                self.emit_stage(Stage::Write, StageStatus::Refused, None);
            }
            if let Some(step) = stream_cut_in_transit(&steps)
                && let Ok(target) = triage(&step.exchange.request.url, &prober.home())
            {
                let finding = ReachFinding::new(ReachReason::new(ReasonId::StreamCut), Stage::Stream);
                self.block(Rc::new(diagnosis_of(finding, step, &target, prober.home(), Vec::new())));
            } else if streamed {
                self.emit_stage(Stage::Stream, StageStatus::Passed, None);
            }
        })
    }

    /// Climbs the ladder for the first few calls without an answer, and reports what the agent's CORS settings can mend.
    async fn diagnose_failed_calls(&self, prober: &Rc<dyn Prober>, steps: &[&Rc<Step>], streamed: bool) {
        let mut known: Vec<(Method, String)> = Vec::new();
        let asks_for_stream = |step: &Step| {
            step.exchange.request.headers.get("accept").is_some_and(|accept| accept.contains("event-stream"))
        };
        let mut failed: Vec<&Step> =
            steps.iter().map(|step| &***step).filter(|step| failure(step) == Some(ProbeOutcome::Error)).collect();
        // A cause that bars calls bars streams as well. It is reported for the call, even if the stream was sent first.
        order::sort_by_key(&mut failed, |step| asks_for_stream(step));
        for step in failed {
            let request = &step.exchange.request;
            let kind = (request.method, parent(&request.url).to_owned());
            if known.len() >= MAX_INVESTIGATED || known.contains(&kind) {
                continue;
            }
            known.push(kind);
            let streams = asks_for_stream(step);
            let stage = if streams { Stage::Stream } else { Stage::Write };
            // Where some streams are seen, one that is not has reasons of its own.
            if streams && streamed {
                continue;
            }
            let diagnosis = self.investigate(prober, stage, step, ProbeOutcome::Error).await;
            // An agent that breaks on one call is not a matter of reach.
            if let Some(diagnosis) = diagnosis.filter(|found| found.finding.reason.action == Action::Fix) {
                self.block(diagnosis);
            }
        }
    }

    /// Finds out why a step got no answer, unless that is known of its URL.
    async fn diagnose(&self, stage: Stage, step: &Step) -> Option<Rc<Diagnosis>> {
        let prober = self.prober()?;
        let known = self.diagnoses.borrow().iter().find(|known| known.url == step.exchange.asked_url()).cloned();
        if known.is_some() {
            return known;
        }
        let first = failure(step)?;
        (self.emit)(Event::Activity(Activity::Diagnosing));
        let diagnosis = self.investigate(&prober, stage, step, first).await?;
        self.block(Rc::clone(&diagnosis));
        Some(diagnosis)
    }

    /// Keeps a diagnosis, and blocks its stage.
    fn block(&self, diagnosis: Rc<Diagnosis>) {
        self.diagnoses.borrow_mut().push(Rc::clone(&diagnosis));
        self.emit_stage(diagnosis.finding.stage, StageStatus::Blocked, Some(diagnosis));
    }

    /// Climbs the ladder for a step, and says what that shows.
    async fn investigate(
        &self,
        prober: &Rc<dyn Prober>,
        stage: Stage,
        step: &Step,
        first: ProbeOutcome,
    ) -> Option<Rc<Diagnosis>> {
        // The recorded URL has its secrets masked, and could not be requested again.
        let request = &Request { url: step.exchange.asked_url(), ..step.exchange.request.clone() };
        let home = prober.home();
        let target = triage(&request.url, &home).ok()?;
        // Never negative, and no run is so long that it would not fit.
        let ms = step.exchange.duration_ms() as u32;
        let trail = vec![ProbeResult { asked: format!("{} {}", request.method, request.url), seen: first, ms }];
        let clock = Rc::clone(&self.session.host.clock);
        let mut ladder = ladder::ProbeLadder { prober: &**prober, clock: &*clock, trail };
        let seen = ladder.run(stage, &target, request, first).await;
        let mut finding = classify(stage, request.method, &target, &seen);
        if home.framed && finding.reason.id == ReasonId::PermissionDenied {
            finding.causes.push(LikelyCause::Framed);
        }
        Some(Rc::new(diagnosis_of(finding, step, &target, home, ladder.trail)))
    }
}

fn diagnosis_of(
    finding: ReachFinding,
    step: &Step,
    target: &Triage,
    home: PageOrigin,
    trail: Vec<ProbeResult>,
) -> Diagnosis {
    let request = &step.exchange.request;
    let waited_ms = trail.iter().find(|probe| probe.seen == ProbeOutcome::Pending).map_or(0, |probe| probe.ms);
    Diagnosis {
        finding,
        url: step.exchange.asked_url(),
        method: request.method,
        asked_for: preflighted_headers(request),
        trail,
        space: target.space,
        home,
        // Rounded, because a clock may be a little late.
        seconds: waited_ms.saturating_add(500) / 1000,
    }
}

/// How a step without an answer failed, if that can be diagnosed.
fn failure(step: &Step) -> Option<ProbeOutcome> {
    match &step.exchange.end {
        End::NoAnswer(error) if error.kind == TransportErrorKind::Opaque => Some(ProbeOutcome::Error),
        End::Deadline(_) if step.exchange.response.is_none() => Some(ProbeOutcome::Pending),
        _ => None,
    }
}

/// Whether the agent answered only that it refuses access, or is not available now.
fn is_refused(step: &Step) -> bool {
    matches!(step.reply.kind, ReplyKind::Unavailable(_))
}

/// The first stream that broke off, unless it was the agent that broke it off: what stands in between cuts all streams, or
/// those that last long. A busy machine sees the ends of streams late, so one has to last clearly longer to tell.
fn stream_cut_in_transit<'a>(steps: &[&'a Rc<Step>]) -> Option<&'a Rc<Step>> {
    let is_stream = |step: &&Rc<Step>| step.exchange.response.as_ref().is_some_and(Response::is_event_stream);
    let streams = || steps.iter().copied().filter(is_stream);
    let cut = || streams().filter(|step| matches!(step.exchange.end, End::Broken(_)));
    let whole_ms =
        || streams().filter(|step| step.exchange.end == End::Complete).map(|step| step.exchange.duration_ms());
    let first = cut().next()?;
    let cut_ms = || cut().map(|step| step.exchange.duration_ms());
    let (shortest_ms, longest_ms) = (cut_ms().fold(f64::INFINITY, f64::min), cut_ms().fold(0.0, f64::max));
    let outlasted = whole_ms().any(|ms| ms >= 2.0 * longest_ms);
    let outnumbered = whole_ms().filter(|ms| *ms >= shortest_ms).count() > cut().count();
    (!outlasted && !outnumbered).then_some(first)
}

/// A URL without its last segment, which differs from task to task.
fn parent(url: &str) -> &str {
    url.rsplit_once('/').map_or(url, |(before, _)| before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::exchange::Exchange;
    use crate::wire::http::Request;

    fn stream(end: End, end_ms: f64) -> Rc<Step> {
        let headers = [("content-type", "text/event-stream")].into_iter().collect();
        let response = Some(Response { status: 200, headers, ..Response::default() });
        let exchange = Exchange { end, end_ms, response, ..Exchange::begun(1, Request::get("http://a.test/"), 0.0) };
        Rc::new(Step::without_call("stream", Rc::new(exchange), ReplyKind::Stream(Vec::new()), None))
    }

    #[test]
    fn streams_are_cut_on_the_way_where_none_lasts_longer_and_few_as_long_are_whole() {
        for (cut, whole, is_cut) in [
            (&[][..], &[100.0][..], false),
            (&[100.0], &[], true),
            (&[100.0], &[50.0, 60.0, 70.0], true),
            (&[100.0], &[150.0], true),
            (&[100.0], &[200.0], false),
            (&[100.0], &[150.0, 120.0], false),
            (&[100.0, 110.0], &[150.0, 120.0], true),
        ] {
            let cut = cut.iter().map(|ms| stream(End::Broken("reset".to_owned()), *ms));
            let steps: Vec<_> = cut.chain(whole.iter().map(|ms| stream(End::Complete, *ms))).collect();
            let found = stream_cut_in_transit(&steps.iter().collect::<Vec<_>>());
            assert_eq!(found.is_some(), is_cut, "{steps:?}");
        }
    }
}
