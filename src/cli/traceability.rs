//! Every normative statement of A2A in its four versions, and which check judges it or why none does: `docs/TRACEABILITY.md`.

use std::fmt::Write;

use super::statements::{Statement, statements};
use crate::engine::detect::versions;
use crate::engine::requirement::Basis;
use crate::report::spec_url;
use crate::suite;

/// The content of `docs/TRACEABILITY.md`.
pub(super) fn markdown() -> String {
    let statements = statements();
    let mut text = "# Traceability\n\n\
         Every normative statement of A2A, version by version: which checks judge it, or why none does. This file is generated\n\
         by `make docs` from `docs/statements.txt` and the checks themselves; a test fails when a statement is neither judged nor\n\
         explained.\n"
        .to_owned();
    for version in versions() {
        let all: Vec<&Statement> =
            statements.iter().filter(|statement| statement.requirement.section(version).is_some()).collect();
        let judged = all.iter().filter(|statement| statement.not_judged.is_none()).count();
        // Writing to a string has no error to report.
        let _ = write!(
            text,
            "\n## A2A {version}\n\n{judged} of {} statements are judged by checks.\n\n\
             | statement | level | section | what it requires | judged by, or why not |\n|---|---|---|---|---|\n",
            all.len(),
        );
        for statement in all {
            row(&mut text, statement, version);
        }
    }
    text
}

fn row(text: &mut String, Statement { requirement, not_judged, .. }: &Statement, version: &str) {
    let level = requirement.stated_level_in(version).as_str();
    let level = if requirement.basis == Basis::Practical { format!("{level}, practice") } else { level.to_owned() };
    let section = requirement.section(version).unwrap_or_default();
    let section = match spec_url(version, section) {
        Some(url) => format!("[{section}]({url})"),
        None => section.to_owned(),
    };
    let judges = || suite::checks().filter(|check| check.requirement_ids().any(|id| id == requirement.id));
    let decided = not_judged
        .map_or_else(|| judges().map(|check| format!("`{}`", check.id)).collect::<Vec<_>>().join(", "), str::to_owned);
    let title = requirement.title.replace('<', "&lt;").replace('|', "\\|");
    let _ = writeln!(text, "| `{}` | {level} | {section} | {title} | {decided} |", requirement.id);
}
