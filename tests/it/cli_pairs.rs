//! `pairs`: several agents from one command, over sockets.

use serde_json::Value;

use crate::cli::{Folder, Served, nobody, run, stderr, stdout};

#[test]
fn every_two_of_several_agents_are_checked_and_shown_in_one_table() {
    let folder = Folder::new("pairs");
    let path = |name: &str| folder.0.join(name).to_str().unwrap().to_owned();
    let (plain, hybrid, protected) =
        (Served::agent(&["modest"]), Served::agent(&["hybrid"]), Served::agent(&["protected"]));
    let older = format!("{}/0.3", plain.agent_url());
    let absent = nobody();
    let list = format!(r#"[{{"url": "{}", "bearer": "open-sesame"}}]"#, protected.agent_url());
    std::fs::write(path("agents.json"), list).unwrap();
    let targets = [plain.agent_url(), hybrid.agent_url(), &older, &absent];
    let with = ["--agents", &path("agents.json"), "--reports", &path("reports"), "--format", "json"];
    let output = run(&[&["pairs"], &targets[..], &with[..]].concat());
    let (text, lines) = (stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(1), "{lines}");
    assert!(lines.starts_with("5 agents: 5 runs with one of them, 10 runs with two\n"), "{lines}");
    assert!(lines.contains("agents 1 and 2: The two agents work together"), "{lines}");
    assert!(!text.contains("open-sesame") && !lines.contains("open-sesame"));

    let json: Value = serde_json::from_str(&text).expect("JSON");
    let verdicts: Vec<_> = json["agents"].as_array().unwrap().iter().map(|agent| &agent["verdict"]).collect();
    assert_eq!(verdicts, ["conformant", "conformant", "conformant", "incomplete", "conformant"]);
    let directions = json["pairs"].as_array().unwrap().iter().flat_map(|pair| pair["directions"].as_array().unwrap());
    let found = |caller: u64, called: u64| {
        let is_it = |direction: &&Value| direction["caller"] == caller && direction["called"] == called;
        directions.clone().find(is_it).unwrap()
    };
    for (caller, called, result) in [
        (1, 2, "works"),
        (2, 1, "works"),
        (2, 3, "works"),
        (1, 5, "works"),
        (5, 2, "works"),
        (1, 3, "cannot-talk"),
        (4, 1, "not-judged"),
    ] {
        let direction = found(caller, called);
        assert_eq!(direction["result"], result, "{direction}");
    }
    let because = found(1, 4)["because"].as_str().unwrap();
    assert!(because.starts_with("agent 4 cannot be reached: "), "{because}");
    let because = found(1, 3)["because"].as_str().unwrap();
    assert!(because.starts_with("no common version: agent 1 serves "), "{because}");

    let report = std::fs::read_to_string(folder.0.join("reports").join("pair-1-5.json")).unwrap();
    assert!(report.contains("\"completion\": \"pair\"") && !report.contains("open-sesame"));
    assert!(folder.0.join("reports").join("agent-4.json").is_file());
}

#[test]
fn the_table_is_for_a_terminal_too_and_the_exit_code_is_that_of_a_check() {
    let agent = Served::agent(&[]);
    let older = format!("{}/0.3", agent.agent_url());
    let output = run(&["pairs", agent.agent_url(), agent.agent_url(), "--quiet"]);
    let text = stdout(&output);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{text}");
    assert!(text.contains("   1      conformant           works\n   2           works      conformant\n"), "{text}");
    let output = run(&["pairs", agent.agent_url(), &older, "--quiet", "--fail-on", "never"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("1 to 2: cannot talk: no common version: agent 1 serves"), "{}", stdout(&output));
}

#[test]
fn what_cannot_be_understood_is_told_and_no_secret_with_it() {
    let folder = Folder::new("pairs-refused");
    let file = folder.0.join("agents.json").to_str().unwrap().to_owned();
    let refused = |content: &str, part: &str| {
        std::fs::write(&file, content).unwrap();
        let output = run(&["pairs", "http://127.0.0.1:1", "--agents", &file]);
        let problem = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{problem}");
        assert!(problem.contains(part) && !problem.contains("canary"), "{problem}");
    };
    refused("{canary", "is not a JSON array of agents");
    refused("[]", "pairs needs two to 16 agents; 1 were given");
    refused(
        r#"[{"url": "http://127.0.0.1:2", "bearer": 5, "basic": "canary"}]"#,
        "agent 1: the member bearer is not a string",
    );
    refused(r#"[{"url": "http://127.0.0.1:2", "basic": "canary"}]"#, "agent 2: basic is not `USER:PASSWORD`");
    refused(r#"[{"url": "http://127.0.0.1:2", "bearer": "@no-such-file-canar"}]"#, "bearer names a file with @");
    refused(r#"[{"url": "no such address"}]"#, "agent 2: its address cannot be checked");
}
