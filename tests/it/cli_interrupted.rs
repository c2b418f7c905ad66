//! The command line that is told to end, by a key or by another program: what was seen is written, and it ends.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::cli::{Folder, Served, program, stderr, stdout};

/// The signals of Ctrl-C, of `timeout`, `docker stop` and CIs, and of a terminal that is closed.
const SIGNALS: [&str; 3] = ["INT", "TERM", "HUP"];

/// The signal, or another one where these tests run under `nohup`: the programs that they start ignore that a terminal is closed, too.
fn heard(signal: &str) -> &str {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    let is_ignored = u64::from_str_radix(ignored.trim(), 16).is_ok_and(|ignored| ignored & 1 != 0);
    if signal == "HUP" && is_ignored { "TERM" } else { signal }
}

pub(crate) fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Starts the program, and sends it a signal as soon as it says a line on standard error that begins so.
pub(crate) fn stopped_at(line: &str, args: &[&str], signal: &str) -> Output {
    stopped_after(line, args, signal, || ())
}

/// The same, and just before something else is done.
pub(crate) fn stopped_after(line: &str, args: &[&str], signal: &str, before: impl FnOnce()) -> Output {
    let mut child = program().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.lines().last().is_some_and(|last| last.starts_with(line)) {
        assert!(errors.read_line(&mut said).unwrap() > 0, "{args:?} ended: {said}");
    }
    before();
    send(heard(signal), &child);
    let mut output = child.wait_with_output().unwrap();
    errors.read_to_string(&mut said).unwrap();
    output.stderr = said.into_bytes();
    output
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|problem| panic!("{problem}: {text}"))
}

/// Asserts that a report says that its run was stopped, and has what was exchanged until then.
fn assert_stopped(report: &Value) {
    let said = format!("{} {}", report["levelReasons"], report["completion"]);
    assert!(said.contains("stopped"), "{said}");
}

#[test]
fn each_signal_leaves_a_report_of_what_was_seen() {
    let agent = Served::agent(&["silent"]);
    let folder = Folder::new("signals");
    for signal in SIGNALS {
        let file = folder.0.join(signal);
        let args = ["check", agent.agent_url(), "--trace", "--format", "json", "-o", file.to_str().unwrap()];
        let output = stopped_at("exchange ", &args, signal);
        assert_eq!(output.status.code(), Some(3), "{signal}: {}", stderr(&output));
        assert!(stdout(&output).starts_with("Incomplete: "), "{signal}: {}", stdout(&output));
        let report = json(&std::fs::read_to_string(&file).unwrap());
        assert_stopped(&report);
        assert!(!report["exchanges"].as_array().unwrap().is_empty(), "{signal}");
    }
}

/// Runs of several kinds: each writes what it has.
#[test]
fn every_kind_of_run_is_stopped_alike() {
    let (quiet, good) = (Served::agent(&["silent"]), Served::agent(&[]));
    let (quiet, good) = (quiet.agent_url(), good.agent_url());
    let tests = format!("{}/tests/acts/steps.acts.yaml", env!("CARGO_MANIFEST_DIR"));
    let traced = ["--trace", "--format", "json"];
    for args in [
        &["check", quiet, "--repeat", "3"][..],
        &["check", quiet, "--peer", good],
        &["check", good, "--only", "load.*", "--load", "60s", "--rate", "2"],
        &["scenario", &tests, quiet],
    ] {
        let output = stopped_at("exchange ", &[args, &traced[..]].concat(), "TERM");
        assert_eq!(output.status.code(), Some(3), "{args:?} {}", stderr(&output));
        assert_stopped(&json(&stdout(&output)));
    }
}

