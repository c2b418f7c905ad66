//! The agent through a gateway that the user names, compared with itself: what the gateway changes on the way. None of it is asked of
//! a run without `--via`.

mod arrival;
mod card;
mod credentials;
mod pairs;
mod requests;
mod responses;
mod steps;
mod streams;
mod tasks;

use crate::engine::check::{Area, Category};

/// What a gateway changes.
pub static AREA: Area = Area {
    name: "gateway",
    category: Category::Interop,
    is_optional: true,
    scenarios: &[&card::SCENARIO, &requests::SCENARIO, &tasks::SCENARIO, &streams::SCENARIO],
};
