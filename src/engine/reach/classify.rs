//! From what probes met to the reason: a pure function, tested against the whole table of what browsers show.

use super::reason::{ReachReason, Stage};
use super::triage::Triage;
use crate::host::probe::{AddressSpace, Permission, ProbeOutcome};
use crate::wire::http::Method;

/// What was seen of a request that failed, and of the probes after it. `None` was not asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observations {
    /// What the request itself met.
    pub first: ProbeOutcome,
    /// The same without anything that makes the browser ask beforehand by OPTIONS.
    pub simple: Option<ProbeOutcome>,
    /// That, without wanting to see the answer.
    pub hidden: Option<ProbeOutcome>,
    /// That, stopping at a redirect.
    pub manual: Option<ProbeOutcome>,
    /// Another path of the same host; where nothing came, without wanting to see its answer.
    pub elsewhere: Option<ProbeOutcome>,
    /// That with one header of the request at a time.
    pub headers: Vec<(String, ProbeOutcome)>,
    /// That with a header that the request has not, where it has but one.
    pub control: Option<ProbeOutcome>,
    /// The browser says it has no network.
    pub offline: bool,
    /// The page's own policy forbade it.
    pub policy: bool,
    /// What the user permitted.
    pub permission: Permission,
}

impl Observations {
    /// Nothing but what the request itself met.
    #[must_use]
    pub const fn of(first: ProbeOutcome) -> Self {
        Self {
            first,
            simple: None,
            hidden: None,
            manual: None,
            elsewhere: None,
            headers: Vec::new(),
            control: None,
            offline: false,
            policy: false,
            permission: Permission::Unknown,
        }
    }
}

/// A reason with what makes it particular.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The reason.
    pub reason: ReachReason,
    /// The stage that failed.
    pub stage: Stage,
    /// The header names that it is about.
    pub headers: Vec<String>,
    /// What may lie behind it, the likeliest first, by the names of the table.
    pub causes: Vec<&'static str>,
}

/// Says why.
#[must_use]
pub fn classify(stage: Stage, method: Method, target: &Triage, seen: &Observations) -> Finding {
    let found = |id: &str| {
        let reason = ReachReason::of(id);
        Finding { reason, stage: reason.stage.unwrap_or(stage), headers: Vec::new(), causes: Vec::new() }
    };
    if seen.policy {
        return found("policy");
    }
    let asked = target.needs_permission && seen.permission != Permission::Granted;
    // To a page that came by plain http it reads as denied as well, and nobody can give it.
    if asked && seen.permission == Permission::Denied && !target.insecure {
        return found("permission-denied");
    }
    match seen.simple.unwrap_or(seen.first) {
        ProbeOutcome::Answer(_) | ProbeOutcome::Redirect => preflight(stage, method, seen, found),
        ProbeOutcome::Pending if asked && seen.permission == Permission::Prompt => found("permission-waiting"),
        ProbeOutcome::Pending => found("no-answer"),
        ProbeOutcome::Hidden => withheld(stage, seen, found),
        ProbeOutcome::Error => match seen.hidden {
            Some(ProbeOutcome::Hidden | ProbeOutcome::Answer(_) | ProbeOutcome::Redirect) => {
                withheld(stage, seen, found)
            }
            Some(ProbeOutcome::Pending) => found("no-answer"),
            Some(ProbeOutcome::Error) | None => nothing(target, seen, found),
        },
    }
}

/// The simple request is answered: what the browser asks by OPTIONS is refused.
fn preflight(stage: Stage, method: Method, seen: &Observations, found: impl Fn(&str) -> Finding) -> Finding {
    let refused = |seen: &ProbeOutcome| !seen.is_answer();
    if seen.first == ProbeOutcome::Pending || seen.headers.iter().any(|(_, seen)| *seen == ProbeOutcome::Pending) {
        return found("preflight-silent");
    }
    let headers: Vec<String> =
        seen.headers.iter().filter(|(_, seen)| refused(seen)).map(|(name, _)| name.clone()).collect();
    let id = match (headers.len(), seen.headers.len()) {
        // GET, HEAD and POST need no leave.
        (0, _) if method == Method::Delete => "preflight-method",
        // Calls pass with the same headers: what a stream answers is what differs.
        (0, _) if stage == Stage::Stream => {
            return Finding { causes: vec!["stream-cors", "stream-breaks"], ..found("stream-unseen") };
        }
        (0, _) => "passed-since",
        (some, all) if some == all && !seen.control.is_some_and(ProbeOutcome::is_answer) => "preflight-refused",
        _ => "preflight-header",
    };
    Finding { headers, ..found(id) }
}

/// An answer came, and the page may not read it.
fn withheld(stage: Stage, seen: &Observations, found: impl Fn(&str) -> Finding) -> Finding {
    match stage {
        Stage::Write => found("cors-missing-write"),
        Stage::Stream => found("cors-missing-stream"),
        _ if seen.manual.is_some_and(ProbeOutcome::is_answer) => found("cors-redirect"),
        _ if seen.elsewhere.is_some_and(ProbeOutcome::is_answer) => found("cors-this-path"),
        _ => found("cors-missing"),
    }
}

/// Nothing came in any way.
fn nothing(target: &Triage, seen: &Observations, found: impl Fn(&str) -> Finding) -> Finding {
    if target.bad_port {
        return found("bad-port");
    }
    if target.mixed {
        return found("mixed-content");
    }
    if target.unspecified {
        return found("unspecified");
    }
    if seen.offline && target.space != AddressSpace::Loopback {
        return found("offline");
    }
    if target.insecure {
        return found("permission-insecure");
    }
    if seen.manual == Some(ProbeOutcome::Redirect) {
        return found("redirects");
    }
    if matches!(seen.elsewhere, Some(ProbeOutcome::Hidden | ProbeOutcome::Answer(_) | ProbeOutcome::Redirect)) {
        return Finding { causes: vec!["breaks-here", "corp", "blocker"], ..found("breaks") };
    }
    let is_https = target.url.scheme == "https";
    let mut causes: Vec<&'static str> = match (target.space, is_https) {
        (AddressSpace::Loopback, false) => vec!["listening", "family", "container", "scheme-https", "closes"],
        (AddressSpace::Loopback, true) => vec!["certificate", "listening", "scheme-http", "family", "closes"],
        (AddressSpace::Private, false) => vec!["listening", "dns", "firewall", "scheme-https", "closes"],
        (AddressSpace::Private, true) => vec!["certificate", "dns", "listening", "firewall", "scheme-http"],
        (AddressSpace::Public, true) => vec!["certificate", "dns", "firewall", "scheme-http", "closes"],
        (AddressSpace::Public, false) => vec!["dns", "listening", "firewall", "scheme-https", "closes"],
    };
    let literal = target.url.is_literal();
    if let Some(place) = causes.iter().position(|cause| *cause == "dns") {
        // An address has no name that could be missing; a private name is missing more often than not.
        if literal {
            causes.remove(place);
        } else if target.space == AddressSpace::Private {
            causes.swap(0, place);
        }
    }
    // 443, 8443, 9443: a plain address to what is a port of TLS by custom.
    if !is_https && target.url.port.is_some_and(|port| port % 1000 == 443) {
        causes.retain(|cause| *cause != "scheme-https");
        causes.insert(0, "scheme-https");
    }
    causes.extend(["blocker", "corp"]);
    if target.needs_permission && seen.permission == Permission::Prompt {
        causes.insert(1, "prompt");
    }
    Finding { causes, ..found("unreachable") }
}

#[cfg(test)]
mod tests;
