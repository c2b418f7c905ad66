//! The Protocol Buffers definitions, a `.proto` file each in `proto/`: A2A 1.0 and 0.3, the details of gRPC errors
//! (`google_rpc.proto`), reflection and health. Those of A2A stand there without comments, HTTP annotations and options for other
//! languages. 1.0 is `specification/a2a.proto` of 1.0.1, 0.3 is `specification/grpc/a2a.proto` of 0.3.0.

use std::sync::LazyLock;

use crate::wire::protobuf::{RpcMethod, Schema};

/// The definitions of 1.0.
pub static V1_0: LazyLock<Schema> = LazyLock::new(|| Schema::parse(include_str!("proto/v1_0.proto")));

/// The definitions of 0.3.
pub static V0_3: LazyLock<Schema> = LazyLock::new(|| Schema::parse(include_str!("proto/v0_3.proto")));

/// google.rpc.Status and the messages of its details that A2A names (1.0 §10.6).
pub static GOOGLE_RPC: LazyLock<Schema> = LazyLock::new(|| Schema::parse(include_str!("proto/google_rpc.proto")));

/// The service by which a server says which services it has, in the name that it got last: so much of it as asks for their names. Its
/// stream of questions has one question here.
pub static REFLECTION: LazyLock<Schema> =
    LazyLock::new(|| Schema::parse(concat!("package grpc.reflection.v1;\n", include_str!("proto/reflection.proto"))));

/// The same in the name that some libraries still give it.
pub static REFLECTION_ALPHA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::parse(concat!("package grpc.reflection.v1alpha;\n", include_str!("proto/reflection.proto")))
});

/// The service by which a server says whether it serves calls.
pub static HEALTH: LazyLock<Schema> = LazyLock::new(|| Schema::parse(include_str!("proto/health.proto")));

/// The method that a URL's path names, with the definitions of its messages: `…/lf.a2a.v1.A2AService/GetTask`.
#[must_use]
pub fn method_at(url: &str) -> Option<(&'static Schema, RpcMethod)> {
    let (before, method) = url.rsplit_once('/')?;
    let service = before.rsplit('/').next()?;
    let schemas: [&'static Schema; 5] = [&V1_0, &V0_3, &REFLECTION, &REFLECTION_ALPHA, &HEALTH];
    schemas
        .into_iter()
        .filter(|schema| schema.service() == service)
        .find_map(|schema| Some((schema, schema.method(method)?)))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::wire::protobuf::{decode, encode};

    #[test]
    fn the_definitions_are_read_as_the_compiler_of_protocol_buffers_reads_them() {
        // Written from the descriptors that protoc made of the same files.
        for (schema, expected) in
            [(&V1_0, include_str!("proto/v1_0.descriptor.txt")), (&V0_3, include_str!("proto/v0_3.descriptor.txt"))]
        {
            assert_eq!(schema.describe(), expected);
        }
    }

    #[test]
    fn messages_are_read_and_written_as_another_library_does() {
        // Random messages, written by Google's library for Python as bytes and as ProtoJSON.
        let vectors: Vec<Value> = serde_json::from_str(include_str!("proto/vectors.json")).unwrap();
        for vector in &vectors {
            let schema: &Schema = if vector["version"] == "1.0" { &V1_0 } else { &V0_3 };
            let (message, expected) = (vector["message"].as_str().unwrap(), vector["hex"].as_str().unwrap());
            let bytes: Vec<u8> = (0..expected.len() / 2)
                .map(|at| u8::from_str_radix(&expected[at * 2..at * 2 + 2], 16).unwrap())
                .collect();
            let decoded = decode(schema, message, &bytes);
            assert_eq!(decoded.flaws, [], "{message}");
            assert_eq!(filled(decoded.value), filled(vector["json"].clone()), "{message}");
            let encoded = encode(schema, message, &vector["json"]).unwrap();
            assert_eq!(encoded, bytes, "{message}");
        }
    }

    /// Without members that have a default value, which ProtoJSON may leave out; and with numbers as doubles.
    fn filled(value: Value) -> Value {
        match value {
            Value::Object(map) => {
                let members = map.into_iter().map(|(name, value)| (name, filled(value)));
                members
                    .filter(|(_, value)| !matches!(value, Value::String(text) if text.is_empty()))
                    .filter(|(_, value)| *value != Value::Array(Vec::new()))
                    .collect()
            }
            Value::Array(list) => list.into_iter().map(filled).collect(),
            Value::Number(number) => Value::from(number.as_f64()),
            other => other,
        }
    }

    #[test]
    fn a_method_is_found_by_its_path() {
        let (schema, method) = method_at("http://h:1/lf.a2a.v1.A2AService/SubscribeToTask").unwrap();
        assert!(
            method.streams && method.request == "SubscribeToTaskRequest" && schema.service() == "lf.a2a.v1.A2AService"
        );
        assert!(method_at("http://h/a2a.v1.A2AService/TaskSubscription").is_some());
        for url in ["http://h/a2a.v1.A2AService/ListTasks", "http://h/x/GetTask", "GetTask", ""] {
            assert!(method_at(url).is_none(), "{url}");
        }
    }
}
