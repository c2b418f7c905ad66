//! Listing tasks.

mod filters;
mod list;
mod refused;

use crate::engine::check::{Area, Category};

/// Listing tasks.
pub static AREA: Area = Area {
    name: "list-tasks",
    category: Category::Lifecycle,
    is_optional: true,
    scenarios: &[&list::SCENARIO, &filters::SCENARIO, &refused::SCENARIO],
};
