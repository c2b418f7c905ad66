//! Between the JSON in which calls and answers are recorded and judged and the bytes of gRPC on the wire, with the deadline that a
//! call carries.

use serde_json::Value;

use super::proto;
use crate::wire::base64::STANDARD;
use crate::wire::exchange::{GrpcAnswer, MessageFlaw};
use crate::wire::grpc::{FrameReader, Piece, WEB_MEDIA_TYPE, frame, is_grpc};
use crate::wire::http::{Headers, Request};
use crate::wire::json;
use crate::wire::limits::{MOST_FIELDS, MOST_MESSAGE_FLAWS};
use crate::wire::protobuf::{Decoded, ProtoFlaw, ProtoFlawKind, RpcMethod, Schema, decode, encode};
use crate::wire::url::decode as decode_text;

/// The request as it goes out: its JSON as a framed message. A body that is not JSON of the method's message goes as it is, framed.
/// `None` for a request that is not one of gRPC.
#[must_use]
pub fn to_wire(request: &Request, has_trailers: bool) -> Option<Request> {
    if !is_grpc(&request.headers) {
        return None;
    }
    let mut sent = request.clone();
    let body = request.body.as_deref().unwrap_or_default();
    let encoded = proto::method_at(&request.url)
        .and_then(|(schema, method)| encode(schema, method.request, &json::read(body)?).ok());
    sent.body = Some(frame(encoded.as_deref().unwrap_or(body)));
    if has_trailers {
        // Shows that no proxy on the way lets trailers fall (gRPC over HTTP/2).
        sent.headers.push("te", "trailers");
    } else {
        sent.headers.replace("content-type", WEB_MEDIA_TYPE);
        sent.headers.push("x-grpc-web", "1");
    }
    Some(sent)
}

/// The message in a request over gRPC; `None` where there is none, or its method is unknown.
#[must_use]
pub fn message_of(request: &Request) -> Option<Decoded> {
    let body = request.body.as_deref().unwrap_or_default();
    let message = FrameReader::default().push(body).into_iter().find_map(|piece| match piece {
        Piece::Message { bytes, is_compressed: false } => Some(bytes),
        _ => None,
    })?;
    let (schema, method) = proto::method_at(&request.url)?;
    Some(decode(schema, method.request, &message))
}

/// Says in a request over gRPC how long its answer is waited for, and a little more: our own limit is to be reached first, since only that
/// is known to be ours.
pub fn set_deadline(request: &mut Request, ms: u64) {
    // At most eight digits (gRPC over HTTP/2, "Timeout").
    let ms = ms.saturating_add(MARGIN_MS).min(99_999_999);
    request.headers.replace("grpc-timeout", format!("{ms}m"));
}

/// How much longer than we wait an agent may work at a call.
const MARGIN_MS: u64 = 2000;

/// Whether a request asks for a stream of events: of server-sent ones, or of messages.
#[must_use]
pub fn expects_stream(request: &Request) -> bool {
    let accepts = || request.headers.get("accept").is_some_and(|accept| accept.contains("text/event-stream"));
    let streams = || proto::method_at(&request.url).is_some_and(|(_, method)| method.streams);
    if is_grpc(&request.headers) { streams() } else { accepts() }
}

/// The trailer with the number of the status.
pub const STATUS: &str = "grpc-status";
/// The trailer with the message for people.
pub const MESSAGE: &str = "grpc-message";
/// The trailer with a google.rpc.Status.
pub const DETAILS: &str = "grpc-status-details-bin";