#[test]
fn tables_of_several_agents_hold_what_was_seen_until_then() {
    let agent = Served::agent(&["modest"]);
    // It takes connections and never answers.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", listener.local_addr().unwrap());
    let folder = Folder::new("stopped-pairs");
    let reports = folder.0.join("reports");
    let args = ["pairs", agent.agent_url(), &silent, "--format", "json", "--reports", reports.to_str().unwrap()];
    let output = stopped_at("agent 1: ", &args, "HUP");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("stopped; the matrix has what was seen until then"), "{}", stderr(&output));
    let table = json(&stdout(&output));
    assert_eq!(
        (&table["agents"][0]["verdict"], &table["agents"][1]["verdict"]),
        (&"conformant".into(), &"not-checked".into())
    );
    assert!(reports.join("agent-1.json").is_file());

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", listener.local_addr().unwrap());
    let child = program()
        .args(["matrix", agent.agent_url(), &silent, "http://127.0.0.1:1", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    assert!(stream.read(&mut [0; 10]).unwrap() > 0);
    send("TERM", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stdout(&output).contains(agent.agent_url()), "{}", stdout(&output));
}

#[test]
fn a_watch_that_is_ended_writes_its_report() {
    let folder = Folder::new("ended-watch");
    let file = folder.0.join("watched.json");
    for signal in SIGNALS {
        let mut child = program()
            .args(["agent", "--listen", "127.0.0.1:0", "--watch", "--format", "json", "-o", file.to_str().unwrap()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().starts_with("from a page elsewhere")));
        send(heard(signal), &child);
        assert_eq!(child.wait().unwrap().code(), Some(3), "{signal}: nobody called");
        assert_eq!(json(&std::fs::read_to_string(&file).unwrap())["completion"], "watched-client", "{signal}");
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn what_serves_ends_when_it_is_told_to() {
    let folder = Folder::new("ended-serve");
    std::fs::write(folder.0.join("index.html"), "<!doctype html>").unwrap();
    let page = folder.0.to_str().unwrap();
    for args in [
        &["agent", "--listen", "127.0.0.1:0"][..],
        &["serve", "--page", page, "--listen", "127.0.0.1:0", "--agent", "127.0.0.1:0", "--no-open"],
    ] {
        for signal in SIGNALS {
            let mut child = program().args(args).stdout(Stdio::piped()).spawn().unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            assert!(lines.any(|line| line.unwrap().starts_with("  A2A 0.1 at ")));
            send(heard(signal), &child);
            assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?} {signal}");
        }
    }
}

/// The report waits for a reader that does not read: there is nothing left to stop but the program.
#[test]
fn a_signal_while_the_report_is_written_ends_the_program_at_once() {
    let agent = Served::agent(&[]);
    let mut child = program()
        .args(["check", agent.agent_url(), "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut report = child.stdout.take().unwrap();
    assert_eq!(report.read(&mut [0; 1]).unwrap(), 1);
    send("TERM", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(stderr(&output), "error: ended at once: what was not written by now is lost\n");
}

/// The first signal stops the run, and the report waits for its reader.
#[test]
fn the_second_signal_ends_the_program_at_once() {
    let agent = Served::agent(&[]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let peer = format!("http://{}", listener.local_addr().unwrap());
    // The report on the first agent alone is longer than a pipe holds.
    let mut child = program()
        .args(["check", agent.agent_url(), "--peer", &peer, "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    assert!(stream.read(&mut [0; 10]).unwrap() > 0);
    send("TERM", &child);
    let mut report = child.stdout.take().unwrap();
    assert_eq!(report.read(&mut [0; 1]).unwrap(), 1, "the report of what was seen");
    send("TERM", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).ends_with("error: ended at once: what was not written by now is lost\n"));
}

/// `nohup` has it ignore that its terminal is closed.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_was_started_to_ignore_a_hang_up_goes_on() {
    let program = env!("CARGO_BIN_EXE_a2a-conformance");
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$0\" agent --listen 127.0.0.1:0", program])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let url = first.strip_prefix("scripted agent listening at ").unwrap();
    assert!(lines.any(|line| line.unwrap().starts_with("  A2A 0.1 at ")));
    send("HUP", &child);
    let get = "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    assert!(crate::cli::talk(url, get, "]}").starts_with("HTTP/1.1 200 "));
    assert_eq!(child.try_wait().unwrap(), None);
    send("TERM", &child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
