//! The HTTP+JSON binding (1.0 §11): requests by the routes of the dialect, bare objects, google.rpc.Status errors, streams of bare
//! events.

use std::rc::Rc;

use serde_json::{Map, Value};

use super::call::{Call, SentCall};
use super::definition::{Binding, http_url};
use super::read_reply::{Details, event_document, judge_message, members_of_params, reply, result, service_parameters};
use super::reply::{ReplyKind, StreamItemKind};
use crate::a2a::cursor::{Cursor, integer};
use crate::a2a::dialect::Dialect;
use crate::a2a::model::{AgentError, ErrorName, Interface, Operation};
use crate::a2a::rule::{Notes, Rule};
use crate::wire::grpc::is_error_code;
use crate::wire::http::{Method, Request};
use crate::wire::json::{Pointer, brief, type_name};
use crate::wire::url::{decode, encode};

/// The media type that 1.0.1 recommends.
pub const A2A_JSON: &str = "application/a2a+json";

/// The names and values of the parameters in a path.
pub type PathParameters = Vec<(&'static str, String)>;

/// The values in a path of the parameters that a route's template has in braces; none if the path does not match.
#[must_use]
pub fn path_parameters(template: &'static str, path: &str) -> Option<PathParameters> {
    let mut found = PathParameters::new();
    let (mut template, mut path) = (template, path);
    while let Some((before, after)) = template.split_once('{') {
        let (name, after) = after.split_once('}')?;
        path = path.strip_prefix(before)?;
        // A colon begins a custom method: `/tasks/{id}:cancel`.
        let end = path.find(['/', ':']).unwrap_or(path.len());
        let (value, rest) = path.split_at_checked(end).filter(|(value, _)| !value.is_empty())?;
        found.push((name, decode(value)));
        (template, path) = (after, rest);
    }
    (template == path).then_some(found)
}

/// REST over HTTP.
pub static REST: Binding = Binding {
    id: "HTTP+JSON",
    slug: "rest",
    title: "HTTP+JSON",
    // 1.0 §11.1; 1.0.0 said application/json (T-REST-3).
    media_types: &[A2A_JSON, "application/json"],
    one_document: "one JSON object",
    form: Rule::StatusBody,
    has_form,
    url: http_url,
    request,
    may_be_empty: |sent, status| sent.operation == Some(Operation::DeletePushConfig) && (200..300).contains(&status),
    wordless,
    // T-REST-1 and T-REST-2: a server that has the other verb takes `x:subscribe` for a task's id.
    blames_verb: |sent, status| sent.operation == Some(Operation::SubscribeToTask) && matches!(status, 404 | 405 | 501),
    reply,
    read,
    event,
};

/// Whether an answer must be an error in the form of the protocol. On a route that not every agent has, only the web framework
/// may answer.
fn has_form(dialect: &Dialect, sent: &SentCall, status: u16) -> bool {
    let must_exist =
        matches!(sent.operation, Some(Operation::SendMessage | Operation::GetTask | Operation::CancelTask));
    dialect.forms.rpc_status && status >= 400 && (must_exist || !matches!(status, 404 | 405 | 501))
}

fn wordless(dialect: &Dialect, status: u16) -> Option<AgentError> {
    let refused = !dialect.forms.rpc_status && status >= 400;
    refused.then(|| AgentError { may_be: dialect.errors_of(status), status, ..AgentError::default() })
}

fn request(dialect: &Dialect, interface: &Interface, call: &Call) -> Result<Request, String> {
    let mut params =
        members_of_params(call, interface).map_err(|kind| format!("a request over HTTP cannot be {kind}"))?;
    let (mut method, path) = match (&call.method, call.operation.and_then(|operation| dialect.route(operation))) {
        (Some(path), route) => (route.map_or(Method::Get, |(method, _)| method), format!("/{path}")),
        (None, Some((method, path))) => (method, fill(path, &mut params)?),
        (None, None) => return Err("there is no route for this operation".to_owned()),
    };
    if call.other_verb {
        method = if method == Method::Post { Method::Get } else { Method::Post };
    }
    let base = interface.url.trim_end_matches('/');
    // The routes of 0.3 begin with /v1, and so does the base of its own example.
    let base = if path.starts_with("/v1/") { base.strip_suffix("/v1").unwrap_or(base) } else { base };
    let mut url = format!("{base}{path}");
    let mut request = if method == Method::Post {
        // A cancel without a body is legal; some frameworks refuse it (T-REST-15).
        let body = call.body.clone().unwrap_or_else(|| Value::Object(params).to_string().into_bytes());
        Request::post(url, call.media_type.unwrap_or("application/json"), body)
    } else {
        for (index, (name, value)) in params.iter().enumerate() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            url = format!("{url}{}{}={}", if index == 0 { '?' } else { '&' }, encode(name), encode(&value));
        }
        Request { method, ..Request::get(url) }
    };
    service_parameters(&mut request, dialect, call, "application/a2a+json, application/json");
    Ok(request)
}

