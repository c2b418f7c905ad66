//! What the documents of checks write alike.

use crate::engine::requirement::{Basis, Requirement};
use crate::report::spec_url;

/// `must, [1.0 §9.5](https://…)`, every version with its section.
pub(super) fn places(requirement: &Requirement) -> String {
    let level = requirement.level.as_str();
    if requirement.basis == Basis::Practical {
        return format!("{level}, good practice that the specification does not require");
    }
    let mut sections = requirement.spec.clone();
    sections.sort_unstable();
    let places = sections.into_iter().map(|(version, section)| {
        let cited = requirement.cite(version);
        match spec_url(version, section) {
            Some(url) => format!("[{cited}]({url})"),
            None => cited,
        }
    });
    format!("{level}, {}", places.collect::<Vec<_>>().join(", "))
}

/// The text with what Markdown would take for a tag made harmless. The rest of what it knows is meant: doc comments
/// are Markdown.
pub(super) fn escaped(text: &str) -> String {
    let mut inside = false;
    text.chars().fold(String::new(), |mut out, c| {
        inside ^= c == '`';
        match c {
            '<' if !inside => out.push_str("&lt;"),
            c => out.push(c),
        }
        out
    })
}
