//! The same agent checked several times: one report, in which what differs between the runs stands apart.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use a2a_conformance::checker::RunRecord;
use a2a_conformance::cli::terminal::{self, TerminalStyle, Verbosity};
use a2a_conformance::engine::event::{Completion, Event};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::run::run;
use a2a_conformance::engine::verdict::{Outcome, Verdict, VerdictOfRuns};
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::report::comparison::Comparison;
use a2a_conformance::report::{
    CheckedRow, ConformanceLevel, Environment, Format, Report, ReportBuilder, VerdictWord, compare, headline, read,
    write,
};
use a2a_conformance::suite;
use a2a_conformance::view_model::comparison::ComparisonView;
use a2a_conformance::view_model::messages::{CheckerMessage, Opening};
use a2a_conformance::view_model::rows::RowKind;
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::Request;
use futures_util::future::LocalBoxFuture;

use super::readers::agree;
use super::restored::{made_up, survives};
use super::run::{Run, fail};
use crate::support::{AGENT, FinishedRun, JumpClock, check, host};

/// The check that an agent with [`AT_TIMES`] breaks in every other run, beginning with the first.
const PARSE_ERROR: &str = "jsonrpc.parse-error";
const AT_TIMES: &[&str] = &["parse-error-at-times"];

fn several(runs: u32) -> Options {
    Options { repeat: runs, ..Options::default() }
}

fn environment() -> Environment {
    Environment { tool_version: "0.1.0".into(), host: "command line".into(), user_agent: None }
}

fn report_of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Report {
    let mut builder = ReportBuilder::new(environment());
    events.into_iter().for_each(|event| builder.apply(event));
    builder.report()
}

fn of(told: &FinishedRun) -> Report {
    report_of(&told.events)
}

fn row<'a>(report: &'a Report, check: &str) -> &'a CheckedRow {
    report.results.iter().find(|row| row.check == check).expect("the row")
}

fn runs_of(of_runs: &[VerdictOfRuns]) -> Vec<(Outcome, &[u32])> {
    of_runs.iter().map(|each| (each.verdict.outcome, each.runs.as_slice())).collect()
}

