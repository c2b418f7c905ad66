//! `check --delegate`: an agent calls ours over sockets, its client is judged, and what is wrong with a template is said first.

use serde_json::Value;

use crate::cli::{Served, run, stderr, stdout};

const ONLY: [&str; 4] = ["--only", "delegation.*", "--format", "json"];
const TEMPLATE: [&str; 2] = ["--delegate", "delegate to {peer_url} with {token}"];

fn report(output: &std::process::Output) -> Value {
    serde_json::from_str(&stdout(output)).unwrap_or_else(|_| panic!("no JSON: {}", stderr(output)))
}

#[test]
fn an_agent_that_calls_is_proven_to_and_its_client_is_judged() {
    let agent = Served::agent(&["delegating"]);
    let output = run(&[&["check", agent.agent_url()], &TEMPLATE[..], &ONLY[..]].concat());
    let report = report(&output);
    assert_eq!(output.status.code(), Some(0), "{}", report["headline"]);
    let headline = report["headline"].as_str().unwrap_or_default();
    assert!(headline.contains("Delegation: 4 of 4 checks pass."), "{headline}");
    assert!(headline.contains("Its calls of another agent, judged: Client: conformant"), "{headline}");
    let clients = report["clients"].as_array().expect("clients");
    assert_eq!(clients.len(), 1);
    let client = &clients[0]["report"];
    assert_eq!((&client["subject"], &clients[0]["verdict"]), (&"client".into(), &"conformant".into()));
    assert!(client["exchanges"].as_array().is_some_and(|exchanges| exchanges.len() > 10));
    // The client's report is described where `agent --watch` writes it.
    let mut described = report.clone();
    let mut own = report.clone();
    own.as_object_mut().and_then(|own| own.remove("clients"));
    described["clients"][0]["report"] = own;
    let schema: Value = serde_json::from_str(include_str!("../../docs/report-v1.schema.json")).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let problems: Vec<_> = validator.iter_errors(&described).map(|problem| problem.to_string()).take(3).collect();
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn an_agent_that_only_says_that_it_called_fails_the_command() {
    let agent = Served::agent(&["delegation-pretended"]);
    let output = run(&[&["check", agent.agent_url()], &TEMPLATE[..], &ONLY[..]].concat());
    assert_eq!(output.status.code(), Some(1));
    let report = report(&output);
    let said = "answered with \"Done, I have called the other agent.\", but did not call";
    assert!(report.to_string().contains(&said.replace('"', "\\\"")), "{}", report["headline"]);
    assert!(report.get("clients").is_none());
}

#[test]
fn a_template_by_which_nothing_could_be_proven_is_refused_before_anything_is_sent() {
    let agent = Served::agent(&[]);
    let url = agent.agent_url();
    for (args, said) in [
        (&["--delegate", "call {peer} with {token}"][..], "--delegate: unknown placeholder {peer}"),
        (&["--delegate", "call {peer_url}"], "the template has no {token}"),
        (&["--delegate", "itk", "--beacon-url", "https://h"], "--beacon-listen"),
        (&["--delegate", "itk", "--beacon-listen", "127.0.0.1:0", "--beacon-url", "https://h/path"], "give an origin"),
        (&["--peer-delegate", "itk"], "--peer"),
        (&["--only", "delegation.called"], "say how with --delegate"),
    ] {
        let output = run(&[&["check", url], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(said), "{args:?}: {}", stderr(&output));
    }
}
