//! What the command line reads and writes: files without an end, folders in their place, disks that are full, readers that leave.
#![cfg(unix)]

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::cli::{Folder, Served, nobody, program, run, stderr, stdout};
use crate::cli_interrupted::stopped_after;

/// Every way to name a file that is read: the arguments behind which its name stands, and what is behind it.
const READERS: [(&[&str], &[&str]); 13] = [
    (&["compare"], &["-"]),
    (&["matrix"], &[]),
    (&["check", "--card"], &[]),
    (&["check", "http://127.0.0.1:1", "--jwks"], &[]),
    (&["check", "http://127.0.0.1:1", "--cacert"], &[]),
    (&["check", "http://127.0.0.1:1", "--cert"], &[]),
    (&["check", "http://127.0.0.1:1", "--bearer", "@"], &[]),
    (&["check", "http://127.0.0.1:1", "--header", "X-Key: @"], &[]),
    (&["pairs", "http://127.0.0.1:1", "--agents"], &[]),
    (&["scenario"], &["http://127.0.0.1:1"]),
    (&["client-tests"], &[]),
    (&["scenario", "tests/acts/steps.acts.yaml", "--replay"], &[]),
    (&["responses"], &[]),
];

/// Runs the program with at most so much memory, in kilobytes.
fn reading((before, behind): (&[&str], &[&str]), file: &str, memory: u32) -> Output {
    let mut args: Vec<String> = before.iter().map(|arg| (*arg).to_owned()).collect();
    match args.last_mut().filter(|last| last.ends_with('@')) {
        Some(secret) => secret.push_str(file),
        None => args.push(file.to_owned()),
    }
    let limited = format!("ulimit -v {memory}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &limited, env!("CARGO_BIN_EXE_a2a-conformance")]).args(args).args(behind);
    command.current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_file_without_an_end_is_read_up_to_a_limit_that_is_told() {
    for reader in READERS {
        let output = reading(reader, "/dev/zero", 1_200_000);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{reader:?} {said}");
        assert!(
            said.contains("it is longer than ") && said.contains(", which is the most that is read"),
            "{reader:?} {said}"
        );
    }
}

#[test]
fn what_cannot_be_read_is_told_in_a_sentence() {
    let folder = Folder::new("unreadable");
    let path = |name: &str| folder.0.join(name).to_str().unwrap().to_owned();
    std::fs::write(path("latin"), b"caf\xe9").unwrap();
    std::fs::write(path("utf16"), b"\xff\xfe{\0}\0").unwrap();
    std::fs::write(path("forbidden"), "{}").unwrap();
    std::fs::set_permissions(path("forbidden"), std::fs::Permissions::from_mode(0o000)).unwrap();
    let told = |reader: (&[&str], &[&str]), file: &str, words: &str| {
        let output = reading(reader, file, 4_000_000);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{reader:?} {file} {said}");
        assert!(said.contains(words) && !said.contains("os error"), "{reader:?} {file} {said}");
    };
    for reader in READERS {
        told(reader, folder.0.to_str().unwrap(), "it is a folder; name a file in it");
        if reader.0 != ["matrix"] {
            // Of a matrix it may be an address.
            told(reader, &path("none"), "there is no such file; correct its name");
        }
        // Nothing is forbidden to the superuser.
        if std::fs::read(path("forbidden")).is_err() {
            told(reader, &path("forbidden"), "this user may not read it; change its permissions");
        }
    }
    for reader in READERS.into_iter().filter(|(before, _)| !before.iter().any(|arg| arg.starts_with("--c"))) {
        told(reader, &path("latin"), "it is not text: byte 4 is not UTF-8");
        told(reader, &path("utf16"), "it is UTF-16");
    }
}

#[test]
fn a_pipe_is_read_when_somebody_writes_to_it_and_told_when_nobody_does() {
    let folder = Folder::new("pipe");
    let pipe = folder.0.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child =
        program().arg("responses").arg(&pipe).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    errors.read_line(&mut said).unwrap();
    assert!(said.starts_with("waiting for a pipe or a device"), "{said}");
    std::fs::write(&pipe, r#"[[{"statusUpdate": {"status": {"state": "TASK_STATE_COMPLETED"}}}]]"#).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let output = run(&["check", "--card", "/dev/stdin"]);
    assert!(stderr(&output).contains("/dev/stdin is not a card"), "{}", stderr(&output));
}

#[test]
fn a_place_where_no_report_can_be_is_told_before_anything_is_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let folder = Folder::new("places");
    let file = folder.0.join("file");
    std::fs::write(&file, "").unwrap();
    let tests = format!("{}/tests/acts/steps.acts.yaml", env!("CARGO_MANIFEST_DIR"));
    let client = format!("{}/tests/acts/client.acts.yaml", env!("CARGO_MANIFEST_DIR"));
    let folder_name = folder.0.to_str().unwrap();
    let (missing, beneath) = (format!("{folder_name}/none/report"), format!("{folder_name}/file/report"));
    for (place, words) in [
        (missing.as_str(), format!("there is no folder {folder_name}/none; create it, or name another")),
        (folder_name, "it is a folder; name a file in it".to_owned()),
        (&beneath, format!("{folder_name}/file is not a folder")),
    ] {
        for args in [
            &["check", &url, "-o", place][..],
            &["check", &url, "--peer", &url, "-o", place],
            &["scenario", &tests, &url, "-o", place],
            &["scenario", &tests, &url, "--record", place],
            &["client-tests", &client, "-o", place],
            &["matrix", &url, "-o", place],
            &["pairs", &url, &url, "-o", place],
            &["agent", "--listen", "127.0.0.1:0", "--watch", "-o", place],
        ] {
            let output = run(args);
            assert_eq!(output.status.code(), Some(2), "{args:?} {}", stderr(&output));
            assert!(stderr(&output).contains(&words), "{args:?} {}", stderr(&output));
        }
    }
    let output = run(&["pairs", &url, &url, "--reports", &beneath]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("--reports"), "{}", stderr(&output));
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "nothing was sent");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1, "and nothing is left behind");
}

