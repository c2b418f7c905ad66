//! Version negotiation.

mod negotiation;
mod unknown_header;

use crate::engine::check::{Area, Category};

/// Version negotiation.
pub static AREA: Area = Area {
    name: "versioning",
    category: Category::ErrorHandling,
    is_optional: false,
    scenarios: &[&negotiation::SCENARIO, &unknown_header::SCENARIO],
};
