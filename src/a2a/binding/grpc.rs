//! The gRPC binding (1.0 §10): a method of the service for each operation, messages of Protocol Buffers, and a status at the end.
//! Requests and answers are JSON here, as they are recorded; `grpc_codec` has their bytes.

use std::rc::Rc;

use serde_json::Value;

use super::call::{Call, SentCall};
use super::definition::Binding;
use super::grpc_address::base_url;
use super::read_reply::{
    Details, call_metadata, is_gateway_failure, judge_message, members_of_params, result, unanswered_behind_gateway,
};
use super::reply::{Reply, ReplyKind, StreamItem, StreamItemKind, bars};
use crate::a2a::cursor::Cursor;
use crate::a2a::dialect::{Dialect, GrpcService};
use crate::a2a::grpc_codec::{DETAILS, MESSAGE, STATUS};
use crate::a2a::model::{AgentError, ErrorName, Interface, Operation, Payload};
use crate::a2a::rule::{Notes, Rule};
use crate::wire::exchange::{Exchange, GrpcAnswer, Response};
use crate::wire::grpc::{MEDIA_TYPE, code_name, http_status};
use crate::wire::http::{Headers, Request};
use crate::wire::json::{self, Pointer};
use crate::wire::protobuf::{ProtoFlawKind, encode};

/// gRPC over HTTP/2, or gRPC-Web where a host has no trailers.
pub static GRPC: Binding = Binding {
    id: "GRPC",
    slug: "grpc",
    title: "gRPC",
    media_types: &["application/grpc", MEDIA_TYPE],
    one_document: "one message of the method's response",
    form: Rule::GrpcStatus,
    has_form: |_, _, _| true,
    url: base_url,
    request,
    may_be_empty: |_, _| false,
    blames_verb: |_, _| false,
    wordless: |_, _| None,
    reply,
    read,
    event,
};

fn request(dialect: &Dialect, interface: &Interface, call: &Call) -> Result<Request, String> {
    let service = service_of(dialect)?;
    let named = call.operation.and_then(|operation| service.method(operation));
    let method = call.method.as_deref().or(named).ok_or_else(|| "the service has no such method".to_owned())?;
    let base = base_url(&interface.url).map_err(|problem| problem.to_string())?;
    let body = match (&call.body, service.schema.method(method)) {
        (Some(body), _) => body.clone(),
        (None, None) => Vec::new(),
        (None, Some(known)) => {
            let params = members_of_params(call, interface).map_err(|kind| format!("a message cannot be {kind}"))?;
            let params = match call.operation.filter(|_| call.method.is_none()) {
                Some(operation) => (service.pack)(operation, params)?,
                None => params,
            };
            let params = Value::Object(params);
            // T-GRPC-4: a member that the message has no field for cannot be sent.
            encode(service.schema, known.request, &params)?;
            params.to_string().into_bytes()
        }
    };
    let url = format!("{base}/{}/{method}", service.schema.service());
    let mut request = Request::post(url, call.media_type.unwrap_or(MEDIA_TYPE), body);
    call_metadata(&mut request, dialect, call);
    Ok(request)
}

fn service_of(dialect: &Dialect) -> Result<&GrpcService, String> {
    dialect.grpc.as_ref().ok_or_else(|| format!("this checker has no gRPC service of A2A {}", dialect.version))
}

