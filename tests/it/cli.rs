//! The command line as its users have it: the built program, real sockets, exit codes, files.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use a2a_conformance::agent::fault::FAULTS;
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::suite;
use serde_json::Value;

pub(crate) fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_a2a-conformance"));
    for variable in ["BEARER", "BASIC", "API_KEY", "API_KEY_QUERY", "CLIENT_ID", "CLIENT_SECRET"] {
        program.env_remove(format!("A2A_{variable}"));
    }
    program.stdin(Stdio::null());
    program
}

/// Runs the program to its end.
pub(crate) fn run(args: &[&str]) -> Output {
    program().args(args).output().unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A program that serves until the test is over.
pub(crate) struct Served {
    child: Child,
    /// The beginning of its output, up to and including a line that begins with the word waited for.
    lines: Vec<String>,
}

impl Served {
    pub(crate) fn start(args: &[&str], last: &str) -> Self {
        Self::of(program().args(args), last)
    }

    /// The same of a command.
    pub(crate) fn of(command: &mut Command, last: &str) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.starts_with(last)) {
            let mut line = String::new();
            assert!(reader.read_line(&mut line).unwrap() > 0, "ended after {lines:?}");
            lines.push(line.trim_end().to_owned());
        }
        Self { child, lines }
    }

    /// The scripted agent with these faults, on a free port.
    pub(crate) fn agent(faults: &[&str]) -> Self {
        let mut args = vec!["agent", "--listen", "127.0.0.1:0"];
        args.extend(faults.iter().flat_map(|fault| ["--fault", fault]));
        Self::start(&args, "scripted agent")
    }

    /// The most memory that it ever had, in KB; Linux tells.
    pub(crate) fn peak_kb(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    }

    /// The URL in the line that begins so.
    pub(crate) fn url(&self, line: &str) -> &str {
        let found = self.lines.iter().find_map(|known| known.strip_prefix(line)).unwrap();
        found.split_whitespace().next().unwrap()
    }

    pub(crate) fn agent_url(&self) -> &str {
        self.url("scripted agent listening at ")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A folder that is gone after the test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("a2a-cli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// The answer of a server to these bytes, until it closes the connection or has sent the text waited for.
pub(crate) fn talk(url: &str, request: &str, until: &str) -> String {
    let mut stream = TcpStream::connect(url.trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    // A server may refuse a body, and close, before all of it was sent: what it answered can be read all the same.
    let sent = stream.write_all(request.as_bytes());
    let (mut said, mut bytes) = (String::new(), [0; 4096]);
    while !said.contains(until) {
        match stream.read(&mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(count) => said.push_str(&String::from_utf8_lossy(&bytes[..count])),
        }
    }
    assert!(sent.is_ok() || !said.is_empty(), "{sent:?}");
    said
}

pub(crate) fn nobody() -> String {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", free.local_addr().unwrap())
}

/// The first fault that trips a check of this level and no other kind.
fn fault_of(level: Level) -> (&'static str, &'static str) {
    let found = suite::checks().find(|check| check.level() == level && check.id.starts_with("card."));
    let check = found.unwrap();
    (check.id, suite::faults(check.id)[0])
}

#[test]
fn a_conformant_agent_is_found_to_be_one() {
    let agent = Served::agent(&[]);
    let output = run(&["check", agent.agent_url(), "--format", "json"]);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["summary"]["failed"], 0, "{}", report["recommendations"]);
    assert_eq!(report["conformanceLevel"], "full", "{}", report["levelReasons"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "", "no progress where there is no terminal");
    assert!(report["exchanges"].as_array().unwrap().len() > 10);
}

#[test]
fn a_fault_that_breaks_a_must_is_a_failure_with_all_that_its_author_needs() {
    let (check, fault) = fault_of(Level::Must);
    let agent = Served::agent(&[fault]);
    let output = run(&["check", agent.agent_url(), "--only", "card.*"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.starts_with("Not conformant: "), "{text}");
    let (_, failure) = text.split_once(&format!("\nfail[{check}]: ")).unwrap_or_else(|| panic!("{fault} {text}"));
    assert!(failure.contains("\n  --> agent card: exchange "), "{text}");
    for name in ["expected", "actual", "spec", "fix"] {
        assert!(failure.contains(&format!("\n  {name:<9} ")), "{name} {text}");
    }
    let never = run(&["check", agent.agent_url(), "--only", "card.*", "--fail-on", "never"]);
    assert_eq!(never.status.code(), Some(0));
}

#[test]
fn advice_counts_only_when_it_is_asked_to() {
    let (check, fault) = fault_of(Level::Should);
    let agent = Served::agent(&[fault]);
    for (fail_on, code) in [("must", 0), ("should", 1), ("never", 0)] {
        let output = run(&["check", agent.agent_url(), "--only", check, "--fail-on", fail_on]);
        assert_eq!(output.status.code(), Some(code), "{fail_on} {}", stdout(&output));
        assert!(stdout(&output).contains(&format!("\nsuggestion[{check}]: ")), "{}", stdout(&output));
    }
}

#[test]
fn an_unreachable_agent_makes_the_run_incomplete_and_not_a_failure() {
    for fail_on in ["must", "should", "never"] {
        let output = run(&["check", &nobody(), "--fail-on", fail_on]);
        assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
        assert!(stdout(&output).starts_with("Incomplete: "), "{}", stdout(&output));
    }
}

#[test]
fn invalid_arguments_are_refused_before_anything_is_sent_and_no_secret_is_repeated() {
    let url = nobody();
    let url = url.as_str();
    for args in [
        &[][..],
        &["dance"],
        &["check"],
        &["check", url, "--format", "pdf"],
        &["check", "ftp://h"],
        &["check", ""],
        &["check", "http://user:canary-1234@h/"],
        &["check", url, "--header", "canary-1234"],
        &["check", url, "--header", "X Y: canary-1234"],
        &["check", url, "--header", "X-Y: canary-1234\u{1}"],
        &["check", url, "--header", "X-Y: abc"],
        &["check", url, "--bearer", "abc"],
        &["check", url, "--bearer", "canary-\n1234"],
        &["check", url, "--bearer", "canary-1234", "--header", "authorization: canary-1234"],
        &["check", url, "--bearer", "@/no/such/canary-1234"],
        &["check", url, "--basic", "canary-1234"],
        &["check", url, "--basic", "me:abc"],
        &["check", url, "--basic", "me:canary-1234", "--bearer", "canary-1234"],
        &["check", url, "--api-key", "canary-1234"],
        &["check", url, "--api-key", "X Y=canary-1234"],
        &["check", url, "--api-key-query", "key=abc"],
        &["check", url, "--lane-header", "canary-1234"],
        &["check", url, "--client-secret", "canary-1234"],
        &["check", url, "--client-id", "me", "--client-secret", "canary-1234", "--bearer", "canary-1234"],
        &["check", url, "--second-bearer", "canary-1234"],
        &["check", url, "--bearer", "canary-1234", "--second-bearer", "canary-1234"],
        &["check", url, "--bearer", "canary-1234", "--second-bearer", "abc"],
        &["check", url, "--bearer", "canary-1234", "--second-header", "canary-1234"],
        &[
            "check",
            url,
            "--bearer",
            "canary-1234",
            "--second-basic",
            "me:canary-1234",
            "--second-bearer",
            "canary-1234",
        ],
        &["check", url, "--bearer", "canary-1234", "--second-client-secret", "canary-1234"],
        &["check", url, "--second-client-id", "me", "--second-client-secret", "canary-1234"],
        &["check", url, "--bearer", "canary-1234", "--second-client-id", "me", "--second-client-secret", "abc"],
        &["check", url, "--bearer", "canary-1234", "--token-url", "https://id.example/token"],
        &[
            "check",
            url,
            "--bearer",
            "canary-1234",
            "--second-bearer",
            "canary-5678",
            "--second-client-id",
            "me",
            "--second-client-secret",
            "canary-1234",
        ],
        &["check", url, "--jwks", "/no/such/file"],
        &["check", url, "--jwks", "Cargo.toml"],
        &["check", url, "--jwks", "https://"],
        &["check", url, "--allow-origin", "nonsense"],
        &["check", url, "--prompt", "dance=x"],
        &["check", url, "--prompt", "cancel"],
        &["check", url, "--timeout", "0"],
        &["check", url, "--only", "no.such-check"],
        &["check", url, "--fail-on", "may"],
        &["agent", "--fault", "no-such-fault"],
        &["agent", "--listen", "nonsense"],
        &["checks", "no.such-check"],
        &["serve", "--page", "/no/such/folder"],
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?} {}", stdout(&output));
        assert!(stderr(&output).len() > 10, "{args:?} says nothing");
        let said = stderr(&output) + &stdout(&output);
        assert!(!said.contains("canary-1234"), "{args:?} {said}");
    }
}

#[test]
fn a_missing_page_says_how_to_build_it() {
    assert!(stderr(&run(&["serve", "--page", "/no/such/folder"])).contains("build it with `make dist`"));
}

#[test]
fn every_format_is_written_to_a_file_whole() {
    let agent = Served::agent(&[]);
    let folder = Folder::new("formats");
    for (format, start) in [
        ("text", "Partly checked"),
        ("json", "{"),
        ("markdown", "<!--"),
        ("junit", "<?xml"),
        ("ctrf", "{"),
        ("har", "{"),
        ("html", "<!DOCTYPE html>"),
        ("badge", "<svg "),
    ] {
        let file = folder.0.join(format);
        let args = ["check", agent.agent_url(), "--only", "card.*", "--format", format, "-o", file.to_str().unwrap()];
        let output = run(&args);
        assert_eq!(output.status.code(), Some(0), "{format} {}", stderr(&output));
        assert_eq!(stdout(&output).lines().count(), 1, "{format} {}", stdout(&output));
        assert!(stdout(&output).contains(file.to_str().unwrap()), "{}", stdout(&output));
        let written = std::fs::read_to_string(&file).unwrap();
        assert!(written.starts_with(start) && written.ends_with('\n'), "{format} {written}");
    }
    assert_eq!(
        folder.names(),
        ["badge", "ctrf", "har", "html", "json", "junit", "markdown", "text"],
        "and nothing is left beside them"
    );
}

#[test]
fn two_reports_are_compared_and_the_exit_code_says_whether_a_must_is_newly_broken() {
    let folder = Folder::new("compared");
    let report_of = |name: &str, faults: &[&str]| {
        let agent = Served::agent(faults);
        let file = folder.0.join(name).to_str().unwrap().to_owned();
        run(&["check", agent.agent_url(), "--only", "card.*", "--format", "json", "-o", &file]);
        file
    };
    let (fault, check) = fault_of_card();
    let (good, bad) = (report_of("good.json", &[]), report_of("bad.json", &[fault]));
    for (before, after, code, title) in
        [(&good, &bad, 1, "newly broken"), (&bad, &good, 0, "fixed"), (&good, &good, 0, "no difference")]
    {
        let output = run(&["compare", before, after]);
        let said = stdout(&output);
        assert_eq!(output.status.code(), Some(code), "{said} {}", stderr(&output));
        assert!(said.contains(title), "{said}");
        assert_eq!(said.contains(&format!("\n  {check}")), before != after, "{said}");
    }
    let file = folder.0.join("comparison.md");
    let output = run(&["compare", &good, &bad, "--format", "markdown", "-o", file.to_str().unwrap()]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""));
    assert!(std::fs::read_to_string(&file).unwrap().contains("#### Newly broken: "));

    for (before, after, why) in [
        (good.as_str(), "/nonexistent.json", "/nonexistent.json"),
        (good.as_str(), file.to_str().unwrap(), "not JSON"),
        ("-", good.as_str(), "not JSON"),
    ] {
        let output = run(&["compare", before, after]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
}

/// A fault that breaks a must of the card, and the check.
fn fault_of_card() -> (&'static str, &'static str) {
    let musts = suite::checks().filter(|check| check.level() == Level::Must && check.id.starts_with("card."));
    let mut tripped = musts.filter_map(|check| Some((*suite::faults(check.id).first()?, check.id)));
    let of_newest = |fault: &&str| FAULTS.iter().any(|known| known.id == *fault && known.at.is_empty());
    tripped.find(|(fault, _)| of_newest(fault)).unwrap()
}

#[test]
fn a_secret_is_in_no_output() {
    let agent = Served::agent(&[]);
    for format in ["text", "json", "markdown", "junit", "ctrf", "har", "html"] {
        let args =
            ["check", agent.agent_url(), "--only", "card.*", "--format", format, "--header", "X-Canary: canary-one"];
        let output = program().args(args).env("A2A_BEARER", "canary-two").output().unwrap();
        let said = stdout(&output) + &stderr(&output);
        assert!(said.contains("Scripted agent") && !said.contains("canary-"), "{format} {said}");
        if format == "json" {
            assert!(said.contains("Bearer [redacted]"), "the credentials were sent: {said}");
        }
    }
}

#[test]
fn a_second_identity_is_given_like_the_first() {
    let agent = Served::agent(&["foreign-task-read"]);
    let address = agent.agent_url();
    let args = ["check", address, "--only", "auth.foreign-*", "--format", "json", "--bearer", "open-sesame"];
    let failed = |output: &Output| {
        let report: Value = serde_json::from_str(&stdout(output)).unwrap();
        let said = report.to_string();
        assert!(!said.contains("open-sesame") && !said.contains("open-barley"), "{said}");
        let results = report["categories"]["errorHandling"].as_array().unwrap();
        results.iter().filter(|result| result["status"] == "fail").count()
    };
    for given in [&["--second-bearer", "open-barley"][..], &["--second-header", "Authorization: Bearer open-barley"]] {
        let output = program().args(args).args(given).output().unwrap();
        assert_eq!((output.status.code(), failed(&output)), (Some(1), 2), "{}", stderr(&output));
    }
    let output = program().args(args).env("A2A_SECOND_BEARER", "open-barley").output().unwrap();
    assert_eq!((output.status.code(), failed(&output)), (Some(1), 2), "{}", stderr(&output));
    let output = program().args(args).output().unwrap();
    assert_eq!((output.status.code(), failed(&output)), (Some(0), 0), "{}", stderr(&output));
    assert!(stdout(&output).contains("--second-bearer"));
}

/// An interface to which the second identity has nothing to send is not asked as if it were a stranger's.
#[test]
fn a_second_identity_may_have_a_header_for_each_interface() {
    let agent = Served::agent(&["foreign-task-read"]);
    let address = agent.agent_url();
    let args = ["check", address, "--only", "auth.foreign-get", "--format", "json", "--bearer", "open-sesame"];
    let output = run(&[&args[..], &["--second-lane-header", "rest-1.0=Authorization: Bearer open-barley"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(!report.to_string().contains("open-barley"));
    let results = report["categories"]["errorHandling"].as_array().unwrap();
    let judged = results.iter().filter(|result| result["test"] == "auth.foreign-get");
    let of_lane = |lane: &str| judged.clone().find(|result| result["lane"] == lane).unwrap();
    assert_eq!(of_lane("rest-1.0")["status"], "fail");
    assert_eq!(of_lane("jsonrpc-1.0")["reason"], "not-applicable", "{}", of_lane("jsonrpc-1.0"));
    let output = run(&["check", address, "--bearer", "open-sesame", "--second-lane-header", "nothing"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn a_secret_may_stand_in_a_file_or_a_variable() {
    let agent = Served::agent(&["protected"]);
    let folder = Folder::new("secrets");
    std::fs::create_dir_all(&folder.0).unwrap();
    let file = folder.0.join("token");
    std::fs::write(&file, "open-sesame\n").unwrap();
    let named = format!("@{}", file.display());
    let check = |args: &[&str]| {
        let all = [&["check", agent.agent_url(), "--only", "auth.*", "--format", "json"], args].concat();
        program().args(all).env("A2A_API_KEY_QUERY", "key=canary /three").output().unwrap()
    };
    let output = check(&["--bearer", &named]);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = report.to_string();
    assert!(!said.contains("open-sesame") && !said.contains("canary"), "{said}");
    assert!(said.contains("?key=[redacted]"), "the key was sent: {said}");
    // At an agent that asks for another credential, these are refused.
    assert_eq!(check(&["--basic", "me:@@pass"]).status.code(), Some(3));
}

#[test]
fn a_filtered_run_is_not_rated_and_quiet_prints_only_the_failures() {
    let agent = Served::agent(&[]);
    let report: Value =
        serde_json::from_str(&stdout(&run(&["check", agent.agent_url(), "--only", "card.*", "--format", "json"])))
            .unwrap();
    assert!(report.get("conformanceLevel").is_none(), "{}", report["conformanceLevel"]);
    let shown = |more: &[&str]| stdout(&run(&[&["check", agent.agent_url(), "--only", "card.*"], more].concat()));
    let (usual, quiet, verbose) = (shown(&[]), shown(&["--quiet"]), shown(&["--verbose"]));
    assert!(verbose.contains("\nAgent card\n") && !usual.contains("\nAgent card\n"), "{verbose} {usual}");
    assert!(usual.contains("\nArea ") && !quiet.contains("\nArea "), "{usual} {quiet}");
    assert!(usual.starts_with("Partly checked: "), "{usual}");
}

#[test]
fn a_run_that_calls_itself_incomplete_exits_with_three() {
    // One of its interfaces lets us in and passes everything, the other blocks all its rows.
    let agent = Served::agent(&["protected"]);
    let output = run(&["check", agent.agent_url(), "--lane-header", "jsonrpc-1.0=Authorization: Bearer open-sesame"]);
    assert!(stdout(&output).starts_with("Incomplete: "), "{}", stdout(&output));
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
}

#[test]
fn colour_is_for_terminals_and_for_those_who_ask_for_it() {
    let agent = Served::agent(&[]);
    let shown = |variables: &[(&str, &str)]| {
        let mut command = program();
        command.args(["check", agent.agent_url(), "--only", "card.*"]);
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_HYPERLINK"] {
            command.env_remove(name);
        }
        stdout(&command.envs(variables.iter().copied()).output().unwrap()).contains('\x1b')
    };
    assert!(!shown(&[]), "no terminal");
    assert!(shown(&[("CLICOLOR_FORCE", "1")]));
    assert!(!shown(&[("CLICOLOR_FORCE", "0")]));
    assert!(!shown(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn the_documents_of_the_checks_are_fresh() {
    for (form, name) in [
        ("markdown", "CHECKS.md"),
        ("traceability", "TRACEABILITY.md"),
        ("musts", "MUSTS.md"),
        ("clients", "CLIENT-CHECKS.md"),
    ] {
        let output = run(&["checks", "--format", form]);
        assert_eq!(output.status.code(), Some(0));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(stdout(&output) == written, "docs/{name} is stale: run `make docs`");
    }
}

#[test]
fn checks_are_listed_for_programs_and_shown_one_by_one() {
    let list: Value = serde_json::from_str(&stdout(&run(&["checks", "--format", "json"]))).unwrap();
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), suite::catalogue().count());
    for entry in list {
        for member in ["id", "title", "area", "category", "scenario", "level", "why", "fix"] {
            assert!(entry[member].as_str().is_some_and(|text| !text.is_empty()), "{member} of {entry}");
        }
        assert!(
            !entry["requirements"].as_array().unwrap().is_empty() && !entry["faults"].as_array().unwrap().is_empty()
        );
    }
    let check = suite::checks().next().unwrap();
    let one = stdout(&run(&["checks", check.id]));
    assert!(one.starts_with(&format!("### `{}`\n", check.id)) && one.contains(suite::faults(check.id)[0]), "{one}");
    assert!(stderr(&run(&["checks", &check.id[..check.id.len() - 1]])).contains(check.id), "the nearest is named");
}

#[test]
fn the_scripted_agent_lets_every_page_call_it() {
    let agent = Served::agent(&[]);
    let url = agent.agent_url();
    let preflight = talk(
        url,
        "OPTIONS /rpc HTTP/1.1\r\nHost: h\r\nOrigin: https://page.example\r\nAccess-Control-Request-Method: POST\r\n\
         Access-Control-Request-Headers: a2a-version,x-mine\r\nConnection: close\r\n\r\n",
        "\r\n\r\n",
    );
    assert!(preflight.starts_with("HTTP/1.1 204 "), "{preflight}");
    for line in [
        "access-control-allow-origin: *\r\n",
        "access-control-allow-methods: GET,HEAD,POST,DELETE,OPTIONS\r\n",
        "access-control-allow-headers: a2a-version,x-mine\r\n",
        "access-control-max-age: 600\r\n",
    ] {
        assert!(preflight.contains(line), "{line} {preflight}");
    }
    let too_large =
        format!("POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n{}", 25 << 20, "x".repeat(25 << 20));
    for (request, status) in [
        ("GET /.well-known/agent-card.json HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "200"),
        ("GET /nowhere HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "404"),
        ("PATCH /rpc HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "405"),
        (too_large.as_str(), "413"),
    ] {
        let answer = talk(url, request, "\r\n\r\n");
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{status} {answer}");
        for line in [
            "access-control-allow-origin: *\r\n",
            "access-control-expose-headers: www-authenticate,etag,retry-after,a2a-version,a2a-extensions,x-a2a-extensions,\
             grpc-status,grpc-message,grpc-status-details-bin\r\n",
        ] {
            assert!(answer.contains(line), "{line} {answer}");
        }
    }
}

#[test]
fn every_fault_is_listed_with_what_it_does() {
    let list = stdout(&run(&["agent", "--list-faults"]));
    for fault in a2a_conformance::agent::fault::FAULTS {
        let line = list.lines().find(|line| line.split_whitespace().next() == Some(fault.id)).unwrap();
        assert!(line.ends_with(fault.title), "{line}");
    }
}

#[test]
fn the_addresses_of_all_versions_are_printed_and_served() {
    let served = Served::start(&["agent", "--listen", "127.0.0.1:0"], "  A2A 0.1 at ");
    let agent = served.agent_url();
    for (version, card) in [("0.3", "agent-card.json"), ("0.2", "agent.json"), ("0.1", "agent.json")] {
        let url = served.url(&format!("  A2A {version} at "));
        assert_eq!(url, format!("{agent}/{version}"));
        let get = format!("GET /{version}/.well-known/{card} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        assert!(talk(agent, &get, "]}").contains(&format!("{url}/rpc")), "{version}");
    }
}

#[test]
fn the_page_is_served_beside_an_agent_that_its_link_names() {
    let folder = Folder::new("page");
    std::fs::write(folder.0.join("index.html"), "<!doctype html><p>the page").unwrap();
    std::fs::write(folder.0.join("app.wasm"), "\0asm").unwrap();
    let page = folder.0.to_str().unwrap();
    let served =
        Served::start(&["serve", "--page", page, "--listen", "127.0.0.1:0", "--agent", "127.0.0.1:0"], "open ");
    let (page, agent) = (served.url("page at "), served.agent_url());
    assert!(served.url("open ").starts_with(&format!("{page}/#u=")), "{:?}", served.lines);
    let get =
        |path: &str| talk(page, &format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), "the page");
    let start = get("/");
    assert!(start.starts_with("HTTP/1.1 200 ") && start.ends_with("the page"), "{start}");
    assert!(start.contains("cache-control: no-cache\r\n") && start.contains("content-type: text/html"), "{start}");
    assert!(get("/app.wasm").contains("content-type: application/wasm\r\n"));
    for path in ["/../Cargo.toml", "/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/nothing"] {
        assert!(get(path).starts_with("HTTP/1.1 404 "), "{path} {}", get(path));
    }
    let card = talk(agent, "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "]}");
    assert!(card.starts_with("HTTP/1.1 200 "), "{card}");
}

#[test]
fn agents_that_answer_every_call_the_same_exit_non_zero_with_the_cause_in_the_first_line() {
    for (fault, code, words) in [
        ("canned-error", 1, "same response"),
        ("canned-message", 1, "same response"),
        ("canned-html", 3, "HTML page"),
        ("canned-empty", 1, "does not speak its binding"),
        ("silent", 3, "no answer"),
    ] {
        let agent = Served::agent(&[fault]);
        let output = run(&["check", agent.agent_url(), "--timeout", "2"]);
        let first = stdout(&output).lines().next().unwrap_or_default().to_owned();
        assert_eq!(output.status.code(), Some(code), "{fault}: {first}");
        assert!(first.contains(words), "{fault}: {first}");
    }
}

#[test]
fn an_agent_that_lets_nobody_in_is_told_with_what_to_give() {
    let agent = Served::agent(&["protected"]);
    let output = run(&["check", agent.agent_url()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stdout(&output).contains("give credentials: --bearer TOKEN"), "{}", stdout(&output));
    let output = run(&["check", agent.agent_url(), "--bearer", "open-sesame", "--only", "card"]);
    assert!(!stdout(&output).contains("give credentials"), "{}", stdout(&output));
}

/// The next request to a webhook, head and body, answered with 204.
fn notified(webhook: &TcpListener) -> String {
    let (mut stream, _) = webhook.accept().unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut text = String::new();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut length = 0;
    loop {
        let start = text.len();
        reader.read_line(&mut text).unwrap();
        let line = text[start..].trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").unwrap();
    text + &String::from_utf8(body).unwrap()
}

#[test]
fn the_scripted_agent_notifies_a_webhook_with_the_configured_credentials() {
    let agent = Served::agent(&[]);
    let webhook = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = format!(
        r#"{{"url":"http://{}/hook","token":"of-the-client","authentication":{{"scheme":"Bearer","credentials":"let-me-in"}}}}"#,
        webhook.local_addr().unwrap()
    );
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{{"message":{{"messageId":"m","role":"ROLE_USER","parts":[{{"text":"task-lifecycle x"}}]}},"configuration":{{"returnImmediately":true,"taskPushNotificationConfig":{config}}}}}}}"#
    );
    let request = format!(
        "POST /rpc HTTP/1.1\r\nHost: agent\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    talk(agent.agent_url(), &request, "\"result\"");
    let told: Vec<String> = (0..3).map(|_| notified(&webhook)).collect();
    for notification in &told {
        let head = notification.to_ascii_lowercase();
        assert!(head.starts_with("post /hook http/1.1\r\n"), "{notification}");
        assert!(head.contains("content-type: application/a2a+json\r\n"), "{notification}");
        assert!(head.contains("authorization: bearer let-me-in\r\n"), "{notification}");
        assert!(head.contains("x-a2a-notification-token: of-the-client\r\n"), "{notification}");
    }
    for (notification, what) in told.iter().zip(["TASK_STATE_WORKING", "artifactUpdate", "TASK_STATE_COMPLETED"]) {
        assert!(notification.contains(what), "{what}: {notification}");
    }
}
