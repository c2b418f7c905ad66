//! The JSON-RPC 2.0 binding (1.0 §9): one URL, POST, a method name of the dialect, error objects, and event streams of complete
//! responses.

use std::rc::Rc;

use serde_json::Value;

use super::call::{Call, SentCall};
use super::definition::{Binding, http_url};
use super::read_reply::{
    Details, event_document, is_of_a_gateway, judge_message, members_of_params, reply, result, service_parameters,
};
use super::reply::{ReplyKind, StreamItemKind};
use crate::a2a::cursor::{Cursor, integer};
use crate::a2a::dialect::Dialect;
use crate::a2a::model::{AgentError, Interface, Operation};
use crate::a2a::rule::{Notes, Rule};
use crate::wire::http::Request;
use crate::wire::json::{Pointer, brief};

/// JSON-RPC 2.0 over HTTP.
pub static JSONRPC: Binding = Binding {
    id: "JSONRPC",
    slug: "jsonrpc",
    title: "JSON-RPC",
    // 1.0 §9.1
    media_types: &["application/json"],
    one_document: "one JSON-RPC response object",
    form: Rule::RpcResponse,
    has_form: |_, _, _| true,
    url: http_url,
    request,
    may_be_empty: |_, _| false,
    wordless: |_, _| None,
    blames_verb: |_, _| false,
    reply,
    read,
    event,
};

fn request(dialect: &Dialect, interface: &Interface, call: &Call) -> Result<Request, String> {
    let named = call.operation.and_then(|operation| dialect.method(operation));
    if call.operation.is_some() && named.is_none() && call.method.is_none() && call.body.is_none() {
        return Err(format!("A2A {} has no such method", dialect.version));
    }
    let body = call.body.clone().unwrap_or_else(|| {
        let named = named.unwrap_or_default();
        let params = match &call.params {
            Some(Value::Object(_)) => members_of_params(call, interface).ok().map(Value::Object),
            other => other.clone(),
        };
        let method = Value::from(call.method.as_deref().unwrap_or(named));
        let members = [("jsonrpc", Some(Value::from("2.0"))), ("id", Some(call.id.clone())), ("method", Some(method))];
        let members = members.into_iter().chain([("params", params)]);
        let body: Value = members.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        body.to_string().into_bytes()
    });
    let mut request = Request::post(&interface.url, "application/json", body);
    service_parameters(&mut request, dialect, call, "application/json");
    Ok(request)
}

/// Whether a document is a JSON-RPC response, well-formed or not. An object with an error of another kind is not: frameworks
/// have forms of their own for those.
fn is_response(document: &Value) -> bool {
    let Some(object) = document.as_object() else { return false };
    let has_code = || document.pointer("/error/code").is_some_and(|code| integer(code).is_some_and(|code| code < 0));
    object.contains_key("jsonrpc")
        || object.contains_key("result")
        || (object.contains_key("error") && (object.contains_key("id") || has_code()))
}

