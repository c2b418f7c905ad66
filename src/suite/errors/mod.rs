//! Requests that are wrong on purpose, each in one way only.

mod hang_up;
mod malformed;
mod malformed_http;
mod messages;
mod params;

pub(super) use messages::ODD_ROLE;

use crate::engine::check::{Area, Category};

/// Requests that are wrong on purpose, each in one way only.
pub static AREA: Area = Area {
    name: "errors",
    category: Category::ErrorHandling,
    is_optional: false,
    scenarios: &[&malformed::SCENARIO, &malformed_http::SCENARIO, &params::SCENARIO, &messages::SCENARIO],
};