#[test]
fn what_fails_in_some_runs_is_unsteady_and_every_format_shows_both_kinds() {
    let (single, told) = (check(&[], Options::default()), check(AT_TIMES, several(5)));
    let report = of(&told);
    let unsteady = row(&report, PARSE_ERROR);
    assert_eq!(unsteady.outcome, Outcome::Unsteady);
    assert_eq!(runs_of(&unsteady.of_runs), [(Outcome::Fail, &[1, 3, 5][..]), (Outcome::Pass, &[2, 4][..])]);
    assert!(unsteady.message.starts_with("failed in 3 of 5 runs, passed in 2: expected "), "{}", unsteady.message);
    assert_eq!(report.unsteady().count(), 1);

    // Neither green nor red: nothing failed, and it is not full.
    let (tally, musts) = (&report.tally, &report.musts);
    assert_eq!((tally.failed, tally.unsteady, tally.inconclusive), (0, 1, of(&single).tally.inconclusive + 1));
    assert_eq!((musts.failed, musts.unsteady), (0, 1));
    assert_eq!(report.word, VerdictWord::ConformantWithAdvice);
    assert_eq!(report.level(), Some(ConformanceLevel::Partial));
    assert!(report.recommendations.is_empty());
    let said = headline(&report);
    assert!(said.contains("is kept in each of 5 runs (A2A 1.0)"), "{said}");
    assert!(
        said.ends_with("Unsteady: jsonrpc.parse-error on JSON-RPC 1.0 (failed in 3 of 5 runs, passed in 2)."),
        "{said}"
    );

    // Everything else is as in a single run.
    for (one, each) in of(&single).results.iter().zip(&report.results).filter(|(one, _)| one.check != PARSE_ERROR) {
        assert_eq!((one.key(), one.outcome, one.level), (each.key(), each.outcome, each.level));
    }
    assert_eq!(report.runs, Some(5));
    assert_eq!((told.tally.messages, told.completion.clone()), (5 * single.tally.messages, Completion::Complete));

    // The exchanges of both kinds are there, under numbers of their own; those of runs that showed nothing new are not.
    assert!(report.exchanges.windows(2).all(|pair| pair[0].id < pair[1].id));
    let step = |each: &VerdictOfRuns| {
        let exchange = |id: &u32| report.exchanges.iter().find(|exchange| exchange.id == *id).expect("its exchange");
        each.verdict.exchanges.iter().map(|id| exchange(id).step.as_str()).collect::<Vec<_>>()
    };
    let steps: Vec<_> = unsteady.of_runs.iter().map(step).collect();
    assert_eq!(steps, [vec!["truncated"], vec!["truncated (run 2)"]]);
    assert_eq!(report.exchanges.len(), single.exchanges.len() + 1);
    let later = report.exchanges.last().expect("exchanges");
    let before = report.exchanges.iter().rev().nth(1).expect("exchanges");
    assert!(later.sent_ms > before.sent_ms && later.end_ms >= later.sent_ms, "in the time of its own run");

    agree(&report);
    survives(&report, suite::declaration);
    for (format, words) in [
        (Format::Markdown, "#### Unsteady\n"),
        (Format::Markdown, " --repeat 5\n"),
        (Format::Html, "<h2>Unsteady: not the same in each run (1)</h2>"),
        (Format::JUnit, "UNSTEADY (MUST)"),
        (Format::JUnit, "name=\"a2a.unsteady\" value=\"1\""),
        (Format::Ctrf, "\"flaky\": true"),
        (Format::Json, "\"unsteady\": 1"),
    ] {
        let text = write(&report, format);
        assert!(text.contains(words), "{words} {text}");
        assert!(text.contains("3 of 5 runs") || format == Format::Json, "{}", format.title());
    }
    let text = terminal::render(&report, Verbosity::Usual, TerminalStyle::PLAIN);
    assert!(text.contains("\nruns      5 of 5, 1 result not the same in each\n"), "{text}");
    let (_, list) =
        text.split_once("\nUnsteady (1 check, not the same in each of 5 runs)\n").expect("a list of its own");
    assert!(
        list.starts_with("  unsteady jsonrpc.parse-error on jsonrpc-1.0 (required)\n    --> Runs 1, 3 and 5: failed: "),
        "{list}"
    );
    assert!(list.contains("\n    --> Runs 2 and 4: passed (exchange "), "{list}");
}

#[test]
fn an_agent_that_is_the_same_each_time_gets_the_verdict_of_a_single_run() {
    let (single, told) = (of(&check(&[], Options::default())), of(&check(&[], several(3))));
    assert_eq!((told.word, &told.assessment), (single.word, &single.assessment));
    assert_eq!((told.musts, told.tally.unsteady), (single.musts, 0));
    assert_eq!(told.exchanges.len(), single.exchanges.len());
    let text = terminal::render(&told, Verbosity::Usual, TerminalStyle::PLAIN);
    assert!(
        text.contains("\nruns      3 of 3, with the same results in each\n") && !text.contains("Unsteady"),
        "{text}"
    );
    agree(&told);
    survives(&told, suite::declaration);

    // What fails each time fails.
    let wrong = of(&check(&["parse-error-wrong-code"], several(2)));
    assert_eq!((wrong.word, wrong.tally.unsteady), (VerdictWord::NotConformant, 0));
    assert_eq!(row(&wrong, PARSE_ERROR).outcome, Outcome::Fail);
}

/// An agent that nobody reaches while it is down.
struct Falling {
    inner: Rc<dyn Transport>,
    is_down: Rc<Cell<bool>>,
}

