//! Tests that users write: every construct of the format passes once and fails once, mistakes in files have their place, and what is
//! disputed of the format's corpus fails on a conformant agent.

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use a2a_conformance::acts::{self, ActsDocument, ActsReport, FileSource, KnownKind, TestSettings, known_tests};
use a2a_conformance::engine::event::{CheckResult, Completion};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::report::{Format, RewardTotal, write};
use a2a_conformance::suite::discovery;
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::{Method, Request};
use futures_util::future::LocalBoxFuture;
use serde_json::Value;

use crate::support::{AGENT, FinishedRun, check_areas_on, host, report_of};

/// Files below `tests/acts`.
struct Files;

impl FileSource for Files {
    fn read(&self, file: &str) -> Result<String, String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acts").join(file);
        std::fs::read_to_string(path).map_err(|_| "there is no such file".to_owned())
    }

    fn beside(&self, file: &str, named: &str) -> String {
        let folder = file.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        format!("{folder}{}", named.trim_start_matches("./"))
    }
}

fn documents(file: &str) -> Vec<ActsDocument> {
    acts::load(&Files, &[file.to_owned()]).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn settings() -> TestSettings {
    TestSettings {
        variables: Vec::new(),
        environment: vec![("ACTS_WORD".to_owned(), "agent".to_owned())],
        behaviors: vec![
            ("tck-dance".to_owned(), String::new()),
            ("tck-sing".to_owned(), "tck-reject-task please".to_owned()),
        ],
        agents: vec![("other".to_owned(), AGENT.to_owned())],
    }
}

/// Runs the tests of a file against the scripted agent.
fn run(file: &str, faults: &[&str], options: Options) -> FinishedRun {
    run_documents(documents(file), faults, options)
}

fn run_documents(documents: Vec<ActsDocument>, faults: &[&str], options: Options) -> FinishedRun {
    let (host, clock) = host(faults);
    let areas = acts::areas(documents, settings(), &discovery::AREA);
    check_areas_on(host, &clock, areas, Options { is_written: true, ..options })
}

/// What has to come of a test, by the last word of its id that says so. Tests of one binding name it behind.
fn outcome(result: &CheckResult) -> Option<Outcome> {
    let lane = result.row.lane.as_ref().expect("tests run on lanes");
    let id = result.row.check.id;
    let (id, is_other) = match id.rsplit_once('-') {
        Some((id, "JSONRPC")) => (id, lane.binding.slug != "jsonrpc"),
        Some((id, "REST")) => (id, lane.binding.slug != "rest"),
        _ => (id, false),
    };
    Some(match id.rsplit_once('-')?.1 {
        _ if is_other => Outcome::NotApplicable,
        "PASS" => Outcome::Pass,
        "FAIL" => Outcome::Fail,
        "NOTE" => Outcome::Note,
        "BLOCK" => Outcome::Blocked,
        "SKIP" if result.verdict.outcome == Outcome::NotObservable => Outcome::NotObservable,
        "SKIP" => Outcome::NotApplicable,
        _ => return None,
    })
}

fn assert_outcomes(told: &FinishedRun, count: usize) {
    let wrong: Vec<_> = told
        .results
        .iter()
        .filter(|result| outcome(result) != Some(result.verdict.outcome))
        .map(|result| format!("{} {:?} {}", result.row.key(), result.verdict.outcome, result.verdict.message))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(told.completion, Completion::Written);
    assert!(told.results.len() >= count, "{} results", told.results.len());
}

#[test]
fn every_operator_passes_once_and_fails_once() {
    assert_outcomes(&run("operators.acts.yaml", &[], Options::default()), 140);
}

#[test]
fn every_kind_of_step_and_condition_does_what_it_says() {
    assert_outcomes(&run("steps.acts.yaml", &[], Options::default()), 130);
}

#[test]
fn tests_run_over_grpc_as_over_the_other_bindings_but_for_requests_in_text() {
    for (file, fewest) in [("steps.acts.yaml", 40), ("own-keys.acts.yaml", 20)] {
        let options = Options { bindings: vec!["grpc".to_owned()], ..Options::default() };
        let told = run(file, &["grpc"], options);
        let (skipped, judged): (Vec<_>, Vec<_>) =
            told.results.iter().partition(|result| result.verdict.outcome == Outcome::NotApplicable);
        // These are for gRPC alone, and are skipped on the other bindings.
        let expected = |result: &CheckResult| match result.row.check.id {
            "GRPC-SKIP" | "TRANSPORT-SKIP" | "REWARD-SKIP" => Some(Outcome::Pass),
            _ => outcome(result),
        };
        let wrong: Vec<_> = judged
            .iter()
            .filter(|result| expected(result) != Some(result.verdict.outcome))
            .map(|result| format!("{} {:?} {}", result.row.key(), result.verdict.outcome, result.verdict.message))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let unfounded: Vec<_> = skipped
            .iter()
            .filter(|result| {
                outcome(result) != Some(Outcome::NotApplicable) && !result.verdict.message.contains("gRPC")
            })
            .filter(|result| !result.verdict.message.contains("grpc"))
            .map(|result| format!("{} {}", result.row.key(), result.verdict.message))
            .collect();
        assert!(unfounded.is_empty(), "{}", unfounded.join("\n"));
        assert!(judged.len() >= fewest, "{file}: {}", judged.len());
    }
}

#[test]
fn every_key_of_our_own_passes_once_and_fails_once() {
    let told = run("own-keys.acts.yaml", &[], Options::default());
    assert_outcomes(&told, 46);
    let said = |id: &str| {
        let result = told.results.iter().find(|result| result.row.check.id == id).expect("judged");
        result.verdict.message.clone()
    };
    let other = "expected the 8 bytes of other at the body, got 8 bytes, of which the first 6 are the same";
    assert_eq!(said("FETCHED-FAIL"), format!("step fetch: {other}"));
    assert_eq!(said("FURTHER-BLOCK"), "step send: the agent nobody has no URL; give it with --agent nobody=URL");
}

/// What a test earns, on each of two lanes; and what all earn.
#[test]
fn rewards_are_added_up_in_every_report() {
    let documents = documents("own-keys.acts.yaml");
    let told =
        run_documents(documents.clone(), &[], Options { only: vec!["REWARD-*".to_owned()], ..Options::default() });
    let report = report_of(&told);
    let earned = |id: &str| {
        let rows = report.results.iter().filter(|row| row.check == id);
        rows.filter_map(|row| row.reward).map(|reward| (reward.earned, reward.worth)).collect::<Vec<_>>()
    };
    assert_eq!(earned("REWARD-PASS"), [(2.5, 2.5); 2]);
    assert_eq!(earned("REWARD-FAIL"), [(0.0, 1.0); 2]);
    // One of eight trials is answered 503: the test case counts the turns of both lanes.
    let trials = earned("REWARD-TRIALS-PASS");
    assert_eq!(trials.iter().map(|(earned, _)| earned).sum::<f64>(), 1.75, "{trials:?}");
    assert_eq!(earned("REWARD-SKIP"), []);
    let total = RewardTotal::from_report(&report).expect("rewards");
    let sum = 5.0 + trials.iter().map(|(earned, _)| earned).sum::<f64>();
    assert_eq!((total.tests, total.earned, total.worth), (6, sum, 9.0));
    let acts: Value = serde_json::from_str(&ActsReport { documents: &documents, report: &report }.write()).unwrap();
    assert_eq!(acts["x-metrics"]["reward"]["sum"], sum);
    let json = write(&report, Format::Json);
    let value: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&value["rewards"]["sum"], &value["rewards"]["tests"]), (&sum.into(), &6.into()));
    let row = value["categories"]["lifecycle"].as_array().unwrap().iter().find(|row| row["test"] == "REWARD-PASS");
    assert_eq!(row.unwrap()["reward"]["earned"], 2.5);
    let markdown = write(&report, Format::Markdown);
    assert!(
        markdown.contains(&format!("- Reward: {sum} of 9 in 6 results, {} on average", total.mean())),
        "{markdown}"
    );
    assert!(crate::terminal::plain(&told).contains(&format!("{sum} of 9 in 6 results")));
}

