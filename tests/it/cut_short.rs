//! An agent is accused of nothing because it was gone, fell silent or was cut off at some moment of its run, whichever that was.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use a2a_conformance::engine::event::Completion;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::timeouts::Timeouts;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::Request;
use futures_util::future::{LocalBoxFuture, pending, ready};
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};

use crate::support::{AGENT, FinishedRun, check_at, check_on, host, with_address_and_credentials};

/// What happens to an agent in the middle of its run.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Event {
    /// Its process dies: what is under way breaks off, and then nobody listens any more.
    Dies,
    /// It accepts requests and says nothing more.
    FallsSilent,
    /// It dies, and a gateway answers in its place.
    DiesBehindGateway(u16),
    /// It closes the connection on one request.
    ClosesOnce,
    /// A gateway fails to pass one request on.
    GatewayFailsOnce,
}

impl Event {
    /// Whether it concerns one request only.
    const fn is_passing(self) -> bool {
        matches!(self, Self::ClosesOnce | Self::GatewayFailsOnce)
    }
}

/// An agent that answers so many requests before something happens to it.
struct Struck {
    agent: Rc<dyn Transport>,
    event: Event,
    /// How many requests it still answers; below zero are those that came afterwards.
    left: Rc<Cell<i64>>,
}

fn no_answer(kind: TransportErrorKind, detail: &str) -> TransportError {
    TransportError { kind, detail: detail.to_owned() }
}

async fn from_gateway(
    status: u16,
    sent: LocalBoxFuture<'static, Result<StreamedResponse, TransportError>>,
) -> Result<StreamedResponse, TransportError> {
    let mut answer = sent.await?;
    answer.head.status = status;
    answer.head.headers = [("content-type", "text/html")].into_iter().collect();
    answer.body = iter([Ok(b"<html>Bad Gateway</html>".to_vec())]).boxed_local();
    Ok(answer)
}

