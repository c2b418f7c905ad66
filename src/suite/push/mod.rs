//! Push notification configs.

mod applicability;
mod configs;
mod delivery;
mod delivery_judgement;
mod failing_webhooks;
mod notification;
mod older;
mod signed_tokens;
mod undeclared;
mod usual_task;
mod validation;
mod webhooks;

pub(super) use applicability::declared;

use crate::engine::check::{Area, Category};

/// Push notification configs.
pub static AREA: Area = Area {
    name: "push",
    category: Category::Lifecycle,
    is_optional: true,
    scenarios: &[
        &undeclared::SCENARIO,
        &configs::SCENARIO,
        &older::SCENARIO,
        &delivery::SCENARIO,
        &failing_webhooks::SCENARIO,
        &validation::SCENARIO,
    ],
};
