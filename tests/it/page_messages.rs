//! What the checker tells the page of a run: it passes as it is, amounts to the report, and every row can be opened.

use a2a_conformance::checker::{RunRecord, catalogue};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::page::view::detail::Detail;
use a2a_conformance::page::view::messages::{Batch, Message, Question};
use a2a_conformance::page::view::rows::{Kind, RowInfo, RowResult};
use a2a_conformance::page::view::settings::Settings;
use a2a_conformance::report::{Environment, Format};
use a2a_conformance::suite;

use crate::support::{Told, check_as_told};

/// A run with findings of every kind, as the checker keeps and tells it.
fn told(faults: &[&str]) -> (Told, RunRecord, Vec<Message>) {
    let told = check_as_told(faults, Options::default());
    let environment = Environment { tool_version: "0.0.0".to_owned(), host: "page".to_owned(), user_agent: None };
    let mut record = RunRecord::new(environment);
    let messages = told.events.iter().filter_map(|event| record.apply(event)).collect();
    (told, record, messages)
}

/// What a page makes of the messages: its rows, and the last result of each.
fn folded(messages: &[Message]) -> Vec<(RowInfo, Option<RowResult>)> {
    let mut rows: Vec<(RowInfo, Option<RowResult>)> = Vec::new();
    for message in messages {
        match message {
            Message::Planned { rows: planned, .. } => rows.extend(planned.iter().map(|info| (info.clone(), None))),
            Message::Judged { row, result } => rows[*row].1 = Some(result.clone()),
            _ => {}
        }
    }
    rows
}

const FAULTY: [&str; 3] = ["get-missing-id-accepted", "stream-two-payloads", "timestamps-seconds"];

#[test]
fn the_rows_of_a_page_amount_to_the_report() {
    let (told, record, messages) = told(&FAULTY);
    let rows = folded(&messages);
    let report = record.report();
    assert_eq!(rows.len(), report.results.len());
    for (at, ((info, result), row)) in rows.iter().zip(&report.results).enumerate() {
        assert_eq!((info.index, info.key.as_str(), info.category), (at, row.key().as_str(), row.category as usize));
        let result = result.as_ref().unwrap_or_else(|| panic!("{} was never judged", info.key));
        assert_eq!((result.outcome, result.level, &result.message), (row.outcome, row.level, &row.message));
    }
    let failed = rows
        .iter()
        .flat_map(|(_, result)| result)
        .filter(|result| Kind::of(result.outcome, result.level) == Kind::Fail);
    assert_eq!(failed.count() as u32, told.tally.failed_required);
    assert!(told.tally.failed_required > 1, "the faults are found");
    assert_eq!(record.tally(), told.tally);
    let Some(Message::Finished(banner)) = messages.last() else { panic!("the end is told last") };
    assert_eq!(banner.word, report.word);
    assert!(banner.findings.len() > 1);
    assert!(
        banner
            .findings
            .iter()
            .flat_map(|finding| &finding.rows)
            .all(|(_, key)| { rows.iter().any(|(info, _)| info.key == *key) })
    );
}

#[test]
fn every_row_can_be_opened_and_shows_what_it_rests_on() {
    let (_, record, messages) = told(&FAULTY);
    for (info, result) in folded(&messages) {
        let detail = record.detail(info.index).unwrap_or_else(|| panic!("{} has no detail", info.key));
        assert!(!detail.why.is_empty() && !detail.rules.is_empty() && !detail.scenario.is_empty(), "{}", info.key);
        assert!(detail.rules.iter().all(|rule| rule.title.len() > 5 && !rule.cite.is_empty()), "{}", info.key);
        if result.is_some_and(|result| result.outcome == Outcome::Fail) {
            assert!(detail.pair.is_some() && !detail.fix.is_empty() && !detail.evidence.is_empty(), "{}", info.key);
        }
    }
    assert_eq!(record.detail(usize::MAX), None);
}

#[test]
fn what_passes_between_page_and_checker_arrives_as_it_was() {
    let (told, record, messages) = told(&FAULTY);
    let details: Vec<_> = folded(&messages).iter().map(|(info, _)| record.detail(info.index)).collect();
    let batch = Batch { run: 3, messages, tally: told.tally };
    let written = serde_json::to_string(&batch).unwrap();
    assert_eq!(serde_json::from_str::<Batch>(&written).unwrap(), batch);
    let written = serde_json::to_string(&details).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Option<Detail>>>(&written).unwrap(), details);

    let mut settings = Settings::default();
    settings.bearer = "open-sesame".to_owned();
    settings.version = "0.3".to_owned();
    settings.set_time("time-answer", "7".to_owned());
    settings.give("second:bearer", "other".to_owned());
    let question = Question::TestCall {
        address: "https://agent.example".to_owned(),
        settings: Box::new(settings.clone()),
        home: Default::default(),
    };
    let arrived = serde_json::from_str(&serde_json::to_string(&question).unwrap()).unwrap();
    let Question::TestCall { settings: arrived, .. } = arrived else { panic!("another question") };
    assert_eq!(*arrived, settings);
}

#[test]
fn a_run_that_was_cut_short_is_kept_as_far_as_it_went() {
    let told = check_as_told(&FAULTY, Options::default());
    let mut record =
        RunRecord::new(Environment { tool_version: "0.0.0".to_owned(), host: "page".to_owned(), user_agent: None });
    for event in told.events.iter().take(told.events.len() / 2) {
        record.apply(event);
    }
    let file = record.file(Format::Json);
    assert!(file.name.ends_with(".json") && file.media_type == "application/json");
    assert!(file.text.contains("not judged yet"));
    assert!(record.kept(false).len() < record.kept(true).len());
}

#[test]
fn the_catalogue_has_every_check_once() {
    let listed: Vec<_> = catalogue().into_iter().flat_map(|(_, checks)| checks).collect();
    assert_eq!(listed.len(), suite::checks().count());
    assert_eq!(listed.len(), suite::declared::CHECKS_BY_CATEGORY.iter().sum::<usize>());
}
