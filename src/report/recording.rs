//! A recorded exchange in a file, and the way back: how much of a body is written, less where the report is long, and how it is
//! read to be judged again. It is written as it was recorded, that is redacted.

use std::cell::OnceCell;

use super::json_writer::JsonWriter;
use super::members::Members;
use super::text::head;
use crate::wire::base64::STANDARD;
use crate::wire::exchange::{
    End, Exchange, GrpcAnswer, MessageFlaw, Response, TimedFrame, TransportError, TransportErrorKind,
};
use crate::wire::http::{Headers, Method, Request};
use crate::wire::json::Pointer;
use crate::wire::limits::{LONG_REPORT, MOST_TOLD, MOST_TOLD_IN_LONG};
use crate::wire::protobuf::{ProtoFlaw, ProtoFlawKind};
use crate::wire::sse::{Frame, Oddity};

/// The kinds of transport errors, with their words.
const TROUBLES: [(TransportErrorKind, &str); 7] = [
    (TransportErrorKind::Opaque, "opaque"),
    (TransportErrorKind::BadUrl, "bad-url"),
    (TransportErrorKind::Unreachable, "unreachable"),
    (TransportErrorKind::Tls, "tls"),
    (TransportErrorKind::Closed, "closed"),
    (TransportErrorKind::Redirect, "redirect"),
    (TransportErrorKind::Other, "other"),
];

/// The kinds of flaws in the bytes of a message, with their words.
const FLAWS: [(ProtoFlawKind, &str); 3] = [
    (ProtoFlawKind::Malformed, "malformed"),
    (ProtoFlawKind::NotUtf8, "not-utf8"),
    (ProtoFlawKind::TooDeep, "too-deep"),
];

