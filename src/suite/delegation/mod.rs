//! Delegation: an agent is told to call an agent of ours, and what arrives there is the proof. No area of the suite: it is checked on
//! request only, and only natively.

mod called_judgement;
mod calling;
mod instructed;
mod orders;
mod reading;
mod troubled_peer;

use crate::engine::check::{Area, Category};
pub(super) use reading::{Ending, ending, holds, words};

/// Delegation.
pub static AREA: Area = Area {
    name: "delegation",
    category: Category::Interop,
    is_optional: true,
    scenarios: &[&calling::SCENARIO, &troubled_peer::SCENARIO, &instructed::SCENARIO],
};
