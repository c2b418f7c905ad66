//! One value per protocol version: its tables and the functions that shape requests and read answers.
//!
//! A version is a value, not a branch: what differs between two versions is the text of a const struct.

mod card;
mod definition;
mod grpc_services;
pub mod older;
pub mod older_requests;
mod read_answers;
pub mod read_objects;
mod registry;
mod request_of_message;
pub mod v0_1;
pub mod v0_2;
pub mod v0_3;
pub mod v1_0;
pub mod write;

pub use card::SCHEME_KINDS;
pub use definition::{Dialect, GrpcService, ObjectForms, Tags};
pub use registry::DIALECTS;

#[cfg(test)]
mod examples;
