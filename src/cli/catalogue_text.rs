//! What the documents of checks, of agents' and of clients', write alike: sections with their links, titles, and the introduction
//! of a check.

use crate::engine::check::Check;
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

/// The section of a requirement in a version, with its link.
pub(super) fn section(requirement: &Requirement, version: &str) -> String {
    let section = requirement.section(version).unwrap_or_default();
    spec_url(version, section).map_or_else(|| section.to_owned(), |url| format!("[{section}]({url})"))
}

/// The title of a requirement as a cell of a table.
pub(super) fn title(requirement: &Requirement) -> String {
    requirement.title.replace('<', "&lt;").replace('|', "\\|")
}

/// A check under a heading that is its id: what it checks, why, and the way to mend it.
pub(super) fn introduced(check: &Check) -> String {
    let mut text = format!("### `{}`\n\n{} ({}).\n", check.id, escaped(check.title), check.level().as_str());
    for (name, what) in [
        ("", check.why),
        ("Fix: ", check.fix),
        ("Advice only, although the specification says must: ", check.advisory.unwrap_or_default()),
    ] {
        if !what.is_empty() {
            text.push_str(&format!("\n{name}{}\n", escaped(what)));
        }
    }
    text
}

/// The text with what Markdown would take for a tag made harmless. The rest of what it knows is meant.
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
