//! The same of the other commands: what they are given, and what a client sends that they watch.

use std::collections::BTreeSet;
use std::fs::{File, read_to_string};
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;

use super::{Echo, formats, forms, known_options, leaks, options, secret_of, streamed, written};
use crate::cli::{Folder, Served, program, run, stdout, talk};
use crate::cli_interrupted::send;

/// What other commands have beside the options of `check`. Those that take a secret are `var` and `agents`, in whose file credentials are.
const OPTIONS: &str = "adapter agent agents at-once behavior expose-captured fault list-faults listen no-open page port-file record \
    replay reports situation test-case-id transport var watch watch-for";

#[test]
fn no_option_of_another_command_can_be_new_without_being_in_a_table() {
    let help = stdout(&run(&["--help"]));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    let commands: Vec<&str> = commands.into_iter().filter(|name| !["", "check", "help"].contains(name)).collect();
    assert!(commands.len() >= 9, "{commands:?}");
    let all: BTreeSet<String> = commands.into_iter().flat_map(options).collect();
    let known: BTreeSet<String> = known_options().chain(OPTIONS.split_whitespace()).map(str::to_owned).collect();
    let unknown: Vec<_> = all.difference(&known).collect();
    assert!(unknown.is_empty(), "does it take a secret? {unknown:?}");
    let gone: Vec<_> = OPTIONS.split_whitespace().filter(|option| !all.contains(*option)).collect();
    assert!(gone.is_empty(), "{gone:?}");
}

/// Runs a command once for each of its formats; returns where a secret shows.
fn leaks_of(echo: &Echo, args: &[&str], secrets: &[String], folder: &Folder) -> Vec<String> {
    *echo.secrets.lock().unwrap() = secrets.to_vec();
    let formats = formats(&args[..1]);
    assert!(formats.len() >= 2, "{formats:?}");
    let mut found = Vec::new();
    for format in &formats {
        let text = written(&[args, &["--format", format.as_str()]].concat(), folder);
        assert!(text.len() > 200, "{args:?}, {format}: {text}");
        for secret in secrets {
            found.extend(leaks(secret, &text).into_iter().map(|leak| format!("{} {format}: {leak}", args[0])));
            if streamed(&text).contains(secret.as_str()) {
                found.push(format!("{} {format}: {secret} over several events", args[0]));
            }
        }
    }
    let echoed = echo.echoed.lock().unwrap().clone();
    let missing: Vec<_> = secrets.iter().filter(|secret| !echoed.contains(*secret)).collect();
    assert!(missing.is_empty(), "{}: the agent was never sent {missing:?}", args[0]);
    found
}

