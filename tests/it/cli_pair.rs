//! `check --peer`: three verdicts, one report, the worst exit code, and credentials that stay where they belong.

use serde_json::Value;

use crate::cli::{Served, nobody, run, stderr, stdout};

#[test]
fn two_agents_are_checked_alone_and_together() {
    let (a, b) = (Served::agent(&["protected"]), Served::agent(&["protected"]));
    let (a, b) = (a.agent_url(), b.agent_url());
    let with = ["--bearer", "open-sesame", "--peer-bearer", "open-sesame", "--quiet"];
    let together = run(&[&["check", a, "--peer", b], &with[..]].concat());
    let text = stdout(&together);
    assert_eq!(together.status.code(), Some(0), "{text}{}", stderr(&together));
    let verdicts: Vec<_> =
        text.lines().filter(|line| line.starts_with("Conformant: ") || line.starts_with("The two agents")).collect();
    assert!(verdicts.len() == 3 && verdicts[2].starts_with("The two agents work together: "), "{text}");
    assert!(!text.contains("open-sesame"));

    // Credentials of one agent alone: the pair cannot talk, and the exit code says so.
    let only = ["--only", "pair.*", "--bearer", "open-sesame", "--format", "json"];
    let output = run(&[&["check", a, "--peer", b], &only[..]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let cause = report["cause"].as_str().unwrap_or_default();
    assert!(cause.starts_with("the two agents cannot talk: credentials needed: "), "{cause}");
    let addresses: Vec<_> =
        report["agents"].as_array().expect("agents").iter().map(|agent| &agent["address"]).collect();
    assert_eq!(addresses, [a, b]);
    assert_eq!((&report["completion"], &report["verdict"]), (&"pair".into(), &"not-conformant".into()));
}

#[test]
fn an_option_for_a_peer_needs_one_and_an_unreachable_peer_is_told() {
    let agent = Served::agent(&[]);
    let url = agent.agent_url();
    let output = run(&["check", url, "--peer-bearer", "canary-1234"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--peer") && !stderr(&output).contains("canary"), "{}", stderr(&output));
    // As alone: nothing was seen that could be judged.
    let absent = nobody();
    for (first, second, who) in [(url, absent.as_str(), "B"), (&absent, url, "A"), (&absent, &absent, "A")] {
        let output = run(&["check", first, "--peer", second, "--only", "pair.*"]);
        let said = stdout(&output);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(&format!("The two agents cannot talk: agent {who} cannot be reached")), "{said}");
        assert!(!said.contains("do not work together") && said.contains("\nIncomplete: "), "{said}");
    }
    // Checks of two agents need two.
    let output = run(&["check", url, "--only", "pair.cards"]);
    assert_eq!(output.status.code(), Some(2));
}
