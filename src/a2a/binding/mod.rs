//! How operations travel: a binding turns a call into an HTTP request and an exchange into a reply. No I/O.

pub mod grpc;
pub mod jsonrpc;
pub mod rest;

mod call;
mod definition;
mod grpc_address;
mod read_reply;
mod registry;
mod reply;

pub use call::{Call, CallCost, Credentials, SentCall, VersionSelection};
pub use definition::Binding;
pub use grpc_address::base_url;
pub use read_reply::{ERROR_INFO, is_gateway_failure, unanswered_behind_gateway};
pub use registry::BINDINGS;
pub use reply::{Reply, ReplyKind, StreamItem, StreamItemKind, bars};
