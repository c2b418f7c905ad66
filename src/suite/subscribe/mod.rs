//! Streams of a task that runs already.

mod after_disconnect;
mod resubscribe;
mod resubscribe_drive;
mod two_subscribers;
mod unwatched;

pub(super) use resubscribe::{exists, updates};
pub(super) use two_subscribers::{Agreement, agreement, updates_of};

use crate::engine::check::{Area, Category};

/// Streams of a task that runs already.
pub static AREA: Area = Area {
    name: "subscribe",
    category: Category::Streaming,
    is_optional: true,
    scenarios: &[&resubscribe::SCENARIO, &unwatched::SCENARIO, &after_disconnect::SCENARIO],
};
