//! Extensions: asked for, ignored, required.

mod declared_extensions;
mod unknown_extension;

use crate::engine::check::{Area, Category};

/// Extensions: asked for, ignored, required.
pub static AREA: Area = Area {
    name: "extensions",
    category: Category::ErrorHandling,
    is_optional: true,
    scenarios: &[&unknown_extension::SCENARIO, &declared_extensions::SCENARIO],
};
