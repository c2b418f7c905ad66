//! One cause is one finding, and an accident is none: agents whose answers are changed on their way.

use std::cell::Cell;
use std::rc::Rc;

use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::{Outcome, Verdict};
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::Request;
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::support::{Told, check_on, host};

/// The body of an answer over HTTP+JSON that is not a success, with its status and media type.
type RestError = fn(&Value, u16) -> (u16, &'static str, String);

/// An agent whose errors over HTTP+JSON have another form.
struct OtherErrors {
    agent: Rc<dyn Transport>,
    form: RestError,
}

impl Transport for OtherErrors {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (sent, form) = (self.agent.send(request.clone()), self.form);
        async move {
            let mut answer = sent.await?;
            if !request.url.contains("/rest") || answer.head.status < 400 {
                return Ok(answer);
            }
            let body: Vec<u8> = answer.body.map(Result::unwrap).concat().await;
            let document = serde_json::from_slice(&body).unwrap_or_default();
            let (status, media_type, body) = form(&document, answer.head.status);
            answer.head.status = status;
            answer.head.headers = [("content-type", media_type)].into_iter().collect();
            answer.body = iter([Ok(body.into_bytes())]).boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

/// An agent that closes the connection on some requests.
struct HangsUp {
    agent: Rc<dyn Transport>,
    on: fn(&Request) -> bool,
    /// How often it still does.
    times: Cell<u32>,
}

impl Transport for HangsUp {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if self.times.get() == 0 || !(self.on)(&request) {
            return self.agent.send(request);
        }
        self.times.set(self.times.get() - 1);
        let detail = "connection closed before message completed".to_owned();
        ready(Err(TransportError { kind: TransportErrorKind::Closed, detail })).boxed_local()
    }
}

/// An agent whose JSON documents are changed, those in streams included.
struct Changed {
    agent: Rc<dyn Transport>,
    change: fn(&Request, String) -> String,
}

impl Transport for Changed {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (sent, change) = (self.agent.send(request.clone()), self.change);
        async move {
            let mut answer = sent.await?;
            let chunk = move |chunk: Result<Vec<u8>, String>| {
                chunk.map(|chunk| change(&request, String::from_utf8(chunk).unwrap()).into_bytes())
            };
            answer.body = answer.body.map(chunk).boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

fn check_over(transport: impl FnOnce(Rc<dyn Transport>) -> Rc<dyn Transport>) -> Told {
    let (plain, clock) = host(&[]);
    let over = Host { transport: transport(Rc::clone(&plain.transport)), ..plain };
    check_on(over, &clock, Options { address: crate::support::AGENT.to_owned(), ..Options::default() })
}

fn verdict<'a>(told: &'a Told, key: &str) -> &'a Verdict {
    let result = told.results.iter().find(|result| result.row.key() == key);
    &result.unwrap_or_else(|| panic!("{key} was not judged")).verdict
}

/// As web frameworks write errors: the message, and nothing else.
const DETAIL: RestError = |document, status| {
    let message = document.pointer("/error/message").cloned().unwrap_or_else(|| json!("Not Found"));
    (status, "application/json", json!({ "detail": message }).to_string())
};

#[test]
fn a_route_that_served_a_task_is_not_said_to_be_missing() {
    let told = check_over(|agent| Rc::new(OtherErrors { agent, form: DETAIL }));
    let verdict = verdict(&told, "rest.paths@rest-1.0");
    assert_eq!(verdict.outcome, Outcome::Pass, "{}", verdict.message);
}

#[test]
fn a_connection_that_closes_once_accuses_nobody() {
    let wrong_type: fn(&Request) -> bool =
        |request| String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()).contains("not a string");
    let large: fn(&Request) -> bool = |request| request.body.as_ref().is_some_and(|body| body.len() > 1_000_000);
    for (on, check) in [(wrong_type, "transport.input-validated"), (large, "transport.size-limit")] {
        let told = check_over(|agent| Rc::new(HangsUp { agent, on, times: Cell::new(1) }));
        for lane in ["jsonrpc-1.0", "rest-1.0"] {
            let verdict = verdict(&told, &format!("{check}@{lane}"));
            assert_eq!(verdict.outcome, Outcome::Pass, "{}", verdict.message);
        }
    }
}

#[test]
fn where_every_send_failed_no_message_is_said_to_have_come() {
    let told = check_over(|agent| {
        let change = |request: &Request, body: String| {
            let asked: Value = serde_json::from_slice(request.body.as_deref().unwrap_or_default()).unwrap_or_default();
            if !matches!(asked["method"].as_str(), Some("SendMessage" | "SendStreamingMessage")) {
                return body;
            }
            let error = json!({ "code": -32603, "message": "the model is out" });
            let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error }).to_string();
            if body.starts_with("data:") { format!("data: {answer}\n\n") } else { answer }
        };
        Rc::new(Changed { agent, change })
    });
    let on_lane = |result: &&Rc<a2a_conformance::engine::event::CheckResult>| {
        result.row.lane.as_ref().is_some_and(|lane| lane.id == "jsonrpc-1.0")
    };
    let wrong: Vec<_> = told
        .results
        .iter()
        .filter(on_lane)
        .filter(|result| result.verdict.message.contains("answered with a Message"))
        .map(|result| result.row.check.id)
        .collect();
    assert_eq!(wrong, Vec::<&str>::new());
    let unique = &verdict(&told, "send.task-ids-unique@jsonrpc-1.0").message;
    assert!(unique.contains("every send failed") && unique.contains("-32603"), "{unique}");
}

#[test]
fn a_character_that_cannot_be_seen_is_named() {
    let told = check_over(|agent| {
        let change = |_: &Request, body: String| body.replace("TASK_STATE_COMPLETED", "TASK_STATE_COMPLETED\u{200b}");
        Rc::new(Changed { agent, change })
    });
    let found: Vec<_> = told.results.iter().filter(|result| result.verdict.outcome == Outcome::Fail).collect();
    assert!(!found.is_empty());
    let named = |text: &Option<String>| text.as_deref().is_some_and(|text| text.contains("<U+200B ZERO WIDTH SPACE>"));
    assert!(found.iter().any(|result| named(&result.verdict.actual)));
    for result in &told.results {
        let verdict = &result.verdict;
        for text in [Some(&verdict.message), verdict.expected.as_ref(), verdict.actual.as_ref()].into_iter().flatten() {
            assert!(!text.contains('\u{200b}'), "{}: {text}", result.row.key());
        }
    }
}
