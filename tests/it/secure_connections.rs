//! Connections of the command line against real servers: TLS with certificates of every kind, proxies, HTTP/2, and for each
//! failure the sentence that says what to do.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Output;
use std::thread;

use serde_json::Value;

use crate::cli::{Folder, Served, nobody, program, stdout};
use crate::tls_servers::{CURRENT, Ca, EXPIRED, FUTURE, Issued, Tls, proxy, self_signed};

const PROXY_VARIABLES: [&str; 8] =
    ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "all_proxy", "no_proxy"];

/// Runs `check` at an endpoint without a card, with variables of the environment.
fn check_with(variables: &[(&str, &str)], url: &str, more: &[&str]) -> Output {
    let mut program = program();
    for name in PROXY_VARIABLES {
        program.env_remove(name);
    }
    program.envs(variables.iter().copied());
    program.args(["check", "--endpoint", url, "--binding", "jsonrpc", "--only", "get.*"]);
    if !more.contains(&"--format") {
        program.args(["--format", "json"]);
    }
    program.args(more).output().unwrap()
}

fn check(url: &str, more: &[&str]) -> Output {
    check_with(&[], url, more)
}

/// The report, which fits its schema.
fn report(output: &Output) -> Value {
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|problem| panic!("{problem}: {}", String::from_utf8_lossy(&output.stderr)));
    let schema: Value = serde_json::from_str(include_str!("../../docs/report-v1.schema.json")).unwrap();
    if let Err(problem) = jsonschema::validate(&schema, &report) {
        panic!("{problem}: {}", report["connection"]);
    }
    report
}

/// Asserts that the agent was reached and judged.
fn assert_judged(output: &Output) -> Value {
    let report = report(output);
    let passed = report["summary"]["passed"].as_u64().unwrap();
    assert!(output.status.code() == Some(0) && passed > 0, "{} {}", report["headline"], report["cause"]);
    report
}

/// Asserts that nothing came of it, and that the report says why in these words.
fn assert_fails(output: &Output, words: &[&str]) {
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let report = report(output);
    let first = &report["exchanges"][0]["error"];
    let said = if first.is_null() { report["exchanges"][0].to_string() } else { first.to_string() };
    for word in words {
        assert!(said.contains(word), "{word:?} is not in {said}");
    }
}