#[test]
fn a_file_keeps_its_permissions_and_its_link() {
    let agent = Served::agent(&[]);
    let folder = Folder::new("kept");
    let (file, link) = (folder.0.join("file"), folder.0.join("link"));
    std::fs::write(&file, "old").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let output = run(&["check", agent.agent_url(), "--only", "card.*", "-o", link.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("Partly checked"));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
}

/// A folder that is gone when the report is to be written.
#[test]
fn a_report_that_cannot_be_written_is_printed_and_the_others_are_written() {
    let agent = Served::agent(&["silent"]);
    let folder = Folder::new("gone");
    let gone = folder.0.join("folder");
    std::fs::create_dir(&gone).unwrap();
    let file = gone.join("report.md");
    let args = ["check", agent.agent_url(), "--trace", "--format", "markdown", "-o", file.to_str().unwrap()];
    let output = stopped_after("exchange ", &args, "TERM", || std::fs::remove_dir(&gone).unwrap());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("could not be written: "), "{}", stderr(&output));
    assert!(stderr(&output).contains("it follows on standard output, as JSON"), "{}", stderr(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(!report["exchanges"].as_array().unwrap().is_empty());
}

/// Output to a device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let agent = Served::agent(&[]);
    let card = ["check", agent.agent_url(), "--only", "card.*", "--format"];
    for format in ["json", "text", "junit"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = program().args(card).arg(format).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{format} {}", stderr(&output));
        assert!(stderr(&output).contains("standard output: No space left on device"), "{}", stderr(&output));
    }
    let output = run(&[&card[..], &["html", "-o", "/dev/full"]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("/dev/full: the disk is full; it follows on standard output"),
        "{}",
        stderr(&output)
    );
    assert!(serde_json::from_str::<Value>(&stdout(&output)).unwrap().is_object());
    // The comparison is printed where it could not be written.
    let folder = Folder::new("full");
    let report = folder.0.join("report.json");
    std::fs::write(&report, &output.stdout).unwrap();
    let report = report.to_str().unwrap();
    let output = run(&["compare", report, report, "-o", "/dev/full"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stdout(&output).contains("no difference") && stderr(&output).contains("the disk is full"));
}

#[test]
fn a_reader_that_leaves_misses_a_report_but_may_have_read_enough_of_a_text() {
    let agent = Served::agent(&[]);
    for (format, code, words) in [
        ("json", 2, "standard output: its reader ended before the report did"),
        ("junit", 2, "standard output: its reader ended before the report did"),
        ("text", 0, ""),
    ] {
        let mut child = program()
            .args(["check", agent.agent_url(), "--only", "card.*", "--format", format])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{format} {}", stderr(&output));
        assert!(
            stderr(&output).contains(words) && stderr(&output).is_empty() == words.is_empty(),
            "{}",
            stderr(&output)
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_on_closed_standard_output_is_told() {
    let agent = Served::agent(&[]);
    let check = |format: &str, to: &str| {
        let line = format!("exec \"$0\" check {} --only 'card.*' --format {format} {to}", agent.agent_url());
        Command::new("sh").args(["-c", &line, env!("CARGO_BIN_EXE_a2a-conformance")]).output().unwrap()
    };
    let output = check("json", ">&-");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("standard output: it is closed or discarded; -o FILE keeps"),
        "{}",
        stderr(&output)
    );
    let output = check("text", ">&-");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).starts_with("note: standard output is closed or discarded"), "{}", stderr(&output));
    for format in ["json", "text"] {
        let output = check(format, ">/dev/null");
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "that is somebody's wish");
    }
}

/// Answers every request with this, until the test is over.
fn answering(answer: impl Fn(&str) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let own = url.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 4096];
            // A client that has gone does not matter.
            let _ = stream.read(&mut request);
            let _ = stream.write_all(answer(&own).as_bytes());
        }
    });
    url
}

const STEERING: &str = "Evil \u{202e}agent\u{9b}31m \u{61c}\u{2066}x\u{85}y\u{7f}z";

