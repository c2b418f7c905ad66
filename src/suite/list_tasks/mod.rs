//! Listing tasks.

mod every_list;
mod filtered_lists;
mod left_out;
mod list;
mod listed_history;
mod moving_pages;
mod pages_and_filters;
mod refused;

use crate::engine::check::{Area, Category};
pub(super) use filtered_lists::breaks_down;
pub(super) use pages_and_filters::next;

/// Listing tasks.
pub static AREA: Area = Area {
    name: "list-tasks",
    category: Category::Lifecycle,
    is_optional: true,
    scenarios: &[
        &list::SCENARIO,
        &pages_and_filters::SCENARIO,
        &moving_pages::SCENARIO,
        &refused::SCENARIO,
        &every_list::SCENARIO,
        &left_out::SCENARIO,
    ],
};
