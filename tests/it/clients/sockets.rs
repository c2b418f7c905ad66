//! `agent --watch` as a program: findings at once, the report at the end, and the exit code.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::cli::{Folder, Served, run, talk};

/// Watches for some seconds while `client` calls the agent at a URL: exit code, standard output and standard error.
fn watch(seconds: &str, more: &[&str], client: impl FnOnce(&str)) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_a2a-conformance"))
        .args(["agent", "--listen", "127.0.0.1:0", "--watch", "--watch-for", seconds])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    client(line.split_whitespace().find(|word| word.starts_with("http://")).unwrap());
    let (mut said, mut findings) = (String::new(), String::new());
    reader.read_to_string(&mut said).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut findings).unwrap();
    (child.wait().unwrap().code(), said, findings)
}

fn post(url: &str, headers: &str, body: &Value) {
    let body = body.to_string();
    let head =
        format!("POST /rpc HTTP/1.1\r\nHost: h\r\nUser-Agent: one/1\r\nContent-Type: application/json\r\n{headers}");
    talk(url, &format!("{head}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len()), "\0");
}

#[test]
fn a_watch_tells_each_finding_and_reports_on_the_client() {
    let folder = Folder::new("watch");
    let file = folder.0.join("report.json");
    let options = ["--format", "json", "--output", file.to_str().unwrap()];
    let (code, said, findings) = watch("4", &options, |url| {
        let message = json!({ "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": "message-only hello" }] });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message } });
        post(url, "Authorization: Bearer canary-token-1\r\n", &call);
        post(
            url,
            "A2A-Version: 1.0\r\n",
            &json!({ "jsonrpc": "2.0", "id": 2, "method": "GetTask", "params": { "id": "canary-token-1" } }),
        );
    });
    assert_eq!(code, Some(1), "{said}{findings}");
    assert!(findings.contains("fail [client.version-header] (JSON-RPC 1.0): "), "{findings}");
    assert!(said.contains("Client: not conformant, "), "{said}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("canary"), "a credential is in the report");
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&report["subject"], &report["agentName"]), (&json!("client"), &json!("one/1")));
    assert_eq!((&report["completion"], &report["lanes"][0]["id"]), (&json!("watched-client"), &json!("jsonrpc-1.0")));
    assert_eq!(report["exchanges"].as_array().unwrap().len(), 2);
}

#[test]
fn a_watch_without_a_client_is_incomplete_and_options_need_a_watch() {
    let (code, said, _) = watch("0.2", &[], |_| ());
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("Client: incomplete, "), "{said}");
    assert_eq!(run(&["agent", "--watch-for", "1"]).status.code(), Some(2));
}

#[test]
fn what_was_found_so_far_is_served_to_pages_of_this_machine_and_to_whoever_has_the_key() {
    let watched = Served::start(&["agent", "--listen", "127.0.0.1:0", "--watch"], "from a page");
    let url = watched.agent_url().to_owned();
    let asks = |method: &str, path: &str, host: &str, origin: &str| {
        let origin = if origin.is_empty() { String::new() } else { format!("Origin: {origin}\r\n") };
        talk(&url, &format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{origin}Connection: close\r\n\r\n"), "\0")
    };
    let message = json!({ "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": "message-only hello" }] });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message } });
    post(&url, "Authorization: Bearer canary-token-1\r\n", &call);
    let seen = asks("GET", "/_watch", "127.0.0.1", "http://localhost:8484");
    let (head, body) = seen.split_once("\r\n\r\n").unwrap();
    let report: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{seen}"));
    assert_eq!((&report["subject"], &report["verdict"]), (&json!("client"), &json!("not-conformant")));
    assert_eq!(report["exchanges"].as_array().unwrap().len(), 1);
    assert!(!body.contains("canary"), "a credential is in the findings");
    let rows = report["categories"]["interop"].as_array().unwrap();
    let version = rows.iter().find(|row| row["test"] == "client.version-header").unwrap();
    assert_eq!(version["described"]["title"], "Every request names its version of A2A");
    assert!(head.to_ascii_lowercase().contains("etag: \"1-1\""), "{head}");
    assert!(asks("GET", "/_watch?since=1-1", "127.0.0.1", "").starts_with("HTTP/1.1 204"), "nothing is new");
    // A foreign page, and a name that was made to lead here.
    for (host, origin) in [("127.0.0.1", "https://page.example"), ("rebound.example", "http://rebound.example")] {
        for method in ["GET", "DELETE"] {
            assert!(asks(method, "/_watch", host, origin).starts_with("HTTP/1.1 403"), "{method} {host} {origin}");
        }
    }
    let key = watched.url("from a page elsewhere at ").rsplit('/').next().unwrap();
    assert!(asks("GET", &format!("/_watch/{key}"), "127.0.0.1", "https://page.example").starts_with("HTTP/1.1 200"));
    assert!(asks("GET", "/_watch/other", "127.0.0.1", "").starts_with("HTTP/1.1 403"));
    assert!(asks("PUT", "/_watch", "127.0.0.1", "").starts_with("HTTP/1.1 405"));
    assert!(asks("DELETE", "/_watch", "127.0.0.1", "").starts_with("HTTP/1.1 204"));
    let anew = asks("GET", "/_watch?since=1-1", "127.0.0.1", "");
    assert!(anew.contains("\"exchanges\": []") && anew.to_ascii_lowercase().contains("etag: \"2-0\""), "{anew}");
    let plain = Served::agent(&[]);
    let ask = "GET /_watch HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
    assert!(talk(plain.agent_url(), ask, "\0").starts_with("HTTP/1.1 404"));
}
