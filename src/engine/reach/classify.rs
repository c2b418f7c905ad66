//! From what probes saw to the reason why a page sees no answer: a pure function, tested against the whole table of what browsers
//! show.

use super::reason::{LikelyCause, ReachReason, ReasonId, Stage};
use super::triage::Triage;
use crate::host::probe::{AddressSpace, Permission, ProbeOutcome};
use crate::wire::http::Method;

/// How a request failed, and what the probes after it saw. `None` was not asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Observations {
    /// The request itself.
    pub first: ProbeOutcome,
    /// The same without anything that makes the browser send a preflight.
    pub simple: Option<ProbeOutcome>,
    /// The simple request in mode no-cors, which shows only that there is an answer.
    pub hidden: Option<ProbeOutcome>,
    /// The simple request, stopping at a redirect.
    pub manual: Option<ProbeOutcome>,
    /// Another path of the same host; in mode no-cors where nothing came.
    pub elsewhere: Option<ProbeOutcome>,
    /// The simple request with one header of the request at a time.
    pub headers: Vec<(String, ProbeOutcome)>,
    /// The simple request with a header that the failed one does not have, if that has only one.
    pub control: Option<ProbeOutcome>,
    /// The browser says it has no network.
    pub offline: bool,
    /// The page's own policy forbade it.
    pub policy: bool,
    /// The page's permission to reach that network.
    pub permission: Permission,
}

impl Observations {
    /// Only the request itself.
    #[must_use]
    pub fn new(first: ProbeOutcome) -> Self {
        Self { first, ..Self::default() }
    }
}

/// A reason in a particular case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachFinding {
    /// The reason.
    pub reason: ReachReason,
    /// The stage that failed.
    pub stage: Stage,
    /// The headers that the preflight refuses.
    pub headers: Vec<String>,
    /// Possible causes, the likeliest first.
    pub causes: Vec<LikelyCause>,
}

impl ReachFinding {
    /// A reason at its own stage, or at this one if it has none.
    pub(super) fn new(reason: ReachReason, stage: Stage) -> Self {
        Self { reason, stage: reason.stage.unwrap_or(stage), headers: Vec::new(), causes: Vec::new() }
    }
}

/// Finds the reason why a request at that stage failed.
#[must_use]
pub fn classify(stage: Stage, method: Method, target: &Triage, seen: &Observations) -> ReachFinding {
    let found = |id| ReachFinding::new(ReachReason::new(id), stage);
    if seen.policy {
        return found(ReasonId::Policy);
    }
    let asked = target.needs_permission && seen.permission != Permission::Granted;
    // To a page that came by plain http it always reads as denied, and its user cannot grant it.
    if asked && seen.permission == Permission::Denied && !target.insecure {
        return found(ReasonId::PermissionDenied);
    }
    match seen.simple.unwrap_or(seen.first) {
        ProbeOutcome::Answer(_) | ProbeOutcome::Redirect => preflight(stage, method, seen, found),
        ProbeOutcome::Pending if asked && seen.permission == Permission::Prompt => found(ReasonId::PermissionWaiting),
        ProbeOutcome::Pending => found(ReasonId::NoAnswer),
        ProbeOutcome::Hidden => withheld(stage, seen, found),
        ProbeOutcome::Error => match seen.hidden {
            Some(ProbeOutcome::Hidden | ProbeOutcome::Answer(_) | ProbeOutcome::Redirect) => {
                withheld(stage, seen, found)
            }
            Some(ProbeOutcome::Pending) => found(ReasonId::NoAnswer),
            Some(ProbeOutcome::Error) | None => no_answer(target, seen, found),
        },
    }
}

/// The simple request is answered, so that the preflight is what is refused.
fn preflight(
    stage: Stage,
    method: Method,
    seen: &Observations,
    found: impl Fn(ReasonId) -> ReachFinding,
) -> ReachFinding {
    let refused = |seen: &ProbeOutcome| !seen.is_answer();
    if seen.first == ProbeOutcome::Pending || seen.headers.iter().any(|(_, seen)| *seen == ProbeOutcome::Pending) {
        return found(ReasonId::PreflightSilent);
    }
    let headers: Vec<String> =
        seen.headers.iter().filter(|(_, seen)| refused(seen)).map(|(name, _)| name.clone()).collect();
    let id = match (headers.len(), seen.headers.len()) {
        // GET, HEAD and POST need no permission (Fetch §CORS-safelisted method).
        (0, _) if method == Method::Delete => ReasonId::PreflightMethod,
        // Calls pass with the same headers: what a stream answers is what differs.
        (0, _) if stage == Stage::Stream => {
            return ReachFinding {
                causes: vec![LikelyCause::StreamCors, LikelyCause::StreamBreaks],
                ..found(ReasonId::StreamUnseen)
            };
        }
        (0, _) => ReasonId::PassedSince,
        (some, all) if some == all && !seen.control.is_some_and(ProbeOutcome::is_answer) => ReasonId::PreflightRefused,
        _ => ReasonId::PreflightHeader,
    };
    ReachFinding { headers, ..found(id) }
}