impl Transport for Falling {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if self.is_down.get() {
            let detail = "connection refused".to_owned();
            return Box::pin(async { Err(TransportError { kind: TransportErrorKind::Unreachable, detail }) });
        }
        self.inner.send(request)
    }
}

/// The events of three runs, in the second of which the agent is down.
fn down_in_the_second() -> Vec<Event> {
    let (host, clock): (Host, JumpClock) = host(&[]);
    let is_down = Rc::new(Cell::new(false));
    let transport = Rc::new(Falling { inner: Rc::clone(&host.transport), is_down: Rc::clone(&is_down) });
    let events = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&events);
    let emit = Rc::new(move |event: Event| {
        if let Event::OfRun { run, event } = &event
            && matches!(**event, Event::Started { .. })
        {
            is_down.set(*run == 2);
        }
        sink.borrow_mut().push(event);
    });
    let options = Options { address: AGENT.to_owned(), ..several(3) };
    clock.block_on(run(Host { transport, ..host }, suite::areas_for(&options), options, emit));
    events.take()
}

#[test]
fn a_lane_that_one_run_does_not_have_is_a_difference_and_a_run_that_saw_nothing_is_named() {
    let report = report_of(&down_in_the_second());
    let Some(Completion::Incomplete(why)) = &report.completion else { panic!("{:?}", report.completion) };
    assert!(why.starts_with("run 2 of 3: "), "{why}");
    assert_eq!(report.word, VerdictWord::Incomplete, "no must was seen to hold in each run");
    let missing = row(&report, PARSE_ERROR);
    assert_eq!(runs_of(&missing.of_runs), [(Outcome::NotRun, &[2][..]), (Outcome::Pass, &[1, 3][..])]);
    assert!(missing.message.ends_with(": the run did not come to it"), "{}", missing.message);
    agree(&report);
    survives(&report, suite::declaration);
}

#[test]
fn a_run_that_is_stopped_leaves_the_report_of_those_that_are_whole() {
    let told = check(AT_TIMES, several(3));
    let ends = |event: &Event| matches!(event, Event::OfRun { event, .. } if matches!(**event, Event::Finished { .. }));
    let ends: Vec<usize> = (0..told.events.len()).filter(|at| ends(&told.events[*at])).collect();
    let stopped_before = |place: usize| {
        let mut builder = ReportBuilder::new(environment());
        told.events[..place].iter().for_each(|event| builder.apply(event));
        let (completion, tally) = (Completion::Stopped, builder.tally());
        builder.apply(&Event::Finished { completion, tally, cause: None, duration_ms: 5.0 });
        builder.report()
    };
    // The second run has judged everything, and is not over.
    let last_of_second =
        ends[0] + told.events[ends[0]..ends[1]].iter().position(|event| !matches!(event, Event::OfRun { .. })).unwrap();
    let report = stopped_before(last_of_second);
    assert_eq!((report.runs, report.tally.unsteady), (Some(1), 0));
    assert_eq!(row(&report, PARSE_ERROR).outcome, Outcome::Fail, "as the first run saw it");
    assert!(headline(&report).contains("It was stopped after 1 of 3 runs."), "{}", headline(&report));
    let report = stopped_before(ends[1] + 1);
    assert_eq!((report.runs, report.tally.unsteady), (Some(2), 1));
    assert_eq!(report.level(), None);
    agree(&report);
}

