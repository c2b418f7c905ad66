//! Two agents together: conformant ones trip nothing, every check is tripped by the faults that it names, and why two agents cannot
//! talk is told.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use a2a_conformance::agent::ScriptedAgent;
use a2a_conformance::agent::fault::Faults;
use a2a_conformance::agent::loopback::Loopback;
use a2a_conformance::engine::delegation::{DelegationOptions, DelegationTemplate};
use a2a_conformance::engine::event::{CheckResult, Completion, Event};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::run::run_pair;
use a2a_conformance::engine::verdict::{Outcome, Status};
use a2a_conformance::host::native::RingVerifier;
use a2a_conformance::host::{Clock, Host, IdSource, StreamedResponse, Transport, Visibility};
use a2a_conformance::report::{Environment, Format, Report, ReportBuilder, write};
use a2a_conformance::suite;
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::Request;
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};

use crate::support::{CountedIds, JumpClock};

pub(crate) const HOSTS: [&str; 2] = ["http://a.test", "http://b.test"];

/// An agent of which a browser lets a page read nothing, and a header with which it lets it read no calls.
const HIDDEN: &str = "http://hidden.test";
const HIDES_CALLS: &str = "X-Hidden";

/// One of the two: where it is below its host, and its faults.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) at: &'a str,
    pub(crate) faults: &'a [&'a str],
}

pub(crate) const PLAIN: Subject<'static> = Subject { at: "", faults: &[] };

