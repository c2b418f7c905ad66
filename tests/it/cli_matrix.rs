//! `matrix`: what several agents support.

use serde_json::Value;

use crate::cli::{Folder, Served, run, stderr, stdout};

/// The words of a feature's line, without its name.
fn cells<'a>(text: &'a str, feature: &str) -> Vec<&'a str> {
    let line = text.lines().find_map(|line| line.strip_prefix(feature));
    line.unwrap_or_else(|| panic!("no {feature} in {text}")).split_whitespace().collect()
}

#[test]
fn reports_and_agents_are_shown_by_interface_and_feature() {
    let folder = Folder::new("matrix");
    let saved = folder.0.join("saved.json").to_str().unwrap().to_owned();
    let faulty = Served::agent(&["get-unknown-internal"]);
    run(&["check", faulty.agent_url(), "--format", "json", "-o", &saved]);
    let modest = Served::agent(&["modest"]);
    let older = format!("{}/0.3", modest.agent_url());
    let targets = [saved.as_str(), modest.agent_url(), &older];

    let output = run(&[&["matrix"], targets.as_slice()].concat());
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(text.contains("  1  Scripted agent, JSON-RPC 1.0, at ") && text.contains(": not conformant"), "{text}");
    assert!(text.contains("HTTP+JSON 0.3") && text.contains(": conformant"), "{text}");
    assert_eq!(cells(&text, "GetTask"), ["no", "no", "yes", "yes", "yes", "yes"]);
    assert_eq!(cells(&text, "SubscribeToTask"), ["yes", "yes", "-", "-", "-", "-"]);
    assert_eq!(cells(&text, "ListTasks"), ["yes", "yes", "yes", "yes", "-", "yes"]);

    let json = stdout(&run(&["matrix", &saved, "--format", "json"]));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["kind"], "a2a-conformance-matrix");
    let features = json["interfaces"][0]["features"].as_array().unwrap();
    let get = features.iter().find(|feature| feature["feature"] == "GetTask").unwrap();
    assert_eq!((&get["support"], &get["failedMusts"][0]), (&"no".into(), &"get.not-found".into()));

    let markdown = stdout(&run(&["matrix", &saved, "--format", "markdown"]));
    assert!(markdown.contains("| GetTask | no: `get.not-found` | no: `get.not-found` |"), "{markdown}");
    let file = folder.0.join("matrix.html");
    run(&["matrix", &saved, "--format", "html", "-o", file.to_str().unwrap()]);
    let html = std::fs::read_to_string(&file).unwrap();
    assert!(html.contains("<td>GetTask</td><td><strong>no</strong>") && html.ends_with("</html>\n"), "{html}");
}

#[test]
fn what_is_neither_a_report_nor_an_address_is_refused_by_name() {
    let output = run(&["matrix", "no such thing"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no such thing is neither a report nor an address"), "{}", stderr(&output));
}
