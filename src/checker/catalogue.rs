//! The list of the checks, for a reader who has not run anything yet.

use crate::engine::check::Category;
use crate::suite;

/// Every check by its id and its title, below the title of its category, which has no id.
#[must_use]
pub fn catalogue() -> Vec<(String, String)> {
    let of = |category: Category| {
        let declared = suite::declarations().filter(move |(area, _, _)| area.category == category);
        let checks = declared.map(|(_, _, check)| (check.id.to_owned(), check.title.to_owned()));
        [(String::new(), category.title().to_owned())].into_iter().chain(checks)
    };
    Category::ALL.into_iter().flat_map(of).collect()
}
