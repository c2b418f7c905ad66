//! The scripted agent as a fixture for tests of others: over real sockets, in Rust and from other languages.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use a2a_conformance::{TestAgent, responses_directive};
use serde_json::{Value, json};

use crate::cli::{Folder, Served, run, stdout, talk};

const REJECTED: &str = r#"[[{"kind": "task", "status": {"state": "rejected"}}]]"#;

/// A request without a body, as it goes over the wire.
fn plain(method: &str, path: &str, host: &str, more: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n")
}

/// The status and the body of an answer.
fn answer_of(answer: &str) -> (&str, &str) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split_whitespace().nth(1).unwrap(), body)
}

/// Sends a text over JSON-RPC.
fn send(url: &str, text: &str, more: &str) -> String {
    let message = json!({ "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": text }] });
    let call =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message } }).to_string();
    let head = format!("Content-Type: application/json\r\nA2A-Version: 1.0\r\nContent-Length: {}\r\n", call.len());
    talk(url, &format!("{}{call}", plain("POST", "/rpc/", "127.0.0.1", &format!("{head}{more}"))), "\0")
}

#[test]
fn a_test_starts_an_agent_looks_at_what_it_received_and_stops_it() {
    let agent = TestAgent::start().unwrap();
    let other = TestAgent::start_with(["get-wrapped"]).unwrap();
    assert_ne!(agent.url(), other.url());
    let sorry = responses_directive("sorry", REJECTED).unwrap();
    assert!(send(agent.url(), &format!("Book a flight. {sorry}"), "").contains("TASK_STATE_REJECTED"));
    assert!(send(agent.url(), "[test_case_id=sorry]", "").contains("TASK_STATE_REJECTED"));
    send(agent.url(), "task-lifecycle", "");
    assert!(agent.captured("sorry")[0].text().contains("Book a flight."));
    assert_eq!((agent.captured("sorry").len(), agent.all_captured().len(), other.all_captured().len()), (2, 3, 0));
    agent.clear();
    assert!(agent.all_captured().is_empty());
    // The responses are forgotten, too.
    assert!(send(agent.url(), "[test_case_id=sorry]", "").contains("TASK_STATE_COMPLETED"));
    let url = agent.url().to_owned();
    agent.stop();
    // A program that another test starts just now holds this process's sockets for the moment between its fork and its exec.
    let refused = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        std::net::TcpStream::connect(url.trim_start_matches("http://")).is_err()
    });
    assert!(refused, "it still listens");
    assert!(TestAgent::start_with(["no-such-fault"]).is_err());
}

#[test]
fn programs_on_this_machine_see_what_the_agent_received_and_clear_it() {
    let agent = Served::agent(&[]);
    let url = agent.agent_url();
    send(url, "[test_case_id=a] task-lifecycle", "Authorization: Bearer canary-token\r\n");
    send(url, "[test_case_id=b] task-lifecycle", "");
    let captured = |query: &str| -> Value {
        let answer = talk(url, &plain("GET", &format!("/_captured{query}"), "localhost:1", ""), "\0");
        let (status, body) = answer_of(&answer);
        assert_eq!(status, "200", "{answer}");
        serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"))
    };
    let of_a = captured("?test_case_id=a");
    let request = &of_a["requests"][0];
    assert_eq!(of_a["requests"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&request["method"], &request["path"], &request["testCaseId"]),
        (&json!("POST"), &json!("/rpc/"), &json!("a"))
    );
    assert_eq!(request["body"]["params"]["message"]["parts"][0]["text"], "[test_case_id=a] task-lifecycle");
    assert_eq!(request["headers"]["authorization"], "Bearer [redacted]");
    assert_eq!(request["identity"], json!({ "scheme": "Bearer", "name": null, "number": 1 }));
    assert_eq!(captured("")["requests"].as_array().unwrap().len(), 2);
    let cleared = talk(url, &plain("DELETE", "/_captured?test_case_id=a", "127.0.0.1", ""), "\0");
    assert_eq!(answer_of(&cleared).0, "204");
    assert_eq!(captured("")["requests"][0]["testCaseId"], "b");
    talk(url, &plain("DELETE", "/_captured", "[::1]:80", ""), "\0");
    assert_eq!(captured("")["requests"], json!([]));
    assert_eq!(answer_of(&talk(url, &plain("PUT", "/_captured", "127.0.0.1", ""), "\0")).0, "405");
}

