//! A recording on its way into a file and back.

use std::cell::OnceCell;

use serde_json::{Value, json};

use super::{MOST_TOLD, read, write};
use crate::report::json_writer::JsonWriter;
use crate::report::members;
use crate::wire::exchange::{
    End, Exchange, GrpcAnswer, MessageFlaw, Response, TimedFrame, TransportError, TransportErrorKind,
};
use crate::wire::http::Request;
use crate::wire::json::Pointer;
use crate::wire::protobuf::{ProtoFlaw, ProtoFlawKind};
use crate::wire::sse::{Frame, Oddity};

fn sample(body: Vec<u8>, frames: Vec<TimedFrame>) -> Exchange {
    Exchange {
        id: 7,
        lane: Some("jsonrpc-1.0".into()),
        scenario: "send".into(),
        step: "poll".into(),
        request: Request::post("http://h/", "application/json", "{}").with_header("x-a", "1").with_header("x-a", "2"),
        sent_ms: 1.5,
        response: Some(Response {
            status: 200,
            headers: [("X-B", "b")].into_iter().collect(),
            url: "http://h/".into(),
            head_ms: 2.25,
            bytes: body.len(),
            body,
            frames,
            oddities: vec![
                Oddity::ByteOrderMark,
                Oddity::InvalidUtf8,
                Oddity::UnknownField("x".into()),
                Oddity::BadRetry("y".into()),
                Oddity::NulInId,
                Oddity::LineTooLong { limit: 4 },
                Oddity::EventTooLarge { limit: 5 },
                Oddity::Unterminated,
            ],
            comments: 3,
            redirected: true,
            grpc: Some(Box::new(GrpcAnswer {
                streams: true,
                trailers: Some([("grpc-status", "5")].into_iter().collect()),
                flaws: [ProtoFlawKind::Malformed, ProtoFlawKind::NotUtf8, ProtoFlawKind::TooDeep].map(flaw_of).to_vec(),
            })),
        }),
        end: End::Broken("reset".into()),
        end_ms: 9.125,
    }
}

fn flaw_of(kind: ProtoFlawKind) -> MessageFlaw {
    let at = Pointer::parse("/task/id").unwrap();
    MessageFlaw { message: 2, flaw: ProtoFlaw { kind, at, expected: "UTF-8".into(), actual: "bytes".into() } }
}

fn in_json(exchange: &Exchange) -> Value {
    let mut writer = JsonWriter::default();
    write(&mut writer, exchange);
    serde_json::from_str(&writer.finish()).unwrap()
}

/// The exchange out of its file, if the file has the whole of it.
fn through_json(exchange: &Exchange) -> Result<Exchange, u32> {
    let truncated = OnceCell::new();
    let read = members::of_file(&in_json(exchange), |m| read(m, &truncated)).unwrap();
    truncated.into_inner().map_or(Ok(read), Err)
}

#[test]
fn a_recording_survives_the_way_into_a_file_and_back() {
    let frame = Frame {
        event: Some("e".into()),
        data: "d\u{0}".into(),
        id: Some(String::new()),
        retry: Some(9),
        terminated: false,
    };
    let frames = vec![TimedFrame { at_ms: 3.0, frame }, TimedFrame { at_ms: 4.0, frame: Frame::default() }];
    for body in [Vec::new(), b"{\"a\":\"\xc3\xa9\"}".to_vec(), vec![0xff, 0xfe, 0, 1], (0..=255).collect()] {
        let exchange = sample(body, frames.clone());
        assert_eq!(through_json(&exchange), Ok(exchange));
    }
    let trouble = |kind| End::NoAnswer(TransportError { kind, detail: "why".into() });
    for end in [
        End::Complete,
        End::HungUp,
        End::Deadline("the 45 s allowed for an answer".into()),
        End::TooLarge("the body is longer than 5 MB".into()),
        trouble(TransportErrorKind::Opaque),
        trouble(TransportErrorKind::BadUrl),
        trouble(TransportErrorKind::Unreachable),
        trouble(TransportErrorKind::Tls),
        trouble(TransportErrorKind::Closed),
        trouble(TransportErrorKind::Redirect),
        trouble(TransportErrorKind::Other),
    ] {
        let exchange = Exchange { end, response: None, lane: None, ..sample(Vec::new(), Vec::new()) };
        assert_eq!(through_json(&exchange), Ok(exchange));
    }
}

#[test]
fn what_is_too_big_is_cut_says_so_and_is_not_judged_again() {
    let text = "é".repeat(MOST_TOLD);
    let body_of = |body: Vec<u8>| in_json(&sample(body, Vec::new()))["response"]["body"].take();
    let body = body_of(format!("a{text}").into_bytes());
    assert_eq!((&body["truncated"], &body["size"]), (&json!(true), &json!(2 * MOST_TOLD + 1)));
    assert!(body["content"].as_str().unwrap().len() < MOST_TOLD + 1);
    let raw = body_of(vec![0xff; MOST_TOLD + 1]);
    assert_eq!((&raw["truncated"], &raw["size"]), (&json!(true), &json!(MOST_TOLD + 1)));
    assert_eq!(raw["encoding"], "base64");
    assert!(body_of(vec![0xff; MOST_TOLD]).get("truncated").is_none());

    let cut = Err(7);
    assert_eq!(through_json(&sample(text.clone().into_bytes(), Vec::new())), cut);
    let frame = TimedFrame { at_ms: 0.0, frame: Frame { data: text, ..Frame::default() } };
    assert_eq!(through_json(&sample(Vec::new(), vec![frame])), cut);
}
