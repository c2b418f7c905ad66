//! The envelope of every answer of a lane: media type, UTF-8, ids, JSON-RPC members, error objects, details and codes, rate limits,
//! HSTS, traces of internals; and calls never answered.

use std::rc::Rc;

use super::traffic::{everywhere, speaks_or_breaks};
use crate::a2a::binding::{CallCost, ReplyKind};
use crate::a2a::model::Operation;
use crate::a2a::rule::Rule;
use crate::engine::prelude::{Check, Judged, Scenario, Step, Transcript, Verdict, count_of};
use crate::engine::session::late_ms;
use crate::engine::transcript::answers::AnsweredInstead;
use crate::engine::verdict::Outcome;
use crate::wire::exchange::End;

pub(super) static SCENARIO: Scenario = Scenario::of_traffic("envelope", "Check the envelope of every response", CHECKS);

const CHECKS: &[Check] = &[
    Check {
        id: "jsonrpc.response-content-type",
        title: "Responses are application/json",
        why: "Strict HTTP clients refuse a body whose media type they do not expect.",
        fix: "Send Content-Type: application/json with every response that is not a stream, including errors.",
        judge: |t| everywhere(t, Rule::MediaType, "JSON response"),
        ..Check::tripped_by(&["answers-text-plain"])
    },
    Check {
        id: "transport.utf8-json",
        title: "Bodies are one JSON text in UTF-8",
        why: "Other encodings produce replacement characters or break the parser, and many parsers refuse a body with \
              anything behind its value.",
        fix: "Encode response bodies as UTF-8 regardless of the process's locale, and write one JSON value into each: \
              no second document, no log line, no NUL.",
        judge: json_text,
        ..Check::tripped_by(&["latin1-body", "text-behind-json"])
    },
    Check {
        id: "jsonrpc.response-object",
        title: "Every call gets a JSON-RPC response",
        why: "A JSON-RPC client cannot read the error page of a web framework, and does not learn what was wrong.",
        fix: "Catch what the web framework and its validation raise before a handler runs, and return it as a JSON-RPC \
              error: {\"jsonrpc\": \"2.0\", \"id\": ..., \"error\": {\"code\", \"message\"}}.",
        judge: response_object,
        ..Check::tripped_by(&["parse-error-html"])
    },
    Check {
        id: "transport.answers",
        title: "Every call is answered",
        why: "A call that is never answered keeps a client waiting, and it does not learn whether the call was done.",
        fix: "Respond to every call as soon as its outcome is known, and end the wait for a handler that returned without a \
              word.",
        judge: answers,
        ..Check::tripped_by(&[
            "cancel-hangs",
            "stream-to-task-hangs",
            "subscribe-over-hangs",
            "subscribe-at-work-hangs",
            "list-hangs",
        ])
    },
    Check {
        id: "jsonrpc.version-member",
        title: "Responses contain jsonrpc \"2.0\"",
        why: "JSON-RPC libraries do not recognise a response without it.",
        fix: "Put \"jsonrpc\": \"2.0\" into every response, including errors and stream events.",
        judge: |t| everywhere(t, Rule::RpcVersion, "JSON-RPC response"),
        ..Check::tripped_by(&["rpc-version-missing"])
    },
    Check {
        id: "jsonrpc.id-echo",
        title: "The response has the request's id, in value and type",
        why: "A client matches a response to its call by the id, and 1 is not \"1\".",
        fix: "Copy the request's id unchanged, with its JSON type, into results and errors.",
        judge: |t| everywhere(t, Rule::RpcId, "JSON-RPC response"),
        ..Check::tripped_by(&["id-as-text", "id-missing"])
    },
    Check {
        id: "jsonrpc.result-xor-error",
        title: "A response has exactly one of result and error",
        why: "If a client finds both, or neither, it cannot know whether the call succeeded.",
        fix: "Send result on success and error on failure, never both and never neither.",
        judge: |t| everywhere(t, Rule::ResultXorError, "JSON-RPC response"),
        ..Check::tripped_by(&["result-and-error"])
    },
    Check {
        id: "jsonrpc.error-object",
        title: "Errors have an integer code and a string message",
        why: "Clients read code as a number and message as a string, and fail on anything else.",
        fix: "Make error an object with an integer code and a string message.",
        judge: |t| everywhere(t, Rule::ErrorObject, "error"),
        ..Check::tripped_by(&["error-code-text"])
    },
    Check {
        id: "error.code-and-message",
        title: "Every error has a message",
        why: "The message is what people on the other side see.",
        fix: "Describe the problem in error.message.",
        judge: |t| everywhere(t, Rule::ErrorMessage, "error"),
        ..Check::tripped_by(&["error-no-message"])
    },
    Check {
        id: "jsonrpc.error-code-range",
        title: "Error codes are within the defined ranges",
        why: "Codes outside the defined ranges mean nothing to a client.",
        fix: "Use the codes of JSON-RPC 2.0 and A2A (-32001 to -32099), not HTTP status codes.",
        advisory: Some("JSON-RPC 2.0 §5.1 leaves codes outside -32768..-32000 to applications"),
        judge: |t| everywhere(t, Rule::ErrorCodeRange, "error"),
        ..Check::tripped_by(&["error-code-outside"])
    },
    Check {
        id: "error.data-array",
        title: "Error details are an array",
        why: "In 1.0, details are a list of typed objects; a single object is the older form, and typed clients fail \
              on it.",
        fix: "Make error.data an array of objects, or leave it out.",
        judge: |t| everywhere(t, Rule::ErrorDataArray, "error with details"),
        ..Check::tripped_by(&["error-data-object", "error-data-text"])
    },
    Check {
        id: "error.details-typed",
        title: "Error details have @type",
        why: "Without @type, a client cannot tell what a detail is.",
        fix: "Give every object of error.data its @type.",
        judge: |t| everywhere(t, Rule::ErrorDetailType, "error with details"),
        ..Check::tripped_by(&["error-detail-untyped"])
    },
    Check {
        id: "error.details-wellknown",
        title: "Error details are of well-known types",
        why: "Clients can read the types of google.rpc, and no others.",
        fix: "Use google.rpc.ErrorInfo, BadRequest, ResourceInfo and the like, and put your own data into their \
              metadata.",
        judge: |t| everywhere(t, Rule::ErrorDetailKnown, "error with details"),
        ..Check::tripped_by(&["error-detail-private"])
    },
    Check {
        id: "error.rate-limit",
        title: "Rate limits include Retry-After",
        why: "A client that is told to slow down needs to know for how long.",
        fix: "Send Retry-After along with HTTP 429.",
        judge: rate_limit,
        ..Check::tripped_by(&["rate-limited"])
    },
    Check {
        id: "transport.hsts",
        title: "https interfaces send HSTS",
        why: "Browsers and clients that have seen it never use plain http with that host again.",
        fix: "Send Strict-Transport-Security from https interfaces.",
        judge: hsts,
        ..Check::tripped_by(&["no-hsts"])
    },
    Check {
        id: "error.info-jsonrpc",
        title: "A2A errors carry ErrorInfo",
        why: "ErrorInfo identifies an error in the same way on every binding.",
        fix: "Add a google.rpc.ErrorInfo to error.data with the error's reason and the domain a2a-protocol.org.",
        judge: |t| everywhere(t, Rule::ErrorInfo, "error defined by A2A"),
        ..Check::tripped_by(&["error-no-info", "error-detail-untyped"])
    },
    Check {
        id: "error.reason-name",
        title: "ErrorInfo.reason names the error",
        why: "Clients of several bindings identify errors by the reason.",
        fix: "Set reason to the error's name in upper snake case, without Error: TASK_NOT_FOUND for TaskNotFoundError.",
        requirements: &["error.reason-name", "error.reason-name-jsonrpc"],
        judge: |t| everywhere(t, Rule::ErrorReason, "ErrorInfo"),
        ..Check::tripped_by(&["error-reason-wrong"])
    },
    Check {
        id: "error.domain",
        title: "ErrorInfo.domain is a2a-protocol.org",
        why: "A reason has a meaning only within its domain; clients ignore the reasons of domains they do not know.",
        fix: "Set domain to \"a2a-protocol.org\" in the ErrorInfo of every error that A2A defines.",
        requirements: &["error.domain", "error.domain-jsonrpc"],
        judge: |t| everywhere(t, Rule::ErrorDomain, "ErrorInfo"),
        ..Check::tripped_by(&["error-domain-other"])
    },
    Check {
        id: "error.no-internals",
        title: "Errors do not expose internals",
        why: "A stack trace helps an attacker and does not help a user.",
        fix: "Log the stack trace and return a plain message.",
        judge: no_internals,
        ..Check::tripped_by(&["error-stack-trace"])
    },
];

