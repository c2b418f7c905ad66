//! What the bindings share: the header fields of a request, reading an exchange into a document or events, and the typed details of
//! errors.

use std::rc::Rc;

use super::call::{Call, SentCall, VersionSelection};
use super::definition::Binding;
use super::reply::{Reply, ReplyKind, StreamItem, StreamItemKind, bars};
use crate::a2a::cursor::Cursor;
use crate::a2a::dialect::Dialect;
use crate::a2a::model::{Interface, Operation, Payload};
use crate::a2a::rule::{Notes, Rule};
use crate::a2a::snake_case::in_camel_case;
use crate::wire::exchange::{Exchange, Response};
use crate::wire::http::Request;
use crate::wire::invisible::name_of;
use crate::wire::json::{Flaw, FlawKind, Map, Parsed, Pointer, Value, parse, type_name};
use crate::wire::limits::MOST_LEVELS;

/// The type URL of the detail object that names an A2A error (1.0 §9.5, §11.6).
pub const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";

/// The domain of A2A's own errors in that object (1.0 §10.6, §11.6).
const A2A_DOMAIN: &str = "a2a-protocol.org";

/// Adds the header fields of a call: what is accepted, and its metadata.
pub(super) fn service_parameters(request: &mut Request, dialect: &Dialect, call: &Call, accepts: &str) {
    let streams = call.operation.is_some_and(Operation::streams);
    let accept = if streams { format!("text/event-stream, {accepts}") } else { accepts.to_owned() };
    request.headers.push("accept", accept);
    call_metadata(request, dialect, call);
}

/// Adds what describes a call itself: version and extensions (1.0 §3.2.6), and the user's own fields.
pub(super) fn call_metadata(request: &mut Request, dialect: &Dialect, call: &Call) {
    match (&call.version, dialect.version_header) {
        (VersionSelection::Declared, Some(header)) => request.headers.push(header, dialect.version),
        (VersionSelection::Other(version), Some(header)) => request.headers.push(header, version.as_str()),
        (VersionSelection::Absent, _) | (_, None) => {}
    }
    let extensions = call.extensions.as_ref().filter(|list| !list.is_empty());
    if let (Some(extensions), Some(header)) = (extensions, dialect.extensions_header) {
        request.headers.push(header, extensions.join(", "));
    }
    for (name, value) in &call.headers {
        request.headers.replace(name, value.as_str());
    }
}

/// The parameters of a call as an object, with the interface's tenant, which requests carry (1.0 §8.3.2); or what they are.
pub(super) fn members_of_params(call: &Call, interface: &Interface) -> Result<Map<String, Value>, &'static str> {
    let mut params = match &call.params {
        Some(Value::Object(map)) => map.clone(),
        None => Map::new(),
        Some(other) => return Err(type_name(other)),
    };
    if let Some(tenant) = &interface.tenant {
        params.entry("tenant").or_insert_with(|| Value::from(tenant.as_str()));
    }
    Ok(params)
}

/// The result in the answer to a call.
pub(super) fn result(dialect: &Dialect, sent: &SentCall, cursor: &Cursor<'_>, notes: &mut Notes) -> Payload {
    sent.operation.map_or(Payload::Nothing, |operation| (dialect.read_result)(dialect, operation, cursor, notes))
}

/// Whether an error has a message for people.
pub(super) fn judge_message(message: Option<&String>, error: &Cursor<'_>, notes: &mut Notes) {
    let speaks = message.is_some_and(|text| !text.trim().is_empty());
    let finding = ("a non-empty error message", "a missing or empty message");
    notes.judge(Rule::ErrorMessage, speaks, &error.at.key("message"), finding);
}

impl Binding {
    /// Reads the reply out of a recorded exchange: the same exchange always gives the same reply.
    #[must_use]
    pub fn reply(&self, dialect: &Dialect, sent: &SentCall, exchange: &Exchange) -> Reply {
        (self.reply)(self, dialect, sent, exchange)
    }
}

