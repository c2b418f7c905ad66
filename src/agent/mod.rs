//! The scripted agent: A2A 1.0 over JSON-RPC and HTTP+JSON, and older versions under paths of their own. It is a function
//! from request to response that does no I/O and runs nothing in the background, and it conforms unless a fault is switched
//! on. It does not know how it is judged.

pub mod fault;
pub mod gateway;
pub mod loopback;

mod acceptance;
mod access;
mod beacon;
mod call;
mod call_form;
mod captured;
mod card;
mod clock_reading;
mod concurrency_faults;
mod declared_cases;
mod declared_changes;
mod declared_turn;
mod delegating;
mod directives;
mod encode;
mod form_faults;
mod grpc;
mod grpc_answer;
mod hosted_files;
mod identity;
mod json_values;
mod latin1;
mod list_tasks;
mod older_shapes;
mod operation_reply;
mod operations;
mod params;
mod peer_call;
mod play;
mod proto_shapes;
mod push_configs;
mod rejection;
mod request;
mod request_version;
mod responses;
mod rest;
mod rpc;
mod scoping;
mod script;
mod scripted_agent;
mod send_message;
mod serve;
mod served_version;
mod setup_artifacts;
mod shape;
mod stream;
mod stream_events;
mod task;
mod task_changed;
mod task_store;
mod translate;
mod turn_reader;
mod turn_shapes;
mod webhooks;

#[cfg(test)]
mod tests;

pub use captured::{CapturedRequest, CapturedRequests, presented_scheme, secret_fields, webhook_secrets};
pub use declared_turn::InvalidResponses;
pub use directives::responses_directive;
pub use identity::PresentedIdentity;
pub use scripted_agent::ScriptedAgent;
pub use webhooks::{LastStatus, WebhookSender};
