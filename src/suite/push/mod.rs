//! Push notification configs.

mod configs;
mod older;
mod undeclared;

use crate::engine::check::{Area, Category};
use crate::engine::transcript::RunFacts;
use crate::engine::verdict::Verdict;

/// Push notification configs.
pub static AREA: Area = Area {
    name: "push",
    category: Category::Lifecycle,
    is_optional: true,
    scenarios: &[&undeclared::SCENARIO, &configs::SCENARIO, &older::SCENARIO],
};

/// For scenarios that need an agent that keeps push configs.
fn declared(facts: &RunFacts) -> Result<(), Verdict> {
    if facts.declares(|card| card.push_notifications) {
        return Ok(());
    }
    Err(Verdict::not_applicable("the card does not declare push notifications"))
}
