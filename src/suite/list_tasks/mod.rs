//! Listing tasks.

mod list;
mod pages_and_filters;
mod refused;

use crate::engine::check::{Area, Category};

/// Listing tasks.
pub static AREA: Area = Area {
    name: "list-tasks",
    category: Category::Lifecycle,
    is_optional: true,
    scenarios: &[&list::SCENARIO, &pages_and_filters::SCENARIO, &refused::SCENARIO],
};
