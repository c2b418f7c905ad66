//! Push notification configs.

mod applicability;
mod configs;
mod delivery;
mod delivery_judgement;
mod notification;
mod older;
mod undeclared;
mod webhooks;

use crate::engine::check::{Area, Category};
pub(super) use webhooks::register as register_webhooks;

/// Push notification configs.
pub static AREA: Area = Area {
    name: "push",
    category: Category::Lifecycle,
    is_optional: true,
    scenarios: &[&undeclared::SCENARIO, &configs::SCENARIO, &older::SCENARIO, &delivery::SCENARIO],
};
