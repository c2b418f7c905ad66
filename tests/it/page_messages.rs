//! The checker's messages to the page about a run: they pass unchanged, add up to the report, and every row can be opened.

use a2a_conformance::agent::fault::Faults;
use a2a_conformance::checker::{RunRecord, catalogue};
use a2a_conformance::engine::event::Tally;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::prompt::Profile;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::report::json::write_whole;
use a2a_conformance::report::{Environment, Format};
use a2a_conformance::suite;
use a2a_conformance::view_model::binary_encoding::{of_bytes, to_bytes};
use a2a_conformance::view_model::comparison::ComparisonView;
use a2a_conformance::view_model::detail::Detail;
use a2a_conformance::view_model::messages::{Batch, CheckerMessage, Opened, Opening, Question};
use a2a_conformance::view_model::rows::{RowInfo, RowKind, RowResult};
use a2a_conformance::view_model::settings::Settings;
use a2a_conformance::view_model::wire::MessageSide;

use crate::support::{FinishedRun, check_as_told};

/// A run with findings of every kind, as the checker keeps and tells it.
fn told(faults: &[&str]) -> (FinishedRun, RunRecord, Vec<CheckerMessage>) {
    told_with(faults, Options::default())
}

fn told_with(faults: &[&str], options: Options) -> (FinishedRun, RunRecord, Vec<CheckerMessage>) {
    let told = check_as_told(faults, options);
    let environment = Environment { tool_version: "0.0.0".to_owned(), host: "page".to_owned(), user_agent: None };
    let mut record = RunRecord::new(environment, None);
    let messages = told.events.iter().filter_map(|event| record.apply(event)).collect();
    (told, record, messages)
}