/// An answer came, and the page may not read it.
fn withheld(stage: Stage, seen: &Observations, found: impl Fn(ReasonId) -> ReachFinding) -> ReachFinding {
    match stage {
        Stage::Write => found(ReasonId::CorsMissingWrite),
        Stage::Stream => found(ReasonId::CorsMissingStream),
        _ if seen.manual.is_some_and(ProbeOutcome::is_answer) => found(ReasonId::CorsRedirect),
        _ if seen.elsewhere.is_some_and(ProbeOutcome::is_answer) => found(ReasonId::CorsThisPath),
        _ => found(ReasonId::CorsMissing),
    }
}

/// No answer came in any way.
fn no_answer(target: &Triage, seen: &Observations, found: impl Fn(ReasonId) -> ReachFinding) -> ReachFinding {
    let known = [
        (target.bad_port, ReasonId::BadPort),
        (target.mixed, ReasonId::MixedContent),
        (target.unspecified, ReasonId::Unspecified),
        (seen.offline && target.space != AddressSpace::Loopback, ReasonId::Offline),
        (target.insecure, ReasonId::PermissionInsecure),
        (seen.manual == Some(ProbeOutcome::Redirect), ReasonId::Redirects),
    ];
    if let Some((_, id)) = known.into_iter().find(|(is_it, _)| *is_it) {
        return found(id);
    }
    if matches!(seen.elsewhere, Some(ProbeOutcome::Hidden | ProbeOutcome::Answer(_) | ProbeOutcome::Redirect)) {
        return ReachFinding {
            causes: vec![LikelyCause::BreaksHere, LikelyCause::Corp, LikelyCause::Blocker],
            ..found(ReasonId::Breaks)
        };
    }
    ReachFinding { causes: likely_causes(target, seen), ..found(ReasonId::Unreachable) }
}

/// Possible causes of a request that ends without any HTTP answer, the likeliest first.
fn likely_causes(target: &Triage, seen: &Observations) -> Vec<LikelyCause> {
    use LikelyCause::{
        Blocker, Certificate, Closes, Container, Corp, Dns, Family, Firewall, Listening, Prompt, SchemeHttp,
        SchemeHttps,
    };
    let is_https = target.url.scheme == "https";
    let mut causes = match (target.space, is_https) {
        (AddressSpace::Loopback, false) => vec![Listening, Family, Container, SchemeHttps, Closes],
        (AddressSpace::Loopback, true) => vec![Certificate, Listening, SchemeHttp, Family, Closes],
        (AddressSpace::Private, false) => vec![Listening, Dns, Firewall, SchemeHttps, Closes],
        (AddressSpace::Private, true) => vec![Certificate, Dns, Listening, Firewall, SchemeHttp],
        (AddressSpace::Public, true) => vec![Certificate, Dns, Firewall, SchemeHttp, Closes],
        (AddressSpace::Public, false) => vec![Dns, Listening, Firewall, SchemeHttps, Closes],
    };
    if let Some(place) = causes.iter().position(|cause| *cause == Dns) {
        // An address has no name that could be missing; a private name is missing more often than not.
        if target.url.is_literal() {
            causes.remove(place);
        } else if target.space == AddressSpace::Private {
            causes.swap(0, place);
        }
    }
    // 443, 8443, 9443: plain http to what is by convention a port of TLS.
    if !is_https && target.url.port.is_some_and(|port| port % 1000 == 443) {
        causes.retain(|cause| *cause != SchemeHttps);
        causes.insert(0, SchemeHttps);
    }
    causes.extend([Blocker, Corp]);
    if target.needs_permission && seen.permission == Permission::Prompt {
        causes.insert(1, Prompt);
    }
    causes
}

#[cfg(test)]
mod tests;