#[test]
fn the_page_says_which_run_goes_on_and_opens_both_kinds() {
    let told = check(AT_TIMES, several(3));
    let mut record = RunRecord::new(environment(), None);
    let mut stages = Vec::new();
    let mut last = None;
    let (mut announced, mut counts) = (0, Vec::new());
    for event in &told.events {
        match record.apply(event) {
            Some(CheckerMessage::Stage(stage)) => stages.push(stage),
            Some(CheckerMessage::Planned { messages, .. }) => announced += messages,
            Some(CheckerMessage::Judged { row, result }) if result.outcome == Outcome::Unsteady => {
                last = Some((row, result))
            }
            _ => {}
        }
        counts.push((record.tally().judged, record.tally().total));
    }
    assert_eq!(stages.first().map(String::as_str), Some("Run 1 of 3: Reading the agent card"));
    assert!(stages.iter().any(|stage| stage.starts_with("Run 3 of 3: Calling the agent over ")), "{stages:?}");
    let single = check(&[], Options::default());
    let planned = |event: &Event| if let Event::Planned { messages, .. } = event { *messages } else { 0 };
    assert_eq!(announced, 3 * single.events.iter().map(planned).sum::<u32>());
    assert!(counts.iter().all(|(judged, total)| judged <= total));
    assert_eq!(counts.iter().filter(|(judged, _)| *judged == 1).count(), 3, "each run counts from the beginning");

    let (row, result) = last.expect("the unsteady row");
    assert_eq!(RowKind::from_outcome(result.outcome, result.level), RowKind::Unsteady);
    assert!(result.message.starts_with("failed in 2 of 3 runs, passed in 1"), "{}", result.message);
    let detail = record.detail(row).expect("its detail");
    let runs: Vec<(&str, &str, usize)> =
        detail.steps.iter().map(|each| (each.id.as_str(), each.word.as_str(), each.evidence.len())).collect();
    assert_eq!(runs, [("Runs 1 and 3", "failed", 1), ("Run 2", "passed", 1)]);
    assert!(!detail.fix.is_empty() && detail.pair.is_none());

    // A report of a file shows the same.
    let (opened, opening) = RunRecord::open(&record.kept(true).text).expect("a report");
    assert_eq!(opened.expect("a record").detail(row).map(|detail| detail.steps), Some(detail.steps));
    let Opening::Report(opening) = opening else { panic!("a card") };
    let states = opening.messages.iter().filter_map(|message| match message {
        CheckerMessage::Judged { result, .. } if result.outcome == Outcome::Unsteady => Some(result.message.clone()),
        _ => None,
    });
    assert_eq!(states.collect::<Vec<_>>(), [result.message]);
}

fn compared(before: &[(&str, Verdict)], after: &[(&str, Verdict)]) -> Comparison {
    let file = |except: &[(&str, Verdict)]| {
        read(&write(&Run::default().except(except), Format::Json), made_up).expect("a report")
    };
    compare(&file(before), &file(after))
}

#[test]
fn what_was_unsteady_before_is_neither_newly_broken_nor_fixed() {
    let unsteady = |worst: Verdict| {
        let of_runs = vec![
            VerdictOfRuns { runs: vec![2, 4], verdict: worst },
            VerdictOfRuns { runs: vec![1, 3, 5], verdict: Verdict::pass() },
        ];
        ("get.not-found", Verdict::unsteady("some did, some did not", of_runs))
    };
    let failing = || unsteady(fail());
    let open = || unsteady(Verdict::inconclusive("it was over too soon"));
    for (before, after, broken, changed) in [
        (vec![failing()], vec![("get.not-found", fail())], 0, 1),
        (vec![failing()], vec![], 0, 1),
        (vec![], vec![failing()], 0, 1),
        (vec![("get.not-found", fail())], vec![failing()], 0, 1),
        (vec![open()], vec![failing()], 0, 1),
        // It failed in none of the runs before.
        (vec![open()], vec![("get.not-found", fail())], 1, 0),
        (vec![failing()], vec![failing()], 0, 0),
    ] {
        let comparison = compared(&before, &after);
        let counts = (comparison.newly_broken.len(), comparison.changed.len(), comparison.fixed.len());
        assert_eq!(counts, (broken, changed, 0), "{before:?} {after:?}");
        assert_eq!(comparison.new_breaches(), broken);
    }
    let view = ComparisonView::new(&compared(&[failing()], &[("get.not-found", fail())]), &|_| None);
    assert_eq!(view.groups[0].lines[0].change, "unsteady: failed in 2 of 5 runs \u{2192} fail");
}
