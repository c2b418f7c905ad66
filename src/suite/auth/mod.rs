//! Authentication and authorisation: which calls an agent accepts.

mod access;
mod foreign_lists;
mod foreign_push;
mod foreign_replies;
mod foreign_tasks;
mod refused;
mod tasks;
mod undeclared;

use crate::engine::check::{Area, Category};

/// Authentication and authorisation.
pub static AREA: Area = Area {
    name: "auth",
    category: Category::ErrorHandling,
    is_optional: false,
    scenarios: &[&refused::SCENARIO, &tasks::SCENARIO, &undeclared::SCENARIO, &foreign_tasks::SCENARIO],
};
