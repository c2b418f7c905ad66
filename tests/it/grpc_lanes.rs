//! The form of calls over gRPC, and whether a host without trailers makes any.

use std::cell::RefCell;
use std::rc::Rc;

use a2a_conformance::engine::event::Event;
use a2a_conformance::engine::options::{Endpoint, Options, Source};
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Clock, Host, StreamedResponse, Transport, Visibility};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::grpc::is_grpc;
use a2a_conformance::wire::http::{Headers, Request, ResponseHead};
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};

use crate::support::{AGENT, FinishedRun, check_at, check_on, host, report_of};

/// A transport to the agent that notes the heads of calls over gRPC, and answers them itself if it is told how.
struct Noting {
    agent: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    heads: Rc<RefCell<Vec<Headers>>>,
    answer: Option<(u16, Headers)>,
}

impl Transport for Noting {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if is_grpc(&request.headers) {
            self.heads.borrow_mut().push(request.headers.clone());
            if let Some((status, headers)) = self.answer.clone() {
                let head = ResponseHead { status, headers, url: request.url, redirected: false };
                return ready(Ok(StreamedResponse { head, body: iter([]).boxed_local() })).boxed_local();
            }
        }
        // A run takes some time, so that what is left does not grow with it.
        let (sent, pause) = (self.agent.send(request), self.clock.sleep(100.0));
        Box::pin(async move {
            pause.await;
            sent.await
        })
    }
}

/// Checks the agent over gRPC: what was told, and the heads of the calls.
fn checked(has_trailers: bool, answer: Option<(u16, Headers)>) -> (FinishedRun, Vec<Headers>) {
    checked_with(&["grpc"], has_trailers, answer)
}

/// The same of an agent with these variants.
fn checked_with(variants: &[&str], has_trailers: bool, answer: Option<(u16, Headers)>) -> (FinishedRun, Vec<Headers>) {
    let (plain, clock) = host(variants);
    let heads = Rc::new(RefCell::new(Vec::new()));
    let transport = Rc::new(Noting {
        agent: Rc::clone(&plain.transport),
        clock: Rc::clone(&plain.clock),
        heads: Rc::clone(&heads),
        answer,
    });
    let visibility = Visibility { trailers: has_trailers, ..Visibility::FULL };
    let options = Options { bindings: vec!["grpc".to_owned()], timeout_ms: 30_000.0, ..Options::default() };
    let told = check_on(Host { transport, visibility, ..plain }, &clock, options);
    let heads = heads.borrow().clone();
    (told, heads)
}

/// Why interfaces were not checked.
fn unchecked(told: &FinishedRun) -> Vec<String> {
    let reasons = told.events.iter().filter_map(|event| match event {
        Event::Agent(agent) => Some(agent.silent_interfaces.iter().map(|(_, why)| why.clone()).collect::<Vec<_>>()),
        _ => None,
    });
    reasons.flatten().filter(|why| why.contains("gRPC")).collect()
}

fn passes(told: &FinishedRun) -> usize {
    told.passed().iter().filter(|(_, lane)| lane.as_deref() == Some("grpc-1.0")).count()
}

#[test]
fn every_call_names_the_time_that_is_left_for_it() {
    let (told, heads) = checked(true, None);
    assert!(passes(&told) > 60, "{}", passes(&told));
    let left = |head: &Headers| head.get("grpc-timeout")?.strip_suffix('m')?.parse::<u64>().ok();
    // Thirty seconds of the scenario, and two more.
    assert!(
        !heads.is_empty() && heads.iter().all(|head| left(head).is_some_and(|ms| (1..=32_000).contains(&ms))),
        "{heads:?}"
    );
    assert!(heads.iter().all(|head| head.get("te") == Some("trailers") && head.get("x-grpc-web").is_none()));
}

#[test]
fn a_host_without_trailers_asks_by_grpc_web_after_one_question() {
    let (told, heads) = checked(false, None);
    assert!(passes(&told) > 60, "{}", passes(&told));
    assert!(told.tripped().is_empty() && unchecked(&told).is_empty(), "{:?} {:?}", told.tripped(), unchecked(&told));
    assert!(heads.iter().all(|head| head.get("x-grpc-web") == Some("1") && head.get("grpc-timeout").is_none()));
}

