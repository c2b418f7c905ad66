//! Finding the card: where it is, and how it is served.

mod fetch;
mod fetch_again;

pub(in crate::suite) use fetch::{drive as fetch_card, looks_like_a_card};

use crate::engine::check::{Area, Category};

/// Finding the card: where it is, and how it is served.
pub static AREA: Area = Area {
    name: "discovery",
    category: Category::AgentCard,
    is_optional: false,
    scenarios: &[&fetch::SCENARIO, &fetch_again::SCENARIO],
};
