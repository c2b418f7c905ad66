//! The conformant scripted agent: nothing fails, nothing is blocked, and no must is left open.

use std::collections::BTreeSet;
use std::rc::Rc;

use a2a_conformance::agent::fault::VARIANTS;
use a2a_conformance::engine::event::{Completion, Event};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::verdict::{Outcome, Status};
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::report::{ConformanceLevel, Environment, ReportBuilder};
use a2a_conformance::suite;
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::{Headers, Request, ResponseHead};
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};

use crate::support::{AGENT, FinishedRun, check, check_at, check_at_with_webhooks, check_on, host};

/// The rows that are not as they should be with a conformant agent: failed or noted, blocked, or a must that was left open.
fn amiss(told: &FinishedRun) -> Vec<String> {
    let mut wrong = Vec::new();
    for result in &told.results {
        let outcome = result.verdict.outcome;
        let open = matches!(outcome, Outcome::Blocked | Outcome::HarnessError | Outcome::NotRun)
            || (outcome == Outcome::Inconclusive && result.level == Level::Must);
        if outcome.status() == Status::Fail || outcome == Outcome::Note || open {
            wrong.push(format!("{} {:?}: {}", result.row.key(), outcome, result.verdict.message));
        }
    }
    wrong
}

/// The plain agent and every variant of it.
fn variants() -> impl Iterator<Item = Option<&'static str>> {
    [None].into_iter().chain(VARIANTS.iter().map(|variant| Some(variant.id)))
}

/// Everything is run, whatever it costs.
fn thorough() -> Options {
    Options { is_thorough: true, ..Options::default() }
}

/// An agent that stops answering leaves much open, and yet it has done nothing wrong.
const STOPS: &str = "busy";

