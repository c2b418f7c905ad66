//! Two agents together: conformant ones trip nothing, every check is tripped by the faults that it names, and why two agents cannot
//! talk is told.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use a2a_conformance::agent::ScriptedAgent;
use a2a_conformance::agent::fault::Faults;
use a2a_conformance::agent::loopback::Loopback;
use a2a_conformance::engine::event::{CheckResult, Completion, Event};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::run::run_pair;
use a2a_conformance::engine::verdict::{Outcome, Status};
use a2a_conformance::host::native::RingVerifier;
use a2a_conformance::host::{Clock, Host, IdSource, StreamedResponse, Transport, Visibility};
use a2a_conformance::report::{Environment, Report, ReportBuilder};
use a2a_conformance::suite;
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::Request;
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};

use crate::support::{CountedIds, JumpClock};

const HOSTS: [&str; 2] = ["http://a.test", "http://b.test"];

/// One of the two: where it is below its host, and its faults.
#[derive(Clone, Copy)]
struct Subject<'a> {
    at: &'a str,
    faults: &'a [&'a str],
}

const PLAIN: Subject<'static> = Subject { at: "", faults: &[] };

const fn with<'a>(faults: &'a [&'a str]) -> Subject<'a> {
    Subject { at: "", faults }
}

const fn at(at: &str) -> Subject<'_> {
    Subject { at, faults: &[] }
}

/// A network of two agents, which notes every request.
struct Network {
    agents: [Loopback; 2],
    seen: Rc<RefCell<Vec<Request>>>,
}

impl Transport for Network {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        self.seen.borrow_mut().push(request.clone());
        match HOSTS.iter().position(|host| request.url.starts_with(host)) {
            Some(place) => self.agents[place].send(request),
            None => {
                let detail = "there is no such host".to_owned();
                ready(Err(TransportError { kind: TransportErrorKind::Unreachable, detail })).boxed_local()
            }
        }
    }
}

/// What a run with two agents told.
struct Told {
    results: Vec<Rc<CheckResult>>,
    completion: Option<Completion>,
    cause: Option<String>,
    report: Report,
    seen: Vec<Request>,
}

impl Told {
    /// What did not pass, with the reason.
    fn amiss(&self) -> Vec<String> {
        let is_amiss = |result: &&Rc<CheckResult>| result.verdict.outcome != Outcome::Pass;
        let line = |result: &Rc<CheckResult>| {
            format!("{} {:?}: {}", result.row.key(), result.verdict.outcome, result.verdict.message)
        };
        self.results.iter().filter(is_amiss).map(line).collect()
    }

    fn tripped(&self) -> BTreeSet<&'static str> {
        let failed = self.results.iter().filter(|result| result.verdict.outcome.status() == Status::Fail);
        failed.map(|result| result.row.check.id).collect()
    }
}

/// Checks two scripted agents together, with the credentials of these options.
fn pair_with(subjects: [Subject<'_>; 2], options: [Options; 2]) -> Told {
    let clock = JumpClock::default();
    let shared: Rc<dyn Clock> = Rc::new(clock.clone());
    let seen = Rc::new(RefCell::new(Vec::new()));
    let mut numbers = [1_000_000, 2_000_000].into_iter();
    let mut agent = |place: usize| {
        let faults = Faults::parse(subjects[place].faults.iter().copied()).expect("known faults");
        let ids: Rc<dyn IdSource> = Rc::new(CountedIds::from(numbers.next().expect("one of two")));
        Loopback::new(ScriptedAgent::new(HOSTS[place], Rc::clone(&shared), ids, faults))
    };
    let agents = [agent(0), agent(1)];
    let host = Host {
        transport: Rc::new(Network { agents, seen: Rc::clone(&seen) }),
        clock: Rc::clone(&shared),
        ids: Rc::new(CountedIds::default()),
        verifier: Rc::new(RingVerifier),
        visibility: Visibility::FULL,
        prober: None,
        webhooks: None,
    };
    let [first, second] = options;
    let addressed = |options: Options, place: usize| {
        let address = if options.address.is_empty() {
            format!("{}{}", HOSTS[place], subjects[place].at)
        } else {
            options.address.clone()
        };
        Options { address, ..options }
    };
    let builder = Rc::new(RefCell::new(ReportBuilder::new(Environment {
        tool_version: "0.0.0".to_owned(),
        host: "test".to_owned(),
        user_agent: None,
    })));
    let results = Rc::new(RefCell::new(Vec::new()));
    let end = Rc::new(RefCell::new((None, None)));
    let emit = {
        let (builder, results, end) = (Rc::clone(&builder), Rc::clone(&results), Rc::clone(&end));
        Rc::new(move |event: Event| {
            builder.borrow_mut().apply(&event);
            match event {
                Event::Judged { result, .. } => results.borrow_mut().push(result),
                Event::Finished { completion, cause, .. } => *end.borrow_mut() = (Some(completion), cause),
                _ => {}
            }
        })
    };
    clock.block_on(run_pair(host, suite::agents::SUITE, addressed(first, 0), addressed(second, 1), emit));
    let (completion, cause) = end.take();
    let report = builder.borrow().report();
    Told { results: results.take(), completion, cause, report, seen: seen.take() }
}

fn pair(first: Subject<'_>, second: Subject<'_>) -> Told {
    pair_with([first, second], [Options::default(), Options::default()])
}

#[test]
fn conformant_agents_of_one_version_trip_nothing() {
    for version in ["", "/0.3", "/0.2"] {
        let told = pair(at(version), at(version));
        let wrong: Vec<_> = told.amiss();
        assert_eq!(wrong, Vec::<String>::new(), "{version}");
        assert_eq!(told.completion, Some(Completion::Pair));
    }
}
