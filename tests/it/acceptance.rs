//! The agents of AgentBin's acceptance tests, as the scripted agent plays them, and the profile that runs those tests.

use std::collections::BTreeSet;
use std::rc::Rc;

use a2a_conformance::engine::check::Check;
use a2a_conformance::engine::event::Event;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::prompt::Profile;
use a2a_conformance::engine::requirement::{Basis, Level, OF_PROFILES};
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Clock, Host, StreamedResponse, Transport};
use a2a_conformance::suite;
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::future::LocalBoxFuture;

use crate::cli::{Served, run, stdout};
use crate::support::{AGENT, JumpClock, check_areas_on, check_at, host};

#[test]
fn the_agents_of_the_acceptance_tests_conform_and_have_the_skills_that_the_tests_name() {
    const SKILLS: [&str; 8] = [
        "message-only",
        "task-lifecycle",
        "task-failure",
        "task-cancel",
        "multi-turn",
        "streaming",
        "long-running",
        "data-types",
    ];
    for (path, skills, lanes) in [
        ("/echo", ["echo"].as_slice(), ["jsonrpc-1.0", "rest-1.0"]),
        ("/spec", &SKILLS, ["jsonrpc-1.0", "rest-1.0"]),
        ("/spec03", &SKILLS, ["jsonrpc-0.3", "rest-0.3"]),
    ] {
        let told = check_at(path, &[], Options::default());
        assert_eq!(told.findings(), [""; 0], "{path}");
        let mut judged: Vec<_> = told.judged().into_iter().filter_map(|(_, lane)| lane).collect();
        judged.sort_unstable();
        judged.dedup();
        assert_eq!(judged, lanes, "{path}");
        let card = told.exchanges.iter().find(|exchange| exchange.request.url.ends_with("agent-card.json"));
        let body = card.and_then(|card| card.response.as_ref()).map(|response| response.body.clone());
        let card: serde_json::Value = serde_json::from_slice(&body.expect("a card")).expect("JSON");
        let ids: Vec<_> = card["skills"].as_array().expect("skills").iter().map(|skill| &skill["id"]).collect();
        assert_eq!(ids, skills, "{path}");
        assert!(told.events.iter().any(|event| matches!(event, Event::Finished { .. })));
    }
}

/// What one run under the profile showed: every test of the list with its lane, and those that did not pass.
struct Listed {
    passed: Vec<String>,
    missed: Vec<String>,
}

fn run_list(path: &str, faults: &[&str]) -> Listed {
    let (host, clock) = host(faults);
    run_list_on(path, host, &clock)
}

fn run_list_on(path: &str, host: Host, clock: &JumpClock) -> Listed {
    let options = Options { profile: Some(Profile::AgentBin), ..Options::default() };
    let options = Options { address: format!("{AGENT}{path}"), ..options };
    let told = check_areas_on(host, clock, suite::areas_for(&options), options);
    let mut listed = Listed { passed: Vec::new(), missed: Vec::new() };
    for result in told.results.iter().filter(|result| result.row.area.name == "agentbin") {
        match result.verdict.outcome {
            Outcome::NotApplicable => {}
            Outcome::Pass => listed.passed.push(result.row.key()),
            outcome => listed.missed.push(format!("{} {outcome:?}: {}", result.row.key(), result.verdict.message)),
        }
    }
    listed
}

const PATHS: [&str; 3] = ["/echo", "/spec", "/spec03"];

#[test]
fn every_test_of_the_list_passes_on_both_bindings() {
    let mut passed = Vec::new();
    for path in PATHS {
        let listed = run_list(path, &[]);
        assert_eq!(listed.missed, [""; 0], "{path}");
        passed.extend(listed.passed);
    }
    println!("{} tests of the list pass", passed.len());
    let ids: BTreeSet<&str> = agentbin().map(|check| check.id).collect();
    assert_eq!(ids.len(), 31);
    for id in &ids {
        let lanes = if id.starts_with("spec03") { ["jsonrpc-0.3", "rest-0.3"] } else { ["jsonrpc-1.0", "rest-1.0"] };
        assert!(lanes.iter().all(|lane| passed.contains(&format!("{id}@{lane}"))), "{id} in {passed:?}");
    }
    assert_eq!(passed.len(), 62);
}

