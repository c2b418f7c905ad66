//! A report that was read back from its file: every format written from it is that of the report itself.

use a2a_conformance::engine::event::{Completion, Event};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::prompt::{Behaviour, Texts};
use a2a_conformance::report::json::{JsonResult, write_whole};
use a2a_conformance::report::{
    DeclaredCheck, Environment, Format, Report, ReportBuilder, RestoreReportError, read, write,
};
use a2a_conformance::suite;

use super::HOSTILE;
use super::run::{Run, SUITE, exchange, fail, note, random};
use crate::support::{Told, check, check_at};

/// A check of the made-up suite.
fn made_up(result: &JsonResult) -> Option<DeclaredCheck> {
    let checks = SUITE.iter().flat_map(|(area, scenario)| scenario.checks.iter().map(move |check| (*area, check)));
    let (area, check) = checks.into_iter().find(|(_, check)| check.id == result.test)?;
    Some(DeclaredCheck { area, id: check.id, title: check.title, requirements: check.requirements, described: None })
}

pub(super) fn declared(result: &JsonResult) -> Option<DeclaredCheck> {
    let (area, _, check) = suite::declarations().find(|(_, _, check)| check.id == result.test)?;
    Some(DeclaredCheck { area, id: check.id, title: check.title, requirements: check.requirements, described: None })
}

/// Whether two texts are the same; shows the first line that is not.
fn same(what: &str, first: &str, again: &str) {
    let differs = first.lines().zip(again.lines()).find(|(first, again)| first != again);
    assert!(first == again, "{what}: {differs:?}");
}

/// Every format of the report that was read back is the same, and so is what it holds apart from them.
pub(super) fn survives(report: &Report, find: fn(&JsonResult) -> Option<DeclaredCheck>) {
    let whole = write_whole(report);
    let restored = read(&whole).unwrap().restore(&find).unwrap();
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

fn folded(told: &Told) -> Report {
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
        survives(&folded(&check_at(at, faults, options())), declared);
    }
    let part = Options { only: vec!["card.*".to_owned()], version: Some("1.0".to_owned()), ..Options::default() };
    let report = folded(&check(&[], part));
    assert_eq!(report.completion, Some(Completion::Filtered));
    survives(&report, declared);
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
    let restored = read(&write_whole(&report)).unwrap().restore(&made_up).unwrap();
    assert_eq!(restored.exchanges, report.exchanges);
    // A file that was cut still shows what it has.
    let cut = read(&write(&report, Format::Json)).unwrap().restore(&made_up).unwrap();
    let response = cut.exchanges[2].response.as_ref().unwrap();
    assert_eq!((response.body.len(), response.bytes), (65_536, 5_000_000));
}

#[test]
fn a_file_that_knows_more_than_this_version_is_refused() {
    let text = write(&Run::default().except(&[("get.not-found", fail())]), Format::Json);
    let restored = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        read(&text.replace(from, to)).unwrap().restore(&made_up).map(drop)
    };
    assert_eq!(restored("get.not-found", "get.new"), Err(RestoreReportError::Check("get.new".into())));
    let version = restored("\"protocolVersion\": \"1.0\"", "\"protocolVersion\": \"2.0\"");
    assert_eq!(version, Err(RestoreReportError::Version("2.0".into())));
    let text = write(&Run::default().record(|_| None).report(), Format::Json);
    let reason = read(&text.replace("\"not-run\"", "\"tired\"")).unwrap().restore(&made_up).map(drop);
    assert_eq!(reason, Err(RestoreReportError::Reason("tired".into())));
}
