//! Under load: whether answers stay right while many conversations are under way. No area of the suite: it is checked on request only, and
//! only natively.

mod conversation;
mod drive;
mod ids;
mod judgement;
mod kinds;
mod marks;
mod reading;
mod scenario;
mod streamed;
mod tally;
mod trouble;

use crate::engine::check::{Area, Category};

/// Under load.
pub static AREA: Area =
    Area { name: "load", category: Category::Lifecycle, is_optional: true, scenarios: &[&scenario::SCENARIO] };
