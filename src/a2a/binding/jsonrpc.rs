//! The JSON-RPC 2.0 binding (1.0 §9): one URL, POST, a method name, and event streams of complete responses.

use serde_json::Value;

use super::{Binding, Call, Reply, Said, Sent, StreamItem, StreamItemKind, VersionSent};
use crate::a2a::dialect::Dialect;
use crate::a2a::look::Look;
use crate::a2a::model::{AgentError, ErrorName, Interface, Operation, Payload};
use crate::a2a::rule::{Notes, Rule};
use crate::wire::exchange::{End, Exchange, Response};
use crate::wire::http::Request;
use crate::wire::json::{FlawKind, Pointer, brief, parse, type_name};

/// JSON-RPC 2.0 over HTTP.
pub static JSONRPC: Binding = Binding { id: "JSONRPC", slug: "jsonrpc", title: "JSON-RPC", request, reply, event };

/// The type URL of the detail object that names an A2A error (1.0 §9.5).
pub const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";

fn request(dialect: &Dialect, interface: &Interface, call: &Call) -> Request {
    let body = call.body.clone().unwrap_or_else(|| {
        let named = call.operation.and_then(|operation| dialect.method(operation)).unwrap_or_default();
        let params = match (&call.params, &interface.tenant) {
            // 1.0 §8.3.2: requests carry the interface's tenant.
            (Some(Value::Object(map)), Some(tenant)) if !map.contains_key("tenant") => {
                let mut map = map.clone();
                map.insert("tenant".to_owned(), Value::from(tenant.as_str()));
                Some(Value::Object(map))
            }
            (params, _) => params.clone(),
        };
        let method = Value::from(call.method.as_deref().unwrap_or(named));
        let members = [("jsonrpc", Some(Value::from("2.0"))), ("id", Some(call.id.clone())), ("method", Some(method))];
        let members = members.into_iter().chain([("params", params)]);
        let body: Value = members.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        body.to_string().into_bytes()
    });
    let mut request = Request::post(&interface.url, "application/json", body);
    let streams = call.operation.is_some_and(Operation::streams);
    request.headers.push("accept", if streams { "text/event-stream, application/json" } else { "application/json" });
    match (&call.version, dialect.version_header) {
        (VersionSent::Declared, Some(header)) => request.headers.push(header, dialect.version),
        (VersionSent::Other(version), Some(header)) => request.headers.push(header, version.as_str()),
        (VersionSent::Absent, _) | (_, None) => {}
    }
    if !call.extensions.is_empty() {
        request.headers.push("A2A-Extensions", call.extensions.join(", "));
    }
    for (name, value) in &call.headers {
        request.headers.replace(name, value.as_str());
    }
    request
}

fn reply(dialect: &Dialect, sent: &Sent, exchange: &Exchange) -> Reply {
    let Some(response) = &exchange.response else {
        return Reply { said: Said::Nothing(exchange.end.no_answer()), ..Reply::default() };
    };
    if matches!(response.status, 401 | 403 | 429 | 503) {
        return Reply { said: Said::Barred(response.status), ..Reply::default() };
    }
    if response.is_event_stream() {
        return stream_reply(dialect, sent, response);
    }
    let cut = match &exchange.end {
        End::Complete | End::HungUp => None,
        End::Deadline => Some("the answer did not end before our deadline".to_owned()),
        End::TooLarge => Some(format!("an answer of more than {} bytes", response.body.len())),
        End::Broken(detail) => Some(format!("the connection broke in the middle of the answer ({detail})")),
        End::NoAnswer(trouble) => Some(trouble.detail.clone()),
    };
    if let Some(said) = cut {
        return Reply { said: Said::Nothing(said), ..Reply::default() };
    }
    unary_reply(dialect, sent, response)
}

fn unary_reply(dialect: &Dialect, sent: &Sent, response: &Response) -> Reply {
    let mut notes = Notes::default();
    let root = Pointer::root();
    let parsed = parse(&response.body);
    if !response.body.is_empty() {
        let utf8 = !parsed.flaws.iter().any(|flaw| flaw.kind == FlawKind::NotUtf8);
        let finding = ("UTF-8".to_owned(), "bytes that are not UTF-8".to_owned());
        notes.judge(Rule::Utf8, utf8.then_some(()).ok_or(finding), &root);
    }
    let Some(document) = parsed.value else {
        let what = unreadable(response, parsed.flaws.first().map(|flaw| (flaw.kind, flaw.detail.as_str())));
        notes.breaks(Rule::JsonBody, &root, "one JSON-RPC response object", what.clone());
        return Reply { said: Said::Unreadable(what), notes, document: None };
    };
    notes.holds(Rule::JsonBody);
    // 1.0 §9.1; parameters such as charset are fine.
    let media = response.headers.media_type();
    let fits = media.as_deref() == Some("application/json");
    let actual = media.unwrap_or_else(|| "no Content-Type".to_owned());
    notes.judge(
        Rule::MediaType,
        fits.then_some(()).ok_or_else(|| ("Content-Type: application/json".to_owned(), actual)),
        &root,
    );
    let said = envelope(dialect, sent, &document, response.status, Rule::RpcId, &mut notes, |look, notes| {
        sent.operation.map_or(Payload::Nothing, |operation| (dialect.read_result)(dialect, operation, look, notes))
    });
    let said = match said {
        Enveloped::Result(payload) => Said::Result(payload),
        Enveloped::Error(error) => Said::Error(error),
        Enveloped::Neither(what) => Said::Unreadable(what),
    };
    Reply { said, notes, document: Some(document) }
}

