//! Bytes and text on the wire: HTTP messages, recorded exchanges, server-sent events and JSON. It knows nothing of A2A.

pub mod base64;
mod escaped_char;
pub mod exchange;
pub mod grpc;
pub mod http;
pub mod internet_host;
pub mod invisible;
pub mod json;
mod json_strings;
pub mod limits;
pub mod mask;
pub(crate) mod named_enum;
pub mod numbers;
pub mod order;
pub mod place_index;
pub mod protobuf;
pub mod received;
pub mod redact;
pub mod sample;
mod secret_forms;
pub mod sse;
pub mod timestamp;
pub mod url;
