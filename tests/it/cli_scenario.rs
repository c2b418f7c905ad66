//! `scenario` as its users have it: files, formats, exit codes.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::cli::{Served, run, stdout};

fn file(name: &str) -> String {
    format!("{}/tests/acts/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A file of this content, in the folder for temporary files of tests.
fn written(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

const HEAD: &str = "acts_version: \"1.0\"\nspec_version: \"1.0\"\nsuites:\n  - id: own\n    name: Own\n    tests:\n";

#[test]
fn tests_that_pass_and_tests_that_fail_end_with_the_codes_of_check() {
    let agent = Served::agent(&[]);
    let passes = run(&["scenario", &file("steps.acts.yaml"), agent.agent_url(), "--only", "SEND-PASS", "--verbose"]);
    let text = stdout(&passes);
    assert_eq!(passes.status.code(), Some(0), "{text}");
    assert!(text.contains("SEND-PASS") && text.contains("Tests from files were run"), "{text}");
    let fails = run(&["scenario", &file("steps.acts.yaml"), agent.agent_url(), "--only", "SEND-FAIL"]);
    let text = stdout(&fails);
    assert_eq!(fails.status.code(), Some(1), "{text}");
    assert!(text.contains("TASK_STATE_FAILED") && text.contains("step send"), "{text}");
    let never =
        run(&["scenario", &file("steps.acts.yaml"), agent.agent_url(), "--only", "SEND-FAIL", "--fail-on", "never"]);
    assert_eq!(never.status.code(), Some(0));
    let blocked = run(&["scenario", &file("steps.acts.yaml"), agent.agent_url(), "--only", "VARIABLE-BLOCK"]);
    assert_eq!(blocked.status.code(), Some(3), "{}", stdout(&blocked));
    let nobody = run(&["scenario", &file("steps.acts.yaml"), "http://127.0.0.1:9"]);
    assert_eq!(nobody.status.code(), Some(3), "{}", stdout(&nobody));
}

#[test]
fn a_variable_of_the_command_line_goes_before_that_of_the_file() {
    let agent = Served::agent(&[]);
    let test = "      - {id: V, name: V, level: must, steps: [{id: card, operation: get_agent_card, expect: {body: {name: \"{{name}}\"}}}]}\n";
    let path = written("variables.acts.yaml", &format!("{HEAD}{test}variables: {{name: Nobody}}\n"));
    assert_eq!(run(&["scenario", &path, agent.agent_url()]).status.code(), Some(1));
    let given = run(&["scenario", &path, agent.agent_url(), "--var", "name=Scripted agent"]);
    assert_eq!(given.status.code(), Some(0), "{}", stdout(&given));
}

#[test]
fn words_for_a_behaviour_take_the_place_of_its_prefix() {
    let agent = Served::agent(&[]);
    let test = "      - {id: B, name: B, level: must, requires_behaviors: [tck-sing], steps: [{id: send, operation: send_message, params: {message: {role: ROLE_USER, parts: [{text: tck-sing}]}}, expect: {body: {task: {status: {state: TASK_STATE_FAILED}}}}}]}\n";
    let path = written("behaviors.acts.yaml", &format!("{HEAD}{test}"));
    assert_eq!(run(&["scenario", &path, agent.agent_url()]).status.code(), Some(1));
    let given = run(&["scenario", &path, agent.agent_url(), "--behavior", "tck-sing=task-failure please"]);
    assert_eq!(given.status.code(), Some(0), "{}", stdout(&given));
}

#[test]
fn every_format_of_check_is_written_and_that_of_acts_too() {
    let agent = Served::agent(&[]);
    let of = |format: &str| {
        let args = ["scenario", &file("steps.acts.yaml"), agent.agent_url(), "--only", "*FAIL", "--format", format];
        let written = run(&args);
        assert_eq!(written.status.code(), Some(1), "{format}");
        stdout(&written)
    };
    let report: Value = serde_json::from_str(&of("json")).unwrap();
    assert_eq!(report["completion"], "written-tests");
    assert!(report["exchanges"].as_array().unwrap().len() > 20, "evidence");
    assert!(of("markdown").contains("SEND-FAIL"));
    assert!(of("junit").contains("SEND-FAIL"));
    assert!(of("ctrf").contains("SEND-FAIL"));
    assert!(of("har").contains("\"entries\""));
    assert!(of("html").contains("SEND-FAIL"));
    let acts: Value = serde_json::from_str(&of("acts")).unwrap();
    assert_eq!(acts["transport"], "jsonrpc");
    assert!(acts["summary"]["failed"].as_u64().unwrap() > 20, "{}", acts["summary"]);
    let rest =
        run(&["scenario", &file("client.acts.yaml"), agent.agent_url(), "--format", "acts", "--transport", "rest"]);
    let rest: Value = serde_json::from_str(&stdout(&rest)).unwrap();
    assert_eq!(rest["transport"], "rest");
}

#[test]
fn mistakes_are_told_with_their_places_before_anything_is_sent() {
    let wrong = run(&["scenario", &file("mistakes/steps.acts.yaml"), "http://127.0.0.1:9"]);
    assert_eq!(wrong.status.code(), Some(2));
    let said = String::from_utf8(wrong.stderr).unwrap();
    let place = format!(
        "{}:11:32: there is no operation send_mesage; did you mean send_message?",
        file("mistakes/steps.acts.yaml")
    );
    assert!(said.contains(&place), "{said}");
    for args in [
        vec!["scenario", "http://127.0.0.1:9"],
        vec!["scenario", "nowhere.yaml", "http://127.0.0.1:9"],
        vec!["check", "http://127.0.0.1:9", "--format", "acts"],
    ] {
        assert_eq!(run(&args).status.code(), Some(2), "{args:?}");
    }
    let path = file("client.acts.yaml");
    let unknown = run(&["scenario", &path, "http://127.0.0.1:9", "--only", "NOTHING-*"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn credentials_reach_the_agent_and_no_report() {
    let agent = Served::agent(&["protected"]);
    let path = file("credentials.acts.yaml");
    let args =
        ["scenario", &path, agent.agent_url(), "--bearer", "open-sesame", "--only", "*-PASS*", "--format", "json"];
    let told = run(&args);
    assert_eq!(told.status.code(), Some(0), "{}", stdout(&told));
    assert!(!stdout(&told).contains("open-sesame"));
}
