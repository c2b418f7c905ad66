//! Messages of Protocol Buffers, and the frames and trailers of gRPC around them.

use a2a_conformance::a2a::grpc_codec::GrpcReader;
use a2a_conformance::a2a::proto::{GOOGLE_RPC, HEALTH, REFLECTION, V0_3, V1_0, method_at};
use a2a_conformance::wire::grpc::{FrameReader, Piece, frame, trailers_frame};
use a2a_conformance::wire::http::Headers;
use a2a_conformance::wire::protobuf::{Schema, decode, encode};
use serde_json::{Value, json};

use super::input::{Input, chunks};

/// The definitions that a message is of, and its name.
type NamedMessage = (fn() -> &'static Schema, &'static str);

/// Messages that answers and their details are made of.
const MESSAGES: [NamedMessage; 18] = [
    (|| &V1_0, "SendMessageResponse"),
    (|| &V1_0, "StreamResponse"),
    (|| &V1_0, "Task"),
    (|| &V1_0, "Message"),
    (|| &V1_0, "ListTasksResponse"),
    (|| &V1_0, "TaskPushNotificationConfig"),
    (|| &V1_0, "ListTaskPushNotificationConfigsResponse"),
    (|| &V1_0, "AgentCard"),
    (|| &V1_0, "SendMessageRequest"),
    (|| &V0_3, "SendMessageResponse"),
    (|| &V0_3, "StreamResponse"),
    (|| &V0_3, "Task"),
    (|| &V0_3, "AgentCard"),
    (|| &V0_3, "ListTaskPushNotificationConfigResponse"),
    (|| &GOOGLE_RPC, "Status"),
    (|| &GOOGLE_RPC, "ErrorInfo"),
    (|| &REFLECTION, "ServerReflectionResponse"),
    (|| &HEALTH, "HealthCheckResponse"),
];

/// Methods whose answers are read.
const METHODS: [&str; 7] = [
    "lf.a2a.v1.A2AService/SendMessage",
    "lf.a2a.v1.A2AService/SendStreamingMessage",
    "lf.a2a.v1.A2AService/ListTasks",
    "lf.a2a.v1.A2AService/GetExtendedAgentCard",
    "a2a.v1.A2AService/SendStreamingMessage",
    "a2a.v1.A2AService/GetTask",
    "grpc.health.v1.Health/Check",
];

/// The first byte names the message.
pub(crate) fn messages(data: &[u8]) {
    let mut input = Input::new(data);
    let (schema, message) = *input.pick(&MESSAGES);
    let schema = schema();
    let decoded = decode(schema, message, input.rest());
    assert!(decoded.flaws.len() <= 20);
    if !decoded.flaws.is_empty() {
        return;
    }
    // What was read without a flaw can be written, and reads back as the same. What is written for `null` is nothing at all.
    let bytes = match encode(schema, message, &decoded.value) {
        Ok(bytes) if !has_null(&decoded.value) => bytes,
        _ => return,
    };
    let again = decode(schema, message, &bytes);
    assert!(again.flaws.is_empty(), "{message}: {:?} of {}", again.flaws, decoded.value);
    assert_eq!(again.value, decoded.value, "{message}");
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(elements) => elements.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

/// The first bytes name the method and say how the others are cut.
pub(crate) fn frames(data: &[u8]) {
    let mut input = Input::new(data);
    let url = format!("http://agent.test/{}", input.pick(&METHODS));
    assert!(method_at(&url).is_some(), "{url}");
    let seed = input.number(2);
    let bytes = input.rest();
    let read = |pieces: &[&[u8]]| {
        let (mut reader, mut answer) = GrpcReader::new(&url, &mut Headers::new());
        let messages: Vec<String> = pieces.iter().flat_map(|piece| reader.push(piece, &mut answer)).collect();
        reader.finish(&mut answer);
        (messages, answer)
    };
    let whole = read(&[bytes]);
    assert_eq!(whole, read(&chunks(bytes, seed)), "cut otherwise");
    assert!(whole.0.iter().all(|message| serde_json::from_str::<serde_json::Value>(message).is_ok()));
    let mut cut = FrameReader::default();
    let length: usize = cut
        .push(bytes)
        .iter()
        .map(|piece| match piece {
            Piece::Message { bytes, .. } => 5 + bytes.len(),
            Piece::Trailers(_) => 5,
        })
        .sum();
    assert!(length + cut.left() <= bytes.len());
}

/// A message of each kind.
pub(crate) fn message_seeds() -> Vec<Vec<u8>> {
    let status = json!({"state": "TASK_STATE_WORKING", "timestamp": "2026-01-01T00:00:00.5Z"});
    let part = json!({"data": {"a": [1.5, null, "x"]}, "metadata": {"b": true}, "mediaType": "text/plain"});
    let task = json!({"id": "t", "contextId": "c", "status": status, "metadata": {"deep": {"er": [[]]}},
        "artifacts": [{"artifactId": "a", "parts": [{"text": "é"}, part, {"raw": "AQID"}]}]});
    (0_u8..)
        .zip(MESSAGES)
        .filter_map(|(number, (schema, message))| {
            let value = match message {
                "Task" => task.clone(),
                "SendMessageResponse" | "StreamResponse" => json!({"task": task}),
                "ListTasksResponse" => json!({"tasks": [task], "pageSize": 1, "totalSize": 1}),
                "Status" => json!({"code": 5, "message": "no"}),
                _ => json!({}),
            };
            Some([vec![number], encode(schema(), message, &value).ok()?].concat())
        })
        .collect()
}

/// An answer of a message and of a stream.
pub(crate) fn frame_seeds() -> Vec<Vec<u8>> {
    let task = json!({"task": {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}});
    let message = encode(&V1_0, "StreamResponse", &task).unwrap_or_default();
    let trailers =
        |status: &str| trailers_frame(&[("grpc-status", status), ("grpc-message", "a%20b")].into_iter().collect());
    vec![
        [&[0, 0, 9], &*frame(&message), &*trailers("0")].concat(),
        [&[1, 0, 3], &*frame(&message), &*frame(&message), &*trailers("0")].concat(),
        [&[3, 0, 1], &*trailers("5")].concat(),
    ]
}
