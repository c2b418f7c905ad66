//! Reads an exchange of a file.

use super::types::{
    Encoding, EndKind, JsonBody, JsonEnd, JsonExchange, JsonFlaw, JsonFrame, JsonGrpc, JsonHeader, JsonOddity,
    JsonRequest, JsonResponse, JsonTransportErrorKind,
};
use crate::report::members::Members;

const ENDS: [(&str, EndKind); 6] = [
    ("complete", EndKind::Complete),
    ("hung-up", EndKind::HungUp),
    ("deadline", EndKind::Deadline),
    ("too-large", EndKind::TooLarge),
    ("broken", EndKind::Broken),
    ("no-answer", EndKind::NoAnswer),
];

const TROUBLES: [(&str, JsonTransportErrorKind); 7] = [
    ("opaque", JsonTransportErrorKind::Opaque),
    ("bad-url", JsonTransportErrorKind::BadUrl),
    ("unreachable", JsonTransportErrorKind::Unreachable),
    ("tls", JsonTransportErrorKind::Tls),
    ("closed", JsonTransportErrorKind::Closed),
    ("redirect", JsonTransportErrorKind::Redirect),
    ("other", JsonTransportErrorKind::Other),
];

const ENCODINGS: [(&str, Encoding); 2] = [("utf-8", Encoding::Utf8), ("base64", Encoding::Base64)];

/// An exchange.
pub(crate) fn exchange(m: Members<'_>) -> JsonExchange {
    JsonExchange {
        id: m.count("id"),
        lane: m.maybe_text("lane"),
        scenario: m.text("scenario"),
        step: m.text("step"),
        sent_ms: m.number("sent_ms"),
        end_ms: m.number("end_ms"),
        end: m.object("end", end),
        request: m.object("request", request),
        response: m.maybe_object("response", response),
    }
}

fn end(m: Members<'_>) -> JsonEnd {
    JsonEnd {
        kind: m.word("kind", &ENDS, EndKind::Complete),
        trouble: m.maybe_word("trouble", &TROUBLES),
        detail: m.maybe_text("detail"),
    }
}

fn header(m: Members<'_>) -> JsonHeader {
    JsonHeader { name: m.text("name"), value: m.text("value") }
}

fn request(m: Members<'_>) -> JsonRequest {
    JsonRequest {
        method: m.text("method"),
        url: m.text("url"),
        headers: m.list("headers", header),
        body: m.maybe_object("body", body),
    }
}

fn response(m: Members<'_>) -> JsonResponse {
    JsonResponse {
        status: m.count("status"),
        url: m.text("url"),
        redirected: m.flag("redirected"),
        head_ms: m.number("head_ms"),
        headers: m.list("headers", header),
        body: m.maybe_object("body", body),
        bytes: m.count("bytes"),
        frames: m.maybe_list("frames", frame).unwrap_or_default(),
        oddities: m.maybe_list("oddities", oddity).unwrap_or_default(),
        comments: m.maybe_count("comments").unwrap_or_default(),
        grpc: m.maybe_object("grpc", grpc),
    }
}

fn grpc(m: Members<'_>) -> JsonGrpc {
    JsonGrpc {
        streams: m.flag("streams"),
        trailers: m.maybe_list("trailers", header),
        flaws: m.maybe_list("flaws", flaw).unwrap_or_default(),
    }
}

fn flaw(m: Members<'_>) -> JsonFlaw {
    JsonFlaw {
        message: m.count("message"),
        kind: m.text("kind"),
        at: m.text("at"),
        expected: m.text("expected"),
        actual: m.text("actual"),
    }
}

fn body(m: Members<'_>) -> JsonBody {
    JsonBody {
        encoding: m.word("encoding", &ENCODINGS, Encoding::Utf8),
        content: m.text("content"),
        size: m.count("size"),
        truncated: m.maybe_flag("truncated").unwrap_or_default(),
    }
}

fn frame(m: Members<'_>) -> JsonFrame {
    JsonFrame {
        at_ms: m.number("at_ms"),
        event: m.maybe_text("event"),
        id: m.maybe_text("id"),
        retry: m.maybe_count("retry"),
        data: m.text("data"),
        size: m.maybe_count("size"),
        terminated: m.flag("terminated"),
    }
}

fn oddity(m: Members<'_>) -> JsonOddity {
    JsonOddity { kind: m.text("kind"), detail: m.maybe_text("detail"), limit: m.maybe_count("limit") }
}
