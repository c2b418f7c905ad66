//! The ladder: after a request failed, the same one in other ways, each telling a little more. Never climbed while
//! everything is well, so that a healthy agent sees nothing of it.

use futures_util::future::{Either, select};

use super::classify::Observations;
use super::reason::Stage;
use super::triage::Triage;
use crate::host::Clock;
use crate::host::probe::{Permission, Probe, ProbeMode, ProbeOutcome, Prober};
use crate::wire::http::{Headers, Method, OURS, Request};

/// How long a probe may take, in milliseconds.
pub(super) const PATIENCE_MS: f64 = 5000.0;

/// Headers that a page may send without asking (Fetch §CORS-safelisted request-header), as the checker sends them.
const SAFE: [&str; 3] = ["accept", "accept-language", "content-language"];

/// Allowed by whoever allows anything: shows whether OPTIONS is answered at all.
const COMMON: [&str; 2] = ["content-type", "a2a-version"];

/// How long the browser may take to tell that a policy forbade a request, which it does after the request failed.
const TELLING_MS: f64 = 20.0;

/// What was asked and what came: the evidence, a line each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeResult {
    /// What was asked, in words.
    pub asked: String,
    /// What came.
    pub seen: ProbeOutcome,
    /// How long it took, in whole milliseconds.
    pub ms: u32,
}

/// Who climbs.
pub(super) struct ProbeLadder<'a> {
    /// Asks.
    pub prober: &'a dyn Prober,
    /// Tells the time.
    pub clock: &'a dyn Clock,
    /// What was asked so far.
    pub trail: Vec<ProbeResult>,
}

/// The names of the headers for which a browser asks the agent beforehand, lower case.
#[must_use]
pub fn asked_for(request: &Request) -> Vec<String> {
    let names = request.headers.iter().map(|(name, _)| name.to_ascii_lowercase());
    names.filter(|name| !SAFE.contains(&name.as_str())).collect()
}

impl ProbeLadder<'_> {
    /// Climbs as far as it takes. `first` is what the request met.
    pub(super) async fn climb(
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
        let mut seen = Observations { offline: self.prober.is_offline(), permission, ..Observations::of(first) };
        let names = asked_for(request);
        let simple = simple(request);
        // Otherwise the request was simple already, and what it met is known.
        let needs_leave = !names.is_empty() || request.method == Method::Delete;
        let told = if needs_leave {
            let seen_simple = self.ask("without its headers", &simple, ProbeMode::Cors).await;
            seen.simple = Some(seen_simple);
            seen_simple
        } else {
            first
        };
        match told {
            ProbeOutcome::Answer(_) | ProbeOutcome::Redirect => {
                let lone = names.len() == 1;
                let other = COMMON.iter().find(|common| lone && !names.iter().any(|name| name == *common));
                for name in names {
                    let ours = OURS.contains(&name.as_str());
                    let value = request.headers.get(&name).filter(|_| ours).unwrap_or("probe").to_owned();
                    let one = Request { headers: [(name.clone(), value)].into_iter().collect(), ..simple.clone() };
                    let answer = self.ask(&format!("with {name} alone"), &one, ProbeMode::Cors).await;
                    seen.headers.push((name, answer));
                }
                // A header that is refused alone may mean that all are.
                if let Some(other) = other.filter(|_| seen.headers.iter().any(|(_, seen)| *seen == ProbeOutcome::Error))
                {
                    let one = Request { headers: [(*other, "application/json")].into_iter().collect(), ..simple };
                    seen.control = Some(self.ask(&format!("with {other} alone"), &one, ProbeMode::Cors).await);
                }
            }
            ProbeOutcome::Error => {
                let hidden = self.ask("without reading the answer (no-cors)", &simple, ProbeMode::NoCors).await;
                seen.hidden = Some(hidden);
                if hidden != ProbeOutcome::Pending && stage == Stage::Read {
                    seen.manual = Some(self.ask("stopping at a redirect", &simple, ProbeMode::Manual).await);
                }
                if hidden == ProbeOutcome::Hidden && stage == Stage::Read {
                    let root = Request::get(format!("{}/", target.url.origin()));
                    seen.elsewhere = Some(self.ask("the root of the host", &root, ProbeMode::Cors).await);
                }
            }
            // Whoever keeps one request waiting keeps the next waiting too.
            ProbeOutcome::Pending | ProbeOutcome::Hidden => {}
        }
        if seen.hidden == Some(ProbeOutcome::Error) {
            let root = Request::get(format!("{}/", target.url.origin()));
            seen.elsewhere = Some(self.ask("the root of the host (no-cors)", &root, ProbeMode::NoCors).await);
            self.clock.sleep(TELLING_MS).await;
        }
        seen.policy = self.prober.is_barred_by_policy(&target.url.origin());
        seen
    }

    async fn ask(&mut self, how: &str, request: &Request, mode: ProbeMode) -> ProbeOutcome {
        let begun = self.clock.now_ms();
        let probe = self.prober.probe(Probe { request: request.clone(), mode });
        let seen = match select(probe, self.clock.sleep(PATIENCE_MS)).await {
            Either::Left((seen, _)) => seen,
            Either::Right(_) => ProbeOutcome::Pending,
        };
        let asked = format!("{} {} {how}", request.method, request.url);
        // Saturates, and no request takes so long.
        let ms = (self.clock.now_ms() - begun) as u32;
        self.trail.push(ProbeResult { asked, seen, ms });
        seen
    }
}

/// The request without anything for which the browser asks beforehand. An empty body starts no work at an agent.
fn simple(request: &Request) -> Request {
    let method = if request.method == Method::Post { Method::Post } else { Method::Get };
    let body = (method == Method::Post).then(Vec::new);
    Request { method, url: request.url.clone(), headers: Headers::new(), body }
}

#[cfg(test)]
mod tests;