fn read(dialect: &Dialect, sent: &SentCall, document: &Rc<Value>, status: u16, notes: &mut Notes) -> ReplyKind {
    if !is_response(document) {
        let what = format!("HTTP {status} with {}", brief(document, 120));
        // Only bodies of our own making are batches, which an array answers (JSON-RPC 2.0 §6).
        if !sent.is_form_open && !is_of_a_gateway(status) {
            notes.breaks(Rule::RpcResponse, &Pointer::root(), "one JSON-RPC response object", what.clone());
        }
        return ReplyKind::Unreadable(what);
    }
    notes.holds(Rule::RpcResponse);
    let kind = envelope(dialect, sent, document, status, Rule::RpcId, notes, |cursor, notes| {
        result(dialect, sent, cursor, notes)
    });
    match kind {
        Enveloped::Result(payload) => ReplyKind::Result(payload),
        Enveloped::Error(error) => ReplyKind::Error(error),
        Enveloped::Neither(what) => ReplyKind::Unreadable(what),
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
    sent: &SentCall,
    document: &Rc<Value>,
    status: u16,
    id_rule: Rule,
    notes: &mut Notes,
    result: impl FnOnce(&Cursor<'_>, &mut Notes) -> T,
) -> Enveloped<T> {
    let cursor = Cursor::kept(document);
    let version = document.get("jsonrpc");
    let finding = ("\"2.0\"", version.map_or_else(|| "missing".to_owned(), |version| brief(version, 60)));
    notes.judge(Rule::RpcVersion, version.is_some_and(|version| version == "2.0"), &cursor.at.key("jsonrpc"), finding);
    let has_error = cursor.member("error").is_some();
    if let Some(wanted) = &sent.id {
        let id = document.get("id");
        // JSON-RPC 2.0 §5: an error found before the id could be read has id null.
        let may_be_null = has_error && (sent.operation.is_none() || dialect.forms.errors_without_id);
        let fits = id.is_some_and(|id| id == wanted || (id.is_null() && may_be_null));
        let actual = id.map_or_else(|| "missing".to_owned(), |id| brief(id, 60));
        notes.judge(id_rule, fits, &cursor.at.key("id"), (format!("the request's id {wanted}"), actual));
    }
    // Older libraries print the member that is not there as null. Those that leave the null of a deletion out break the
    // envelope (0.3 §6.11.2), but the deletion has succeeded.
    let nulls = dialect.forms.nulls;
    let gone = nulls && !has_error && sent.operation == Some(Operation::DeletePushConfig);
    let value = document.get("result").or(gone.then_some(&Value::Null));
    let has_result = value.is_some_and(|value| !(nulls && has_error && value.is_null()));
    match (has_result, has_error) {
        (true, false) if document.get("result").is_none() => {
            notes.breaks(Rule::ResultXorError, &cursor.at, "a result, even if it is null", "neither result nor error");
        }
        (true, false) | (false, true) => notes.holds(Rule::ResultXorError),
        (true, true) => {
            notes.breaks(Rule::ResultXorError, &cursor.at, "exactly one of result and error", "both result and error");
        }
        (false, false) => {
            let what = format!("HTTP {status} with {}", Cursor::root(document).describe());
            notes.breaks(Rule::ResultXorError, &cursor.at, "exactly one of result and error", "neither");
            return Enveloped::Neither(format!("{what}: neither result nor error"));
        }
    }
    if let Some(error) = cursor.member("error") {
        return Enveloped::Error(read_error(dialect, &error, status, notes));
    }
    match value {
        Some(value) => Enveloped::Result(result(&cursor.elsewhere(value, cursor.at.key("result")), notes)),
        None => Enveloped::Neither("neither result nor error".to_owned()),
    }
}

/// Reads an error object (1.0 §9.5).
fn read_error(dialect: &Dialect, cursor: &Cursor<'_>, status: u16, notes: &mut Notes) -> AgentError {
    let code_look = cursor.member("code");
    let number = code_look.as_ref().and_then(|cursor| integer(cursor.value));
    // A code that is a text is one finding, and read all the same.
    let text = || code_look.as_ref()?.value.as_str()?.parse().ok();
    let code = number.or_else(text);
    let message = cursor.member("message");
    let well_formed = number.is_some() && message.as_ref().is_some_and(|cursor| cursor.value.is_string());
    let finding = ("an integer code and a string message", cursor.describe());
    notes.judge(Rule::ErrorObject, well_formed, &cursor.at, finding);
    let message = message.and_then(|cursor| cursor.value.as_str().map(str::to_owned));
    judge_message(message.as_ref(), cursor, notes);
    let name = code.and_then(|code| dialect.error_name(code));
    if let Some(code) = code {
        // JSON-RPC 2.0 §5.1 and 1.0 §9.5: standard codes, implementation-defined server errors, A2A's own range.
        let known = name.is_some() || (-32099..=-32000).contains(&code);
        let finding = ("a standard JSON-RPC code, or one in -32099..-32000", code.to_string());
        notes.judge(Rule::ErrorCodeRange, known, &cursor.at.key("code"), finding);
    }
    let data = cursor.member("data");
    let wanted = name.and_then(|name| dialect.error_reason(name));
    if let Some(data) = &data {
        if data.value.is_array() {
            notes.holds(Rule::ErrorDataArray);
        } else if wanted.is_some() || !data.value.is_object() {
            // T-ERR-3: with an error of JSON-RPC's own, 1.0.0 itself shows an object.
            notes.breaks(Rule::ErrorDataArray, &data.at, "an array of detail objects", data.describe());
        }
    }
    let details = Details::read(data.as_ref(), notes);
    if let Some(wanted) = wanted {
        details.judge_info(wanted, notes);
        let finding = (format!("a google.rpc.ErrorInfo with reason \"{wanted}\" in data"), "none");
        notes.judge(Rule::ErrorInfo, details.reason.is_some(), &cursor.at.key("data"), finding);
    }
    AgentError { code, name, message, reason: details.reason, status, at: cursor.at.clone(), ..AgentError::default() }
}

/// Reads the data of one frame: a complete JSON-RPC response (1.0 §9.4.2).
fn event(dialect: &Dialect, sent: &SentCall, data: &str, notes: &mut Notes) -> StreamItemKind {
    let root = Pointer::root();
    let Some(document) = event_document(dialect, data, notes) else {
        return StreamItemKind::Unreadable("data that is not JSON".to_owned());
    };
    let (expected, shown) = ("a JSON-RPC response with result or error", brief(&document, 80));
    let enveloped_at_all = ["jsonrpc", "id", "result", "error"].iter().any(|name| document.get(name).is_some());
    if document.is_object() && !enveloped_at_all {
        // The bare event of another binding: one finding, and the event is read all the same.
        notes.breaks(Rule::SseEnvelope, &root, expected, shown);
        return StreamItemKind::Event((dialect.read_event)(dialect, &Cursor::kept(&document), notes));
    }
    if !is_response(&document) {
        let what = format!("data that is {shown}");
        notes.breaks(Rule::SseEnvelope, &root, expected, shown);
        return StreamItemKind::Unreadable(what);
    }
    let enveloped = envelope(dialect, sent, &document, 200, Rule::SseId, notes, |cursor, notes| {
        (dialect.read_event)(dialect, cursor, notes)
    });
    let kind = match enveloped {
        Enveloped::Result(event) => StreamItemKind::Event(event),
        Enveloped::Error(error) => StreamItemKind::Error(error),
        Enveloped::Neither(what) => StreamItemKind::Unreadable(what),
    };
    notes.judge(Rule::SseEnvelope, !matches!(kind, StreamItemKind::Unreadable(_)), &root, (expected, shown));
    kind
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::reply::Reply;
    use super::*;
    use crate::a2a::dialect::v0_3::V0_3;
    use crate::a2a::dialect::v1_0::V1_0;
    use crate::a2a::model::Payload;
    use crate::wire::exchange::{End, Exchange, Response};

    #[test]
    fn an_array_answers_a_batch_and_nothing_else() {
        let batch = json!([{ "jsonrpc": "2.0", "id": 1, "result": {} }]);
        for is_form_open in [true, false] {
            let mut notes = Notes::default();
            let sent = SentCall { is_form_open, ..SentCall::default() };
            let kind = read(&V1_0, &sent, &Rc::new(batch.clone()), 200, &mut notes);
            assert!(matches!(kind, ReplyKind::Unreadable(_)));
            assert_eq!(notes.broken(Rule::RpcResponse).is_none(), is_form_open);
        }
    }

    #[test]
    fn what_is_no_response_breaks_one_rule() {
        let sent = || SentCall { id: Some(Value::from(1)), ..SentCall::default() };
        for (document, is_response) in [
            (json!({ "error": "Invalid request body", "issues": [] }), false),
            (json!({ "detail": [{ "loc": ["body"], "msg": "Field required" }] }), false),
            (json!({ "error": { "code": 400, "status": "INVALID_ARGUMENT", "message": "no" } }), false),
            (json!({}), false),
            (json!("no"), false),
            (json!({ "jsonrpc": "2.0" }), true),
            (json!({ "id": 1, "error": "no" }), true),
            (json!({ "result": {} }), true),
            (json!({ "error": { "code": -32601, "message": "no" } }), true),
        ] {
            let mut notes = Notes::default();
            read(&V1_0, &sent(), &Rc::new(document.clone()), 400, &mut notes);
            assert_eq!(notes.broken(Rule::RpcResponse).is_none(), is_response, "{document}");
            if !is_response {
                assert_eq!(notes.deviations().count(), 1, "{document}");
            }
        }
    }

    #[test]
    fn what_cannot_be_seen_beside_an_event_is_named_and_read_past() {
        let data = "\u{1e}{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"no\"}}";
        let sent = SentCall { id: Some(Value::from(1)), ..SentCall::default() };
        let mut notes = Notes::default();
        assert!(matches!(event(&V1_0, &sent, data, &mut notes), StreamItemKind::Error(_)));
        assert!(notes.broken(Rule::SseJson).unwrap().actual.starts_with("U+001E RECORD SEPARATOR beside"));
        assert_eq!(notes.deviations().count(), 1);
    }

    /// What is noted of an answer with this field and body.
    fn read_body(content_encoding: &str, body: &[u8]) -> Reply {
        let headers = [("content-type", "application/json"), ("content-encoding", content_encoding)];
        let headers = headers.into_iter().collect();
        let response = Response { status: 200, headers, body: body.to_vec(), ..Response::default() };
        let exchange = Exchange {
            response: Some(response),
            end: End::Complete,
            ..Exchange::begun(1, Request::get("https://a.test"), 0.0)
        };
        let sent = SentCall { id: Some(Value::from(1)), ..SentCall::default() };
        reply(&JSONRPC, &V1_0, &sent, &exchange)
    }

    #[test]
    fn beside_a_document_there_is_white_space_behind_it_and_nothing_else() {
        let document = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}"#;
        for (behind, holds) in
            [("", true), (" \r\n\t\n", true), ("\0", false), ("}", false), (document, false), ("\n#", false)]
        {
            let read = read_body("", format!("{document}{behind}").as_bytes());
            assert!(matches!(read.kind, ReplyKind::Error(_)), "{behind:?}");
            assert_eq!(read.notes.seen(Rule::JsonBody), 1, "{behind:?}");
            assert_eq!(read.notes.broken(Rule::JsonBody).is_none(), holds, "{behind:?}");
            let mut notes = Notes::default();
            let sent = SentCall { id: Some(Value::from(1)), ..SentCall::default() };
            let event = event(&V1_0, &sent, &format!("{document}{behind}"), &mut notes);
            assert!(matches!(event, StreamItemKind::Error(_)), "{behind:?}");
            assert_eq!(notes.broken(Rule::SseJson).is_none(), holds, "{behind:?}");
        }
        let marked = read_body("", format!("\u{feff}{document}").as_bytes());
        assert!(matches!(marked.kind, ReplyKind::Error(_)));
        let broken = marked.notes.broken(Rule::JsonBody).map(|broken| broken.actual.as_str());
        assert_eq!(broken, Some("the text starts with a byte order mark"));
        // A text that begins with a number is no document with something behind it.
        assert_eq!(read_body("", b"404 page not found").notes.seen(Rule::JsonBody), 0);
    }

    #[test]
    fn a_body_that_still_has_a_coding_is_no_answer_and_breaks_no_rule() {
        let coded = b"\x28\xb5\x2f\xfd\x24";
        let read = read_body("zstd", coded);
        let what = "the body has the content coding \"zstd\", which is not decoded here";
        assert!(matches!(&read.kind, ReplyKind::NoAnswer(why) if why == what), "{:?}", read.kind);
        assert_eq!(read.notes.deviations().count(), 0);
        // A browser has decoded these, and text has none.
        assert!(matches!(read_body("gzip, br", coded).kind, ReplyKind::Unreadable(_)));
        assert!(matches!(read_body("utf-8", b"no").kind, ReplyKind::Unreadable(_)));
    }

    #[test]
    fn a_deletion_without_a_result_succeeds_and_breaks_the_envelope() {
        for (document, fits) in [
            (json!({ "jsonrpc": "2.0", "id": 1, "result": null }), true),
            (json!({ "jsonrpc": "2.0", "id": 1 }), false),
        ] {
            let sent = SentCall {
                id: Some(Value::from(1)),
                operation: Some(Operation::DeletePushConfig),
                ..SentCall::default()
            };
            let mut notes = Notes::default();
            let kind = read(&V0_3, &sent, &Rc::new(document), 200, &mut notes);
            assert!(matches!(kind, ReplyKind::Result(Payload::Nothing)), "{kind:?}");
            assert_eq!(notes.broken(Rule::ResultXorError).is_none(), fits);
        }
    }

    #[test]
    fn only_an_error_about_what_is_no_call_may_have_no_id() {
        for (operation, answer, id, fits) in [
            (None, "error", Value::Null, true),
            (Some(Operation::GetTask), "error", Value::Null, false),
            (None, "result", Value::Null, false),
            (Some(Operation::GetTask), "result", Value::from(1), true),
            (None, "error", Value::from(2), false),
        ] {
            let content = if answer == "error" { json!({ "code": -32700, "message": "no" }) } else { json!({}) };
            let document = json!({ "jsonrpc": "2.0", "id": id, answer: content });
            let sent = SentCall { id: Some(Value::from(1)), operation, ..SentCall::default() };
            let mut notes = Notes::default();
            read(&V1_0, &sent, &Rc::new(document.clone()), 200, &mut notes);
            assert_eq!(notes.broken(Rule::RpcId).is_none(), fits, "{operation:?} {document}");
        }
    }

    #[test]
    fn a_stream_that_was_not_read_to_its_first_event_is_no_answer() {
        let headers = [("content-type", "text/event-stream")].into_iter().collect();
        let response = Response { status: 200, headers, ..Response::default() };
        let end = End::Deadline("the 45 s allowed for the first event".to_owned());
        let begun = Exchange::begun(1, Request::get("https://a.test"), 0.0);
        let exchange = Exchange { response: Some(response), end, ..begun };
        let kind = |exchange: &Exchange| reply(&JSONRPC, &V1_0, &SentCall::default(), exchange).kind;
        assert!(matches!(kind(&exchange), ReplyKind::NoAnswer(why) if why.starts_with("no event came: ")));
        let whole = Exchange { end: End::Complete, ..exchange };
        assert!(matches!(kind(&whole), ReplyKind::Stream(items) if items.is_empty()));
    }
}