/// The page's state after the messages: its rows, and the last result of each.
fn folded(messages: &[CheckerMessage]) -> Vec<(RowInfo, Option<RowResult>)> {
    let mut rows: Vec<(RowInfo, Option<RowResult>)> = Vec::new();
    for message in messages {
        match message {
            CheckerMessage::Planned { rows: planned, .. } => {
                rows.extend(planned.iter().map(|info| (info.clone(), None)))
            }
            CheckerMessage::Judged { row, result } => rows[*row].1 = Some(result.clone()),
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
        .filter(|result| RowKind::from_outcome(result.outcome, result.level) == RowKind::Fail);
    assert_eq!(failed.count() as u32, told.tally.failed_required);
    assert!(told.tally.failed_required > 1, "the faults are found");
    assert_eq!(record.tally(), told.tally);
    let Some(CheckerMessage::Finished(banner)) = messages.last() else { panic!("the end is told last") };
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
fn the_verdict_is_one_sentence_and_each_finding_says_what_came_and_what_to_do() {
    let (_, _, messages) = told(&FAULTY);
    let Some(CheckerMessage::Finished(banner)) = messages.last() else { panic!("the end is told last") };
    let broken = banner.findings.iter().filter(|finding| finding.is_must).count();
    let rules =
        if broken == 1 { "1 required rule broken".to_owned() } else { format!("{broken} required rules broken") };
    assert!(banner.reason.starts_with(&rules), "{}", banner.reason);
    assert!(banner.reason.contains(" results could not be judged."), "{}", banner.reason);
    for finding in &banner.findings {
        let message = &finding.message;
        assert!(message.ends_with('.') && !message.starts_with("expected"), "{message}");
        assert!(!finding.fix.is_empty(), "{message}");
    }
    assert!(banner.findings.iter().any(|finding| finding.message.contains(" instead of ")));
}

#[test]
fn every_row_can_be_opened_and_shows_what_it_rests_on() {
    let (_, record, messages) = told(&FAULTY);
    for (info, result) in folded(&messages) {
        let detail = record.detail(info.index).unwrap_or_else(|| panic!("{} has no detail", info.key));
        assert!(!detail.why.is_empty() && !detail.rules.is_empty() && !detail.scenario.is_empty(), "{}", info.key);
        assert!(detail.rules.iter().all(|rule| rule.title.len() > 5 && !rule.cites.is_empty()), "{}", info.key);
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
    assert_eq!(of_bytes::<Batch>(&to_bytes(&batch)), batch);
    assert_eq!(of_bytes::<Vec<Option<Detail>>>(&to_bytes(&details)), details);

    let mut settings = Settings::default();
    settings.bearer = "open-sesame".to_owned();
    settings.set_choice("version", "0.3".to_owned());
    settings.set_choice("time-answer", "7".to_owned());
    settings.set_field("second:bearer", "other".to_owned());
    let question = Question::TestCall {
        address: "https://agent.example".to_owned(),
        settings: Box::new(settings.clone()),
        home: Default::default(),
    };
    let arrived = of_bytes(&to_bytes(&question));
    let Question::TestCall { settings: arrived, .. } = arrived else { panic!("another question") };
    assert_eq!(*arrived, settings);
}

#[test]
fn a_run_that_was_cut_short_is_kept_as_far_as_it_went() {
    let told = check_as_told(&FAULTY, Options::default());
    let mut record = RunRecord::new(
        Environment { tool_version: "0.0.0".to_owned(), host: "page".to_owned(), user_agent: None },
        None,
    );
    for event in told.events.iter().take(told.events.len() / 2) {
        record.apply(event);
    }
    let file = record.file(Format::Json, &[]);
    assert!(file.name.ends_with(".json") && file.media_type == "application/json");
    assert!(file.text.contains("not judged yet"));
    assert!(record.kept(false).text.len() < record.kept(true).text.len());
}

#[test]
fn the_catalogue_has_every_check_once() {
    let listed: Vec<_> = catalogue().into_iter().filter(|(id, _)| !id.is_empty()).collect();
    assert_eq!(listed.len(), suite::checks().count());
    assert_eq!(listed.len(), suite::areas::CHECKS_BY_CATEGORY.iter().sum::<usize>());
}

/// A file of a run, and what the page is told when it is opened.
fn opened_from(text: &str) -> (RunRecord, Opened) {
    match RunRecord::open(text) {
        Ok((Some(record), Opening::Report(opened))) => (record, *opened),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_is_shown_as_the_run_was() {
    let (_, record, messages) = told(&FAULTY);
    let kept = record.kept(true);
    let (again, opened) = opened_from(&kept.text);
    assert_eq!(folded(&opened.messages), folded(&messages));
    let banner = |messages: &[CheckerMessage]| match messages.last() {
        Some(CheckerMessage::Finished(banner)) => banner.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(banner(&opened.messages), banner(&messages));
    // A file that is kept has only the beginning of what is very long.
    let (whole, _) = opened_from(&write_whole(&record.report()));
    for (info, _) in folded(&messages) {
        assert_eq!(whole.detail(info.index), record.detail(info.index), "{}", info.key);
    }
    assert_eq!(again.kept(true), kept);
    assert_eq!(again.file(Format::Json, &[]), record.file(Format::Json, &[]));
    assert_eq!(again.printed(), record.printed());
    // How many messages were sent is in no file.
    let tally = Tally { messages: 0, ..record.tally() };
    assert_eq!((opened.past.clone(), opened.tally), (kept.past, tally));
    assert!(opened.made_by.contains(", with a2a-conformance 0.0.0 (page)"), "{}", opened.made_by);
    assert_eq!(of_bytes::<Opened>(&to_bytes(&opened)), opened);
    assert!(kept.name.starts_with("a2a-report-agent.test-") && kept.name.ends_with(".json"), "{}", kept.name);
}

#[test]
fn a_file_of_a_run_that_was_cut_short_is_opened_as_far_as_it_went() {
    let told = check_as_told(&FAULTY, Options::default());
    let mut record = RunRecord::new(
        Environment { tool_version: "0.0.0".to_owned(), host: "page".to_owned(), user_agent: None },
        None,
    );
    for event in told.events.iter().take(told.events.len() / 2) {
        record.apply(event);
    }
    let (again, opened) = opened_from(&record.kept(false).text);
    let not_run = folded(&opened.messages)
        .into_iter()
        .filter(|(_, result)| result.as_ref().is_some_and(|result| result.outcome == Outcome::NotRun));
    assert!(not_run.count() > 5);
    assert_eq!(again.kept(false), record.kept(false));
}

#[test]
fn what_cannot_be_opened_is_said_in_one_sentence() {
    let (_, record, _) = told(&FAULTY);
    let whole = record.kept(true).text;
    let unknown = whole.replace("get.missing-id", "get.from-the-future");
    assert_ne!(unknown, whole);
    for (text, says) in [
        ("", "is not JSON"),
        ("<html>", "is not JSON"),
        (whole.get(..whole.len() / 2).unwrap(), "is not JSON"),
        ("{}", "neither a report of this checker nor an agent card"),
        ("[1]", "neither a report of this checker nor an agent card"),
        ("{\"name\": \"left-pad\", \"version\": \"1.0.0\"}", "neither a report of this checker nor an agent card"),
        (&*record.file(Format::Har, &[]).text, "HAR"),
        ("{\"schemaVersion\": 7}", "schema version 7"),
        ("{\"schemaVersion\": 1}", "is damaged"),
        (&*unknown, "get.from-the-future. It was made by a2a-conformance 0.0.0; open it with that version."),
    ] {
        let problem = RunRecord::open(text).map(drop).unwrap_err();
        assert!(problem.contains(says) && problem.ends_with('.'), "{says}: {problem}");
    }
    let card = RunRecord::open(r#"{"name": "x", "skills": [], "capabilities": {}}"#).unwrap();
    assert!(card.0.is_none() && card.1 == Opening::Card);
}

#[test]
fn two_runs_are_compared_whichever_was_opened_first() {
    let (_, broken, _) = told(&FAULTY);
    let (_, sound, _) = told(&[]);
    // A clock of tests begins at the same moment each time.
    let later = |record: &RunRecord| {
        let text = record.kept(true).text;
        let (before, date) = text.split_once("\"testDate\": \"").unwrap();
        format!("{before}\"testDate\": \"2199{}", date.get(4..).unwrap())
    };
    let fixed = broken.compare(&later(&sound)).unwrap();
    let group = |comparison: &ComparisonView, id: &str| {
        let group = comparison.groups.iter().find(|group| group.id == id);
        group.map(|group| group.lines.clone()).unwrap_or_default()
    };
    let lines = group(&fixed, "fixed");
    let keys: Vec<&str> = lines.iter().map(|line| line.key.as_str()).collect();
    assert!(keys.iter().any(|key| key.starts_with("get.") && key.contains("@jsonrpc")), "{keys:?}");
    assert!(lines.iter().any(|line| line.change == "fail \u{2192} pass"));
    assert!(lines.iter().all(|line| !line.title.is_empty() && !line.title.contains("get.")), "titles, not ids");
    assert_eq!(group(&fixed, "broken"), []);
    let (again, _) = opened_from(&later(&sound));
    assert_eq!(again.compare(&broken.kept(true).text).unwrap(), fixed);
    let broken_later = sound.compare(&later(&broken)).unwrap();
    assert_eq!(group(&broken_later, "broken").len(), lines.len());
    let same = broken.compare(&broken.kept(true).text).unwrap();
    assert!(same.groups.is_empty() && same.spoken().starts_with("Nothing is different. "));
    assert!(broken.compare("{").is_err());
    assert_eq!(of_bytes::<ComparisonView>(&to_bytes(&fixed)), fixed);
}

#[test]
fn the_traffic_has_every_exchange_and_names_its_operation() {
    let (told, record, _) = told(&FAULTY);
    let lines = record.traffic();
    assert_eq!(lines.len(), told.exchanges.len());
    for line in &lines {
        let evidence = record.exchange(line.id).unwrap_or_else(|| panic!("{line:?}"));
        assert_eq!(evidence.method, line.method);
        assert!(evidence.url.ends_with(&line.path), "{} {}", evidence.url, line.path);
    }
    let operations = |lane: &str| {
        let mut names: Vec<&str> = lines.iter().filter(|line| line.lane == lane).map(|line| &*line.operation).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    for lane in ["JSON-RPC 1.0", "HTTP+JSON 1.0"] {
        for wanted in ["SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "CancelTask", "SubscribeToTask"] {
            assert!(operations(lane).contains(&wanted), "{lane}: {wanted} in {:?}", operations(lane));
        }
    }
    assert!(lines.iter().any(|line| line.status.ends_with("events")) && lines.iter().any(|line| !line.is_ok));
    assert_eq!(record.exchange(u32::MAX), None);
}

#[test]
fn the_card_is_shown_with_what_was_found_at_its_lines() {
    let (_, record, _) = told(&["card-skill-duplicate", "card-no-cache-control"]);
    let card = record.card().unwrap();
    let section = |id: &str| card.sections.iter().find(|section| section.id == id).unwrap();
    for id in ["about", "capabilities", "interfaces"] {
        assert!(!section(id).facts.is_empty(), "{id}");
    }
    assert!(!card.skills.is_empty() && card.skills.iter().any(|skill| !skill.examples.is_empty()));
    assert!(!card.verification.is_empty(), "the checks of signatures are listed");
    let text = |line: usize| card.lines[line].spans.iter().map(|(_, text)| text.as_str()).collect::<String>();
    let twice = card.findings.iter().find(|found| found.judgement.key.contains("skill")).unwrap();
    let line = twice.line.unwrap();
    assert!(card.lines[line].marked && text(line).contains("id"), "{}", text(line));
    assert_eq!(card.lines.iter().filter(|line| line.marked).count(), 1);
    assert!(card.findings.iter().any(|found| found.line.is_none()), "a header is no line of the card");
    let faults = ["extended-incomplete"];
    let headers = Faults::parse(faults).unwrap().credentials().into_iter().collect();
    let (_, extended, _) = told_with(&faults, Options { headers, ..Options::default() });
    let differences = extended.card().unwrap().extended.unwrap();
    assert!(differences.iter().any(|difference| difference.contains(" missing: ")), "{differences:?}");
    let (again, _) = opened_from(&record.kept(true).text);
    assert_eq!(again.card(), record.card());
    let (without, _) = opened_from(&record.kept(false).text);
    assert_eq!(without.card(), None);
    assert!(
        RunRecord::new(Environment { tool_version: String::new(), host: String::new(), user_agent: None }, None)
            .card()
            .is_none()
    );
}

/// The detail of the first row of that check.
fn detail_of(record: &RunRecord, messages: &[CheckerMessage], check: &str) -> (usize, Detail) {
    let rows = folded(messages);
    let (info, _) = rows.iter().find(|(info, _)| info.check == check).expect("the check is planned");
    (info.index, record.detail(info.index).expect("it was judged"))
}

#[test]
fn a_must_is_quoted_and_every_section_is_linked() {
    let (_, record, messages) = told(&FAULTY);
    let mut quoted = 0;
    for (info, _) in folded(&messages) {
        let detail = record.detail(info.index).unwrap();
        for rule in &detail.rules {
            assert!(!rule.cites.is_empty(), "{}", info.key);
            let is_linked =
                rule.cites.iter().all(|(cite, url)| url.starts_with("https://") || !cite.starts_with("A2A"));
            assert!(is_linked, "{}: {:?}", info.key, rule.cites);
            quoted += rule.quote.iter().count();
            assert!(
                rule.quote.iter().all(|quote| quote.text.chars().count() <= 242 && quote.url.starts_with("https://"))
            );
        }
        let is_must = info.level == a2a_conformance::engine::requirement::Level::Must;
        assert!(!is_must || detail.rules.iter().any(|rule| rule.quote.is_some()), "{} is not quoted", info.key);
    }
    assert!(quoted > 200, "{quoted}");
    let (_, detail) = detail_of(&record, &messages, "discovery.well-known-current");
    let cites: Vec<&str> = detail.rules[0].cites.iter().map(|(cite, _)| cite.as_str()).collect();
    assert_eq!(cites, ["A2A 1.0 §8.2", "A2A 1.0 §14.3"]);
}

#[test]
fn every_check_says_how_it_is_tested_and_which_fault_proves_it() {
    let (told, record, messages) = told(&FAULTY);
    let mut calls = 0;
    for (info, _) in folded(&messages) {
        let tested = record.detail(info.index).unwrap().tested;
        assert!(tested.purpose.len() > 10, "{}", info.key);
        assert!(!tested.faults.is_empty(), "{} names no fault", info.key);
        assert!(tested.faults.iter().all(|(_, title)| title.starts_with("The ")), "{:?}", tested.faults);
        calls += tested.calls.len();
    }
    assert!(calls > told.exchanges.len(), "conversations list their calls");
    let proves = |(info, _): &&(RowInfo, Option<RowResult>)| {
        let tested = record.detail(info.index).unwrap().tested;
        tested.faults.iter().any(|(id, _)| id == FAULTY[0]) && !tested.calls.is_empty()
    };
    let rows = folded(&messages);
    let (_, result) = rows.iter().find(proves).expect("the fault is named by the check that finds it");
    assert_eq!(result.as_ref().unwrap().outcome, Outcome::Fail);
}

#[test]
fn a_finding_can_be_copied_with_what_was_sent_and_what_came() {
    let (_, record, messages) = told(&FAULTY);
    let rows = folded(&messages);
    let is_failure = |result: &Option<RowResult>| result.as_ref().is_some_and(|result| result.outcome == Outcome::Fail);
    let mut failures = 0;
    for (info, _) in rows.iter().filter(|(_, result)| is_failure(result)) {
        let detail = record.detail(info.index).unwrap();
        let (expected, received) = detail.pair.clone().unwrap();
        let first_words = |text: &str| text.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
        assert!(detail.issue.starts_with(&info.title), "{}", detail.issue);
        for text in [&detail.issue, &detail.markdown] {
            assert!(text.contains(&info.check) && text.contains("http://agent.test"), "{text}");
            assert!(text.contains(&first_words(&expected)) && text.contains(&first_words(&received)), "{text}");
            assert!(text.contains("curl -i") && text.contains("https://a2a-protocol.org/v"), "{text}");
            assert!(text.contains("HTTP ") && text.contains("a2a-conformance 0.0.0"), "{text}");
        }
        failures += 1;
    }
    assert!(failures > 1);
}

#[test]
fn a_body_is_there_in_full_when_it_is_asked_for() {
    let (_, record, messages) = told(&FAULTY);
    let (row, detail) = detail_of(&record, &messages, "card.required-fields");
    let exchange = detail.evidence.first().expect("the card").id;
    let raw = record.body(Some(row), exchange, MessageSide::Answer, true).unwrap();
    let pretty = record.body(Some(row), exchange, MessageSide::Answer, false).unwrap();
    assert!(raw.text.starts_with('{') && raw.cut.is_empty());
    assert!(pretty.text.lines().count() > raw.text.lines().count() + 10, "it is laid out");
    assert_eq!(record.body(Some(row), exchange + 10_000, MessageSide::Answer, true), None);
    assert_eq!(record.body(Some(usize::MAX), exchange, MessageSide::Answer, true), None);
    assert_eq!(record.body(None, exchange, MessageSide::Answer, true), Some(raw), "the row is of the whole run");
}

#[test]
fn checks_that_are_run_again_take_the_place_of_what_they_said_and_nothing_else_changes() {
    let (first, mut record, messages) = told(&FAULTY);
    let before = folded(&messages);
    let failing: Vec<String> = before
        .iter()
        .filter(|(_, result)| result.as_ref().is_some_and(|result| result.outcome == Outcome::Fail))
        .map(|(info, _)| info.check.clone())
        .collect();
    let report = record.file(Format::Json, &[]).text;

    // The agent was mended in between.
    let again = check_as_told(&[], Options { only: failing.clone(), ..Options::default() });
    record.begin_again(failing.clone());
    let messages: Vec<CheckerMessage> = again.events.iter().filter_map(|event| record.apply_again(event)).collect();
    let mut judged = 0;
    for message in &messages {
        match message {
            CheckerMessage::Judged { row, result } => {
                let (info, _) = &before[*row];
                assert!(failing.contains(&info.check), "{} was not asked for", info.key);
                assert_eq!(result.outcome, Outcome::Pass, "{}", info.key);
                judged += 1;
            }
            CheckerMessage::Running(rows) => assert!(rows.iter().all(|row| failing.contains(&before[*row].0.check))),
            CheckerMessage::Stage(_) => {}
            CheckerMessage::Rerun { judged: told, asked, why } => {
                assert_eq!((*told as usize, *asked as usize, why.as_str()), (judged, judged, ""));
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(judged > 1 && matches!(messages.last(), Some(CheckerMessage::Rerun { .. })));
    assert!(messages.iter().any(|message| matches!(message, CheckerMessage::Running(rows) if !rows.is_empty())));
    assert_eq!(record.tally(), first.tally, "the counts are those of the whole run");
    assert_eq!(record.file(Format::Json, &[]).text, report, "the report is that of the whole run");
    for (info, _) in before.iter().filter(|(info, _)| failing.contains(&info.check)) {
        let detail = record.detail(info.index).unwrap();
        assert!(detail.pair.is_none(), "{} shows its new result", info.key);
        for evidence in &detail.evidence {
            let sent = again.exchanges.iter().find(|exchange| exchange.id == evidence.id).unwrap();
            assert_eq!(sent.step, evidence.step, "evidence is of the run that it belongs to");
        }
    }
    assert_eq!(record.apply_again(&again.events[0]), None, "nothing is under way any more");
}

#[test]
fn what_could_not_be_run_again_keeps_its_result_and_says_why() {
    let (_, mut record, messages) = told(&FAULTY);
    let rows = folded(&messages);
    let (info, _) =
        rows.iter().find(|(_, result)| result.as_ref().is_some_and(|it| it.outcome == Outcome::Fail)).unwrap();
    let before = record.detail(info.index);
    record.begin_again(vec![info.check.clone()]);
    let finished = a2a_conformance::engine::event::Event::Finished {
        completion: a2a_conformance::engine::event::Completion::Incomplete("the card could not be read".to_owned()),
        tally: Default::default(),
        cause: None,
        duration_ms: 1.0,
    };
    let Some(CheckerMessage::Rerun { judged: 0, asked, why }) = record.apply_again(&finished) else { panic!() };
    assert!(asked >= 1);
    assert_eq!(why, "the card could not be read");
    assert_eq!(record.detail(info.index), before);
}

#[test]
fn a_check_that_waits_for_a_message_names_the_behaviour_and_its_conversation() {
    // An ordinary agent, which shows no keyword's behaviour unless it is told how.
    let options = Options { profile: Some(Profile::Generic), ..Options::default() };
    let told = check_as_told(&[], options);
    let mut record = RunRecord::new(
        Environment { tool_version: "0.0.0".to_owned(), host: "page".to_owned(), user_agent: None },
        None,
    );
    let messages: Vec<CheckerMessage> = told.events.iter().filter_map(|event| record.apply(event)).collect();
    let mut offered = 0;
    for (info, result) in folded(&messages) {
        let (detail, result) = (record.detail(info.index).unwrap(), result.unwrap());
        let asks = result.outcome == Outcome::Inconclusive && result.message.contains(" prompt \"");
        assert_eq!(detail.prompt.is_some(), asks, "{}: {}", info.key, result.message);
        assert!(detail.conversation.contains(&info.check));
        offered += usize::from(asks);
    }
    assert!(offered > 3, "{offered}");
}
