//! Every normative statement of A2A in its four versions, and which check judges it or why none does: `docs/TRACEABILITY.md`.

use std::fmt::Write;

use crate::engine::detect::versions;
use crate::engine::requirement::{Basis, Requirement, known, lines_of};
use crate::report::spec_url;
use crate::suite;

/// The statements that no check judges, in the form of the engine's table.
const UNJUDGED: &str = include_str!("../../docs/requirements-unjudged.txt");
/// Why: `id | reason`.
const REASONS: &str = include_str!("../../docs/not-checked.txt");

/// Why no check judges a statement.
fn reason(id: &str) -> Option<&'static str> {
    lines_of(REASONS).filter_map(|line| line.split_once(" | ")).find(|(known, _)| *known == id).map(|(_, why)| why)
}

/// The content of `docs/TRACEABILITY.md`.
pub(super) fn markdown() -> String {
    let others: Vec<Requirement> = lines_of(UNJUDGED).filter_map(Requirement::read).collect();
    let mut text = "# Traceability\n\n\
         Every normative statement of A2A, version by version: which checks judge it, or why none does. This file is generated\n\
         by `make docs` from the tables of statements, the checks themselves and `docs/not-checked.txt`; a test fails when a\n\
         statement is neither judged nor explained.\n"
        .to_owned();
    for version in versions() {
        let all: Vec<&Requirement> =
            known().iter().chain(&others).filter(|requirement| requirement.section(version).is_some()).collect();
        let judged = all.iter().filter(|requirement| !judges(requirement.id).is_empty()).count();
        // Writing to a string has no error to report.
        let _ = write!(
            text,
            "\n## A2A {version}\n\n{judged} of {} statements are judged by checks.\n\n\
             | statement | level | section | what it requires | judged by, or why not |\n|---|---|---|---|---|\n",
            all.len(),
        );
        for requirement in all {
            row(&mut text, requirement, version);
        }
    }
    text
}

fn row(text: &mut String, requirement: &Requirement, version: &str) {
    let level = requirement.stated_level_in(version).as_str();
    let level = if requirement.basis == Basis::Practical { format!("{level}, practice") } else { level.to_owned() };
    let section = requirement.section(version).unwrap_or_default();
    let section = match spec_url(version, section) {
        Some(url) => format!("[{section}]({url})"),
        None => section.to_owned(),
    };
    let checks = judges(requirement.id);
    let decided = if checks.is_empty() {
        reason(requirement.id).unwrap_or("**undecided**").to_owned()
    } else {
        checks.iter().map(|check| format!("`{check}`")).collect::<Vec<_>>().join(", ")
    };
    let title = requirement.title.replace('<', "&lt;").replace('|', "\\|");
    let _ = writeln!(text, "| `{}` | {level} | {section} | {title} | {decided} |", requirement.id);
}

/// The checks that judge a statement.
fn judges(id: &str) -> Vec<&'static str> {
    let all = suite::checks().filter(|check| check.requirements().iter().any(|requirement| requirement.id == id));
    all.map(|check| check.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_is_judged_or_explained_and_never_both() {
        let others: Vec<Requirement> = lines_of(UNJUDGED).filter_map(Requirement::read).collect();
        for requirement in &others {
            assert!(reason(requirement.id).is_some(), "{} is undecided", requirement.id);
        }
        for (id, why) in lines_of(REASONS).filter_map(|line| line.split_once(" | ")) {
            assert!(others.iter().any(|requirement| requirement.id == id), "{id} is judged, or no statement at all");
            assert!(why.ends_with('.') && why.len() > 30, "{id}");
        }
        assert!(!markdown().contains("undecided"));
    }
}
