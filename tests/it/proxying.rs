//! A proxy that stands between a client and the scripted agent, tested as its author would: what comes out of it, what it
//! keeps, and what it sent downstream. Then a proxy that alters what it passes on is seen to be found. The same as files of tests.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::cli::{run, stdout};
use a2a_conformance::host::native::{block_on, host};
use a2a_conformance::wire::base64::STANDARD;
use a2a_conformance::wire::http::Request;
use a2a_conformance::{TestAgent, responses_directive};
use futures_util::StreamExt;
use serde_json::{Value, json};

/// A proxy's files, by their names.
type Files = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// What a proxy does to a call besides what it has to do.
type Alter = fn(&mut Value);

/// Turn by turn: a file comes back and the task waits, then it completes.
const TURNS: &str = r#"[
    [
        {"kind": "status-update", "final": false, "status": {"state": "working", "message":
            {"role": "agent", "parts": [{"kind": "text", "text": "Work in progress..."}]}}},
        {"kind": "artifact-update", "artifact": {"artifactId": "abc-123", "name": "result.txt", "parts": [
            {"kind": "file", "file": {"name": "result.txt", "mimeType": "text/plain", "bytes": "UHJveHkgdGVzdCBzdWNjZXNzZnVsIQ=="}}]}},
        {"kind": "task", "status": {"state": "input-required", "message":
            {"role": "agent", "parts": [{"kind": "text", "text": "Anything else?"}]}}}
    ],
    [{"kind": "task", "status": {"state": "completed", "message":
        {"role": "agent", "parts": [{"kind": "text", "text": "Follow-up complete."}]}}}]
]"#;

/// Sends a call and reads all of the answer.
fn post(url: &str, call: &Value) -> String {
    block_on(async {
        let request = Request::post(url, "application/json", call.to_string());
        let mut answer = host().transport.send(request).await.unwrap();
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.body.next().await {
            bytes.extend(chunk.unwrap());
        }
        String::from_utf8(bytes).unwrap()
    })
}

/// The events of a stream's text.
fn events(text: &str) -> Vec<Value> {
    text.lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

fn parts(holder: Option<&mut Value>) -> impl Iterator<Item = &mut Value> {
    holder.and_then(|holder| holder["parts"].as_array_mut()).into_iter().flatten()
}

/// Starts a proxy for the agent of 0.3 at this URL.
fn start_proxy(downstream: &str, files: Files, alter: Alter) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (own, downstream) = (url.clone(), format!("{downstream}/0.3/rpc"));
    thread::spawn(move || {
        for stream in listener.incoming() {
            serve(stream.unwrap(), &own, &downstream, &files, alter);
        }
    });
    url
}