#[test]
fn this_program_plays_the_client_of_client_tests() {
    let told = run("client.acts.yaml", &[], Options::default());
    assert_outcomes(&told, 16);
    assert!(told.exchanges.iter().all(|exchange| exchange.scenario == "discovery"), "nothing is sent");
}

#[test]
fn files_include_others_and_lend_them_their_variables() {
    let told = run("including.acts.yaml", &[], Options::default());
    assert_outcomes(&told, 2);
    let asked = told.exchanges.iter().filter_map(|exchange| exchange.request.body.as_deref());
    let asked: Vec<_> = asked.map(String::from_utf8_lossy).collect();
    assert!(asked.iter().any(|body| body.contains("unknown-task-missing")), "{asked:?}");
}

#[test]
fn credentials_are_those_of_the_user_unless_the_file_says_otherwise() {
    let headers = vec![("Authorization".to_owned(), "Bearer open-sesame".to_owned())];
    assert_outcomes(&run("credentials.acts.yaml", &["protected"], Options { headers, ..Options::default() }), 12);
}

#[test]
fn a_file_is_for_the_interfaces_of_its_version() {
    let address = "http://agent.test/0.3".to_owned();
    assert_outcomes(&run("of-0.3.acts.yaml", &[], Options { address, ..Options::default() }), 2);
    let told = run("of-0.3.acts.yaml", &[], Options::default());
    assert!(told.results.iter().all(|result| result.verdict.outcome == Outcome::NotApplicable));
    assert!(told.results[0].verdict.message.contains("for A2A 0.3"), "{}", told.results[0].verdict.message);
}