/// Puts members of the parameters into a path and takes them out of the parameters.
fn fill(path: &str, params: &mut Map<String, Value>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        let Some(Value::String(value)) = params.shift_remove(name).filter(|value| value.as_str() != Some("")) else {
            return Err(format!("{name} is part of the path over HTTP and must be a non-empty string"));
        };
        filled.push_str(before);
        filled.push_str(&encode(&value));
        rest = after;
    }
    filled.push_str(rest);
    // Whoever reads the URL takes it for another path (RFC 3986 §5.2.4).
    if filled.split('/').any(|segment| matches!(segment, "." | "..")) {
        return Err("an id of dots alone cannot be part of a path over HTTP".to_owned());
    }
    Ok(filled)
}

fn read(dialect: &Dialect, sent: &SentCall, document: &Rc<Value>, status: u16, notes: &mut Notes) -> ReplyKind {
    let cursor = Cursor::kept(document);
    if (200..300).contains(&status) {
        // A body that is not even an object is read where it is known what it should have been.
        let known = matches!(sent.operation, Some(Operation::ListPushConfigs | Operation::DeletePushConfig));
        if let Some(error) = successful_error(&cursor).filter(|_| !dialect.forms.rpc_status) {
            return ReplyKind::Error(plain_error(dialect, sent, &error, status, notes));
        }
        if !document.is_object() && !known {
            return ReplyKind::Unreadable(format!("HTTP {status} with {}", type_name(document)));
        }
        return ReplyKind::Result(result(dialect, sent, &cursor, notes));
    }
    let error = cursor.member("error").filter(|error| error.value.is_object());
    if !dialect.forms.rpc_status {
        return if document.is_object() {
            notes.holds(Rule::StatusBody);
            ReplyKind::Error(plain_error(dialect, sent, &error.unwrap_or(cursor), status, notes))
        } else {
            notes.breaks(Rule::StatusBody, &cursor.at, "an error as a JSON object", brief(document, 80));
            ReplyKind::Unreadable(format!("HTTP {status} with {}", type_name(document)))
        };
    }
    let Some(error) = error else {
        if has_form(dialect, sent, status) {
            let expected = "{\"error\": {\"code\", \"message\", ...}}";
            notes.breaks(Rule::StatusBody, &cursor.at, expected, brief(document, 80));
        }
        return ReplyKind::Unreadable(format!("HTTP {status} with {}", cursor.describe()));
    };
    ReplyKind::Error(read_error(dialect, sent, &error, status, notes))
}

/// An error with the status of a success: that the status is wrong is one finding.
fn successful_error<'a>(cursor: &Cursor<'a>) -> Option<Cursor<'a>> {
    let is_error = |cursor: &Cursor<'_>| {
        let has_code = cursor.member("code").is_some_and(|code| integer(code.value).is_some());
        has_code && cursor.text("message").is_some() && !cursor.has("id") && !cursor.has("kind")
    };
    cursor.member("error").into_iter().chain([cursor.clone()]).find(is_error)
}

/// Reads an error of a version that leaves its form open: any JSON object (0.3 §3.2.3). Libraries write a code of JSON-RPC
/// and a message, or a message alone.
fn plain_error(dialect: &Dialect, sent: &SentCall, cursor: &Cursor<'_>, status: u16, notes: &mut Notes) -> AgentError {
    let code = cursor.member("code").and_then(|cursor| integer(cursor.value)).filter(|code| *code < 0);
    let name = code.and_then(|code| dialect.error_name(code));
    let message = ["message", "detail", "title"].into_iter().find_map(|name| cursor.text(name));
    let may_be = if name.is_none() { dialect.errors_of(status) } else { &[] };
    // The status must fit the error: sure enough of a task that is not there, and of what the body names.
    let sure = matches!(sent.operation, Some(Operation::GetTask | Operation::CancelTask)) && status == 404;
    if let Some(name) = name.or(sure.then_some(ErrorName::TaskNotFound)) {
        let finding = (format!("an HTTP status that matches {}", name.as_str()), status.to_string());
        notes.judge(Rule::StatusMap, dialect.errors_of(status).contains(&name), &cursor.at, finding);
    }
    AgentError { code, grpc_code: None, name, message, may_be, reason: None, status, at: cursor.at.clone() }
}

