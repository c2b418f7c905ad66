//! The ladder asks no more than it needs, never sends a secret, and asks nothing that could start work.

use std::cell::RefCell;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, pending, ready};

use super::*;
use crate::engine::reach::classify::classify;
use crate::engine::reach::triage::triage;
use crate::host::probe::{AddressSpace, PageOrigin};

const URL: &str = "http://127.0.0.1:9999/rpc";

/// An agent behind a browser, as a function of what is asked.
struct ScriptedProber<F> {
    answers: F,
    asked: RefCell<Vec<Probe>>,
}

impl<F: Fn(&Probe) -> ProbeOutcome> Prober for ScriptedProber<F> {
    fn home(&self) -> PageOrigin {
        PageOrigin::from_address("http://localhost:8080/")
    }
    fn is_offline(&self) -> bool {
        false
    }
    fn is_barred_by_policy(&self, _: &str) -> bool {
        false
    }
    fn permission(&self, _: AddressSpace) -> LocalBoxFuture<'static, Permission> {
        Box::pin(ready(Permission::Unknown))
    }
    fn permission_changed(&self, _: AddressSpace, _: Permission) -> LocalBoxFuture<'static, ()> {
        Box::pin(pending())
    }
    fn probe(&self, probe: Probe) -> LocalBoxFuture<'static, ProbeOutcome> {
        let seen = (self.answers)(&probe);
        self.asked.borrow_mut().push(probe);
        Box::pin(ready(seen))
    }
}

struct StoppedClock;

impl Clock for StoppedClock {
    fn now_ms(&self) -> f64 {
        0.0
    }
    fn wall_ms(&self) -> f64 {
        0.0
    }
    fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        // Short waits are over at once, and no probe times out.
        if ms < PROBE_TIMEOUT_MS { Box::pin(ready(())) } else { Box::pin(pending()) }
    }
}

fn run_ladder(request: &Request, answers: impl Fn(&Probe) -> ProbeOutcome) -> (&'static str, Vec<Probe>) {
    let prober = ScriptedProber { answers, asked: RefCell::default() };
    let target = triage(&request.url, &prober.home()).unwrap();
    let stage = if request.headers.is_empty() { Stage::Read } else { Stage::Write };
    let mut ladder = ProbeLadder { prober: &prober, clock: &StoppedClock, trail: Vec::new() };
    let seen = ladder.run(stage, &target, request, ProbeOutcome::Error).now_or_never().unwrap();
    assert_eq!(ladder.trail.len(), prober.asked.borrow().len(), "every request is evidence");
    (classify(stage, request.method, &target, &seen).reason.id.as_str(), prober.asked.into_inner())
}

fn call() -> Request {
    Request::post(URL, "application/json", "{}")
        .with_header("accept", "application/json")
        .with_header("A2A-Version", "1.0")
        .with_header("Authorization", "Bearer canary")
}

#[test]
fn a_refused_header_is_found_without_sending_a_secret_or_a_body() {
    let (reason, asked) = run_ladder(&call(), |probe| match probe.request.headers.get("a2a-version") {
        Some(_) => ProbeOutcome::Error,
        None => ProbeOutcome::Answer(415),
    });
    assert_eq!(reason, "preflight-header");
    assert_eq!(asked.len(), 4, "the simple request, and one for each header that is not on the safelist");
    for probe in &asked {
        assert_eq!(probe.request.body.as_deref(), Some(&[][..]));
        assert!(!format!("{probe:?}").contains("canary"));
    }
    assert!(asked.iter().any(|probe| probe.request.headers.get("content-type") == Some("application/json")));
}

#[test]
fn a_card_without_cors_takes_three_more_requests() {
    let (reason, asked) = run_ladder(&Request::get(URL), |probe| match probe.mode {
        ProbeMode::NoCors => ProbeOutcome::Hidden,
        _ => ProbeOutcome::Error,
    });
    assert_eq!(reason, "cors-missing");
    assert_eq!(asked.len(), 3);
}

#[test]
fn nobody_there_takes_three_more_requests() {
    let (reason, asked) = run_ladder(&Request::get(URL), |_| ProbeOutcome::Error);
    assert_eq!((reason, asked.len()), ("unreachable", 3));
}

#[test]
fn a_redirect_that_leads_nowhere_is_told_from_nobody_there() {
    let (reason, _) = run_ladder(&Request::get(URL), |probe| match probe.mode {
        ProbeMode::Manual => ProbeOutcome::Redirect,
        _ => ProbeOutcome::Error,
    });
    assert_eq!(reason, "redirects");
}

#[test]
fn a_header_that_is_refused_alone_is_told_from_a_preflight_that_is_refused() {
    let request = Request::get(URL).with_header("A2A-Version", "1.0");
    let only = |allowed: &'static [&'static str]| {
        move |probe: &Probe| match probe.request.headers.iter().all(|(name, _)| allowed.contains(&name)) {
            true => ProbeOutcome::Answer(404),
            false => ProbeOutcome::Error,
        }
    };
    assert_eq!(run_ladder(&request, only(&["content-type"])).0, "preflight-header");
    assert_eq!(run_ladder(&request, only(&[])).0, "preflight-refused");
    assert_eq!(run_ladder(&request, only(&["a2a-version"])).1.len(), 2, "nothing to compare with");
}

#[test]
fn a_method_is_never_tried_that_could_change_anything() {
    let request = Request { method: Method::Delete, ..Request::get(URL).with_header("a2a-version", "1.0") };
    let (reason, asked) = run_ladder(&request, |_| ProbeOutcome::Answer(200));
    assert_eq!(reason, "preflight-method");
    assert!(asked.iter().all(|probe| probe.request.method == Method::Get));
}
