//! The card's content, judged from the one recording that discovery made.

mod extended;
mod extended_url;
mod interfaces;
mod members;
mod older;
mod reading;
mod security;
mod signatures;
mod skills;

pub(in crate::suite) use signatures::signature_verifies;

use crate::engine::check::{Area, Category};

/// The card's content, judged from the one recording that discovery made.
pub static AREA: Area = Area {
    name: "card",
    category: Category::AgentCard,
    is_optional: false,
    scenarios: &[
        &members::SCENARIO,
        &interfaces::SCENARIO,
        &skills::SCENARIO,
        &security::SCENARIO,
        &older::SCENARIO,
        &signatures::SCENARIO,
        &extended::SCENARIO,
        &extended_url::SCENARIO,
    ],
};