/// The reply of an exchange whose answer is JSON, or a stream of server-sent events with JSON in them.
pub(super) fn reply(binding: &Binding, dialect: &Dialect, sent: &SentCall, exchange: &Exchange) -> Reply {
    let Some(response) = &exchange.response else {
        return Reply { kind: ReplyKind::NoAnswer(exchange.end.no_answer()), ..Reply::default() };
    };
    if bars(response.status) {
        return Reply { kind: ReplyKind::Unavailable(response.status), ..Reply::default() };
    }
    if response.is_event_stream() {
        let stream = stream_reply(binding, dialect, sent, response);
        // A client that stopped reading before the first event does not know the answer.
        return match (&stream.kind, exchange.end.cut()) {
            (ReplyKind::Stream(items), Some(cut)) if items.is_empty() => {
                Reply { kind: ReplyKind::NoAnswer(format!("no event came: {cut}")), ..stream }
            }
            _ => stream,
        };
    }
    if let Some(kind) = exchange.end.cut() {
        return Reply { kind: ReplyKind::NoAnswer(kind), ..Reply::default() };
    }
    unary_reply(binding, dialect, sent, response)
}

fn unary_reply(binding: &Binding, dialect: &Dialect, sent: &SentCall, response: &Response) -> Reply {
    let mut notes = Notes::default();
    let root = Pointer::root();
    if response.body.is_empty() && (binding.may_be_empty)(sent, response.status) {
        notes.holds(Rule::PushDeleted);
        return Reply { kind: ReplyKind::Result(Payload::Nothing), notes, document: None };
    }
    if let Some(why) = response.undecoded() {
        return Reply { kind: ReplyKind::NoAnswer(why), notes, document: None };
    }
    let parsed = parse(&response.body);
    if !response.body.is_empty() {
        let utf8 = !parsed.flaws.iter().any(|flaw| flaw.kind == FlawKind::NotUtf8);
        notes.judge(Rule::Utf8, utf8, &root, ("UTF-8", "bytes that are not UTF-8"));
    }
    if let Some(flaw) = parsed.flaws.iter().find(|flaw| flaw.kind == FlawKind::TooDeep) {
        // It may be JSON all the same: a limit of ours is not the agent's fault.
        return Reply { kind: ReplyKind::NoAnswer(format!("{}: reading stopped", flaw.detail)), notes, document: None };
    }
    let Some(document) = parsed.value else {
        if is_gateway_failure(response.status) {
            return Reply { kind: unanswered_behind_gateway(response.status), ..Reply::default() };
        }
        let what = unreadable(response, parsed.flaws.first().map(|flaw| (flaw.kind, flaw.detail.as_str())));
        if (binding.has_form)(dialect, sent, response.status) && !is_form_open(sent, response) {
            notes.breaks(binding.form, &root, binding.one_document, what.clone());
        }
        // An HTML page comes from a web framework and is not an error of the protocol.
        let page = response.headers.media_type().is_some_and(|media| media.contains("html"));
        if let Some(error) = (binding.wordless)(dialect, response.status).filter(|_| !page) {
            notes.breaks(Rule::StatusBody, &root, "an error as a JSON object", what);
            return Reply { kind: ReplyKind::Error(error), notes, document: None };
        }
        return Reply { kind: ReplyKind::Unreadable(what), notes, document: None };
    };
    // Parameters such as charset are fine.
    let media = response.headers.media_type();
    let fits = media.as_deref().is_some_and(|media| binding.media_types.contains(&media));
    let actual = media.unwrap_or_else(|| "no Content-Type".to_owned());
    let finding = (format!("Content-Type: {}", binding.media_types.join(" or ")), actual);
    // A stream in another format, such as a document in each line, is judged by its own checks.
    let is_stream = !fits && sent.operation.is_some_and(Operation::streams);
    if !is_stream {
        notes.judge(Rule::MediaType, fits, &root, finding);
    }
    let readable = named(dialect, &document).map(Rc::new);
    let document = Rc::new(document);
    let kind = (binding.read)(dialect, sent, readable.as_ref().unwrap_or(&document), response.status, &mut notes);
    match kind {
        ReplyKind::Unreadable(_) if is_gateway_failure(response.status) => {
            Reply { kind: unanswered_behind_gateway(response.status), ..Reply::default() }
        }
        kind => {
            // T-RPC-19: what is no answer of the binding may be no JSON either.
            if !is_stream && !matches!(kind, ReplyKind::Unreadable(_)) && !is_form_open(sent, response) {
                let besides = text_besides(&parsed.flaws);
                let finding = (binding.one_document, besides.unwrap_or_default());
                notes.judge(Rule::JsonBody, besides.is_none(), &root, finding);
            }
            Reply { kind, notes, document: Some(document) }
        }
    }
}