/// How many kinds of requests a finding names.
const NAMED: usize = 6;
/// How many exchanges are enough evidence.
const EVIDENCE: usize = 5;

/// RFC 8259 §2 and §8.1: a JSON text is one value, in UTF-8.
fn json_text(t: &Transcript) -> Judged {
    // Every body has an encoding, also one that is no answer of the binding, of which nothing else is asked.
    let encoding = everywhere(t, Rule::Utf8, "body")?;
    let text = everywhere(t, Rule::JsonBody, "body").ok().filter(|text| text.outcome == Outcome::Fail);
    Ok(text.filter(|_| encoding.outcome != Outcome::Fail).unwrap_or(encoding))
}

fn response_object(t: &Transcript) -> Judged {
    // Where no answer is in the binding, the interface is not what the card says: another check reports that.
    speaks_or_breaks(t, Rule::RpcResponse)?;
    let mut seen: Vec<&Rc<Step>> = Vec::new();
    for step in t.steps.iter().filter(|step| step.reply.notes.seen(Rule::RpcResponse) > 0) {
        // One exchange may be on the record under two names.
        if seen.iter().all(|known| known.exchange.id != step.exchange.id) {
            seen.push(step);
        }
    }
    let breaches: Vec<_> =
        seen.iter().filter_map(|step| Some((step, step.reply.notes.broken(Rule::RpcResponse)?))).collect();
    let Some((first, breach)) = breaches.first() else {
        if seen.is_empty() {
            return Err(Verdict::not_applicable("the agent sent no unary response"));
        }
        return Ok(Verdict::pass_with(format!("{} checked", count_of(seen.len(), "response"))));
    };
    let mut requests: Vec<String> = Vec::new();
    for request in breaches.iter().map(|(step, _)| t.request_name(step)) {
        if !requests.contains(&request) {
            requests.push(request);
        }
    }
    let more = requests.len().saturating_sub(NAMED);
    requests.truncate(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let calls = count_of(seen.len(), "call");
    let actual = format!("{} ({} of {calls}: {}{more})", breach.actual, breaches.len(), requests.join(", "));
    let verdict = first.fail("a JSON-RPC response to every call", actual);
    Ok(breaches.iter().take(EVIDENCE).fold(verdict, |verdict, (step, _)| verdict.seen_in(step.exchange.id)))
}

fn rate_limit(t: &Transcript) -> Judged {
    let Some(step) = t.steps.iter().find(|step| matches!(step.reply.kind, ReplyKind::Unavailable(429))) else {
        return Err(t.stopped_or(|| Verdict::not_applicable("the agent did not limit the rate of calls")));
    };
    if step.exchange.response.as_ref().is_some_and(|response| response.grpc.is_some()) {
        // Its code is the whole answer: gRPC has no header for the time after which to come back.
        return Ok(step.pass());
    }
    header(t, step, "Retry-After")
}

fn hsts(t: &Transcript) -> Judged {
    let https = t.lane.as_ref().is_some_and(|lane| lane.interface.url.starts_with("https:"));
    let Some(step) = t.steps.iter().find(|step| https && step.exchange.response.is_some()) else {
        return Err(Verdict::not_applicable("the interface was not called over https"));
    };
    header(t, step, "Strict-Transport-Security")
}

/// Judges that an answer has a header, unless this host would not show it.
fn header(t: &Transcript, step: &Step, name: &str) -> Judged {
    let value = t.header(step, name)?;
    step.claim(value.is_some(), &format!("the header {name}"), "none", format!("header {name}"))
}

fn no_internals(t: &Transcript) -> Judged {
    const TRACES: [&str; 6] =
        ["Traceback (most recent call last)", "\n    at ", "goroutine ", "stack backtrace:", "panicked at", "File \"/"];
    let mut seen = false;
    for step in &t.steps {
        let ReplyKind::Error(error) = &step.reply.kind else { continue };
        seen = true;
        let message = error.message.as_deref().unwrap_or_default();
        if let Some(trace) = TRACES.iter().find(|trace| message.contains(**trace)) {
            let actual = format!("a message with a stack trace (\"{}\")", trace.trim());
            return Ok(step.fail("a message without internals", actual).at(error.at.as_str()));
        }
    }
    if seen { Ok(Verdict::pass()) } else { Err(t.stopped_or(|| Verdict::not_applicable("the agent sent no error"))) }
}

/// T-TASK-4: work takes the time that it takes, so that silence is advice only where the agent answers everything else of the kind many times over
/// meanwhile, and is there.
fn answers(t: &Transcript) -> Judged {
    let mut calls = t.steps.iter().filter(|step| step.sent.operation.is_some()).peekable();
    if calls.peek().is_none() {
        return Err(t.stopped_or(|| Verdict::blocked("no operation was called")));
    }
    // A subscription that meets the end of its task may be left waiting by an agent that answers all others: `subscribe.at-end` tells how often.
    let unanswered: Vec<_> = calls.filter(|step| is_unanswered(step) && !t.raced_with_end(step)).collect();
    let Some(first) = unanswered.first() else { return Ok(Verdict::pass()) };
    let Some(step) = unanswered.iter().find(|step| t.is_never_answered(step) && is_too_long_for_work(t, step)) else {
        let (what, came) = (t.request_name(first), first.exchange.end.no_answer());
        let more = match first.exchange.end {
            End::Deadline(_) => {
                ", and may have got one later; to run this check, wait longer (--timeout on the command line)"
            }
            _ => "",
        };
        return Err(first.inconclusive(format!("{what} got {came}{more}")));
    };
    let meanwhile = match t.what_it_answers_instead(step) {
        Some(AnsweredInstead::CardAlone) => "serves its card",
        _ => "answers other calls",
    };
    let actual = format!("{}, while the agent {meanwhile}", step.exchange.end.no_answer());
    step.claim(false, &format!("an answer to {}", t.request_name(step)), actual, "")
}

/// How many times as long as such tasks usually work a subscription must have been waited for. Its stream ends with its task, whatever it tells.
const WORKS: f64 = 10.0;

/// Whether a call was waited for so long that the agent was hardly at work on it, by its other answers to that operation: of a stream, by when they
/// began. Of a subscription also by how long such tasks work.
fn is_too_long_for_work(t: &Transcript, step: &Step) -> bool {
    if step.sent.cost == CallCost::LookUp {
        return true;
    }
    let took_ms = |other: &&Rc<Step>| {
        let response = other.exchange.response.as_ref().filter(|_| other.sent.operation == step.sent.operation)?;
        match other.reply.kind {
            ReplyKind::Result(_) => Some(other.exchange.duration_ms()),
            ReplyKind::Stream(_) => response.frames.first().map(|first| first.at_ms - other.exchange.sent_ms),
            _ => None,
        }
    };
    let slowest_ms = t.steps.iter().filter_map(|other| took_ms(&other)).reduce(f64::max);
    let subscribed = step.addressed_task().filter(|_| step.sent.operation == Some(Operation::SubscribeToTask));
    let enough_ms =
        slowest_ms.map(late_ms).or_else(|| subscribed.and_then(|id| t.usual_work_ms(id)).map(|ms| ms * WORKS));
    enough_ms.is_some_and(|ms| step.exchange.duration_ms() >= ms)
}

/// Whether a call got no answer that its client could do something with. A subscription to a task at work may be quiet for as long as the task
/// is, and a stream with signs of life is one.
fn is_unanswered(step: &Step) -> bool {
    let response = step.exchange.response.as_ref();
    let is_quiet = step.sent.cost == CallCost::Work && step.sent.operation == Some(Operation::SubscribeToTask);
    let is_alive = response.is_some_and(|response| is_quiet || response.comments > 0);
    match &step.reply.kind {
        ReplyKind::NoAnswer(_) => true,
        _ => step.is_unanswered_in_time() && !is_alive,
    }
}
