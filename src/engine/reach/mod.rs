//! Reach: whether this host can see the agent at all, judged before anything is judged of the agent. When a stage fails,
//! what comes after it is blocked, and a diagnosis says why and what to do.

mod classify;
mod ladder;
mod reason;
mod triage;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::future::{LocalBoxFuture, select};

pub use classify::{Finding, Observations, classify};
pub use ladder::{ProbeResult, asked_for};
pub use reason::{Action, ReachReason, Stage, words};
pub use triage::{Triage, triage};

use super::event::Event;
use super::session::Session;
use super::transcript::{Step, Transcript};
use super::verdict::Verdict;
use crate::host::probe::{AddressSpace, Browser, PageOrigin, Permission, Probe, ProbeMode, ProbeOutcome, Prober};
use crate::wire::exchange::{End, TransportErrorKind};
use crate::wire::http::{Method, Request};

/// How long the browser's question may stay open before we stop waiting, in milliseconds. Firefox gives up then too.
const QUESTION_MS: f64 = 300_000.0;

/// How many different failures of one lane are looked into.
const MOST_LADDERS: usize = 2;

/// How a stage stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageStatus {
    /// Not come to.
    Dark,
    /// Nothing is needed here.
    Unneeded,
    /// The browser asks its user.
    Asking,
    /// Passed.
    Open,
    /// In the way.
    Blocked,
}

/// What became of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageResult {
    /// The stage.
    pub stage: Stage,
    /// How it stands.
    pub light: StageStatus,
    /// Why it is in the way, if it is.
    pub diagnosis: Option<Rc<Diagnosis>>,
}

/// Why nothing is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The reason, and what makes it particular.
    pub finding: Finding,
    /// The URL that was asked.
    pub url: String,
    /// By which method.
    pub method: Method,
    /// The headers for which the browser asks beforehand.
    pub asked_for: Vec<String>,
    /// The evidence.
    pub trail: Vec<ProbeResult>,
    /// Whose network the agent is on.
    pub space: AddressSpace,
    /// Where the page came from.
    pub home: PageOrigin,
    /// The patience that ran out, in seconds.
    pub seconds: u32,
}

impl Diagnosis {
    /// A text of the table with its places filled in.
    #[must_use]
    pub fn fill(&self, text: &str) -> String {
        let headers = match self.finding.headers.as_slice() {
            [] => self.asked_for.join(", "),
            named => named.join(", "),
        };
        let space = match self.space {
            AddressSpace::Loopback => "this machine (other apps and services on this device)",
            _ => "your local network",
        };
        let settings = match self.home.browser {
            Browser::Firefox => "firefox",
            Browser::Chromium => "chromium",
            _ => "other",
        };
        let url = crate::wire::url::Url::parse(&self.url).ok();
        let port = url.as_ref().map(|url| url.port.unwrap_or(url.own_port()).to_string()).unwrap_or_default();
        let mut filled = text.replace("{settings}", words('!', settings));
        for (place, value) in [
            ("{url}", self.url.as_str()),
            ("{host}", url.as_ref().map_or("", |url| url.host.as_str())),
            ("{port}", port.as_str()),
            ("{home}", self.home.origin.as_str()),
            ("{headers}", headers.as_str()),
            ("{method}", self.method.as_str()),
            ("{seconds}", self.seconds.to_string().as_str()),
            ("{space}", space),
        ] {
            filled = filled.replace(place, value);
        }
        filled
    }

    /// In one line, for reports.
    #[must_use]
    pub fn title(&self) -> String {
        self.fill(self.finding.reason.title)
    }

    /// What may lie behind it, the likeliest first.
    #[must_use]
    pub fn causes(&self) -> Vec<String> {
        self.finding.causes.iter().map(|id| self.fill(words('?', id))).collect()
    }

    /// The verdict of every check that cannot be judged for this reason.
    #[must_use]
    pub fn verdict(&self, exchange: u32) -> Verdict {
        let title = self.title();
        let url = &self.url;
        Verdict::blocked(format!("{title} ({url})")).seen_in(exchange)
    }
}

/// Looks after the stages of one run.
pub struct ReachMonitor {
    session: Rc<Session>,
    told: RefCell<Vec<Rc<Diagnosis>>>,
    asked: Cell<bool>,
}

impl ReachMonitor {
    /// For a run.
    #[must_use]
    pub fn new(session: &Rc<Session>) -> Self {
        Self { session: Rc::clone(session), told: RefCell::default(), asked: Cell::default() }
    }