/// Reads the body of an answer: messages become JSON.
#[derive(Debug)]
pub struct GrpcReader {
    reader: FrameReader,
    method: Option<(&'static Schema, RpcMethod)>,
    messages: u32,
    outgrown: Option<String>,
}

impl GrpcReader {
    /// A reader of the answer to a request for this URL, and what the record says of it with its head. An answer without messages
    /// may have its trailers there ("Trailers-Only").
    #[must_use]
    pub fn new(url: &str, head: &mut Headers) -> (Self, GrpcAnswer) {
        let method = proto::method_at(url);
        let streams = method.is_some_and(|(_, method)| method.streams);
        let mut reader = Self { reader: FrameReader::default(), method, messages: 0, outgrown: None };
        let mut answer = GrpcAnswer { streams, ..GrpcAnswer::default() };
        if head.get(STATUS).is_some() {
            let fields = head.iter().filter(|(name, _)| name.starts_with("grpc-"));
            reader.end(fields.collect(), &mut answer);
            for name in [STATUS, MESSAGE, DETAILS] {
                head.remove(name);
            }
        }
        (reader, answer)
    }

    /// The messages that are complete with this chunk, as JSON. Flaws and trailers go to the record.
    pub fn push(&mut self, chunk: &[u8], answer: &mut GrpcAnswer) -> Vec<String> {
        let mut messages = Vec::new();
        for piece in self.reader.push(chunk) {
            match piece {
                Piece::Trailers(trailers) => self.end(trailers, answer),
                Piece::Message { bytes, is_compressed } => {
                    self.messages += 1;
                    if is_compressed {
                        let actual = "a compressed one, and none was offered";
                        self.note(answer, malformed("a message without compression", actual));
                        continue;
                    }
                    if answer.trailers.is_some() {
                        self.note(answer, malformed("nothing after the trailers", "a message"));
                    }
                    messages.extend(self.message(&bytes, answer));
                }
            }
        }
        messages
    }

    /// Notes what only the end of the answer shows.
    pub fn finish(&self, answer: &mut GrpcAnswer) {
        if !answer.streams && self.messages > 1 {
            self.note(answer, malformed("one message", "more than one"));
        }
        if self.reader.left() > 0 {
            let actual = format!("{} bytes at the end that are not a whole one", self.reader.left());
            self.note(answer, malformed("messages with their lengths", &actual));
        }
    }

    /// Records the trailers as people read them, and as secrets can be found in them: the message decoded, the details as JSON.
    fn end(&mut self, mut trailers: Headers, answer: &mut GrpcAnswer) {
        if trailers.truncate(MOST_FIELDS) {
            self.outgrown = Some(format!("the trailers have more than {MOST_FIELDS} fields"));
        }
        if let Some(message) = trailers.get(MESSAGE).map(decode_text) {
            trailers.replace(MESSAGE, message);
        }
        if let Some(details) = trailers.get(DETAILS).map(str::to_owned) {
            // Padding is optional here (gRPC over HTTP/2, "Custom-Metadata").
            let padded = format!("{details}{}", "=".repeat((4 - details.len() % 4) % 4));
            match STANDARD.decode(&padded) {
                Some(bytes) => {
                    let decoded = decode(&proto::GOOGLE_RPC, "Status", &bytes);
                    trailers.replace(DETAILS, decoded.value.to_string());
                    decoded.flaws.into_iter().for_each(|flaw| self.note(answer, flaw));
                }
                None => self.note(answer, malformed("base64 in grpc-status-details-bin", "something else")),
            }
        }
        answer.trailers.get_or_insert(trailers);
    }

    fn message(&mut self, bytes: &[u8], answer: &mut GrpcAnswer) -> Option<String> {
        let (schema, method) = self.method?;
        let decoded = decode(schema, method.response, bytes);
        if decoded.is_cut {
            self.outgrown = Some("a message contains more values than fit in memory".to_owned());
            return None;
        }
        for flaw in decoded.flaws {
            self.note(answer, flaw);
        }
        Some(Value::to_string(&decoded.value))
    }

    fn note(&self, answer: &mut GrpcAnswer, flaw: ProtoFlaw) {
        if answer.flaws.len() < MOST_MESSAGE_FLAWS {
            answer.flaws.push(MessageFlaw { message: self.messages, flaw });
        }
    }

