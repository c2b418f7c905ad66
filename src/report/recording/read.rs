//! Reads an exchange of a file, as much of it as was written.

use std::cell::OnceCell;

use super::words::{flaw_word, trouble_word};
use crate::report::members::Members;
use crate::wire::base64::STANDARD;
use crate::wire::exchange::{
    End, Exchange, GrpcAnswer, MessageFlaw, Response, TimedFrame, TransportError, TransportErrorKind,
};
use crate::wire::http::{Headers, Method, Request};
use crate::wire::json::Pointer;
use crate::wire::protobuf::{ProtoFlaw, ProtoFlawKind};
use crate::wire::sse::{Frame, Oddity};

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

const TROUBLES: [TransportErrorKind; 7] = [
    TransportErrorKind::Opaque,
    TransportErrorKind::BadUrl,
    TransportErrorKind::Unreachable,
    TransportErrorKind::Tls,
    TransportErrorKind::Closed,
    TransportErrorKind::Redirect,
    TransportErrorKind::Other,
];

/// An exchange. The first one that the file holds only in part is noted by its number.
pub(crate) fn exchange(m: Members<'_>, truncated: &OnceCell<u32>) -> Exchange {
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
    let trouble = m.maybe_word("trouble", &TROUBLES, |kind| trouble_word(*kind));
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
    const KINDS: [ProtoFlawKind; 3] = [ProtoFlawKind::Malformed, ProtoFlawKind::NotUtf8, ProtoFlawKind::TooDeep];
    let (message, word, at) = (m.count("message"), m.text("kind"), m.text("at"));
    let (expected, actual) = (m.text("expected"), m.text("actual"));
    let kind = KINDS.into_iter().find(|kind| flaw_word(*kind) == word)?;
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
