//! Server-sent events after the WHATWG HTML standard (section "Server-sent events"): an incremental parser from bytes
//! to events, which also says what it found odd, and a writer. It neither reconnects nor waits: there is no I/O here.

mod event;
mod framing;
mod parser;
mod writer;

pub use event::Frame;
pub use framing::Oddity;
pub use parser::{Item, Limits, Parser};
pub use writer::write;
