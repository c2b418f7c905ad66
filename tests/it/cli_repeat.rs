//! `check --repeat`: exit codes, files, what is refused, and Ctrl-C in the middle, with a real agent.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cli::{Folder, Served, program, run, stderr, stdout};

/// Checks that are quickly made; one of them fails every other time at an agent with the fault below.
const ONLY: &str = "jsonrpc.parse-error*";
const AT_TIMES: &str = "parse-error-at-times";

fn report(output: &std::process::Output) -> Value {
    serde_json::from_str(&stdout(output)).unwrap_or_else(|problem| panic!("{problem}: {}", stderr(output)))
}

#[test]
fn only_what_fails_in_each_run_counts() {
    let (at_times, always, never) =
        (Served::agent(&[AT_TIMES]), Served::agent(&["parse-error-wrong-code"]), Served::agent(&[]));
    for (agent, code, unsteady, failed) in [(&at_times, 0, 1, 0), (&always, 1, 0, 1), (&never, 0, 0, 0)] {
        let url = format!("{}/", agent.agent_url());
        let output = run(&["check", &url, "--only", ONLY, "--repeat", "3", "--format", "json"]);
        let report = report(&output);
        assert_eq!(output.status.code(), Some(code), "{report}");
        assert_eq!((&report["runs"], &report["options"]["repeat"]), (&3.into(), &3.into()));
        let summary = &report["summary"];
        assert_eq!(summary["unsteady"].as_u64().unwrap_or_default(), unsteady);
        assert_eq!(summary["failedRequired"], failed);
        let schema: Value = serde_json::from_str(include_str!("../../docs/report-v1.schema.json")).unwrap();
        let errors: Vec<_> =
            jsonschema::validator_for(&schema).unwrap().iter_errors(&report).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn a_steady_agent_of_before_is_compared_with_an_unsteady_one() {
    let folder = Folder::new("repeat");
    let of = |name: &str, agent: &Served, runs: &str| {
        let file = folder.0.join(name).to_str().unwrap().to_owned();
        run(&["check", agent.agent_url(), "--only", ONLY, "--repeat", runs, "--format", "json", "-o", &file]);
        file
    };
    let (sound, at_times) = (Served::agent(&[]), Served::agent(&[AT_TIMES]));
    let (sound, unsteady) = (of("sound.json", &sound, "1"), of("unsteady.json", &at_times, "4"));
    // Runs 5 and 6 of that agent: the first of them fails.
    let failing = of("failing.json", &at_times, "1");
    let compared = |before: &str, after: &str| {
        let output = run(&["compare", before, after]);
        (output.status.code(), stdout(&output))
    };
    let (code, text) = compared(&sound, &unsteady);
    assert!(code == Some(0) && text.contains("pass -> unsteady: failed in 2 of 4 runs"), "{text}");
    let (code, text) = compared(&unsteady, &failing);
    assert!(code == Some(0) && text.contains("unsteady: failed in 2 of 4 runs -> fail:"), "{text}");
    assert_eq!(compared(&sound, &failing).0, Some(1));
}

#[test]
fn what_makes_no_sense_several_times_is_refused_before_anything_is_sent() {
    for (more, why) in [
        (&["--repeat", "0"][..], "0"),
        (&["--repeat", "101"], "101"),
        (&["--repeat", "2", "--peer", "http://127.0.0.1:1"], "three runs already"),
        (&["--repeat", "2", "--load", "1s"], "load"),
    ] {
        let output = run(&[&["check", "http://127.0.0.1:1"], more].concat());
        assert_eq!(output.status.code(), Some(2), "{more:?} {}", stderr(&output));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
    let folder = Folder::new("repeat-card");
    let card = folder.0.join("card.json");
    std::fs::write(&card, "{}").unwrap();
    let output = run(&["check", "--card", card.to_str().unwrap(), "--repeat", "2"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the same each time"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_report_of_the_runs_that_are_whole() {
    let agent = Served::agent(&[AT_TIMES]);
    let mut child = program()
        .args(["check", agent.agent_url(), "--only", ONLY, "--repeat", "100", "--trace", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // What happens in the third run is traced as it happens.
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("(run 3)") {
        line.clear();
        assert!(errors.read_line(&mut line).unwrap() > 0, "the third run never came");
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let rest = std::thread::spawn(move || errors.read_to_end(&mut Vec::new()));
    let output = child.wait_with_output().unwrap();
    rest.join().unwrap().unwrap();
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", report["headline"]);
    let whole = report["runs"].as_u64().unwrap();
    assert!((2..100).contains(&whole), "{whole}");
    assert!(report["incomplete"].as_str().unwrap().contains(&format!("after {whole} of 100 runs")));
    assert_eq!(report["summary"]["unsteady"], 1);
}
