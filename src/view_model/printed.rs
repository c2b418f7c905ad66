//! The part of a run that is printed beside what the screen shows: the agent, the time, the setup, and every finding in full,
//! musts first, because nobody can open a row on paper.

use super::card::facts;
use super::format;
use crate::engine::verdict::Outcome;
use crate::report::{CheckedRow, Report, tool};
use crate::view_model::binary_encoding::binary_encoding;

/// The sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedRun {
    /// Names and values.
    pub facts: Vec<(String, String)>,
    /// The findings.
    pub findings: Vec<PrintedFinding>,
}

binary_encoding! { struct PrintedRun { facts, findings } }

/// A finding on paper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedFinding {
    /// The title of the check.
    pub title: String,
    /// The check, its lane, its level, the section.
    pub place: String,
    /// The message of the finding.
    pub message: String,
    /// Expected and received; either is empty where the message says it.
    pub expected: String,
    /// See `expected`.
    pub actual: String,
    /// The advice.
    pub fix: String,
}

binary_encoding! { struct PrintedFinding { title, place, message, expected, actual, fix } }

impl PrintedRun {
    /// The sheet of a report.
    #[must_use]
    pub fn from_report(report: &Report) -> Self {
        let (agent, versions) = (report.agent.as_ref(), report.versions().join(" and "));
        let facts = facts([
            ("Verdict", Some(report.verdict_title().to_owned())),
            ("Agent", Some(report.address.clone())),
            ("Name", agent.map(|agent| agent.name.clone())),
            ("Version of the agent", agent.map(|agent| agent.version.clone())),
            ("Judged by", (!versions.is_empty()).then(|| format!("A2A {versions}"))),
            ("Date", report.started_ms.map(format::date)),
            ("Checked with", Some(format!("{} {}, {}", tool::TOOL, report.environment.tool_version, report.suite))),
        ]);
        let of_level = |level: fn(&CheckedRow) -> bool| report.results.iter().filter(move |row| level(row));
        let musts = of_level(CheckedRow::is_breach);
        let advice = of_level(CheckedRow::is_advice);
        Self { facts, findings: musts.chain(advice).chain(report.unsteady()).map(PrintedFinding::from_row).collect() }
    }
}

impl PrintedFinding {
    fn from_row(row: &CheckedRow) -> Self {
        let lane = row.lane.as_ref().map(|lane| format!(" on {lane}")).unwrap_or_default();
        let level = if row.outcome == Outcome::Unsteady { "unsteady" } else { row.level_in_words() };
        Self {
            title: row.title.to_owned(),
            place: format!("{}{lane} \u{b7} {level} \u{b7} {}", row.check, row.spec),
            message: row.message.clone(),
            expected: unsaid(row.expected.as_deref(), &row.message),
            actual: unsaid(row.actual.as_deref(), &row.message),
            fix: row.remediation.clone().unwrap_or_default(),
        }
    }
}

/// A text that is not part of the message.
fn unsaid(text: Option<&str>, message: &str) -> String {
    text.filter(|text| !message.contains(text)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_printed_twice() {
        assert_eq!(unsaid(Some("a task"), "expected a task, got null"), "");
        assert_eq!(unsaid(Some("a task"), "the result is null"), "a task");
        assert_eq!(unsaid(None, "the result is null"), "");
    }
}
