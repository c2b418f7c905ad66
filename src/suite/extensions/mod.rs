//! Extensions: asked for, ignored, required.

mod declared_extensions;
mod negotiation;

use crate::engine::check::{Area, Category};

/// Extensions: asked for, ignored, required.
pub static AREA: Area = Area {
    name: "extensions",
    category: Category::ErrorHandling,
    is_optional: true,
    scenarios: &[&negotiation::SCENARIO, &declared_extensions::SCENARIO],
};
