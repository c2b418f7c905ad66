//! AgentBin's acceptance list, which every SDK is measured by: the tests under the ids of its dashboard, once for each binding.
//! It is not part of the specification and runs only when the profile is chosen. Which tests apply, the card says: those of
//! `/spec`, those of `/echo`, or in 0.3 those of `/spec03`.

mod answers;
mod applicability;
mod cancel;
mod cards;
mod echo;
mod errors;
mod judging;
mod spec03;
mod streams;
mod turns;

use crate::engine::check::{Area, Category};

/// AgentBin's acceptance list.
pub static AREA: Area = Area {
    name: "agentbin",
    category: Category::Interop,
    is_optional: true,
    scenarios: &[
        &cards::SCENARIO,
        &echo::SCENARIO,
        &answers::SCENARIO,
        &turns::SCENARIO,
        &cancel::SCENARIO,
        &streams::SCENARIO,
        &errors::SCENARIO,
        &spec03::SCENARIO,
    ],
};