#[test]
fn requests_as_they_are_written_do_not_fit_an_interface_that_wants_more_in_them() {
    for (variant, word) in [("tenants", "tenant"), ("extensions", "extension")] {
        let told = run("steps.acts.yaml", &[variant], Options { only: vec!["RAW-*".to_owned()], ..Options::default() });
        let raw: Vec<_> = told.results.iter().filter(|result| result.row.check.id.starts_with("RAW-")).collect();
        assert!(!raw.is_empty());
        for result in raw {
            assert_eq!(result.verdict.outcome, Outcome::NotApplicable, "{variant} {}", result.row.key());
            let message = &result.verdict.message;
            assert!(message.contains(word) || message.contains("this interface is"), "{message}");
        }
    }
}

#[test]
fn interfaces_can_be_chosen_and_tests_too() {
    let bindings = vec!["rest".to_owned()];
    let only = vec!["ERROR-PASS".to_owned()];
    let told = run("steps.acts.yaml", &[], Options { bindings, only, ..Options::default() });
    let judged: BTreeSet<_> = told
        .results
        .iter()
        .filter(|result| result.verdict.outcome != Outcome::NotRun)
        .map(|result| result.row.key())
        .collect();
    assert_eq!(judged, BTreeSet::from(["ERROR-PASS@rest-1.0".to_owned()]));
    let told = run("client.acts.yaml", &[], Options { first_interface_only: true, ..Options::default() });
    assert!(told.results.iter().all(|result| result.row.lane.as_ref().is_some_and(|lane| lane.id == "jsonrpc-1.0")));
}

#[test]
fn a_failure_names_step_and_place_and_has_the_whole_conversation_as_evidence() {
    let told = run("steps.acts.yaml", &[], Options { only: vec!["REPEAT-FAIL".to_owned()], ..Options::default() });
    let result = told.results.iter().find(|result| result.verdict.outcome == Outcome::Fail).expect("it fails");
    let message = &result.verdict.message;
    let said = "step poll: expected status.state == TASK_STATE_COMPLETED, got \"TASK_STATE_WORKING\" after 3 attempts";
    assert_eq!(message, said);
    assert_eq!(result.verdict.exchanges.len(), 4, "a message and three attempts");
    let told = run("steps.acts.yaml", &[], Options { only: vec!["SEND-FAIL".to_owned()], ..Options::default() });
    let result = told.results.iter().find(|result| result.verdict.outcome == Outcome::Fail).expect("it fails");
    assert_eq!(result.verdict.pointer.as_deref(), Some("send: task.status.state"));
    assert_eq!(result.verdict.expected.as_deref(), Some("\"TASK_STATE_FAILED\""));
}

#[test]
fn a_rate_of_trials_is_told_with_its_interval() {
    let told = run("steps.acts.yaml", &[], Options { only: vec!["TRIALS-*".to_owned()], ..Options::default() });
    let said = |id: &str| {
        let result = told.results.iter().find(|result| result.row.check.id == id).expect("judged");
        result.verdict.message.clone()
    };
    assert_eq!(said("TRIALS-PASS"), "3 of 3 trials passed: 100 %, 95 % interval 44 % to 100 %");
    assert!(
        said("TRIALS-FAIL").starts_with("0 of 3 trials passed: 0 %, 95 % interval 0 % to 56 %; 50 % was asked for")
    );
}

/// Says 201 where the agent says 200 to a POST, as agents do that create something.
struct Created(Rc<dyn Transport>);

impl Transport for Created {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let is_post = request.method == Method::Post;
        let answer = self.0.send(request);
        Box::pin(async move {
            let mut answer = answer.await?;
            if is_post && answer.head.status == 200 {
                answer.head.status = 201;
            }
            Ok(answer)
        })
    }
}