#[test]
fn an_interface_without_grpc_web_is_asked_once_and_not_checked() {
    for (status, fields, reason) in [
        (415, &[("content-type", "text/plain")][..], "does not speak (HTTP 415 with text/plain)"),
        (200, &[("content-type", "application/grpc-web+proto")][..], "hides the status"),
    ] {
        let (told, heads) = checked(false, Some((status, fields.iter().copied().collect())));
        let why = unchecked(&told);
        assert!(why.len() == 1 && why[0].contains(reason) && why[0].contains("run: a2a-conformance check"), "{why:?}");
        assert_eq!((heads.len(), passes(&told)), (1, 0));
    }
}

#[test]
fn an_interface_that_refuses_every_call_as_unavailable_is_quoted_with_what_its_health_service_says() {
    let told = check_at("", &["grpc-unavailable"], Options::default());
    let lane = told.results.iter().filter(|result| result.row.key().ends_with("@grpc-1.0"));
    let blocked: Vec<_> = lane.filter(|result| result.verdict.outcome == Outcome::Blocked).collect();
    assert!(blocked.len() > 50, "{}", blocked.len());
    let why = "the agent is not available (UNAVAILABLE; its health service says NOT_SERVING)";
    assert!(blocked.iter().any(|result| result.verdict.message == why), "{:?}", blocked[0].verdict);
}

#[test]
fn a_refusal_without_credentials_is_no_fault_whatever_code_of_grpc_it_has() {
    for code in ["16", "7", "3", "2", "13"] {
        let fields = [("content-type", "application/grpc"), ("grpc-status", code), ("grpc-message", "Missing token")];
        let (told, _) = checked_with(&["grpc", "protected"], true, Some((200, fields.into_iter().collect())));
        let failed: Vec<_> = told.results.iter().filter(|result| result.verdict.outcome == Outcome::Fail).collect();
        assert!(failed.iter().all(|result| result.row.lane.is_none()), "{code}: {failed:?}");
        let why = report_of(&told).assessment.rating.to_string();
        // Two codes say so themselves.
        let says = match code {
            "16" => ["the agent requires credentials", "UNAUTHENTICATED"],
            "7" => ["the agent denies access", "PERMISSION_DENIED"],
            _ => ["the agent requires credentials", "Missing token"],
        };
        assert!(says.iter().all(|words| why.contains(words)), "{code}: {why}");
    }
}

#[test]
fn a_server_without_the_service_is_asked_for_those_that_it_has() {
    let told = check_at("", &["grpc-other-service"], Options::default());
    let found = told.results.iter().find(|result| result.row.key() == "grpc.service@grpc-1.0").expect("a result");
    let actual = found.verdict.actual.as_deref();
    assert_eq!(actual, Some("UNIMPLEMENTED from every method; by reflection the server has A2AService"));
    // One with its service is not asked.
    let told = check_at("", &["grpc"], Options::default());
    let asks = told.exchanges.iter().any(|exchange| exchange.request.url.contains("grpc.reflection"));
    assert!(!asks);
}

/// An agent that serves gRPC of 0.3 alone.
struct OnlyOlder(Rc<dyn Transport>);

impl Transport for OnlyOlder {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if !request.url.contains("/lf.a2a.v1.") {
            return self.0.send(request);
        }
        let headers: Headers = [("content-type", "application/grpc"), ("grpc-status", "12")].into_iter().collect();
        let head = ResponseHead { status: 200, headers, url: request.url, redirected: false };
        ready(Ok(StreamedResponse { head, body: iter([]).boxed_local() })).boxed_local()
    }
}

#[test]
fn an_endpoint_over_grpc_needs_no_card_and_is_judged_by_the_version_that_it_serves() {
    for (is_older, lane) in [(false, "grpc-1.0"), (true, "grpc-0.3")] {
        let (plain, clock) = host(&["grpc"]);
        let transport =
            if is_older { Rc::new(OnlyOlder(Rc::clone(&plain.transport))) } else { Rc::clone(&plain.transport) };
        let endpoint = Endpoint { binding: "GRPC".to_owned(), streaming: true, ..Endpoint::default() };
        let options = Options { address: AGENT.to_owned(), source: Source::Endpoint(endpoint), ..Options::default() };
        let told = check_on(Host { transport, ..plain }, &clock, options);
        let rows =
            || told.results.iter().filter(|result| result.row.lane.as_ref().is_some_and(|known| known.id == lane));
        let passed = rows().filter(|result| result.verdict.outcome == Outcome::Pass).count();
        assert!(passed > 40, "{lane}: {passed} of {}", told.results.len());
        assert!(told.tripped().is_empty(), "{:?}", told.tripped());
    }
}
