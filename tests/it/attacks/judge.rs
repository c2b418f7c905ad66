//! Plays an attack against the built program, and judges what came of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use serde_json::Value;

use super::attack::{Attack, Place, Target};
use super::harm::Strike;
use super::outcomes::{self, Outcome};
use super::program_run::{MOST_KB, ProgramRun};
use super::server::{AskedRequest, accept, pass_on, read};
use crate::cli::Served;

/// What no output may show, and nobody but the attacker may be sent.
pub(crate) const BEARER: &str = "bearer-9f3c1d7a5e20";
pub(crate) const CLIENT_SECRET: &str = "client-77aa31c09be4";

/// What came of an attack.
pub(crate) struct Played {
    pub(crate) family: &'static str,
    pub(crate) name: &'static str,
    pub(crate) took: Duration,
    pub(crate) peak_kb: u64,
    /// What was not as it should be; empty when the program survived.
    pub(crate) faults: Vec<String>,
    /// What the report says, for whoever looks into it.
    pub(crate) said: String,
}

/// What the listener got that nobody may call.
type Heard = Arc<Mutex<Vec<u8>>>;

/// Plays an attack.
pub(crate) fn play(family: &'static str, attack: Attack) -> Played {
    let agent = Served::agent(&[]);
    let behind = agent.agent_url().trim_start_matches("http://").to_owned();
    let (canary, heard) = listen();
    let Attack { place, harm, .. } = attack;
    let canary_place = canary.trim_start_matches("http://").to_owned();
    let origin = accept(usize::MAX, move |number, mut stream: TcpStream, own| {
        let strike = |asked: &AskedRequest, stream: &mut TcpStream| {
            harm(&Strike { asked, number, own, agent: &behind, canary: &canary_place }, stream);
        };
        if place == Place::Connection {
            strike(&AskedRequest::default(), &mut stream);
            return Ok(());
        }
        let asked = read(&mut stream)?;
        if place.holds(&asked) {
            strike(&asked, &mut stream);
            return Ok(());
        }
        pass_on(&asked, &mut stream, own, &behind)
    });
    let url = match attack.target {
        Target::Http | Target::Grpc => origin.clone(),
        Target::Https => origin.replace("http://", "https://"),
        Target::Given(start) => start(&origin),
    };
    let mut args = match attack.target {
        Target::Grpc => ["check", "--endpoint", &url, "--binding", "grpc"].map(str::to_owned).to_vec(),
        _ => vec!["check".to_owned(), url],
    };
    args.extend(attack.args.iter().map(|argument| argument.replace("{origin}", &origin)));
    if !attack.args.contains(&"--client-id") {
        args.extend(["--bearer", BEARER].map(str::to_owned));
    }
    args.extend(["--format", "json"].map(str::to_owned));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let ran = ProgramRun::start(&args, attack.most);
    let heard = String::from_utf8_lossy(&heard.lock().unwrap()).into_owned();
    let faults = match outcomes::of(family, attack.name) {
        Some(outcome) => Verdict { outcome, calls_others: attack.calls_others }.faults(&ran, &heard),
        None => vec!["there is no line for it in outcomes.txt".to_owned()],
    };
    Played {
        family,
        name: attack.name,
        took: ran.took,
        peak_kb: ran.peak_kb.unwrap_or_default(),
        faults,
        said: summary(&ran),
    }
}

/// A server that nobody may call, and what it heard.
fn listen() -> (String, Heard) {
    let heard = Heard::default();
    let kept = Arc::clone(&heard);
    let url = accept(usize::MAX, move |_, mut stream: TcpStream, _| {
        stream.set_read_timeout(Some(Duration::from_millis(500)))?;
        let mut bytes = [0; 65536];
        let count = stream.read(&mut bytes).unwrap_or(0);
        kept.lock().unwrap().extend([b"connected\n", &bytes[..count]].concat());
        stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    });
    (url, heard)
}

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(include_str!("../../../docs/report-v1.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
});

