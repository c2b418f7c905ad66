//! Who may call.

mod access;
mod refused;
mod tasks;
mod undeclared;

use crate::engine::check::{Area, Category};

/// Who may call.
pub static AREA: Area = Area {
    name: "auth",
    category: Category::ErrorHandling,
    is_optional: false,
    scenarios: &[&refused::SCENARIO, &tasks::SCENARIO, &undeclared::SCENARIO],
};
