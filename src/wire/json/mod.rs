//! JSON as an agent sends it: a tolerant reader that keeps what the text got wrong, pointers into a value, the
//! difference of two values, and a value as lines for display. Values themselves are `serde_json`'s.

mod brief;
mod canonical;
mod diff;
mod parser;
mod pointer;
mod tokens;

#[cfg(test)]
mod samples;

pub use brief::{brief, clip, type_name};
pub use canonical::canonical;
pub use diff::{ChangeKind, ValueDifference, diff};
pub use parser::{Flaw, FlawKind, Parsed, parse, read};
pub use pointer::{Pointer, SharedValue};
pub use serde_json::{Map, Value};
pub use tokens::{JsonSpan, Line, SpanKind, tokens};