fn word_of<T: PartialEq>(words: &[(T, &'static str)], kind: &T) -> &'static str {
    words.iter().find(|(known, _)| known == kind).map_or("other", |(_, word)| word)
}

/// One exchange, as an item of the recording.
pub(super) fn write(w: &mut JsonWriter, exchange: &Exchange) {
    w.object("", |w| {
        w.number("id", exchange.id);
        w.maybe("lane", exchange.lane.as_deref());
        w.text("scenario", &exchange.scenario);
        w.text("step", &exchange.step);
        w.decimal("sent_ms", exchange.sent_ms);
        w.decimal("end_ms", exchange.end_ms);
        w.object("end", |w| write_end(w, &exchange.end));
        w.object("request", |w| {
            w.text("method", exchange.request.method.as_str());
            write_url(w, &exchange.request.url);
            write_headers(w, "headers", &exchange.request.headers);
            if let Some(bytes) = &exchange.request.body {
                w.object("body", |w| write_body(w, bytes));
            }
        });
        if let Some(answer) = &exchange.response {
            w.object("response", |w| write_response(w, answer));
        }
    });
}

fn write_end(w: &mut JsonWriter, end: &End) {
    let (kind, trouble, detail) = match end {
        End::Complete => ("complete", None, None),
        End::HungUp => ("hung-up", None, None),
        End::Deadline(budget) => ("deadline", None, Some(budget)),
        End::TooLarge(what) => ("too-large", None, Some(what)),
        End::Broken(detail) => ("broken", None, Some(detail)),
        End::NoAnswer(trouble) => ("no-answer", Some(trouble.kind), Some(&trouble.detail)),
    };
    w.text("kind", kind);
    w.maybe("trouble", trouble.map(|kind| word_of(&TROUBLES, &kind)));
    w.maybe("detail", detail.map(String::as_str));
}

/// An agent may have ids of any length, and they are part of the URLs of HTTP+JSON.
fn write_url(w: &mut JsonWriter, url: &str) {
    w.text("url", if w.is_whole() { url } else { head(url, MOST_TOLD) });
}

fn write_headers(w: &mut JsonWriter, name: &str, headers: &Headers) {
    w.objects(name, headers.iter(), |w, (name, value)| {
        w.text("name", name);
        w.text("value", head(value, most(w)));
    });
}

/// How many bytes of a body or of an event are written.
const fn most(w: &JsonWriter) -> usize {
    if w.is_whole() {
        usize::MAX
    } else if w.len() > LONG_REPORT {
        MOST_TOLD_IN_LONG
    } else {
        MOST_TOLD
    }
}

/// The first of these bytes, as text if they are UTF-8, else as base64.
fn write_body(w: &mut JsonWriter, bytes: &[u8]) {
    let most = most(w);
    let kept = match std::str::from_utf8(bytes) {
        Ok(text) => {
            let kept = head(text, most);
            w.text("encoding", "utf-8");
            w.text("content", kept);
            kept.len()
        }
        Err(_) => {
            let kept = bytes.get(..most).unwrap_or(bytes);
            w.text("encoding", "base64");
            w.text("content", &STANDARD.encode(kept));
            kept.len()
        }
    };
    w.size("size", bytes.len());
    if kept < bytes.len() {
        w.flag("truncated", true);
    }
}

fn write_response(w: &mut JsonWriter, response: &Response) {
    w.number("status", response.status);
    write_url(w, &response.url);
    w.flag("redirected", response.redirected);
    w.decimal("head_ms", response.head_ms);
    write_headers(w, "headers", &response.headers);
    if !response.body.is_empty() {
        w.object("body", |w| write_body(w, &response.body));
    }
    w.size("bytes", response.bytes);
    if !response.frames.is_empty() {
        w.objects("frames", &response.frames, write_frame);
    }
    if !response.oddities.is_empty() {
        w.objects("oddities", &response.oddities, write_oddity);
    }
    w.maybe_number("comments", Some(response.comments).filter(|number| *number > 0));
    if let Some(answer) = &response.grpc {
        w.object("grpc", |w| write_grpc(w, answer));
    }
}

fn write_grpc(w: &mut JsonWriter, answer: &GrpcAnswer) {
    w.flag("streams", answer.streams);
    if let Some(trailers) = &answer.trailers {
        write_headers(w, "trailers", trailers);
    }
    if !answer.flaws.is_empty() {
        w.objects("flaws", &answer.flaws, |w, MessageFlaw { message, flaw }| {
            w.number("message", *message);
            w.text("kind", word_of(&FLAWS, &flaw.kind));
            w.text("at", flaw.at.as_str());
            w.text("expected", &flaw.expected);
            w.text("actual", &flaw.actual);
        });
    }
}

fn write_frame(w: &mut JsonWriter, timed: &TimedFrame) {
    let frame = &timed.frame;
    let data = head(&frame.data, most(w));
    w.decimal("at_ms", timed.at_ms);
    w.maybe("event", frame.event.as_deref());
    w.maybe("id", frame.id.as_deref());
    w.maybe_number("retry", frame.retry);
    w.text("data", data);
    if data.len() < frame.data.len() {
        w.size("size", frame.data.len());
    }
    w.flag("terminated", frame.terminated);
}

fn write_oddity(w: &mut JsonWriter, oddity: &Oddity) {
    let (kind, detail, limit) = match oddity {
        Oddity::ByteOrderMark => ("byte-order-mark", None, None),
        Oddity::InvalidUtf8 => ("invalid-utf8", None, None),
        Oddity::UnknownField(name) => ("unknown-field", Some(name), None),
        Oddity::BadRetry(value) => ("bad-retry", Some(value), None),
        Oddity::NulInId => ("nul-in-id", None, None),
        Oddity::LineTooLong { limit } => ("line-too-long", None, Some(*limit)),
        Oddity::EventTooLarge { limit } => ("event-too-large", None, Some(*limit)),
        Oddity::Unterminated => ("unterminated", None, None),
    };
    w.text("kind", kind);
    w.maybe("detail", detail.map(String::as_str));
    w.maybe_number("limit", limit.map(|limit| limit as u64));
}

/// Makes an end of what a file says of it.
type MakeEnd = fn(TransportErrorKind, String) -> End;

const ENDS: [(&str, MakeEnd); 6] = [
    ("complete", |_, _| End::Complete),
    ("hung-up", |_, _| End::HungUp),
    ("deadline", |_, detail| End::Deadline(detail)),
    ("too-large", |_, detail| End::TooLarge(detail)),
    ("broken", |_, detail| End::Broken(detail)),
    ("no-answer", |kind, detail| End::NoAnswer(TransportError { kind, detail })),
];

/// An exchange. The first one that the file holds only in part is noted by its number.
pub(super) fn read(m: Members<'_>, truncated: &OnceCell<u32>) -> Exchange {
    let reading = ExchangeReading { id: m.count("id"), truncated };
    Exchange {
        id: reading.id,
        lane: m.maybe_text("lane"),
        scenario: m.text("scenario"),
        step: m.text("step"),
        sent_ms: m.number("sent_ms"),
        end_ms: m.number("end_ms"),
        end: m.object("end", end),
        request: m.object("request", |m| reading.request(m)),
        response: m.maybe_object("response", |m| reading.response(m)),
    }
}

fn end(m: Members<'_>) -> End {
    let (_, make) = m.word("kind", ENDS[0], &ENDS, |(word, _)| word);
    let trouble = m.maybe_word("trouble", &TROUBLES, |(_, word)| word).map(|(kind, _)| kind);
    make(trouble.unwrap_or(TransportErrorKind::Other), m.maybe_text("detail").unwrap_or_default())
}

fn header(m: Members<'_>) -> (String, String) {
    (m.text("name"), m.text("value"))
}

fn headers(m: Members<'_>) -> Headers {
    m.list("headers", header).into_iter().collect()
}

fn grpc(m: Members<'_>) -> Box<GrpcAnswer> {
    Box::new(GrpcAnswer {
        streams: m.flag("streams"),
        trailers: m.maybe_list("trailers", header).map(Headers::from_iter),
        flaws: m.maybe_list("flaws", flaw).unwrap_or_default().into_iter().flatten().collect(),
    })
}

/// `None` for a kind of a later version, which says nothing to this one.
fn flaw(m: Members<'_>) -> Option<MessageFlaw> {
    let (message, word, at) = (m.count("message"), m.text("kind"), m.text("at"));
    let (expected, actual) = (m.text("expected"), m.text("actual"));
    let (kind, _) = FLAWS.into_iter().find(|(_, known)| *known == word)?;
    Some(MessageFlaw { message, flaw: ProtoFlaw { kind, at: Pointer::parse(&at)?, expected, actual } })
}

/// The same for the kinds of oddities.
fn oddity(m: Members<'_>) -> Option<Oddity> {
    let detail = m.maybe_text("detail").unwrap_or_default();
    let limit = m.maybe_count("limit").unwrap_or_default();
    Some(match m.text("kind").as_str() {
        "byte-order-mark" => Oddity::ByteOrderMark,
        "invalid-utf8" => Oddity::InvalidUtf8,
        "unknown-field" => Oddity::UnknownField(detail),
        "bad-retry" => Oddity::BadRetry(detail),
        "nul-in-id" => Oddity::NulInId,
        "line-too-long" => Oddity::LineTooLong { limit },
        "event-too-large" => Oddity::EventTooLarge { limit },
        "unterminated" => Oddity::Unterminated,
        _ => return None,
    })
}

/// The exchange that is read.
#[derive(Clone, Copy)]
struct ExchangeReading<'a> {
    id: u32,
    truncated: &'a OnceCell<u32>,
}

impl ExchangeReading<'_> {
    fn request(self, m: Members<'_>) -> Request {
        let method = Method::parse(&m.text("method")).unwrap_or_else(|| {
            m.refuse(format!("exchange {} has an unknown method", self.id));
            Method::Get
        });
        Request { method, url: m.text("url"), headers: headers(m), body: m.maybe_object("body", |m| self.body(m)) }
    }

    fn response(self, m: Members<'_>) -> Response {
        Response {
            status: m.count("status"),
            url: m.text("url"),
            redirected: m.flag("redirected"),
            head_ms: m.number("head_ms"),
            headers: headers(m),
            body: m.maybe_object("body", |m| self.body(m)).unwrap_or_default(),
            bytes: m.count("bytes"),
            frames: m.maybe_list("frames", |m| self.frame(m)).unwrap_or_default(),
            oddities: m.maybe_list("oddities", oddity).unwrap_or_default().into_iter().flatten().collect(),
            comments: m.maybe_count("comments").unwrap_or_default(),
            grpc: m.maybe_object("grpc", grpc),
        }
    }

    fn body(self, m: Members<'_>) -> Vec<u8> {
        let is_text = m.word("encoding", ("utf-8", true), &[("utf-8", true), ("base64", false)], |(word, _)| word).1;
        let content = m.text("content");
        m.count::<usize>("size");
        if m.maybe_flag("truncated").unwrap_or_default() {
            self.truncated.get_or_init(|| self.id);
        }
        if is_text {
            return content.into_bytes();
        }
        STANDARD.decode(&content).unwrap_or_else(|| {
            m.refuse(format!("a body of exchange {} is not base64", self.id));
            Vec::new()
        })
    }

    fn frame(self, m: Members<'_>) -> TimedFrame {
        // The size stands there only where the data is cut.
        if m.maybe_count::<usize>("size").is_some() {
            self.truncated.get_or_init(|| self.id);
        }
        let frame = Frame {
            event: m.maybe_text("event"),
            data: m.text("data"),
            id: m.maybe_text("id"),
            retry: m.maybe_count("retry"),
            terminated: m.flag("terminated"),
        };
        TimedFrame { at_ms: m.number("at_ms"), frame }
    }
}

#[cfg(test)]
mod tests;
