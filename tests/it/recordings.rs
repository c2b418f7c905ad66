//! Runs that are recorded, and repeated from the recording when their agent is gone.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::cli::{Served, run, stdout};

fn file(name: &str) -> String {
    format!("{}/tests/acts/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn temporary(name: &str) -> String {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name).display().to_string()
}

/// A text without what is new in each run.
fn plain(text: &str) -> String {
    let is_id = |word: &&str| word.len() == 36 && word.matches('-').count() == 4;
    let cut = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    text.split(cut).filter(|word| !is_id(word)).collect::<Vec<_>>().join(" ")
}

/// Key, outcome and message of every result in a JSON report.
fn results(report: &str) -> Vec<(String, String, String)> {
    let report: Value = serde_json::from_str(report).unwrap_or_else(|problem| panic!("{problem}: {report}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rows = report["categories"].as_object().unwrap().values().flat_map(|rows| rows.as_array().unwrap());
    let mut results: Vec<_> = rows
        .map(|row| {
            let key = format!("{}@{}", text(&row["test"]), text(&row["lane"]));
            (key, text(&row["status"]), plain(&text(&row["message"])))
        })
        .collect();
    results.sort();
    results
}

/// A message without the time that it measured, and that time, in whole milliseconds. A recording keeps times to the microsecond, so the
/// same time may be rounded up once and down once.
fn without_time(message: &str) -> (String, u64) {
    let measured =
        message.rsplit_once("got ").and_then(|(before, got)| Some((before, got.strip_suffix(" ms")?.parse().ok()?)));
    measured.map_or_else(|| (message.to_owned(), 0), |(before, ms)| (before.to_owned(), ms))
}

#[test]
fn a_recording_gives_the_recorded_result_without_the_agent() {
    for (name, faults, options) in [
        ("steps.acts.yaml", [].as_slice(), [].as_slice()),
        ("operators.acts.yaml", &[], &[]),
        ("credentials.acts.yaml", &["protected"], &["--bearer", "open-sesame"]),
        ("of-0.3.acts.yaml", &[], &["--transport", "jsonrpc"]),
    ] {
        let agent = Served::agent(faults);
        let (path, recording) = (file(name), temporary(&format!("recording-of-{name}.json")));
        // The recording knows the whole address.
        let url = format!("{}{}", agent.agent_url(), if name == "of-0.3.acts.yaml" { "/0.3" } else { "" });
        let mut args = vec!["scenario", &path, &url, "--record", &recording, "--format", "json"];
        args.extend(options);
        let first = run(&args);
        drop(agent);
        let mut args = vec!["scenario", &path, "--replay", &recording, "--format", "json", "--trace"];
        args.extend(options);
        let second = run(&args);
        let said = String::from_utf8_lossy(&second.stderr).into_owned();
        assert_eq!(first.status.code(), second.status.code(), "{name}: {said}");
        assert!(said.starts_with("exchange 1: discovery") && !said.contains("open-sesame"), "{name}: {said}");
        let (first, second) = (results(&stdout(&first)), results(&stdout(&second)));
        assert!(first.iter().any(|(_, status, _)| status == "pass"), "{name}: {first:?}");
        assert_eq!(first.len(), second.len(), "{name}");
        for (first, second) in first.into_iter().zip(&second) {
            let ((key, status, said), (replayed_key, replayed_status, replayed)) = (first, second);
            let ((said, ms), (replayed, replayed_ms)) = (without_time(&said), without_time(replayed));
            assert_eq!((&key, &status, said), (replayed_key, replayed_status, replayed), "{name}");
            assert!(ms.abs_diff(replayed_ms) <= 1, "{name}, {key}: {ms} and {replayed_ms} ms");
        }
        assert!(!fs::read_to_string(&recording).unwrap().contains("open-sesame"), "{name}");
    }
}

#[test]
fn a_recording_of_something_else_is_refused() {
    let agent = Served::agent(&[]);
    let (path, recording) = (file("steps.acts.yaml"), temporary("recording-of-one-test.json"));
    let only = ["--only", "SEND-PASS"];
    let recorded = run(&[&["scenario", &path, agent.agent_url(), "--record", &recording][..], &only].concat());
    assert_eq!(recorded.status.code(), Some(0), "{}", stdout(&recorded));
    drop(agent);
    let changed = temporary("changed.acts.yaml");
    fs::write(&changed, fs::read_to_string(&path).unwrap().replace("tck-complete-task", "tck-complete-task now"))
        .unwrap();
    let refused = |args: &[&str], said: &str| {
        let output = run(&[&["scenario"], args].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(said), "{told}");
    };
    let misfit = "the recording does not fit these files and options: ";
    // More than was recorded, less, and something else.
    refused(&[&path, "--replay", &recording, "--only", "SEND-*"], &format!("{misfit}the recording has no POST http"));
    refused(
        &[&path, "--replay", &recording, "--only", "GRPC-SKIP"],
        "of the recording were not made; the first is POST",
    );
    refused(&[&changed, "--replay", &recording, "--only", "SEND-PASS"], "is another one than in the recording");
    refused(&[&path, "--replay", &path], "is not a recording");
    refused(&[&path, "--replay", "nowhere.json"], "--replay nowhere.json cannot be read: there is no such file");
    refused(&[&path, "--replay", &recording, "--record", &recording], "cannot be used with");
}

/// When the run was, and an exchange by its step.
fn date_and_exchange(report: &str, step: &str) -> (Value, Value) {
    let report: Value = serde_json::from_str(report).unwrap_or_else(|problem| panic!("{problem}: {report}"));
    let exchanges = report["exchanges"].as_array().unwrap();
    let found = exchanges.iter().find(|exchange| exchange["step"] == step).unwrap_or_else(|| panic!("{step}"));
    (report["testDate"].clone(), found.clone())
}

#[test]
fn a_repeated_run_is_of_the_time_of_its_recording_and_answers_end_as_they_were_recorded() {
    let agent = Served::agent(&[]);
    let (path, recording) = (file("steps.acts.yaml"), temporary("recording-of-too-much.json"));
    let only = ["--only", "SEND-FAIL", "--transport", "jsonrpc", "--format", "json"];
    let recorded = run(&[&["scenario", &path, agent.agent_url(), "--record", &recording][..], &only].concat());
    let (date, _) = date_and_exchange(&stdout(&recorded), "send");
    drop(agent);
    let again = || run(&[&["scenario", &path, "--replay", &recording][..], &only].concat());
    assert_eq!(date_and_exchange(&stdout(&again()), "send").0, date);
    // As if more had come than is read.
    let mut report: Value = serde_json::from_str(&fs::read_to_string(&recording).unwrap()).unwrap();
    let exchanges = report["exchanges"].as_array_mut().unwrap();
    let sent = exchanges.iter_mut().find(|exchange| exchange["step"] == "send").unwrap();
    let end = serde_json::json!({ "kind": "too-large", "detail": "the body is longer than 24 MB" });
    sent["end"] = end.clone();
    sent["response"]["bytes"] = 26_000_000.into();
    fs::write(&recording, report.to_string()).unwrap();
    let output = again();
    let (_, exchange) = date_and_exchange(&stdout(&output), "send");
    assert_eq!((&exchange["end"], &exchange["response"]["bytes"]), (&end, &26_000_000.into()));
    assert!(stdout(&output).contains("the body is longer than 24 MB: reading stopped"), "{}", stdout(&output));
}