/// A way to an agent on which subscriptions take so long that every task is over by then.
struct LateSubscriptions {
    agent: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
}

impl Transport for LateSubscriptions {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let text = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()).into_owned() + &request.url;
        let is_late = text.contains("SubscribeToTask") || text.ends_with(":subscribe");
        let (agent, pause) = (Rc::clone(&self.agent), self.clock.sleep(if is_late { 5_000.0 } else { 0.0 }));
        Box::pin(async move {
            pause.await;
            agent.send(request).await
        })
    }
}

#[test]
fn an_agent_is_not_blamed_for_tasks_that_end_before_they_are_subscribed_to() {
    let (plain, clock) = host(&[]);
    let transport = LateSubscriptions { agent: Rc::clone(&plain.transport), clock: Rc::clone(&plain.clock) };
    let listed = run_list_on("/spec", Host { transport: Rc::new(transport), ..plain }, &clock);
    let why = "Inconclusive: each task was over when it was subscribed to";
    assert_eq!(listed.missed, ["jsonrpc", "rest"].map(|lane| format!("subscribe-to-task@{lane}-1.0 {why}")));
}

#[test]
fn every_test_of_the_list_fails_on_both_bindings_by_each_fault_that_it_names() {
    let mut blind = Vec::new();
    for check in agentbin() {
        let path = match check.id {
            "agent-card-echo" | "echo-send-message" => "/echo",
            id if id.starts_with("spec03") => "/spec03",
            _ => "/spec",
        };
        for fault in suite::faults(check.id) {
            let missed = run_list(path, &[fault]).missed;
            let fails =
                missed.iter().filter(|line| line.starts_with(&format!("{}@", check.id)) && line.contains(" Fail:"));
            if fails.count() != 2 {
                blind.push(format!("{} by {fault}: {missed:?}", check.id));
            }
        }
    }
    assert!(blind.is_empty(), "{}", blind.join("\n"));
}

#[test]
fn the_list_is_checked_only_under_its_profile_and_stands_in_no_table_of_the_specification() {
    let told = check_at("/spec", &[], Options::default());
    assert!(told.results.iter().all(|result| result.row.area.name != "agentbin"));
    for check in agentbin() {
        let [requirement] = check.requirements()[..] else { panic!("{}", check.id) };
        assert!(!requirement.basis.is_specification() && check.level() == Level::Should, "{}", check.id);
        let [(version, _)] = requirement.spec[..] else { panic!("{}", check.id) };
        assert!(requirement.cite(version).contains("not in the specification"), "{}", check.id);
        assert_eq!(requirement.title, check.title);
        assert!(suite::checks().all(|known| known.id != check.id), "{}", check.id);
    }
    let of_the_list = OF_PROFILES.iter().filter(|requirement| requirement.basis == Basis::Profile);
    assert_eq!(agentbin().count(), of_the_list.count());
}

fn agentbin() -> impl Iterator<Item = &'static Check> {
    suite::every_declaration().filter(|(area, ..)| area.name == "agentbin").map(|(.., check)| check)
}

/// The built program, over real sockets: the count in the headline, the ids in every format, and the exit code.
#[test]
fn the_program_prints_the_count_and_fails_for_a_miss_that_breaks_no_must() {
    let check = |agent: &Served, format: &str| {
        let address = format!("{}/spec", agent.agent_url());
        run(&["check", &address, "--profile", "agentbin", "--format", format])
    };
    let good = Served::agent(&[]);
    let output = check(&good, "text");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("Acceptance list agentbin: 50 of 50 tests pass."), "{text}");

    let bad = Served::agent(&["cancel-drops-metadata"]);
    for format in ["text", "json", "markdown", "junit", "ctrf", "html"] {
        let output = check(&bad, format);
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(1), "{format}");
        assert!(text.contains("spec-cancel-with-metadata"), "{format}");
        assert!(text.contains("Read metadata from CancelTask in every binding"), "{format}");
        if format == "text" {
            assert!(text.contains("Acceptance list agentbin: 48 of 50 tests pass, 2 failed."), "{text}");
            assert!(text.starts_with("Conformant with suggestions"), "{text}");
        }
    }
}