fn reply(binding: &Binding, dialect: &Dialect, sent: &SentCall, exchange: &Exchange) -> Reply {
    let Some(response) = &exchange.response else {
        return Reply { kind: ReplyKind::NoAnswer(exchange.end.no_answer()), ..Reply::default() };
    };
    let mut notes = Notes::default();
    let Some(answer) = &response.grpc else {
        return without_grpc(sent, response, notes);
    };
    let mut items = Vec::new();
    for (index, timed) in response.frames.iter().enumerate() {
        notes.within(format!("message {}: ", index + 1));
        items.push(StreamItem { at_ms: timed.at_ms, kind: event(dialect, sent, &timed.frame.data, &mut notes) });
    }
    notes.within("");
    note_flaws(sent, answer, &mut notes);
    let status = match status_of(answer) {
        Some(status) => status,
        // A client that stopped reading does not know the status.
        None if exchange.end != crate::wire::exchange::End::Complete => {
            return match exchange.end.cut() {
                Some(cut) if items.is_empty() => Reply { kind: ReplyKind::NoAnswer(cut), notes, document: None },
                _ => Reply { kind: ReplyKind::Stream(items), notes, document: None },
            };
        }
        None if hides_status(response) => {
            let why = "the browser hides its status from the page (expose the header grpc-status)".to_owned();
            return Reply { kind: ReplyKind::NoAnswer(why), notes, document: None };
        }
        None => {
            notes.breaks(Rule::GrpcStatus, &Pointer::root(), "a status at the end (grpc-status)", "none");
            return Reply { kind: unknown_end(items, "an answer that ends without a status"), notes, document: None };
        }
    };
    let Some(code) = status.parse().ok().and_then(code_name) else {
        notes.breaks(Rule::GrpcStatus, &Pointer::root(), "grpc-status from 0 to 16", format!("\"{status}\""));
        return Reply { kind: unknown_end(items, "a status that gRPC does not have"), notes, document: None };
    };
    notes.holds(Rule::GrpcStatus);
    if code != "OK" {
        let number = status.parse().unwrap_or_default();
        if items.is_empty() && code == "DEADLINE_EXCEEDED" {
            // The deadline is the one that the call named, or that of somebody before the agent.
            let why = "it returned DEADLINE_EXCEEDED, as the time for the call had run out".to_owned();
            return Reply { kind: ReplyKind::NoAnswer(why), notes, document: None };
        }
        if items.is_empty() && bars(http_status(number)) {
            return Reply { kind: ReplyKind::Unavailable(http_status(number)), notes, document: None };
        }
        let error = read_error(dialect, sent, response, (number, code), &mut notes);
        let document = status_document(answer).map(Rc::new);
        let kind = if items.is_empty() {
            ReplyKind::Error(error)
        } else {
            items.push(StreamItem { at_ms: exchange.end_ms, kind: StreamItemKind::Error(error) });
            ReplyKind::Stream(items)
        };
        return Reply { kind, notes, document };
    }
    if answer.streams {
        return Reply { kind: ReplyKind::Stream(items), notes, document: None };
    }
    let Some(document) = json::read(&response.body).map(Rc::new) else {
        notes.breaks(Rule::GrpcMessage, &Pointer::root(), binding.one_document, "OK without a message");
        return Reply { kind: ReplyKind::Unreadable("OK without a message".to_owned()), notes, document: None };
    };
    let kind = read(dialect, sent, &document, 200, &mut notes);
    Reply { kind, notes, document: Some(document) }
}

/// Whether a browser keeps the status of an answer over gRPC-Web from a page: one that is in the head of an answer without a body, among
/// headers that CORS does not expose. Over HTTP/2 itself every header is seen.
#[must_use]
pub fn hides_status(response: &Response) -> bool {
    is_trailers_only(response) && response.grpc.as_ref().is_some_and(|answer| answer.trailers.is_none())
}

/// Whether an answer is one of gRPC-Web whose trailers can only be among its headers.
fn is_trailers_only(response: &Response) -> bool {
    let is_web = response.headers.media_type().is_some_and(|media| media.starts_with("application/grpc-web"));
    is_web && response.bytes == 0
}

/// The reply of an answer whose end says nothing: the events of a stream are there all the same.
fn unknown_end(items: Vec<StreamItem>, what: &str) -> ReplyKind {
    if items.is_empty() { ReplyKind::Unreadable(what.to_owned()) } else { ReplyKind::Stream(items) }
}

/// An answer that is not one of gRPC: of a proxy, or of another server.
fn without_grpc(sent: &SentCall, response: &Response, mut notes: Notes) -> Reply {
    let status = response.status;
    if bars(status) {
        return Reply { kind: ReplyKind::Unavailable(status), notes, document: None };
    }
    if is_gateway_failure(status) {
        return Reply { kind: unanswered_behind_gateway(status), notes, document: None };
    }
    let media = response.headers.media_type().unwrap_or_else(|| "no Content-Type".to_owned());
    let what = format!("HTTP {status} with {media}");
    if !sent.is_form_open {
        notes.breaks(Rule::GrpcStatus, &Pointer::root(), "an answer over gRPC", what.clone());
    }
    Reply { kind: ReplyKind::Unreadable(what), notes, document: None }
}

fn status_of(answer: &GrpcAnswer) -> Option<&str> {
    answer.trailers.as_ref().and_then(|trailers| trailers.get(STATUS))
}

