//! Protocol Buffers version 3: the definitions of a `.proto` file as a schema, and messages between bytes and ProtoJSON by such
//! a schema. Reading takes what it can and names every flaw. No generated code.

mod decode;
mod encode;
mod parse_schema;
mod schema;
mod wire_format;

pub use decode::{Decoded, ProtoFlaw, ProtoFlawKind, decode};
pub use encode::encode;
pub use schema::{RpcMethod, Schema, json_name};

#[cfg(test)]
mod tests;
