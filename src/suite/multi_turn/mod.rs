//! Conversations of several messages.

mod auth_required;
mod turns;

use crate::engine::check::{Area, Category};

/// Conversations of several messages.
pub static AREA: Area = Area {
    name: "multi-turn",
    category: Category::Lifecycle,
    is_optional: false,
    scenarios: &[&turns::SCENARIO, &auth_required::SCENARIO],
};
