//! Reading and cancelling tasks, and what a finished task still allows.

mod cancel;
mod failed_and_rejected;
mod finished;
mod history;
mod message_to_rejected;
mod non_blocking;
mod outcomes;
mod poll;
mod races;
mod raising;
mod return_immediately;

use crate::engine::check::{Area, Category};

/// Reading and cancelling tasks, and what a finished task still allows.
pub static AREA: Area = Area {
    name: "tasks",
    category: Category::Lifecycle,
    is_optional: false,
    scenarios: &[
        &finished::SCENARIO,
        &cancel::SCENARIO,
        &poll::SCENARIO,
        &history::SCENARIO,
        &failed_and_rejected::SCENARIO,
        &message_to_rejected::SCENARIO,
        &raising::SCENARIO,
        &races::SCENARIO,
        &outcomes::SCENARIO,
    ],
};
