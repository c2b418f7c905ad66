//! The list of the checks, for a reader who has not run anything yet.

use crate::engine::check::Category;
use crate::suite;

/// Every check by its id and its title, below the title of its category, which has no id.
#[must_use]
pub fn catalogue() -> Vec<(String, String)> {
    let mut listed = Vec::new();
    for category in Category::ALL {
        listed.push((String::new(), category.title().to_owned()));
        for (area, _, check) in suite::declarations() {
            if area.category == category {
                listed.push((check.id.to_owned(), check.title.to_owned()));
            }
        }
    }
    listed
}