/// Reads the JSON form of a google.rpc.Status (1.0 §11.6).
fn read_error(dialect: &Dialect, sent: &SentCall, cursor: &Cursor<'_>, status: u16, notes: &mut Notes) -> AgentError {
    let code = cursor.member("code");
    let number = code.as_ref().and_then(|cursor| integer(cursor.value));
    let message = cursor.text("message");
    let well_formed = number.is_some() && message.is_some();
    notes.judge(Rule::StatusBody, well_formed, &cursor.at, ("an integer code and a string message", cursor.describe()));
    judge_message(message.as_ref(), cursor, notes);
    // An error in the middle of a stream comes with the status of the stream.
    let status = number.filter(|_| status == 200).and_then(|code| u16::try_from(code).ok()).unwrap_or(status);
    if let Some(number) = number {
        let finding = (format!("{status}, the HTTP status"), number.to_string());
        notes.judge(Rule::StatusCode, number == i64::from(status), &cursor.at.key("code"), finding);
    }
    if let Some(name) = cursor.text("status") {
        let finding = ("the name of a gRPC code", format!("\"{name}\""));
        notes.judge(Rule::StatusName, is_error_code(&name), &cursor.at.key("status"), finding);
    }
    let details = Details::read(cursor.member("details").as_ref(), notes);
    let name = details.reason.as_deref().and_then(|reason| dialect.error_of_reason(reason));
    if let Some(name) = name {
        let finding = (format!("the HTTP status of {}", name.as_str()), status.to_string());
        notes.judge(Rule::StatusMap, dialect.errors_of(status).contains(&name), &cursor.at, finding);
    }
    // By its status alone only a missing task is sure to be an error of A2A's own (T-REST-6).
    let sure = status == 404 && matches!(sent.operation, Some(Operation::GetTask | Operation::CancelTask));
    if name.is_some() || sure {
        let finding = ("a google.rpc.ErrorInfo in details", "none");
        notes.judge(Rule::StatusInfo, details.reason.is_some(), &cursor.at.key("details"), finding);
    }
    if let Some(wanted) = name.or(sure.then_some(ErrorName::TaskNotFound)).and_then(|name| dialect.error_reason(name)) {
        details.judge_info(wanted, notes);
    }
    let may_be = if name.is_none() { dialect.errors_of(status) } else { &[] };
    AgentError { name, message, may_be, reason: details.reason, status, at: cursor.at.clone(), ..AgentError::default() }
}