#[test]
fn an_operation_may_succeed_with_another_status_and_a_request_as_it_is_written_may_not() {
    let (host, clock) = host(&[]);
    let host = Host { transport: Rc::new(Created(Rc::clone(&host.transport))), ..host };
    let areas = acts::areas(documents("steps.acts.yaml"), settings(), &discovery::AREA);
    let told = check_areas_on(host, &clock, areas, Options { is_written: true, ..Options::default() });
    let outcome = |key: &str| {
        let result = told.results.iter().find(|result| result.row.key() == key).expect("judged");
        result.verdict.outcome
    };
    assert_eq!(outcome("SEND-PASS@jsonrpc-1.0"), Outcome::Pass);
    assert_eq!(outcome("SEND-PASS@rest-1.0"), Outcome::Pass);
    assert_eq!(outcome("RAW-PASS-JSONRPC@jsonrpc-1.0"), Outcome::Fail);
}

/// Each dispute has its claim in `disputed.acts.yaml`: an agent that keeps to the specification fails it.
#[test]
fn a_conformant_agent_fails_what_is_disputed() {
    let disputed: BTreeSet<_> =
        known_tests().filter(|known| known.kind == KnownKind::Disputed).map(|known| known.id).collect();
    let mut failed = BTreeSet::new();
    for variant in [[].as_slice(), &["modest"]] {
        let told = run("disputed.acts.yaml", variant, Options::default());
        let trips = |outcome| matches!(outcome, Outcome::Fail | Outcome::Note);
        failed.extend(
            told.results.iter().filter(|result| trips(result.verdict.outcome)).map(|result| result.row.check.id),
        );
        assert!(!told.results.iter().any(|result| result.verdict.outcome == Outcome::Pass));
    }
    assert_eq!(failed, disputed);
}

#[test]
fn what_is_known_of_a_test_holds_for_its_text_only() {
    let told = run("disputed.acts.yaml", &[], Options { only: vec!["CORE-CTX-001".to_owned()], ..Options::default() });
    let result = told.results.iter().find(|result| result.row.check.id == "CORE-CTX-001").expect("judged");
    assert_eq!(result.verdict.outcome, Outcome::Fail, "a test of that id with another text counts");
    let table = include_str!("../../src/acts/corpus.txt");
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
    assert_eq!(known_tests().count(), lines, "every line can be read");
    assert!(known_tests().all(|known| known.digest != 0 && known.section.starts_with("1.0 §")));
}

/// The same test as the corpus has, by its digest, is shown and does not count.
#[test]
fn a_disputed_test_is_shown_and_does_not_count() {
    let mut documents = documents("disputed.acts.yaml");
    for test in documents.iter_mut().flat_map(|document| &mut document.suites).flat_map(|suite| &mut suite.tests) {
        let known = known_tests().find(|known| known.id == test.id).expect("disputed");
        test.digest = known.digest;
    }
    let told = run_documents(documents, &[], Options::default());
    assert!(told.results.iter().all(|result| result.verdict.outcome == Outcome::NotApplicable));
    let result = told.results.iter().find(|result| result.row.check.id == "CORE-ERR-007").expect("judged");
    let message = &result.verdict.message;
    assert!(
        message.starts_with("disputed by 1.0 §9.5: ") && message.contains("the agent fails it: step get"),
        "{message}"
    );
    assert!(!result.verdict.exchanges.is_empty(), "it ran");
    assert_eq!(told.tally.failed, 0);
    let text = crate::terminal::plain(&told);
    assert!(text.contains("Disputed (15 tests, not counted)"), "{text}");
    assert!(text.contains("  CORE-ERR-007: disputed by 1.0 §9.5: "), "{text}");
}

#[test]
fn mistakes_in_files_have_their_place() {
    let mut said = String::new();
    for file in [
        "document.acts.yaml",
        "tests.acts.yaml",
        "steps.acts.yaml",
        "expectations.acts.yaml",
        "references.acts.yaml",
        "yaml.acts.yaml",
        "json.acts.json",
        "empty.acts.yaml",
        "circle-a.acts.yaml",
        "nowhere.acts.yaml",
    ] {
        let problems = acts::load(&Files, &[format!("mistakes/{file}")]).expect_err(file);
        for problem in &problems {
            said.push_str(&format!("{problem}\n"));
        }
        said.push('\n');
    }
    insta::assert_snapshot!(said);
}

