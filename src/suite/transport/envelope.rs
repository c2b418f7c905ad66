//! The envelope of everything a lane sent: JSON-RPC members, media types, error objects.

use super::everywhere;
use crate::a2a::binding::Said;
use crate::a2a::rule::Rule;
use crate::engine::check::{anyone, silent};
use crate::engine::take::{Step, Take};
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;

scenario! {
    "envelope", "Look at the envelope of every answer", in Transport, scope: Traffic,
    messages: 0, streams: 0, after: [], needs: anyone, drive: silent,
    checks: {
        /// Strict HTTP clients refuse a body whose type they were not told.
        ///
        /// Fix: Send Content-Type: application/json with every answer that is not a stream, errors included.
        "jsonrpc.response-content-type", "Answers are application/json",
        requires: ["jsonrpc.response-content-type"], faults: ["answers-text-plain"],
        judge: |t| everywhere(t, Rule::MediaType, "JSON answer");

        /// JSON is UTF-8; other bytes turn into replacement characters or break the parser.
        ///
        /// Fix: Encode response bodies as UTF-8 whatever the process's locale is.
        "transport.utf8-json", "Bodies are UTF-8",
        requires: ["transport.utf8-json"], faults: ["latin1-body"], judge: |t| everywhere(t, Rule::Utf8, "body");

        /// JSON-RPC libraries take an answer without it for something else.
        ///
        /// Fix: Put "jsonrpc": "2.0" into every response, errors and stream events included.
        "jsonrpc.version-member", "Answers carry jsonrpc \"2.0\"",
        requires: ["jsonrpc.version-member"], faults: ["rpc-version-missing"],
        judge: |t| everywhere(t, Rule::RpcVersion, "JSON-RPC answer");

        /// A client finds the call that an answer belongs to by its id, and 1 is not "1".
        ///
        /// Fix: Copy the request's id as it stands, with its JSON type, into results and errors.
        "jsonrpc.id-echo", "The id of the request comes back, value and type",
        requires: ["jsonrpc.id-echo"], faults: ["id-as-text", "id-missing"],
        judge: |t| everywhere(t, Rule::RpcId, "JSON-RPC answer");

        /// A client that finds both, or neither, cannot know whether the call succeeded.
        ///
        /// Fix: Send result on success and error on failure, never both and never neither.
        "jsonrpc.result-xor-error", "Exactly one of result and error",
        requires: ["jsonrpc.result-xor-error"], faults: ["result-and-error", "canned-empty"],
        judge: |t| everywhere(t, Rule::ResultXorError, "JSON-RPC answer");

        /// Clients read code as a number and message as a text, and fail on anything else.
        ///
        /// Fix: Make error an object with an integer code and a string message.
        "jsonrpc.error-object", "Errors have an integer code and a string message",
        requires: ["jsonrpc.error-object"], faults: ["error-code-text"],
        judge: |t| everywhere(t, Rule::ErrorObject, "error");

        /// The message is what the people on the other side get to see.
        ///
        /// Fix: Say in error.message what is wrong.
        "error.code-and-message", "Every error says what is wrong",
        requires: ["error.code-and-message"], faults: ["error-no-message"],
        judge: |t| everywhere(t, Rule::ErrorMessage, "error");

        /// Codes outside the agreed ranges mean nothing to a client.
        ///
        /// Fix: Use the codes of JSON-RPC 2.0 and those of A2A (-32001 to -32099); HTTP statuses do not belong there.
        "jsonrpc.error-code-range", "Error codes lie in the agreed ranges",
        requires: ["jsonrpc.error-code-range"], faults: ["error-code-outside"],
        advisory: "JSON-RPC 2.0 §5.1 leaves codes outside -32768..-32000 to applications",
        judge: |t| everywhere(t, Rule::ErrorCodeRange, "error");

        /// In 1.0 details are a list of typed objects; an object there is the older form, and typed clients fail on it.
        ///
        /// Fix: Make error.data an array of objects, or leave it out.
        "error.data-array", "Error details are an array",
        requires: ["error.data-array"], faults: ["error-data-object"],
        judge: |t| everywhere(t, Rule::ErrorDataArray, "error with details");

        /// Without @type nobody knows what a detail is.
        ///
        /// Fix: Give every object of error.data its @type.
        "error.details-typed", "Error details carry @type",
        requires: ["error.details-typed"], faults: ["error-detail-untyped"],
        judge: |t| everywhere(t, Rule::ErrorDetailType, "error with details");

        /// Clients have readers for the types of google.rpc and for nothing else.
        ///
        /// Fix: Use google.rpc.ErrorInfo, BadRequest, ResourceInfo and the like; put what is your own into their metadata.
        "error.details-wellknown", "Error details are of well-known types",
        requires: ["error.details-wellknown"], faults: ["error-detail-private"],
        judge: |t| everywhere(t, Rule::ErrorDetailKnown, "error with details");

        /// A client that is told to slow down has to know for how long.
        ///
        /// Fix: Send Retry-After along with HTTP 429.
        "error.rate-limit", "Rate limits say when to come back",
        requires: ["error.rate-limit"], faults: ["rate-limited"], judge: rate_limit;

        /// Browsers and clients that saw it once never speak plain http to that host again.
        ///
        /// Fix: Send Strict-Transport-Security from https interfaces.
        "transport.hsts", "https interfaces send HSTS",
        requires: ["transport.hsts"], faults: ["no-hsts"], judge: hsts;

        /// The ErrorInfo detail names an error the same way on every binding.
        ///
        /// Fix: Add a google.rpc.ErrorInfo to error.data with the error's reason and the domain a2a-protocol.org.
        "error.info-jsonrpc", "A2A errors carry ErrorInfo",
        requires: ["error.info-jsonrpc"], faults: ["error-no-info", "error-detail-untyped"],
        judge: |t| everywhere(t, Rule::ErrorInfo, "error of A2A's own");

        /// Clients of several bindings go by the reason.
        ///
        /// Fix: Set reason to the error's name in upper snake case without Error: TASK_NOT_FOUND for TaskNotFoundError.
        "error.reason-name", "ErrorInfo.reason names the error",
        requires: ["error.reason-name"], faults: ["error-reason-wrong"],
        judge: |t| everywhere(t, Rule::ErrorReason, "ErrorInfo");

        /// Traces tell an attacker about the machine and a user nothing.
        ///
        /// Fix: Log the trace and answer with a plain message.
        "error.no-internals", "Errors do not leak internals",
        requires: ["error.no-internals"], faults: ["error-stack-trace"], judge: no_internals;
    }
}

