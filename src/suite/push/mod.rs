//! Push notification configs.

mod applicability;
mod configs;
mod older;
mod undeclared;

use crate::engine::check::{Area, Category};

/// Push notification configs.
pub static AREA: Area = Area {
    name: "push",
    category: Category::Lifecycle,
    is_optional: true,
    scenarios: &[&undeclared::SCENARIO, &configs::SCENARIO, &older::SCENARIO],
};