/// Answers one request: a call of A2A, or one for the card or a file.
fn serve(mut stream: TcpStream, own: &str, downstream: &str, files: &Files, alter: Alter) {
    let mut reader = BufReader::new(&mut stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
    let length =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let json = "application/json";
    let (status, media, out) = match (method, path.strip_prefix("/files/")) {
        ("POST", _) => ("200 OK", "text/event-stream", pass_on(&body, downstream, files, alter)),
        ("PUT", Some(name)) => {
            files.lock().unwrap().insert(name.to_owned(), body);
            ("201 Created", json, "{}".to_owned())
        }
        ("GET", Some(name)) if files.lock().unwrap().contains_key(name) => {
            let text = String::from_utf8_lossy(&files.lock().unwrap()[name]).into_owned();
            let file = json!({ "filename": name, "version": 1, "mime_type": "text/plain", "text": text });
            ("200 OK", json, file.to_string())
        }
        ("GET", _) if path == "/.well-known/agent-card.json" => ("200 OK", json, card(own).to_string()),
        _ => ("404 Not Found", json, "{}".to_owned()),
    };
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {}\r\n\r\n", out.len());
    stream.write_all(format!("{head}{out}").as_bytes()).unwrap();
}

fn card(url: &str) -> Value {
    json!({
        "protocolVersion": "0.3.0", "name": "Proxy", "description": "Passes on.", "url": url, "preferredTransport": "JSONRPC",
        "version": "1", "capabilities": { "streaming": true }, "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "any", "name": "Any", "description": "Whatever the agent behind it does.", "tags": ["proxy"] }],
    })
}

/// Puts files in place of their references on the way to the agent, and references in place of files on the way back.
fn pass_on(body: &[u8], downstream: &str, files: &Files, alter: Alter) -> String {
    let mut call: Value = serde_json::from_slice(body).unwrap();
    for part in parts(call.pointer_mut("/params/message")) {
        let reference = part["file"]["uri"].as_str().and_then(|uri| uri.strip_prefix("artifact://")).map(str::to_owned);
        if let Some(name) = reference {
            let bytes = STANDARD.encode(&files.lock().unwrap()[&name]);
            part["file"] = json!({ "name": name, "bytes": bytes });
        }
    }
    alter(&mut call);
    let mut out = String::new();
    for mut event in events(&post(downstream, &call)) {
        for part in parts(event.pointer_mut("/result/artifact")) {
            if let Some(bytes) = part["file"]["bytes"].as_str() {
                let name = part["file"]["name"].as_str().unwrap().to_owned();
                files.lock().unwrap().insert(name.clone(), STANDARD.decode(bytes).unwrap());
                part["file"] = json!({ "name": name, "uri": format!("artifact://{name}") });
            }
        }
        out.push_str(&format!("data: {event}\n\n"));
    }
    out
}

/// Sends a message through a proxy, with a reference to a file that the proxy has.
fn ask(proxy: &str, text: &str, task: Option<&Value>) -> Vec<Value> {
    let file = json!({ "kind": "file", "file": { "uri": "artifact://input.txt" } });
    let mut message = json!({ "kind": "message", "messageId": "m", "role": "user",
        "parts": [{ "kind": "text", "text": text }, file] });
    if let Some(task) = task {
        message["taskId"] = task.clone();
    }
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/stream", "params": { "message": message } });
    events(&post(proxy, &call)).into_iter().map(|event| event["result"].clone()).collect()
}

/// What the proxy has to send downstream: one request with the user's words and the file's bytes.
fn expect_downstream(agent: &TestAgent, case: &str) -> Result<(), String> {
    let requests = agent.captured(case);
    let [request] = requests.as_slice() else { return Err(format!("{} requests", requests.len())) };
    let call: Value = serde_json::from_slice(&request.body).map_err(|problem| problem.to_string())?;
    let parts = &call["params"]["message"]["parts"];
    if !parts[0]["text"].as_str().is_some_and(|text| text.starts_with("Please process this request.")) {
        return Err(format!("another text: {}", parts[0]["text"]));
    }
    if parts[1]["file"]["bytes"] != STANDARD.encode(b"alpha,10\n").as_str() {
        return Err(format!("not the bytes of input.txt: {}", parts[1]));
    }
    Ok(())
}

/// A proxy that has `input.txt`, before an agent.
fn setup(alter: Alter) -> (TestAgent, String, Files) {
    let agent = TestAgent::start().unwrap();
    let files = Files::default();
    files.lock().unwrap().insert("input.txt".to_owned(), b"alpha,10\n".to_vec());
    let proxy = start_proxy(agent.url(), Arc::clone(&files), alter);
    (agent, proxy, files)
}

fn request(case: &str) -> String {
    format!("Please process this request. {}", responses_directive(case, TURNS).unwrap())
}

#[test]
fn a_proxy_is_tested_from_both_sides_over_two_turns() {
    let (agent, proxy, files) = setup(|_| ());
    let events = ask(&proxy, &request("through"), None);
    let text = |event: &Value| event["status"]["message"]["parts"][0]["text"].clone();
    assert_eq!((&events[1]["kind"], text(&events[1])), (&json!("status-update"), json!("Work in progress...")));
    let artifact = &events[2]["artifact"];
    assert_eq!(
        (&artifact["name"], &artifact["parts"][0]["file"]["uri"]),
        (&json!("result.txt"), &json!("artifact://result.txt"))
    );
    assert_eq!((&events[3]["status"]["state"], text(&events[3])), (&json!("input-required"), json!("Anything else?")));
    assert_eq!(files.lock().unwrap()["result.txt"], b"Proxy test successful!");
    expect_downstream(&agent, "through").unwrap();

    let second = ask(&proxy, "Please process this request. That is all.", Some(&events[3]["id"]));
    let last = second.last().unwrap();
    assert_eq!((&last["status"]["state"], text(last)), (&json!("completed"), json!("Follow-up complete.")));
    assert_eq!((agent.captured("through").len(), &last["id"]), (2, &events[3]["id"]));
}

#[test]
fn a_proxy_that_alters_a_request_is_found_downstream() {
    let changes: [(&str, Alter); 3] = [
        ("another text", |call| {
            let text =
                call["params"]["message"]["parts"][0]["text"].as_str().unwrap().replace("Please process", "Process");
            call["params"]["message"]["parts"][0]["text"] = text.into();
        }),
        ("not the bytes", |call| call["params"]["message"]["parts"][1]["file"]["bytes"] = "AAAA".into()),
        ("not the bytes", |call| drop(call["params"]["message"]["parts"].as_array_mut().unwrap().pop())),
    ];
    for (problem, alter) in changes {
        let (agent, proxy, _) = setup(alter);
        // The client sees nothing of it.
        assert_eq!(ask(&proxy, &request("altered"), None).len(), 4);
        let found = expect_downstream(&agent, "altered").unwrap_err();
        assert!(found.starts_with(problem), "{found}");
    }
}

/// Runs a file of tests against a proxy; the exit code, and what the terminal shows.
fn scenario(file: &str, alter: Alter) -> (Option<i32>, String) {
    let (agent, proxy, _) = setup(alter);
    let file = format!("{}/examples/proxy/{file}.acts.yaml", env!("CARGO_MANIFEST_DIR"));
    let downstream = format!("downstream={}", agent.url());
    let output = run(&["scenario", &file, &proxy, "--agent", &downstream, "--bearer", "open-sesame", "--verbose"]);
    // The user's credentials are for the proxy.
    assert!(agent.all_captured().iter().all(|request| request.identity.is_none()));
    (output.status.code(), stdout(&output))
}

#[test]
fn files_of_tests_see_both_sides_of_a_proxy() {
    for file in ["artifacts", "two-turns"] {
        let (code, text) = scenario(file, |_| ());
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("PROXY-"), "{text}");
    }
}

