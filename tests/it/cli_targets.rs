//! The other targets of the command line besides an agent's address: a card by itself, or an endpoint without one; and how
//! its report names them.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::cli::{Folder, Served, nobody, program, run, stdout};

#[test]
fn a_card_is_judged_without_its_agent() {
    let folder = Folder::new("card");
    let file = folder.0.join("card.json");
    let card = |name: &str| {
        format!(
            r#"{{"name":{name},"description":"d","version":"1","supportedInterfaces":[{{"url":"{}/rpc",
            "protocolBinding":"JSONRPC","protocolVersion":"1.0"}}],"capabilities":{{}},"defaultInputModes":["text/plain"],
            "defaultOutputModes":["text/plain"],"skills":[{{"id":"s","name":"s","description":"d","tags":["t"]}}]}}"#,
            nobody()
        )
    };
    let checked = |args: &[&str], text: &str| {
        let mut child = program()
            .args(["check", "--format", "json"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    std::fs::write(&file, card("\"Booker\"")).unwrap();
    let good = checked(&["--card", file.to_str().unwrap()], "");
    let report: Value = serde_json::from_str(&stdout(&good)).unwrap();
    assert_eq!(good.status.code(), Some(0), "{}", report["headline"]);
    assert_eq!(report["agentName"], "Booker");
    assert_eq!(report["exchanges"].as_array().unwrap().len(), 1, "nothing is sent");
    let judged = |report: &Value, test: &str| {
        let all = report["categories"].as_object().unwrap().values().flat_map(|rows| rows.as_array().unwrap());
        all.filter(|row| row["test"] == test).map(|row| row["reason"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let reasons: Vec<String> = judged(&report, "card.required-fields");
    assert_eq!(reasons, [""]);
    for test in ["discovery.card-available", "send.accepts-text"] {
        assert_eq!(judged(&report, test), ["not-observable"], "{test}");
    }
    let args = ["check", "--card", file.to_str().unwrap(), "--format", "markdown", "--only", "card.*"];
    let markdown = stdout(&run(&args));
    let command = format!("\na2a-conformance check --card {} --only 'card.*'\n", file.display());
    assert!(markdown.contains(&command), "{markdown}");
    // The same from standard input, with a mistake in it.
    let bad = checked(&["--card", "-"], &card("7"));
    assert_eq!(bad.status.code(), Some(1), "{}", stdout(&bad));
    assert_eq!(serde_json::from_str::<Value>(&stdout(&bad)).unwrap()["agentUrl"], "standard input");
    for (args, text) in [(["--card", "-"], "[]"), (["--card", "-"], "{"), (["--card", "/no/such/card.json"], "")] {
        let output = checked(&args, text);
        assert_eq!(output.status.code(), Some(2), "{args:?} {text} {}", stdout(&output));
    }
}

#[test]
fn an_endpoint_is_checked_without_a_card() {
    let agent = Served::agent(&["card-missing"]);
    let check = |path: &str, more: &[&str]| {
        let url = format!("{}{path}", agent.agent_url());
        let output = run(&[&["check", "--endpoint", &url, "--format", "json"], more].concat());
        (output.status.code(), serde_json::from_str::<Value>(&stdout(&output)).unwrap())
    };
    let all = ["--declares", "streaming", "--declares", "push-notifications"];
    for (path, more, version) in [
        ("/rpc", &["--binding", "jsonrpc"][..], "1.0"),
        ("/rest", &["--binding", "http+json"], "1.0"),
        ("/0.3/rpc", &["--binding", "jsonrpc", "--protocol-version", "0.3"], "0.3"),
    ] {
        for declared in [&[][..], &all] {
            let (code, report) = check(path, &[more, declared].concat());
            assert_eq!(code, Some(0), "{path} {} {}", report["headline"], report["recommendations"]);
            assert_eq!(report["lanes"][0]["protocolVersion"], version);
            assert!(report["summary"]["passed"].as_u64().unwrap() > 50, "{}", report["summary"]);
            for row in report["categories"]["agentCard"].as_array().unwrap() {
                let judged = row["status"] != "skip" && row["lane"].is_null();
                assert!(!judged, "there is no card: {row}");
            }
            let of_card =
                |row: &&Value| row["message"].as_str().unwrap_or_default().contains("the card does not declare");
            let rows = report["categories"].as_object().unwrap().values().flat_map(|rows| rows.as_array().unwrap());
            let told: Vec<_> = rows.filter(of_card).collect();
            assert!(told.is_empty(), "{path} {declared:?}: {told:?}");
            let streams = report["categories"]["streaming"].as_array().unwrap();
            let passed = streams.iter().filter(|row| row["status"] == "pass").count();
            assert_eq!(passed > 5, !declared.is_empty(), "{path} {declared:?}");
        }
    }
    for args in [
        &["check", "--endpoint", "http://h/"][..],
        &["check", "--endpoint", "nonsense://h", "--binding", "jsonrpc"],
        &["check", "http://h/", "--endpoint", "http://h/", "--binding", "jsonrpc"],
        &["check", "http://h/", "--declares", "streaming"],
    ] {
        assert_eq!(run(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn an_endpoint_that_wants_what_only_a_card_tells_is_not_accused() {
    for (fault, options) in [
        ("tenants", &["--tenant", "workshop"][..]),
        ("extensions", &["--extension", "https://example.org/extensions/trace/v1"]),
    ] {
        let agent = Served::agent(&[fault]);
        let url = format!("{}/rpc", agent.agent_url());
        let args = ["check", "--endpoint", &url, "--binding", "jsonrpc", "--format", "json"];
        let report: Value = serde_json::from_str(&stdout(&run(&args))).unwrap();
        assert_eq!(report["summary"]["failed"], 0, "{fault}: {}", report["recommendations"]);
        let told = run(&[&args[..], options].concat());
        let report: Value = serde_json::from_str(&stdout(&told)).unwrap();
        assert_eq!(report["summary"]["failed"], 0, "{fault} {options:?}: {}", report["recommendations"]);
        assert_eq!(told.status.code(), Some(0), "{fault} {options:?}: {}", report["headline"]);
    }
}

#[test]
fn the_report_says_by_what_it_was_judged_and_how_the_run_was_wanted() {
    let agent = Served::agent(&[]);
    let args = ["check", agent.agent_url(), "--only", "get.*", "--profile", "tck", "--format", "json"];
    let more = ["--prompt", "cancel=wait for canary-1234", "--bearer", "canary-1234"];
    let output = run(&[&args[..], &more].concat());
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["profile"], "tck");
    assert_eq!(report["options"]["profile"], "tck");
    assert_eq!(report["options"]["source"], "address");
    assert_eq!(report["options"]["only"], serde_json::json!(["get.*"]));
    assert_eq!(report["options"]["credentials"], serde_json::json!(["header Authorization"]));
    assert_eq!(report["options"]["prompts"]["cancel"], "wait for [redacted]");
    assert_eq!(report["requirementSet"]["id"], report["tool"]["suite"]);
    assert_eq!(report["requirementSet"]["specifications"][0], "v1.0.1");
    let row = &report["categories"]["lifecycle"][0];
    let url = row["specUrl"].as_str().unwrap();
    assert!(url.starts_with("https://a2a-protocol.org/v1.0.1/specification/#"), "{url}");
}