pub(crate) const fn with<'a>(faults: &'a [&'a str]) -> Subject<'a> {
    Subject { at: "", faults }
}

pub(crate) const fn at(at: &str) -> Subject<'_> {
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
        let is_call = !request.url.contains("/.well-known/");
        if request.url.starts_with(HIDDEN) || is_call && request.headers.get(HIDES_CALLS).is_some() {
            let detail = "the browser tells no more".to_owned();
            return ready(Err(TransportError { kind: TransportErrorKind::Opaque, detail })).boxed_local();
        }
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
pub(crate) struct FinishedPair {
    results: Vec<Rc<CheckResult>>,
    completion: Option<Completion>,
    cause: Option<String>,
    pub(crate) report: Report,
    seen: Vec<Request>,
}

impl FinishedPair {
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
pub(crate) fn pair_with(subjects: [Subject<'_>; 2], options: [Options; 2]) -> FinishedPair {
    let clock = JumpClock::default();
    let shared: Rc<dyn Clock> = Rc::new(clock.clone());
    let seen = Rc::new(RefCell::new(Vec::new()));
    let mut numbers = [1_000_000, 2_000_000].into_iter();
    let mut agent = |place: usize| {
        let faults = Faults::parse(subjects[place].faults.iter().copied()).expect("known faults");
        let ids: Rc<dyn IdSource> = Rc::new(CountedIds::from(numbers.next().expect("one of two")));
        ScriptedAgent::new(HOSTS[place], Rc::clone(&shared), ids, faults)
    };
    let scripted = [agent(0), agent(1)];
    let agents = scripted.clone().map(Loopback::new);
    let network = Rc::new(Network { agents, seen: Rc::clone(&seen) });
    for (agent, subject) in scripted.iter().zip(subjects) {
        if subject.faults.iter().any(|fault| fault.starts_with("delegat")) {
            agent.delegate_by(Rc::clone(&network) as Rc<dyn Transport>);
        }
    }
    let host = Host {
        transport: network,
        clock: Rc::clone(&shared),
        ids: Rc::new(CountedIds::default()),
        verifier: Rc::new(RingVerifier),
        visibility: Visibility::FULL,
        prober: None,
        webhooks: None,
        beacon: None,
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
    let is_delegating = first.delegation.is_some() || second.delegation.is_some();
    let suite = if is_delegating { suite::agents::DELEGATING_SUITE } else { suite::agents::SUITE };
    clock.block_on(run_pair(host, suite, addressed(first, 0), addressed(second, 1), emit));
    let (completion, cause) = end.take();
    let report = builder.borrow().report();
    FinishedPair { results: results.take(), completion, cause, report, seen: seen.take() }
}

/// Checks the two; those that know delegation are told to call the other.
fn pair(first: Subject<'_>, second: Subject<'_>) -> FinishedPair {
    let options = [first, second].map(|subject| {
        let is_told = subject.faults.iter().any(|fault| fault.starts_with("delegat"));
        let template = || DelegationTemplate::parse("delegate to {peer_url} with {token}").expect("a template");
        let delegation = is_told.then(|| Rc::new(DelegationOptions { template: template(), further: Vec::new() }));
        Options { delegation, ..Options::default() }
    });
    pair_with([first, second], options)
}

#[test]
fn agents_that_are_told_to_call_each_other_are_seen_to_do_so() {
    let told = pair(with(&["delegating"]), with(&["delegating"]));
    assert_eq!(told.amiss(), Vec::<String>::new());
    let calls = told.results.iter().filter(|result| result.row.check.id == "pair.delegated-call").count();
    assert_eq!(calls, 2);
}

#[test]
fn of_two_agents_the_one_is_found_out_that_only_says_that_it_called() {
    let told = pair(with(&["delegation-pretended"]), with(&["delegating"]));
    let amiss = told.amiss();
    assert!(amiss.len() == 1 && amiss[0].starts_with("pair.delegated-call@a-jsonrpc-1.0 Fail: "), "{amiss:?}");
    let said = "none, though the agent answered \"Done, I have called the other agent.\"";
    assert!(amiss[0].ends_with(said), "{amiss:?}");
}

/// Content that an agent shows only to clients with credentials proves nothing about the calls of others.
#[test]
fn a_call_that_the_other_agent_need_not_show_is_not_missed() {
    let credentials = Faults::parse(["protected"]).expect("known faults").credentials();
    let template = DelegationTemplate::parse("delegate to {peer_url} with {token}").expect("a template");
    let first = Options {
        delegation: Some(Rc::new(DelegationOptions { template, further: Vec::new() })),
        ..Options::default()
    };
    let second = Options { headers: credentials, ..Options::default() };
    let told = pair_with([with(&["delegation-pretended"]), with(&["protected"])], [first, second]);
    let open: Vec<_> = told.amiss().into_iter().filter(|line| line.starts_with("pair.delegated-call")).collect();
    assert!(open.len() == 2 && open[0].contains("Inconclusive") && open[1].contains("NotApplicable"), "{open:?}");
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

#[test]
fn agents_that_serve_two_versions_talk_in_the_one_that_both_have() {
    let told = pair(with(&["hybrid"]), at("/0.3"));
    assert_eq!(told.amiss(), Vec::<String>::new());
    let lanes: Vec<_> = told.report.lanes.iter().map(|lane| lane.id.as_str()).collect();
    assert_eq!(lanes, ["a-jsonrpc-0.3", "b-jsonrpc-0.3"]);
}

#[test]
fn agents_of_other_kinds_trip_nothing_either() {
    for variant in
        ["modest", "tenants", "extensions", "plain-json", "takes-pictures", "bursting", "only-http", "raising"]
    {
        let told = pair(with(&[variant]), PLAIN);
        assert_eq!(told.tripped(), BTreeSet::new(), "{variant}: {:?}", told.amiss());
        assert_eq!(told.cause, None, "{variant}");
    }
}

/// Why two agents cannot talk, as a user reads it.
#[test]
fn each_reason_why_two_agents_cannot_talk_is_told() {
    let nowhere = Options { address: "http://nowhere.test".to_owned(), ..Options::default() };
    let unreachable = pair_with([PLAIN, PLAIN], [Options::default(), nowhere]);
    assert_eq!(unreachable.tripped(), BTreeSet::new(), "what was not reached broke nothing: {:?}", unreachable.amiss());
    assert_eq!(unreachable.report.verdict_title(), "Incomplete");
    let cause = unreachable.cause.clone().unwrap_or_default();
    assert!(cause.starts_with("the two agents cannot talk: agent B cannot be reached: no card was found"), "{cause}");
    for (told, check, reason) in [
        (pair(PLAIN, at("/0.3")), "pair.common-interface", "no common version: agent A serves JSON-RPC 1.0"),
        (pair(at("/0.2"), at("/0.3")), "pair.common-interface", "let agent A serve JSON-RPC 0.3, too"),
        (
            pair(with(&["only-http"]), with(&["only-jsonrpc"])),
            "pair.common-interface",
            "no common binding: agent A serves HTTP+JSON 1.0",
        ),
        (
            pair(PLAIN, with(&["protected"])),
            "pair.credentials",
            "credentials needed: http://b.test/rpc refuses the call with HTTP 401",
        ),
        (pair(with(&["protected"]), PLAIN), "pair.credentials", "declares a bearer token, OAuth 2.0"),
        (pair(PLAIN, with(&["card-missing"])), "pair.cards", "agent B cannot be called: no card was found"),
        (pair(PLAIN, with(&["silent"])), "pair.", "reached"),
        (
            pair(with(&["modes-apart"]), PLAIN),
            "pair.modes",
            "modes that do not meet: the other agent puts out text/plain",
        ),
    ] {
        let cause = told.cause.clone().unwrap_or_default();
        assert!(cause.starts_with("the two agents cannot talk: ") && cause.contains(reason), "{reason}: {cause}");
        assert!(told.tripped().iter().any(|id| id.starts_with(check)), "{reason}: {:?}", told.tripped());
        let title = told.report.verdict_title();
        assert_eq!(title, "The two agents do not work together", "{reason}");
    }
}

#[test]
fn every_check_of_two_agents_is_tripped_by_the_faults_that_it_names() {
    let declared: Vec<_> = suite::pair_declarations().map(|(.., check)| check).collect();
    let faults: BTreeSet<&str> = declared.iter().flat_map(|check| check.faults.iter().copied()).collect();
    let mut table = String::new();
    let mut blind = Vec::new();
    for fault in faults {
        let one: &[&str] = &[fault];
        let other: &[&str] = match fault {
            "only-jsonrpc" => &["only-http"],
            "only-http" => &["only-jsonrpc"],
            _ => &[],
        };
        let shared = |at: &str| Options { address: format!("{}{at}", HOSTS[0]), ..Options::default() };
        let both = [fault, "hybrid"];
        let told = [
            ("A", pair(with(one), with(other))),
            ("B", pair(with(other), with(one))),
            // One agent at two addresses, so that nothing but the fault keeps the two apart.
            ("both", pair_with([with(&both), PLAIN], [shared(""), shared("/0.3")])),
        ];
        for (role, told) in &told {
            let found: Vec<_> = told.tripped().into_iter().collect();
            table.push_str(&format!(
                "{fault} as {role}: {}\n",
                if found.is_empty() { "(nothing)".to_owned() } else { found.join(", ") }
            ));
        }
        for check in declared.iter().filter(|check| check.faults.contains(&fault)) {
            if !told.iter().any(|(_, told)| told.tripped().contains(check.id)) {
                blind.push(format!("{} is not tripped by {fault}: {:?}", check.id, told[0].1.amiss()));
            }
        }
    }
    assert!(blind.is_empty(), "{}", blind.join("\n"));
    insta::assert_snapshot!("pair_fault_table", table);
}

#[test]
fn parts_of_every_kind_are_relayed_within_the_modes_of_the_receiver() {
    let bodies = |told: &FinishedPair| -> Vec<String> {
        let sent = told.seen.iter().filter(|request| request.url.starts_with(HOSTS[1]));
        sent.filter_map(|request| request.body.clone()).map(|body| String::from_utf8(body).expect("text")).collect()
    };
    let (picture, kinds) =
        ("PHN2ZyB4bWxucz0", ["Some text.", "\"count\":42", "https://example.com/output.txt", "output.txt"]);
    let told = pair(PLAIN, with(&["takes-pictures"]));
    let relayed = bodies(&told).into_iter().find(|body| body.contains(picture)).expect("a relayed picture");
    assert!(kinds.iter().all(|kind| relayed.contains(kind)), "{relayed}");
    let accepted = told.results.iter().filter(|result| result.row.check.id == "pair.relay-accepted");
    let counts: Vec<_> = accepted.map(|result| result.verdict.message.as_str()).collect();
    assert!(counts.iter().any(|count| count.ends_with(" parts accepted")), "{counts:?}");
    assert!(counts.iter().all(|count| !count.starts_with("0 ")), "{counts:?}");
    let told = pair(PLAIN, PLAIN);
    assert!(bodies(&told).iter().all(|body| !body.contains(picture)));
    assert!(bodies(&told).iter().any(|body| kinds.iter().all(|kind| body.contains(kind))));
}

/// Neither agent is ever sent what was given for the other, and no report has either.
#[test]
fn credentials_of_one_agent_never_go_to_the_other() {
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let first = Options {
        headers: vec![field("Authorization", "Bearer open-sesame"), field("X-Own", "canary-a-header")],
        query: vec![field("key", "canary-a-query")],
        ..Options::default()
    };
    let of_lane = a2a_conformance::engine::options::FixedCredentials {
        headers: vec![field("X-Lane", "canary-b-lane")],
        ..Default::default()
    };
    let second = Options {
        headers: vec![field("Authorization", "Bearer canary-b-token")],
        lanes: vec![("jsonrpc-1.0".to_owned(), of_lane)],
        ..Options::default()
    };
    let told = pair_with([with(&["protected"]), PLAIN], [first, second]);
    assert_eq!(told.amiss(), Vec::<String>::new());
    let (mut of_a, mut of_b) = (0, 0);
    for request in &told.seen {
        let text = format!("{request:?}");
        let (a, b) = (text.contains("canary-a") || text.contains("open-sesame"), text.contains("canary-b"));
        match request.url.starts_with(HOSTS[0]) {
            true => assert!(!b, "{text}"),
            false => assert!(!a, "{text}"),
        }
        of_a += usize::from(a);
        of_b += usize::from(text.contains("canary-b-lane"));
    }
    assert!(of_a > 5 && of_b > 5, "{of_a} {of_b}");
    let written = a2a_conformance::report::write_whole(&told.report);
    assert!(!written.contains("canary") && !written.contains("open-sesame"));
}

#[test]
fn the_report_on_two_agents_holds_the_reports_of_both() {
    let alone = |version: &str| {
        let told = crate::support::check_at(version, &[], Options::default());
        let mut builder = ReportBuilder::new(Environment {
            tool_version: "0.0.0".to_owned(),
            host: "test".to_owned(),
            user_agent: None,
        });
        told.events.iter().for_each(|event| builder.apply(event));
        Rc::new(builder.report())
    };
    let told = pair(PLAIN, PLAIN);
    let report = Report { agents: vec![alone(""), alone("/0.3")], ..told.report };
    let json: serde_json::Value = serde_json::from_str(&write(&report, Format::Json)).expect("JSON");
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../docs/report-v1.schema.json")).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let problems: Vec<_> = validator.iter_errors(&json).map(|problem| problem.to_string()).take(3).collect();
    assert!(problems.is_empty(), "{problems:?}");
    let agents = json["agents"].as_array().expect("agents");
    assert_eq!(agents.len(), 2);
    assert_eq!(agents[1]["report"]["agentUrl"], agents[1]["address"]);
    assert_eq!((&agents[0]["verdict"], &json["verdict"]), (&"conformant".into(), &"conformant".into()));
    assert_eq!(json["completion"], "pair");
    assert_eq!(json["categories"]["interop"].as_array().map(Vec::len), Some(report.results.len()));
    for format in [Format::Json, Format::Markdown, Format::Html, Format::JUnit, Format::Ctrf] {
        let text = write(&report, format);
        assert!(text.contains("The two agents work together: "), "{}", format.title());
        for name in ["Agent A alone", "Agent B alone"] {
            assert!(text.contains(name), "{} {name}", format.title());
        }
    }
}

#[test]
fn what_a_browser_hides_of_two_agents_is_no_reason_why_they_cannot_talk() {
    let no_card = Options { address: HIDDEN.to_owned(), ..Options::default() };
    let headers = vec![(HIDES_CALLS.to_owned(), "secret".to_owned())];
    let no_calls = Options { headers, ..Options::default() };
    for (second, check) in [(no_card, "pair.cards"), (no_calls, "pair.reachable")] {
        let told = pair_with([PLAIN, PLAIN], [Options::default(), second]);
        assert_eq!((told.tripped(), told.cause), (BTreeSet::new(), None), "{check}");
        let hidden = told.results.iter().filter(|result| result.verdict.outcome == Outcome::NotObservable);
        assert!(hidden.map(|result| result.row.check.id).any(|id| id == check), "{check}");
    }
}
