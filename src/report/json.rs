//! The JSON report, version 1: `json/write.rs` writes it, `json/read.rs` reads it. It names its members apart from everything
//! internal, so that a change inside cannot change a file. `docs/report-v1.schema.json` describes the shape.

mod described_check;
mod read;
mod write;

pub use read::{ReadError, read};
pub use write::completion_word;
pub(super) use write::write_as;
pub use write::{write, write_whole};
