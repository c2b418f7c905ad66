//! The list of the checks, for a reader who has not run anything yet.

use crate::engine::check::Category;
use crate::suite;

/// Every check, by category: the titles of the categories, and of each check its id and its title.
#[must_use]
pub fn catalogue() -> Vec<(String, Vec<(String, String)>)> {
    let of = |category: Category| {
        let declared = suite::declarations().filter(|(area, _, _)| area.category == category);
        let checks = declared.map(|(_, _, check)| (check.id.to_owned(), check.title.to_owned())).collect();
        (category.title().to_owned(), checks)
    };
    Category::ALL.into_iter().map(of).filter(|(_, checks): &(_, Vec<_>)| !checks.is_empty()).collect()
}
