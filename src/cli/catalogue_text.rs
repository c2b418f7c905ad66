//! What the documents of checks write alike.

use crate::engine::requirement::{Basis, Requirement};
use crate::report::spec_url;

/// `must, [1.0 §9.5](https://…)`, every version with its section.
pub(super) fn places(requirement: &Requirement) -> String {
    let level = requirement.level.as_str();
    if requirement.basis == Basis::Practical {
        return format!("{level}, good practice that the specification does not require");
    }
    if requirement.basis == Basis::Pair {
        return format!("{level}, what two agents need to work together; the specification does not require it");
    }
    let mut sections = requirement.spec.clone();
    sections.sort_unstable();
    let places = sections.into_iter().map(|(version, section)| {
        let cited = match requirement.basis {
            Basis::Gateway => format!("{version} §{section}"),
            _ => requirement.cite(version),
        };
        match spec_url(version, section) {
            Some(url) => format!("[{cited}]({url})"),
            None => cited,
        }
    });
    let of = if requirement.basis == Basis::Gateway { " of the gateway" } else { "" };
    format!("{level}{of}, {}", places.collect::<Vec<_>>().join(", "))
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
