//! The workbench: any request that a card makes possible, written by the dialects and bindings that checks use, sent as it was
//! edited, and what comes back judged by the checks that judge answers of any conversation. It knows no browser.

mod agent_knowledge;
mod bench;
mod caller;
mod compose;
mod conversation;
mod current_exchange;
mod judge;
mod reach;
mod typed_request;

pub use bench::{Exchanges, Workbench};