fn file(folder: &Folder, name: &str, text: &str) -> String {
    let path: PathBuf = folder.0.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// An agent behind TLS: its address, and a file with the certificate of its CA.
struct Behind {
    url: String,
    ca: Ca,
    ca_file: String,
    folder: Folder,
    plain: Served,
}

/// An agent behind TLS with such a certificate.
fn behind(name: &str, own: impl Fn(&Ca) -> Issued) -> Behind {
    let (ca, folder, plain) = (Ca::new("Test CA"), Folder::new(name), Served::agent(&[]));
    let own = own(&ca);
    let port = Tls::of(&own).serve(plain.agent_url());
    let ca_file = file(&folder, "ca.pem", &ca.pem());
    Behind { url: format!("https://localhost:{port}/rpc"), ca, ca_file, folder, plain }
}

#[test]
fn an_agent_with_a_certificate_of_an_own_ca_is_checked_once_the_ca_is_given() {
    let Behind { url, ca_file, .. } = &behind("own-ca", |ca| ca.server(&["localhost"], CURRENT));
    assert_fails(&check(url, &[]), &["issued by CN=Test CA", "--cacert FILE"]);
    let report = assert_judged(&check(url, &["--cacert", ca_file]));
    let seen = &report["connection"]["certificates"][0];
    assert_eq!(seen["host"], "localhost");
    assert_eq!((&seen["trusted"], &seen["expired"]), (&Value::Bool(true), &Value::Bool(false)));
    assert_eq!(seen["chain"][0]["subject"], "CN=agent");
    assert_eq!(seen["chain"][0]["issuer"], "CN=Test CA");
    assert_eq!(seen["chain"][0]["notAfter"], "2090-01-01");
    assert!(seen["daysLeft"].as_u64().unwrap() > 10_000, "{seen}");
    assert_eq!(report["connection"]["remarks"], serde_json::json!([]));
    let shown = stdout(&check(url, &["--cacert", ca_file, "--format", "text", "--verbose"]));
    assert!(shown.contains("CN=agent, issued by CN=Test CA, 2020-01-01 to 2090-01-01"), "{shown}");
}

#[test]
fn certificates_that_are_not_accepted_are_told_apart() {
    for (name, own, words) in [
        (
            "expired",
            &(|ca: &Ca| ca.server(&["localhost"], EXPIRED)) as &dyn Fn(&Ca) -> Issued,
            ["expired on 2021-01-01", "renew it"],
        ),
        ("future", &|ca| ca.server(&["localhost"], FUTURE), ["not valid before 2090-01-01", "clock"]),
        (
            "name",
            &|ca| ca.server(&["elsewhere.example"], CURRENT),
            ["not for localhost but for elsewhere.example", "call the agent by a name"],
        ),
    ] {
        let Behind { url, ca_file, .. } = &behind(name, own);
        assert_fails(&check(url, &["--cacert", ca_file]), &words);
    }
    // One that is for clients only.
    let Behind { url, ca_file, .. } = &behind("purpose", |ca| ca.client(CURRENT));
    assert_fails(&check(url, &["--cacert", ca_file]), &["was not accepted", "replace it on the server"]);
    for is_ca in [false, true] {
        let Behind { url, .. } = &behind("self", |_| self_signed(&["localhost"], is_ca));
        assert_fails(&check(url, &[]), &["is self-signed", "--cacert FILE"]);
    }
}

#[test]
fn a_self_signed_certificate_is_trusted_when_it_is_given_but_only_for_its_name() {
    for is_ca in [false, true] {
        let own = self_signed(&["localhost"], is_ca);
        let Behind { url, folder, .. } = &behind("pinned", |_| own.clone());
        let given = file(folder, "own.pem", &own.cert);
        assert_judged(&check(url, &["--cacert", &given]));
        let elsewhere = url.replace("localhost", "127.0.0.1");
        assert_fails(&check(&elsewhere, &["--cacert", &given]), &["not for 127.0.0.1"]);
    }
}

#[test]
fn insecure_accepts_any_certificate_and_every_report_says_so() {
    let Behind { url, folder, .. } = &behind("insecure", |ca| ca.server(&["elsewhere.example"], EXPIRED));
    let report = assert_judged(&check(url, &["--insecure"]));
    assert_eq!(report["connection"]["insecure"], true);
    assert_eq!(report["connection"]["certificates"][0]["trusted"], false);
    let warning = "Certificates were not verified (--insecure)";
    for format in ["text", "json", "markdown", "junit", "html", "ctrf", "har"] {
        let shown = stdout(&check(url, &["--insecure", "--format", format]));
        let shown = shown
            .replace("\\(", "(")
            .replace("\\)", ")")
            .replace("\\-", "-")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(shown.contains(warning), "{format}: {shown}");
    }
    // Also in what is made of a report that was opened again.
    let text = stdout(&check(url, &["--insecure"]));
    let again = a2a_conformance::report::read(&text, a2a_conformance::suite::declaration).unwrap();
    let remarks = again.report.connection.remarks;
    assert!(remarks.iter().any(|remark| remark.starts_with(warning)), "{remarks:?}");
    assert!(folder.0.is_dir());
}

#[test]
fn a_certificate_that_expires_soon_is_remarked_on() {
    // The years of the helper are too coarse: a certificate for some days from now.
    let own = {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_before = time::OffsetDateTime::from_unix_timestamp(i64::try_from(now).unwrap() - 86_400).unwrap();
        params.not_after = params.not_before + time::Duration::hours(24 * 6 + 1);
        let key = rcgen::KeyPair::generate().unwrap();
        Issued { cert: params.self_signed(&key).unwrap().pem(), key: key.serialize_pem() }
    };
    let Behind { url, folder, .. } = &behind("soon", |_| own.clone());
    let report = assert_judged(&check(url, &["--cacert", &file(folder, "own.pem", &own.cert)]));
    let remark = report["connection"]["remarks"][0].as_str().unwrap();
    assert!(remark.starts_with("The certificate of localhost expires on ") && remark.contains("in 5 days"), "{remark}");
}

#[test]
fn mutual_tls_works_with_one_file_or_two_and_its_failures_say_what_to_do() {
    for versions in [&[&rustls::version::TLS12][..], &[&rustls::version::TLS13]] {
        let (ca, clients, other) = (Ca::new("Test CA"), Ca::new("Clients CA"), Ca::new("Other CA"));
        let (folder, plain) = (Folder::new("mutual"), Served::agent(&[]));
        let own = ca.server(&["localhost"], CURRENT);
        let port = Tls { clients: Some(&clients), versions, ..Tls::of(&own) }.serve(plain.agent_url());
        let url = &format!("https://localhost:{port}/rpc");
        let ca_file = &file(&folder, "ca.pem", &ca.pem());
        let Issued { cert, key } = clients.client(CURRENT);
        let (cert_file, key_file) = (&file(&folder, "cert.pem", &cert), &file(&folder, "key.pem", &key));
        let both = &file(&folder, "both.pem", &format!("{key}{cert}"));
        assert_judged(&check(url, &["--cacert", ca_file, "--cert", cert_file, "--key", key_file]));
        assert_judged(&check(url, &["--cacert", ca_file, "--cert", both]));
        assert_fails(
            &check(url, &["--cacert", ca_file]),
            &["requires a client certificate", "--cert FILE and --key FILE"],
        );
        for refused in [other.client(CURRENT), clients.client(EXPIRED)] {
            let refused = &file(&folder, "refused.pem", &format!("{}{}", refused.key, refused.cert));
            assert_fails(
                &check(url, &["--cacert", ca_file, "--cert", refused]),
                &["does not accept the client certificate"],
            );
        }
    }
}

#[test]
fn files_that_cannot_be_used_are_refused_before_anything_is_sent() {
    let folder = Folder::new("files");
    let ca = Ca::new("Test CA");
    let (one, two) = (ca.client(CURRENT), ca.client(CURRENT));
    let (cert, key) = (&file(&folder, "cert.pem", &one.cert), &file(&folder, "key.pem", &one.key));
    let other = &file(&folder, "other.pem", &two.key);
    let nothing = &file(&folder, "nothing.pem", "canary-4711");
    let locked = &file(
        &folder,
        "locked.pem",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
    );
    let broken = &file(&folder, "broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    let unready = &file(&folder, "unready.pem", "-----BEGIN CERTIFICATE-----\n%%%%\n-----END CERTIFICATE-----\n");
    for (args, words) in [
        (&["--cacert", "no-such.pem"][..], "cannot be read"),
        (&["--cacert", nothing], "holds no certificate"),
        (&["--cacert", key], "holds no certificate"),
        (&["--cacert", broken], "certificate number 1 cannot be used"),
        (&["--cacert", unready], "not PEM"),
        (&["--cert", cert], "name its file with --key"),
        (&["--cert", nothing], "holds no certificate"),
        (&["--cert", cert, "--key", cert], "holds no private key"),
        (&["--cert", cert, "--key", other], "does not belong to the certificate"),
        (&["--cert", cert, "--key", locked], "openssl pkey"),
        (&["--key", key], "--cert"),
        (&["--cors-origin", "https://checker.example/page"], "an origin has no path"),
        (&["--cors-origin", "checker.example"], "--cors-origin"),
        (&["--proxy", "gopher://user:canary-4711@h"], "is not the URL of a proxy"),
    ] {
        let output = check("http://127.0.0.1:9/", args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{args:?}");
        assert!(said.contains(words) && !said.contains("canary-4711"), "{args:?}: {said}");
    }
}

#[test]
fn a_server_that_speaks_only_http_2_is_checked_over_tls() {
    let (ca, folder, plain) = (Ca::new("Test CA"), Folder::new("h2"), Served::agent(&[]));
    let own = ca.server(&["localhost"], CURRENT);
    let ca_file = file(&folder, "ca.pem", &ca.pem());
    for protocols in [&["h2"][..], &["http/1.1"], &[]] {
        let port = Tls { protocols, ..Tls::of(&own) }.serve(plain.agent_url());
        assert_judged(&check(&format!("https://localhost:{port}/rpc"), &["--cacert", &ca_file]));
    }
    let port = Tls { protocols: &["spdy/3"], ..Tls::of(&own) }.serve(plain.agent_url());
    let output = check(&format!("https://localhost:{port}/rpc"), &["--cacert", &ca_file]);
    assert_fails(&output, &["no common version, cipher or protocol", "HTTP/1.1 or HTTP/2"]);
}

#[test]
fn what_is_no_matter_of_certificates_is_told_apart() {
    let Behind { url, plain, .. } = &behind("schemes", |ca| ca.server(&["localhost"], CURRENT));
    let to_tls = url.replace("https:", "http:");
    assert_fails(&check(&to_tls, &[]), &["speaks TLS and was called by plain HTTP", "use https://localhost:"]);
    let to_plain = plain.agent_url().replace("http:", "https:");
    assert_fails(&check(&to_plain, &[]), &["most likely serves plain HTTP", "use http://127.0.0.1:"]);
    assert_fails(&check(&nobody(), &[]), &["Connection refused, so nothing listens at 127.0.0.1:", "start the agent"]);
    assert_fails(&check("http://no-such-host.invalid/", &[]), &["no-such-host.invalid does not resolve", "VPN"]);
}

#[test]
fn requests_go_through_a_proxy_and_the_report_names_it_without_its_password() {
    let behind = behind("proxy", |ca| ca.server(&["agent.example"], CURRENT));
    let port = behind.url.trim_end_matches("/rpc").rsplit(':').next().unwrap();
    let url = &format!("https://agent.example:{port}/rpc");
    let (proxy_port, heads) = proxy("200 OK");
    let with_password = format!("http://me:canary%2F4711@127.0.0.1:{proxy_port}");
    let trusting = ["--cacert", behind.ca_file.as_str()];
    for output in [
        check(url, &[&trusting[..], &["--proxy", &with_password]].concat()),
        check_with(&[("https_proxy", &with_password)], url, &trusting),
        check_with(&[("ALL_PROXY", &with_password)], url, &[&trusting[..], &["--trace"]].concat()),
    ] {
        heads.lock().unwrap().retain(|head| head.starts_with("CONNECT agent.example:"));
        let asked = heads.lock().unwrap().pop().unwrap();
        assert!(asked.to_ascii_lowercase().contains("proxy-authorization: basic bwu6y2fuyxj5lzq3mte="), "{asked}");
        let report = assert_judged(&output);
        let place = format!("127.0.0.1:{proxy_port}");
        assert_eq!(report["connection"]["proxies"], serde_json::json!([place]));
        assert_eq!(report["connection"]["certificates"][0]["host"], "agent.example");
        let remark = report["connection"]["remarks"][0].as_str().unwrap();
        assert_eq!(remark, format!("The agent was called through the proxy {place}."));
        let all = format!("{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
        assert!(!all.contains("canary") && !all.contains("bWU6Y2FuYXJ5LzQ3MTE"), "{all}");
    }
    drop(behind.ca);
}

#[test]
fn an_environments_proxy_is_not_asked_for_this_machine() {
    let agent = Served::agent(&[]);
    let (port, heads) = proxy("403 Forbidden");
    let proxy = format!("http://127.0.0.1:{port}");
    let url = format!("{}/rpc", agent.agent_url());
    let report = assert_judged(&check_with(&[("HTTP_PROXY", &proxy), ("ALL_PROXY", &proxy)], &url, &[]));
    assert!(heads.lock().unwrap().is_empty() && report["connection"].is_null(), "{:?}", heads.lock().unwrap());
    // Unless the user says so.
    assert_eq!(check(&url, &["--proxy", &proxy]).status.code(), Some(3));
    assert!(heads.lock().unwrap()[0].starts_with(&format!("POST {url}")), "{:?}", heads.lock().unwrap());
}

#[test]
fn a_proxy_that_does_not_connect_says_why() {
    let at = |port: u16| format!("http://127.0.0.1:{port}");
    let url = "https://agent.example/rpc";
    let gone = nobody();
    let place = gone.trim_start_matches("http://");
    assert_fails(&check(url, &["--proxy", &gone]), &["no connection to the proxy", place, "correct --proxy"]);
    assert_fails(&check("http://agent.example/", &["--proxy", &gone]), &["no connection to the proxy", place]);
    let (port, _) = proxy("407 Proxy Authentication Required");
    for url in [url, "http://agent.example/rpc"] {
        assert_fails(
            &check(url, &["--proxy", &at(port)]),
            &["requires credentials (HTTP 407)", "http://USER:PASSWORD@127.0.0.1:"],
        );
        let wrong = format!("http://me:canary-4711@127.0.0.1:{port}");
        assert_fails(&check(url, &["--proxy", &wrong]), &["does not accept the credentials", "%40 for @"]);
    }
    let (port, _) = proxy("403 Forbidden");
    assert_fails(
        &check(url, &["--proxy", &at(port)]),
        &["does not connect to agent.example:443 (HTTP 403)", "NO_PROXY"],
    );
}

/// A server that answers the beginning of a TLS handshake with these bytes and hangs up.
fn answers_hello(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            // The whole of it: closing over unread bytes would reset the connection.
            let _ = stream.read(&mut [0; 8192]);
            let _ = stream.write_all(bytes);
        }
    });
    url
}

#[test]
fn what_a_server_says_of_a_handshake_is_told_apart() {
    for (alert, words) in [
        (&[21, 3, 3, 0, 2, 2, 70][..], ["no common version, cipher or protocol (ProtocolVersion)", "TLS 1.2 or 1.3"]),
        (&[21, 3, 3, 0, 2, 2, 40], ["no common version, cipher or protocol (HandshakeFailure)", "TLS 1.2 or 1.3"]),
        (&[21, 3, 3, 0, 2, 2, 112], ["has no site of the name 127.0.0.1", "correct the name"]),
        (&[21, 3, 3, 0, 2, 2, 80], ["ended the TLS connection", "InternalError"]),
        (&[], ["ended the TLS handshake", "look at the server's log"]),
    ] {
        assert_fails(&check(&answers_hello(alert), &[]), &words);
    }
}

#[test]
fn a_run_as_a_page_judges_what_keeps_the_page_out_and_shows_what_to_paste() {
    let agent = Served::agent(&[]);
    let home = "https://checker.example";
    let output = program()
        .args(["check", agent.agent_url(), "--cors-origin", home, "--only", "card.*", "--format", "json"])
        .output();
    let report = report(&output.unwrap());
    let page = &report["connection"]["page"];
    assert_eq!((&page["origin"], &page["obstacles"]), (&home.into(), &serde_json::json!([])));
    assert_eq!(
        page["stages"][2],
        serde_json::json!({"stage": "read", "title": "Read the card", "state": "open", "inWords": "works"})
    );
    // Answers everything, and shares nothing.
    let (port, heads) = proxy("405 Method Not Allowed");
    let url = format!("http://127.0.0.1:{port}");
    let output = program().args(["check", &url, "--cors-origin", home, "--verbose"]).output().unwrap();
    let shown = stdout(&output);
    assert_eq!(output.status.code(), Some(3), "{shown}");
    for words in
        ["Your agent answers, but does not share the answer", "Access-Control-Allow-Origin is missing", "nginx", home]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    // What is to be pasted is not wrapped.
    assert!(shown.lines().any(|line| line.contains("content-type, authorization, a2a-version")), "{shown}");
    let heads = heads.lock().unwrap();
    assert!(
        heads.iter().any(|head| head.to_ascii_lowercase().contains("origin: https://checker.example\r\n")),
        "{heads:?}"
    );
}
