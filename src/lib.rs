//! a2a-conformance: checks whether an A2A agent conforms to the protocol.
//!
//! One engine judges the bytes an agent sends. It is compiled to WebAssembly for the page and natively for the
//! command line; `docs/ARCHITECTURE.md` draws the rooms and who may import whom.

pub mod a2a;
pub mod agent;
pub mod engine;
pub mod host;
pub mod report;
pub mod suite;
pub mod wire;

#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod page;
