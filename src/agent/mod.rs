//! The scripted agent: A2A 1.0 over JSON-RPC and HTTP+JSON, and older versions under paths of their own. It is a function
//! from request to response that does no I/O and runs nothing in the background, and it conforms unless a fault is switched
//! on. It does not know how it is judged.

pub mod fault;
pub mod loopback;

mod acceptance;
mod access;
mod call;
mod call_form;
mod card;
mod clock_reading;
mod encode;
mod form_faults;
mod json_values;
mod latin1;
mod list_tasks;
mod mutate;
mod mutation;
mod older_shapes;
mod operation_reply;
mod operations;
mod params;
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
mod shape;
mod store;
mod stream;
mod task;
mod translate;
mod user;
mod webhooks;

#[cfg(test)]
mod tests;

pub use scripted_agent::ScriptedAgent;
pub use webhooks::WebhookSender;