    fn prober(&self) -> Option<Rc<dyn Prober>> {
        self.session.host.prober.clone()
    }

    fn tell(&self, stage: Stage, light: StageStatus, diagnosis: Option<Rc<Diagnosis>>) {
        if self.session.host.prober.is_some() {
            self.session.emit(Event::Reach(StageResult { stage, light, diagnosis }));
        }
    }

    /// The first reason that was found, as a sentence for the whole run.
    #[must_use]
    pub fn cause(&self) -> Option<String> {
        self.told.borrow().first().map(|diagnosis| diagnosis.title())
    }

    /// Makes the browser ask its user, if it has to, and waits for the answer; meanwhile only the time of the whole run goes
    /// on. `next` is the stage that the run is in afterwards.
    pub fn permit<'a>(&'a self, url: &'a str, next: &'a str) -> LocalBoxFuture<'a, ()> {
        Box::pin(async move {
            let Some(prober) = self.prober() else { return };
            let Ok(target) = triage(url, &prober.home()) else { return };
            self.tell(Stage::Address, StageStatus::Open, None);
            if !target.needs_permission {
                return self.tell(Stage::Permission, StageStatus::Unneeded, None);
            }
            if prober.permission(target.space).await == Permission::Prompt && !self.asked.replace(true) {
                self.tell(Stage::Permission, StageStatus::Asking, None);
                self.session.emit(Event::Stage(
                    "Waiting for you: the browser asks whether this page may reach your network. Choose Allow"
                        .to_owned(),
                ));
                // There is no way to have the question asked but a request.
                let knock = prober.probe(Probe { request: Request::get(url), mode: ProbeMode::Cors });
                let changed = prober.permission_changed(target.space, Permission::Prompt);
                select(select(knock, changed), self.session.host.clock.sleep(QUESTION_MS)).await;
                self.session.emit(Event::Stage(next.to_owned()));
            }
            match prober.permission(target.space).await {
                Permission::Granted => self.tell(Stage::Permission, StageStatus::Open, None),
                Permission::Unknown => self.tell(Stage::Permission, StageStatus::Unneeded, None),
                // What it means shows when something is asked of the agent.
                Permission::Denied | Permission::Prompt => self.tell(Stage::Permission, StageStatus::Dark, None),
            }
        })
    }

    /// The card was read, or was not: then the reason.
    pub fn of_card<'a>(&'a self, take: &'a Transcript) -> LocalBoxFuture<'a, Option<Rc<Diagnosis>>> {
        Box::pin(async move {
            let step = take.steps.iter().find(|step| step.exchange.response.is_none());
            let Some(step) = step.filter(|_| take.step("card").is_err()) else {
                self.tell(Stage::Read, StageStatus::Open, None);
                return None;
            };
            self.diagnose(Stage::Read, step).await
        })
    }

    /// A lane answered its first call, or did not: then the reason.
    pub fn of_lane<'a>(&'a self, take: &'a Transcript) -> LocalBoxFuture<'a, Option<Rc<Diagnosis>>> {
        Box::pin(async move {
            match take.steps.last() {
                Some(step) if step.exchange.response.is_none() => self.diagnose(Stage::Write, step).await,
                Some(_) => {
                    self.tell(Stage::Write, StageStatus::Open, None);
                    None
                }
                None => None,
            }
        })
    }

    /// What of a lane's calls stayed unanswered although others were answered: methods and headers of their own.
    pub fn of_rest<'a>(&'a self, transcripts: &'a [Rc<Transcript>]) -> LocalBoxFuture<'a, ()> {
        Box::pin(async move {
            let Some(prober) = self.prober() else { return };
            let steps = || transcripts.iter().flat_map(|take| &take.steps);
            let streamed =
                steps().any(|step| step.exchange.response.as_ref().is_some_and(|response| !response.frames.is_empty()));
            let mut known: Vec<(Method, String)> = Vec::new();
            for step in steps().filter(|step| failed(step) == Some(ProbeOutcome::Error)) {
                let request = &step.exchange.request;
                let same = (request.method, path(&request.url).to_owned());
                if known.len() >= MOST_LADDERS || known.contains(&same) {
                    continue;
                }
                known.push(same);
                let streams = request.headers.get("accept").is_some_and(|accept| accept.contains("event-stream"));
                let stage = if streams { Stage::Stream } else { Stage::Write };
                // Where some streams are seen, one that is not has reasons of its own.
                if streams && streamed {
                    continue;
                }
                let found = self.find(&prober, stage, step, ProbeOutcome::Error).await;
                // An agent that breaks on one call is no matter of the way to it.
                let is_ours = |diagnosis: &Rc<Diagnosis>| matches!(diagnosis.finding.reason.action, Action::Fix);
                if let Some(diagnosis) = found.filter(is_ours) {
                    self.keep(diagnosis);
                }
            }
            let cut = steps().find(|step| {
                matches!(step.exchange.end, End::Broken(_))
                    && step.exchange.response.as_ref().is_some_and(crate::wire::exchange::Response::is_event_stream)
            });
            if let Some(step) = cut
                && let Ok(target) = triage(&step.exchange.request.url, &prober.home())
            {
                let finding = Finding {
                    reason: ReachReason::of("stream-cut"),
                    stage: Stage::Stream,
                    headers: vec![],
                    causes: vec![],
                };
                self.keep(Rc::new(self.diagnosis(finding, step, &target, prober.home(), Vec::new())));
            } else if streamed {
                self.tell(Stage::Stream, StageStatus::Open, None);
            }
        })
    }

    async fn diagnose(&self, stage: Stage, step: &Step) -> Option<Rc<Diagnosis>> {
        let prober = self.prober()?;
        let known = self.told.borrow().iter().find(|known| known.url == step.exchange.asked_url()).cloned();
        if known.is_some() {
            return known;
        }
        let first = failed(step)?;
        self.session.emit(Event::Stage("Finding out why no answer arrives".to_owned()));
        let diagnosis = self.find(&prober, stage, step, first).await?;
        self.keep(Rc::clone(&diagnosis));
        Some(diagnosis)
    }

    fn keep(&self, diagnosis: Rc<Diagnosis>) {
        self.told.borrow_mut().push(Rc::clone(&diagnosis));
        self.tell(diagnosis.finding.stage, StageStatus::Blocked, Some(diagnosis));
    }

    async fn find(
        &self,
        prober: &Rc<dyn Prober>,
        stage: Stage,
        step: &Step,
        first: ProbeOutcome,
    ) -> Option<Rc<Diagnosis>> {
        // What is recorded has its secrets masked, and a masked URL leads nowhere.
        let request = &Request { url: step.exchange.asked_url(), ..step.exchange.request.clone() };
        let home = prober.home();
        let target = triage(&request.url, &home).ok()?;
        // Never negative, and no run is so long that it would not fit.
        let ms = step.exchange.duration_ms() as u32;
        let trail = vec![ProbeResult { asked: format!("{} {}", request.method, request.url), seen: first, ms }];
        let clock = Rc::clone(&self.session.host.clock);
        let mut ladder = ladder::ProbeLadder { prober: &**prober, clock: &*clock, trail };
        let seen = ladder.climb(stage, &target, request, first).await;
        let mut finding = classify(stage, request.method, &target, &seen);
        if home.framed && finding.reason.id == "permission-denied" {
            finding.causes.push("framed");
        }
        Some(Rc::new(self.diagnosis(finding, step, &target, home, ladder.trail)))
    }

    fn diagnosis(
        &self,
        finding: Finding,
        step: &Step,
        target: &Triage,
        home: PageOrigin,
        trail: Vec<ProbeResult>,
    ) -> Diagnosis {
        let request = &step.exchange.request;
        let waited = trail.iter().find(|rung| rung.seen == ProbeOutcome::Pending).map_or(0, |rung| rung.ms);
        Diagnosis {
            finding,
            url: step.exchange.asked_url(),
            method: request.method,
            asked_for: asked_for(request),
            trail,
            space: target.space,
            home,
            // A clock may be a little late.
            seconds: waited.saturating_add(500) / 1000,
        }
    }
}

/// What a step without an answer met, as far as a diagnosis goes by it.
fn failed(step: &Step) -> Option<ProbeOutcome> {
    match &step.exchange.end {
        End::NoAnswer(trouble) if trouble.kind == TransportErrorKind::Opaque => Some(ProbeOutcome::Error),
        End::Deadline(_) if step.exchange.response.is_none() => Some(ProbeOutcome::Pending),
        _ => None,
    }
}

/// A URL's path up to what differs from task to task.
fn path(url: &str) -> &str {
    url.rsplit_once('/').map_or(url, |(before, _)| before)
}
