//! The attackers' table: hostile agents as data, which the built program meets over real sockets. `make hostile` plays all of them
//! and prints what came of it; a half of them is among the native tests.

mod attack;
mod bodies;
mod cards;
mod clocks;
mod connections;
mod document;
mod families;
mod harm;
mod heads;
mod http2;
mod json_texts;
mod judge;
mod outcomes;
mod program_run;
mod protocol;
mod redirects;
mod server;
mod slow;
mod streams;
mod table;
mod tls;
mod tokens_and_keys;
mod webhooks;

pub(crate) use program_run::ProgramRun;
pub(crate) use server::{AskedRequest, EVENTS, JSON, answer, read, server};