/// What says that a body has something besides its value: text behind it, or a byte order mark, which a client may refuse (RFC 8259 §8.1).
fn text_besides(flaws: &[Flaw]) -> Option<&str> {
    let mark = flaws.iter().find(|flaw| flaw.kind == FlawKind::ByteOrderMark).map(|flaw| flaw.detail.as_str());
    text_behind(flaws).or(mark)
}

/// What says that there is text behind a value, where JSON has one value and white space (RFC 8259 §2).
fn text_behind(flaws: &[Flaw]) -> Option<&str> {
    flaws.iter().find(|flaw| flaw.kind == FlawKind::TrailingText).map(|flaw| flaw.detail.as_str())
}

/// Whether a gateway or proxy says by this status that the agent behind it gave no valid answer, or none in time (RFC 9110
/// §15.6.3, §15.6.5). An agent that uses it itself sends an error of the protocol with it (T-ERR-15).
#[must_use]
pub const fn is_gateway_failure(status: u16) -> bool {
    matches!(status, 502 | 504)
}

/// The reply where a gateway says so in the agent's place: no answer.
#[must_use]
pub fn unanswered_behind_gateway(status: u16) -> ReplyKind {
    let what = if status == 504 { "no response from the agent in time" } else { "no valid response from the agent" };
    ReplyKind::NoAnswer(format!("HTTP {status} (a gateway or proxy got {what})"))
}

/// The document as it is read, where another check notes the spelling of its names.
fn named(dialect: &Dialect, document: &Value) -> Option<Value> {
    in_camel_case(document).filter(|_| dialect.forms.camel_case)
}

/// Whether something other than the agent's endpoint may have answered, or no answer was required.
fn is_form_open(sent: &SentCall, response: &Response) -> bool {
    // T-ERR-14: gateways and limits of size and time stand before an agent and know nothing of its binding. An agent that takes
    // a request without an id for a notification does not answer (JSON-RPC 2.0 §4.1).
    let is_silent = response.body.is_empty() && response.status < 300 && sent.id.is_none();
    sent.is_form_open || is_of_a_gateway(response.status) || is_silent
}

/// Whether a status is one of those that stand before an agent.
pub(super) const fn is_of_a_gateway(status: u16) -> bool {
    matches!(status, 408 | 413 | 414 | 431) || is_gateway_failure(status)
}

/// The flaw of a body that is not JSON, in one phrase.
fn unreadable(response: &Response, flaw: Option<(FlawKind, &str)>) -> String {
    let status = response.status;
    let media = response.headers.media_type().unwrap_or_default();
    match flaw {
        Some((FlawKind::Empty, _)) | None => format!("HTTP {status} with an empty body"),
        Some((FlawKind::NotJson, _)) if media.contains("html") => format!("HTTP {status} with an HTML page"),
        Some((_, detail)) => format!("HTTP {status} with a body that is not JSON ({detail})"),
    }
}

fn stream_reply(binding: &Binding, dialect: &Dialect, sent: &SentCall, response: &Response) -> Reply {
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
        if let Some(detail) = too_deep(&timed.frame.data) {
            notes.within("");
            return Reply { kind: ReplyKind::NoAnswer(format!("{detail}: reading stopped")), notes, document: None };
        }
        notes.within(format!("event {}: ", index + 1));
        let kind = (binding.event)(dialect, sent, &timed.frame.data, &mut notes);
        items.push(StreamItem { at_ms: timed.at_ms, kind });
    }
    notes.within("");
    // T-STR-9: a refusal may come as the only event of a stream.
    let kind = match items.as_slice() {
        [StreamItem { kind: StreamItemKind::Error(error), .. }] => ReplyKind::Error(error.clone()),
        _ => ReplyKind::Stream(items),
    };
    Reply { kind, notes, document: None }
}

