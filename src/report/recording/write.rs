//! Writes a recorded exchange. It was redacted when it was recorded.

use super::words::{flaw_word, trouble_word};
use crate::report::json_writer::JsonWriter;
use crate::report::text::head;
use crate::wire::base64::STANDARD;
use crate::wire::exchange::{End, Exchange, GrpcAnswer, Response, TimedFrame};
use crate::wire::http::Headers;
use crate::wire::sse::Oddity;

/// How many bytes of a body, or of one event's data, are written.
pub(super) const MAX_BODY: usize = 64 * 1024;
/// How many are written once the report is longer than [`LONG`].
const MAX_BODY_OF_LONG: usize = 1024;
/// A report that is longer than this, in bytes, opens slowly everywhere, and costs the page its memory.
const LONG: usize = 8 * 1024 * 1024;

/// One exchange, as an item of the recording.
pub(crate) fn write(w: &mut JsonWriter, exchange: &Exchange) {
    w.open("", '{');
    w.number("id", exchange.id.into());
    w.maybe("lane", exchange.lane.as_deref());
    w.text("scenario", &exchange.scenario);
    w.text("step", &exchange.step);
    w.ms("sent_ms", exchange.sent_ms);
    w.ms("end_ms", exchange.end_ms);
    end(w, &exchange.end);
    w.open("request", '{');
    w.text("method", exchange.request.method.as_str());
    w.text("url", &exchange.request.url);
    headers(w, "headers", &exchange.request.headers);
    if let Some(bytes) = &exchange.request.body {
        body(w, bytes);
    }
    w.close('}');
    if let Some(answer) = &exchange.response {
        response(w, answer);
    }
    w.close('}');
}

fn end(w: &mut JsonWriter, end: &End) {
    let (kind, trouble, detail) = match end {
        End::Complete => ("complete", None, None),
        End::HungUp => ("hung-up", None, None),
        End::Deadline(budget) => ("deadline", None, Some(budget)),
        End::TooLarge(what) => ("too-large", None, Some(what)),
        End::Broken(detail) => ("broken", None, Some(detail)),
        End::NoAnswer(trouble) => ("no-answer", Some(trouble.kind), Some(&trouble.detail)),
    };
    w.open("end", '{');
    w.text("kind", kind);
    w.maybe("trouble", trouble.map(trouble_word));
    w.maybe("detail", detail.map(String::as_str));
    w.close('}');
}

fn headers(w: &mut JsonWriter, name: &str, headers: &Headers) {
    w.open(name, '[');
    for (name, value) in headers.iter() {
        w.open("", '{');
        w.text("name", name);
        w.text("value", head(value, most(w)));
        w.close('}');
    }
    w.close(']');
}

/// How many bytes of a body or of an event are written.
const fn most(w: &JsonWriter) -> usize {
    if w.is_whole() {
        usize::MAX
    } else if w.len() > LONG {
        MAX_BODY_OF_LONG
    } else {
        MAX_BODY
    }
}

/// The first of these bytes, as text if they are UTF-8, else as base64.
fn body(w: &mut JsonWriter, bytes: &[u8]) {
    let most = most(w);
    w.open("body", '{');
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
    w.close('}');
}

fn response(w: &mut JsonWriter, response: &Response) {
    w.open("response", '{');
    w.number("status", response.status.into());
    w.text("url", &response.url);
    w.flag("redirected", response.redirected);
    w.ms("head_ms", response.head_ms);
    headers(w, "headers", &response.headers);
    if !response.body.is_empty() {
        body(w, &response.body);
    }
    w.size("bytes", response.bytes);
    if !response.frames.is_empty() {
        w.open("frames", '[');
        for timed in &response.frames {
            frame(w, timed);
        }
        w.close(']');
    }
    if !response.oddities.is_empty() {
        w.open("oddities", '[');
        for each in &response.oddities {
            oddity(w, each);
        }
        w.close(']');
    }
    if response.comments > 0 {
        w.number("comments", response.comments.into());
    }
    if let Some(answer) = &response.grpc {
        grpc(w, answer);
    }
    w.close('}');
}

fn grpc(w: &mut JsonWriter, answer: &GrpcAnswer) {
    w.open("grpc", '{');
    w.flag("streams", answer.streams);
    if let Some(trailers) = &answer.trailers {
        headers(w, "trailers", trailers);
    }
    if !answer.flaws.is_empty() {
        w.open("flaws", '[');
        for each in &answer.flaws {
            w.open("", '{');
            w.number("message", each.message.into());
            w.text("kind", flaw_word(each.flaw.kind));
            w.text("at", each.flaw.at.as_str());
            w.text("expected", &each.flaw.expected);
            w.text("actual", &each.flaw.actual);
            w.close('}');
        }
        w.close(']');
    }
    w.close('}');
}

fn frame(w: &mut JsonWriter, timed: &TimedFrame) {
    let frame = &timed.frame;
    let data = head(&frame.data, most(w));
    w.open("", '{');
    w.ms("at_ms", timed.at_ms);
    w.maybe("event", frame.event.as_deref());
    w.maybe("id", frame.id.as_deref());
    if let Some(retry) = frame.retry {
        w.number("retry", retry);
    }
    w.text("data", data);
    if data.len() < frame.data.len() {
        w.size("size", frame.data.len());
    }
    w.flag("terminated", frame.terminated);
    w.close('}');
}

fn oddity(w: &mut JsonWriter, oddity: &Oddity) {
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
    w.open("", '{');
    w.text("kind", kind);
    w.maybe("detail", detail.map(String::as_str));
    if let Some(limit) = limit {
        w.size("limit", limit);
    }
    w.close('}');
}
