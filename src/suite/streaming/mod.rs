//! Streams that a send opens.

pub(super) use events::{declared, state_of, streamed_task};

mod contents;
mod course;
mod endings;
mod events;
mod every_stream;
mod message_stream;
mod options;
mod pace;
mod stream;
mod undeclared;

use crate::engine::check::{Area, Category};

/// Streams that a send opens.
pub static AREA: Area = Area {
    name: "streaming",
    category: Category::Streaming,
    is_optional: true,
    scenarios: &[
        &stream::SCENARIO,
        &message_stream::SCENARIO,
        &options::SCENARIO,
        &undeclared::SCENARIO,
        &every_stream::SCENARIO,
        &endings::SCENARIO,
        &pace::SCENARIO,
    ],
};
