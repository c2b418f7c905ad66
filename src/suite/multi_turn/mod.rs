//! Conversations of several messages.

mod auth_required;
mod follow_ups;
mod third_turn;
mod turns;

pub(in crate::suite) use turns::{LAST_TURN, keeps_newest};

use crate::engine::check::{Area, Category};

/// Conversations of several messages.
pub static AREA: Area = Area {
    name: "multi-turn",
    category: Category::Lifecycle,
    is_optional: false,
    scenarios: &[&turns::SCENARIO, &follow_ups::SCENARIO, &third_turn::SCENARIO, &auth_required::SCENARIO],
};
