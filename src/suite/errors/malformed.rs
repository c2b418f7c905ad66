//! Malformed requests over JSON-RPC: broken JSON, no request object, odd ids and params, an unknown method, a notification, a
//! batch.

use serde_json::json;

use super::hang_up::{hung_up, refused_alive, repeat_closed};
use crate::a2a::binding::Call;
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Step, Transcript, Verdict};
use crate::engine::verdict::{Outcome, first_finding};
use crate::wire::json::{Value, brief, parse};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "malformed",
    title: "Send malformed requests",
    after: &["probe"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "jsonrpc.parse-error",
        title: "Malformed JSON returns a parse error",
        why: "A client whose request was damaged on the way must learn of it in a form it can read.",
        fix: "Catch the JSON parser's error before the framework does, and return -32700 as a JSON-RPC error.",
        judge: parse_error,
        ..Check::tripped_by(&["parse-error-wrong-code", "parse-error-at-times", "crash-on-malformed-json"])
    },
    Check {
        id: "jsonrpc.parse-error-null-id",
        title: "A parse error has id null",
        why: "JSON-RPC 2.0 requires a null id when the request's id could not be read, so that no other call appears \
              to have failed.",
        fix: "Send \"id\": null with parse errors.",
        judge: null_id,
        ..Check::tripped_by(&["parse-error-no-id"])
    },
    Check {
        id: "jsonrpc.invalid-request-refused",
        title: "An invalid request is refused",
        why: "The agent must not act on a body that is not a JSON-RPC request.",
        fix: "Before anything else, check that the body is an object with a string method.",
        requirements: &["jsonrpc.invalid-request"],
        judge: |t| both(t, |name, what| refused_alive(t, name, what)),
        ..Check::tripped_by(&["invalid-request-accepted", "crash-on-invalid-request"])
    },
    Check {
        id: "jsonrpc.invalid-request",
        title: "An invalid request returns Invalid Request",
        why: "The code shows that the client's library, not its data, is at fault.",
        fix: "Return -32600 (Invalid Request).",
        judge: invalid_request,
        ..Check::tripped_by(&["invalid-request-wrong-code"])
    },
    Check {
        id: "jsonrpc.odd-id",
        title: "An id of another type makes an invalid request",
        why: "A client that keeps its calls by their ids does not find the response to an id that was changed.",
        fix: "Respond to an id that is not a string, a number or null with -32600 (Invalid Request) and id null. In many \
              languages true passes for the number 1.",
        judge: odd_id,
        ..Check::tripped_by(&["boolean-id-accepted"])
    },
    Check {
        id: "jsonrpc.params-type",
        title: "Params that are a text are refused as such",
        why: "A client that serialised its params twice is told that its task does not exist, and looks for it.",
        fix: "Refuse params that are not an object with -32602 (Invalid params) before any member is read.",
        judge: |t| {
            let wanted = [ErrorName::InvalidParams, ErrorName::InvalidRequest];
            t.refused_as("text-params", "params that are a text", &wanted)
        },
        ..Check::tripped_by(&["params-text-accepted"])
    },
    Check {
        id: "jsonrpc.unknown-method-refused",
        title: "An unknown method is refused",
        why: "A success for a method that does not exist hides every misspelling.",
        fix: "Refuse methods that the dispatcher does not know.",
        requirements: &["jsonrpc.method-not-found"],
        judge: |t| t.refused_somehow("unknown-method", UNKNOWN_METHOD),
        ..Check::tripped_by(&["unknown-method-accepted"])
    },
    Check {
        id: "jsonrpc.method-not-found",
        title: "An unknown method returns Method not found",
        why: "Clients use this code to find out what an agent supports.",
        fix: "Return -32601 (Method not found).",
        judge: |t| t.refused_with_code("unknown-method", UNKNOWN_METHOD, &[ErrorName::MethodNotFound]),
        ..Check::tripped_by(&["unknown-method-wrong-code"])
    },
    Check {
        id: "jsonrpc.notification",
        title: "A request without an id gets no response",
        why: "Under JSON-RPC, a request without an id is a notification, and nobody waits for a response.",
        fix: "If you like, send no response body to a request without an id (JSON-RPC 2.0 §4.1); A2A does not require it.",
        judge: notification,
        ..Check::tripped_by(&["notification-answered"])
    },
    Check {
        id: "jsonrpc.batch",
        title: "A batch is answered or refused cleanly",
        why: "A2A does not use batches, but an agent that receives one must not break.",
        fix: "Respond to a batch as JSON-RPC 2.0 §6 describes, or refuse it with -32600 (Invalid Request).",
        judge: batch,
        ..Check::tripped_by(&["batch-breaks"])
    },
];

