//! Delegation: an agent that calls whom it is told to call passes, each fault trips the checks that name it, and why nothing could be
//! proven is told.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use a2a_conformance::agent::ScriptedAgent;
use a2a_conformance::agent::fault::{FAULTS, FaultId, Faults};
use a2a_conformance::agent::loopback::Loopback;
use a2a_conformance::engine::delegation::{DelegationOptions, DelegationTemplate};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::beacon::{Beacon, BeaconAnswer};
use a2a_conformance::host::webhooks::ReceivedRequest;
use a2a_conformance::host::{Clock, Host, StreamedResponse, Transport};
use a2a_conformance::suite;
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::Request;
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};

use crate::support::{AGENT, CountedIds, FinishedRun, JumpClock, check_areas_on, host};

const BEACON: &str = "http://beacon.test";

/// A beacon in the same process.
struct BeaconDouble {
    agent: ScriptedAgent,
    clock: JumpClock,
    reach: Reach,
    received: Rc<RefCell<Vec<ReceivedRequest>>>,
}

impl BeaconDouble {
    fn new(clock: &JumpClock, reach: Reach) -> Self {
        let shared: Rc<dyn Clock> = Rc::new(clock.clone());
        let ids = Rc::new(CountedIds::from(5_000_000));
        let faults = Faults::parse(["any-media-type"]).expect("a known fault");
        let agent = ScriptedAgent::new(BEACON, Rc::clone(&shared), ids, faults);
        let received = Rc::new(RefCell::new(Vec::new()));
        let kept = Rc::clone(&received);
        agent.note_requests_by(move |request| {
            let received = ReceivedRequest { arrived_ms: shared.now_ms(), request: request.clone(), status: Some(200) };
            kept.borrow_mut().push(received);
        });
        Self { agent, clock: clock.clone(), reach, received }
    }
}

impl Beacon for BeaconDouble {
    fn is_reachable(&self) -> bool {
        self.reach.said
    }

    fn origin(&self) -> LocalBoxFuture<'static, Result<String, String>> {
        ready(Ok(BEACON.to_owned())).boxed_local()
    }

    fn answer(&self, token: &str, answer: BeaconAnswer) {
        self.agent.answer_as_beacon(token, &answer).expect("responses that can be declared");
    }

    fn received(&self) -> Vec<ReceivedRequest> {
        let since_ms = self.clock.now_ms() - self.reach.late_ms;
        self.received.borrow().iter().filter(|known| known.arrived_ms <= since_ms).cloned().collect()
    }
}

/// Two agents behind one transport: the one that is checked, and the beacon, which may be out of reach.
struct Network {
    checked: Loopback,
    beacon: Option<Loopback>,
}

impl Transport for Network {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        match &self.beacon {
            Some(beacon) if request.url.starts_with(BEACON) => beacon.send(request),
            None if request.url.starts_with(BEACON) => {
                let detail = "connection refused".to_owned();
                ready(Err(TransportError { kind: TransportErrorKind::Unreachable, detail })).boxed_local()
            }
            _ => self.checked.send(request),
        }
    }
}

/// Where the beacon is: whether the user says that it can be reached, and whether it can; how late it knows of what arrived.
#[derive(Clone, Copy)]
struct Reach {
    said: bool,
    is_there: bool,
    late_ms: f64,
}

const REACHED: Reach = Reach { said: true, is_there: true, late_ms: 0.0 };

fn delegation(template: &str) -> Option<Rc<DelegationOptions>> {
    let template = DelegationTemplate::parse(template).expect("a template");
    Some(Rc::new(DelegationOptions { template, further: Vec::new() }))
}

/// Has an agent with these faults called by this template, and checks nothing else.
fn delegating(faults: &[&str], template: &str, reach: Reach) -> FinishedRun {
    delegating_with(faults, reach, Options { delegation: delegation(template), ..Options::default() })
}

fn delegating_with(faults: &[&str], reach: Reach, options: Options) -> FinishedRun {
    let (host, clock) = host(&[]);
    let beacon = Rc::new(BeaconDouble::new(&clock, reach));
    let faults = Faults::parse(faults.iter().copied()).expect("known faults");
    let is_delegating = faults.has(FaultId::Delegating);
    let agent = ScriptedAgent::new(AGENT, Rc::clone(&host.clock), Rc::new(CountedIds::from(3_000_000)), faults);
    let of_beacon = reach.is_there.then(|| Loopback::new(beacon.agent.clone()));
    let network = Rc::new(Network { checked: Loopback::new(agent.clone()), beacon: of_beacon });
    if is_delegating {
        agent.delegate_by(Rc::clone(&network) as Rc<dyn Transport>);
    }
    let options = Options { address: AGENT.to_owned(), only: vec!["delegation.*".to_owned()], ..options };
    let host = Host { transport: network, beacon: Some(beacon), ..host };
    check_areas_on(host, &clock, suite::areas_for(&options), options)
}

fn outcomes(told: &FinishedRun) -> BTreeMap<&'static str, (Outcome, String)> {
    let own = told.results.iter().filter(|result| result.row.area.name == "delegation");
    own.map(|result| (result.row.check.id, (result.verdict.outcome, result.verdict.message.clone()))).collect()
}

const TEMPLATE: &str = "Please delegate to {peer_url} with {token} now.";