/// Reads the data of one frame: a bare event (1.0 §11.7), or an error, for which the text has no form (T-STR-10).
fn event(dialect: &Dialect, sent: &SentCall, data: &str, notes: &mut Notes) -> StreamItemKind {
    let root = Pointer::root();
    let Some(document) = event_document(dialect, data, notes) else {
        return StreamItemKind::Unreadable("data that is not JSON".to_owned());
    };
    let cursor = Cursor::kept(&document);
    if let Some(result) = cursor.member("result").filter(|_| cursor.has("jsonrpc")) {
        // The envelope of the other binding: one finding, and the event is read all the same.
        notes.breaks(Rule::SseEnvelope, &root, "a bare event, without a JSON-RPC envelope", brief(&document, 80));
        return StreamItemKind::Event((dialect.read_event)(dialect, &result, notes));
    }
    if !document.is_object() {
        notes.breaks(Rule::SseEnvelope, &root, "an event object", brief(&document, 80));
        return StreamItemKind::Unreadable(format!("data that is {}", type_name(&document)));
    }
    notes.holds(Rule::SseEnvelope);
    if let Some(error) = cursor.member("error").filter(|error| error.value.is_object()) {
        return StreamItemKind::Error(if dialect.forms.rpc_status {
            read_error(dialect, sent, &error, 200, notes)
        } else {
            plain_error(dialect, sent, &error, 200, notes)
        });
    }
    StreamItemKind::Event((dialect.read_event)(dialect, &cursor, notes))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::a2a::dialect::v1_0::V1_0;

    fn interface() -> Interface {
        Interface { url: "https://a.test/base/".to_owned(), tenant: Some("t 1".to_owned()), ..Interface::default() }
    }

    fn made(operation: Operation, params: Value) -> Result<Request, String> {
        request(&V1_0, &interface(), &Call { operation: Some(operation), params: Some(params), ..Call::default() })
    }

    #[test]
    fn ids_go_into_the_path_and_the_rest_into_query_or_body() {
        let get = made(Operation::GetTask, json!({ "id": "a/b c", "historyLength": 3 }));
        assert_eq!(
            get.map(|request| request.url),
            Ok("https://a.test/base/tasks/a%2Fb%20c?historyLength=3&tenant=t%201".to_owned())
        );
        let cancel =
            made(Operation::CancelTask, json!({ "id": "x", "metadata": {} })).unwrap_or_else(|_| Request::get(""));
        assert_eq!(cancel.url, "https://a.test/base/tasks/x:cancel");
        assert_eq!(cancel.body.as_deref(), Some(br#"{"metadata":{},"tenant":"t 1"}"#.as_slice()));
        let delete = made(Operation::DeletePushConfig, json!({ "taskId": "x", "id": "y" }));
        assert_eq!(delete.map(|request| request.method), Ok(Method::Delete));
    }

    #[test]
    fn what_has_no_words_is_not_sent() {
        for params in [json!({}), json!({ "id": "" }), json!({ "id": ".." }), json!({ "id": {} }), json!([])] {
            assert!(made(Operation::GetTask, params.clone()).is_err(), "{params}");
        }
    }

    #[test]
    fn an_error_is_named_by_its_reason_and_else_may_be_what_its_status_says() {
        let sent = SentCall { operation: Some(Operation::GetTask), ..SentCall::default() };
        let read = |document: Value, status: u16| {
            let mut notes = Notes::default();
            (read(&V1_0, &sent, &Rc::new(document), status, &mut notes), notes)
        };
        let info =
            json!({ "@type": super::super::ERROR_INFO, "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org" });
        let body = json!({ "error": { "code": 404, "status": "NOT_FOUND", "message": "no", "details": [info] } });
        let (kind, notes) = read(body, 404);
        assert!(matches!(&kind, ReplyKind::Error(error) if error.name == Some(ErrorName::TaskNotFound)));
        assert_eq!(notes.deviations().count(), 0);
        let (kind, notes) = read(json!({ "error": { "code": 5, "message": "no" } }), 404);
        assert!(matches!(&kind, ReplyKind::Error(error) if error.name.is_none() && error.is(ErrorName::TaskNotFound)));
        assert!(notes.broken(Rule::StatusCode).is_some() && notes.broken(Rule::StatusInfo).is_some());
        let (kind, notes) = read(json!({ "detail": "Not Found" }), 404);
        assert!(matches!(kind, ReplyKind::Unreadable(_)));
        assert!(notes.broken(Rule::StatusBody).is_some());
    }

    #[test]
    fn an_event_in_an_envelope_is_read_after_the_finding() {
        let mut notes = Notes::default();
        let data = r#"{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"x","status":{"state":"TASK_STATE_WORKING"}}}}"#;
        assert!(matches!(event(&V1_0, &SentCall::default(), data, &mut notes), StreamItemKind::Event(_)));
        assert!(notes.broken(Rule::SseEnvelope).is_some());
    }

    #[test]
    fn the_other_verb_is_get_for_post_and_post_for_everything_else() {
        for (operation, own, other) in
            [(Operation::SubscribeToTask, Method::Post, Method::Get), (Operation::GetTask, Method::Get, Method::Post)]
        {
            for (other_verb, expected) in [(false, own), (true, other)] {
                let call = Call {
                    operation: Some(operation),
                    params: Some(json!({ "id": "x" })),
                    other_verb,
                    ..Call::default()
                };
                let made = request(&V1_0, &interface(), &call).map(|request| request.method);
                assert_eq!(made, Ok(expected), "{operation:?}");
            }
        }
    }
}