/// Which limit of ours an event exceeds: it may be JSON all the same, as a body may.
fn too_deep(data: &str) -> Option<String> {
    let opened = data.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count();
    // Few events have to be read twice for it.
    let flaws = if opened > MOST_LEVELS { parse(data.as_bytes()).flaws } else { Vec::new() };
    flaws.into_iter().find(|flaw| flaw.kind == FlawKind::TooDeep).map(|flaw| flaw.detail)
}

/// The JSON value of an event's data. Characters that cannot be seen and do not belong there are named, and read past.
pub(super) fn event_document(dialect: &Dialect, data: &str, notes: &mut Notes) -> Option<Rc<Value>> {
    let document = event_value(data, notes)?;
    Some(Rc::new(named(dialect, &document).unwrap_or(document)))
}

fn event_value(data: &str, notes: &mut Notes) -> Option<Value> {
    let root = Pointer::root();
    let parsed = parse(data.as_bytes());
    if let Some(document) = parsed.value.filter(|_| text_behind(&parsed.flaws).is_none()) {
        notes.holds(Rule::SseJson);
        return Some(document);
    }
    let is_invisible = |character: char| character.is_control() || character == '\u{feff}' || character == '\u{200b}';
    let Parsed { value: document, flaws } = parse(data.trim_matches(is_invisible).as_bytes());
    let odd = data.chars().find(|character| is_invisible(*character)).filter(|_| document.is_some());
    let shown: String = data.chars().filter(|character| !is_invisible(*character)).take(80).collect();
    let actual = match (text_behind(&flaws), odd) {
        (Some(behind), _) => behind.to_owned(),
        (None, Some(character)) => format!("{} beside \"{shown}\"", name_of(character)),
        (None, None) => format!("\"{shown}\""),
    };
    notes.breaks(Rule::SseJson, &root, "data that is one JSON value", actual);
    document
}

/// The typed details of an error: `error.data` of JSON-RPC, `error.details` of HTTP. They are optional altogether.
#[derive(Debug, Default)]
pub(super) struct Details {
    /// `reason` of the `ErrorInfo` among them.
    pub(super) reason: Option<String>,
    domain: Option<String>,
    /// Where the `ErrorInfo` stands.
    at: Pointer,
}

impl Details {
    pub(super) fn read(list: Option<&Cursor<'_>>, notes: &mut Notes) -> Self {
        let mut details = Self::default();
        for detail in list.iter().flat_map(|list| list.elements()) {
            let (kind, place) = (detail.text("@type"), detail.at.key("@type"));
            let finding = ("a string @type on every detail", detail.describe());
            notes.judge(Rule::ErrorDetailType, kind.is_some(), &place, finding);
            let Some(kind) = kind else { continue };
            let known = kind.starts_with("type.googleapis.com/google.rpc.");
            notes.judge(Rule::ErrorDetailKnown, known, &place, ("a type of google.rpc", format!("\"{kind}\"")));
            // T-ERR-13: an error may carry the name that it has in another domain as well.
            if kind == ERROR_INFO && details.domain.as_deref() != Some(A2A_DOMAIN) {
                details.at = detail.at.clone();
                details.domain = detail.text("domain");
                details.reason = Some(detail.text("reason").unwrap_or_default());
            }
        }
        details
    }

    /// Whether the reason is the name that belongs to an error of A2A's own, and the domain is A2A's.
    pub(super) fn judge_info(&self, wanted: &str, notes: &mut Notes) {
        if let Some(reason) = &self.reason {
            let actual = if reason.is_empty() { "no reason".to_owned() } else { reason.clone() };
            let finding = (format!("reason \"{wanted}\""), actual);
            notes.judge(Rule::ErrorReason, reason == wanted, &self.at.key("reason"), finding);
            let actual = self.domain.as_ref().map_or_else(|| "no domain".to_owned(), |domain| format!("\"{domain}\""));
            let fits = self.domain.as_deref() == Some(A2A_DOMAIN);
            notes.judge(Rule::ErrorDomain, fits, &self.at.key("domain"), (format!("domain \"{A2A_DOMAIN}\""), actual));
        }
    }
}