const UNKNOWN_METHOD: &str = "a method that does not exist";

async fn drive(d: &Driver) {
    let raw = |text: String| Call { body: Some(text.into_bytes()), ..Call::default() };
    let get = d.dialect().method(Operation::GetTask).unwrap_or_default();
    // An agent that looks at the tenant first has to find it: each of these is wrong in one way only.
    let tenant = d.tenant_member();
    let cut = format!(r#"{{"jsonrpc":"2.0","id":"cut-off","method":"{get}","params":{{{tenant}"id":"#);
    let id = d.fresh_id();
    let params = format!(r#""params":{{{tenant}"id":"{}"}}"#, d.fresh_id());
    let params_with_tenant = match tenant.trim_end_matches(',') {
        "" => String::new(),
        named => format!(r#""params":{{{named}}},"#),
    };
    let stray = Call {
        method: Some("NoSuchMethod".to_owned()),
        id: Value::from(d.fresh_id()),
        params: Some(json!({})),
        ..Call::default()
    };
    let open = |text: String| Call { is_response_optional: true, ..raw(text) };
    let no_method = format!(r#"{{"jsonrpc":"2.0","id":"{id}",{params}}}"#);
    let no_request = format!(r#"{{{params_with_tenant}"not":"a request"}}"#);
    let text_params = Call {
        operation: Some(Operation::GetTask),
        id: Value::from(d.fresh_id()),
        params: Some(Value::from("a text")),
        ..Call::default()
    };
    let with_id = |id: &str| raw(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{get}",{params}}}"#));
    let notification = open(format!(r#"{{"jsonrpc":"2.0","method":"{get}",{params}}}"#));
    let batch = open(format!(r#"[{{"jsonrpc":"2.0","id":"{id}","method":"{get}",{params}}}]"#));
    let malformed = |name: &str| match name {
        "truncated" => Some(raw(cut.clone()).called("a truncated body")),
        "no-method" => Some(raw(no_method.clone()).called("a request without a method")),
        "no-request" => Some(raw(no_request.clone()).called("an object that is not a request")),
        _ => None,
    };
    let first =
        ["truncated", "no-method", "no-request"].into_iter().filter_map(|name| Some(d.call(name, malformed(name)?)));
    let others = [
        d.call("unknown-method", stray.called("an unknown method")),
        d.call("text-params", text_params.called("params that are a text")),
        d.call("odd-id", with_id(r#"{"is":"odd"}"#).called("an id that is an object")),
        d.call("boolean-id", with_id("true").called("an id that is true")),
        d.call("notification", notification.called("a notification")),
        d.call("batch", batch.called("a batch")),
    ];
    let steps = d.together(first.chain(others)).await;
    repeat_closed(d, &steps, malformed).await;
}

fn parse_error(t: &Transcript) -> Judged {
    let hung_up = hung_up(t, "truncated", "a parse error for a truncated body");
    hung_up.map_or_else(|| t.refused_as("truncated", "a truncated body", &[ErrorName::Parse]), Ok)
}

fn null_id(t: &Transcript) -> Judged {
    let (step, _) = t.refused("truncated")?;
    let id = step.reply.document.as_deref().and_then(|document| document.get("id"));
    let actual = id.map_or_else(|| "no id".to_owned(), |id| brief(id, 60));
    step.claim(id == Some(&Value::Null), "id null", actual, "/id")
}

/// The object that is not a request, if it got no answer: without an id it may be taken for a notification (T-RPC-14).
fn ignored(t: &Transcript) -> Option<&Step> {
    let step = t.step("no-request").ok()?;
    let response = step.exchange.response.as_ref()?;
    (response.body.is_empty() && (200..300).contains(&response.status)).then_some(step)
}

/// Judges the answers to the two invalid requests; the first finding counts.
fn both(t: &Transcript, judge: impl Fn(&str, &str) -> Judged) -> Judged {
    let requests = [("no-method", "a request without a method"), ("no-request", "an object that is not a request")];
    let ignored = ignored(t);
    let mut remark = None;
    for (name, what) in requests.into_iter().filter(|(name, _)| ignored.is_none_or(|step| step.name != *name)) {
        let verdict = judge(name, what)?;
        match verdict.outcome {
            Outcome::Note => remark = remark.or(Some(verdict)),
            _ if verdict.expected.is_some() => return Ok(verdict),
            _ => {}
        }
    }
    if let Some(remark) = remark {
        return Ok(remark);
    }
    let step = t.answered("no-method")?;
    let remark = "an object without an id got no response, as a notification would";
    Ok(ignored.map_or_else(|| step.pass(), |silent| step.pass_with(remark).seen_in(silent.exchange.id)))
}

/// T-RPC-17: before 1.0 no sentence says whether a request without a method is invalid, or asks for a method that does not exist.
fn invalid_request(t: &Transcript) -> Judged {
    let leaves_open = t.lane.as_ref().is_some_and(|lane| lane.dialect.error_reasons.is_empty());
    both(t, |name, what| {
        let (_, error) = t.refused(name)?;
        let verdict = t.refused_as(name, what, &[ErrorName::InvalidRequest])?;
        // One that means something else shows that the request was served.
        let may_be = error.is(ErrorName::MethodNotFound) || (name == "no-method" && error.name.is_none());
        Ok(if leaves_open && may_be { verdict.as_note() } else { verdict })
    })
}

/// T-RPC-15: nothing obliges a server to look at the type, so this is a remark. Another check reports a server that breaks at it.
fn odd_id(t: &Transcript) -> Judged {
    let ids = [("odd-id", "an id that is an object"), ("boolean-id", "an id that is true")];
    first_finding(ids.map(|(name, what)| t.refused_as(name, what, &[ErrorName::InvalidRequest])))
}

fn notification(t: &Transcript) -> Judged {
    let step = t.step("notification")?;
    let Some(response) = &step.exchange.response else { return t.answered("notification").map(|_| Verdict::pass()) };
    // A refusal by HTTP alone, such as 429, is not a JSON-RPC answer.
    let enveloped = step.reply.document.as_deref().is_some_and(|document| document.get("jsonrpc").is_some());
    if !enveloped && response.status >= 300 {
        return Err(step.inconclusive(format!("the response is HTTP {}", response.status)));
    }
    step.claim(response.body.is_empty(), "an empty body", step.reply.kind.describe(), "")
}

fn batch(t: &Transcript) -> Judged {
    let step = t.answered("batch")?;
    // Each of these is an answer to a batch: an array of responses, one error, or an HTTP refusal.
    let clean = match (&step.reply.document, step.exchange.status()) {
        (Some(document), _) => document.is_array() || document.get("error").is_some(),
        (None, status) => status.is_some_and(|status| (400..500).contains(&status)),
    };
    // JSON-RPC 2.0 §5: a response has the id of its request, or null where that could not be read.
    let sent = step.exchange.request.body.as_deref().and_then(|body| parse(body).value);
    let asked = sent.as_ref().and_then(|sent| sent.pointer("/0/id"));
    let came = step.reply.document.as_deref().and_then(|document| document.pointer("/0/id"));
    if let (Some(asked), Some(came)) = (asked, came.filter(|came| !came.is_null()))
        && asked != came
    {
        let expected = format!("the id {} of the request in the batch", brief(asked, 60));
        return step.claim(false, &expected, brief(came, 60), "/0/id");
    }
    step.claim(clean, "an array of responses, or an error", step.reply.kind.describe(), "")
}