struct Verdict {
    outcome: Outcome,
    calls_others: bool,
}

impl Verdict {
    /// What is not as it should be.
    fn faults(&self, ran: &ProgramRun, heard: &str) -> Vec<String> {
        let (expected, mut faults) = (&self.outcome, Vec::new());
        let mut holds = |is_so: bool, what: String| {
            if !is_so {
                faults.push(what);
            }
        };
        holds(ran.exit.is_some(), format!("it did not end within {:?}", ran.took));
        holds(
            ran.exit.is_none_or(|exit| exit == expected.exit),
            format!("exit code {:?} and not {}", ran.exit, expected.exit),
        );
        holds(
            ran.peak_kb.is_none_or(|peak| peak < MOST_KB),
            format!("{} KB of memory", ran.peak_kb.unwrap_or_default()),
        );
        holds(!ran.errors.contains("panicked"), format!("a panic: {}", ran.errors));
        for secret in [BEARER, CLIENT_SECRET] {
            holds(!ran.text.contains(secret) && !ran.errors.contains(secret), "the output has a secret".to_owned());
            holds(!heard.contains(secret), "another origin was sent a secret".to_owned());
        }
        holds(self.calls_others || heard.is_empty(), format!("another origin was called: {heard}"));
        if ran.exit.is_none() {
            return faults;
        }
        let unreadable =
            SCHEMA.validate(&ran.report).err().map(|problem| problem.to_string().chars().take(300).collect::<String>());
        holds(unreadable.is_none(), format!("the report does not fit its schema: {}", unreadable.unwrap_or_default()));
        let failed: BTreeSet<&str> = ran.failed().into_iter().collect();
        let is_expected = failed.iter().all(|id| expected.fails.iter().any(|pattern| fits(pattern, id)))
            && expected.fails.iter().all(|pattern| failed.iter().any(|id| fits(pattern, id)));
        holds(is_expected, format!("these rows fail: {failed:?}, and should: {:?}", expected.fails));
        let said = sentences(&ran.report);
        for words in &expected.says {
            holds(said.contains(words.as_str()), format!("it does not say {words:?}"));
        }
        faults
    }
}

/// Whether the id of a check fits a name that may end in `*`.
fn fits(pattern: &str, id: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == id, |beginning| id.starts_with(beginning))
}

/// What a report says, without what was sent and received.
fn sentences(report: &Value) -> String {
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
            Value::Object(members) => {
                members.iter().filter(|(name, _)| *name != "exchanges").for_each(|(_, value)| collect(value, found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(report, &mut found);
    found.join("\n")
}

/// The verdict, and the sentences of the rows that did not pass, the most frequent first.
fn summary(ran: &ProgramRun) -> String {
    let mut sentences: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for row in ran.rows() {
        let status = row["status"].as_str().unwrap_or_default();
        if !matches!(status, "pass" | "skip") {
            let level = row["level"].as_str().unwrap_or_default();
            let message: String = row["message"].as_str().unwrap_or_default().chars().take(240).collect();
            let key = (format!("{status} {level}"), message);
            sentences.entry(key).or_default().push(row["test"].as_str().unwrap_or_default());
        }
    }
    let mut sentences: Vec<_> = sentences.into_iter().collect();
    sentences.sort_by_key(|((status, _), rows)| (!status.starts_with("fail"), std::cmp::Reverse(rows.len())));
    let mut said = format!("  exit {:?}: {}\n", ran.exit, ran.report["headline"].as_str().unwrap_or(&ran.errors));
    for member in ["incomplete", "cause"] {
        if let Some(text) = ran.report[member].as_str() {
            said += &format!("  {member}: {text:.400}\n");
        }
    }
    for ((status, message), rows) in sentences.iter().take(9) {
        said += &format!("  {} x {status}: {message} [{}]\n", rows.len(), rows[..rows.len().min(4)].join(" "));
    }
    said
}
