//! A report that was read back from its file: every format written from it is that of the report itself.

use a2a_conformance::engine::check::DeclaredCheck;
use a2a_conformance::engine::event::{Completion, Event};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::prompt::{Behaviour, Texts};
use a2a_conformance::report::json::write_whole;
use a2a_conformance::report::{Environment, Format, Report, ReportBuilder, UnknownInReport, read, write};
use a2a_conformance::suite;

use super::HOSTILE;
use super::run::{Run, SUITE, exchange, fail, note, random};
use crate::support::{FinishedRun, check, check_at};

/// A check of the made-up suite.
pub(super) fn made_up(id: &str) -> Option<DeclaredCheck> {
    let checks = SUITE.iter().flat_map(|(area, of)| of.checks.iter().map(move |check| (*area, of, check)));
    checks.into_iter().find(|(.., check)| check.id == id)
}

/// Whether two texts are the same; shows the first line that is not.
fn same(what: &str, first: &str, again: &str) {
    let differs = first.lines().zip(again.lines()).find(|(first, again)| first != again);
    assert!(first == again, "{what}: {differs:?}");
}

/// Every format of the report that was read back is the same, and so is what it holds apart from them.
pub(super) fn survives(report: &Report, find: fn(&str) -> Option<DeclaredCheck>) {
    let whole = write_whole(report);
    let file = read(&whole, find).unwrap();
    assert_eq!((file.unknown, file.truncated), (None, None));
    let restored = file.report;
    same("whole JSON", &whole, &write_whole(&restored));
    for format in Format::ALL {
        same(format.title(), &write(report, format), &write(&restored, format));
    }
    assert_eq!((restored.word, restored.musts), (report.word, report.musts));
    assert_eq!(restored.assessment, report.assessment);
    assert_eq!(restored.completion, report.completion);
    assert_eq!(restored.recommendations, report.recommendations);
    assert_eq!(restored.upgrade, report.upgrade);
    assert_eq!(restored.settings, report.settings);
}

fn folded(told: &FinishedRun) -> Report {
    let environment = Environment {
        tool_version: "0.1.0".into(),
        host: "page".into(),
        user_agent: Some("Mozilla/5.0 (<script>)".into()),
    };
    let mut builder = ReportBuilder::new(environment);
    told.events.iter().for_each(|event| builder.apply(event));
    builder.report()
}

#[test]
fn runs_of_the_scripted_agent_survive_the_way_into_a_file_and_back() {
    let mut prompts = Texts::default();
    prompts.set(Behaviour::Cancel, "wait | for `it`".to_owned());
    let options = || Options { prompts: prompts.clone(), only: Vec::new(), ..Options::default() };
    for (at, faults) in [
        ("", &[][..]),
        ("", &["get-wrapped", "stream-two-payloads", "card-skill-duplicate"]),
        ("/0.3", &["canned-error"]),
        ("/0.2", &[]),
        ("/0.1", &[]),
    ] {
        survives(&folded(&check_at(at, faults, options())), suite::declaration);
    }
    let part = Options { only: vec!["card.*".to_owned()], version: Some("1.0".to_owned()), ..Options::default() };
    let report = folded(&check(&[], part));
    assert_eq!(report.completion, Some(Completion::Filtered));
    survives(&report, suite::declaration);
}

#[test]
fn any_run_survives_the_way_into_a_file_and_back() {
    for seed in 0..100 {
        survives(&random(seed, &["", "plain words", "get.not-found: x", "jsonrpc-1.0: x"]), made_up);
        survives(&random(seed, &HOSTILE), made_up);
    }
    let nothing = ReportBuilder::new(Environment { tool_version: "0".into(), host: "page".into(), user_agent: None });
    survives(&nothing.report(), made_up);
    let run = Run { completion: Some(Completion::Incomplete("HTTP 429: (slow) down".into())), ..Run::default() };
    survives(&run.except(&[("get.not-found", fail()), ("cors.card", note())]), made_up);
}

#[test]
fn a_recording_of_big_answers_is_handed_over_whole() {
    let mut recorder = Run::default().record(|_| None);
    let body = "y".repeat(5_000_000);
    recorder.apply(&Event::Exchanged(std::rc::Rc::new(exchange(3, &body))));
    let report = recorder.report();
    survives(&report, made_up);
    assert_eq!(read(&write_whole(&report), made_up).unwrap().report.exchanges, report.exchanges);
    // A file that was cut still shows what it has.
    let cut = read(&write(&report, Format::Json), made_up).unwrap();
    assert_eq!(cut.truncated, Some(3));
    let response = cut.report.exchanges[2].response.as_ref().unwrap();
    assert_eq!((response.body.len(), response.bytes), (65_536, 5_000_000));
}

#[test]
fn what_a_file_knows_more_than_this_version_is_noted() {
    let text = write(&Run::default().except(&[("get.not-found", fail())]), Format::Json);
    let unknown = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        read(&text.replace(from, to), made_up).unwrap().unknown
    };
    assert_eq!(unknown(&text, "get.not-found", "get.new"), Some(UnknownInReport::Check("get.new".into())));
    let version = unknown(&text, "\"protocolVersion\": \"1.0\"", "\"protocolVersion\": \"2.0\"");
    assert_eq!(version, Some(UnknownInReport::Version("2.0".into())));
    let text = write(&Run::default().record(|_| None).report(), Format::Json);
    let reason = unknown(&text, "\"not-run\"", "\"tired\"");
    assert_eq!(reason, Some(UnknownInReport::Reason("tired".into())));
}