/// What is wrong with a body that is not JSON, in one phrase.
fn unreadable(response: &Response, flaw: Option<(FlawKind, &str)>) -> String {
    let status = response.status;
    let media = response.headers.media_type().unwrap_or_default();
    match flaw {
        Some((FlawKind::Empty, _)) | None => format!("HTTP {status} with an empty body"),
        Some((FlawKind::NotJson, _)) if media.contains("html") => format!("HTTP {status} with an HTML page"),
        Some((_, detail)) => format!("HTTP {status} with a body that is not JSON ({detail})"),
    }
}

enum Enveloped<T> {
    Result(T),
    Error(AgentError),
    Neither(String),
}

/// Reads the JSON-RPC envelope (1.0 §9.3) and hands `result` on.
fn envelope<T>(
    dialect: &Dialect,
    sent: &Sent,
    document: &Value,
    status: u16,
    id_rule: Rule,
    notes: &mut Notes,
    result: impl FnOnce(&Look<'_>, &mut Notes) -> T,
) -> Enveloped<T> {
    let look = Look::root(document);
    if !document.is_object() {
        let what = format!("HTTP {status} with {}", type_name(document));
        notes.breaks(Rule::ResultXorError, &look.at, "a JSON-RPC response object", what.clone());
        return Enveloped::Neither(what);
    }
    match document.get("jsonrpc") {
        Some(version) if version == "2.0" => notes.holds(Rule::RpcVersion),
        Some(version) => notes.breaks(Rule::RpcVersion, &look.at.key("jsonrpc"), "\"2.0\"", brief(version, 60)),
        None => notes.breaks(Rule::RpcVersion, &look.at.key("jsonrpc"), "\"2.0\"", "missing"),
    }
    let has_error = look.member("error").is_some();
    if let Some(wanted) = &sent.id {
        let place = look.at.key("id");
        match document.get("id") {
            Some(id) if id == wanted => notes.holds(id_rule),
            // JSON-RPC 2.0 §5: an error found before the id could be read has id null.
            Some(Value::Null) if has_error && sent.operation.is_none() => notes.holds(id_rule),
            Some(id) => notes.breaks(id_rule, &place, format!("the request's id {wanted}"), brief(id, 60)),
            None => notes.breaks(id_rule, &place, format!("the request's id {wanted}"), "missing"),
        }
    }
    let has_result = document.get("result").is_some();
    match (has_result, has_error) {
        (true, false) | (false, true) => notes.holds(Rule::ResultXorError),
        (true, true) => {
            notes.breaks(Rule::ResultXorError, &look.at, "exactly one of result and error", "both result and error");
        }
        (false, false) => {
            let what = format!("HTTP {status} with {}", Look::root(document).describe());
            notes.breaks(Rule::ResultXorError, &look.at, "exactly one of result and error", "neither");
            return Enveloped::Neither(format!("{what}: neither result nor error"));
        }
    }
    if let Some(error) = look.member("error") {
        return Enveloped::Error(read_error(dialect, &error, status, notes));
    }
    match document.get("result") {
        Some(value) => Enveloped::Result(result(&Look { value, at: look.at.key("result") }, notes)),
        None => Enveloped::Neither("neither result nor error".to_owned()),
    }
}

/// Reads an error object (1.0 §9.5).
fn read_error(dialect: &Dialect, look: &Look<'_>, status: u16, notes: &mut Notes) -> AgentError {
    let code_look = look.member("code");
    let code = code_look.as_ref().and_then(|look| look.value.as_i64());
    let message = look.member("message");
    let well_formed = code.is_some() && message.as_ref().is_some_and(|look| look.value.is_string());
    let finding = ("an integer code and a string message".to_owned(), look.describe());
    notes.judge(Rule::ErrorObject, well_formed.then_some(()).ok_or(finding), &look.at);
    let message = message.and_then(|look| look.value.as_str().map(str::to_owned));
    let speaks = message.as_ref().is_some_and(|text| !text.trim().is_empty());
    let finding = ("a message for people".to_owned(), "none, or an empty one".to_owned());
    notes.judge(Rule::ErrorMessage, speaks.then_some(()).ok_or(finding), &look.at.key("message"));
    let name = code.and_then(|code| dialect.error_name(code));
    if let Some(code) = code {
        // JSON-RPC 2.0 §5.1 and 1.0 §9.5: standard codes, implementation-defined server errors, A2A's own range.
        let known = name.is_some() || (-32099..=-32000).contains(&code);
        let finding = ("a standard JSON-RPC code, or one in -32099..-32000".to_owned(), code.to_string());
        notes.judge(Rule::ErrorCodeRange, known.then_some(()).ok_or(finding), &look.at.key("code"));
    }
    let reason = read_details(dialect, look, name, notes);
    AgentError { code, name, message, reason, status, at: look.at.clone() }
}

/// Reads `error.data`: an array of typed details, one of them naming the error. Details are optional altogether.
fn read_details(dialect: &Dialect, error: &Look<'_>, name: Option<ErrorName>, notes: &mut Notes) -> Option<String> {
    let wanted = name.and_then(|name| dialect.error_reason(name));
    let data = error.member("data");
    let mut reason = None;
    if let Some(data) = &data {
        if data.value.is_array() {
            notes.holds(Rule::ErrorDataArray);
        } else {
            notes.breaks(Rule::ErrorDataArray, &data.at, "an array of detail objects", data.describe());
        }
        for detail in data.elements() {
            match detail.text("@type") {
                Some(kind) => {
                    notes.holds(Rule::ErrorDetailType);
                    if kind == ERROR_INFO {
                        reason = detail.text("reason");
                        if let Some(wanted) = wanted {
                            let actual = reason.clone().unwrap_or_else(|| "no reason".to_owned());
                            let fits = actual == wanted;
                            let finding = (format!("reason \"{wanted}\""), actual);
                            notes.judge(Rule::ErrorReason, fits.then_some(()).ok_or(finding), &detail.at.key("reason"));
                        }
                    }
                }
                None => notes.breaks(
                    Rule::ErrorDetailType,
                    &detail.at.key("@type"),
                    "a string @type on every detail",
                    detail.describe(),
                ),
            }
        }
    }
    if let Some(wanted) = wanted {
        let fits = reason.is_some();
        let finding = (format!("a google.rpc.ErrorInfo with reason \"{wanted}\" in data"), "none".to_owned());
        notes.judge(Rule::ErrorInfo, fits.then_some(()).ok_or(finding), &error.at.key("data"));
    }
    reason
}

fn stream_reply(dialect: &Dialect, sent: &Sent, response: &Response) -> Reply {
    let mut notes = Notes::default();
    let root = Pointer::root();
    for oddity in response.oddities.iter().filter(|oddity| oddity.is_violation()) {
        notes.breaks(Rule::SseFraming, &root, "lines that follow the SSE grammar", oddity.to_string());
    }
    if !response.frames.is_empty() {
        notes.holds(Rule::SseFraming);
    }
    let mut items = Vec::new();
    for (index, timed) in response.frames.iter().enumerate() {
        // T-SSE-4: empty data is a keep-alive of some servers.
        if timed.frame.data.trim().is_empty() {
            continue;
        }
        notes.within(format!("event {}: ", index + 1));
        items.push(StreamItem { at_ms: timed.at_ms, kind: event(dialect, sent, &timed.frame.data, &mut notes) });
    }
    notes.within("");
    // T-STR-9: a refusal may come as the only event of a stream.
    let said = match items.as_slice() {
        [StreamItem { kind: StreamItemKind::Error(error), .. }] => Said::Error(error.clone()),
        _ => Said::Stream(items),
    };
    Reply { said, notes, document: None }
}

/// Reads the data of one frame: a complete JSON-RPC response (1.0 §9.4.2).
fn event(dialect: &Dialect, sent: &Sent, data: &str, notes: &mut Notes) -> StreamItemKind {
    let root = Pointer::root();
    let Some(document) = parse(data.as_bytes()).value else {
        let shown: String = data.chars().take(80).collect();
        notes.breaks(Rule::SseJson, &root, "data that is one JSON value", format!("\"{shown}\""));
        return StreamItemKind::Unreadable("data that is not JSON".to_owned());
    };
    notes.holds(Rule::SseJson);
    let enveloped_at_all = ["jsonrpc", "id", "result", "error"].iter().any(|name| document.get(name).is_some());
    if document.is_object() && !enveloped_at_all {
        // The bare event of another binding: one finding, and the event is read all the same.
        notes.breaks(Rule::SseEnvelope, &root, "a JSON-RPC response with result or error", brief(&document, 80));
        return StreamItemKind::Event((dialect.read_event)(dialect, &Look::root(&document), notes));
    }
    let enveloped = envelope(dialect, sent, &document, 200, Rule::SseId, notes, |look, notes| {
        (dialect.read_event)(dialect, look, notes)
    });
    match enveloped {
        Enveloped::Result(event) => {
            notes.holds(Rule::SseEnvelope);
            StreamItemKind::Event(event)
        }
        Enveloped::Error(error) => {
            notes.holds(Rule::SseEnvelope);
            StreamItemKind::Error(error)
        }
        Enveloped::Neither(what) => {
            notes.breaks(Rule::SseEnvelope, &root, "a JSON-RPC response with result or error", brief(&document, 80));
            StreamItemKind::Unreadable(what)
        }
    }
}
