//! Authentication and authorisation: which calls an agent accepts.

mod access;
mod refused;
mod second_identity_lists;
mod second_identity_push;
mod second_identity_replies;
mod second_identity_tasks;
mod tasks;
mod undeclared;

pub(super) use second_identity_push::HOOK as SECOND_IDENTITY_HOOK;

use crate::engine::check::{Area, Category};

/// Authentication and authorisation.
pub static AREA: Area = Area {
    name: "auth",
    category: Category::ErrorHandling,
    is_optional: false,
    scenarios: &[&refused::SCENARIO, &tasks::SCENARIO, &undeclared::SCENARIO, &second_identity_tasks::SCENARIO],
};