#[test]
fn tests_of_files_show_no_credentials_and_no_secret_variables() {
    let (agent, echo) = (Served::agent(&[]), Echo::default());
    let url = format!("http://{}", echo.serve(agent.agent_url()));
    let folder = Folder::new("secrets-scenario");
    let file = folder.0.join("secrets.acts.yaml");
    let steps = |text: &str| {
        format!(
            "[{{id: send, operation: send_message, params: {{message: {{role: ROLE_USER, parts: [{{text: \"{text}\"}}]}}}}, \
             expect: {{body: {{task: {{status: {{state: NEVER}}}}}}}}}}]"
        )
    };
    let test =
        |id: &str, text: &str| format!("      - {{id: {id}, name: {id}, level: must, steps: {}}}\n", steps(text));
    let text = format!(
        "acts_version: \"1.0\"\nspec_version: \"1.0\"\nsuites:\n  - id: secrets\n    name: Secrets\n    tests:\n{}{}{}",
        test("ENV", "complete {{env.ZQ_TOKEN}}"),
        test("VAR", "complete {{myApiKey}}"),
        test("AGAIN", "complete again"),
    );
    std::fs::write(&file, text).unwrap();
    let (bearer, variable) = (secret_of("bearer"), format!("myApiKey={}", secret_of("var")));
    let args =
        ["scenario", file.to_str().unwrap(), &url, "--bearer", &bearer, "--var", &variable, "--trace", "--verbose"];
    let found = leaks_of(&echo, &args, &["bearer", "var", "env"].map(secret_of), &folder);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn pairs_show_no_credentials_of_their_file() {
    let (agent, echo) = (Served::agent(&[]), Echo::default());
    let urls = [0, 1].map(|_| format!("http://{}", echo.serve(agent.agent_url())));
    let folder = Folder::new("secrets-pairs");
    let agents = folder.0.join("agents.json");
    let text = json!([
        {"url": urls[0], "bearer": secret_of("agents-bearer"), "header": [format!("X-Own: {}", secret_of("agents-header"))]},
        {"url": urls[1], "basic": format!("me:{}", secret_of("agents-basic"))},
    ]);
    std::fs::write(&agents, text.to_string()).unwrap();
    let reports = folder.0.join("reports");
    let args =
        ["pairs", "--agents", agents.to_str().unwrap(), "--timeout", "90", "--reports", reports.to_str().unwrap()];
    let secrets = ["agents-bearer", "agents-header", "agents-basic"].map(secret_of);
    let mut found = leaks_of(&echo, &args, &secrets, &folder);
    let files: Vec<_> = std::fs::read_dir(&reports).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() >= 3, "{files:?}");
    for text in files.iter().map(|file| read_to_string(file).unwrap()) {
        found.extend(secrets.iter().flat_map(|secret| leaks(secret, &text)));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_matrix_shows_no_password_of_a_proxy() {
    let (agent, echo) = (Served::agent(&[]), Echo::default());
    let (place, proxy) = (echo.serve(agent.agent_url()), echo.serve(agent.agent_url()));
    let folder = Folder::new("secrets-matrix");
    let proxy = format!("http://me:{}@{proxy}", secret_of("proxy"));
    let args = ["matrix", &format!("http://{place}"), "--proxy", &proxy];
    let found = leaks_of(&echo, &args, &[secret_of("proxy")], &folder);
    assert!(found.is_empty(), "{found:#?}");
}

/// A client sends its secrets in every field that takes one, and says each again in every form in its message.
#[test]
fn a_client_that_is_watched_finds_no_secret_of_its_own_in_the_report() {
    let folder = Folder::new("secrets-watch");
    let names = ["authorization", "x-api-key", "cookie", "query-key", "webhook-token", "webhook-credentials"];
    let secrets = names.map(secret_of);
    let [authorization, key, cookie, in_query, token, credentials] = &secrets;
    let said: Vec<String> = secrets.iter().flat_map(|secret| forms(secret)).map(|(_, text, _)| text).collect();
    let config = json!({"url": "http://127.0.0.1:9/hook", "token": token,
        "authentication": {"scheme": "Bearer", "schemes": ["Bearer"], "credentials": credentials}});
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": said.join(" ")}]});
    let configuration = json!({"taskPushNotificationConfig": config, "pushNotificationConfig": config});
    let params = json!({"message": message, "configuration": configuration});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params}).to_string();
    let mut found = Vec::new();
    // The format acts is of tests in files.
    for format in formats(&["agent"]).into_iter().filter(|format| format != "acts") {
        let [file, said, port] = ["watched", "said", "port"].map(|name| folder.0.join(name));
        let output = File::create(&said).unwrap();
        let mut watched = program()
            .args(["agent", "--listen", "127.0.0.1:0", "--watch", "--verbose", "--format", &format, "-o"])
            .arg(&file)
            .arg("--port-file")
            .arg(&port)
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        while !port.is_file() {
            assert!(watched.try_wait().unwrap().is_none(), "{format}: {}", read_to_string(&said).unwrap());
            sleep(Duration::from_millis(10));
        }
        let url = format!("http://127.0.0.1:{}", read_to_string(&port).unwrap().trim());
        let head = format!(
            "POST /rpc?key={in_query} HTTP/1.1\r\nHost: a\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\n\
             Authorization: Bearer {authorization}\r\nX-API-Key: {key}\r\nCookie: session={cookie}\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{call}",
            call.len()
        );
        let answered = talk(&url, &head, "\r\n0\r\n\r\n");
        assert!(answered.contains(" 200 "), "{format}: {answered}");
        send("TERM", &watched);
        watched.wait().unwrap();
        let text = read_to_string(&said).unwrap() + &read_to_string(&file).unwrap();
        std::fs::remove_file(&port).unwrap();
        // The other formats show no passing exchange.
        let is_recorded = ["json", "har"].contains(&format.as_str());
        assert!(text.len() > 200 && (!is_recorded || text.contains("[redacted]")), "{format}: {text}");
        for secret in &secrets {
            found.extend(leaks(secret, &text).into_iter().map(|leak| format!("{format}: {leak}")));
        }
    }
    found.truncate(20);
    assert!(found.is_empty(), "{found:#?}");
}
