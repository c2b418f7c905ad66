//! An agent that is checked through a gateway as well (`--via`): each change on the way trips its own check, a gateway that changes
//! nothing trips no check, and a run without a gateway has none of these checks.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::rc::Rc;

use a2a_conformance::agent::fault::FAULTS;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Host, StreamedResponse, Transport, Visibility};
use a2a_conformance::suite;
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::Request;
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};

use crate::support::{FinishedRun, check, check_at, check_on, gateway_of, host, with_address_and_credentials};

const VERSIONS: [&str; 4] = ["", "/0.3", "/0.2", "/0.1"];

fn through_gateway(at: &str, faults: &[&str]) -> FinishedRun {
    let version = at.strip_prefix('/').filter(|version| *version == "0.1").map(str::to_owned);
    let only = vec!["gateway.*".to_owned()];
    check_at(at, faults, Options { via: Some(gateway_of(at)), only, version, ..Options::default() })
}

fn checks() -> impl Iterator<Item = &'static str> {
    suite::every_declaration().filter(|(area, ..)| area.name == "gateway").map(|(.., check)| check.id)
}

#[test]
fn each_change_on_the_way_trips_its_own_checks() {
    let mut text = String::new();
    let mut tripped = BTreeSet::new();
    for fault in FAULTS.iter().filter(|fault| fault.id.starts_with("gateway-")) {
        for at in VERSIONS {
            let told = through_gateway(at, &[fault.id]);
            let _ = writeln!(text, "# {}{at}", fault.id);
            for line in told.findings() {
                let _ = writeln!(text, "{line}");
            }
            tripped.extend(told.tripped().into_iter().map(|check| (check, fault.id)));
        }
    }
    insta::assert_snapshot!("gateway_findings", text);
    for check in checks() {
        for fault in suite::faults(check) {
            assert!(tripped.contains(&(check, fault)), "{check} is not tripped by {fault}");
        }
    }
}

/// Whatever passes somewhere was seen to fail there.
#[test]
fn a_gateway_that_changes_nothing_trips_nothing() {
    let mut passed = BTreeSet::new();
    for at in VERSIONS {
        for variant in [None, Some("protected"), Some("extensions"), Some("modest"), Some("tenants"), Some("grpc")] {
            let told = through_gateway(at, variant.as_slice());
            let found = told.findings();
            assert!(found.is_empty(), "{at} {variant:?}: {}", found.join("\n"));
            passed.extend(told.passed().into_iter().map(|(check, _)| check));
        }
    }
    let blind: Vec<_> =
        checks().filter(|check| !passed.contains(check) && *check != "gateway.card-signature").collect();
    assert!(blind.is_empty(), "never pass: {blind:?}");
}

/// Also where nobody can read it.
#[test]
fn what_an_agent_answers_itself_is_not_blamed_on_its_gateway() {
    for fault in ["endpoint-404", "endpoint-415", "parse-error-html", "batch-breaks"] {
        let told = through_gateway("", &[fault]);
        let blamed: Vec<_> = told.tripped().into_iter().filter(|check| check.starts_with("gateway.")).collect();
        assert_eq!(blamed, [""; 0], "{fault}");
    }
}

#[test]
fn a_gateway_costs_few_messages_and_its_lanes_are_no_lanes_of_the_agent() {
    let plain = check(&[], Options::default());
    assert!(plain.results.iter().all(|result| result.row.area.name != "gateway"));
    let told = check(&[], Options { via: Some(gateway_of("")), ..Options::default() });
    let ours = told.results.iter().filter(|result| result.row.area.name == "gateway").count();
    assert_eq!(told.results.len(), plain.results.len() + ours);
    assert!(told.tally.messages <= plain.tally.messages + 10, "{} {}", told.tally.messages, plain.tally.messages);
    let lanes: BTreeSet<_> =
        told.results.iter().filter_map(|result| result.row.lane.as_ref()).map(|lane| &lane.id).collect();
    assert!(lanes.iter().all(|lane| !lane.starts_with("gateway-")), "{lanes:?}");
    assert!(told.results.iter().all(|result| result.verdict.outcome != Outcome::Fail));
    assert_eq!(told.completion, plain.completion);
}

/// A page's host before the scripted agent: what it asks through the gateway is hidden from it where `hides` says so.
struct PageTransport {
    beneath: Rc<dyn Transport>,
    hides: fn(&Request) -> bool,
}

impl Transport for PageTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if request.url.starts_with(&gateway_of("")) && (self.hides)(&request) {
            let detail = "the browser tells no more".to_owned();
            return ready(Err(TransportError { kind: TransportErrorKind::Opaque, detail })).boxed_local();
        }
        self.beneath.send(request)
    }
}

/// T-GW-6
#[test]
fn what_a_browser_hides_of_a_gateway_is_no_finding() {
    type Hides = fn(&Request) -> bool;
    let ways: [(&str, Hides); 4] = [
        ("everything", |_| true),
        ("the card", |request| request.url.contains(".well-known")),
        ("calls", |request| !request.url.contains(".well-known")),
        ("calls with extensions", |request| request.headers.get("A2A-Extensions").is_some()),
    ];
    for (what, hides) in ways {
        for variant in [None, Some("protected"), Some("extensions")] {
            let (host, clock) = host(variant.as_slice());
            let transport = Rc::new(PageTransport { beneath: Rc::clone(&host.transport), hides });
            let host = Host { transport, visibility: Visibility::PAGE, ..host };
            let only = vec!["gateway.*".to_owned()];
            let options = Options { via: Some(gateway_of("")), only, ..Options::default() };
            let told = check_on(host, &clock, with_address_and_credentials("", variant.as_slice(), options));
            let found = told.findings();
            assert!(found.is_empty(), "{what}, {variant:?}: {}", found.join("\n"));
            let hidden = told.results.iter().filter(|result| result.verdict.outcome == Outcome::NotObservable);
            let hidden: Vec<_> =
                hidden.map(|result| result.row.check.id).filter(|id| id.starts_with("gateway.")).collect();
            assert!(!hidden.is_empty() || what == "calls with extensions", "{what}, {variant:?}");
            if what == "everything" {
                let passed: Vec<_> = told.passed().into_iter().filter(|(id, _)| id.starts_with("gateway.")).collect();
                assert!(passed.is_empty(), "{variant:?}: {passed:?}");
            }
        }
    }
}
