//! The ladder: after a request failed, the same one in other ways, each telling a little more, and how long each may take. Never
//! climbed while everything is well, so that a healthy agent sees nothing of it.

use futures_util::future::{Either, select};

use super::classify::Observations;
use super::reason::Stage;
use super::triage::Triage;
use crate::a2a::headers::{OWN, PREFLIGHTED, SAFELISTED_IN_REQUESTS};
use crate::host::Clock;
use crate::host::probe::{Permission, Probe, ProbeMode, ProbeOutcome, Prober};
use crate::wire::http::{Headers, Method, Request};

/// How long a probe may take, in milliseconds.
pub(super) const PROBE_TIMEOUT_MS: f64 = 5000.0;

/// How long the browser may take to report that a policy forbade a request, which it does after the request failed.
const POLICY_REPORT_MS: f64 = 20.0;

/// A probe and its outcome: a line of the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeResult {
    /// The request, in words.
    pub asked: String,
    /// The response, or how the request failed.
    pub seen: ProbeOutcome,
    /// How long it took, in whole milliseconds.
    pub ms: u32,
}

/// The ladder for one failed request.
pub(super) struct ProbeLadder<'a> {
    /// Sends the probes.
    pub prober: &'a dyn Prober,
    /// Limits them.
    pub clock: &'a dyn Clock,
    /// The probes so far.
    pub trail: Vec<ProbeResult>,
}

/// The headers for which a browser sends a preflight, in lower case.
#[must_use]
pub fn preflighted_headers(request: &Request) -> Vec<String> {
    let names = request.headers.iter().map(|(name, _)| name.to_ascii_lowercase());
    names.filter(|name| !SAFELISTED_IN_REQUESTS.contains(&name.as_str())).collect()
}

impl ProbeLadder<'_> {
    /// Climbs as far as it takes. `first` is how the request failed.
    pub(super) async fn run(
        &mut self,
        stage: Stage,
        target: &Triage,
        request: &Request,
        first: ProbeOutcome,
    ) -> Observations {
        let permission = match target.needs_permission {
            true => self.prober.permission(target.space).await,
            false => Permission::Unknown,
        };
        let mut seen = Observations { offline: self.prober.is_offline(), permission, ..Observations::new(first) };
        let names = preflighted_headers(request);
        let simple = simple(request);
        // Otherwise the request was simple already.
        let needs_preflight = !names.is_empty() || request.method == Method::Delete;
        let simple_outcome = if needs_preflight {
            let seen_simple = self.ask("without its headers", &simple, ProbeMode::Cors).await;
            seen.simple = Some(seen_simple);
            seen_simple
        } else {
            first
        };
        match simple_outcome {
            ProbeOutcome::Answer(_) | ProbeOutcome::Redirect => {
                self.probe_headers(request, &names, simple, &mut seen).await;
            }
            ProbeOutcome::Error => self.probe_unreadable(stage, target, &simple, &mut seen).await,
            // An agent that keeps one request waiting would keep the next waiting too.
            ProbeOutcome::Pending | ProbeOutcome::Hidden => {}
        }
        seen.policy = self.prober.is_barred_by_policy(&target.url.origin());
        seen
    }

    /// The simple request is answered: sends it with one header of the request at a time.
    async fn probe_headers(&mut self, request: &Request, names: &[String], simple: Request, seen: &mut Observations) {
        for name in names {
            let is_ours = OWN.contains(&name.as_str());
            let value = request.headers.get(name).filter(|_| is_ours).unwrap_or("probe").to_owned();
            let one = Request { headers: [(name.clone(), value)].into_iter().collect(), ..simple.clone() };
            let answer = self.ask(&format!("with {name} alone"), &one, ProbeMode::Cors).await;
            seen.headers.push((name.clone(), answer));
        }
        // A header that is refused alone may mean that all are. An agent that allows any allows those of every call.
        let is_refused = names.len() == 1 && seen.headers.iter().any(|(_, seen)| *seen == ProbeOutcome::Error);
        let control = PREFLIGHTED.iter().find(|common| !names.iter().any(|name| name == *common));
        if let Some(control) = control.filter(|_| is_refused) {
            let one = Request { headers: [(*control, "application/json")].into_iter().collect(), ..simple };
            seen.control = Some(self.ask(&format!("with {control} alone"), &one, ProbeMode::Cors).await);
        }
    }

    /// The simple request fails as well: finds out whether there is an answer that the page may not read, or none.
    async fn probe_unreadable(&mut self, stage: Stage, target: &Triage, simple: &Request, seen: &mut Observations) {
        let root = Request::get(format!("{}/", target.url.origin()));
        let hidden = self.ask("without reading the answer (no-cors)", simple, ProbeMode::NoCors).await;
        seen.hidden = Some(hidden);
        if hidden != ProbeOutcome::Pending && stage == Stage::Read {
            seen.manual = Some(self.ask("stopping at a redirect", simple, ProbeMode::Manual).await);
        }
        if hidden == ProbeOutcome::Hidden && stage == Stage::Read {
            seen.elsewhere = Some(self.ask("the root of the host", &root, ProbeMode::Cors).await);
        }
        if hidden == ProbeOutcome::Error {
            seen.elsewhere = Some(self.ask("the root of the host (no-cors)", &root, ProbeMode::NoCors).await);
            self.clock.sleep(POLICY_REPORT_MS).await;
        }
    }

    async fn ask(&mut self, how: &str, request: &Request, mode: ProbeMode) -> ProbeOutcome {
        let begun = self.clock.now_ms();
        let probe = self.prober.probe(Probe { request: request.clone(), mode });
        let seen = match select(probe, self.clock.sleep(PROBE_TIMEOUT_MS)).await {
            Either::Left((seen, _)) => seen,
            Either::Right(_) => ProbeOutcome::Pending,
        };
        let asked = format!("{} {} {how}", request.method, request.url);
        // Never negative, and a probe is far too short to overflow.
        let ms = (self.clock.now_ms() - begun) as u32;
        self.trail.push(ProbeResult { asked, seen, ms });
        seen
    }
}

/// The request without anything that makes the browser send a preflight. An empty body starts no work at an agent.
fn simple(request: &Request) -> Request {
    let method = if request.method == Method::Post { Method::Post } else { Method::Get };
    let body = (method == Method::Post).then(Vec::new);
    Request { method, url: request.url.clone(), headers: Headers::new(), body }
}

#[cfg(test)]
mod tests;