#[test]
fn an_agent_that_calls_whom_it_is_told_to_call_passes() {
    for (template, applies) in [(TEMPLATE, 5), ("itk", 9)] {
        let told = outcomes(&delegating(&["delegating"], template, REACHED));
        assert_eq!(told.len(), suite::delegation_declarations().count());
        let passed = told.values().filter(|(outcome, _)| *outcome == Outcome::Pass).count();
        assert_eq!(passed, applies, "{template}: {told:?}");
        let others = told.values().filter(|(outcome, _)| *outcome == Outcome::NotApplicable).count();
        assert_eq!(passed + others, told.len(), "{template}: {told:?}");
    }
}

/// An answer may overtake the call of which it tells.
#[test]
fn a_call_that_arrives_late_is_waited_for() {
    let told = outcomes(&delegating(&["delegating"], TEMPLATE, Reach { late_ms: 1_500.0, ..REACHED }));
    for check in ["delegation.called", "delegation.result"] {
        assert_eq!(told[check].0, Outcome::Pass, "{told:?}");
    }
}

/// The agent of the tests calls over two bindings, which is not a fault.
#[test]
fn the_bindings_are_named_over_which_an_agent_calls() {
    let told = outcomes(&delegating(&["delegating"], "itk", REACHED));
    assert_eq!(told["delegation.bindings"].1, "it calls over JSON-RPC, HTTP+JSON");
}

#[test]
fn every_fault_of_an_agent_that_delegates_trips_the_checks_that_name_it() {
    let mut table = String::new();
    for fault in FAULTS.iter().filter(|fault| fault.id.starts_with("delegation-")) {
        for template in [TEMPLATE, "itk"] {
            for (check, (outcome, message)) in outcomes(&delegating(&[fault.id], template, REACHED)) {
                if !matches!(outcome, Outcome::Pass | Outcome::NotApplicable) {
                    let told = if template == "itk" { "itk" } else { "words" };
                    table.push_str(&format!("{} by {told}: {check} {outcome:?}: {message}\n", fault.id));
                }
            }
        }
    }
    insta::assert_snapshot!("delegation_faults", table);
    for (_, _, check) in suite::delegation_declarations() {
        for fault in check.faults {
            let trips = |line: &str| {
                line.starts_with(&format!("{fault} by ")) && line.contains(&format!(": {} Fail: ", check.id))
            };
            assert!(table.lines().any(trips), "{} is not tripped by {fault}", check.id);
        }
    }
}

#[test]
fn an_agent_that_knows_no_delegation_is_found_out_by_what_it_says() {
    // In a task, and in a message.
    for (template, says) in [(TEMPLATE, "Please delegate to"), ("message-only {peer_url} {token}", "This is a message")]
    {
        let told = outcomes(&delegating(&[], template, REACHED));
        let (outcome, message) = &told["delegation.called"];
        assert_eq!(*outcome, Outcome::Fail);
        let why = "but did not call the agent at http://beacon.test: no request arrived there";
        assert!(message.contains(says) && message.contains(why), "{message}");
    }
}

/// An agent that cannot reach the beacon and says so is not accused.
#[test]
fn an_agent_that_says_that_it_could_not_call_is_not_accused() {
    let told = outcomes(&delegating(&["delegating"], TEMPLATE, Reach { is_there: false, ..REACHED }));
    let (outcome, message) = &told["delegation.called"];
    assert_eq!(*outcome, Outcome::Inconclusive, "{message}");
    assert!(message.contains("TASK_STATE_FAILED") && message.contains("--beacon-url"), "{message}");
    assert!(told.values().all(|(outcome, _)| *outcome != Outcome::Fail), "{told:?}");
}

#[test]
fn nothing_is_sent_to_an_agent_on_another_machine_that_cannot_reach_the_beacon() {
    let told = delegating(&["delegating"], TEMPLATE, Reach { said: false, ..REACHED });
    let told_of = outcomes(&told);
    let open: Vec<_> = told_of.values().filter(|(outcome, _)| *outcome != Outcome::NotApplicable).collect();
    assert_eq!(open.len(), 5);
    for (outcome, message) in open {
        assert_eq!(*outcome, Outcome::NotObservable, "{message}");
        assert!(message.contains("--beacon-listen"), "{message}");
    }
    assert_eq!(told.tally.messages, 0);
}

#[test]
fn a_call_without_the_token_is_no_proof() {
    let told = outcomes(&delegating(&["delegating"], "delegate to {peer_url} with nothing but {token}", REACHED));
    let (outcome, message) = &told["delegation.called"];
    assert_eq!(*outcome, Outcome::Fail, "{message}");
    assert!(message.contains("a call without it"), "{message}");
}

#[test]
fn a_run_without_delegation_has_nothing_of_it() {
    let told = delegating_with(&["delegating"], REACHED, Options::default());
    assert!(outcomes(&told).is_empty());
}

#[test]
fn one_request_at_a_time_leaves_out_what_needs_several() {
    let options = Options { delegation: delegation(TEMPLATE), concurrency: 1, ..Options::default() };
    let told = outcomes(&delegating_with(&["delegating"], REACHED, options));
    assert_eq!(told["delegation.called"].0, Outcome::Pass);
    assert_eq!(told["delegation.apart"].0, Outcome::NotApplicable);
}