    /// The limit that the answer exceeds, if it does: nothing more is read of it.
    #[must_use]
    pub fn outgrown(&self) -> Option<&str> {
        self.outgrown.as_deref()
    }
}

fn malformed(expected: &str, actual: &str) -> ProtoFlaw {
    let at = json::Pointer::root();
    ProtoFlaw { kind: ProtoFlawKind::Malformed, at, expected: expected.to_owned(), actual: actual.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::grpc::{MEDIA_TYPE, trailers_frame};

    const URL: &str = "http://h/lf.a2a.v1.A2AService/GetTask";

    #[test]
    fn a_call_goes_out_as_a_framed_message() {
        let request = Request::post(URL, MEDIA_TYPE, r#"{"id":"x"}"#);
        let sent = to_wire(&request, true).unwrap();
        assert_eq!(sent.body.as_deref(), Some([0, 0, 0, 0, 3, 0x12, 1, b'x'].as_slice()));
        assert_eq!(sent.headers.get("te"), Some("trailers"));
        let sent = to_wire(&request, false).unwrap();
        assert_eq!(sent.headers.media_type().as_deref(), Some(WEB_MEDIA_TYPE));
        assert_eq!((sent.headers.get("te"), sent.headers.get("x-grpc-web")), (None, Some("1")));
        // Bytes that are not a message of the method are sent as they are.
        let odd = Request::post(URL, MEDIA_TYPE, vec![0xff]);
        assert_eq!(to_wire(&odd, true).unwrap().body.as_deref(), Some([0, 0, 0, 0, 1, 0xff].as_slice()));
        assert_eq!(to_wire(&Request::post(URL, "application/json", "{}"), true), None);
    }

    #[test]
    fn an_answer_becomes_json_with_its_flaws_and_trailers() {
        let (mut reader, mut answer) = GrpcReader::new(URL, &mut Headers::new());
        let trailers: Headers = [("grpc-status", "0")].into_iter().collect();
        let body = [frame(&[0x0a, 1, b'x', 0x18, 1]), trailers_frame(&trailers), vec![0]].concat();
        assert_eq!(reader.push(&body, &mut answer), [r#"{"id":"x"}"#]);
        reader.finish(&mut answer);
        assert_eq!(answer.trailers, Some(trailers));
        let flaws: Vec<_> =
            answer.flaws.iter().map(|flaw| (flaw.message, flaw.flaw.at.as_str(), flaw.flaw.actual.as_str())).collect();
        assert_eq!(flaws, [(1, "/status", "a varint"), (1, "", "1 bytes at the end that are not a whole one")]);
        let (mut reader, mut answer) = GrpcReader::new(URL, &mut Headers::new());
        assert!(reader.push(&[1, 0, 0, 0, 1, 0], &mut answer).is_empty());
        assert_eq!(answer.flaws.len(), 1);
    }

    #[test]
    fn trailers_are_recorded_so_that_they_can_be_read() {
        let status =
            r#"{"code":5,"message":"é","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R"}]}"#;
        let bytes = encode(&proto::GOOGLE_RPC, "Status", &json::read(status.as_bytes()).unwrap()).unwrap();
        let details = STANDARD.encode(&bytes).trim_end_matches('=').to_owned();
        let fields = [("content-type", "application/grpc"), (STATUS, "5"), (MESSAGE, "%C3%A9"), (DETAILS, &details)];
        let mut head: Headers = fields.into_iter().collect();
        let (_, answer) = GrpcReader::new(URL, &mut head);
        assert_eq!((head.len(), &answer.flaws), (1, &Vec::new()));
        let trailers = answer.trailers.unwrap();
        assert_eq!(
            (trailers.get(STATUS), trailers.get(MESSAGE), trailers.get(DETAILS)),
            (Some("5"), Some("é"), Some(status))
        );
        let mut broken: Headers = [(STATUS, "5"), (DETAILS, "%")].into_iter().collect();
        assert_eq!(GrpcReader::new(URL, &mut broken).1.flaws.len(), 1);
    }
}