impl Transport for Struck {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (left, event) = (Rc::clone(&self.left), self.event);
        let left_before = left.get();
        left.set(left_before - 1);
        let sent = self.agent.send(request);
        async move {
            let closed = Err(no_answer(TransportErrorKind::Closed, "connection closed before message completed"));
            let is_struck = if event.is_passing() { left_before == 0 } else { left_before <= 0 };
            match event {
                _ if !is_struck => {}
                Event::Dies if left_before < 0 => {
                    return Err(no_answer(TransportErrorKind::Unreachable, "connection refused"));
                }
                Event::Dies | Event::ClosesOnce => return closed,
                Event::FallsSilent => return pending().await,
                Event::DiesBehindGateway(status) => return from_gateway(status, sent).await,
                Event::GatewayFailsOnce => return from_gateway(502, sent).await,
            }
            let mut answer = sent.await?;
            if event.is_passing() {
                return Ok(answer);
            }
            let body = answer.body.then(move |chunk| match event {
                _ if left.get() > -1 => ready(chunk).boxed_local(),
                Event::FallsSilent => pending().boxed_local(),
                _ => ready(Err("connection reset by peer".to_owned())).boxed_local(),
            });
            answer.body = body.boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

/// What fails, and how it is told.
fn failures(told: &FinishedRun) -> Vec<String> {
    let failed = told.results.iter().filter(|result| result.verdict.outcome == Outcome::Fail);
    failed.map(|result| format!("{}: {}", result.row.key(), result.verdict.message)).collect()
}

/// The version of an agent, by its path, and the variants that it has.
type Agent = (&'static str, &'static [&'static str]);

/// 0.1 and 0.2 are judged by the same code.
const AGENTS: [Agent; 4] = [("", &["grpc"]), ("", &["two-users"]), ("/0.3", &[]), ("/0.2", &[])];

/// What happens, and after how many requests at first: each begins elsewhere, so that together they fall on more kinds of requests.
const EVENTS: [(Event, usize); 7] = [
    (Event::Dies, 0),
    (Event::FallsSilent, 4),
    (Event::DiesBehindGateway(502), 8),
    (Event::DiesBehindGateway(503), 12),
    (Event::DiesBehindGateway(504), 16),
    (Event::ClosesOnce, 20),
    (Event::GatewayFailsOnce, 24),
];

/// It happens again in another run, so many requests later. With 1 this takes minutes.
const STEP: usize = 31;

/// Checks an agent to which this happens after so many requests.
fn struck((at, variants): Agent, event: Event, after: usize) -> FinishedRun {
    let (plain, clock) = host(variants);
    let left = Rc::new(Cell::new(i64::try_from(after).unwrap_or(i64::MAX)));
    let agent = Struck { agent: Rc::clone(&plain.transport), event, left };
    let options = with_address_and_credentials(at, variants, Options::default());
    check_on(Host { transport: Rc::new(agent), ..plain }, &clock, options)
}

#[test]
fn nothing_that_happens_in_the_middle_of_a_run_is_held_against_an_agent() {
    let mut accused: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, variants) in AGENTS {
        let whole = check_at(at, variants, Options::default());
        assert_eq!(failures(&whole), Vec::<String>::new());
        for (event, first) in EVENTS {
            for after in (first..whole.exchanges.len()).step_by(STEP) {
                for failure in failures(&struck((at, variants), event, after)) {
                    accused.entry(format!("{event:?} {at} {variants:?} {failure}")).or_default().push(after);
                }
            }
        }
    }
    assert_eq!(accused, BTreeMap::new());
}

#[test]
fn an_agent_whose_time_runs_out_is_accused_of_nothing() {
    for (at, variants) in AGENTS {
        // By then tasks are at work, and none has completed yet.
        for run_ms in (30_u8..120).step_by(8).map(f64::from) {
            let timeouts = Timeouts { run_ms, ..Timeouts::default() };
            let told = check_at(at, variants, Options { timeouts, ..Options::default() });
            assert!(matches!(told.completion, Completion::Incomplete(_)), "{at} {run_ms}: {:?}", told.completion);
            assert_eq!(failures(&told), Vec::<String>::new(), "{at} after {run_ms} ms");
        }
    }
}

#[test]
fn the_request_with_which_an_agent_behind_a_gateway_died_is_named() {
    let told = struck(("", &[]), Event::DiesBehindGateway(502), 40);
    let cause = told.cause.unwrap();
    assert!(cause.contains("requests and then stopped, as if it had crashed. This began with exchange 4"), "{cause}");
    assert!(cause.contains("HTTP 502 (a gateway or proxy got no valid response from the agent)"), "{cause}");
    assert!(matches!(told.completion, Completion::Incomplete(_)), "{:?}", told.completion);
}

/// A gateway before the agent, which answers 502 where the agent closes the connection.
struct Gateway(Rc<dyn Transport>);

impl Transport for Gateway {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (sent, page) = (self.0.send(request), self.0.send(Request::get(AGENT)));
        async move {
            match sent.await {
                Err(error) if error.kind == TransportErrorKind::Closed => from_gateway(502, page).await,
                other => other,
            }
        }
        .boxed_local()
    }
}

#[test]
fn an_agent_that_dies_of_a_request_is_found_behind_a_gateway_too() {
    for (fault, check) in [
        ("crash-on-wrong-types", "transport.input-validated"),
        ("crash-on-malformed-json", "jsonrpc.parse-error"),
        ("crash-on-malformed-json", "rest.malformed-json"),
        ("crash-on-invalid-request", "jsonrpc.invalid-request-refused"),
    ] {
        let (plain, clock) = host(&[fault]);
        let host = Host { transport: Rc::new(Gateway(Rc::clone(&plain.transport))), ..plain };
        let told = check_on(host, &clock, Options::default());
        let failures = failures(&told);
        let found = failures.iter().find(|failure| failure.starts_with(check));
        let how =
            "HTTP 502 (a gateway or proxy got no valid response from the agent), also when the request was repeated";
        assert!(found.is_some_and(|found| found.ends_with(how)), "{fault}: {failures:#?}");
    }
}