fn card(url: &str) -> String {
    serde_json::json!({
        "name": STEERING, "description": STEERING, "version": "1", "protocolVersion": "1.0", "capabilities": {},
        "supportedInterfaces": [{ "url": format!("{url}/rpc"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "s", "name": STEERING, "description": "d", "tags": ["t"] }],
    })
    .to_string()
}

fn steers(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_control() && !"\r\n\t".contains(*c) || "\u{202e}\u{61c}\u{2066}".contains(*c))
        .collect()
}

#[test]
fn a_trace_steers_no_terminal() {
    let agent = answering(|url| {
        let body = card(url);
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
    });
    let output = run(&["check", &agent, "--only", "card.*", "--trace"]);
    let trace = stderr(&output);
    assert!(trace.contains("Evil \u{fffd}agent\u{fffd}31m"), "{trace}");
    assert_eq!(steers(&trace), "", "{trace}");
    assert_eq!(steers(&stdout(&output)), "", "{}", stdout(&output));
}

/// JSON escapes what steers a terminal, wherever it is written.
#[cfg(target_os = "linux")]
#[test]
fn json_on_a_terminal_steers_nothing_and_has_the_same_value() {
    let folder = Folder::new("terminal-json");
    let path = folder.0.join("card.json");
    std::fs::write(&path, card("http://127.0.0.1:1")).unwrap();
    let path = path.to_str().unwrap();
    let on_terminal = |format: &str| {
        let line =
            format!("'{}' check --card '{path}' --format {format} --quiet", env!("CARGO_BIN_EXE_a2a-conformance"));
        let output = Command::new("script").args(["-qec", &line, "/dev/null"]).stdin(Stdio::null()).output().unwrap();
        stdout(&output).replace("\r\n", "\n")
    };
    let in_file = stdout(&run(&["check", "--card", path, "--format", "json"]));
    assert_eq!(steers(&in_file), "", "{in_file}");
    let shown = on_terminal("json");
    assert_eq!(steers(&shown), "", "{shown}");
    assert!(shown.contains("Evil \\u202eagent\\u009b31m \\u061c\\u2066x\\u0085y\\u007fz"), "{shown}");
    let [shown, in_file] = [shown, in_file].map(|text| serde_json::from_str::<Value>(text.trim()).expect("JSON"));
    for member in ["agent", "categories", "lanes", "verdict"] {
        assert_eq!(shown[member], in_file[member], "{member}");
    }
    for format in ["markdown", "junit", "html"] {
        assert_eq!(steers(&on_terminal(format)), "", "{format}");
    }
}

#[test]
fn a_redirect_to_what_is_no_web_address_is_told_as_that() {
    for target in
        ["file:///etc/passwd", "data:application/json,{}", "javascript:alert(1)", "http://[", "gopher://127.0.0.1/"]
    {
        let agent = answering(move |_| {
            format!("HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        });
        let output = run(&["check", &agent]);
        let said = stdout(&output);
        assert_eq!(output.status.code(), Some(3), "{target} {said}");
        assert!(said.contains(&format!("edirected to {target}")), "{target} {said}");
        assert!(said.contains("the redirect was not followed") && !said.contains("not JSON"), "{target} {said}");
    }
}

#[test]
fn a_taken_port_is_told_with_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let folder = Folder::new("taken");
    std::fs::write(folder.0.join("index.html"), "<!doctype html>").unwrap();
    let page = folder.0.to_str().unwrap();
    for (args, option) in [
        (&["agent", "--listen", &taken][..], "--listen"),
        (&["serve", "--page", page, "--listen", &taken], "--listen"),
        (&["serve", "--page", page, "--agent", &taken], "--agent"),
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let begin = format!(
            "error: cannot listen on {taken} ({option}): another program listens there; end it, or give another"
        );
        assert!(stderr(&output).starts_with(&begin), "{}", stderr(&output));
    }
    let output = run(&["agent", "--listen", "nonsense"]);
    assert!(stderr(&output).contains("it is not an address and a port, such as "), "{}", stderr(&output));
}

#[test]
fn an_error_says_its_cause_once_and_what_to_do() {
    let folder = Folder::new("once");
    let file = folder.0.join("report.json");
    let file = file.to_str().unwrap();
    for content in [r#"{"schemaVersion": 1}"#, "{", "[]", r#"{"schemaVersion": 2}"#] {
        std::fs::write(file, content).unwrap();
        for args in [&["compare", file, file][..], &["scenario", "tests/acts/steps.acts.yaml", "--replay", file]] {
            let said = stderr(&program().args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap());
            let parts: Vec<&str> = said.trim().split(": ").collect();
            let mut once = parts.clone();
            once.dedup();
            assert_eq!(parts, once, "{said}");
        }
    }
    let said = |args: &[&str]| stderr(&run(args));
    let url = nobody();
    assert!(
        said(&["check", &url, "--jwks", file])
            .contains("give the file or the URL that whoever signs the card publishes")
    );
    assert!(said(&["check", "--card", &url]).contains("to check the agent at an address, give it without --card"));
    std::fs::write(file, "[]").unwrap();
    assert!(said(&["check", "--card", file]).contains("as agents serve it at /.well-known/agent-card.json"));
}