#[test]
fn nothing_fails_nothing_is_blocked_and_no_must_is_inconclusive() {
    let mut wrong = Vec::new();
    for (variant, options) in variants().flat_map(|variant| [(variant, Options::default()), (variant, thorough())]) {
        let told = check(variant.as_slice(), options);
        if variant == Some(STOPS) {
            wrong.extend(told.tripped().into_iter().map(|id| format!("{variant:?}: {id}")));
            continue;
        }
        assert_eq!(told.completion, Completion::Complete, "{variant:?}");
        assert_eq!(told.cause, None, "{variant:?}");
        wrong.extend(amiss(&told).into_iter().map(|what| format!("{variant:?}: {what}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The agents of the older versions, by their paths, and the lanes of each.
const OLDER: [(&str, &[&str]); 3] =
    [("/0.3", &["jsonrpc-0.3", "rest-0.3"]), ("/0.2", &["jsonrpc-0.2", "rest-0.2"]), ("/0.1", &["jsonrpc-0.1"])];

#[test]
fn nothing_fails_in_an_older_version_either() {
    let mut wrong = Vec::new();
    for (at, wanted) in OLDER {
        for variant in variants() {
            let told = check_at_with_webhooks(at, variant.as_slice(), thorough());
            if variant == Some(STOPS) {
                wrong.extend(told.tripped().into_iter().map(|id| format!("{at} {variant:?}: {id}")));
                continue;
            }
            assert_eq!(told.completion, Completion::Complete, "{at} {variant:?}");
            assert_eq!(told.cause, None, "{at} {variant:?}");
            wrong.extend(amiss(&told).into_iter().map(|what| format!("{at} {variant:?}: {what}")));
            let lanes: BTreeSet<_> = told.passed().into_iter().filter_map(|(_, lane)| lane).collect();
            let over_grpc = (at == "/0.3" && variant == Some("grpc")).then_some(&"grpc-0.3");
            if lanes != wanted.iter().chain(over_grpc).map(|lane| (*lane).to_owned()).collect() {
                wrong.push(format!("{at} {variant:?}: the lanes {lanes:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_fails_over_grpc_whatever_else_the_agent_is() {
    let mut wrong = Vec::new();
    for (at, variant) in ["", "/0.3"].into_iter().flat_map(|at| variants().flatten().map(move |variant| (at, variant)))
    {
        if !matches!(variant, STOPS | "grpc") {
            let told = check_at(at, &["grpc", variant], thorough());
            wrong.extend(amiss(&told).into_iter().map(|what| format!("{at} {variant}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each lane of a run, and its level.
fn levels(told: &FinishedRun) -> Vec<(String, Option<ConformanceLevel>)> {
    let mut recorder =
        ReportBuilder::new(Environment { tool_version: "0".to_owned(), host: "test".to_owned(), user_agent: None });
    told.events.iter().for_each(|event| recorder.apply(event));
    recorder.report().lanes.iter().map(|lane| (lane.id.clone(), lane.assessment.rating.level())).collect()
}

/// These lanes, and nothing less than full.
fn full(lanes: &[&str]) -> Vec<(String, Option<ConformanceLevel>)> {
    lanes.iter().map(|lane| ((*lane).to_owned(), Some(ConformanceLevel::Full))).collect()
}

#[test]
fn each_binding_of_its_card_is_a_lane_and_all_are_full_in_every_version() {
    assert_eq!(levels(&check(&[], Options::default())), full(&["jsonrpc-1.0", "rest-1.0"]));
    for (at, wanted) in OLDER {
        assert_eq!(levels(&check_at(at, &[], Options::default())), full(wanted), "{at}");
    }
    for (at, wanted) in
        [("", ["jsonrpc-1.0", "rest-1.0", "grpc-1.0"]), ("/0.3", ["jsonrpc-0.3", "rest-0.3", "grpc-0.3"])]
    {
        assert_eq!(levels(&check_at(at, &["grpc"], Options::default())), full(&wanted), "{at}");
    }
}

/// It breaks no must, but was not observed to do anything.
#[test]
fn an_agent_that_completes_no_task_is_not_full() {
    for fault in ["tasks-all-fail", "tasks-never-complete"] {
        let told = check(&[fault], Options::default());
        let partial: Vec<_> =
            ["jsonrpc-1.0", "rest-1.0"].map(|lane| (lane.to_owned(), Some(ConformanceLevel::Partial))).into();
        assert_eq!(levels(&told), partial, "{fault}");
        assert_eq!(told.tripped(), ["task.completes"], "{fault}");
    }
}

#[test]
fn an_agent_that_speaks_two_versions_at_one_endpoint_is_full_in_both() {
    let told = check(&["hybrid"], Options::default());
    assert_eq!(levels(&told), full(&["jsonrpc-1.0", "rest-1.0", "jsonrpc-0.3", "rest-0.3"]));
}

/// The acceptance of AgentBin's agent of 0.3: its card, a send, a task's life and a stream, found out without a word.
#[test]
fn the_0_3_agent_is_recognised_and_passes_the_agentbin_profile() {
    let told = check_at("/0.3", &[], Options::default());
    let agents: Vec<_> = told
        .events
        .iter()
        .filter_map(|event| if let Event::Agent(agent) = event { Some(agent) } else { None })
        .collect();
    assert_eq!(agents.len(), 1);
    assert_eq!((agents[0].detected.0.as_str(), agents[0].profile.as_str()), ("0.3", "agentbin"));
    let passed = told.passed();
    let asked = |lane: &str, checks: &[&'static str]| {
        for check in checks {
            let place = (*check, Some(lane.to_owned()));
            assert!(passed.contains(&place), "{place:?}");
        }
    };
    for lane in ["jsonrpc-0.3", "rest-0.3"] {
        asked(lane, &["send.accepts-text", "send.task-or-message", "get.returns-task", "get.after-completion"]);
        asked(lane, &["cancel.returns-task", "cancel.state", "sse.framing", "sse.data-json", "stream.last-chunk"]);
    }
    asked("jsonrpc-0.3", &["jsonrpc.sse-content-type", "stream.kinds", "stream.final-marked", "stream.final-ends"]);
    // Over HTTP no statement of 0.3 says how a stream ends.
    asked("rest-0.3", &["rest.sse"]);
    assert!(passed.contains(&("card.older-required-fields", None)));
}

/// A transport to an agent of which one door takes only the objects of JSON-RPC over HTTP.
struct OneForm(Rc<dyn Transport>);

impl Transport for OneForm {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let body = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()).into_owned();
        // The proto has `content` where the text has `parts`.
        if request.url.contains("/rest/") && body.contains("\"content\"") {
            let head = ResponseHead { status: 400, headers: Headers::new(), url: request.url, redirected: false };
            return ready(Ok(StreamedResponse { head, body: iter([]).boxed_local() })).boxed_local();
        }
        self.0.send(request)
    }
}

#[test]
fn an_agent_that_accepts_the_other_json_form_over_http_is_called_in_that_form() {
    let (plain, clock) = host(&[]);
    let host = Host { transport: Rc::new(OneForm(Rc::clone(&plain.transport))), ..plain };
    let told = check_on(host, &clock, Options { address: format!("{AGENT}/0.3"), ..Options::default() });
    assert_eq!(levels(&told), full(&["jsonrpc-0.3", "rest-0.3"]));
    assert!(amiss(&told).is_empty(), "{:?}", amiss(&told));
}

#[test]
fn every_check_passes_with_the_plain_agent_or_with_a_variant() {
    let mut passed = BTreeSet::new();
    let paths = || std::iter::once("").chain(OLDER.iter().map(|(at, _)| *at));
    for (at, variant) in paths().flat_map(|at| variants().map(move |variant| (at, variant))) {
        let told = check_at_with_webhooks(at, variant.as_slice(), thorough());
        let fine = told.results.iter().filter(|result| result.verdict.outcome == Outcome::Pass);
        passed.extend(fine.map(|result| result.row.check.id));
    }
    let unseen: Vec<_> = suite::checks().map(|check| check.id).filter(|id| !passed.contains(id)).collect();
    insta::assert_debug_snapshot!("never_passed", unseen);
}

#[test]
fn every_planned_row_is_judged_once_and_the_counts_agree() {
    counts_agree(&check(&[], Options::default()));
    counts_agree(&check(&["bursting"], thorough()));
}

fn counts_agree(told: &FinishedRun) {
    let mut planned: Vec<String> = Vec::new();
    let mut promised = 0;
    for event in &told.events {
        if let Event::Planned { rows, messages } = event {
            planned.extend(rows.iter().map(|row| row.key()));
            promised += messages;
        }
    }
    let mut judged: Vec<String> = told.results.iter().map(|result| result.row.key()).collect();
    planned.sort();
    judged.sort();
    assert_eq!(planned, judged);
    assert_eq!(told.tally.total as usize, judged.len());
    assert_eq!(told.tally.judged, told.tally.total);
    assert_eq!(told.tally.passed + told.tally.failed + told.tally.skipped, told.tally.total);
    // The plan said what it would cost at most, and an agent that shows every behaviour in time costs just that: on each lane no task to
    // cancel and none to subscribe to had to be made anew, which could have been two of one message and two of two.
    assert_eq!(told.tally.messages, promised - 2 * (2 + 4));
}

/// What a run costs without being asked for more, and what it says of the rest.
#[test]
fn a_run_that_is_not_thorough_sends_sixty_messages_at_most_and_names_what_it_leaves_out() {
    let left_out = |told: &FinishedRun| {
        let named = told.events.iter().filter_map(|event| match event {
            Event::LeftOut(left_out) => Some(left_out.clone()),
            _ => None,
        });
        named.flatten().collect::<Vec<_>>()
    };
    let (usual, whole) = (check(&["bursting"], Options::default()), check(&["bursting"], thorough()));
    assert!(usual.tally.messages <= 60, "{}", usual.tally.messages);
    let titles: Vec<_> = left_out(&usual).into_iter().map(|each| (each.title, each.messages)).collect();
    let wanted = [
        ("Send several messages at the same time", 8),
        ("Send a message to a rejected task", 2),
        ("Meet the end of tasks with cancels, messages and subscriptions", 96),
        ("Stream the third message of a conversation", 6),
        ("Stream several tasks at the same time", 6),
        ("Stream two bursts of updates", 4),
    ];
    assert_eq!(titles, wanted.map(|(title, messages)| (title.to_owned(), messages)));
    assert_eq!(whole.tally.messages, usual.tally.messages + 26 + 96);
    assert!(left_out(&whole).is_empty());
    // Without a prompt for a burst there is none to leave out.
    assert_eq!(left_out(&check(&[], Options::default())).len(), 5);
    // Whoever names a check wants it, whatever it costs.
    let named = Options { only: vec!["send.rejected-refused".to_owned()], ..Options::default() };
    let passed = check(&[], named).passed();
    assert!(passed.contains(&("send.rejected-refused", Some("jsonrpc-1.0".to_owned()))));
}

#[test]
fn at_least_sixty_checks_judge_a_1_0_agent_on_each_binding() {
    let told = check(&[], Options::default());
    for lane in ["jsonrpc-1.0", "rest-1.0"] {
        let here = told.results.iter().filter(|result| result.row.lane.as_ref().is_some_and(|known| known.id == lane));
        let judged = here.filter(|result| result.verdict.outcome == Outcome::Pass).count();
        assert!(judged >= 60, "only {judged} checks came to a verdict on {lane}");
    }
}

#[test]
fn a_filtered_run_judges_the_selected_checks_and_is_marked_as_filtered() {
    let told = check(&[], Options { only: vec!["card.*".to_owned()], ..Options::default() });
    assert_eq!(told.completion, Completion::Filtered);
    for result in &told.results {
        let asked = result.row.check.id.starts_with("card.");
        assert_eq!(result.verdict.outcome != Outcome::NotRun, asked, "{}", result.row.key());
    }
    // The card and the probe: no message was sent.
    assert_eq!(told.tally.messages, 0);
}

/// Signatures have tests of their own, and the proto has no referenceTaskIds.
const NEVER_PASS: [(&str, &str, Option<&str>); 4] = [
    ("/0.3", "card.signature-fields", None),
    ("/0.3", "context.reference-task-ids", Some("grpc-0.3")),
    ("/0.3", "context.reference-task-ids", Some("rest-0.3")),
    ("/0.2", "context.reference-task-ids", Some("rest-0.2")),
];

#[test]
fn every_check_of_an_older_version_passes_on_each_lane_with_the_plain_agent_or_with_a_variant() {
    let mut unseen = Vec::new();
    for (at, _) in OLDER {
        let mut runs: Vec<_> =
            variants().map(|variant| check_at_with_webhooks(at, variant.as_slice(), thorough())).collect();
        if at == "/0.3" {
            let over_grpc = |variant| check_at_with_webhooks(at, &["grpc", variant], thorough());
            runs.extend(variants().flatten().map(over_grpc));
        }
        let passed: BTreeSet<_> = runs.iter().flat_map(FinishedRun::passed).collect();
        let rows: BTreeSet<_> = runs.iter().flat_map(FinishedRun::judged).collect();
        unseen.extend(rows.difference(&passed).map(|(check, lane)| (at, *check, lane.clone())));
    }
    let allowed = NEVER_PASS.map(|(at, check, lane)| (at, check, lane.map(str::to_owned)));
    assert_eq!(unseen, allowed);
}