#[test]
fn files_of_tests_find_what_a_proxy_alters_downstream() {
    let changes: [(&str, &str, Alter); 4] = [
        ("artifacts", "body.params.message.parts[0].text", |call| {
            let text =
                call["params"]["message"]["parts"][0]["text"].as_str().unwrap().replace("Please process", "Process");
            call["params"]["message"]["parts"][0]["text"] = text.into();
        }),
        ("artifacts", "parts[1].file.bytes", |call| {
            call["params"]["message"]["parts"][1]["file"]["bytes"] = "AAAA".into();
        }),
        ("artifacts", "expected a list of length = 2 at requests[0].body.params.message.parts", |call| {
            drop(call["params"]["message"]["parts"].as_array_mut().unwrap().pop());
        }),
        ("two-turns", "parts[0].text", |call| {
            if call["params"]["message"]["taskId"].is_string() {
                call["params"]["message"]["parts"][0]["text"] = "That is nearly all.".into();
            }
        }),
    ];
    for (file, place, alter) in changes {
        let (code, text) = scenario(file, alter);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("step downstream") && text.contains(place), "{place}\n{text}");
    }
}

#[test]
fn an_agent_that_a_file_names_has_to_be_given_and_to_answer() {
    let (agent, proxy, _) = setup(|_| ());
    let file = format!("{}/examples/proxy/two-turns.acts.yaml", env!("CARGO_MANIFEST_DIR"));
    let missing = run(&["scenario", &file, &proxy]);
    let said = String::from_utf8(missing.stderr.clone()).unwrap();
    assert_eq!(missing.status.code(), Some(2));
    assert!(said.contains("needs the agent downstream; say where it is with --agent downstream=URL"), "{said}");
    let other = format!("upstream={}", agent.url());
    let unknown = run(&["scenario", &file, &proxy, "--agent", "downstream=127.0.0.1:9", "--agent", &other]);
    assert_eq!(unknown.status.code(), Some(2));
    // Without an agent, or with one that does not tell, nothing is said about the proxy.
    for agent in ["127.0.0.1:9", &proxy] {
        let blocked = run(&["scenario", &file, &proxy, "--agent", &format!("downstream={agent}"), "--verbose"]);
        assert_eq!(blocked.status.code(), Some(3), "{}", stdout(&blocked));
        assert!(stdout(&blocked).contains("the agent downstream"), "{}", stdout(&blocked));
    }
}

/// Reads the task that came through the proxy from the agent behind it.
const BEHIND: &str = r#"acts_version: "1.0"
spec_version: "0.3"
x-agents: [behind]
suites:
  - id: behind
    name: Behind
    tests:
      - id: BEHIND
        name: The task of the client is that of the agent
        level: must
        transport: [jsonrpc]
        steps:
          - id: send
            operation: send_streaming_message
            params: {message: {kind: message, role: user, parts: [{kind: text, text: task-lifecycle please}]}}
            capture: {task: "events[0].id"}
          - {id: read, operation: get_task, x-agent: behind, params: {id: "{{send.task}}"}, expect: {body: {status: {state: completed}}}}
"#;

#[test]
fn operations_of_the_agent_behind_a_proxy_are_called_without_the_users_credentials() {
    let (agent, proxy, _) = setup(|_| ());
    let path = format!("{}/behind.acts.yaml", env!("CARGO_TARGET_TMPDIR"));
    let scenario = |text: &str, url: &str| {
        std::fs::write(&path, text).unwrap();
        let behind = format!("behind={url}");
        let output = run(&["scenario", &path, &proxy, "--agent", &behind, "--bearer", "open-sesame", "--verbose"]);
        (output.status.code(), stdout(&output))
    };
    let of_0_3 = format!("{}/0.3", agent.url());
    let (code, text) = scenario(BEHIND, &of_0_3);
    assert_eq!(code, Some(0), "{text}");
    let asked = agent.all_captured();
    assert!(asked.iter().any(|request| request.text().contains("tasks/get")));
    assert!(asked.iter().all(|request| request.identity.is_none()));
    let (code, text) = scenario(&BEHIND.replace("completed", "failed"), &of_0_3);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("step read: expected \"failed\" at status.state, got \"completed\""), "{text}");
    // The agent at the base speaks 1.0 only.
    let (code, text) = scenario(BEHIND, agent.url());
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("the agent behind declares no interface of A2A 0.3 that this program can call"), "{text}");
}
