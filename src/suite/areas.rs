//! Every area of the suite in the order in which it is shown, and how many checks there are of each category.

use crate::engine::check::{Area, Category};

/// Every area, in the order in which it is shown.
pub static ALL: &[&Area] = &[
    &super::discovery::AREA,
    &super::card::AREA,
    &super::messaging::AREA,
    &super::tasks::AREA,
    &super::multi_turn::AREA,
    &super::list_tasks::AREA,
    &super::push::AREA,
    &super::streaming::AREA,
    &super::subscribe::AREA,
    &super::errors::AREA,
    &super::transport::AREA,
    &super::auth::AREA,
    &super::versioning::AREA,
    &super::extensions::AREA,
    &super::interop::AREA,
];

// A declaration that lacks something does not compile.
const _: () = assert!(Area::are_complete(ALL), "a check has an id, a title, a why, a fix and a fault");

/// How many checks there are, in the order of the categories. Counted while it is compiled, so that a program which shows the
/// counts does not carry the suite.
#[expect(clippy::indexing_slicing, reason = "this runs while it is compiled, where a wrong index is an error")]
pub const CHECKS_BY_CATEGORY: [usize; Category::ALL.len()] = {
    let mut counts = [0; Category::ALL.len()];
    let mut areas = ALL;
    while let [area, others @ ..] = areas {
        let mut scenarios = area.scenarios;
        while let [scenario, others @ ..] = scenarios {
            counts[area.category as usize] += scenario.checks.len();
            scenarios = others;
        }
        areas = others;
    }
    counts
};
