//! Sending messages and waiting for the answer.

mod context;
mod data_types;
mod ids;
mod message_only;
mod read_back;
mod send;
mod send_method_names;
mod sends_at_once;

pub(super) use ids::{OWN_CONTEXT, REJECTED_MESSAGE};
pub(super) use send::{accepted, finished, makes_tasks};

use crate::engine::check::{Area, Category};

/// Sending messages and waiting for the answer.
pub static AREA: Area = Area {
    name: "messaging",
    category: Category::Lifecycle,
    is_optional: false,
    scenarios: &[
        &send::SCENARIO,
        &message_only::SCENARIO,
        &ids::SCENARIO,
        &data_types::SCENARIO,
        &context::SCENARIO,
        &sends_at_once::SCENARIO,
    ],
};
