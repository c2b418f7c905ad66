//! What is measured of a run, and what is shown of it while it is under way.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cli::{Served, run, stdout};

fn file(name: &str) -> String {
    format!("{}/tests/acts/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_report_of_acts_has_the_measurements_of_each_step_and_in_all() {
    let agent = Served::agent(&[]);
    let path = file("steps.acts.yaml");
    let output =
        run(&["scenario", &path, agent.agent_url(), "--format", "acts", "--only", "STREAM-*", "--only", "REPEAT-*"]);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let measured = &report["x-metrics"];
    let steps = measured["steps"].as_array().unwrap();
    let sum = |name: &str| steps.iter().map(|step| step[name].as_u64().unwrap()).sum::<u64>();
    for name in ["requests", "answered", "sent_bytes", "received_bytes"] {
        assert!(sum(name) > 0 && measured[name] == sum(name), "{name}: {measured}");
    }
    assert_eq!(measured["answer_rate"], 1.0);
    let passed = report["summary"]["passed"].as_u64().unwrap();
    let judged = passed + report["summary"]["failed"].as_u64().unwrap();
    assert_eq!((&measured["tests_passed"], &measured["tests_judged"]), (&passed.into(), &judged.into()));
    assert_eq!(measured["success_rate"], passed as f64 / judged as f64);
    let find = |test: &str, step: &str| {
        let found = steps.iter().find(|known| known["test"] == test && known["step"] == step);
        found.unwrap_or_else(|| panic!("{test} {step}: {measured}"))
    };
    // Each of three attempts is a request.
    assert_eq!(find("REPEAT-FAIL", "poll")["requests"], 3);
    assert!(find("REPEAT-FAIL", "poll")["first_event_ms"].is_null(), "no stream");
    let stream = find("STREAM-PASS", "stream");
    let of = |what: &str, name: &str| stream[what][name].as_f64().unwrap_or_else(|| panic!("{stream}"));
    assert!(of("first_event_ms", "max") <= of("latency_ms", "min"), "{stream}");
    let all = &measured["latency_ms"];
    let all = ["min", "median", "p95", "max"].map(|name| all[name].as_f64().unwrap());
    assert!(all.is_sorted() && all[0] > 0.0 && all[3] > all[0], "{all:?}");
}

#[test]
fn prometheus_gets_families_that_it_can_read() {
    let agent = Served::agent(&[]);
    let path = file("steps.acts.yaml");
    let output = run(&["scenario", &path, agent.agent_url(), "--format", "prometheus", "--only", "STREAM-*"]);
    let text = stdout(&output);
    let mut family = String::new();
    let mut kinds = BTreeMap::new();
    let mut values = BTreeMap::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(kinds.insert(name.to_owned(), kind.to_owned()).is_none(), "{name} twice");
            name.clone_into(&mut family);
        } else if !line.starts_with("# HELP ") {
            let (series, value) = line.rsplit_once(' ').unwrap();
            assert!(series.starts_with(&family), "{line} in {family}");
            assert!(values.insert(series.to_owned(), value.parse::<f64>().unwrap()).is_none(), "{line} twice");
        }
    }
    assert_eq!(kinds["a2a_step_request_duration_seconds"], "summary");
    let labels = "lane=\"jsonrpc-1.0\",test=\"STREAM-PASS\",step=\"stream\"";
    assert_eq!(values[&format!("a2a_step_requests{{{labels}}}")], 1.0);
    let first = values[&format!("a2a_step_first_event_seconds{{{labels},quantile=\"0.5\"}}")];
    assert!(first > 0.0 && first < 60.0, "{first}");
    let count = values["a2a_run_request_duration_seconds_count"];
    assert!(count > 1.0 && values["a2a_run_requests"] == count && values["a2a_run_requests_answered"] == count);
    assert!(values["a2a_run_tests_passed"] < values["a2a_run_tests_judged"]);
}

#[test]
fn an_agent_that_does_not_answer_lowers_the_rate() {
    let agent = Served::agent(&[]);
    let path = format!("{}/half.acts.yaml", env!("CARGO_TARGET_TMPDIR"));
    let send = |id: &str, responses: &str| {
        let coded = a2a_conformance::responses_directive(id, responses).unwrap();
        format!(
            "{{id: {id}, operation: send_message, expect_error: {{}}, params: {{message: {{role: ROLE_USER, parts: [{{text: \"{coded}\"}}]}}}}}}"
        )
    };
    let steps = [send("busy", r#"[[{"httpStatus": 503}]]"#), send("refused", r#"[[{"httpStatus": 403}]]"#)].join(", ");
    let head = "acts_version: \"1.0\"\nspec_version: \"1.0\"\nsuites: [{id: s, name: S, tests: [{id: HALF, name: H, level: must, steps: ";
    std::fs::write(&path, format!("{head}[{steps}]}}]}}]\n")).unwrap();
    let output = run(&["scenario", &path, agent.agent_url(), "--transport", "rest", "--format", "acts"]);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let measured = &report["x-metrics"];
    assert_eq!((&measured["requests"], &measured["answered"]), (&2.into(), &1.into()), "{report}");
    assert_eq!(measured["answer_rate"], 0.5);
}

#[test]
fn a_trace_shows_every_exchange_without_its_secrets() {
    let agent = Served::agent(&["protected"]);
    let path = file("credentials.acts.yaml");
    let args = ["scenario", &path, agent.agent_url(), "--bearer", "open-sesame", "--format", "json", "--trace"];
    let output = run(&args);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let trace = String::from_utf8(output.stderr).unwrap();
    let exchanges = report["exchanges"].as_array().unwrap();
    assert_eq!(trace.lines().filter(|line| line.starts_with("exchange ")).count(), exchanges.len());
    assert!(exchanges.len() > 5 && trace.contains("  < HTTP 200, ") && trace.contains("  > POST "), "{trace}");
    assert!(trace.contains("authorization: Bearer ") || trace.contains("Authorization: Bearer "), "{trace}");
    assert!(!trace.contains("open-sesame"));
    let quiet = run(&args[..args.len() - 1]);
    assert!(quiet.stderr.is_empty());
}
