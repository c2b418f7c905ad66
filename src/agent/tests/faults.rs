//! Every fault changes something that a client can see.

mod notifications;
mod probes;

use probes::{OLDER_PROBES, PROBES, Probe, show};

use super::*;
use crate::agent::fault::{FAULTS, FaultId};

/// The name of a probe, and what came of it.
type Outcomes<'a> = Box<dyn Iterator<Item = (&'static str, String)> + 'a>;

/// The outcome of each probe when the agent has these faults; none is made before it is asked for.
fn outcomes<'a>(faults: &'a [&'a str]) -> Outcomes<'a> {
    let at = Faults::parse(faults.iter().copied()).unwrap().at();
    if !at.is_empty() {
        return older_outcomes(at, faults);
    }
    let outcome = |(name, probe): &Probe| {
        let mut out = String::new();
        probe(&Client::with_faults(faults), &mut out);
        (*name, out)
    };
    let notified = std::iter::once_with(|| ("notifications", notifications::newest(faults)));
    Box::new(PROBES.iter().map(outcome).chain(notified))
}

/// The same under the path of a version, with one agent for all probes.
fn older_outcomes<'a>(at: &'static str, faults: &'a [&'a str]) -> Outcomes<'a> {
    let client = Client::with_faults(faults);
    let outcome = move |(name, path, body): &(&'static str, &str, Option<&str>)| {
        let (mut out, url) = (String::new(), format!("{BASE}{at}{path}"));
        let request = match body {
            Some(body) => Request::post(url, "application/json", *body),
            None => Request::get(url),
        };
        show(&client, &mut out, request.clone());
        if name.starts_with("card") {
            show(&Client { headers: Vec::new(), ..Client::with_faults(faults) }, &mut out, request);
        }
        (*name, out)
    };
    let left = std::iter::once_with(move || ("stream left", left_stream(at, faults)));
    let notified = std::iter::once_with(move || ("notifications", notifications::older(at, faults)));
    Box::new(OLDER_PROBES.iter().map(outcome).chain(left).chain(notified))
}

/// What a task of an older version shows whose stream was left a while ago.
fn left_stream(at: &str, faults: &[&str]) -> String {
    let client = Client::with_faults(faults);
    let call = |body: &str| Request::post(format!("{BASE}{at}/rpc"), "application/json", body);
    drop(client.fetch(call(
        r#"{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"long-running x"}]}}}"#,
    )));
    client.clock.pass(5_000.0);
    let mut out = String::new();
    show(&client, &mut out, call(r#"{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"id":"id-2"}}"#));
    out
}

#[test]
fn every_fault_changes_something() {
    let plain: Vec<_> = outcomes(&[]).collect();
    assert!(outcomes(&[]).eq(plain.iter().cloned()), "the probes are not repeatable");
    let mut without_effect = Vec::new();
    for fault in FAULTS {
        let variant = FaultId::parse(fault.id).unwrap().variant().map(FaultId::as_str);
        let conformant = match variant {
            _ if !fault.at.is_empty() => older_outcomes(fault.at, variant.as_slice()),
            Some(_) => outcomes(variant.as_slice()),
            None => Box::new(plain.iter().cloned()),
        };
        let faulty = [fault.id];
        let mut differ = outcomes(&faulty).zip(conformant).filter(|(a, b)| a != b).map(|(a, _)| a.0).peekable();
        if differ.peek().is_none() {
            without_effect.push(fault.id);
        }
        if fault.id.starts_with("card-") {
            let elsewhere: Vec<_> = differ.filter(|probe| !probe.starts_with("card")).collect();
            assert_eq!(elsewhere, Vec::<&str>::new(), "{} changes more than the card", fault.id);
        }
    }
    // What only many conversations show is in tests/it/load.rs and pairs.rs, what a gateway does in tests/it/gateway.rs, and what
    // an agent does that calls others in tests/it/delegation.rs.
    let is_shown_elsewhere =
        |id: &&str| ["load-", "gateway-", "crowd-shares-", "delegation-"].iter().any(|kind| id.starts_with(kind));
    without_effect.retain(|id| !is_shown_elsewhere(id));
    assert_eq!(without_effect, Vec::<&str>::new(), "these change nothing");
}

/// The outcome of one probe with one fault, or without a fault for an empty id.
fn outcome(fault: &str, probe: &str) -> String {
    let (_, probe) = PROBES.iter().find(|(name, _)| *name == probe).unwrap();
    let mut out = String::new();
    let faults: Vec<_> = [fault].into_iter().filter(|fault| !fault.is_empty()).collect();
    probe(&Client::with_faults(&faults), &mut out);
    out
}

#[test]
fn faults_of_the_wire_do_what_they_say() {
    assert!(outcome("latin1-body", "get unknown").contains(r"caf\xe9"));
    assert!(outcome("latin1-body", "send").contains(r"caf\xe9"));
    assert!(outcome("crash-on-wrong-types", "send text for message").contains("Closed"));
    assert!(outcome("silent", "send").contains("no answer yet"));
    assert!(outcome("", "stream").contains("}}}}\\n\\n\n4 true"));
    assert!(outcome("sse-unterminated", "stream").contains("}}}}\\n\n4 true"));
    assert!(outcome("stream-burst", "stream").contains("\n1 true"));
    assert!(outcome("stream-stays-open", "stream").contains(": keep-alive"));
    assert!(outcome("disconnect-cancels", "stream dropped").contains("TASK_STATE_CANCELED"));
    let snake = outcome("snake-case", "send types");
    assert!(snake.contains("context_id") && snake.contains("artifact_id"));
    assert!(!["contextId", "messageId", "artifactId", "mediaType", "taskId"].iter().any(|name| snake.contains(name)));
}