#[test]
fn pages_and_other_names_see_nothing_unless_the_agent_was_told_to() {
    let (closed, open) = (Served::agent(&[]), {
        let args = ["agent", "--listen", "127.0.0.1:0", "--expose-captured"];
        Served::start(&args, "scripted agent")
    });
    for (host, more) in [
        ("127.0.0.1", "Origin: https://page.example\r\n"),
        // A name that was made to lead here.
        ("rebound.example:8485", ""),
        ("127.0.0.1.example", ""),
    ] {
        for method in ["GET", "DELETE"] {
            let request = plain(method, "/_captured", host, more);
            let refused = talk(closed.agent_url(), &request, "\0");
            assert_eq!(answer_of(&refused).0, "403", "{host} {more}");
            assert!(refused.contains("--expose-captured"), "{refused}");
            assert!(talk(open.agent_url(), &request, "\0").starts_with("HTTP/1.1 20"), "{host} {more}");
        }
    }
}

#[test]
fn the_port_is_in_a_file_and_the_directives_are_printed() {
    let folder = Folder::new("port-file");
    let (file, turns) = (folder.0.join("port"), folder.0.join("turns.json"));
    let args = ["agent", "--listen", "127.0.0.1:0", "--port-file", file.to_str().unwrap()];
    let agent = Served::start(&args, "scripted agent");
    let port = fs::read_to_string(&file).unwrap();
    assert_eq!(agent.agent_url(), format!("http://127.0.0.1:{}", port.trim()));
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "nothing else is left there");
    fs::write(&turns, REJECTED).unwrap();
    let printed = stdout(&run(&["responses", turns.to_str().unwrap(), "--test-case-id", "sorry"]));
    assert_eq!(printed.trim_end(), responses_directive("sorry", REJECTED).unwrap());
    assert!(send(agent.agent_url(), printed.trim_end(), "").contains("TASK_STATE_REJECTED"));
    fs::write(&turns, r#"[[{"kind": "tusk"}]]"#).unwrap();
    let refused = run(&["responses", turns.to_str().unwrap()]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said.contains("turns.json cannot be played: responses_json[0][0].kind is \"tusk\"; the kinds are task"),
        "{said}"
    );
    let missing = run(&["responses", "nowhere.json"]);
    assert!(
        missing.status.code() == Some(2)
            && String::from_utf8_lossy(&missing.stderr).contains("nowhere.json cannot be read: there is no such file")
    );
}

#[test]
fn the_listener_drops_connections_and_sends_text_as_it_is() {
    let agent = TestAgent::start().unwrap();
    let dropped = responses_directive("a", r#"[[{"drop": true}]]"#).unwrap();
    assert_eq!(send(agent.url(), &dropped, ""), "");
    let raw = responses_directive("b", r#"[[{"httpStatus": 503, "raw": "come back later"}]]"#).unwrap();
    let busy = send(agent.url(), &raw, "");
    assert!(busy.starts_with("HTTP/1.1 503 ") && busy.contains("come back later"), "{busy}");
    let slow =
        responses_directive("c", r#"[[{"delayMs": 300, "kind": "task", "status": {"state": "completed"}}]]"#).unwrap();
    let start = Instant::now();
    assert!(send(agent.url(), &slow, "").contains("TASK_STATE_COMPLETED"));
    assert!(start.elapsed() >= Duration::from_millis(290));
    let head = talk(agent.url(), &plain("HEAD", "/.well-known/agent-card.json", "h", ""), "\0");
    assert_eq!(answer_of(&head), ("200", ""));
    let options = talk(agent.url(), &plain("OPTIONS", "/rpc/", "h", ""), "\0");
    assert!(
        options.starts_with("HTTP/1.1 204 ") && options.contains("allow: GET, HEAD, POST, DELETE, OPTIONS\r\n"),
        "{options}"
    );
}

/// The fenced blocks of a language in the guide.
fn blocks(language: &str) -> Vec<String> {
    let guide = fs::read_to_string(root().join("docs/TEST-AGENT.md")).unwrap();
    let (start, mut found) = (format!("```{language}\n"), Vec::new());
    let mut rest = guide.as_str();
    while let Some((_, after)) = rest.split_once(&start) {
        let (block, after) = after.split_once("```").unwrap();
        found.push(block.to_owned());
        rest = after;
    }
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_guide_shows_what_is_in_the_examples_and_what_can_be_played() {
    for (language, files) in [
        ("python", &["python/conftest.py", "python/test_client.py"][..]),
        ("js", &["javascript/client.test.mjs"]),
        ("rust", &["../../src/api/test_agent.rs"]),
    ] {
        let text: String = files
            .iter()
            .map(|file| fs::read_to_string(root().join("examples/test-agent").join(file)).unwrap())
            .collect();
        let text = text.replace("/// ", "");
        assert!(!blocks(language).is_empty());
        for block in blocks(language) {
            assert!(text.contains(&block), "no example in {language} has\n{block}");
        }
    }
    assert!(!blocks("json").is_empty());
    for block in blocks("json") {
        responses_directive("guide", &block).unwrap_or_else(|problem| panic!("{problem}\n{block}"));
    }
}