fn rate_limit(t: &Take) -> Judged {
    let Some(step) = t.steps.iter().find(|step| matches!(step.reply.said, Said::Barred(429))) else {
        return Err(t.stopped.clone().unwrap_or_else(|| Verdict::not_applicable("the agent did not limit our calls")));
    };
    header(t, step, "Retry-After")
}

fn hsts(t: &Take) -> Judged {
    let https = t.lane.as_ref().is_some_and(|lane| lane.interface.url.starts_with("https:"));
    let Some(step) = t.steps.iter().find(|step| https && step.exchange.response.is_some()) else {
        return Err(Verdict::not_applicable("the interface was not called over https"));
    };
    header(t, step, "Strict-Transport-Security")
}

/// Judges that an answer has a header, unless this host would not show it.
fn header(t: &Take, step: &Step, name: &str) -> Judged {
    let value = t.header(step, name)?;
    step.claim(value.is_some(), &format!("the header {name}"), "none", format!("header {name}"))
}

fn no_internals(t: &Take) -> Judged {
    const TRACES: [&str; 6] =
        ["Traceback (most recent call last)", "\n    at ", "goroutine ", "stack backtrace:", "panicked at", "File \"/"];
    let mut seen = false;
    for step in &t.steps {
        let Said::Error(error) = &step.reply.said else { continue };
        seen = true;
        let message = error.message.as_deref().unwrap_or_default();
        if let Some(trace) = TRACES.iter().find(|trace| message.contains(**trace)) {
            let actual = format!("a message with a trace (\"{}\")", trace.trim());
            return Ok(Verdict::fail(step.exchange.id, "a message for people", actual).at(error.at.as_str()));
        }
    }
    match (&t.stopped, seen) {
        (_, true) => Ok(Verdict::pass()),
        (Some(why), false) => Err(why.clone()),
        (None, false) => Err(Verdict::not_applicable("the agent sent no error")),
    }
}
