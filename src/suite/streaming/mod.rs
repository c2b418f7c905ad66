//! Streams that a send opens.

pub(super) use at_once::{Steps, in_order_beside, own_events};
pub(super) use contents::{matches_get as stream_matches_get, text as artifact_text};
pub(super) use events::{declared, is_end, shows_end, streamed_task};

mod at_once;
mod burst;
mod contents;
mod endings;
mod events;
mod every_stream;
mod message_stream;
mod options;
mod stream;
mod stream_judgement;
mod streams_at_once;
mod timing;
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
        &streams_at_once::SCENARIO,
        &burst::SCENARIO,
        &undeclared::SCENARIO,
        &every_stream::SCENARIO,
        &endings::SCENARIO,
        &timing::SCENARIO,
    ],
};