fn note_flaws(sent: &SentCall, answer: &GrpcAnswer, notes: &mut Notes) {
    let is_deletion = sent.operation == Some(Operation::DeletePushConfig);
    notes.holds(Rule::GrpcMessage);
    for each in &answer.flaws {
        let rule = match each.flaw.kind {
            ProtoFlawKind::Malformed if is_deletion => Rule::PushDeleted,
            // A string of Protocol Buffers is UTF-8, and readers refuse a message with another one.
            ProtoFlawKind::Malformed | ProtoFlawKind::NotUtf8 => Rule::GrpcMessage,
            // It may be well-formed all the same: a limit of ours is not the agent's fault.
            ProtoFlawKind::TooDeep => continue,
        };
        if answer.streams {
            notes.within(format!("message {}: ", each.message));
        }
        notes.breaks(rule, &each.flaw.at, each.flaw.expected.clone(), each.flaw.actual.clone());
        notes.within("");
    }
}

/// The google.rpc.Status of a refusal, if there is one.
fn status_document(answer: &GrpcAnswer) -> Option<Value> {
    json::read(answer.trailers.as_ref()?.get(DETAILS)?.as_bytes())
}

/// Reads the status of a refusal (1.0 §10.6).
fn read_error(
    dialect: &Dialect,
    sent: &SentCall,
    response: &Response,
    (number, code): (u32, &'static str),
    notes: &mut Notes,
) -> AgentError {
    let empty = Headers::new();
    let answer = response.grpc.as_deref();
    let trailers = answer.and_then(|answer| answer.trailers.as_ref()).unwrap_or(&empty);
    // Headers that CORS does not expose are not known to be absent.
    let is_hidden = |name: &str| is_trailers_only(response) && trailers.get(name).is_none();
    let status = answer.and_then(status_document).unwrap_or_default();
    let cursor = Cursor::root(&status);
    let message = trailers.get(MESSAGE).map(str::to_owned).or_else(|| cursor.text("message"));
    if !is_hidden(MESSAGE) {
        judge_message(message.as_ref(), &cursor, notes);
    }
    let details = Details::read(cursor.member("details").as_ref(), notes);
    let name = details.reason.as_deref().and_then(|reason| dialect.error_of_reason(reason));
    let may_be = dialect.grpc.as_ref().map_or(&[][..], |service| service.errors_of(code));
    if let Some(name) = name {
        let finding = (format!("the status code of {}", name.as_str()), code.to_owned());
        notes.judge(Rule::GrpcErrorCode, may_be.contains(&name), &cursor.at, finding);
    }
    // By its code alone only a missing task is sure to be an error of A2A's own.
    let names_task = matches!(sent.operation, Some(Operation::GetTask | Operation::CancelTask));
    let sure = (code == "NOT_FOUND" && names_task).then_some(ErrorName::TaskNotFound);
    // Before 1.0 there are no reasons.
    if (name.is_some() || sure.is_some()) && !dialect.error_reasons.is_empty() && !is_hidden(DETAILS) {
        let finding = ("a google.rpc.ErrorInfo in grpc-status-details-bin", "none");
        notes.judge(Rule::GrpcErrorInfo, details.reason.is_some(), &cursor.at.key("details"), finding);
    }
    if let Some(wanted) = name.or(sure).and_then(|name| dialect.error_reason(name)) {
        details.judge_info(wanted, notes);
    }
    let may_be = if name.is_none() { may_be } else { &[] };
    let (status, at) = (http_status(number), cursor.at.clone());
    AgentError { code: None, grpc_code: Some(code), name, message, may_be, reason: details.reason, status, at }
}

fn read(dialect: &Dialect, sent: &SentCall, document: &Rc<Value>, _: u16, notes: &mut Notes) -> ReplyKind {
    let cursor = Cursor::kept(document);
    if sent.operation == Some(Operation::DeletePushConfig) {
        notes.holds(Rule::PushDeleted);
        return ReplyKind::Result(Payload::Nothing);
    }
    ReplyKind::Result(result(dialect, sent, &cursor, notes))
}

fn event(dialect: &Dialect, _: &SentCall, data: &str, notes: &mut Notes) -> StreamItemKind {
    match json::read(data.as_bytes()).map(Rc::new) {
        Some(document) => StreamItemKind::Event((dialect.read_event)(dialect, &Cursor::kept(&document), notes)),
        None => StreamItemKind::Unreadable("a message that cannot be read".to_owned()),
    }
}

#[cfg(test)]
mod tests;
