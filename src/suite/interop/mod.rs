//! Interfaces of one agent compared with each other (1.0 §5.1), and what an interface declares about itself.

mod readings;
mod tenant;
mod two_interfaces;

use crate::engine::check::{Area, Category};

/// Interfaces of one agent compared with each other (1.0 §5.1), and what an interface declares about itself.
pub static AREA: Area = Area {
    name: "interop",
    category: Category::Interop,
    is_optional: false,
    scenarios: &[&two_interfaces::SCENARIO, &tenant::SCENARIO],
};
