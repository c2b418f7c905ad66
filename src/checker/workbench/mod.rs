//! The workbench: any request that a card makes possible, written by the dialects and bindings that checks use, sent as it was
//! edited, and what comes back judged by the checks that judge answers of any conversation. It knows no browser.

mod bench;
mod caller;
mod compose;
mod judge;
mod known;
mod live;
mod sent;
mod talk;
mod way;

pub use bench::{Exchanges, Workbench};