/// ACTS §13, member by member.
#[test]
fn the_report_of_the_format_has_its_shape() {
    let documents = documents("steps.acts.yaml");
    let options = Options { first_interface_only: true, ..Options::default() };
    let told = run_documents(documents.clone(), &[], options);
    let report = report_of(&told);
    let written = ActsReport { documents: &documents, report: &report }.write();
    let written: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(written["transport"], "jsonrpc");
    assert_eq!(written["acts_version"], "1.0");
    assert_eq!(written["sdk"]["name"], "Scripted agent");
    let summary = &written["summary"];
    let count = |value: &Value, name: &str| value[name].as_u64().unwrap();
    let sum =
        |value: &Value| ["passed", "failed", "skipped", "errors"].iter().map(|name| count(value, name)).sum::<u64>();
    assert_eq!(count(summary, "total"), sum(summary));
    let levels = ["must", "should", "may"].map(|level| &summary["by_level"][level]);
    assert_eq!(count(summary, "total"), levels.iter().map(|level| sum(level)).sum::<u64>());
    assert_eq!(count(summary, "errors"), 2, "two tests lack a variable");
    let tests: Vec<&Value> =
        written["suites"].as_array().unwrap().iter().flat_map(|suite| suite["tests"].as_array().unwrap()).collect();
    assert_eq!(tests.len() as u64, count(summary, "total"));
    let find = |id: &str| *tests.iter().find(|test| test["id"] == id).unwrap();
    let failed = find("REPEAT-FAIL");
    assert_eq!(failed["result"], "fail");
    assert_eq!(failed["failure"]["step_id"], "poll");
    assert_eq!(failed["steps"][0]["result"], "pass");
    assert_eq!(failed["steps"][1]["result"], "fail");
    assert_eq!(find("SEND-FAIL")["failure"]["assertion_path"], "task.status.state");
    assert_eq!(find("EXTENDED-NOTE")["result"], "fail", "the format has no notes");
    let skipped = find("GRPC-SKIP");
    assert_eq!(skipped["result"], "skip");
    assert!(skipped["skip_reason"].as_str().unwrap().contains("grpc"));
    assert!(skipped.get("steps").is_none());
    assert_eq!(find("VARIABLE-BLOCK")["result"], "error");
    assert_eq!(acts::file_name(&report), "acts-report-scripted-agent-jsonrpc-20260101T000000Z.json");
}

/// The corpus is not part of this repository. `A2A_ACTS_CORPUS` names the folder that has its `suite.acts.yaml`.
#[test]
#[ignore = "needs the corpus of the format, which is not in this repository"]
fn conformant_agents_fail_no_test_of_the_corpus() {
    struct Folder(String);
    impl FileSource for Folder {
        fn read(&self, file: &str) -> Result<String, String> {
            std::fs::read_to_string(Path::new(&self.0).join(file)).map_err(|problem| problem.to_string())
        }

        fn beside(&self, _: &str, named: &str) -> String {
            named.to_owned()
        }
    }
    let folder = Folder(std::env::var("A2A_ACTS_CORPUS").expect("A2A_ACTS_CORPUS"));
    let documents =
        acts::load(&folder, &["suite.acts.yaml".to_owned()]).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let digest = |id: &str| {
        let tests = documents.iter().flat_map(|document| &document.suites).flat_map(|suite| &suite.tests);
        tests.into_iter().find(|test| test.id == id).map_or(0, |test| test.digest)
    };
    let outdated = known_tests().filter(|known| known.digest != digest(known.id));
    let outdated: Vec<_> = outdated.map(|known| format!("{}\t{:016x}", known.id, digest(known.id))).collect();
    assert!(outdated.is_empty(), "\n{}", outdated.join("\n"));
    for variant in [[].as_slice(), &["grpc"], &["modest"], &["protected"], &["hybrid"], &["tenants"], &["extensions"]] {
        let headers = vec![("Authorization".to_owned(), "Bearer open-sesame".to_owned())];
        let options =
            if variant == ["protected"] { Options { headers, ..Options::default() } } else { Options::default() };
        let told = run_documents(documents.clone(), variant, options);
        let trips =
            told.results.iter().filter(|result| matches!(result.verdict.outcome, Outcome::Fail | Outcome::Note));
        let trips: Vec<_> = trips.map(|result| format!("{} {}", result.row.key(), result.verdict.message)).collect();
        assert!(trips.is_empty(), "{variant:?}\n{}", trips.join("\n"));
    }
}
